import random

from hypothesis import given
from hypothesis import strategies as st

from chainwright.schemas.critique import Critique
from chainwright.taxonomy.corpus import UNKNOWN, Background, corpus_of, text_of


def critique(number: int, description: str, *tags: str) -> Critique:
    return Critique(
        chain_id=f"c-{number:020x}",
        step=1,
        critic="local:critic",
        description=description,
        tags=list(tags or ("tag",)),
    )


def test_text_holds_description_and_tags() -> None:
    assert text_of(critique(1, " wrong way round ", "a", "b")) == "wrong way round (a, b)"


def test_equal_texts_are_one_text_of_several_critiques() -> None:
    rows = [(critique(n, word), UNKNOWN) for n, word in enumerate(("x", "y", "x", "x"))]
    corpus = corpus_of(rows)
    assert sorted(corpus.texts) == ["x (tag)", "y (tag)"]
    assert dict(zip(corpus.texts, corpus.counts(), strict=True)) == {"x (tag)": 3, "y (tag)": 1}
    for each, text in zip(corpus.critiques, corpus.text_index, strict=True):
        assert corpus.texts[text] == text_of(each)


def test_no_critiques_make_an_empty_corpus() -> None:
    assert corpus_of([]).texts == []
    assert corpus_of([]).counts() == []


@given(
    words=st.lists(st.text("abcd", min_size=1, max_size=3), min_size=1, max_size=20),
    seed=st.integers(0, 99),
)
def test_order_of_the_rows_does_not_matter(words: list[str], seed: int) -> None:
    rows = [(critique(n, word), Background(source=f"s{n % 3}")) for n, word in enumerate(words)]
    mixed = rows.copy()
    random.Random(seed).shuffle(mixed)
    assert corpus_of(mixed) == corpus_of(rows)
    assert corpus_of(rows).keys == sorted(corpus_of(rows).keys)


def test_part_keeps_the_critiques_of_the_chosen_texts() -> None:
    rows = [(critique(n, word), UNKNOWN) for n, word in enumerate(("x", "y", "x", "z"))]
    corpus = corpus_of(rows)
    chosen = corpus.texts.index("x (tag)")
    assert corpus.part([chosen]).texts == ["x (tag)"]
    assert len(corpus.part([chosen]).critiques) == 2

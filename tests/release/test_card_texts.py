"""Card: the Hub reads its metadata, and no text from data can break them or the body."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import yaml
from huggingface_hub import DatasetCard
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chainwright.recipe import Recipe
from chainwright.release.metadata import card_metadata
from chainwright.release.redaction import public_recipe
from chainwright.release.summary import Account
from chainwright.release.tally import Tally
from chainwright.schemas.label import Label

Block = dict[str, list[Any]]
MakeRecipe = Callable[..., Recipe]
MakeBlock = Callable[[int], Block]
MakeCard = Callable[..., str]


def test_the_hub_reads_the_metadata(
    recipe: MakeRecipe, card_of: MakeCard, block: MakeBlock
) -> None:
    data = metadata_of(card_of(recipe(), [block(1), block(2)]))
    assert data["license"] == "mit"
    assert data["pretty_name"] == "Pears"
    assert data["language"] == ["en"]
    assert data["size_categories"] == ["n<1K"]
    assert data["annotations_creators"] == ["machine-generated"]
    assert data["source_datasets"] == ["extended|other-bought", "original"]
    assert data["configs"] == [
        {
            "config_name": "chains",
            "default": True,
            "data_files": [{"split": "train", "path": "data/chains/train-*.parquet"}],
        },
        {
            "config_name": "problems",
            "data_files": [{"split": "train", "path": "data/problems/train-*.parquet"}],
        },
    ]


# The end makes sure that none is a word with a meaning, such as a licence or a category.
HOSTILE = st.text(
    st.sampled_from(list("ab |`*_[]()<>#&:/\\@-\n\r\"'{}%,?!")) | st.characters(), min_size=1
).map("{}q".format)


@settings(max_examples=10, deadline=None)
@given(texts=st.tuples(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE))
def test_no_text_breaks_metadata_or_tables(
    recipe: MakeRecipe, card_of: MakeCard, block: MakeBlock, texts: tuple[str, str, str, str, str]
) -> None:
    card = card_with(recipe, block, card_of, *texts)
    plain = card_with(recipe, block, card_of, "Pears", "own", "our own terms", "judge", "of_ours")
    data = metadata_of(card)
    assert data.keys() == metadata_of(plain).keys()
    assert (data["license"], data["language"]) == ("other", ["en"])
    assert structure(card) == structure(plain)


def card_with(
    recipe: MakeRecipe,
    block: MakeBlock,
    card_of: MakeCard,
    title: str,
    source: str,
    licence: str,
    judge: str,
    category: str,
) -> str:
    """The card of one block with these words where data has the say."""
    given = block(1)
    changed = {"source": source, "licence": licence}
    given["problems"] = [given["problems"][0].model_copy(update=changed)]
    last: Label = given["labels"][-1]
    votes = [vote.model_copy(update={"judge": judge}) for vote in last.votes]
    given["labels"][-1] = last.model_copy(update={"category": category, "votes": votes})
    return card_of(recipe(release={"title": title}), [given])


def metadata_of(card: str) -> dict[str, Any]:
    """The metadata as the Hub's own library reads it."""
    data: dict[str, Any] = DatasetCard(card).data.to_dict()  # type: ignore[no-untyped-call]
    return data


def structure(card: str) -> Counter[str]:
    """How often each kind of element opens in the rendered body; text and code spans aside."""
    body = card.split("\n---\n", 1)[1]
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table"]).parse(body)
    inline = [child for token in tokens for child in token.children or []]
    kinds = Counter(token.type for token in [*tokens, *inline])
    return Counter({kind: n for kind, n in kinds.items() if kind not in ("text", "code_inline")})


def test_a_source_named_like_metadata_does_not_become_metadata(
    recipe: MakeRecipe, card_of: MakeCard, block: MakeBlock
) -> None:
    hostile = block(1)
    name = "x\n---\nlicense: mit"
    hostile["problems"] = [
        hostile["problems"][0].model_copy(update={"source": name, "licence": "<b>own|</b>"})
    ]
    card = card_of(recipe(release={"title": name}), [hostile])
    head = yaml.safe_load(card.split("\n---\n")[0].removeprefix("---\n"))
    assert head["license"] == "other"
    assert head["license_details"] == "x --- license: mit: <b>own|</b>"
    assert head["pretty_name"] == "x --- license: mit"
    row = "| `x --- license: mit` |  | &lt;b&gt;own\\|&lt;/b&gt; | 1 | 2 |"
    assert row in card.splitlines()


def test_metadata_has_one_line_a_value(recipe: MakeRecipe) -> None:
    metadata = card_metadata(
        public_recipe(recipe(release={"title": "a\n\tb\u2028c"})),
        Account().summary({}, {}, []),
        Tally(),
    )
    assert metadata["pretty_name"] == "a b c"
    assert metadata["configs"] == []
    assert metadata["license"] == "other"

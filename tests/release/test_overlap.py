"""Overlap: the three tests by which a text is found, and what is no evidence."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.release.overlap import COMMON, METHODS, RUN, SHORTEST, Overlap, Texts

PEARS = (
    "A farmer packs 24 crates with 6 pears each and drives them to the market in the next town, "
    "where 17 pears are stolen. How many pears are left?"
)
WORDS = st.lists(st.sampled_from("pear crate farmer 6 24 left how many are sold".split()))


def found(text: str, *texts: str) -> list[Overlap]:
    return Texts(list(enumerate(texts))).found_in(text)


@pytest.mark.parametrize(
    ("text", "method"),
    [
        (PEARS, "exact"),
        (PEARS.upper().replace(" ", "\n "), "exact"),
        (PEARS.replace("6", "\uff16"), "exact"),  # a wide digit
        (PEARS.replace("A farmer", "One farmer"), "near"),
        ("In June a lorry came. " + PEARS[:70] + " in Accra and is paid.", "ngram"),
    ],
)
def test_the_strictest_test_that_hits_is_named(text: str, method: str) -> None:
    (hit,) = found(text, "Who wrote Emma?", PEARS)
    assert (hit.item, hit.method) == (1, method)
    assert 0 < hit.score <= 1
    assert (hit.score == 1) == (method == "exact")


def test_other_numbers_in_like_words_are_another_question() -> None:
    other = "A baker fills 12 trays with 8 rolls each. How many rolls are there in the end?"
    assert found(other, PEARS) == []


def test_a_short_question_is_found_whole_and_a_shorter_one_by_itself_alone() -> None:
    eight = "What is the sum of seven and nine?"
    assert len(eight.split()) == SHORTEST
    around = f"Think first, then say it aloud, as if to a child of six. {eight} Well done, go on."
    assert [hit.method for hit in found(around, eight)] == ["ngram"]
    seven = "What is the sum of seven?"
    assert found(around.replace(eight, seven), seven) == []
    assert [hit.method for hit in found(seven.lower(), seven)] == ["exact"]


def test_the_wording_of_a_whole_set_is_no_evidence() -> None:
    stem = "which one of the following statements if true most seriously weakens the argument above"
    assert len(stem.split()) > RUN
    names = "one two three four five six seven eight nine ten eleven".split()
    rare = [f"{name} {name} people of {name}land met, {stem}" for name in names[:COMMON]]
    asked = f"the town council of a small place met in vain for the tenth time, {stem}"
    assert len(found(asked, *rare)) == COMMON
    common = [*rare, f"the eleventh people of all met, {stem}"]
    assert found(asked, *common) == []


def test_math_that_differs_in_its_signs_alone_is_near_and_not_exact() -> None:
    (hit,) = found("Compute $3 - 4$ for me now please.", "Compute $3 + 4$ for me now please.")
    assert hit.method == "near"


@given(st.lists(WORDS.map(" ".join), max_size=8), WORDS.map(" ".join))
@settings(max_examples=60, deadline=None)
def test_a_text_of_the_set_is_found_exactly_and_hits_come_from_strict_to_loose(
    texts: list[str], other: str
) -> None:
    index = Texts(list(enumerate(texts)))
    for number, text in enumerate(texts):
        hits = index.found_in(text)
        if text:
            assert number in [hit.item for hit in hits if hit.method == "exact"]
    hits = index.found_in(other)
    assert all(
        METHODS.index(one.method) <= METHODS.index(next_one.method)
        for one, next_one in pairwise(hits)
    )
    assert len({hit.item for hit in hits}) == len(hits)
    assert all(0 < hit.score <= 1 for hit in hits)


def test_nothing_is_in_nothing() -> None:
    assert Texts([]).found_in(PEARS) == []
    assert Texts([(0, "")]).found_in("") == []
    assert Texts([(0, PEARS)], runs_only=True).found_in("pears") == []

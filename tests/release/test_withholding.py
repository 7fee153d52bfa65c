"""Withholding: what is quoted is told by place alone, and every text comes back."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.release.withholding import QUOTED, SourceText, whole_row, withheld_row

PROBLEM: dict[str, Any] = {
    "question": "How many pears are left, if the farmer sells 12 of them each day?",
    "context": [{"ref": 1, "title": "Pears", "text": "The farmer has 60 pears. Straße Σ ΑΣ, İ."}],
    "options": ["None", "Twelve pears"],
    "answer": "Twelve pears",
    "solution": "60 pears and 12 a day: on day five the farmer sells the last 12 of them.",
    "aliases": ["a dozen"],
    "supporting": [{"ref": 1, "sentence": "The farmer has 60 pears."}],
}
SOURCE = SourceText(PROBLEM)
TEXTS = [
    PROBLEM["question"],
    PROBLEM["solution"],
    PROBLEM["context"][0]["text"],
    *PROBLEM["options"],
]
WORDS = sorted({word for text in TEXTS for word in text.split()})


def own_words(text: str) -> str:
    """What a withheld text shows to a reader."""
    return "\n".join(piece for piece in SOURCE.pieces(text) or [] if isinstance(piece, str))


@given(
    st.lists(
        st.sampled_from([*WORDS, *(word.upper() for word in WORDS), "so", "thus,", "\n", "梨"]),
        max_size=30,
    ).map(" ".join)
    | st.text(max_size=40)
)
@settings(max_examples=200, deadline=None)
def test_every_text_comes_back_as_it_was(text: str) -> None:
    assert SOURCE.text(SOURCE.pieces(text)) == text


@given(
    st.sampled_from([PROBLEM["question"], PROBLEM["solution"]]),
    st.integers(0, 12),
    st.integers(QUOTED, 9),
    st.booleans(),
)
def test_no_quote_of_four_words_is_shown(text: str, first: int, length: int, loud: bool) -> None:
    words = text.split()[first : first + length]
    quote = " ".join(words)
    if len(re.findall(r"\w+", quote)) < QUOTED:
        return
    shown = own_words(f"I read that {quote.upper() if loud else quote}, and go on.")
    assert not set(re.findall(r"[a-z]{3,}", quote.casefold())) & set(
        re.findall(r"\w+", shown.casefold())
    ) - {"read", "that", "and"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Twelve pears", ""),
        ("a dozen", ""),
        ("My pears are few.", "My pears are few."),
        ("", ""),
        ("THE FARMER HAS 60 pears. Few!", ". Few!"),
    ],
)
def test_a_whole_answer_is_a_quote_and_a_few_common_words_are_none(text: str, shown: str) -> None:
    assert own_words(text) == shown


def test_scripts_without_blanks_are_quoted_by_the_character() -> None:
    source = SourceText({**PROBLEM, "question": "农夫每天卖十二个梨还剩几个"})
    assert source.pieces("他说农夫每天卖十二个吗") == ["他说", [0, 8], "吗"]


def test_none_stays_none_and_a_span_beyond_the_text_is_refused() -> None:
    assert SOURCE.text(SOURCE.pieces(None)) is None
    with pytest.raises(ValueError, match="a span 0 to 9999 of a text of"):
        SOURCE.text([[0, 9999]])


def test_a_row_keeps_all_but_its_texts() -> None:
    row = {
        "chain_id": "c",
        "step": 2,
        "tier": "gold",
        "votes": [
            {"judge": "a", "label": "error", "explanation": "The farmer has 60 pears, not 6."},
            {"judge": "b", "label": None, "explanation": None},
        ],
    }
    kept = withheld_row("labels", row, 7, SOURCE)
    assert (kept["row"], kept["tier"]) == (7, "gold")
    assert kept["votes"] == [{"judge": "a", "label": "error"}, {"judge": "b", "label": None}]
    assert "farmer" not in json.dumps(kept)
    assert whole_row("labels", kept, SOURCE) == row

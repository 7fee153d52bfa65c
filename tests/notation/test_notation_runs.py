"""Stretches of arithmetic in running text, before anything is computed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.notation.numerals import blank
from chainwright.notation.runs import MAX_ASIDE, MAX_UNIT_WORDS, arithmetic_runs
from chainwright.notation.tokens import TOKEN


def masks(text: str) -> list[str]:
    return [" ".join(run.masked.split()) for run in arithmetic_runs(text, [])]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1,250.5", "number"),
        ("1 1/2", "number"),
        (".5", "number"),
        ("2,5", "odd"),
        ("16,0000", "odd"),
        ("2½", "odd"),
        ("3 ¾", "odd"),
        ("4²", "odd"),
        ("divided by", "words"),
        ("multiplied  by", "words"),
        ("baker's", "word"),
        ("x", "word"),
        ("=", "equals"),
        ("≈", "equals"),
        ("**", "power"),
        ("×", "sign"),
        ("−", "sign"),
        ("=>", "arrow"),
        ("->", "arrow"),
        ("→", "arrow"),
        ("%", "percent"),
        ("€", "currency"),
        ("π", "symbol"),
        (r"\sqrt", "symbol"),
        (r"\dfrac", "symbol"),
        ("\n ", "space"),
        ("&", "other"),
        ("\0", "other"),
        ("\ud800", "other"),
    ],
)
def test_kinds_of_tokens(text: str, kind: str) -> None:
    token = TOKEN.fullmatch(text)
    assert token is not None
    assert token.lastgroup == kind


@given(st.text())
def test_tokens_cover_any_text(text: str) -> None:
    assert "".join(token.group() for token in TOKEN.finditer(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("no number", []),
        ("3 + 4", []),
        ("3 + 4 = 7", ["3 + 4 = 7"]),
        ("6 cups + 2 cups = 8 cups", ["6 + 2 = 8"]),
        ("9 plus 3 equals 12", ["9 + 3 = 12"]),
        ("15 divided by 3 is 5", []),
        ("15 divided by 3 = 5", ["15 / 3 = 5"]),
        ("4 multiplied by 5 equals 20", ["4 * 5 = 20"]),
        ("20% of 45 = 9", ["20% * 45 = 9"]),
        ("1/3 of 12 = 4", ["1/3 * 12 = 4"]),
        ("most of 12 = 4", ["12 = 4"]),
        ("80 feet/piece * 2 = 160", ["80 * 2 = 160"]),
        ("3 (at $2 each) * 4 = 12", ["3 * 4 = 12"]),
        ("(3 + 4 = 7)", ["3 + 4 = 7"]),
        ("((3 + 4) * 2 = 14)", ["(3 + 4) * 2 = 14"]),
        ("2 * (3 + 4 = 14", []),
        ("3 + 4 = 7, 7 - 2 = 5", ["3 + 4 = 7", "7 - 2 = 5"]),
        ("3 + 4 = 7\n7 - 2 = 5", ["3 + 4 = 7", "7 - 2 = 5"]),
        ("3 + 4 = 7 = 10 - 3", ["3 + 4 = 7 = 10 - 3"]),
        ("3 + 4 = 7 -", ["3 + 4"]),
        ("3 + 4 = 7 - b", []),
        ("3 + 4 = 7 = 10 - b", ["3 + 4 = 7"]),
        ("5n + 3 = 8", []),
        ("3 + 4 = 7 5 + 5 = 10", ["3 + 4 = 7"]),
    ],
)
def test_what_a_run_keeps(text: str, expected: list[str]) -> None:
    kept = [mask for mask in masks(text) if "=" in mask]
    assert kept == [mask for mask in expected if "=" in mask]


SENTENCES = st.lists(
    st.sampled_from(
        (
            *(
                "3",
                "12",
                "4.5",
                "1,200",
                "25%",
                "$6",
                "(",
                ")",
                "+",
                "- ",
                "−2",
                "×",
                "/",
                "^",
                "=",
            ),
            *(
                "=",
                "≈",
                "equals",
                "of",
                "times",
                "x",
                "divided by",
                "cups",
                "(big)",
                "is",
                ".",
                ",",
            ),
            *("\n", "n", r"\pi", "2½", "5-year", "->", "f(2)", "\0"),
        )
    ),
    max_size=25,
).map(" ".join)


@given(SENTENCES)
def test_runs_keep_the_places_of_the_text(text: str) -> None:
    end = 0
    for run in arithmetic_runs(text, []):
        stretch = text[run.start : run.start + len(run.masked)]
        assert run.start >= end
        assert len(stretch) == len(run.masked)
        end = run.start + len(run.masked)
        assert all(run.masked[place] == "=" for place in run.equals)
        assert len(run.equals) == run.masked.count("=") > 0
        assert all(text[run.start + place].isalpha() for place in run.units)
        for digits in re.finditer(r"[\d.,%()]+", run.masked):
            assert stretch[slice(*digits.span())] == digits.group()


@given(SENTENCES, SENTENCES)
def test_hidden_text_reads_as_blanks(before: str, after: str) -> None:
    mark = "<<3*4=12>>"
    text = f"{before}{mark}{after}"
    span = (len(before), len(before) + len(mark))
    assert arithmetic_runs(text, [span]) == arithmetic_runs(blank(text, [span]), [])


def test_a_unit_has_few_words() -> None:
    unit = " ".join(["red"] * MAX_UNIT_WORDS)
    assert masks(f"3 {unit} + 4 = 7") == ["3 + 4 = 7"]
    assert masks(f"3 {unit} red + 4 = 7") == []


def test_an_aside_is_passed_over_however_long() -> None:
    aside = "hens " * MAX_ASIDE
    assert masks(f"3 ({aside}) + 4 = 7") == ["3 + 4 = 7"]

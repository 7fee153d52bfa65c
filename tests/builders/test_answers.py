from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.builders.answers import plain_number, same_number, split_answer_line


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1,875", "1875"),
        ("-3", "-3"),
        ("−3", "-3"),
        ("- $1,875.50", "-1875.50"),
        ("$-3", "-3"),
        ("+7", "7"),
        ("20 %", "20"),
        (" 18. ", "18"),
        (".5", ".5"),
        ("3/4", "3/4"),
        ("1e3", "1e3"),
        ("1,00,000", "100000"),
        ("€5", "5"),
    ],
)
def test_plain_number(text: str, plain: str) -> None:
    assert plain_number(text) == plain
    assert plain_number(plain) == plain


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "$",
        "1,2",
        "12,34",
        "1 1/2",
        "1 000",
        "18 eggs",
        "B",
        "1/0",
        "--3",
        "-$-3",
        "1.5/2",
        "1e9999",
        "9" * 1001,
        "²",
        "٣",
        "1_000",
        "0x10",
        "nan",
        "inf",
        "1.2.3",
        "3/4/5",
    ],
)
def test_no_number(text: str) -> None:
    assert plain_number(text) is None
    assert same_number(text, "1") is None
    assert same_number("1", text) is None


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("1,875", "1875.00", True),
        ("$16", "16", True),
        ("0.1", "1/10", True),
        ("0.333333", "1/3", False),
        ("20%", "20", True),
        ("20%", "0.2", None),
        ("20%", "0.3", False),
        ("20%", "21%", False),
        ("0", "-0", True),
        ("9007199254740993", "9007199254740992", False),
    ],
)
def test_same_number(first: str, second: str, same: bool | None) -> None:
    assert same_number(first, second) is same
    assert same_number(second, first) is same


@given(
    st.integers(-(10**12), 10**12), st.integers(0, 4), st.sampled_from(["{}", "${}", " {} ", "{}."])
)
def test_the_way_of_writing_makes_no_other_number(whole: int, places: int, form: str) -> None:
    text = form.format(f"{whole:,}" + ("." + "0" * places if places else ""))
    if text.endswith("..") or (places == 0 and text.endswith(".") and form != "{}."):
        return
    assert same_number(text, str(whole)) is True
    assert same_number(text, str(whole + 1)) is False
    plain = plain_number(text)
    assert plain is not None
    assert Fraction(plain) == whole


@given(st.text(max_size=30))
def test_any_text_is_a_number_or_none(text: str) -> None:
    plain = plain_number(text)
    assert plain is None or plain_number(plain) == plain
    assert same_number(text, text) is (None if plain is None else True)


@pytest.mark.parametrize(
    ("solution", "steps", "answer"),
    [
        ("one\n\n two \r\n#### 1,875\n", ["one", "two"], "1,875"),
        ("one\nA: -1.8 billion", ["one"], "-1.8 billion"),
        ("one\nA:", ["one"], None),
        ("one\ntwo", ["one", "two"], None),
        ("A: 3\none", ["A: 3", "one"], None),
        ("one #### 3", ["one #### 3"], None),
        ("one\u2028two\x0bthree\n#### 3", ["one\u2028two\x0bthree"], "3"),
        ("#### 3", [], "3"),
        (" \n ", [], None),
    ],
)
def test_split_answer_line(solution: str, steps: list[str], answer: str | None) -> None:
    assert split_answer_line(solution) == (steps, answer)

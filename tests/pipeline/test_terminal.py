import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.pipeline.screens.terminal import console, one_line, show, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, ünïcode, 数学, 👩‍🔬", "plain, ünïcode, 数学, 👩‍🔬"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("windows\r\nline", "windows\nline"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x9b31m", r"\x9b31m"),
        ("over\rwritten", r"over\x0dwritten"),
        ("abc\u202edef", r"abc\u202edef"),
        ("\u2066hidden\u2069", r"\u2066hidden\u2069"),
        ("\U000e0041tag", r"\U000e0041tag"),
        ("\udc80", r"\udc80"),
        ("\x00\x7f", r"\x00\x7f"),
    ],
)
def test_what_could_steer_a_terminal_is_spelled_out(text: str, expected: str) -> None:
    assert visible(text) == expected


@given(st.text())
def test_visible_text_steers_nothing(text: str) -> None:
    shown = visible(text)
    assert not set(shown) & {chr(code) for code in [*range(9), *range(11, 32), *range(127, 160)]}
    assert visible(shown) == shown


@given(st.text(), st.integers(1, 30))
def test_one_line_is_one_line_of_bounded_length(text: str, width: int) -> None:
    line = one_line(text, width)
    assert "\n" not in line
    assert len(line) <= width


def test_a_console_takes_markup_and_emoji_codes_as_they_are() -> None:
    file = io.StringIO()
    console(file).print("[bold]not bold[/bold] :smile: [link=x]y[/]")
    assert file.getvalue() == "[bold]not bold[/bold] :smile: [link=x]y[/]\n"


class Result:
    def as_json(self) -> dict[str, object]:
        return {"text": "\x1b[31m é", "number": 1.5, "nothing": None}


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    show(Result(), lambda result, screen: screen.print("drawn"), as_json=True)
    out = capsys.readouterr().out
    assert json.loads(out) == Result().as_json()
    assert "\x1b" not in out


def test_without_json_the_result_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    show(Result(), lambda result, screen: screen.print("drawn"), as_json=False)
    assert capsys.readouterr().out == "drawn\n"

"""Markdown: text of unknown origin shows as it is, wherever it stands."""

from __future__ import annotations

import html
import re

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markupsafe import Markup

from chainwright.release.markdown import cell, code, literal, one_line

hostile = st.text(
    st.sampled_from(list("ab1 |`*_[]()<>#~!&;:/\\$@=+-.\n\r\t{}\"'")) | st.characters(), max_size=30
)
render = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render


def shown(text: str) -> str:
    return " ".join(html.unescape(text).split())


@given(hostile)
@example("x\n---\nlicense: mit")
@example("1. one")
@example("![a](http://b)")
def test_a_paragraph_of_literal_text_is_that_text(text: str) -> None:
    line = one_line(text)
    expected = f"<p>{line}</p>" if line else ""
    assert shown(render(literal(text))) == expected


@given(hostile, st.sampled_from([literal, code, cell]))
@example("a|b", code)
@example("a`|b", code)
def test_a_table_cell_holds_it_whole(text: str, made: type[Markup]) -> None:
    rendered = render(f"| a | b |\n| --- | --- |\n| {made(text)} | end |\n")
    cells = re.findall(r"<td>(.*?)</td>", rendered, re.DOTALL)
    bare = [re.sub(r"^<code>(.*)</code>$", r"\1", one) for one in cells]
    assert [shown(one) for one in bare] == [one_line(text), "end"]


def test_names_are_code_and_anything_odd_is_literal() -> None:
    assert code("program:arithmetic") == "`program:arithmetic`"
    assert code("a`b") == "a\\`b"


def test_numbers_and_nothing_have_a_form_of_their_own() -> None:
    assert [cell(value) for value in (1234567, 0, 0.5, None, True)] == [
        "1,234,567",
        "0",
        "0.500",
        "",
        "True",
    ]

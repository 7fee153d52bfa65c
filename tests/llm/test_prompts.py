from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from chainwright.llm import prompts
from chainwright.llm.prompts import fence, prompt_names, prompt_version, render


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(prompts, "FOLDER", tmp_path)
    _forget()
    return tmp_path


def _forget() -> None:
    for cached in (prompts._environment, prompts._source, prompts._with_includes):
        cached.cache_clear()


@pytest.fixture(autouse=True)
def _as_before() -> None:
    _forget()


def test_values_are_no_templates_and_are_not_escaped(folder: Path) -> None:
    (folder / "one.j2").write_text("{{ name }}: {{ text | fence }}\n")
    asked = render("one", name="<a & b>", text="{{ name }} {% raw %}")
    assert asked == "<a & b>: ```\n{{ name }} {% raw %}\n```"


def test_a_missing_value_is_an_error(folder: Path) -> None:
    for template in ("{{ text }}", "{{ text | fence }}", "{% if text %}a{% endif %}"):
        (folder / "one.j2").write_text(template)
        _forget()
        with pytest.raises(UndefinedError, match="'text' is undefined"):
            render("one")


@pytest.mark.parametrize("name", ["two", "../one", "one.j2", ""])
def test_an_unknown_prompt_lists_the_known(folder: Path, name: str) -> None:
    (folder / "one.j2").write_text("")
    for use in (render, prompt_version):
        with pytest.raises(ValueError, match="expected one of one"):
            use(name)


def test_version_follows_the_text_and_what_it_includes(folder: Path) -> None:
    def version(**texts: str) -> str:
        for name, text in texts.items():
            (folder / f"{name}.j2").write_text(text)
        _forget()
        return prompt_version("outer")

    first = version(outer='{% include "inner.j2" %}', inner="a", other="x")
    assert len(first) == 12
    assert version(other="y") == first
    assert version(inner="b") != first
    assert version(inner="a") == first
    assert version(outer='{% include "inner.j2" %}!') != first


def test_a_computed_include_has_no_version(folder: Path) -> None:
    (folder / "one.j2").write_text("{% include name %}")
    with pytest.raises(ValueError, match="by a computed name"):
        prompt_version("one")


def test_all_our_prompts_are_well_formed() -> None:
    assert "reask" in prompt_names()
    assert len({prompt_version(name) for name in prompt_names()}) == len(prompt_names())


@given(st.text("`ab\n", max_size=30))
def test_no_text_can_close_its_fence(text: str) -> None:
    first, *inside, last = fence(text).split("\n")
    assert first == last
    assert set(first) == {"`"}
    assert "\n".join(inside) == text
    assert first not in text


def test_the_same_text_gets_the_same_fence() -> None:
    assert fence("a") == fence("a") == "```\na\n```"
    assert fence("````") == "`````\n````\n`````"

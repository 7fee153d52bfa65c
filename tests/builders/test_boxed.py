import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.builders.boxed import UnclosedBoxError, group_end, has_box, last_box


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (r"so $\boxed{5}$.", "5"),
        (r"\boxed{\frac{1}{2}} or \boxed{\frac{\sqrt{3}}{2}}.", r"\frac{\sqrt{3}}{2}"),
        (r"\fbox{3} and \framebox{4}", "4"),
        (r"\boxed {5}", "5"),
        (r"$\boxed 5$ is", "5"),
        (r"$\boxed5$", "5"),
        (r"\boxed 5.", "5"),
        (r"\boxed\frac{1}{2}$", r"\frac{1}{2}"),
        (r"\boxed{x = \boxed{5}}", "x = 5"),
        (r"\boxed{\boxed{3}, \boxed{4}}", "3, 4"),
        (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
        (r"\boxed{90\text{ square" + "\n" + r"units}}", "90\\text{ square\nunits}"),
        (r"\boxed{5} then \boxed{}", "5"),
        (r"\boxed{ }", None),
        ("no box", None),
        (r"\boxedly{5}", None),
    ],
)
def test_last_box(text: str, content: str | None) -> None:
    assert last_box(text) == content


@pytest.mark.parametrize("text", [r"\boxed{5", r"\boxed{1} and \boxed{\frac{1}{2}", r"\boxed{\}"])
def test_a_box_without_end(text: str) -> None:
    assert has_box(text)
    with pytest.raises(UnclosedBoxError, match="no closing brace"):
        last_box(text)


CONTENTS = st.recursive(
    st.text("ab1 $\n", min_size=1).filter(str.strip),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(
        lambda parts: "".join(rf"\frac{{{part}}}{{2}}" for part in parts)
    ),
    max_leaves=8,
)


@given(CONTENTS, CONTENTS)
def test_a_box_gives_back_what_was_put_in(first: str, second: str) -> None:
    assert last_box(rf"x \boxed{{{first}}} y $\boxed{{{second}}}$ z") == second.strip()
    assert last_box(rf"\boxed{{\boxed{{{first}}}}}") == first.strip()


@given(st.text(r"{}\a"))
def test_group_end_encloses_as_many_as_it_opens(text: str) -> None:
    end = group_end("{" + text, 0)
    inside = ("{" + text)[1:end] if end is not None else ""
    plain = inside.replace("\\\\", "").replace(r"\{", "").replace(r"\}", "")
    assert end is None or plain.count("{") == plain.count("}")

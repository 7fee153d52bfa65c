r"""Free text split into steps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.builders.splitter import split_steps

ALIGN = "\\begin{align*}\nx &= 2\\\\\n\n&= 3\n\\end{align*}"
CODE = "```python\nprint(1)\n\n2. print(2)\n```"


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("", []),
        (" \n\n ", []),
        ("Step 1: add.\nStep 2: halve.", ["Step 1: add.", "Step 2: halve."]),
        ("**Step 1:** add.\n\n**Step 2:** halve.", ["**Step 1:** add.", "**Step 2:** halve."]),
        ("## Step 1\nAdd.\n## Step 2\nHalve.", ["## Step 1\nAdd.", "## Step 2\nHalve."]),
        ("Step 1: add.\n\nThe sum is 4.", ["Step 1: add.\n\nThe sum is 4."]),
        ("First:\nStep 1: add.\nStep 2: halve.", ["First:\nStep 1: add.", "Step 2: halve."]),
        (
            "Step 1: see step 4.\nStep 4 is last.\nStep 2: go.",
            ["Step 1: see step 4.\nStep 4 is last.", "Step 2: go."],
        ),
        ("1. Add.\n2. Halve.\n3) Done.", ["1. Add.", "2. Halve.", "3) Done."]),
        ("(1) Add.\n(2) Halve.", ["(1) Add.", "(2) Halve."]),
        ("1. Only one item.", ["1. Only one item."]),
        ("# Sum\n2 + 2 = 4\n# Half\n4 / 2 = 2", ["# Sum\n2 + 2 = 4", "# Half\n4 / 2 = 2"]),
        ("**Sum**\n2 + 2\n**Half**\n4 / 2", ["**Sum**\n2 + 2", "**Half**\n4 / 2"]),
        ("Add them.\n\nHalve them.", ["Add them.", "Halve them."]),
        (
            "The sum is:\n\n\\[ 2 + 2 \\]\n\nHalve it.",
            ["The sum is:\n\n\\[ 2 + 2 \\]", "Halve it."],
        ),
        ("We get\n\n$$2 + 2$$\n\nand so 4.", ["We get\n\n$$2 + 2$$", "and so 4."]),
        (f"Solve.\n\n{ALIGN}\n\nSo 3.", [f"Solve.\n\n{ALIGN}", "So 3."]),
        (f"Run this.\n\n{CODE}\n\nDone.", [f"Run this.\n\n{CODE}", "Done."]),
        ("2 + 2 = 4\n4 / 2 = 2\n#### 2", ["2 + 2 = 4", "4 / 2 = 2"]),
        ("2 + 2 = 4\n4 / 2 = 2\nA: 2", ["2 + 2 = 4", "4 / 2 = 2"]),
        ("2 + 2 = 4\n= 8 / 2\nSo 4.", ["2 + 2 = 4\n= 8 / 2", "So 4."]),
        ("We add. Then we halve.", ["We add.", "Then we halve."]),
        ("Mr. Ito has $2.50. He pays.", ["Mr. Ito has $2.50.", "He pays."]),
        ("Let $f(x) = 2. A = 3$ hold. So 5.", ["Let $f(x) = 2. A = 3$ hold.", "So 5."]),
        ("Step 1: a\r\nStep 2: b", ["Step 1: a", "Step 2: b"]),
    ],
)
def test_the_plainest_marking_decides(text: str, steps: list[str]) -> None:
    assert split_steps(text) == steps


@given(st.text(alphabet=st.sampled_from("ab1. \n#*$\\[](){}:=Step2`"), max_size=300))
def test_nothing_but_blanks_and_answer_lines_is_lost(text: str) -> None:
    steps = split_steps(text)
    kept = "".join("".join(steps).split())

    assert "".join(text.split()).startswith(kept)
    assert all(step == step.strip() and step for step in steps)


@given(st.lists(st.from_regex(r"\A[a-z][a-z 0-9+=]{0,30}[a-z.]\Z"), min_size=2, max_size=8))
def test_numbered_steps_come_back_as_they_were(bodies: list[str]) -> None:
    steps = [f"Step {number}: {body}" for number, body in enumerate(bodies, start=1)]

    assert split_steps("\n".join(steps)) == steps
    assert split_steps("\n\n".join(steps)) == steps


def test_long_hostile_text_is_read_in_one_go() -> None:
    assert split_steps("$" * 20_000)
    assert split_steps("\\[" * 10_000)
    assert split_steps("1. a\n" * 5_000)
    assert len(split_steps("\n\n".join("Line." for _ in range(1_000)))) <= 200

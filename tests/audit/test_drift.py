"""Drift: each layer on texts that differ by it alone, and texts that say something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.audit.drift import LAYERS, bare, drift


@pytest.mark.parametrize(
    ("original", "copy", "layer"),
    [
        ("a b", "a b", None),
        ("a  b\nc", "a b c", "white_space"),
        ("Step 2: x = 1", "x = 1", "prefix"),
        ("**Step 2:** x = 1", "Step 3: x = 1", "prefix"),
        ("How many?", "Problem: How many?", "prefix"),
        ("it\u2019s 5 \u2212 2", "it's 5 - 2", "unicode"),
        ("zero\u200bwidth", "zerowidth", "unicode"),
        ("a\nb \\frac{1}{2}", "a\\n\\nb \\\\frac{1}{2}", "escapes"),
        ("$x \\neq 2$", "$x\n\\neq 2$", "white_space"),
        ("so $x$ is 2", "so \\( x \\) is 2", "latex"),
        ("$\\pi$ and $0 \\leq n$", "π and 0 ≤ n", "latex"),
        ("$\\dfrac{11}{5}$", "11/5", "latex"),
        ("x \\equiv 2 \\pmod{47}", "x ≡ 2 (mod 47)", "latex"),
        ("**Total:** it is 5.", "total: It is 5", "punctuation"),
        ("She pays 3 + 4 = 7 coins. So 7.", "She pays 3 + 4 = 7 coins.", "part"),
        ("She eats four eggs a day", "She eats five eggs a day", "words"),
        ("She eats 4 eggs a day", "She eats 5 eggs a day", "numbers"),
        ("She eats 1.5 eggs", "She eats 15 eggs", "numbers"),
        ("She eats eggs", "{question}", "placeholder"),
    ],
)
def test_layers(original: str, copy: str, layer: str | None) -> None:
    assert drift(original, copy) == layer


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_have_a_layer(left: str, right: str) -> None:
    layer = drift(left, right)
    assert (layer is None) == (left == right)
    assert layer is None or layer in LAYERS


@given(st.text(alphabet="ab 12\n.", min_size=1, max_size=40))
def test_white_space_and_prefix_are_no_difference_to_duplicates(text: str) -> None:
    assert bare(f"Step 4:  {text}\n") == bare(text)

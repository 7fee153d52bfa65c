"""LaTeX and Markdown written plainly."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.notation.equations import find_equations
from chainwright.notation.latex import plain


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", ""),
        ("3 + 4 = 7", "3 + 4 = 7"),
        (r"3 \times 4 \cdot 5 \div 6", "3 * 4 * 5 / 6"),
        (r"\timestamp \divide", r"\timestamp \divide"),
        (r"x \approx 3", "x ≈ 3"),
        (r"\frac{1}{3}", "((1)/(3))"),
        (r"\dfrac {12} {5}", "((12)/(5))"),
        (r"\frac12", "((1)/(2))"),
        (r"\tfrac 3 4", "((3)/(4))"),
        (r"\frac{1+\frac{1}{2}}{3}", "((1+((1)/(2)))/(3))"),
        (r"1\frac{1}{2}", "1 1/2"),
        (r"$12 \frac{3}{4}$", "$12 3/4$"),
        (r"\boxed{15\frac{39}{40}}", " 15 39/40 "),
        (r"2x\frac{1}{2}", "2x((1)/(2))"),
        (r"x^2\frac{1}{2}", "x^2((1)/(2))"),
        (r"1.5\frac{1}{2}", "1.5((1)/(2))"),
        (r"\left(3 + 4\right)", "(3 + 4)"),
        (r"\leftarrow", r"\leftarrow"),
        (r"5\,\text{cm}", "5  cm "),
        (r"5\,cm", "5 cm"),
        (r"26{,}235 and 40,\!000", "26,235 and 40,000"),
        (r"\$5 + \$6", "$5 + $6"),
        (r"30\%", "30%"),
        (r"\(3\) and \[4\] and $$5$$", " 3  and  4  and  5 "),
        (r"\boxed{\text{12 eggs}}", "  12 eggs  "),
        ("a &= 3 \\\\\n  &= 4", "a = 3  = 4"),
        ("a = 3\n   = 4", "a = 3 = 4"),
        ("a = 3\n\n\n= 4", "a = 3 = 4"),
        ("a\nb", "a\nb"),
        (r"5 \Rightarrow 6 \implies 7 \to 8", "5 ⇒ 6 ⇒ 7 ⇒ 8"),
        ("**3 + 4** = 7", "3 + 4 = 7"),
        ("2**3 = 8", "2**3 = 8"),
        (r"\sqrt{16}", r"\sqrt{16}"),
    ],
)
def test_written_plainly(text: str, written: str) -> None:
    assert plain(text) == written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\(\frac{1}{3} \times 18 = 6\)", [("((1)/(3)) * 18", "6", True)]),
        (r"\[ \frac{45}{9} = 5 \text{ jars} \]", [("((45)/(9))", "5", True)]),
        (r"$7 \cdot 8 = 54$ tiles", [("7 * 8", "54", False)]),
        (r"$$12 \div 4 = \boxed{3}.$$", [("12 / 4", "3", True)]),
        (r"\$15 + \$27 = \$42", [("15 + $27", "42", True)]),
        (r"\$1{,}500 \times 3 = \$4{,}500", [("1,500 * 3", "4,500", True)]),
        (r"$9 \cdot 4{,}000 = 36,\!000$", [("9 * 4,000", "36,000", True)]),
        (r"$1\frac{1}{2} + 2\frac{1}{4} = 3\frac{3}{4}$", [("1 1/2 + 2 1/4", "3 3/4", True)]),
        (r"$20\% \times 45 = 9$", [("20% * 45", "9", True)]),
        (r"$\frac{22}{7} \approx 3.14$", [("((22)/(7))", "3.14", True)]),
        (r"$\left(2 + 3\right) \times 4 = 20$", [("(2 + 3) * 4", "20", True)]),
        (r"$\left(\frac12\right)^3 = \frac18$", [("(((1)/(2)))^3", "((1)/(8))", True)]),
        (
            "\\begin{align*}\n3 \\times 5 &= 15 \\\\\n&= 10 + 5\n\\end{align*}",
            [("3 * 5", "15", True), ("15", "10 + 5", True)],
        ),
        (r"$8 + 5 = 13 \implies 13 - 4 = 9$", [("8 + 5", "13", True), ("13 - 4", "9", True)]),
        (r"$f(2) = 2^2 + 1 = 5$", [("2^2 + 1", "5", True)]),
        (r"$\frac12 (6)(4) = 12$", [("((1)/(2)) (6)(4)", "12", True)]),
        (r"$\pi (3^2)(5) = 45\pi$", []),
        (r"$3^2 \cdot 2 = 18\pi$", []),
        (r"$\sqrt{16} + 2 = 6$", []),
        (r"$2 \cdot 4 + \sqrt{9} = 11$", []),
        (r"$\binom{8}{4}(3) = 210$", []),
        (r"$\frac{2x}{3} + 4 = 10$", []),
        (r"$90^\circ - 30^\circ = 60^\circ$", []),
        (r"$0.\overline{3} + 1 = 4/3$", []),
    ],
)
def test_equations_of_latex(text: str, expected: list[tuple[str, str, bool]]) -> None:
    found = find_equations(plain(text))
    assert [(e.left.text, e.right.text, e.holds) for e in found] == expected


PIECES = (
    *(r"\frac", "{", "}", "1", "12", r"\text", r"\boxed", r"\left", r"\right", "(", ")", " ", "\n"),
    *("=", "&", r"\\", "\\", "$", "$$", "**", "+", r"\times", ",", r"\!", "x", "\0", "\ud800"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_no_digit_is_lost_or_added(text: str) -> None:
    assert re.findall(r"\d", plain(text)) == re.findall(r"\d", text)


@given(st.text(st.characters(exclude_characters="\\{*=\n")))
def test_text_without_markup_is_left_alone(text: str) -> None:
    assert plain(text) == text

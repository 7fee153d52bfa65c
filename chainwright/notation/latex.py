"""LaTeX arithmetic brought into the plain notation that the rest of the package reads."""

import re

_PLAIN = (
    (r"\\(?:times|cdot|ast)(?![A-Za-z])", "*"),
    (r"\\div(?![A-Za-z])", "/"),
    (r"\\approx(?![A-Za-z])", "≈"),
    (r"\\(?:implies|[Ll]ongrightarrow|[Rr]ightarrow|to)(?![A-Za-z])", "⇒"),
    (r"\\(?:left|right)(?![A-Za-z])", ""),
    (r"\\(?:(?:displaystyle|quad|qquad)(?![A-Za-z])|[,;!:])", " "),
    (r"\\([$%#&_{}])", r"\1"),
    (r"\\[()\[\]]|\$\$", " "),
    (r"&(?==)", ""),
    (r"(?:\\\\|(?<!\s))[^\S\n]*\n\s*(?==)", " "),
)
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_SHORT_FRACTION = re.compile(r"\\([dt]?)frac\s*(\d)\s*(\d)")
_MIXED = re.compile(r"(?<![\w.,^}])(\d+)\s*\\[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}")
"""A fraction behind a whole number is added to it: `1\\frac{1}{2}` is 1 1/2."""
_WRAPPED = re.compile(r"\\(?:text|mathrm|mathbf|textbf|boxed|mbox)\s*\{([^{}]*)\}")
_GROUPED = re.compile(r"(?<=\d)(?:\{,\}|,\\!)(?=\d{3})")
_EMPHASIS = re.compile(r"\*\*([^*\n]+)\*\*")
_CONTINUED = re.compile(r"(?<!\s)[^\S\n]*\n\s*(?==)")
"""A line that starts with `=` goes on with the line before."""
_MOST_NESTING = 8


def plain(text: str) -> str:
    r"""The text with LaTeX arithmetic and Markdown emphasis written plainly.

    `\(\frac{1}{3} \times 18 = 6\)` becomes `((1)/(3)) * 18 = 6` up to blanks. What is not
    arithmetic is left as it stands.
    """
    if "**" in text:
        text = _EMPHASIS.sub(r"\1", text)
    if "\\" not in text and "{" not in text:
        return _CONTINUED.sub(" ", text)
    text = _GROUPED.sub(",", text)
    text = _SHORT_FRACTION.sub(r"\\frac{\2}{\3}", text)
    text = _MIXED.sub(r"\1 \2/\3", text)
    for _ in range(_MOST_NESTING):
        inner = _WRAPPED.sub(r" \1 ", _FRACTION.sub(r"((\1)/(\2))", text))
        if inner == text:
            break
        text = inner
    for pattern, sign in _PLAIN:
        text = re.sub(pattern, sign, text)
    return text

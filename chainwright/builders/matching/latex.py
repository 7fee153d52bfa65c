r"""LaTeX for the algebra workers: an answer brought into the form that their parser reads rightly.

That parser is generous: `3 apples` is a product of six letters to it, `2 3` is five, and a prime
is dropped. So only what is known to be read as it is meant gets through.
"""

import re

from chainwright.builders.boxed import group_end

MAX_LENGTH = 400
"""Longer expressions are not compared."""
MAX_DIGITS = 60
"""Longer numbers within an expression aren't either; alone they are read as numbers."""
MAX_NESTING = 25
MAX_TOWER = 2
"""Powers of powers of powers are out: `9^{9^9}` alone keeps a machine busy for hours."""

_FUNCTIONS = (
    "arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh coth sin cos tan cot sec csc "
    "log ln exp"
).split()
_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi rho "
    "sigma tau phi varphi chi psi omega Delta Omega Phi Psi Sigma Theta Lambda"
).split()
_COMMANDS = frozenset(
    (
        *_FUNCTIONS,
        *_GREEK,
        *"frac sqrt binom cdot times div pi infty lfloor rfloor lceil rceil".split(),
    )
)
_WORD = re.compile(r"\\?[A-Za-z]+")
_SIGNS = (
    (re.compile(r"\*\*"), "^"),
    (re.compile(r"(?<=[0-9])\s*×\s*|\s*[×·∙⋅]\s*"), r" \\cdot "),
    (re.compile(r"÷"), "/"),
    (re.compile(r"\*"), r" \\cdot "),
    (re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*°"), r"(\1 \\cdot \\pi / 180)"),
    (re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))"), ""),
    (re.compile(r"\\(?=%)"), ""),
)
_MIXED = re.compile(r"(?<![0-9.^_}])([0-9]+)\s*\\frac\{([0-9]+)\}\{([0-9]+)\}")
_FORBIDDEN = re.compile(
    r"[^-+*/^_(){}\[\]|!.0-9A-Za-z\\\s]|[0-9]\s+[0-9]|\.[0-9]*\.|\\\\|\\[^A-Za-z]|[0-9]\.(?![0-9])"
    r"|(?<![A-Za-z\\])[fgh]\(|(?<![A-Za-z\\])I(?![A-Za-z])|!\s*!|[0-9][eE][-+]?[0-9]"
    rf"|[0-9]{{{MAX_DIGITS + 1}}}"
)
_RANGE = re.compile(r"[0-9.]+\s*-\s*[0-9.]+")
"""A score or a range more often than a difference that was left standing."""
_ROOT_OF_NUMBER = re.compile(r"\\sqrt\s*([0-9]+(?:\.[0-9]+)?)")
_POWER_IN_BRACKETS = re.compile(r"\^\s*\(")
_ROOT_IN_BRACKETS = re.compile(r"\\sqrt\s*\(")
_SIGNED_POWER = re.compile(r"\^\s*(-?(?:[0-9]+|[A-Za-z]))(?![0-9.])")


def as_latex(text: str) -> str | None:
    r"""The bare text as LaTeX: `10 + 4sqrt(37)` is `10 + 4\sqrt{37}`, `cot x` is `\cot x`.

    Returns:
        None where it isn't plainly one expression: words, several answers, equations, relations,
        letters in both cases (the parser folds them), brackets that don't match, and whatever is
        longer, deeper or higher than the limits of this module.
    """
    if len(text) > MAX_LENGTH or not text or _RANGE.fullmatch(text):
        return None
    for pattern, written in _SIGNS:
        text = pattern.sub(written, text)
    spelled = _spelled(text)
    if spelled is None or not _balanced(spelled):
        return None
    spelled = _ROOT_OF_NUMBER.sub(r"\\sqrt{\1}", spelled)
    text = _curly(_curly(spelled, _ROOT_IN_BRACKETS, r"\sqrt"), _POWER_IN_BRACKETS, "^")
    text = _SIGNED_POWER.sub(r"^{\1}", _MIXED.sub(r"(\1+\\frac{\2}{\3})", text))
    if _FORBIDDEN.search(text) or _tower(text) > MAX_TOWER or not _letters_differ(text):
        return None
    return " ".join(text.split())


def _spelled(text: str) -> str | None:
    """With functions, Greek letters and roots as commands; None where a word is left over."""
    operators = re.search(r"[-+*/^=()0-9\\_]", text) is not None
    parts: list[str] = []
    at = 0
    for found in _WORD.finditer(text):
        word = found.group()
        parts.append(text[at : found.start()])
        at = found.end()
        name = word.removeprefix("\\")
        if word.startswith("\\"):
            if name not in _COMMANDS:
                return None
            parts.append(word)
        elif name in ("sqrt", "pi", "infty", *_FUNCTIONS, *_GREEK):
            parts.append(f"\\{name} " if name != "sqrt" else "\\sqrt")
        elif name in ("inf", "infinity", "oo"):
            parts.append("\\infty ")
        elif len(name) == 1 or (len(name) <= 3 and operators and name.islower()):
            parts.append(word)
        else:
            return None
    return "".join(parts) + text[at:]


def _balanced(text: str) -> bool:
    """Whether all brackets match and aren't nested too deep; bars come in pairs."""
    closing = {"(": ")", "[": "]", "{": "}"}
    open_now: list[str] = []
    for char in text:
        if char in closing:
            open_now.append(closing[char])
            if len(open_now) > MAX_NESTING:
                return False
        elif char in ")]}" and (not open_now or open_now.pop() != char):
            return False
    return not open_now and text.count("|") % 2 == 0


def _curly(text: str, opening: re.Pattern[str], written: str) -> str:
    r"""`^(…)` and `\sqrt(…)` with curly brackets."""
    at = 0
    while found := opening.search(text, at):
        start = found.end() - 1
        depth = 0
        for place in range(start, len(text)):
            depth += {"(": 1, ")": -1}.get(text[place], 0)
            if depth == 0:
                inner = text[start + 1 : place]
                text = f"{text[: found.start()]}{written}{{{inner}}}{text[place + 1 :]}"
                break
        at = found.start() + len(written) + 1
    return text


def _tower(text: str) -> int:
    """How many powers stand on one another."""
    highest = 0
    for found in re.finditer(r"\^\s*(?=\{)", text):
        end = group_end(text, found.end())
        inner = text[found.end() + 1 : end] if end is not None else ""
        highest = max(highest, 1 + inner.count("^"))
    return max(highest, int("^" in text))


def _letters_differ(text: str) -> bool:
    """Whether no letter stands in both cases: the parser takes `R` and `r` for the same."""
    letters = set(re.sub(r"\\[A-Za-z]+", " ", text))
    return not any(letter.isupper() and letter.lower() in letters for letter in letters)

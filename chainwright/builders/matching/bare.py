r"""Bare answers: an answer without what only dresses it.

`The answer is $\boxed{\dfrac12}$.` and `\frac{1}{2}` come to the same bare text. Numbers, units
and words stay as they stand.
"""

import re
from functools import lru_cache

from chainwright.builders.boxed import UnclosedBoxError, group_end, has_box, last_box

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("−–\u2012\ufe63\uff0d", "-"),
        **dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009", " "),
        **dict.fromkeys("\u200a\u202f\u205f\u3000", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
        **dict.fromkeys("‘’\u02bc\u2032", "'"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("\u2044\u2215", "/"),
        "≤": r" \le ",
        "≥": r" \ge ",
        "≠": r" \ne ",
        "≈": r" \approx ",
        "\N{UNION}": r" \cup ",
        "∈": r" \in ",
        "±": r"\pm ",
        "∞": r"\infty ",
        "π": r"\pi ",
        "θ": r"\theta ",
        "½": " 1/2",
        "⅓": " 1/3",
        "⅔": " 2/3",
        "¼": " 1/4",
        "¾": " 3/4",
        "⅕": " 1/5",
        "⅖": " 2/5",
        "⅗": " 3/5",
        "⅘": " 4/5",
        "⅙": " 1/6",
        "⅚": " 5/6",
        "⅛": " 1/8",
        "⅜": " 3/8",
        "⅝": " 5/8",
        "⅞": " 7/8",
        "²": "^{2}",
        "³": "^{3}",
        "⁴": "^{4}",
        "√": r"\sqrt ",
        **{chr(0xFF01 + place): chr(0x21 + place) for place in range(94) if place != 12},
    }
)
_LATEX: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), written)
    for pattern, written in (
        (r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])\.?", ""),
        (r"\\(?:displaystyle|textstyle|limits|hspace\{[^{}]*\}|mathstrut)(?![A-Za-z])", ""),
        (r"\\!|\{,\}(?=[0-9]{3})", ""),
        (r"(?<=[0-9])(?:\\[,;:]|~)(?=[0-9]{3})", " "),
        (r"(?<!\\)\\[,;:> ]|\\q?quad(?![A-Za-z])|~", " "),
        (r"\\[dtc]?frac(?![A-Za-z])\s*", r"\\frac"),
        (r"\\[dt]?binom(?![A-Za-z])\s*", r"\\binom"),
        (r"\^?\s*\{?\s*\\(?:circ|degree)(?![A-Za-z])\s*\}?", "°"),
        (r"°\s+(?=[CF]\b)", "°"),
        (r"\\(?:lbrace)(?![A-Za-z])", r"\\{"),
        (r"\\(?:rbrace)(?![A-Za-z])", r"\\}"),
        (r"\\leq?(?:slant)?(?![A-Za-z])", r"\\le "),
        (r"\\geq?(?:slant)?(?![A-Za-z])", r"\\ge "),
        (r"\\neq?(?![A-Za-z])", r"\\ne "),
        (r"\\lt(?![A-Za-z])", "<"),
        (r"\\gt(?![A-Za-z])", ">"),
        (r"\\(?:euro|texteuro)(?![A-Za-z])", "€"),
        (r"\\pounds(?![A-Za-z])", "£"),
        (r"\\([%#&_])", r"\1"),
        (r"<=|=<", r"\\le "),
        (r">=", r"\\ge "),
        (r"(?<![0-9!])!=", r"\\ne "),
        (r"\*\*([^*]+)\*\*", r"\1"),
        (r"(?<!\w)__([^_]+)__(?!\w)", r"\1"),
        (r"`+", ""),
    )
)
_WORDS = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|mathrm|mathbf|mathsf|mathit|mbox|hbox|operatorname\*?)"
    r"\s*(?=\{)"
)
_INLINE = re.compile(r"(?<![\\$])\$(?!\s)([^$\n]+?)(?<![\s\\])\$(?![0-9$])")
_LEAD = re.compile(
    r"(?:(?:so|thus|therefore|hence|finally|and)\b[,:]?\s+)?"
    r"(?:(?:the|my|our)\s+)?(?:(?:final|correct|right|best|required|desired|total)\s+)*"
    r"(?:answer|result|solution|choice)(?:\s+(?:to|of|for)\s+(?:the|this)\s+\w+)?"
    r"\s*(?:is|are|=|:|would be|will be|must be|\\approx)+\s*:?\s*",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:####|=(?!=)|\\approx|\\therefore|"
    r"(?:about|approximately|approx\.?|roughly|around|exactly|only|just|equals)(?=\s)|"
    r"(?:a\s+)?total\s+of(?=\s))\s*",
    re.IGNORECASE,
)
_BLANK_POWER = re.compile(r"(?<=\S)\s+\^")
_MOST_LEADS = 4
_DRESSED = re.compile(r"[\\{*_`=°]")


@lru_cache(maxsize=4096)
def bare(text: str) -> str:
    r"""The answer alone: without box, delimiters, phrases around it and spacing commands.

    Fractions and roots get all their braces (`\frac12` becomes `\frac{1}{2}`). Text within
    `\text{…}` stays. Empty where nothing but dress was there, or where a box isn't closed.
    """
    if has_box(text):
        try:
            text = last_box(text) or ""
        except UnclosedBoxError:
            return ""
    text = _plain_dollars(text.translate(_SIGNS))
    if _DRESSED.search(text):
        for pattern, written in _LATEX:
            text = pattern.sub(written, text)
        text = _BLANK_POWER.sub("^", _braced(_unworded(text)))
    text = " ".join(text.split())
    for _ in range(_MOST_LEADS):
        shorter = _without_lead(_trimmed(text))
        if shorter == text:
            break
        text = shorter
    return text


def _without_lead(text: str) -> str:
    for lead in (_LEAD, _OPENING):
        if (found := lead.match(text)) and found.end() < len(text):
            text = text[found.end() :]
    return text


def _trimmed(text: str) -> str:
    text = text.strip()
    if not text.endswith(".."):
        text = text.rstrip(".,;:").rstrip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    return text


def _plain_dollars(text: str) -> str:
    r"""Without the signs that delimit mathematics; a dollar sign that is money stays."""
    text = re.sub(r"(?<!\\)\\[()\[\]]|\$\$", " ", text)
    if "$" not in text:
        return text
    # an escaped dollar is money for sure, also inside of delimiters
    text = text.replace(r"\$", "\ue000")
    text = _INLINE.sub(r"\1", text)
    return text.replace("\ue000", "$")


def _unworded(text: str) -> str:
    r"""With the braces of `\text{…}` and its kin taken away, what stands in them set apart."""
    parts: list[str] = []
    at = 0
    while mark := _WORDS.search(text, at):
        end = group_end(text, mark.end())
        if end is None:
            break
        parts += [text[at : mark.start()], " ", text[mark.end() + 1 : end], " "]
        at = end + 1
    return "".join(parts) + text[at:] if parts else text


_TAKES_ARGUMENTS = re.compile(r"\\(?P<name>frac|binom|sqrt)(?![A-Za-z])(?P<index>\[[^\[\]]*\])?\s*")
_MOST_COMMANDS = 200
_NUMBER = re.compile(r"[0-9.]*[0-9]")
_ARGUMENT = re.compile(r"\s*([0-9A-Za-z]|\\[A-Za-z]+(?!\s*\{))")
_BLANKS = re.compile(r"\s*")


def _braced(text: str) -> str:
    r"""With braces around every argument of fractions, binomials and roots.

    From the last command to the first, so that the arguments of each are in order already.
    """
    commands = list(_TAKES_ARGUMENTS.finditer(text))
    if len(commands) > _MOST_COMMANDS:
        return text
    for command in reversed(commands):
        at = command.end()
        for _ in range(1 if command["name"] == "sqrt" else 2):
            # `\sqrt 12` is meant as the root of twelve, whatever TeX makes of it
            whole = command["name"] == "sqrt" and command.group()[-1].isspace()
            found = _NUMBER.match(text, at) if whole else None
            found = found or _ARGUMENT.match(text, at)
            blanks = _BLANKS.match(text, at)
            start = blanks.end() if blanks else at
            if found is not None:
                argument = f"{{{found.group().strip()}}}"
                text = text[:at] + argument + text[found.end() :]
                at += len(argument)
            elif text[start : start + 1] == "{" and (end := group_end(text, start)) is not None:
                text = text[:at] + text[start:]
                at = end + 1 - (start - at)
    return text

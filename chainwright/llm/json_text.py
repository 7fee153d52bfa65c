"""JSON in a model's answer: bare, in a code fence, behind leading prose, or slightly broken."""

import json
import re
from typing import Any, Literal

Kind = Literal["object", "array"]

MOST_STARTS = 200
"""Brackets in prose that are tried as the start of a value."""

DEEPEST_REPAIR = 100
LONGEST_REPAIR = 50_000
"""Open brackets and characters that json-repair is given at most: it takes quadratic time."""

_QUOTED = 80


def parse_json(text: str, *, repair: bool = True, kind: Kind | None = None) -> Any:
    r"""The JSON value that an answer holds.

    The whole text counts first, then the contents of code fences, then the longest object or list
    that stands in the prose (an object before a list), and last, with `repair`, what json-repair
    makes of the text from its first bracket on. Thoughts up to a `</think>` are left out. A bare
    number or string counts only when it is the whole text.

    LaTeX commands that were written with a single backslash are kept: JSON would read `\frac` as
    a form feed and `\theta` as a tab, and models write that even under a schema.

    Args:
        kind: What is looked for in prose; either one when null.

    Raises:
        ValueError: when there is none, with a message for the model that wrote the text.

    >>> parse_json('Sure! {"label": "faithful", "premises": [0]} I hope this helps.')
    {'label': 'faithful', 'premises': [0]}
    """
    said = _single_backslashes(re.sub(r"^.*</think>", "", text, flags=re.DOTALL).strip())
    if not said:
        raise ValueError("the answer is empty, expected JSON")
    try:
        return _strict(said)
    except ValueError as error:
        fault = str(error)
    fenced = [block.strip() for block in re.findall(r"```\w*\n(.*?)```", said, flags=re.DOTALL)]
    for block in fenced:
        try:
            return _strict(block)
        except ValueError:
            continue
    found = _longest_inside(said, kind)
    if found is None and repair:
        found = next((mended for part in (*fenced, said) if (mended := _mended(part, kind))), None)
    if found is None:
        start = said if len(said) <= _QUOTED else f"{said[: _QUOTED - 1]}…"
        raise ValueError(f"found no readable JSON ({fault}) in an answer that begins with: {start}")
    return found


_LATEX = re.compile(
    r"""(?<!\\)((?:\\\\)*)\\(?=
        [bf][a-zA-Z]                                        # no prose holds these controls
      | t(?:an|au|ext|frac|herefore|heta|ilde|imes|o|op|riangle)[a-z]*(?![a-z])
      | n(?:abla|eg|eq|exists|leq|mid|otin|parallel|subseteq)(?![a-z])
      | r(?:angle|brace|ceil|floor|ho|ight|ightarrow|m)(?![a-z])
    )""",
    re.VERBOSE,
)


def _single_backslashes(text: str) -> str:
    return _LATEX.sub(r"\1\\\\", text) if "\\" in text else text


def _strict(text: str) -> Any:
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("brackets nested too deep") from None
    _check_characters(value, text)
    return value


def _no_constant(word: str) -> Any:
    raise ValueError(f"found the number {word}, which JSON does not have")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _check_characters(value: Any, text: str) -> None:
    r"""Half a surrogate pair (`\ud83d` alone) reads well, and then can be written nowhere."""
    if "\\ud" in text.lower():
        json.dumps(value, ensure_ascii=False).encode()


def _longest_inside(text: str, kind: Kind | None) -> dict[str, Any] | list[Any] | None:
    """The longest object in the text, else the longest list; the later one of equals."""
    best: tuple[bool, int] = (False, 0)
    found: dict[str, Any] | list[Any] | None = None
    position = starts = 0
    while starts < MOST_STARTS and (match := _opening(kind).search(text, position)):
        starts += 1
        try:
            value, end = _DECODER.raw_decode(text, match.start())
            _check_characters(value, text[match.start() : end])
        except (ValueError, RecursionError):
            position = match.end()
            continue
        rank = (isinstance(value, dict), end - match.start())
        if value and rank >= best:
            best, found = rank, value
        position = end
    return found


def _opening(kind: Kind | None) -> re.Pattern[str]:
    return re.compile({"object": r"\{", "array": r"\[", None: r"[\[{]"}[kind])


def _mended(text: str, kind: Kind | None) -> dict[str, Any] | list[Any] | None:
    """What json-repair makes of the text from its first bracket on; None when that is nothing."""
    from json_repair import repair_json

    start = _opening(kind).search(text)
    if start is None or len(text) > LONGEST_REPAIR or _depth(text) > DEEPEST_REPAIR:
        return None
    try:
        value: Any = repair_json(text[start.start() :], return_objects=True)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return None
    if not value or not isinstance(value, dict | list):
        return None
    fits = kind is None or (kind == "object") == isinstance(value, dict)
    return value if fits else None


def _depth(text: str) -> int:
    """The most brackets open at once, those in strings counted too."""
    deepest = depth = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest

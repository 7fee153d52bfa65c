"""Script data: JSON in files that a page opened from the disk can load.

Browsers let such a page load scripts, and refuse it everything else. So each file is one call that
hands over a name and a text; the text is parsed as JSON, never run.
"""

from __future__ import annotations

import json
import re
from typing import Any

_HEAD = "chainwright.add("
_ESCAPES = {"\\": "\\\\", "'": "\\'", "<": "\\u003c", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_UNSAFE = re.compile(r"[\\'<\u2028\u2029\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(u[0-9a-f]{4}|.)")


def script_of(name: str, value: Any) -> str:
    r"""The content of a script file that hands a value to the page.

    No text in the value can end the string it travels in, or an element around it, and every text
    comes back as it was, lone surrogates included.

    Args:
        name: What the page asks for, such as `chains-00000`.
        value: Plain values.

    Raises:
        ValueError: a number is not finite.

    Example:
        >>> print(script_of("x", ["it's </script>"]), end="")
        chainwright.add('x', '["it\'s \u003c/script>"]');
    """
    document = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"{_HEAD}'{_quoted(name)}', '{_quoted(document)}');\n"


def value_of(script: str) -> tuple[str, Any]:
    """The name and the value of what `script_of` wrote.

    Raises:
        ValueError: the text is nothing that `script_of` wrote.
    """
    found = re.fullmatch(
        rf"{re.escape(_HEAD)}'((?:[^'\\]|\\.)*)', '((?:[^'\\]|\\.)*)'\);\n", script, re.DOTALL
    )
    if found is None:
        raise ValueError(f"no data of a page: begins with {script[:40]!r}")
    name, document = (_ESCAPED.sub(_plain, part) for part in found.groups())
    return name, json.loads(document)


def _quoted(text: str) -> str:
    return _UNSAFE.sub(lambda found: _escape(found[0]), text)


def _escape(char: str) -> str:
    return _ESCAPES.get(char) or f"\\\\u{ord(char):04x}"  # a lone surrogate: an escape of JSON


def _plain(found: re.Match[str]) -> str:
    code = found[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else code

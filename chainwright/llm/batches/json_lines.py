"""JSON lines as they arrive in pieces."""

import json
from collections.abc import AsyncIterator
from typing import Any


async def json_lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    r"""The objects in a stream of JSON lines, each as soon as its line is complete.

    Lines end in `\n` alone: text may hold separators that count as line ends elsewhere. A whole
    line that is no object is passed over.

    Raises:
        EOFError: when the stream ends within a line.
    """
    rest = b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if (found := _object(line)) is not None:
                yield found
    if rest.strip():
        last = _object(rest)
        if last is None:
            raise EOFError("the stream ended within a line")
        yield last


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None

"""Ids that follow from the content alone: the same on every machine, in every run."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "str | int | float | bool | Mapping[str, Json] | Sequence[Json] | None"

ID_LENGTH = 20
"""Hex digits of an id: 80 bits, so a corpus of 10^7 rows collides with odds below 10^-10."""


def canonical(value: Json) -> bytes:
    """The one byte string of a JSON value: sorted keys, no blanks, UTF-8.

    Raises:
        ValueError: for NaN and infinities, which have no JSON form.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode("utf-8", "surrogatepass")


def content_hash(*parts: Json) -> str:
    """SHA-256 over the canonical form of the parts, as 64 hex digits."""
    return hashlib.sha256(canonical(list(parts))).hexdigest()


def place(*parts: Json) -> float:
    """A fixed place in [0, 1) that follows from the parts alone: the draw of a repeatable sample.

    What lies below 0.2 lies below 0.3 too, so a larger share of the same draw only adds.
    """
    # Thirteen hex digits are 52 bits: exact in a double, and so the same comparison everywhere.
    return int(content_hash(*parts)[:13], 16) / 16.0**13


def short_id(kind: str, *parts: Json) -> str:
    """An id such as `p-3f2a…`: the first letter of its kind and the head of the content hash."""
    return f"{kind[0]}-{content_hash(kind, *parts)[:ID_LENGTH]}"

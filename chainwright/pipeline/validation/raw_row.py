"""Raw row: a row as its file holds it, before anything is known of its shape."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from chainwright.pipeline.validation.faults import Flaw

UNREAD: Final = object()
"""The value of a row that could not be read; its flaws say why."""


class RawRow(NamedTuple):
    """A row with what reading it brought to light.

    `number` counts from 1. It is None for an entry that is no row: its flaws are the file's own.
    """

    number: int | None
    value: Any
    flaws: tuple[Flaw, ...] = ()

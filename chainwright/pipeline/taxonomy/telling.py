"""Telling: what a taxonomy command says while it works, one line each on the error stream."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from chainwright.pipeline.screens.terminal import visible

EVERY = 10.0
"""Seconds between two lines of the same count."""


class Telling:
    """Says what goes on, with the seconds since the start.

    Args:
        quiet: Say nothing.
        stream: Where to say it; the process's error stream by default.
    """

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._quiet = quiet
        self._stream = sys.stderr if stream is None else stream
        self._start = time.monotonic()
        self._counted = 0.0

    def __call__(self, line: str) -> None:
        """Says a line."""
        if not self._quiet:
            seconds = time.monotonic() - self._start
            self._stream.write(f"{seconds:6.1f} s  {visible(line)}\n")
            self._stream.flush()

    def embedded(self, done: int, total: int) -> None:
        """Says how many texts are embedded: at the end, and every ten seconds before."""
        if self._due() or done == total:
            self(f"embedded {done:,} of {total:,} new texts")

    def answered(self, answers: int) -> None:
        """Says how many answers a model has given, every ten seconds."""
        if answers and self._due():
            self(f"{answers:,} answers of the model so far")

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self._counted <= EVERY:
            return False
        self._counted = now
        return True

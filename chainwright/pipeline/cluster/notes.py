"""Notes: what is logged as a warning, handed to those who watch the build."""

from __future__ import annotations

import logging
from collections.abc import Callable


class Notes(logging.Handler):
    """Tells each warning as a line.

    Args:
        tell: Takes a line.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        self._tell(record.getMessage())

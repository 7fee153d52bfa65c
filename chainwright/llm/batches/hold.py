"""Hold: keeps a batch from being cut while more requests for it are being made."""

from types import TracebackType
from typing import Self


class Hold:
    """A context manager; it holds while anybody is inside, and may be entered often."""

    def __init__(self) -> None:
        self._inside = 0

    def __bool__(self) -> bool:
        return self._inside > 0

    def __enter__(self) -> Self:
        self._inside += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._inside -= 1

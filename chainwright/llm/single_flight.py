"""Single flight: of equal requests under way at once, one is sent and all get its answer."""

import threading
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Flights(Generic[T]):
    """The keys under way in this process, over all its threads and event loops.

    Whoever `enter`s a key first leads: it does the work and ends it with `land`, `crash` or
    `abandon`. The others wait for the future, and try to enter again when it holds None.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flights: dict[str, Future[T | None]] = {}

    def enter(self, key: str) -> tuple[Future[T | None], bool]:
        """The flight of a key, and whether the caller leads it."""
        with self._lock:
            flight = self._flights.get(key)
            if flight is not None:
                return flight, False
            flight = self._flights[key] = Future()
            return flight, True

    def land(self, key: str, result: T) -> None:
        """End a flight with a result for all who wait."""
        self._leave(key).set_result(result)

    def crash(self, key: str, error: Exception) -> None:
        """End a flight with an error for all who wait."""
        self._leave(key).set_exception(error)

    def abandon(self, key: str) -> None:
        """End a flight without either, as its leader was cancelled: another has to lead."""
        self._leave(key).set_result(None)

    def _leave(self, key: str) -> Future[T | None]:
        with self._lock:
            return self._flights.pop(key)

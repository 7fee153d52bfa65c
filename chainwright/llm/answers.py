"""Answers: what a client needs of the place where paid answers are kept."""

from concurrent.futures import Future
from typing import Protocol

from chainwright.llm.request import Answer
from chainwright.llm.request_key import KeyedRequest
from chainwright.llm.single_flight import Flights


class Answers(Protocol):
    """Keeps answers: the ledger of a run, or a way to one that is elsewhere."""

    @property
    def flights(self) -> Flights[Answer]:
        """Requests under way in this process."""
        ...

    async def find(self, key: str) -> Answer | None:
        """The answer kept under a key, with `from_ledger` set; None when there is none.

        Raises:
            LedgerError: when it cannot be looked up.
        """
        ...

    def put(self, request: KeyedRequest, answer: Answer, attempts: int = 1) -> Future[Answer]:
        """Keep a final answer; the future is done once it is committed (see `Ledger.put`)."""
        ...

    def count_failure(self, request: KeyedRequest, error: str, attempts: int = 1) -> Future[None]:
        """Count a request that got no answer; it will be asked again."""
        ...

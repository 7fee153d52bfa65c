"""Batches: asks models by the batch, and looks after the batches until they have come back."""

from contextlib import AsyncExitStack
from functools import partial

from chainwright.llm.batches.board import Board
from chainwright.llm.batches.connect import batch_service, has_batches
from chainwright.llm.batches.hold import Hold
from chainwright.llm.batches.pace import Pace
from chainwright.llm.batches.queue import BatchQueue
from chainwright.llm.batches.records import BatchRecords
from chainwright.llm.batches.service import BatchService, ItemFault, Unanswered
from chainwright.llm.capabilities import JsonMode
from chainwright.llm.endpoint import endpoint
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.connect import place
from chainwright.llm.providers.failure import failed
from chainwright.llm.providers.json_modes import JsonModes
from chainwright.llm.providers.reply import Patience, Reply
from chainwright.llm.request import Request
from chainwright.llm.request_key import KeyedRequest
from chainwright.llm.uri import ModelUri


class Batches:
    """The batches of one client, over all its models.

    Attributes:
        board: What goes on.
        hold: Within it no batch is cut for want of further requests.
    """

    def __init__(self, ledger: Ledger, pace: Pace, patience: Patience, hold: Hold) -> None:
        self.board = Board()
        self.hold = hold
        self._records = BatchRecords(ledger)
        self._pace = pace
        self._patience = patience
        self._services: dict[tuple[str, str | None], BatchService] = {}
        self._modes: dict[tuple[str, str | None], JsonModes] = {}
        self._queues: dict[ModelUri, BatchQueue] = {}
        self._online: set[ModelUri] = set()

    def takes(self, model: ModelUri) -> bool:
        """Whether a model is asked here, as its provider has batches; told once if it has none."""
        if not has_batches(model) and model not in self._online:
            self._online.add(model)
            self.board.tell(f"{model}: has no batches, and is asked online")
        return has_batches(model)

    def open(self, model: ModelUri) -> None:
        """Take up the batches of a model that are under way, if that is not done yet.

        Raises:
            ModelUnavailable: when the model's batches cannot be reached.
        """
        if model in self._queues:
            return
        where = place(model)
        if where not in self._services:
            service = self._services[where] = batch_service(model, self._patience)
            self._modes[where] = JsonModes(service.modes)
        queue = BatchQueue(
            model, self._services[where], self._records, self._pace, self.board, self.hold
        )
        self._queues[model] = queue
        queue.open(endpoint(model))

    async def send(self, request: Request, keyed: KeyedRequest) -> Reply:
        """The reply to a request, which may be a day away (see `Connection`).

        Where it waits in a batch already, that one's answer is taken. A request that a batch left
        unanswered goes into the next one, so often as the pace allows. What the server says of it
        is read as if it had been asked by itself.

        Raises:
            ModelUnavailable: when no request to this model can succeed.
            LedgerError: when the ledger cannot be used.
        """
        model = request.model
        service = self._services[place(model)]

        async def in_mode(worded: Request, mode: JsonMode) -> Reply:
            sent = 0
            while True:
                try:
                    make = partial(service.item, keyed.key, worded, mode)
                    return await self._queues[model].ask(keyed, make)
                except Unanswered as error:
                    sent, why = sent + error.counts, str(error)
                except ItemFault as error:
                    if not error.is_passing:
                        raise
                    sent, why = sent + 1, _words(model, service.place, error)
                if sent > self._pace.resends:
                    what = f"no answer in {sent} batches, the last time as {why}"
                    return Reply("failed", attempts=sent, error=what)

        try:
            return await self._modes[place(model)].ask(request, in_mode)
        except ItemFault as error:
            caught = error
        return failed(model, service.place, caught)

    async def close(self) -> None:
        """Look after nothing any more; what was submitted goes on at the provider."""
        async with AsyncExitStack() as stack:
            for service in self._services.values():
                stack.push_async_callback(service.close)
            for queue in self._queues.values():
                stack.push_async_callback(queue.close)


def _words(model: ModelUri, place: str, error: ItemFault) -> str:
    return failed(model, place, error).error or str(error)

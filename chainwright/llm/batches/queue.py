"""Queue: the requests to one model, into batches and out of them again."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from chainwright.llm.batches.board import Board, OnBoard
from chainwright.llm.batches.gathering import Gathered, Gathering
from chainwright.llm.batches.hold import Hold
from chainwright.llm.batches.pace import Pace
from chainwright.llm.batches.records import BatchRecord, BatchRecords
from chainwright.llm.batches.service import BatchService, BatchState, Cancelled, Item, Unanswered
from chainwright.llm.batches.submission import Submitter
from chainwright.llm.batches.taking import Taking
from chainwright.llm.ledger import LedgerError
from chainwright.llm.providers.failure import one_line
from chainwright.llm.providers.reply import Reply
from chainwright.llm.request import Answer, ModelUnavailable
from chainwright.llm.request_key import KeyedRequest
from chainwright.llm.uri import ModelUri


@dataclass(frozen=True)
class _Wait:
    """Someone waits for a reply; `intent` is the batch it is to come from, once there is one."""

    future: "asyncio.Future[Reply]"
    intent: str | None


class BatchQueue:
    """Gathers the requests to one model, submits them in batches, and hands the replies out.

    Batches that the ledger knows as open are taken up as they are: a request that stands in one
    waits for it.
    """

    def __init__(
        self,
        model: ModelUri,
        service: BatchService,
        records: BatchRecords,
        pace: Pace,
        board: Board,
        hold: Hold,
    ) -> None:
        self.model = model
        self._service = service
        self._records = records
        self._pace = pace
        self._board = board
        self._submitter = Submitter(model, service, records, pace)
        self._hold = hold
        self._gathering = Gathering(service.limits, pace.quiet, self._cut, hold)
        self._waits: dict[str, _Wait] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._away: set[str] = set()
        self._one_by_one: asyncio.Semaphore | None = None
        self._closed = False

    def open(self, base_url: str | None) -> None:
        """Take up the batches that earlier processes left."""
        self._gathering.stir()
        for record in self._records.still_open(self.model.provider, base_url, self.model.name):
            self._begin(record.intent, self._take_up(record))

    async def ask(self, keyed: KeyedRequest, make: Callable[[], Item]) -> Reply:
        """The reply to a request, when its batch has come back.

        Args:
            make: Makes what is sent, where it is: nobody holds on to it while the batch is away.

        Raises:
            Unanswered: when the batch left it unanswered.
            ItemFault: when the server found fault with it.
            ModelUnavailable: when no batch can succeed.
            LedgerError: when the ledger cannot be used.
        """
        intent = self._records.intent_of(keyed.key)
        # In this order, since an answer may be on its way from a batch into the ledger right now.
        if intent is None and (kept := self._records.ledger.get(keyed.key)):
            return _reply_of(kept)
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waits[keyed.key] = _Wait(future, intent)
        try:
            if intent is None:
                self._gathering.add(Gathered(keyed, make()))
            else:
                self._gathering.stir()
                self._follow(intent)
            self._board.gathered[self.model] = len(self._gathering)
            return await future
        finally:
            self._gathering.take_back(keyed.key)
            if (wait := self._waits.get(keyed.key)) and wait.future is future:
                del self._waits[keyed.key]

    async def close(self) -> None:
        """Look after nothing any more; what was submitted goes on at the provider."""
        self._closed = True
        self._gathering.close()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _cut(self, gathered: list[Gathered]) -> None:
        intent = uuid4().hex
        self._board.gathered[self.model] = 0
        for one in gathered:
            self._assign(one.keyed.key, intent)
        self._begin(intent, self._send(intent, gathered))

    def _begin(self, intent: str, work: Coroutine[Any, Any, None]) -> None:
        async def guarded() -> None:
            try:
                await work
            except Exception as error:  # whoever waits for the batch gets it
                self._fail(intent, error)
            finally:
                self._board.batches.pop(intent, None)
                self._tasks.pop(intent, None)
                if not self._closed:
                    # Such as one who came after the reply had gone to another, who left with it.
                    self._fail(intent, Unanswered("its batch has gone by", counts=False))

        self._tasks[intent] = asyncio.create_task(guarded())

    def _follow(self, intent: str) -> None:
        """Look after a batch that another process submits, if nobody here does."""
        if intent in self._tasks:
            return
        record = self._records.batch(intent)
        if record is not None:
            self._begin(intent, self._take_up(record))

    async def _send(self, intent: str, gathered: list[Gathered]) -> None:
        slot = self._one_by_one
        if slot is not None:
            await slot.acquire()
        try:
            held = await self._submitter.reserve(intent, gathered)
            for key in held:
                elsewhere = self._records.intent_of(key)
                if elsewhere is None:
                    self._raise_in(key, Unanswered("another process had it", counts=False))
                else:
                    self._assign(key, elsewhere)
                    self._follow(elsewhere)
            items = [one.item for one in gathered if one.item.key not in held]
            gathered.clear()  # the bodies are not needed while the batch is away
            if items:
                batch = await self._submitter.submit(intent, items)
                self._board.tell(
                    f"{self.model}: batch {batch} with {len(items)} requests is at the provider "
                    "and goes on there, whatever happens here"
                )
                await self._look_after(intent, batch, len(items), is_new=True)
        finally:
            if slot is not None:
                slot.release()

    async def _take_up(self, record: BatchRecord) -> None:
        batch = record.id or await self._submitter.find(record)
        if batch is None:
            await asyncio.wrap_future(self._records.drop(record.intent))
            self._fail(record.intent, Unanswered("it was never submitted", counts=False))
            return
        # Its answers had better find those who ask for them.
        await self._gathering.until_quiet()
        self._board.tell(f"{self.model}: batch {batch} is taken up again")
        await self._look_after(record.intent, batch, record.requests, is_new=False)

    async def _look_after(self, intent: str, batch: str, requests: int, *, is_new: bool) -> None:
        shown = OnBoard(str(self.model), batch, requests)
        self._board.batches[intent] = shown
        self._away.add(intent)
        try:
            state, looks = await self._until_ended(batch, shown)
        finally:
            self._away.discard(intent)
        if state.refused is not None:
            await self._refused(intent, batch, state, requests)
            return
        with self._hold:  # what follows from the answers had better share a batch
            taking = Taking(self.model, self._service, self._records, self._pace, self._hand)
            unanswered = await taking.take(intent, batch, state)
        self._board.tell(
            f"{self.model}: batch {batch} has ended ({state.word}) with "
            f"{requests - len(unanswered)} of {requests} requests answered"
        )
        for key, error in unanswered.items():
            was_over = looks == 1 and not is_new
            self._raise_in(key, self._judged(batch, error, was_over))

    async def _until_ended(self, batch: str, shown: OnBoard) -> tuple[BatchState, int]:
        """How a batch ended, and after how many looks at it."""
        wait, looks, lost = self._pace.first, 0, 0
        while True:
            looks += 1
            caught = None
            try:
                state = await self._service.state(batch)
            except self._service.errors as error:
                caught = error
            # Out here, so that what is raised does not carry the server's words as they came.
            if caught is not None:
                lost, shown.word = lost + 1, "no connection"
                self._submitter.stop_if_lasting(caught, lost, batch)
            else:
                lost, shown.done, shown.word = 0, state.done, state.word
                if state.ended:
                    return state, looks
            await asyncio.sleep(wait)
            wait = self._pace.after(wait)

    async def _refused(self, intent: str, batch: str, state: BatchState, requests: int) -> None:
        """A batch was taken back as a whole, unpaid: for its length, it is tried in parts."""
        await asyncio.wrap_future(self._records.drop(intent))
        others = [self._tasks[one] for one in self._away if one in self._tasks]
        if not state.too_many or (requests <= 1 and not others):
            raise ModelUnavailable(
                f"{self._service.place} took back batch {batch} for {self.model}: {state.refused}"
            )
        self._one_by_one = self._one_by_one or asyncio.Semaphore(1)
        if not others:
            self._gathering.most = max(1, min(self._gathering.most, requests // 2))
        self._board.tell(
            f"{self.model}: batch {batch} was too much for what may be under way at once "
            f"({state.refused}); going on with one batch of at most {self._gathering.most} "
            "requests at a time"
        )
        if others:
            await asyncio.wait(others)
        self._fail(intent, Unanswered("its batch was too long", counts=False))

    def _judged(self, batch: str, error: Exception, was_over: bool) -> Exception:
        """What an unanswered request means for whoever waits for it.

        A batch that was cancelled while this process looked after it was cancelled to stop it.
        """
        if not isinstance(error, Cancelled):
            return error
        if was_over:
            return Unanswered(str(error), counts=False)
        return ModelUnavailable(
            f"batch {batch} of {self.model} was cancelled; a further build sends anew what it "
            "left unanswered"
        )

    def _hand(self, key: str, reply: Reply) -> bool:
        """Give a reply to who waits for it; whether there is anybody."""
        wait = self._waits.get(key)
        if wait is None:
            return False
        if not wait.future.done():
            wait.future.set_result(reply)
        return True

    def _raise_in(self, key: str, error: Exception) -> None:
        wait = self._waits.get(key)
        if wait is not None and not wait.future.done():
            wait.future.set_exception(error)

    def _fail(self, intent: str, error: Exception) -> None:
        """Raise an error in all who wait for a batch, each with one of its own."""
        for key, wait in list(self._waits.items()):
            if wait.intent == intent:
                self._raise_in(key, _like(error))

    def _assign(self, key: str, intent: str) -> None:
        if wait := self._waits.get(key):
            self._waits[key] = replace(wait, intent=intent)


def _reply_of(answer: Answer) -> Reply:
    """The reply that an answer was made of."""
    return Reply(
        status=answer.status,
        text=answer.text,
        finish_reason=answer.finish_reason,
        usage=answer.usage,
        batch=answer.batch,
    )


def _like(error: Exception) -> Exception:
    """An error of the same kind, since each who raises one adds his trace to it."""
    if isinstance(error, Unanswered):
        return Unanswered(str(error), counts=error.counts)
    for kind in (ModelUnavailable, LedgerError):
        if isinstance(error, kind):
            return kind(str(error))
    # No row is to blame, so none may be given up for it.
    what = f"{type(error).__name__}: {one_line(str(error))}"
    return ModelUnavailable(f"internal error while batches were looked after: {what}")

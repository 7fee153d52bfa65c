"""Worker: a thread of its own for a checker that is no coroutine.

It keeps the event loop free for requests, and gives the checker one chain at a time. As a daemon it
never holds up the end of a build, whatever the checker is doing.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

Job = tuple[Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[None]", Any]


class Worker:
    """Runs one function after the other."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._thread = 0

    async def run(self, work: Callable[[], Any], seconds: float | None) -> Any:
        """What a function returns, once those before it are done.

        Args:
            work: Takes nothing.
            seconds: How long it may take, its wait aside; null = as long as it likes. A thread
                that takes longer is left to itself, and another goes on with the next.

        Raises:
            TimeoutError: when it takes longer.
            Exception: what the function raises.
        """
        if not self._thread:
            self._start()
        loop = asyncio.get_running_loop()
        begun, done = loop.create_future(), loop.create_future()
        self._jobs.put((work, loop, begun, done))
        await begun
        try:
            async with asyncio.timeout(seconds) as timer:
                return await done
        except TimeoutError:
            if not timer.expired():
                raise
            self._start()
            raise TimeoutError(too_long(seconds)) from None

    def _start(self) -> None:
        self._thread += 1
        Thread(target=self._serve, args=(self._thread,), daemon=True).start()

    def _serve(self, number: int) -> None:
        while number == self._thread:
            work, loop, begun, done = self._jobs.get()
            if begun.cancelled():
                continue
            with suppress(RuntimeError):  # the loop may be closed by now
                loop.call_soon_threadsafe(_settle, begun, None, None)
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:  # whoever waits for it is told
                error = raised
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, done, result, error)


def _settle(future: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    elif isinstance(error, Exception) and not isinstance(error, StopIteration):
        future.set_exception(error)
    else:
        future.set_exception(RuntimeError(f"it raised {type(error).__name__}: {error}"))


def too_long(seconds: float | None) -> str:
    """What is said of a checker that takes longer than it may."""
    return f"it took longer than {seconds:g} s"

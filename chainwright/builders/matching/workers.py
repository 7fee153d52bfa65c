"""Workers: a small pool of processes that compare expressions, ended and replaced when they hang.

They start when first needed, serve all threads of a process, and end with it. A forked child
starts its own.
"""

import atexit
import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

START_SECONDS = 60.0
"""For a worker to import sympy, which takes two seconds on an idle machine."""
WALL_FACTOR = 4.0
"""A worker has its seconds of processor time, and this many times as much by the clock."""
LEAST_SECONDS = 0.01
MOST_STARTS = 3
"""Workers that don't come up in a row, before no more are tried."""
MOST_REQUESTS = 2000
"""Requests a worker serves before it is replaced: sympy's caches only grow."""
MAX_REPLY = 1 << 16
END_SECONDS = 1.0
"""For a process to end whose output has ended."""


def ask_worker(request: Mapping[str, str], seconds: float) -> Mapping[str, str]:
    """The reply to a request; one with `fault` where the worker hung, crashed or never came up."""
    return _pool.ask(request, seconds)


def close_workers() -> None:
    """Ends all workers of this process; the next request starts new ones."""
    _pool.close()


@dataclass(eq=False)
class Worker:
    """One process and the pipes to it."""

    process: subprocess.Popen[bytes]
    served: int = 0
    unread: bytes = b""
    silent: bool = False
    """Whether its output has ended, so that its end is near if not there."""
    late: bool = False
    """Whether a reply didn't come in time."""

    def send(self, request: Mapping[str, str]) -> bool:
        """Whether the request could be written."""
        if self.process.stdin is None:
            return False
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
        except OSError:
            return False
        return True

    def reply(self, seconds: float) -> Mapping[str, str] | None:
        """The next line within the time; None where there is none, or no JSON object of texts."""
        pipe = self.process.stdout
        if pipe is None:
            return None
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while b"\n" not in self.unread:
                left = end - time.monotonic()
                if left <= 0 or not selector.select(left):
                    self.late = True
                    return None
                more = os.read(pipe.fileno(), MAX_REPLY)
                self.unread += more
                self.silent = not more
                if not more or len(self.unread) > MAX_REPLY:
                    return None
        line, _, self.unread = self.unread.partition(b"\n")
        try:
            found = json.loads(line)
        except ValueError:
            return None
        texts = isinstance(found, dict) and all(isinstance(v, str) for v in found.values())
        return found if texts else None

    def end(self) -> int | None:
        """Kills the process and waits for it.

        Returns:
            What the process ended with by itself, negative for a signal; None where it was killed.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_SECONDS if self.silent else 0)
        died = self.process.returncode
        self.process.kill()
        self.process.wait()
        self._close_pipes()
        return died

    def forget(self) -> None:
        """In a forked child: leaves the process to the parent, and only closes its own pipes."""
        self.process.returncode = 0
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def default_size() -> int:
    """Two workers, or one on a machine with a single processor."""
    return min(2, os.cpu_count() or 1)


@dataclass
class Pool:
    """Up to `size` workers, each started when all others are busy."""

    command: Sequence[str] = (sys.executable, "-P", "-m", "chainwright.builders.matching.worker")
    size: int = field(default_factory=default_size)
    start_seconds: float = START_SECONDS
    failures: int = 0
    idle: list[Worker] = field(default_factory=list)
    busy: set[Worker] = field(default_factory=set)
    starting: int = 0
    free: threading.Condition = field(default_factory=threading.Condition)

    def ask(self, request: Mapping[str, str], seconds: float) -> Mapping[str, str]:
        """See `ask_worker`. Waits for a worker as long as all are busy."""
        worker = self._take()
        if worker is None:
            return {"fault": "the algebra workers can't be started"}
        kept = False
        seconds = max(seconds, LEAST_SECONDS)
        try:
            sent = worker.send({**request, "seconds": str(seconds)})
            reply = worker.reply(seconds * WALL_FACTOR) if sent else None
            worker.served += 1
            kept = reply is not None and worker.served < MOST_REQUESTS
        finally:
            died = self._give_back(worker, kept=kept)
        if reply is not None:
            return reply
        if worker.late or died == -signal.SIGPROF:
            return {"fault": f"not decided within {seconds:g} s"}
        return {"fault": "an unreadable reply" if died is None else "the worker ended"}

    def close(self) -> None:
        """Ends all workers, also those in the middle of a request."""
        with self.free:
            idle, self.idle, self.failures = self.idle, [], 0
            for worker in self.busy:
                # whoever waits for it sees its output end, and does the rest
                worker.process.kill()
        for worker in idle:
            worker.end()

    def pids(self) -> list[int]:
        """The processes that are there now."""
        with self.free:
            return [worker.process.pid for worker in (*self.idle, *self.busy)]

    def forget(self) -> None:
        """In a forked child: starts from nothing, with a lock that nobody holds."""
        workers = [*self.idle, *self.busy]
        self.idle, self.busy, self.starting, self.failures = [], set(), 0, 0
        self.free = threading.Condition()
        for worker in workers:
            worker.forget()

    def _take(self) -> Worker | None:
        while True:
            with self.free:
                while not self.idle and len(self.busy) + self.starting >= self.size:
                    self.free.wait()
                if self.idle:
                    worker = self.idle.pop()
                    if worker.process.poll() is not None:
                        worker.end()
                        continue
                    self.busy.add(worker)
                    return worker
                if self.failures >= MOST_STARTS:
                    return None
                self.starting += 1
            started: Worker | None = None
            try:
                started = self._started()
            finally:
                with self.free:
                    self.starting -= 1
                    self.failures = 0 if started else self.failures + 1
                    if started:
                        self.busy.add(started)
                    self.free.notify()
            if started:
                return started

    def _started(self) -> Worker | None:
        # the child has to find what this process finds, however it came by its path
        path = os.pathsep.join(part or str(Path.cwd()) for part in sys.path)
        try:
            process = subprocess.Popen(  # noqa: S603 - our own module
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"},
                start_new_session=True,
            )
        except OSError:
            return None
        worker = Worker(process)
        if worker.reply(self.start_seconds) is None:
            worker.end()
            return None
        return worker

    def _give_back(self, worker: Worker, *, kept: bool) -> int | None:
        died = None if kept else worker.end()
        with self.free:
            self.busy.discard(worker)
            if kept:
                self.idle.append(worker)
            self.free.notify()
        return died


_pool = Pool()
atexit.register(close_workers)
os.register_at_fork(after_in_child=_pool.forget)

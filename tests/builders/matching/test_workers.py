"""Worker processes: started late, ended for sure, shared by threads, not by forks."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection

import pytest

from chainwright.builders.matching import async_match, close_workers, match, workers
from chainwright.builders.matching.workers import MOST_STARTS, Pool

READY = 'import sys, time, os; print(\'{"ready": "1"}\', flush=True); sys.stdin.readline(); '
HANGS = r"\binom{1000000000}{500000000}"
"""Passes all limits on its form, and keeps sympy busy for minutes."""


def stub(code: str, ready: str = READY) -> Pool:
    return Pool(command=(sys.executable, "-c", ready + code), size=1, start_seconds=20)


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def is_gone_soon(pid: int) -> bool:
    """Whether a process ends within half a minute; of a zombie, `kill` still says it is there."""
    for _ in range(300):
        if not is_there(pid) or "\nState:\tZ" in status(pid):
            return True
        time.sleep(0.1)
    return False


def status(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return ""


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    own = Pool()
    yield own
    own.close()


def test_a_reply() -> None:
    pool = stub('print(\'{"verdict": "equal", "reason": "so"}\', flush=True); time.sleep(600)')
    assert pool.ask({"op": "expressions"}, 5) == {"verdict": "equal", "reason": "so"}
    (pid,) = pool.pids()
    pool.close()
    assert pool.pids() == []
    assert not is_there(pid)


def test_a_worker_that_sleeps_is_killed() -> None:
    pool = stub("time.sleep(600)")
    seen: list[int] = []
    with ThreadPoolExecutor(1) as thread:
        reply = thread.submit(pool.ask, {"op": "expressions"}, 0.5)
        while not reply.done():
            seen += pool.pids()
    assert reply.result() == {"fault": "not decided within 0.5 s"}
    assert len(set(seen)) == 1
    assert not is_there(seen[0])
    assert pool.pids() == []


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("sys.exit(3)", "the worker ended"),
        ("os.kill(os.getpid(), 11)", "the worker ended"),
        ("print('nonsense', flush=True); time.sleep(600)", "an unreadable reply"),
        ("print('[1]', flush=True); time.sleep(600)", "an unreadable reply"),
        ("print('{\"a\": 1}', flush=True); time.sleep(600)", "an unreadable reply"),
        ("[print('x' * 9999, end='') for _ in range(99)]; time.sleep(600)", "an unreadable"),
    ],
)
def test_a_worker_that_misbehaves_is_replaced(code: str, fault: str) -> None:
    pool = stub(code)
    assert pool.ask({"op": "expressions"}, 9)["fault"].startswith(fault)
    assert pool.pids() == []


def test_no_worker_comes_up() -> None:
    pool = stub("", ready="import sys; sys.exit(1); ")
    for _ in range(MOST_STARTS + 1):
        assert pool.ask({}, 1) == {"fault": "the algebra workers can't be started"}
    assert pool.failures == MOST_STARTS


def test_no_such_program() -> None:
    assert "fault" in Pool(command=("/nowhere/python",), size=1).ask({}, 1)


def test_a_worker_that_died_in_between_is_replaced() -> None:
    pool = stub('print(\'{"value": "1"}\', flush=True); time.sleep(600)')
    assert pool.ask({}, 5) == {"value": "1"}
    (first,) = pool.pids()
    os.kill(first, signal.SIGKILL)
    while pool.idle[0].process.poll() is None:
        time.sleep(0.01)
    assert pool.ask({}, 5) == {"value": "1"}
    assert pool.pids() != [first]
    pool.close()


def test_a_hanging_expression_costs_its_worker_and_no_more(pool: Pool) -> None:
    fine = {"op": "expressions", "expected": "x+1", "given": "1+x"}
    assert pool.ask(fine, 5)["verdict"] == "equal"
    pid = pool.idle[-1].process.pid
    hangs = {"op": "expressions", "expected": HANGS, "given": "3"}
    assert pool.ask(hangs, 0.2) == {"fault": "not decided within 0.2 s"}
    assert not is_there(pid)
    assert pool.ask(fine, 5)["verdict"] == "equal"


def test_threads_share_the_workers(pool: Pool) -> None:
    requests = [{"op": "value", "expected": rf"\sqrt{{{n * n}}}"} for n in range(1, 25)]
    with ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(lambda request: pool.ask(request, 5), requests))
    assert [round(float(reply["value"])) for reply in replies] == list(range(1, 25))
    assert 1 <= len(pool.pids()) <= pool.size


def test_a_hanging_pair_is_undecided() -> None:
    for pair in ((HANGS, "3"), ("3", HANGS)):
        found = match(*pair, timeout=0.2)
        assert (found.verdict, found.reason) == ("undecided", "not decided within 0.2 s")


def test_all_parts_of_a_pair_share_its_time() -> None:
    parts = ", ".join(f"{HANGS} + {n}" for n in range(4))
    found = match(f"{{{parts}}}", "{1, 2, 3, 4}", timeout=0.2)
    assert found.verdict == "undecided"


def test_closed_workers_come_back() -> None:
    assert match(r"\sqrt{12}", r"2\sqrt{3}").verdict == "equal"
    close_workers()
    assert workers._pool.pids() == []
    assert match(r"\sqrt{12}", r"2\sqrt{3}").verdict == "equal"


def test_async_match_leaves_the_loop_free() -> None:
    async def both() -> tuple[list[str], int]:
        ticks = 0
        waiting = asyncio.gather(
            async_match(HANGS, "3", timeout=0.3),
            async_match(r"\sqrt{12}", r"2\sqrt{3}"),
            async_match("18", "$18"),
        )
        while not waiting.done():
            ticks += 1
            await asyncio.sleep(0.01)
        return [found.verdict for found in await waiting], ticks

    verdicts, ticks = asyncio.run(both())
    assert verdicts == ["undecided", "equal", "equal"]
    assert ticks > 1


def matched_in_child(pipe: Connection) -> None:
    before = workers._pool.pids()
    pipe.send((before, match(r"\sqrt{12}", r"2\sqrt{3}").verdict, workers._pool.pids()))
    close_workers()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_has_workers_of_its_own() -> None:
    assert match(r"\sqrt{12}", r"2\sqrt{3}").verdict == "equal"
    own = workers._pool.pids()
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=matched_in_child, args=(there,))
    child.start()
    assert here.poll(60)
    inherited, verdict, theirs = here.recv()
    child.join(60)
    assert (inherited, verdict) == ([], "equal")
    assert not set(theirs) & set(own)
    assert match(r"\sqrt{18}", r"3\sqrt{2}").verdict == "equal"
    assert set(own) <= set(workers._pool.pids())


SCRIPT = """
import sys, time
from chainwright.builders.matching import match, workers
assert match("18", "$18").verdict == "equal" and match("(1,2)", "1<x<2").verdict == "equal"
assert "sympy" not in sys.modules and not workers._pool.pids()
assert match("x+1", "1+x").verdict == "equal"
assert "sympy" not in sys.modules
print(*workers._pool.pids(), flush=True)
if "wait" in sys.argv:
    time.sleep(600)
"""


def script(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(part or "." for part in sys.path)},
    )


def test_workers_start_when_needed_and_end_with_their_process() -> None:
    with script() as process:
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert len(output.split()) == 1
    assert is_gone_soon(int(output))


def test_workers_end_when_their_process_is_killed() -> None:
    with script("wait") as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert is_there(pid)
        process.kill()
    assert is_gone_soon(pid)


def test_memory_has_a_limit() -> None:
    code = (
        "from chainwright.builders.matching.worker import limit_memory\n"
        "limit_memory(1 << 28)\n"
        "try:\n    bytearray(1 << 29)\nexcept MemoryError:\n    print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(part or "." for part in sys.path)},
    )
    assert done.stdout == "refused\n"

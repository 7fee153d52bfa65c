"""A kill in the middle of asking: nothing is lost but what was in flight, nothing is paid twice."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.request import Message, Request
from chainwright.llm.uri import ModelUri
from tests.llm.fault_server import FaultServer

CONCURRENCY = 8
REQUESTS = 300


async def ask_all(path: Path, url: str) -> int:
    """Ask them all; the number of answers."""
    model = ModelUri("compat", "m", url)
    with Ledger(path) as ledger:
        async with Client(ledger, concurrency=CONCURRENCY) as client:
            asked = [Request(model, (Message("user", str(n)),)) for n in range(REQUESTS)]
            answers = await asyncio.gather(*map(client.ask, asked))
    return sum(answer.status == "ok" for answer in answers)


PROGRAM = """
import asyncio, sys
from pathlib import Path
from tests.llm.test_interruption import ask_all

asyncio.run(ask_all(Path(sys.argv[1]), sys.argv[2]))
"""


def test_a_killed_run_goes_on_where_it_was(server: FaultServer, tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    server.latency = 0.01
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path), f"{server.url}/v1"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    while len(server.seen) < 100:
        assert process.poll() is None
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert asyncio.run(ask_all(path, f"{server.url}/v1")) == REQUESTS
    sent = Counter(seen.body["messages"][0]["content"] for seen in server.seen)
    assert len(sent) == REQUESTS
    assert sum(sent.values()) - REQUESTS <= CONCURRENCY
    with Ledger(path) as ledger:
        assert ledger.totals()[0].ok == REQUESTS


def test_two_builds_at_once_on_one_file(server: FaultServer, tmp_path: Path) -> None:
    """Each gets all answers, the same ones; what both ask at the same moment is sent twice."""
    path = tmp_path / "ledger.sqlite"
    server.latency = 0.002
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(path), f"{server.url}/v1"],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        for _ in range(2)
    ]
    assert [process.wait() for process in both] == [0, 0]
    with Ledger(path) as ledger:
        assert ledger.totals()[0].ok == REQUESTS
        assert ledger.totals()[0].failures == 0
    sent = len(server.seen)
    assert REQUESTS <= sent <= 2 * REQUESTS
    assert asyncio.run(ask_all(path, f"{server.url}/v1")) == REQUESTS
    assert len(server.seen) == sent

"""What a run in a store costs by the minute: bytes and seconds for each time its ledger is sent.

Answers come into a ledger as a build writes them, so many before each sending. What is sent has to
stay the same from the first to the last, however large the ledger is by then. In the end another
machine brings the run in.

    python benchmarks/mirror.py --answers 5000 --ticks 40
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from chainwright.llm.ledger import Ledger
from chainwright.llm.request import Answer, Message, Request
from chainwright.llm.request_key import key_request
from chainwright.llm.uri import parse_model_uri
from chainwright.pipeline.stores.mirror import Mirror
from chainwright.pipeline.stores.parts import MANY, PARTS, Parts
from chainwright.pipeline.stores.store import Store
from chainwright.pipeline.stores.working_copy import WORK

QUESTION, REPLY = 3000, 1000
"""Characters of a request and of its answer; about 900 tokens together."""


@contextmanager
def counted() -> Iterator[list[int]]:
    """Bytes of each file that is sent to the store from now on."""
    sizes: list[int] = []
    put = Store.put

    def counting(store: Store, path: Path, name: str) -> None:
        sizes.append(path.stat().st_size)
        put(store, path, name)

    with patch.object(Store, "put", counting):
        yield sizes


def fill(ledger: Ledger, first: int, count: int) -> None:
    """Keeps answers as a build does."""
    model = parse_model_uri("openai:none")
    kept = []
    for number in range(first, first + count):
        question = f"{number} ".ljust(QUESTION, "q")
        keyed = key_request(Request(model, [Message("user", question)]), None)
        answer = Answer(keyed.key, "ok", f"{number} ".ljust(REPLY, "a"), "stop")
        kept.append(ledger.put(keyed, answer))
    for one in kept:
        one.result()


def main() -> None:
    """Prints a line for each sending, and one for bringing it all in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=5000, help="before each sending")
    parser.add_argument("--ticks", type=int, default=40, help="how often the ledger is sent")
    parser.add_argument("--runs", help="URL of a store; a folder of its own by default")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, counted() as sizes:
        os.environ[WORK] = f"{scratch}/first"
        runs = given.runs or Path(scratch, "there").as_uri()
        mirror = Mirror(runs, "benchmark")
        mirror.bring()
        parts = Parts(mirror.folder, Store(mirror.url))
        print(f"{'answers':>9} {'ledger, MB':>10} {'sent, MB':>9} {'seconds':>8}")
        total = 0
        for tick in range(given.ticks):
            with Ledger(mirror.folder.ledger) as ledger:
                fill(ledger, tick * given.answers, given.answers)
                sizes.clear()
                start = time.monotonic()
                parts.send(1)
                if parts.merge(1, MANY):
                    parts.tidy()
                seconds = time.monotonic() - start
            total += sum(sizes)
            whole = mirror.folder.ledger.stat().st_size
            print(
                f"{(tick + 1) * given.answers:>9} {whole / 1e6:>10.1f} {sum(sizes) / 1e6:>9.1f} "
                f"{seconds:>8.2f}",
                flush=True,
            )
        print(f"sent in all {total / 1e6:.1f} MB, {total / whole:.2f} times the ledger")
        mirror.send()
        print(f"{len(Store(mirror.url).names(PARTS))} parts")
        os.environ[WORK] = f"{scratch}/second"
        start = time.monotonic()
        Mirror(runs, "benchmark").look()
        print(f"brought in by another machine in {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()

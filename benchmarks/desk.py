"""How many requests a second the desk of a build on Ray serves, with nothing behind it.

Each request costs a look into the ledger, a turn, a commit and the return of the turn. What a model
takes is left out, so that this is the most that a cluster of any size can send.

    python benchmarks/desk.py --requests 2000 --workers 2
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

from chainwright.llm.request import Answer, Message, Request
from chainwright.llm.request_key import key_request
from chainwright.llm.uri import parse_model_uri
from chainwright.pipeline.cluster.desk_client import DeskAnswers, DeskTurns
from chainwright.pipeline.cluster.ray_cluster import RayPost, connected

AT_ONCE = 32
"""Requests under way in each worker."""


def ask_in_vain(desk: Any, who: str, requests: int) -> None:
    """On a worker: everything but the sending."""
    asyncio.run(_ask(RayPost(desk), who, requests))


async def _ask(post: RayPost, who: str, requests: int) -> None:
    answers, turns = DeskAnswers(post, who), DeskTurns(post, who, ())
    model = parse_model_uri("openai:none")
    left = iter(range(requests))

    async def one_after_the_other() -> None:
        for number in left:
            request = Request(model, [Message("user", f"{who} {number}")])
            keyed = key_request(request, None)
            await answers.find(keyed.key)
            turn = await turns.enter(model, 0)
            kept = answers.put(keyed, Answer(keyed.key, "ok", "yes", "stop"))
            await asyncio.wrap_future(kept)
            turns.leave(turn)

    await asyncio.gather(*(one_after_the_other() for _ in range(AT_ONCE)))


def main() -> None:
    """Prints requests a second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000, help="of each worker")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--ray", default="local")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        connected(given.ray, Path(folder) / "ledger.sqlite", 1000, (), None) as cluster,
    ):
        import ray

        task = ray.remote(num_cpus=1)(ask_in_vain)
        workers = range(given.workers)
        # The first round starts the processes.
        ray.get([task.remote(cluster.desk(), f"warm {n}", 1) for n in workers])
        start = time.monotonic()
        ray.get([task.remote(cluster.desk(), f"{n}", given.requests) for n in workers])
        seconds = time.monotonic() - start
        total = given.requests * given.workers
        print(f"{total} requests, {seconds:.2f} s, {total / seconds:.0f} a second")


if __name__ == "__main__":
    main()

"""Ray cluster: given blocks to make, and the desk that serves those who make them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainwright.llm.budget import Limits
from chainwright.llm.ledger import LedgerError
from chainwright.llm.limits import Limit
from chainwright.pipeline.cluster.block_task import (
    Fault,
    Inputs,
    Job,
    Made,
    make_block,
)
from chainwright.pipeline.cluster.desk import Desk
from chainwright.pipeline.cluster.desk_messages import State
from chainwright.pipeline.cluster.ray_connection import connection, reason
from chainwright.pipeline.errors import InputMistake, RunStopped, first_line

CLOSE_SECONDS = 30.0
"""How long the desk may take to commit what it has."""

MOST_WAITING = 10_000
"""Calls that may wait at the desk at once."""


@dataclass(frozen=True)
class Lost:
    """The worker went away before the block was made."""

    why: str


class Cluster:
    """The Ray cluster that this process is connected to, with blocks to make. Close it.

    The desk is an actor on this machine, since the run's ledger is on its disk.

    Args:
        desk: What the desk is made with (see `Desk`).
    """

    def __init__(
        self, ledger: Path, concurrency: int, limits: tuple[Limit, ...], most: Any
    ) -> None:
        self._made_with = (ledger.absolute(), concurrency, limits, most)
        self._desk: Any = None
        self.concurrency, self.limits = concurrency, limits
        self.most = most
        self._make = _task()

    def slots(self) -> int:
        """Blocks that the cluster can make at once, as many as it has CPUs by now; at least 1."""
        import ray

        return max(1, int(ray.cluster_resources().get("CPU", 0)))

    def ready(self, job: Job) -> Any:
        """The job where every worker finds it: sent to each machine once."""
        import ray

        return ray.put(job)

    def submit(self, job: Any, inputs: Inputs, *, asks: bool) -> tuple[Any, str]:
        """Has a block made.

        Returns:
            What to wait for, and the name of this attempt at the desk.
        """
        who = f"{inputs.block}-{uuid.uuid4().hex}"
        desk = self.desk() if asks else None
        return self._make.remote(job, inputs, who, desk), who

    def wait(self, under_way: list[Any], seconds: float) -> list[Any]:
        """Those that have come to an end, after so many seconds at most."""
        import ray

        return list(ray.wait(under_way, num_returns=1, timeout=seconds)[0])

    def outcome(self, ended: Any) -> Made | Fault | Lost:
        """What became of a block.

        Raises:
            RunStopped: when the cluster itself cannot be used any more.
            InputMistake: when a worker has no chainwright.
        """
        import ray
        from ray import exceptions as faults

        try:
            found: Made | Fault = ray.get(ended)
        except (
            faults.WorkerCrashedError,
            faults.NodeDiedError,
            faults.ObjectLostError,
            faults.OutOfMemoryError,
        ) as error:
            return Lost(first_line(error))
        except faults.RayTaskError as error:
            raise _in_task(error) from error
        except faults.RayError as error:
            raise RunStopped(
                f"the Ray cluster cannot be used any more ({first_line(error)}); what was "
                "finished is kept, and the same command goes on from there"
            ) from error
        return found

    def cancel(self, under_way: list[Any]) -> None:
        """Give up blocks that are being made."""
        import ray

        for one in under_way:
            with suppress(Exception):  # it may have ended, or the cluster be gone
                ray.cancel(one, force=True)

    def desk(self) -> Any:
        """The desk; it begins when a stage first asks models."""
        if self._desk is None:
            import ray
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            here = NodeAffinitySchedulingStrategy(
                ray.get_runtime_context().get_node_id(), soft=False
            )
            actor = ray.remote(Desk)
            self._desk = actor.options(
                num_cpus=0, max_concurrency=MOST_WAITING, scheduling_strategy=here
            ).remote(*self._made_with)
        return self._desk

    def forget(self, who: str) -> None:
        """An attempt at a block is over."""
        if self._desk is not None:
            self._desk.forget.remote(who)

    def begin(self) -> None:
        """A stage starts."""
        if self._desk is not None:
            self._desk.begin.remote()

    def look(self) -> State | None:
        """What is known of the requests under way; None where no model was asked.

        Raises:
            RunStopped: when the desk has died.
        """
        import ray
        from ray.exceptions import GetTimeoutError, RayError

        if self._desk is None:
            return None
        try:
            state: State = ray.get(self._desk.look.remote(), timeout=CLOSE_SECONDS)
        except GetTimeoutError:
            return None  # it is busy
        except RayError as error:
            raise RunStopped(
                f"the process that keeps the ledger has died ({first_line(error)}); what was "
                "answered is kept, and the same command goes on from there"
            ) from error
        return state

    def close(self) -> None:
        """Commits what the desk has, and lets the cluster go."""
        import ray

        desk, self._desk = self._desk, None
        if desk is not None:
            with suppress(Exception):  # what it committed before is kept in any case
                ray.get(desk.close.remote(), timeout=CLOSE_SECONDS)
            with suppress(Exception):
                ray.kill(desk)


class RayPost:
    """The way from a worker to the desk (see `Post`)."""

    def __init__(self, desk: Any) -> None:
        self._desk = desk

    async def ask(self, method: str, *values: Any) -> Any:
        """See `Post`."""
        from ray.exceptions import RayError

        try:
            return await getattr(self._desk, method).remote(*values)
        except RayError as error:
            raise LedgerError(
                f"the process that keeps the ledger cannot be reached ({first_line(error)})"
            ) from error

    def tell(self, method: str, *values: Any) -> None:
        """See `Post`."""
        from ray.exceptions import RayError

        with suppress(RayError):
            getattr(self._desk, method).remote(*values)


@contextmanager
def connected(
    address: str, ledger: Path, concurrency: int, limits: tuple[Limit, ...], most: Limits | None
) -> Iterator[Cluster]:
    """The cluster at an address, ready for blocks (see `connection`, `Cluster`)."""
    with connection(address):
        cluster = Cluster(ledger, concurrency, limits, most)
        try:
            yield cluster
        finally:
            cluster.close()


def _task() -> Any:
    import ray

    # The build sends a lost block out again itself: only it can free what the worker held.
    return ray.remote(num_cpus=1, max_retries=0)(_on_ray)


def _on_ray(job: Job, inputs: Inputs, who: str, desk: Any) -> Made | Fault:
    """The task, on a worker."""
    return make_block(job, inputs, who, None if desk is None else RayPost(desk))


def _in_task(error: Exception) -> Exception:
    """What to make of an error that came up before or after our code on the worker."""
    text = str(error)
    if "ModuleNotFoundError" in text or "ImportError" in text:
        lines = [line for line in text.splitlines() if "Error:" in line]
        return InputMistake(
            f"a worker of the Ray cluster lacks a module ({lines[-1].strip() if lines else text}): "
            "install the same chainwright on every node"
        )
    return RunStopped(f"a worker of the Ray cluster failed: {reason(error)}")

"""Ray connection: a cluster reached or started, and looked over before it is given anything."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from chainwright.pipeline.cluster.block_task import other_code
from chainwright.pipeline.cluster.stamp import differences, stamp
from chainwright.pipeline.errors import InputMistake, first_line

REACH_SECONDS = 5.0
"""How long a cluster's address has to answer."""

PROBE_SECONDS = 120.0
"""How long a node may take to say what is installed there."""

LOCAL, AUTO = "local", "auto"


@contextmanager
def connection(address: str) -> Iterator[None]:
    """Connects this process to a cluster, for as long as the context lasts.

    Args:
        address: `HOST:PORT` of its head, `auto` for the one that this machine is part of, `local`
            to start one here.

    Raises:
        InputMistake: when ray is not installed, the cluster cannot be reached, or a node has not
            what this machine has.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise InputMistake(
            "work on Ray needs a part that is not installed: pip install 'chainwright[ray]'"
        ) from None
    if ray.is_initialized():
        raise InputMistake("this process is connected to a Ray cluster already: disconnect first")
    before = _handlers()
    try:
        _connect(address)
        _restore(before)
        _check_nodes()
        yield
    finally:
        ray.shutdown()
        _restore(before)


def reason(error: BaseException) -> str:
    """What went wrong: of an error that came up in a task, what was raised there."""
    return first_line(getattr(error, "cause", None) or error)


def _connect(address: str) -> None:
    import ray

    quiet = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": True}
    if address == LOCAL:
        ray.init(address="local", include_dashboard=False, **quiet)
        return
    if "://" in address:
        raise InputMistake(
            f"found the Ray address `{address}`, expected HOST:PORT, `auto` or `local`: run this "
            "command on a node of the cluster (such as its head), where the run folder and its "
            "ledger are"
        )
    if address != AUTO:
        _knock(address)
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        # Ray reports a token that is refused as a cluster that is not there.
        raise InputMistake(f"{_unreached(address, first_line(error))}{_token_hint()}") from error


def _knock(address: str) -> None:
    """Makes sure that someone listens: Ray's own attempt takes long, and may end the process."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise InputMistake(
            f"found the Ray address `{address}`, expected HOST:PORT, `auto` or `local`"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise InputMistake(_unreached(address, str(error))) from error


def _unreached(address: str, why: str) -> str:
    return (
        f"no Ray cluster could be reached at `{address}` ({why}): `ray start --head` starts one, "
        "--ray local one for this build alone"
    )


def _token_hint() -> str:
    if os.environ.get("RAY_AUTH_MODE", "").lower() == "token":
        return "; RAY_AUTH_MODE=token is set here: the token has to be the one of its head"
    return (
        "; one that is there and was started with a token lets nobody in without: then set "
        "RAY_AUTH_MODE=token, here and on every node, with the token that `ray get-auth-token` "
        "prints on its head"
    )


def _check_nodes() -> None:
    """Asks every node what is installed there; one that dies meanwhile is not missed.

    Raises:
        InputMistake: when one has no chainwright, or another one than this machine.
    """
    import ray
    from ray.exceptions import RayError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    probe = ray.remote(num_cpus=0, max_retries=0)(_probe())
    asked = {}
    for identity, node in _living_nodes().items():
        if identity != ray.get_runtime_context().get_node_id():
            there = NodeAffinitySchedulingStrategy(identity, soft=False)
            asked[identity] = node, probe.options(scheduling_strategy=there).remote()
    for identity, (node, answer) in asked.items():
        try:
            found = ray.get(answer, timeout=PROBE_SECONDS)
        except RayError as error:
            # A cluster lists a node as alive for some seconds after its death.
            if identity not in _living_nodes():
                continue
            raise InputMistake(
                f"node {node} of the Ray cluster does not answer ({first_line(error)}): stop it, "
                "or look into its logs"
            ) from error
        if isinstance(found, str):
            raise InputMistake(
                f"node {node} of the Ray cluster has no usable chainwright ({found}): install the "
                "same version there"
            )
        if differing := differences(stamp(), found):
            raise InputMistake(other_code(node, differing))


def _living_nodes() -> dict[str, str]:
    """The nodes that the cluster believes to be alive: their host names by identity."""
    import ray

    return {node["NodeID"]: node["NodeManagerHostname"] for node in ray.nodes() if node["Alive"]}


def _probe() -> Callable[[], dict[str, str] | str]:
    """A function that is sent by value: where chainwright is missing it can still say so."""

    def probe() -> dict[str, str] | str:
        try:
            from importlib import import_module

            found: dict[str, str] = import_module("chainwright.pipeline.cluster.stamp").stamp()
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return found

    return probe


def _handlers() -> dict[signal.Signals, Any]:
    return {sign: signal.getsignal(sign) for sign in (signal.SIGINT, signal.SIGTERM)}


def _restore(handlers: dict[signal.Signals, Any]) -> None:
    """Ray puts its own handlers in place, which end the process without a word."""
    if threading.current_thread() is threading.main_thread():
        for sign, handler in handlers.items():
            signal.signal(sign, handler)

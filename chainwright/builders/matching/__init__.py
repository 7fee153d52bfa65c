r"""Matching: whether a given answer is the expected one.

`match` decides what makes a chain positive, negative or undecided. Plain rules come first and
decide numbers, units, options, words, sets and intervals exactly, in microseconds; what takes
algebra goes to a worker process with a limit on time and memory (`workers`). Whatever can't be
read or isn't told in time is undecided: a chain called wrong because its answer was written
differently would be a wrong label.
"""

from collections.abc import Mapping, Sequence

from chainwright.builders.matching.algebra import Ask
from chainwright.builders.matching.case import Case
from chainwright.builders.matching.rules import decide
from chainwright.builders.matching.verdict import Match, Verdict
from chainwright.builders.matching.workers import ask_worker, close_workers
from chainwright.schemas.words import AnswerKind

__all__ = ["TIMEOUT", "Match", "Verdict", "async_match", "close_workers", "match"]

TIMEOUT = 2.0
"""Seconds of processor time that a pair may take in a worker."""


def match(
    expected: str,
    given: str,
    *,
    question: str = "",
    options: Sequence[str] = (),
    kind: AnswerKind | None = None,
    timeout: float = TIMEOUT,
) -> Match:
    r"""Whether the given answer is the expected one, with the reason.

    The order matters where one is a decimal (all that rounds to an expected `0.333` equals it,
    and `0.333` only rounds an expected `1/3`) or has a unit that may be a variable (`5m`).

    Args:
        question: Tells whether a percentage, an order, an interval or a rounded number is asked
            for.
        options: The choices A, B, … of the question; an answer names one by letter or by text.
        kind: What the expected answer is, where that is known. `text` is never read as algebra,
            and `option` only as a choice.
        timeout: Seconds of processor time for algebra, all parts of a pair together; by the clock
            it may take four times as long on a busy machine.

    Returns:
        `undecided` for empty and unreadable answers, and for what no rule or worker can tell in
        time.

    >>> match(r"\frac{1}{2}", "The answer is 0.5.").verdict
    'equal'
    >>> match("5 cm", "5 km"), match("", "5").verdict
    (Match(verdict='different', reason='other numbers'), 'undecided')
    """
    return decide(expected, given, _case(question, options, kind, _Budget(timeout)))


async def async_match(
    expected: str,
    given: str,
    *,
    question: str = "",
    options: Sequence[str] = (),
    kind: AnswerKind | None = None,
    timeout: float = TIMEOUT,
) -> Match:
    """The same without blocking the event loop: what takes a worker is waited for in a thread."""
    import asyncio

    try:
        return decide(expected, given, _case(question, options, kind, _no_worker))
    except _WorkerWantedError:
        return await asyncio.to_thread(
            match,
            expected,
            given,
            question=question,
            options=options,
            kind=kind,
            timeout=timeout,
        )


class _WorkerWantedError(Exception):
    """The rules alone don't decide."""


class _Budget:
    """Puts requests to the workers until the time of a pair is used up."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.left = seconds

    def __call__(self, request: Mapping[str, str]) -> Mapping[str, str]:
        if self.left <= 0:
            return {"fault": f"not decided within {self.seconds:g} s"}
        reply = ask_worker(request, self.left)
        self.left -= float(reply.get("used", self.left))
        return reply


def _no_worker(request: Mapping[str, str]) -> Mapping[str, str]:
    raise _WorkerWantedError


def _case(question: str, options: Sequence[str], kind: AnswerKind | None, ask: Ask) -> Case:
    return Case(question, tuple(options), kind, ask, decide)

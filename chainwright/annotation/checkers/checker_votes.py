"""A checker's opinion of a chain, as votes."""

import asyncio
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from chainwright.annotation.checkers.loading import Loaded, loaded
from chainwright.annotation.checkers.view import View, view_of
from chainwright.annotation.checkers.worker import too_long
from chainwright.annotation.models.voting import kept
from chainwright.annotation.programs.case import Opinion
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import NATIVE_ERRORS

SHOWN = 60
"""Characters of a bad value that a message shows."""


@dataclass(frozen=True)
class CheckerJudge:
    """A checker of one's own among the judges.

    Attributes:
        path: `PACKAGE.MODULE.FUNCTION`.
    """

    path: str

    @property
    def name(self) -> str:
        """What votes and panels call it."""
        return f"python:{self.path}"


async def checker_votes(judge: CheckerJudge, problem: Problem, chain: Chain) -> list[Vote]:
    """One `error` vote a step; one `premises` vote a step too where it gives any on this chain.

    What is no opinion for each step makes every vote `malformed`, with all that is wrong as the
    explanation.

    Raises:
        CheckerFault: when the checker cannot be loaded.
        TimeoutError: when it takes longer than its module allows.
        Exception: what the checker raises.
    """
    checker = loaded(judge.path)
    said = await _asked(checker, view_of(problem, chain))
    try:
        opinions = read_opinions(said, len(chain.steps))
    except ValueError as fault:
        opinions = [Opinion("malformed", explanation=str(fault))] * len(chain.steps)
    version = checker.version[:12]
    numbered = list(enumerate(opinions, start=1))
    votes = [_error_vote(judge, version, chain, step, opinion) for step, opinion in numbered]
    if any(opinion.premises is not None for opinion in opinions):
        votes += [_premise_vote(judge, version, chain, step, o) for step, o in numbered]
    return votes


def read_opinions(said: Any, steps: int) -> list[Opinion]:
    """The opinions that a checker returned, with `other` for an error without a category.

    Raises:
        ValueError: for anything but one opinion a step, another label or category, a category
            without an error, and a premise that is no earlier step.
    """
    if isinstance(said, str | bytes) or not isinstance(said, Sequence):
        raise ValueError(f"it returned {_shown(said)}, expected a list of opinions")  # noqa: TRY004
    if len(said) != steps:
        raise ValueError(
            f"it returned {len(said)} opinions, expected {steps}: one for each step, in order"
        )
    faults = [
        f"step {step}: {fault}"
        for step, opinion in enumerate(said, start=1)
        for fault in _faults(opinion, step)
    ]
    if faults:
        raise ValueError("; ".join(faults))
    return [_completed(opinion) for opinion in said]


async def _asked(checker: Loaded, view: View) -> Any:
    """What a checker returns; whatever else it does comes out as an exception."""
    if not _is_coroutine(checker.function):
        said = await checker.worker.run(partial(checker.function, view), checker.timeout)
        if not inspect.isawaitable(said):
            return said
    else:
        said = checker.function(view)
    try:
        async with asyncio.timeout(checker.timeout) as timer:
            return await said
    except TimeoutError:
        if timer.expired():
            raise TimeoutError(too_long(checker.timeout)) from None
        raise
    except SystemExit as error:
        raise RuntimeError(f"it raised SystemExit: {error}") from error
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise  # the build is being stopped
        raise RuntimeError("it cancelled itself") from None


def _is_coroutine(function: Any) -> bool:
    own_call = getattr(type(function), "__call__", None)  # noqa: B004 - an object may be async too
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(own_call)


def _faults(opinion: Any, step: int) -> Iterator[str]:
    if not isinstance(opinion, Opinion):
        yield f"found {_shown(opinion)}, expected an opinion: correct(), error() or abstained()"
        return
    label, category, premises = opinion.label, opinion.category, opinion.premises
    if opinion.status == "abstained":
        if label is not None or category is not None:
            yield "an abstention has no label and no category"
    elif opinion.status != "ok":
        yield f"the status is {_shown(opinion.status)}, expected ok or abstained"
    elif label == "correct":
        if category is not None:
            yield f"the category is {_shown(category)}, expected none where the label is correct"
    elif label != "error":
        yield f"the label is {_shown(label)}, expected correct or error"
    elif category == "accumulation_error":
        yield (
            "the category is `accumulation_error`, expected correct: a vote is about the step "
            "itself, and what it inherits is decided from the premises"
        )
    elif category is not None and category not in NATIVE_ERRORS:
        yield f"the category is {_shown(category)}, expected one of {', '.join(NATIVE_ERRORS)}"
    explanation: Any = opinion.explanation
    if not isinstance(explanation, str | None):
        yield f"the explanation is {_shown(opinion.explanation)}, expected a text"
    yield from _premise_faults(premises, step)


def _premise_faults(premises: Any, step: int) -> Iterator[str]:
    if premises is None:
        return
    if not isinstance(premises, tuple | list):
        yield f"the premises are {_shown(premises)}, expected a list of numbers"
        return
    for premise in premises:
        number = isinstance(premise, int) and not isinstance(premise, bool)
        if not number or not 0 <= premise < step:
            yield f"a premise is {_shown(premise)}, expected numbers from 0 to {step - 1}"


def _completed(opinion: Opinion) -> Opinion:
    unnamed = opinion.label == "error" and opinion.category is None
    premises = None if opinion.premises is None else tuple(sorted(set(opinion.premises)))
    category = "other" if unnamed else opinion.category
    return replace(opinion, category=category, premises=premises)


def _error_vote(
    judge: CheckerJudge, version: str, chain: Chain, step: int, opinion: Opinion
) -> Vote:
    return Vote(
        chain_id=chain.chain_id,
        step=step,
        task="error",
        judge=judge.name,
        prompt_version=version,
        label=opinion.label,
        category=opinion.category,
        premises=None,
        explanation=kept(opinion.explanation),
        status=opinion.status,
        request_key=None,
    )


def _premise_vote(
    judge: CheckerJudge, version: str, chain: Chain, step: int, opinion: Opinion
) -> Vote:
    return Vote(
        chain_id=chain.chain_id,
        step=step,
        task="premises",
        judge=judge.name,
        prompt_version=version,
        label=None,
        category=None,
        premises=None if opinion.premises is None else list(opinion.premises),
        explanation=None,
        status="abstained" if opinion.premises is None else "ok",
        request_key=None,
    )


def _shown(value: Any) -> str:
    """A value for a message, of bounded length; an object may fail at showing itself."""
    if value is None:
        return "nothing"
    if not isinstance(value, str | int | float):
        return f"a value of type {type(value).__name__}"
    text = str(value) if not isinstance(value, int) or abs(value) < 10**SHOWN else "a huge number"
    return f"`{text}`" if len(text) <= SHOWN else f"`{text[: SHOWN - 1]}…`"

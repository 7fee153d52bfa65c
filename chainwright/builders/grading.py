"""Whether a chain's final answer is the problem's."""

from typing import Any

from chainwright.builders.matching import Match, async_match, match
from chainwright.schemas.problem import Problem


def matches_answer(problem: Problem, given: str | None) -> bool | None:
    """Whether an answer equals the gold one; None where that can't be decided."""
    if problem.answer is None or not given:
        return None
    return _equal(match(problem.answer, given, **_case(problem)))


async def is_right(problem: Problem, given: str | None) -> bool | None:
    """`matches_answer` off the event loop: an answer may take a worker process some seconds."""
    if problem.answer is None or not given:
        return None
    return _equal(await async_match(problem.answer, given, **_case(problem)))


def _case(problem: Problem) -> dict[str, Any]:
    return {
        "question": problem.question,
        "options": problem.options,
        "kind": problem.answer_kind,
    }


def _equal(found: Match) -> bool | None:
    return {"equal": True, "different": False}.get(found.verdict)

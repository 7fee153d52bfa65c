"""Whether a chain's final answer is the problem's."""

import asyncio

from chainwright.builders.matching import match
from chainwright.schemas.problem import Problem


def matches_answer(problem: Problem, given: str | None) -> bool | None:
    """Whether an answer equals the gold one; None where that can't be decided."""
    if problem.answer is None or not given:
        return None
    found = match(
        problem.answer,
        given,
        question=problem.question,
        options=problem.options,
        kind=problem.answer_kind,
    )
    return {"equal": True, "different": False}.get(found.verdict)


async def is_right(problem: Problem, given: str | None) -> bool | None:
    """`matches_answer` off the event loop: an answer may take a worker process some seconds."""
    return await asyncio.to_thread(matches_answer, problem, given)

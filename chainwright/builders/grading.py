"""Whether a chain's final answer is the problem's."""

import asyncio

from chainwright.builders.matching import match
from chainwright.builders.option_answers import same_option
from chainwright.builders.text_answers import same_text, word_f1
from chainwright.schemas.problem import Problem


def matches_answer(problem: Problem, given: str | None) -> bool | None:
    """Whether an answer equals the gold one; None where that can't be decided.

    Questions about a context have rules of their own: `same_option` for choices, and `same_text`,
    with the aliases, for texts.
    """
    if problem.answer is None or not given:
        return None
    if problem.track != "math" and problem.answer_kind == "option" and problem.options:
        return same_option(given, problem.answer, problem.options, problem.question)
    if problem.track != "math" and problem.answer_kind == "text":
        return same_text(given, [problem.answer, *problem.aliases], problem.question)
    found = match(
        problem.answer,
        given,
        question=problem.question,
        options=problem.options,
        kind=problem.answer_kind,
    )
    return {"equal": True, "different": False}.get(found.verdict)


def answer_f1(problem: Problem, given: str | None) -> float | None:
    """Word F1 against the gold answer or its best alias; None where there are no two texts."""
    if (
        not given
        or problem.track == "math"
        or problem.answer_kind != "text"
        or problem.answer is None
    ):
        return None
    return word_f1(given, [problem.answer, *problem.aliases])


async def is_right(problem: Problem, given: str | None) -> bool | None:
    """`matches_answer` off the event loop: an answer may take a worker process some seconds."""
    return await asyncio.to_thread(matches_answer, problem, given)

"""Whether a chain's final answer is the problem's."""

from typing import Any

from chainwright.builders.matching import Match, async_match, match
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
    if _has_own_rule(problem):
        return _by_own_rule(problem, problem.answer, given)
    return _equal(match(problem.answer, given, **_case(problem)))


def answer_f1(problem: Problem, given: str | None) -> float | None:
    """Word F1 against the gold answer or its best alias; None where there are no two texts."""
    texts = problem.track != "math" and problem.answer_kind == "text"
    if not texts or not given or problem.answer is None:
        return None
    return word_f1(given, [problem.answer, *problem.aliases])


async def is_right(problem: Problem, given: str | None) -> bool | None:
    """`matches_answer` off the event loop: an answer may take a worker process some seconds."""
    if problem.answer is None or not given:
        return None
    if _has_own_rule(problem):
        return _by_own_rule(problem, problem.answer, given)
    return _equal(await async_match(problem.answer, given, **_case(problem)))


def _has_own_rule(problem: Problem) -> bool:
    if problem.track == "math":
        return False
    return problem.answer_kind == "text" or bool(
        problem.answer_kind == "option" and problem.options
    )


def _by_own_rule(problem: Problem, gold: str, given: str) -> bool | None:
    if problem.answer_kind == "option":
        return same_option(given, gold, problem.options, problem.question)
    return same_text(given, [gold, *problem.aliases], problem.question)


def _case(problem: Problem) -> dict[str, Any]:
    return {
        "question": problem.question,
        "options": problem.options,
        "kind": problem.answer_kind,
    }


def _equal(found: Match) -> bool | None:
    return {"equal": True, "different": False}.get(found.verdict)

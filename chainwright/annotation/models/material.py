"""What a model judge sees of a chain: the question and the steps, as numbered texts."""

from collections.abc import Iterable, Mapping
from string import ascii_uppercase
from typing import Any

from chainwright.annotation.programs.case import Case
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem


def model_case(problem: Problem, chain: Chain) -> Case:
    """The chain as a model sees it, without origin, polarity or anything of the source's answer."""
    return Case(question=_question(problem), steps=tuple(chain.steps))


def numbers(case: Case) -> range:
    """The numbers of the steps, from 1 on."""
    return range(1, len(case.steps) + 1)


def material(case: Case, steps: Iterable[int]) -> Mapping[str, Any]:
    """The question and some of the steps, by number, as the templates take them."""
    return {
        "question": case.question,
        "steps": [(number, case.steps[number - 1]) for number in steps],
    }


def _question(problem: Problem) -> str:
    """Question, choices and passages; steps cite a passage by its number."""
    parts = [problem.question]
    if problem.options:
        options = enumerate(problem.options)
        parts.append("\n".join(f"{_letter(place)}. {option}" for place, option in options))
    for passage in problem.context:
        title = f" {passage.title}" if passage.title else ""
        parts.append(f"[{passage.ref}]{title}\n{passage.text}")
    return "\n\n".join(parts)


def _letter(place: int) -> str:
    return ascii_uppercase[place] if place < len(ascii_uppercase) else str(place + 1)

"""Context prompts: how a model is shown a question about numbered references, and answers it."""

from typing import Literal

from chainwright.builders.citations import without_citations
from chainwright.builders.final_answer import find_final_answer
from chainwright.llm.prompts import render
from chainwright.schemas.problem import Problem

PROMPTS = {"json": "solve_context", "text": "solve_context_text"}
_STATED = ("box", "mark", "line", "phrase", "bold")


def is_about_context(problem: Problem) -> bool:
    """Whether a problem is asked with its references and answered with citations.

    Mathematics that comes with a passage is not: there `[1, 3]` may be an interval.
    """
    return bool(problem.context) and problem.track != "math"


def solving_prompt(form: Literal["json", "text"], problem: Problem) -> str:
    """The prompt that asks for steps with citations; the references come before the question."""
    return render(PROMPTS[form], **material(problem))


def material(problem: Problem) -> dict[str, object]:
    """The values of the templates that show a problem with its references."""
    return {
        "references": [
            (passage.ref, f"{passage.title}\n{passage.text}".strip()) for passage in problem.context
        ],
        "question": problem.question,
        "options": "\n".join(
            f"{chr(ord('A') + place)}. {option}" for place, option in enumerate(problem.options)
        ),
    }


def stated_answer(text: str) -> str | None:
    r"""The answer that a free text announces, and never a number from its prose.

    >>> stated_answer("He studied at Clark [3].\nThe answer is: Clark University [3]")
    'Clark University'
    """
    found = find_final_answer(text)
    return bare_answer(found.answer) if found.rule in _STATED else None


def bare_answer(answer: str | None) -> str | None:
    """An answer without its citations; None where nothing else is left."""
    return without_citations(answer or "") or None

"""Existing chains: reasoning that a source's rows bring along, such as models' solutions."""

from collections.abc import Mapping
from typing import Any

from chainwright.builders.answers import split_answer_line
from chainwright.builders.citations import citations_of
from chainwright.builders.context_prompts import is_about_context
from chainwright.builders.fields import (
    Refused,
    clean_text,
    optional_word_at,
    present,
    type_in_words,
)
from chainwright.builders.grading import answer_f1, matches_answer
from chainwright.formats.columns import ABSENT, pick
from chainwright.recipe import ExistingChain
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem


def chain_from_row(
    row: Mapping[str, Any], columns: ExistingChain, problem: Problem, *, problem_id: str
) -> Chain:
    """The chain in a raw row.

    A list of steps is taken as it is; a text is cut at line ends, and a last line that states the
    answer (`#### N`, `A: N`) is no step but the final answer, unless a column gives that. Without a
    column for correctness, it follows from comparing the final answer with the problem's, and is
    undecided where that is; see `matching`.

    Args:
        problem: The row's own problem, whose answer the chain is held against.
        problem_id: The problem that the chain belongs to, another one where the question is a
            repeated one.

    Raises:
        Refused: `no_chain` where the column is missing, null or empty, `missing_field` where
            another named column is, `wrong_type`, `empty_field`, `bad_encoding`.
    """
    steps, stated = _steps(row, columns)
    final_answer = optional_word_at(row, columns.final_answer) if columns.final_answer else stated
    return Chain.build(
        problem_id=problem_id,
        origin="model",
        generator=columns.generator,
        steps=steps,
        citations=_citations(steps, problem),
        final_answer=final_answer,
        is_correct=_is_correct(row, columns.is_correct, final_answer, problem),
        answer_f1=answer_f1(problem, final_answer),
    )


def _citations(steps: list[str], problem: Problem) -> list[list[int]]:
    return citations_of(steps, len(problem.context)) if is_about_context(problem) else []


def _steps(row: Mapping[str, Any], columns: ExistingChain) -> tuple[list[str], str | None]:
    column = columns.steps or columns.solution or ""
    value = pick(row, column)
    if value is ABSENT or value is None or value in ("", []):
        found = "missing" if value is ABSENT else "null" if value is None else "empty"
        raise Refused("no_chain", f"`{column}` is {found}")
    if columns.steps:
        if not isinstance(value, list):
            found = type_in_words(value)
            raise Refused("wrong_type", f"`{column}` is {found}, expected a list of texts")
        return [clean_text(step, f"{column}[{at}]") for at, step in enumerate(value)], None
    steps, answer = split_answer_line(clean_text(value, column))
    if not steps:
        raise Refused("no_chain", f"`{column}` holds an answer and no steps")
    return steps, answer


def _is_correct(
    row: Mapping[str, Any], column: str | None, final_answer: str | None, problem: Problem
) -> bool | None:
    if column is None:
        return matches_answer(problem, final_answer)
    value = present(row, column)
    if value is None or isinstance(value, bool):
        return value
    # CSV has no truth values: there they are words.
    words = {"true": True, "false": False}
    if isinstance(value, str) and value.strip().lower() in words:
        return words[value.strip().lower()]
    found = f"`{value}`" if isinstance(value, str) else type_in_words(value)
    raise Refused("wrong_type", f"`{column}` is {found}, expected true, false or null")

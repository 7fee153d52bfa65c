"""Problem rows: one raw row of a source made into a problem, by the source's kind."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from chainwright.builders.answers import plain_number, split_answer_line
from chainwright.builders.context_sources.choices import choice_problem
from chainwright.builders.context_sources.filters import check_wanted
from chainwright.builders.context_sources.musique import musique_problem
from chainwright.builders.context_sources.shapes import aliases_of
from chainwright.builders.context_sources.two_wiki import two_wiki_problem
from chainwright.builders.fields import (
    Refused,
    clean_text,
    optional_text_at,
    optional_word_at,
    present,
    text_at,
    type_in_words,
)
from chainwright.builders.final_answer import find_final_answer
from chainwright.builders.labelled_rows import labelled_problem
from chainwright.builders.raw_rows import printable
from chainwright.builders.worlds.rows import world_problem
from chainwright.formats.columns import ABSENT, pick
from chainwright.recipe_parts.sources import Columns, Source
from chainwright.schemas.problem import Passage, Problem

ANSWER_MARK = "####"


def problem_from_row(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """The problem in a raw row.

    Raises:
        Refused: with the reason why there is none.
    """
    return _KINDS[source.kind](row, source, printable(where))


def _gsm8k(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """GSM8K (arXiv 2110.14168): the answer is a solution that ends in `#### N`.

    The solution is kept whole; the answer loses its commas and currency sign.
    """
    question, solution = text_at(row, "question"), text_at(row, "answer")
    marks = solution.count(ANSWER_MARK)
    if marks != 1:
        reason = "several_answer_marks" if marks else "no_answer_mark"
        raise Refused(reason, f"`answer` holds {marks} times {ANSWER_MARK}, expected 1")
    return Problem.build(
        source=source.known_as,
        split=source.known_split,
        question=question,
        answer=_number(solution.partition(ANSWER_MARK)[2].strip(), f"behind {ANSWER_MARK}"),
        answer_kind="number",
        solution=solution,
        licence=source.known_licence,
        track=source.known_track,
        origin_ref=where,
    )


def _generic(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """Any row, by the recipe's columns.

    A named column must be there, and may be null except for the question. Where a solution is
    named but no answer, the answer is the one that the solution's last line states.
    """
    columns = source.columns or Columns(question="question")
    question = text_at(row, columns.question)
    solution = optional_text_at(row, columns.solution)
    answer = optional_word_at(row, columns.answer)
    place = f"`{columns.answer}`"
    if columns.answer is None and solution is not None:
        answer, place = split_answer_line(solution)[1], f"at the end of `{columns.solution}`"
    if answer is not None and source.answer_kind == "number":
        answer = _number(answer, place)
    context = _context(row, columns.context)
    question_type = optional_word_at(row, columns.type)
    check_wanted(source, context, question_type=question_type)
    return Problem.build(
        source=source.known_as,
        split=source.known_split,
        question=question,
        context=context,
        options=_options(row, columns.options),
        answer=answer,
        answer_kind=source.answer_kind,
        solution=solution,
        licence=source.known_licence,
        track=source.known_track,
        origin_ref=where,
        aliases=_aliases(row, columns.aliases, answer),
        question_type=question_type,
    )


def _math(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """MATH (arXiv 2103.03874) and MATH-500: `problem` and a `solution` with boxes.

    The answer is the column `answer` where the row has one, else the solution's last box. Drawings
    (`[asy]`) stay in the question: some cannot be answered without.
    """
    solution = text_at(row, "solution")
    given = pick(row, "answer")
    has_answer = given is not ABSENT and given is not None and given != ""
    answer = optional_word_at(row, "answer") if has_answer else None
    return _worked(source, where, text_at(row, "problem"), solution, answer)


def _orca_math(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """Orca-Math (arXiv 2402.14830): `question`, and `answer`, prose that ends in the result."""
    return _worked(source, where, text_at(row, "question"), text_at(row, "answer"), None)


_STATED = re.compile(r"(?:\A|\n)[^\S\n]*The answer is:[^\S\n]*(?P<answer>[^\n]*\S)\s*\Z")


def _metamathqa(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """MetaMathQA (arXiv 2309.12284): `query`, and a `response` that ends in `The answer is: …`.

    Where GSM8K's `#### N` stands right above that line, the line is left out of the solution, which
    is in GSM8K's format then.
    """
    solution = text_at(row, "response")
    stated = _STATED.search(solution)
    answer = stated["answer"].strip() if stated else None
    if stated and solution[: stated.start()].rpartition("\n")[2].startswith(ANSWER_MARK):
        solution = solution[: stated.start()]
    return _worked(source, where, text_at(row, "query"), solution, answer)


def _worked(
    source: Source, where: str, question: str, solution: str, answer: str | None
) -> Problem:
    """A problem whose answer, where it is not given, is what its solution states.

    Raises:
        Refused: `no_answer`, with the reason why none is stated.
    """
    if answer is None:
        found = find_final_answer(solution, question=question)
        if found.answer is None:
            raise Refused("no_answer", f"the solution states no answer: {found.reason}")
        answer = found.answer
    if source.answer_kind == "number":
        answer = _number(answer, "as the answer")
    return Problem.build(
        source=source.known_as,
        split=source.known_split,
        question=question,
        answer=answer,
        answer_kind=source.answer_kind,
        solution=solution,
        licence=source.known_licence,
        track=source.known_track,
        origin_ref=where,
    )


_KINDS: dict[str, Callable[[Mapping[str, Any], Source, str], Problem]] = {
    "gsm8k": _gsm8k,
    "math": _math,
    "orca_math": _orca_math,
    "metamathqa": _metamathqa,
    "worlds": world_problem,
    "musique": musique_problem,
    "2wikimultihopqa": two_wiki_problem,
    "reclor": choice_problem,
    "logiqa": choice_problem,
    "logiqa2": choice_problem,
    "labelled": labelled_problem,
    "generic": _generic,
}


def _number(text: str, place: str) -> str:
    number = plain_number(text)
    if number is None:
        raise Refused("answer_not_a_number", f"`{text[:80]}` {place} is no number")
    return number


def _context(row: Mapping[str, Any], column: str | None) -> list[Passage]:
    """Text is one passage; a list holds texts, or objects with `text` and perhaps `title`."""
    if column is None:
        return []
    value = present(row, column)
    if isinstance(value, str):
        return [Passage(ref=1, title="", text=clean_text(value, column))]
    items = _list(value, column, "text, a list of texts or a list of objects with title and text")
    return [_passage(item, ref, f"{column}[{ref - 1}]") for ref, item in enumerate(items, start=1)]


def _passage(item: Any, ref: int, place: str) -> Passage:
    if not isinstance(item, Mapping):
        allowed = "text, or an object with title and text"
        return Passage(ref=ref, title="", text=clean_text(item, place, allowed))
    if "text" not in item:
        raise Refused("missing_field", f"`{place}` has no `text`; there are: {', '.join(item)}")
    text = clean_text(item["text"], f"{place}.text")
    title = item.get("title")
    if title in (None, ""):
        return Passage(ref=ref, title="", text=text)
    return Passage(ref=ref, title=clean_text(title, f"{place}.title"), text=text)


def _aliases(row: Mapping[str, Any], column: str | None, answer: str | None) -> list[str]:
    if column is None or answer is None:
        return []
    return aliases_of(present(row, column), column, answer)


def _options(row: Mapping[str, Any], column: str | None) -> list[str]:
    if column is None:
        return []
    items = _list(present(row, column), column, "a list of texts")
    return [clean_text(item, f"{column}[{place}]") for place, item in enumerate(items)]


def _list(value: Any, column: str, allowed: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise Refused("wrong_type", f"`{column}` is {type_in_words(value)}, expected {allowed}")
    return value

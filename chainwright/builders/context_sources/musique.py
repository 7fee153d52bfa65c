"""MuSiQue (arXiv 2108.00573): questions that chain two to four facts, among 20 paragraphs."""

import re
from collections.abc import Mapping
from typing import Any

from chainwright.builders.context_sources.filters import check_wanted
from chainwright.builders.context_sources.shapes import aliases_of, answer_of, list_at
from chainwright.builders.fields import Refused, clean_text, present, text_at
from chainwright.formats.columns import ABSENT, pick
from chainwright.recipe_parts.sources import Source
from chainwright.schemas.problem import Passage, Problem, SupportingFact

_ID = re.compile(r"(?P<type>(?P<hops>\d)hop\d*)__")


def musique_problem(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """A problem of MuSiQue-Ans, or of the answerable half of MuSiQue-Full.

    Hops are counted in the question's decomposition, or read off the id (`3hop1__…`), whose head
    is the type of question. Where no paragraph is marked as supporting, those that the
    decomposition names are.

    Raises:
        Refused: `not_answerable`, `no_answer`, the reasons of the fields and of the filters.
    """
    if pick(row, "answerable") is False:
        raise Refused("not_answerable", "`answerable` is false: the evidence was taken out")
    question, answer = text_at(row, "question"), answer_of(row)
    parts = pick(row, "question_decomposition")
    named = _ID.match(str(pick(row, "id")))
    steps = [] if parts is ABSENT else list_at(parts, "question_decomposition")
    context, refs = _context(row)
    question_type = named["type"] if named else None
    hops = len(steps) or (int(named["hops"]) if named else None)
    check_wanted(source, context, question_type=question_type, hops=hops)
    aliases = pick(row, "answer_aliases")
    return Problem.build(
        source=source.known_as,
        split=source.known_split,
        question=question,
        context=context,
        answer=answer,
        answer_kind="text",
        licence=source.known_licence,
        track=source.known_track,
        origin_ref=where,
        aliases=[] if aliases is ABSENT else aliases_of(aliases, "answer_aliases", answer),
        supporting=_supporting(row, refs, steps),
        question_type=question_type,
    )


def _paragraphs(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    paragraphs = list_at(present(row, "paragraphs"), "paragraphs")
    for at, one in enumerate(paragraphs):
        if not isinstance(one, Mapping):
            raise Refused("wrong_type", f"`paragraphs[{at}]` is no object")
    if not paragraphs:
        raise Refused("no_context", "`paragraphs` is empty")
    return paragraphs


def _context(row: Mapping[str, Any]) -> tuple[list[Passage], dict[Any, int]]:
    """The passages, and the number of each by the index that the row knows it by."""
    context: list[Passage] = []
    refs: dict[Any, int] = {}
    for at, one in enumerate(_paragraphs(row)):
        place = f"paragraphs[{at}]"
        index, title = one.get("idx", at), one.get("title")
        if not isinstance(index, int) or index in refs:
            raise Refused("bad_context", f"`{place}.idx` is {index!r}, expected one of its own")
        refs[index] = at + 1
        text = clean_text(present(one, "paragraph_text"), f"{place}.paragraph_text")
        title = "" if title in (None, "") else clean_text(title, f"{place}.title")
        context.append(Passage(ref=at + 1, title=title, text=text))
    return context, refs


def _supporting(
    row: Mapping[str, Any], refs: Mapping[Any, int], steps: list[Any]
) -> list[SupportingFact]:
    marked = [one.get("is_supporting") is True for one in _paragraphs(row)]
    found = [at for at, is_marked in enumerate(marked, start=1) if is_marked]
    if not found:
        named = [step.get("paragraph_support_idx") for step in steps if isinstance(step, Mapping)]
        found = sorted({refs[one] for one in named if isinstance(one, int) and one in refs})
    return [SupportingFact(ref=ref, sentence=None) for ref in found]

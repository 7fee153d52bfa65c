"""2WikiMultihopQA (arXiv 2011.01060): questions across Wikipedia articles, with evidence."""

from collections.abc import Mapping
from typing import Any

from chainwright.builders.context_sources.filters import check_wanted
from chainwright.builders.context_sources.shapes import (
    aliases_of,
    answer_of,
    list_at,
    records_at,
)
from chainwright.builders.fields import Refused, clean_text, optional_word_at, present, text_at
from chainwright.formats.columns import ABSENT, pick
from chainwright.recipe_parts.sources import Source
from chainwright.schemas.problem import Passage, Problem, SupportingFact

Sentences = list[list[str]]


def two_wiki_problem(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """A problem of 2WikiMultihopQA, from the publisher's JSON or a copy of it on the Hub.

    Hops are the evidence triples, or else the supporting sentences. A supporting fact is named by
    title and place of its sentence: of articles with the same title, all that have that sentence
    are meant; a fact that no article has is left out, as the publisher's files hold some.

    Raises:
        Refused: `no_answer`, the reasons of the fields and of the filters.
    """
    question, answer = text_at(row, "question"), answer_of(row)
    context, sentences = _context(row)
    supporting = _supporting(row, context, sentences)
    evidences = pick(row, "evidences")
    triples = [] if evidences is ABSENT else _count(evidences)
    question_type = _type(row)
    hops = len(triples) or len(supporting) or None
    check_wanted(source, context, question_type=question_type, hops=hops)
    aliases = next(
        (v for name in ("answer_aliases", "aliases") if (v := pick(row, name)) is not ABSENT), None
    )
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
        aliases=aliases_of(aliases, "answer_aliases", answer),
        supporting=supporting,
        question_type=question_type,
    )


def _type(row: Mapping[str, Any]) -> str | None:
    kind = pick(row, "type")
    return None if kind is ABSENT else optional_word_at(row, "type")


def _count(evidences: Any) -> list[Any]:
    """The evidence, whatever a triple looks like: only how many there are counts."""
    if isinstance(evidences, Mapping):
        columns = [column for column in evidences.values() if isinstance(column, list)]
        return max(columns, key=len, default=[])
    return list_at(evidences, "evidences")


def _context(row: Mapping[str, Any]) -> tuple[list[Passage], Sentences]:
    """One passage an article; the sentences of each as they are counted."""
    context: list[Passage] = []
    sentences: Sentences = []
    articles = records_at(present(row, "context"), "context", ("title", "sentences|content"))
    for ref, (named, listed) in enumerate(articles, start=1):
        place = f"context[{ref - 1}]"
        found = [listed] if isinstance(listed, str) else list_at(listed, place)
        own = [clean_text(one, place) if one else "" for one in found]
        text = clean_text(" ".join(one.strip() for one in own if one), place)
        title = "" if named in (None, "") else clean_text(named, f"{place} title")
        context.append(Passage(ref=ref, title=title, text=text))
        sentences.append(own)
    if not context:
        raise Refused("no_context", "`context` is empty")
    return context, sentences


def _supporting(
    row: Mapping[str, Any], context: list[Passage], sentences: Sentences
) -> list[SupportingFact]:
    value = pick(row, "supporting_facts")
    facts = [] if value is ABSENT else records_at(value, "supporting_facts", ("title", "sent_id"))
    return [
        SupportingFact(ref=passage.ref, sentence=own[at].strip())
        for title, at in facts
        for passage, own in zip(context, sentences, strict=True)
        if passage.title == title and isinstance(at, int) and 0 <= at < len(own) and own[at]
    ]

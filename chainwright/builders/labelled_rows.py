"""Labelled rows: a source whose rows are chains with labels, in a format of other projects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chainwright.builders.fields import Refused
from chainwright.builders.grading import answer_f1, matches_answer
from chainwright.formats.catalogue import FORMATS, source_name
from chainwright.formats.trace import Trace, Unfit
from chainwright.recipe_parts.sources import Source
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.published import PublishedLabel


def labelled_problem(row: Mapping[str, Any], source: Source, where: str) -> Problem:
    """The problem of a row.

    Raises:
        Refused: with the reason for which the format's reader has none.
    """
    found = _trace(row, source, where).problem
    return Problem.build(
        source=source.known_as,
        split=source.known_split,
        question=found.question,
        context=found.context,
        options=found.options,
        answer=found.answer,
        answer_kind=source.answer_kind,
        solution=found.solution,
        licence=source.known_licence,
        track=source.track or found.track,
        origin_ref=where,
    )


def labelled_chain(
    row: Mapping[str, Any], source: Source, where: str, problem: Problem, problem_id: str
) -> tuple[Chain, list[PublishedLabel]]:
    """The chain of a row, and what the corpus says of its steps.

    Where the row does not say whether the chain is correct, that follows from its final answer, as
    for any chain that a row brings along.

    Args:
        problem: The row's own problem.
        problem_id: The problem that the chain belongs to, another one where the question is a
            repeated one.
    """
    trace = _trace(row, source, where)
    said = trace.chain.is_correct
    chain = Chain.build(
        problem_id=problem_id,
        origin=trace.chain.origin,
        generator=trace.chain.generator,
        steps=trace.chain.steps,
        citations=trace.chain.citations,
        final_answer=trace.chain.final_answer,
        is_correct=matches_answer(problem, trace.chain.final_answer) if said is None else said,
        answer_f1=answer_f1(problem, trace.chain.final_answer),
    )
    return chain, [
        PublishedLabel(
            chain_id=chain.chain_id,
            step=step,
            source=source.known_as,
            format=source.format or "",
            label=label.label,
            category=label.category,
            premises=None if label.premises is None else list(label.premises),
            explanation=label.explanation,
            verbatim=label.verbatim,
        )
        for step, label in enumerate(trace.labels, 1)
    ]


def _trace(row: Mapping[str, Any], source: Source, where: str) -> Trace:
    known = FORMATS[source.format or ""]
    if known.record is None:
        raise Refused("wrong_type", f"rows of {source.format} hold no chain")
    try:
        return known.read(row, source_name(where.rpartition(":")[0]))
    except Unfit as unfit:
        raise Refused(unfit.reason, unfit.detail) from unfit

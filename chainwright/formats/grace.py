"""A GRACE-like record: question, references, and steps with citations, labels and reasons.

The fields are those that the paper names (GRACE, arXiv 2606.16151): its own files were not at hand.
It holds whatever a trace does, undecided steps and chains of any track, and so loses nothing.
"""

from __future__ import annotations

import re
from typing import Any, get_args

from pydantic import ValidationError

from chainwright.formats.fields import Row, field, items, optional
from chainwright.formats.trace import StepLabel, Trace, Unfit
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Passage, Problem
from chainwright.schemas.words import SOUND, TRACKS, Binary, Origin, Tier

_CITED = re.compile(r"\[(\d+(?:\s*,\s*\d+)*)\]")


def grace_row(trace: Trace) -> dict[str, Any]:
    """The trace as a GRACE-like row; nothing is refused."""
    problem, chain = trace.problem, trace.chain
    return {
        "id": chain.chain_id,
        "source": problem.source,
        "licence": problem.licence,
        "track": problem.track,
        "question": problem.question,
        "context": [passage.model_dump() for passage in problem.context],
        "options": problem.options,
        "answer": problem.answer,
        "generator": chain.generator,
        "origin": chain.origin,
        "parent_id": chain.parent_id,
        "final_answer": chain.final_answer,
        "is_correct": chain.is_correct,
        "steps": [
            {
                "step": number,
                "text": text,
                "citations": _citations(trace, number),
                "premises": None if label.premises is None else list(label.premises),
                "label": label.label,
                "category": label.category,
                "explanation": label.explanation,
                "tier": label.tier,
            }
            for number, (text, label) in enumerate(zip(chain.steps, trace.labels, strict=True), 1)
        ],
        "tier": trace.tier,
    }


def read_grace(row: Row, source: str) -> Trace:
    """The trace of a GRACE-like row; only the question and steps with text and label must be there.

    Raises:
        Unfit: `missing_field`, `wrong_type`, `empty_field`; `bad_label` for a word that is none of
            ours.
    """
    steps = items(row, "steps", dict)
    track: Any = optional(row, "track", str) or ("grounding" if row.get("context") else "math")
    if track not in TRACKS:
        raise Unfit("bad_label", f"`track` is {track!r}, expected one of {', '.join(TRACKS)}")
    origin: Any = optional(row, "origin", str) or "model"
    if origin not in get_args(Origin):
        raise Unfit("bad_label", f"`origin` is {origin!r}, expected {', '.join(get_args(Origin))}")
    try:
        problem = Problem.build(
            source=optional(row, "source", str) or source,
            question=field(row, "question", str),
            context=[Passage(**one) for one in optional(row, "context", list) or []],
            options=optional(row, "options", list),
            answer=optional(row, "answer", str),
            licence=optional(row, "licence", str),
            track=track,
        )
        chain = Chain.build(
            problem_id=problem.problem_id,
            origin=origin,
            generator=optional(row, "generator", str) or f"source:{source}",
            steps=[field(one, "text", str, f"steps[{at}].") for at, one in enumerate(steps)],
            citations=_read_citations(steps),
            final_answer=optional(row, "final_answer", str),
            is_correct=optional(row, "is_correct", bool),
            parent_id=optional(row, "parent_id", str),
        )
    except (ValidationError, TypeError) as error:
        raise Unfit("wrong_type", f"the row does not fit: {str(error)[:300]}") from error
    labels = [_read_label(one, f"steps[{at}].") for at, one in enumerate(steps)]
    return Trace(problem, chain, tuple(labels))


def _citations(trace: Trace, step: int) -> list[int]:
    """What a step cites, read off its brackets where the chain does not say."""
    if trace.chain.citations:
        return trace.chain.citations[step - 1]
    known = {passage.ref for passage in trace.problem.context}
    found = (
        int(number)
        for listed in _CITED.findall(trace.chain.steps[step - 1])
        for number in listed.split(",")
    )
    return sorted(known.intersection(found))


def _read_citations(steps: list[Row]) -> list[list[int]]:
    found = [
        optional(one, "citations", list, f"steps[{at}].") or [] for at, one in enumerate(steps)
    ]
    return found if any(found) else []


def _read_label(step: Row, place: str) -> StepLabel:
    label = optional(step, "label", str, place)
    tier = optional(step, "tier", str, place)
    for value, words in ((label, get_args(Binary)), (tier, get_args(Tier))):
        if value is not None and value not in words:
            key = "label" if value is label else "tier"
            raise Unfit("bad_label", f"`{place}{key}` is {value!r}, expected {', '.join(words)}")
    premises = optional(step, "premises", list, place)
    category = optional(step, "category", str, place)
    if label in (None, *SOUND) and category is not None:
        raise Unfit("bad_label", f"`{place}category` is {category!r} beside the label {label}")
    return StepLabel(
        label=label,
        category=category,
        premises=None if premises is None else tuple(premises),
        explanation=optional(step, "explanation", str, place),
        tier=tier,
        verbatim=f"{label}/{category}" if category else str(label).lower(),
    )

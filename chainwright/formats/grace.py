"""A GRACE-like record: question, references, and steps with citations, labels and reasons.

The fields are those that the paper names (GRACE, arXiv 2606.16151): its own files were not at hand.
It holds whatever a trace does, undecided steps and chains of any track, and so loses nothing.
"""

from __future__ import annotations

import re
from typing import Any, get_args

from pydantic import ValidationError

from chainwright.formats.fields import Row, field, items, objects, optional, optional_items, word
from chainwright.formats.record import LabelledRecord, StatedLabel, StatedPremises
from chainwright.formats.trace import Trace, Unfit
from chainwright.schemas.problem import Passage
from chainwright.schemas.words import SOUND, TRACKS, Binary, Origin, Polarity, Tier

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


def read_grace(row: Row, source: str) -> LabelledRecord:
    """A GRACE-like row; only the question and steps with text and label must be there.

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
    correct = optional(row, "is_correct", bool)
    stated = [_read_label(at, one) for at, one in enumerate(steps, 1)]
    return LabelledRecord(
        kind="grace",
        question=field(row, "question", str),
        steps=tuple(field(one, "text", str, f"steps[{at}].") for at, one in enumerate(steps)),
        labels=tuple(label for label, _ in stated),
        premises=tuple(premises for _, premises in stated if premises is not None) or None,
        polarity=_polarity(origin, correct),
        is_correct=correct,
        context=tuple(
            _passage(at, one)
            for at, one in enumerate(objects(row, "context") if row.get("context") else [])
        ),
        citations=_read_citations(steps),
        options=tuple(optional_items(row, "options", str)),
        answer=optional(row, "answer", str),
        final_answer=optional(row, "final_answer", str),
        licence=optional(row, "licence", str),
        track=track,
        origin=origin,
        generator=optional(row, "generator", str),
        parent_id=optional(row, "parent_id", str),
        name=word(row, "id"),
        source=optional(row, "source", str),
    )


def _polarity(origin: Origin, correct: bool | None) -> Polarity | None:
    if origin == "synthetic":
        return "synthetic_negative"
    return None if correct is None else "positive" if correct else "negative"


def _passage(at: int, row: Row) -> Passage:
    try:
        return Passage.model_validate(row)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join([f"context[{at}]", *map(str, first["loc"])])
        raise Unfit("wrong_type", f"`{place}`: {first['msg']}") from error


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


def _read_citations(steps: list[Row]) -> tuple[tuple[int, ...], ...]:
    found = tuple(
        tuple(optional_items(one, "citations", int, f"steps[{at}]."))
        for at, one in enumerate(steps)
    )
    return found if any(found) else ()


def _read_label(number: int, step: Row) -> tuple[StatedLabel, StatedPremises | None]:
    place = f"steps[{number - 1}]."
    label = optional(step, "label", str, place)
    tier = optional(step, "tier", str, place)
    for value, words in ((label, get_args(Binary)), (tier, get_args(Tier))):
        if value is not None and value not in words:
            key = "label" if value is label else "tier"
            raise Unfit("bad_label", f"`{place}{key}` is {value!r}, expected {', '.join(words)}")
    category = optional(step, "category", str, place)
    if label in (None, *SOUND) and category is not None:
        raise Unfit("bad_label", f"`{place}category` is {category!r} beside the label {label}")
    stated = StatedLabel(
        number,
        wrong=None if label is None else label not in SOUND,
        types=() if category is None else (category,),
        pointer=f"/steps/{number - 1}",
        word=label,
        explanation=optional(step, "explanation", str, place),
        tier=tier,
        verbatim=f"{label}/{category}" if category else str(label).lower(),
    )
    if step.get("premises") is None:
        return stated, None
    return stated, StatedPremises(number, tuple(optional_items(step, "premises", int, place)))

"""This project's own rows: released chains, and the tables of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chainwright.audit.record import AuditRecord, Place, StepLabel, StepPremises
from chainwright.audit.shapes.values import ShapeError
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.release import ReleasedChain
from chainwright.schemas.words import SOUND, TRACKS, Track


def released_record(
    row: Mapping[str, Any], place: Place, split: str | None, *, twin: bool = False
) -> AuditRecord:
    """One released chain. Its track is told by its categories: faithfulness has its own.

    Raises:
        ShapeError: The row is no `ReleasedChain`; validation says all that is wrong with it.
    """
    from pydantic import ValidationError

    try:
        chain = ReleasedChain.model_validate(row)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ShapeError(f"no released chain: {where}: {first['msg']}") from error
    faithful = any(step.label in ("faithful", "unfaithful") for step in chain.steps)
    return AuditRecord(
        place=place,
        kind="release",
        question=chain.question,
        steps=tuple(step.text for step in chain.steps),
        labels=tuple(_label(step.step, step.label, step.category) for step in chain.steps),
        premises=tuple(StepPremises(step.step, tuple(step.premises)) for step in chain.steps),
        polarity=chain.polarity,
        is_correct=chain.is_correct,
        first_error=_first_error(chain),
        answer=chain.answer,
        final_answer=chain.final_answer,
        split=split,
        twin=twin,
        track="inference" if faithful else "math",
    )


def is_released(row: Mapping[str, Any]) -> bool:
    """Whether a row has the keys of a released chain."""
    return {"chain_id", "question", "steps", "first_error"} <= row.keys()


def run_record(
    chain: Chain, problem: Problem | None, labels: Iterable[Label], place: Place
) -> AuditRecord:
    """One chain of a run with its problem and labels; None of the latter are labels left open."""
    listed: Sequence[Label] = list(labels)
    return AuditRecord(
        place=place,
        kind="run",
        question=problem.question if problem else None,
        steps=tuple(chain.steps),
        labels=tuple(_label(one.step, one.label, one.category) for one in listed) or None,
        premises=tuple(StepPremises(one.step, tuple(one.premises)) for one in listed) or None,
        polarity=chain.polarity,
        is_correct=chain.is_correct,
        answer=problem.answer if problem else None,
        answer_kind=problem.answer_kind if problem else None,
        aliases=tuple(problem.aliases) if problem else (),
        options=tuple(problem.options) if problem else (),
        final_answer=chain.final_answer,
        track=problem.track if problem else _track(listed),
    )


def _label(step: int, label: str | None, category: str | None) -> StepLabel:
    wrong = None if label is None else label not in SOUND
    return StepLabel(step, wrong, (category,) if category else ())


def _first_error(chain: ReleasedChain) -> int | None:
    if chain.first_error is not None:
        return chain.first_error
    # Null says that there is no error only where every step is decided.
    return None if any(step.label is None for step in chain.steps) else 0


def _track(labels: Sequence[Label]) -> Track:
    faithful = any(one.label in ("faithful", "unfaithful") for one in labels)
    return TRACKS[1] if faithful else TRACKS[0]

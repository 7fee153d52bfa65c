"""This project's own rows as records: released chains, and the tables of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from chainwright.formats.fields import Row
from chainwright.formats.record import LabelledRecord, StatedLabel, StatedPremises
from chainwright.formats.trace import Unfit
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.release import ReleasedChain, ReleasedStep
from chainwright.schemas.words import SOUND, TRACKS, Track

RELEASED = frozenset({"chain_id", "question", "steps", "first_error"})
"""What tells a released chain from rows of other formats."""


def read_released(row: Row, source: str) -> LabelledRecord:
    """One released chain. Its track is told by its categories: faithfulness has its own.

    Raises:
        Unfit: `wrong_type` where the row is no `ReleasedChain`, with the first thing that is wrong.
    """
    try:
        chain = ReleasedChain.model_validate(row)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Unfit("wrong_type", f"no released chain: `{where}`: {first['msg']}") from error
    faithful = any(step.label in ("faithful", "unfaithful") for step in chain.steps)
    return LabelledRecord(
        kind="release",
        question=chain.question,
        steps=tuple(step.text for step in chain.steps),
        labels=tuple(_label(step) for step in chain.steps),
        premises=tuple(StatedPremises(step.step, tuple(step.premises)) for step in chain.steps),
        polarity=chain.polarity,
        is_correct=chain.is_correct,
        first_error=_first_error(chain),
        answer=chain.answer,
        final_answer=chain.final_answer,
        track="inference" if faithful else "math",
        origin=chain.origin,
        generator=chain.generator,
        parent_id=chain.parent_id,
        name=chain.chain_id,
        source=chain.source,
    )


def run_record(chain: Chain, problem: Problem | None, labels: Iterable[Label]) -> LabelledRecord:
    """One chain of a run with its problem and labels; none of the latter are labels left open."""
    listed: Sequence[Label] = list(labels)
    return LabelledRecord(
        kind="run",
        question=problem.question if problem else None,
        steps=tuple(chain.steps),
        labels=tuple(_label(one) for one in listed) or None,
        premises=tuple(StatedPremises(one.step, tuple(one.premises)) for one in listed) or None,
        polarity=chain.polarity,
        is_correct=chain.is_correct,
        answer=problem.answer if problem else None,
        answer_kind=problem.answer_kind if problem else None,
        aliases=tuple(problem.aliases) if problem else (),
        options=tuple(problem.options) if problem else (),
        final_answer=chain.final_answer,
        track=problem.track if problem else _track(listed),
        name=chain.chain_id,
    )


def _label(one: Label | ReleasedStep) -> StatedLabel:
    wrong = None if one.label is None else one.label not in SOUND
    types = (one.category,) if one.category else ()
    return StatedLabel(one.step, wrong, types, word=one.label, source=one.label_source)


def _first_error(chain: ReleasedChain) -> int | None:
    if chain.first_error is not None:
        return chain.first_error
    # Null says that there is no error only where every step is decided.
    return None if any(step.label is None for step in chain.steps) else 0


def _track(labels: Sequence[Label]) -> Track:
    faithful = any(one.label in ("faithful", "unfaithful") for one in labels)
    return TRACKS[1] if faithful else TRACKS[0]

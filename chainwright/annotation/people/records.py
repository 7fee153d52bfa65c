"""Records: what the history of answers says now, and what a filled-in task adds to it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from chainwright.annotation.people.answers import Answer
from chainwright.annotation.people.assignment import Plan, PlannedTask
from chainwright.schemas.human import Channel, HumanRecord


class Key(NamedTuple):
    """What an answer is about, and whose it is."""

    round: int
    annotator: str
    chain_id: str
    step: int


def current(records: Iterable[HumanRecord]) -> dict[Key, HumanRecord]:
    """The answers that stand: of each key the last one, unless that takes it back."""
    latest: dict[Key, HumanRecord] = {}
    for record in records:
        latest[Key(record.round, record.annotator, record.chain_id, record.step)] = record
    return {key: record for key, record in latest.items() if record.kind == "answer"}


def additions(
    standing: Mapping[Key, HumanRecord],
    plan: Plan,
    task: PlannedTask,
    answers: Sequence[Answer],
    *,
    channel: Channel,
    time: str,
) -> list[HumanRecord]:
    """The lines to add so that exactly these answers stand for a task.

    An answer that stands already adds nothing, so the same file may come in again and again; one
    that differs is added, and one that is gone is withdrawn.
    """
    shared = {
        "chain_id": task.chain_id,
        "annotator": task.annotator,
        "role": "adjudicator" if plan.adjudication else "annotator",
        "round": plan.round,
        "assisted": plan.assisted,
        "channel": channel,
        "content_hash": task.content_hash,
        "config_version": plan.questionnaires[task.track].version,
        "time": time,
    }
    given = {answer.step: answer for answer in answers}
    added = []
    for step in range(task.steps + 1):
        before = standing.get(Key(plan.round, task.annotator, task.chain_id, step))
        answer = given.get(step)
        if answer is None and before is not None:
            added.append(_record(shared, Answer(step), "withdrawn"))
        elif answer is not None and (before is None or answer_of(before) != answer):
            added.append(_record(shared, answer, "answer"))
    return added


def answer_of(record: HumanRecord) -> Answer:
    """What a line says."""
    return Answer(
        record.step,
        record.label,
        record.category,
        None if record.premises is None else tuple(record.premises),
        record.note,
        record.suitable,
        record.seconds,
    )


def _record(shared: Mapping[str, object], answer: Answer, kind: str) -> HumanRecord:
    return HumanRecord.model_validate(
        {
            **shared,
            "step": answer.step,
            "kind": kind,
            "label": answer.label,
            "category": answer.category,
            "premises": None if answer.premises is None else list(answer.premises),
            "note": answer.note,
            "suitable": answer.suitable,
            "seconds": answer.seconds,
        }
    )

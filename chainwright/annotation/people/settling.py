"""Settling: what people's answers on a step amount to.

An adjudicator's answer decides. Without one, annotators who all say the same decide, and who
differ leave the step open: no majority stands in for the adjudication.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from chainwright.annotation.panel import majority_premises
from chainwright.annotation.people.records import Key
from chainwright.schemas.human import HumanAnswer, HumanLabel, HumanRecord, Settled

Step = tuple[str, int]
"""A chain's id and a step's number."""


def settle(standing: Mapping[Key, HumanRecord]) -> dict[Step, HumanLabel]:
    """The label of each step that somebody answered on, chains called unsuitable left out.

    A chain is left out as soon as one of those who read it, and in doubt the adjudicator, says
    that it can't be judged.
    """
    out = unsuitable(standing)
    return {
        step: _settled(step, records)
        for step, records in sorted(by_step(standing.values()).items())
        if step[0] not in out
    }


def by_step(records: Iterable[HumanRecord]) -> dict[Step, list[HumanRecord]]:
    """The answers on each step, one a person and role: the one of their last round."""
    last: dict[tuple[Step, str, str], HumanRecord] = {}
    for record in records:
        if record.step > 0 and record.label is not None:
            key = ((record.chain_id, record.step), record.annotator, record.role)
            before = last.get(key)
            if before is None or before.round <= record.round:
                last[key] = record
    grouped: dict[Step, list[HumanRecord]] = defaultdict(list)
    for (step, _, _), record in sorted(last.items(), key=lambda item: item[0]):
        grouped[step].append(record)
    return dict(grouped)


def unsuitable(standing: Mapping[Key, HumanRecord]) -> set[str]:
    """The chains that can't be judged, by what was said last by whoever decides."""
    said: dict[str, list[HumanRecord]] = defaultdict(list)
    for record in standing.values():
        if record.step == 0 and record.suitable is not None:
            said[record.chain_id].append(record)
    out = set()
    for chain_id, records in said.items():
        deciding = [one for one in records if one.role == "adjudicator"] or records
        if any(one.suitable is False for one in deciding):
            out.add(chain_id)
    return out


def _settled(step: Step, records: Sequence[HumanRecord]) -> HumanLabel:
    adjudicated = [one for one in records if one.role == "adjudicator"]
    last = max((one.round for one in adjudicated), default=0)
    deciding = [one for one in adjudicated if one.round == last] or list(records)
    agreed = len({(one.label, one.category) for one in deciding}) == 1
    how: Settled = "open"
    if agreed:
        how = "adjudicated" if adjudicated else "agreed" if len(deciding) > 1 else "single"
    given = [one.premises for one in deciding if one.premises is not None]
    if agreed and not given:  # an adjudicator who gave none leaves those of the others
        given = [one.premises for one in records if one.premises is not None]
    return HumanLabel(
        chain_id=step[0],
        step=step[1],
        label=deciding[0].label if agreed else None,
        category=deciding[0].category if agreed else None,
        premises=majority_premises(given) if agreed else None,
        settled=how,
        assisted=any(one.assisted for one in records),
        answers=[_answer(one) for one in records],
    )


def _answer(record: HumanRecord) -> HumanAnswer:
    return HumanAnswer.model_validate(
        {
            "annotator": record.annotator,
            "role": record.role,
            "label": record.label,
            "category": record.category,
            "premises": record.premises,
        }
    )

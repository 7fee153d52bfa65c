"""What people's answers are worth: agreement before adjudication, and against what is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np

from chainwright.annotation.agreement import agreement
from chainwright.annotation.people.against import Known, compared
from chainwright.annotation.people.alternative_test import EPSILON
from chainwright.annotation.people.assignment import Plan
from chainwright.annotation.people.records import Key
from chainwright.annotation.people.settling import Step, by_step, settle, unsuitable
from chainwright.annotation.scale import Scale
from chainwright.schemas.human import HumanRecord
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.words import Track, step_label


@dataclass(frozen=True)
class Material:
    """What the statistics of a run's people rest on.

    Attributes:
        standing: The answers that stand.
        plans: The rounds by number.
        labels: The run's labels.
        exact: Its exact labels.
        tracks: The track of each chain.
        scales: Who judges on each track, in which words.
        epsilon: Of the alternative annotator test.
    """

    standing: Mapping[Key, HumanRecord]
    plans: Mapping[int, Plan]
    labels: Mapping[Step, Label]
    exact: Mapping[Step, ExactLabel]
    tracks: Mapping[str, Track]
    scales: Mapping[Track, Scale]
    replicates: int
    seed: int
    epsilon: float = EPSILON


def human_statistics(material: Material) -> dict[str, Any]:
    """The statistics of a run's people as one JSON-ready document.

    Answers given blind and answers given in sight of the judges' votes are kept apart, as `blind`
    and `assisted`; what there is none of is absent. Each has `answers` (steps answered by
    annotator), `seconds_per_step`, `adjudication`, `settled` (steps by how their label came
    about), `unsuitable` (chains) and by track:

    - `pairs`: of each two annotators, before adjudication, the agreement on the `label`, on
      label and category together (`outcome`), and on the category of the steps that both call
      wrong (`category_given_fault`, conditional); `all` is the same of all annotators;
    - `honey_pots`, `judges`, `panel`, `overturned`, `audit`, `alternative_test`: see `compared`.
    """
    out: dict[str, Any] = {}
    for name, assisted in (("blind", False), ("assisted", True)):
        standing = {k: one for k, one in material.standing.items() if one.assisted == assisted}
        if standing:
            out[name] = _document(replace(material, standing=standing))
    return out


def _document(material: Material) -> dict[str, Any]:
    annotators = [one for one in material.standing.values() if one.role == "annotator"]
    answered = by_step(annotators)
    settled = settle(material.standing)
    out: dict[str, Any] = {
        "answers": dict(sorted(Counter(o.annotator for r in answered.values() for o in r).items())),
        "settled": dict(Counter(label.settled for label in settled.values()).most_common()),
        "unsuitable": len(unsuitable(material.standing)),
    }
    if times := _times(material.standing.values(), answered):
        out["seconds_per_step"] = times
    if adjudication := _adjudication(material):
        out["adjudication"] = adjudication
    out["tracks"] = {}
    for track in material.scales:
        steps = [step for step in answered if material.tracks.get(step[0]) == track]
        if steps:
            known = Known(
                track=track,
                scale=material.scales[track],
                answers={step: answered[step] for step in steps},
                settled={step: settled[step] for step in steps if step in settled},
                labels=material.labels,
                exact=material.exact,
                audited=_audited(material.plans.values()),
                epsilon=material.epsilon,
            )
            out["tracks"][track] = _between(material, track, known.answers) | compared(known)
    return out


def _between(
    material: Material, track: Track, answers: Mapping[Step, Sequence[HumanRecord]]
) -> dict[str, Any]:
    """Agreement of each two annotators who share steps, and of all."""
    by_person = {step: {one.annotator: one for one in records} for step, records in answers.items()}
    names = sorted({name for said in by_person.values() for name in said})
    labels, outcomes = _words(answers, material.scales[track])

    def measured(group: Sequence[str]) -> dict[str, Any]:
        def over(words: Sequence[str], conditional: bool = False) -> dict[str, Any]:
            rows, chains = [], []
            for step, said in by_person.items():
                cast = [said.get(name) for name in group]
                if sum(one is not None for one in cast) < 2:
                    continue
                if conditional and any(one and one.category is None for one in cast):
                    continue
                rows.append([_code(one, words) for one in cast])
                chains.append(step[0])
            found = agreement(
                np.array(rows, dtype=np.int64).reshape(len(rows), len(group)),
                np.array(chains, dtype=str),
                group,
                words,
                replicates=material.replicates,
                seed=material.seed,
            )
            kept = ("units", "chains", "unanimity_complete", "krippendorff", "gwet")
            whole = {key: value for key, value in asdict(found).items() if key in kept}
            if len(group) == 2:
                whole["cohen"] = asdict(found.cohen[0].statistic)
            return whole

        return {
            "label": over(labels),
            "outcome": over(outcomes),
            "category_given_fault": over(outcomes[1:], conditional=True) | {"conditional": True},
        }

    pairs = [
        {"first": first, "second": second, **measured((first, second))}
        for first, second in combinations(names, 2)
        if any(first in said and second in said for said in by_person.values())
    ]
    out: dict[str, Any] = {"pairs": pairs}
    if len(names) > 2 and pairs:
        out["all"] = measured(names)
    return out


def _words(
    answers: Mapping[Step, Sequence[HumanRecord]], scale: Scale
) -> tuple[list[str], list[str]]:
    """Labels, and outcomes with all categories that were ever on offer and used."""
    used = {
        one.category for records in answers.values() for one in records if one.category is not None
    }
    known = [word for word in scale.labels if word != "unfaithful"]
    fault = "error" if known[0] == "correct" else "unfaithful"
    return [known[0], fault], [*known, *sorted(used - set(known))]


def _code(record: HumanRecord | None, words: Sequence[str]) -> int:
    if record is None:
        return -1
    word = step_label(record.label, record.category)
    for said in (record.label, word):
        if said is not None and said in words:
            return words.index(said)
    return -1


def _times(
    records: Iterable[HumanRecord], answered: Mapping[Step, Sequence[HumanRecord]]
) -> dict[str, Any]:
    """Seconds a step by annotator, over the chains whose time is known."""
    steps = Counter(
        (one.annotator, one.round, one.chain_id) for rows in answered.values() for one in rows
    )
    found: dict[str, list[float]] = defaultdict(list)
    total: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for one in records:
        count = steps[one.annotator, one.round, one.chain_id]
        if one.step == 0 and one.seconds is not None and count:
            found[one.annotator].append(one.seconds / count)
            total[one.annotator][0] += one.seconds
            total[one.annotator][1] += count
    return {
        name: {
            "chains": len(each),
            "mean": total[name][0] / total[name][1],
            "median_of_chains": median(each),
        }
        for name, each in sorted(found.items())
    }


def _adjudication(material: Material) -> dict[str, int]:
    """How often the adjudicator took answer A, B, … or none of them."""
    counts: Counter[str] = Counter()
    everyone = by_step(material.standing.values())
    shown = {
        (plan.round, task.annotator, task.chain_id): task.shown_answers
        for plan in material.plans.values()
        if plan.adjudication
        for task in plan.tasks
    }
    for records in everyone.values():
        said = {o.annotator: (o.label, o.category) for o in records if o.role == "annotator"}
        for one in records:
            if one.role != "adjudicator":
                continue
            counts["steps"] += 1
            names = shown.get((one.round, one.annotator, one.chain_id), [])
            taken = [
                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[place]
                for place, name in enumerate(names[:26])
                if said.get(name) == (one.label, one.category)
            ]
            counts[taken[0] if taken else "neither"] += 1
    return dict(sorted(counts.items()))


def _audited(plans: Iterable[Plan]) -> set[str]:
    """The chains that were drawn at random."""
    return {
        task.chain_id
        for plan in plans
        if plan.random and not plan.adjudication
        for task in plan.tasks
        if not task.honey_pot
    }

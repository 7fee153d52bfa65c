"""People's answers against exact labels, and judges' votes against people's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from chainwright.annotation.calibration import accuracy, confusion
from chainwright.annotation.people.alternative_test import alternative_test
from chainwright.annotation.people.settling import Step
from chainwright.annotation.scale import Scale, without_inheritance
from chainwright.schemas.human import HumanLabel, HumanRecord
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.words import TIERS, Track, step_label


@dataclass(frozen=True)
class Known:
    """What is known of the steps of one track.

    Attributes:
        answers: Annotators' answers, adjudicators' not among them.
        settled: What people's answers amount to, adjudication included.
        audited: Chains that were drawn at random.
    """

    track: Track
    scale: Scale
    answers: Mapping[Step, Sequence[HumanRecord]]
    settled: Mapping[Step, HumanLabel]
    labels: Mapping[Step, Label]
    exact: Mapping[Step, ExactLabel]
    audited: set[str]
    epsilon: float


def compared(known: Known) -> dict[str, Any]:
    """People, judges and panel held against one another.

    Returns:
        `honey_pots`: of each annotator how often the label, and label and category together, are
        the exact ones; `judges` and `panel`: confusions with people's settled labels as the truth
        (a judge's vote is native, so an inherited error counts as correct there); `overturned`:
        share of the panel's labels that people settled otherwise, of all and by tier; `audit`:
        precision of each tier in chains drawn at random; `alternative_test` of each judge and
        the panel. What there is nothing for is absent.
    """
    parts: dict[str, Callable[[Known], Any]] = {
        "honey_pots": _honey_pots,
        "judges": _judges,
        "panel": _panel,
        "overturned": _overturned,
        "audit": _audit,
        "alternative_test": _alternative_tests,
    }
    found = {name: part(known) for name, part in parts.items()}
    return {name: value for name, value in found.items() if value}


def _honey_pots(known: Known) -> dict[str, Any]:
    right: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for step, records in known.answers.items():
        truth = known.exact.get(step)
        if truth is None:
            continue
        for one in records:
            is_label = one.label == truth.label
            right[one.annotator].append((is_label, is_label and one.category == truth.category))
    return {
        name: {
            "label": asdict(accuracy(sum(one for one, _ in each), len(each))),
            "outcome": asdict(accuracy(sum(both for _, both in each), len(each))),
        }
        for name, each in sorted(right.items())
    }


def _judges(known: Known) -> dict[str, Any]:
    """Confusions of native votes: people's inherited errors are valid given their premises."""
    words = known.scale.native
    pairs: dict[str, list[tuple[str, str | None]]] = defaultdict(list)
    for step, truth in _settled(known):
        label = known.labels.get(step)
        native = without_inheritance(truth)
        if native not in words:
            continue
        for vote in label.votes if label else ():
            said = without_inheritance(known.scale.word(vote.label, vote.category))
            pairs[vote.judge].append((native, said if said in words else None))
    return {judge: _confusion(each, words) for judge, each in pairs.items()}


def _panel(known: Known) -> dict[str, Any]:
    words = known.scale.labels
    pairs = [
        (truth, said if said in words else None)
        for _, truth, said, _ in _with_panel(known, decided=False)
        if truth in words
    ]
    return _confusion(pairs, words) if any(said for _, said in pairs) else {}


def _overturned(known: Known) -> dict[str, Any]:
    rows = [(tier, truth != said) for _, truth, said, tier in _with_panel(known)]
    return _shares("all", rows)


def _audit(known: Known) -> dict[str, Any]:
    """How often a tier's label is what people say, in a random sample of the run's chains."""
    rows = [
        (tier, truth == said)
        for step, truth, said, tier in _with_panel(known)
        if step[0] in known.audited
    ]
    return _shares(None, rows)


def _alternative_tests(known: Known) -> dict[str, Any]:
    words = list(known.scale.native)
    names = sorted({one.annotator for records in known.answers.values() for one in records})
    steps = [step for step in known.answers if step in known.labels]
    if len(names) < 2 or not steps:
        return {}
    by_person = [{one.annotator: one for one in known.answers[step]} for step in steps]
    codes = np.array(
        [
            [
                _code(step_label(said[n].label, said[n].category), words) if n in said else -1
                for n in names
            ]
            for said in by_person
        ]
    )
    votes: dict[str, list[int]] = {}
    for position, step in enumerate(steps):
        label = known.labels[step]
        cast = {vote.judge: known.scale.word(vote.label, vote.category) for vote in label.votes}
        cast["panel"] = known.scale.word(label.panel_label, label.panel_category)
        for judge, word in cast.items():
            votes.setdefault(judge, [-1] * len(steps))[position] = _code(word, words)
    chains = np.array([step[0] for step in steps])
    return {
        judge: asdict(alternative_test(said, codes, chains, names, epsilon=known.epsilon))
        for judge, said in votes.items()
        if any(code >= 0 for code in said)
    }


def _settled(known: Known) -> list[tuple[Step, str]]:
    """The steps that people settled, with the outcome in one word."""
    found = []
    for step, label in known.settled.items():
        word = step_label(label.label, label.category)
        if label.settled != "open" and word is not None:
            found.append((step, word))
    return found


def _with_panel(known: Known, *, decided: bool = True) -> list[tuple[Step, str, str | None, str]]:
    """Step, people's outcome, the panel's and its tier, where the panel has judges at all."""
    rows: list[tuple[Step, str, str | None, str]] = []
    for step, truth in _settled(known):
        label = known.labels.get(step)
        if label is None or not label.votes:
            continue
        said = known.scale.word(label.panel_label, label.panel_category)
        if said is not None or not decided:
            rows.append((step, truth, said, label.tier))
    return rows


def _shares(whole: str | None, rows: Sequence[tuple[str, bool]]) -> dict[str, Any]:
    out = {}
    if whole and rows:
        out[whole] = asdict(accuracy(sum(hit for _, hit in rows), len(rows)))
    for tier in TIERS:
        own = [hit for its, hit in rows if its == tier]
        if own:
            out[tier] = asdict(accuracy(sum(own), len(own)))
    return {name: _renamed(one) for name, one in out.items()}


def _renamed(share: Mapping[str, Any]) -> dict[str, Any]:
    """A share with names that fit any count."""
    return {key: share[key] for key in ("value", "low", "high")} | {
        "count": share["correct"],
        "of": share["voted"],
    }


def _confusion(pairs: Sequence[tuple[str, str | None]], words: Sequence[str]) -> dict[str, Any]:
    return asdict(confusion([one for one, _ in pairs], [said for _, said in pairs], words))


def _code(word: str | None, words: Sequence[str]) -> int:
    native = without_inheritance(word)
    return words.index(native) if native in words else -1

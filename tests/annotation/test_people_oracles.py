"""What people's answers are worth, beside other libraries' figures and counts made by hand."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from chainwright.annotation.people.assignment import Plan, PlannedTask
from chainwright.annotation.people.questionnaire import MATH, questionnaires
from chainwright.annotation.people.records import Key, current
from chainwright.annotation.people.statistics import Material, human_statistics
from chainwright.annotation.scale import Scale
from chainwright.schemas.human import HumanRecord, Role
from chainwright.schemas.label import CastVote, ExactLabel, Label
from chainwright.schemas.taxonomy import BUILT_IN

Said = dict[str, str]
"""Annotator to outcome in one word."""
QUESTIONS = questionnaires(BUILT_IN)


def chain(number: int) -> str:
    return f"c-{number:020d}"


def split(word: str) -> dict[str, Any]:
    is_sound = word == "correct"
    return {"label": "correct" if is_sound else "error", "category": None if is_sound else word}


def answer(
    name: str,
    chain_id: str,
    step: int,
    word: str | None,
    *,
    role: Role = "annotator",
    seconds: float | None = None,
) -> HumanRecord:
    said = split(word) if word else {"label": None, "category": None}
    rest: dict[str, Any] = dict.fromkeys(("premises", "note", "suitable"))
    return HumanRecord.model_validate(
        {
            **said,
            **rest,
            "chain_id": chain_id,
            "step": step,
            "annotator": name,
            "role": role,
            "round": 2 if role == "adjudicator" else 1,
            "kind": "answer",
            "seconds": seconds,
            "assisted": False,
            "channel": "file",
            "content_hash": "h",
            "config_version": "v",
            "time": "now",
        }
    )


def panel_label(chain_id: str, step: int, word: str, tier: str, votes: Sequence[str]) -> Label:
    said = split(word)
    return Label.model_validate(
        {
            **said,
            "chain_id": chain_id,
            "step": step,
            "premises": [],
            "label_source": "panel",
            "tier": tier,
            "binary_tier": tier,
            "reason": None,
            "panel_label": said["label"],
            "panel_category": said["category"],
            "panel_premises": None,
            "votes": [
                CastVote.model_validate(
                    {"judge": f"judge:{n}", "status": "ok", "explanation": None, **split(vote)}
                )
                for n, vote in enumerate(votes)
            ],
        }
    )


def plan(
    number: int, tasks: Iterable[tuple[str, str]], pots: Iterable[str] = (), **more: Any
) -> Plan:
    planned = [
        PlannedTask(
            task=f"t-{number}-{name}-{chain_id}",
            annotator=name,
            chain_id=chain_id,
            track="math",
            content_hash="h",
            asked=[1, 2],
            steps=2,
            honey_pot=chain_id in set(pots),
            **more,
        )
        for name, chain_id in tasks
    ]
    return Plan(
        round=number,
        created="2026-01-01",
        seed=0,
        adjudication=number > 1,
        assisted=False,
        pool="judged",
        random=number == 1,
        annotators=sorted({task.annotator for task in planned}),
        questionnaires=QUESTIONS,
        tasks=planned,
    )


def measured(records: Iterable[HumanRecord], plans: Sequence[Plan], **known: Any) -> dict[str, Any]:
    standing: dict[Key, HumanRecord] = current(records)
    found = human_statistics(
        Material(
            standing=standing,
            plans={one.round: one for one in plans},
            labels=known.get("labels", {}),
            exact=known.get("exact", {}),
            tracks={record.chain_id: "math" for record in standing.values()},
            scales={"math": Scale(("judge:0", "judge:1"), (), "error", ("correct", *MATH))},
            replicates=20,
            seed=0,
        )
    )
    assert list(found) == ["blind"]
    return dict(found["blind"])


def gwet(rows: Sequence[Sequence[str]], categories: int) -> float:
    """Gwet's AC1 by its definition, over rows of the words that were said."""
    several = [row for row in rows if len(row) > 1]
    agree = [
        sum(a == b for n, a in enumerate(row) for m, b in enumerate(row) if n != m)
        / (len(row) * (len(row) - 1))
        for row in several
    ]
    shares: dict[str, float] = defaultdict(float)
    for row in rows:
        for word in row:
            shares[word] += 1 / len(row) / len(rows)
    chance = sum(share * (1 - share) for share in shares.values()) / (categories - 1)
    return (sum(agree) / len(agree) - chance) / (1 - chance)


@pytest.fixture(scope="module")
def drawn() -> dict[tuple[str, int], Said]:
    """Answers of three, of whom one skips a third of the steps; words as they come."""
    draw = random.Random(4)
    words = ["correct"] * 6 + list(MATH)
    steps: dict[tuple[str, int], Said] = {}
    for number in range(60):
        for step in (1, 2):
            truth = draw.choice(words)
            names = ("ann", "bob") if draw.random() < 0.3 else ("ann", "bob", "cid")
            steps[chain(number), step] = {
                name: truth if draw.random() < 0.7 else draw.choice(words) for name in names
            }
    return steps


@pytest.fixture(scope="module")
def between(drawn: dict[tuple[str, int], Said]) -> dict[str, Any]:
    records = [
        answer(name, *step, word) for step, said in drawn.items() for name, word in said.items()
    ]
    tasks = {(name, step[0]) for step, said in drawn.items() for name in said}
    return dict(measured(records, [plan(1, sorted(tasks))])["tracks"]["math"])


@pytest.mark.parametrize("pair", [("ann", "bob"), ("ann", "cid"), ("bob", "cid")])
def test_coefficients_of_a_pair_are_those_of_other_libraries(
    drawn: dict[tuple[str, int], Said], between: dict[str, Any], pair: tuple[str, str]
) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    found = next(one for one in between["pairs"] if (one["first"], one["second"]) == pair)
    both = [(said[pair[0]], said[pair[1]]) for said in drawn.values() if said.keys() >= set(pair)]
    labels = [tuple("correct" if word == "correct" else "error" for word in row) for row in both]
    faults = [row for row in both if "correct" not in row]
    for name, rows, categories in (
        ("label", labels, 2),
        ("outcome", both, 1 + len(MATH)),
        ("category_given_fault", faults, len(MATH)),
    ):
        its = found[name]
        assert its["units"] == len(rows)
        kappa = cohen_kappa_score(*zip(*rows, strict=True))
        assert its["cohen"]["value"] == pytest.approx(kappa)
        codes = np.array(
            [[["correct", "error", *MATH].index(word) for word in row] for row in rows]
        )
        alpha = krippendorff.alpha(reliability_data=codes.T, level_of_measurement="nominal")
        assert its["krippendorff"]["value"] == pytest.approx(alpha)
        assert its["gwet"]["value"] == pytest.approx(gwet(rows, categories))
        share = sum(a == b for a, b in rows) / len(rows)
        assert its["unanimity_complete"]["value"] == pytest.approx(share)
    assert found["category_given_fault"]["conditional"] is True
    assert "conditional" not in found["label"]


def test_coefficients_of_all_take_missing_answers_into_account(
    drawn: dict[tuple[str, int], Said], between: dict[str, Any]
) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    words = ["correct", *MATH]
    codes = np.array(
        [
            [words.index(said[name]) if name in said else np.nan for name in ("ann", "bob", "cid")]
            for said in drawn.values()
        ]
    )
    alpha = krippendorff.alpha(reliability_data=codes.T, level_of_measurement="nominal")
    outcome = between["all"]["outcome"]
    assert outcome["krippendorff"]["value"] == pytest.approx(alpha)
    rows = [list(said.values()) for said in drawn.values()]
    assert outcome["gwet"]["value"] == pytest.approx(gwet(rows, len(words)))


@pytest.fixture(scope="module")
def counted() -> dict[str, Any]:
    """Four chains of two steps by two people, one a honey-pot, one step decided by a third."""
    said = {
        (0, 1): ("correct", "correct", "correct", "gold", ("correct", "correct")),
        (0, 2): ("other", "other", "correct", "gold", ("correct", "correct")),
        (1, 1): ("correct", "other", "correct", "silver", ("correct", "other")),
        (1, 2): ("other", "correct", "other", "silver", ("other", "correct")),  # stays open
        (2, 1): ("other", "other", "mathematical_error", "silver", ("mathematical_error", "other")),
        (2, 2): ("accumulation_error",) * 3 + ("gold", ("correct", "correct")),
        (3, 1): ("correct", "correct", "correct", "gold", ("correct", "correct")),
        (3, 2): ("other", "mathematical_error", "other", "gold", ("other", "other")),
    }
    records, labels = [], {}
    for (number, step), (ann, bob, panel, tier, votes) in said.items():
        records += [answer(n, chain(number), step, w) for n, w in (("ann", ann), ("bob", bob))]
        labels[chain(number), step] = panel_label(chain(number), step, panel, tier, votes)
    records += [answer("ann", chain(0), 0, None, seconds=30.0)]
    records += [answer("ann", chain(1), 0, None, seconds=50.0)]
    records += [answer("ann", chain(2), 0, None, seconds=10.0)]
    records += [answer("eve", chain(1), 1, "other", role="adjudicator")]
    exact = {
        (chain(3), 1): ("correct", None),
        (chain(3), 2): ("error", "mathematical_error"),
    }
    truth = {
        key: ExactLabel.model_validate(
            {
                "chain_id": key[0],
                "step": key[1],
                "label": label,
                "category": category,
                "premises": [0],
                "unresolved": [],
            }
        )
        for key, (label, category) in exact.items()
    }
    tasks = [(name, chain(number)) for name in ("ann", "bob") for number in range(4)]
    plans = [
        plan(1, tasks, pots=[chain(3)]),
        plan(2, [("eve", chain(1))], shown_answers=["bob", "ann"]),
    ]
    return measured(records, plans, labels=labels, exact=truth)


def test_settled_steps_times_and_letters_by_hand(counted: dict[str, Any]) -> None:
    # Of eight steps two differ on (1, 1), (1, 2) and (3, 2); eve decides the first, for bob's word.
    assert counted["settled"] == {"agreed": 5, "open": 2, "adjudicated": 1}
    assert counted["adjudication"] == {"A": 1, "steps": 1}
    # 90 seconds for three chains of two steps; 15, 25 and 5 a step.
    assert counted["seconds_per_step"] == {
        "ann": {"chains": 3, "mean": 15.0, "median_of_chains": 15.0}
    }


def test_honey_pots_tiers_and_overturned_labels_by_hand(counted: dict[str, Any]) -> None:
    math = counted["tracks"]["math"]
    pots = {
        name: (one["label"]["correct"], one["outcome"]["correct"], one["label"]["voted"])
        for name, one in math["honey_pots"].items()
    }
    assert pots == {"ann": (2, 1, 2), "bob": (2, 2, 2)}
    audit = {name: (one["count"], one["of"]) for name, one in math["audit"].items()}
    # gold: (0, 1) and (2, 2) right, (0, 2) wrong; silver: (1, 1) and (2, 1) both wrong.
    assert audit == {"gold": (2, 3), "silver": (0, 2)}
    over = {name: (one["count"], one["of"]) for name, one in math["overturned"].items()}
    # Besides, (3, 1) of the honey-pot is settled as the panel has it.
    assert over == {"all": (3, 6), "gold": (1, 4), "silver": (2, 2)}
    right = {name: one["accuracy"]["correct"] for name, one in math["judges"].items()}
    # An inherited error is right in itself: both judges hit (0, 1), (2, 2), (3, 1); the second
    # says what people settled on (1, 1) and (2, 1) too.
    assert right == {"judge:0": 3, "judge:1": 5}

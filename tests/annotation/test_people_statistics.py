"""The statistics recover the rates at which simulated annotators and judges err."""

from __future__ import annotations

import random
from typing import Any

import pytest

from chainwright.annotation.people.answers import Answer
from chainwright.annotation.people.assignment import Plan, PlannedTask
from chainwright.annotation.people.questionnaire import MATH, questionnaires
from chainwright.annotation.people.records import additions, current
from chainwright.annotation.people.statistics import Material, human_statistics
from chainwright.annotation.scale import Scale
from chainwright.schemas.human import HumanRecord
from chainwright.schemas.label import CastVote, ExactLabel, Label
from chainwright.schemas.taxonomy import BUILT_IN
from chainwright.schemas.words import Binary
from tests.pipeline.simulated_annotators import Rates, simulated

CHAINS, STEPS, WRONG = 400, 4, 0.4
RATES = {"ann": Rates(0.05, 0.1), "bob": Rates(0.15, 0.2)}
JUDGES = {"model:good": 0.1, "model:poor": 0.45}
NATIVE = [name for name in MATH if name != "accumulation_error"]


def chain(number: int) -> str:
    return f"c-{number:020d}"


@pytest.fixture(scope="module")
def truth() -> dict[tuple[str, int], ExactLabel]:
    draw = random.Random(1)
    return {
        (chain(number), step): exact(chain(number), step, draw)
        for number in range(CHAINS)
        for step in range(1, STEPS + 1)
    }


def exact(chain_id: str, step: int, draw: random.Random) -> ExactLabel:
    is_wrong = draw.random() < WRONG
    return ExactLabel(
        chain_id=chain_id,
        step=step,
        label="error" if is_wrong else "correct",
        category=draw.choice(NATIVE) if is_wrong else None,
        premises=[0],
        unresolved=[],
    )


def panel_label(truth: ExactLabel, draw: random.Random) -> Label:
    """Two judges; the panel's label is the good one's, gold where the two agree."""
    votes = {}
    for judge, rate in JUDGES.items():
        label, category = simulated(Rates(rate), draw)(truth)
        native = "other" if category == "accumulation_error" else category
        votes[judge] = (label, native or None)
    label, category_ = votes["model:good"]
    same = len(set(votes.values())) == 1
    return Label.model_validate(
        {
            "chain_id": truth.chain_id,
            "step": truth.step,
            "label": label,
            "category": category_,
            "premises": [0],
            "label_source": "panel",
            "tier": "gold" if same else "silver",
            "binary_tier": "gold" if same else "silver",
            "reason": None,
            "panel_label": label,
            "panel_category": category_,
            "panel_premises": None,
            "votes": [
                CastVote.model_validate(
                    {
                        "judge": judge,
                        "status": "ok",
                        "label": said,
                        "category": kind,
                        "explanation": None,
                    }
                )
                for judge, (said, kind) in votes.items()
            ],
        }
    )


@pytest.fixture(scope="module")
def found(truth: dict[tuple[str, int], ExactLabel]) -> dict[str, Any]:
    """Statistics of two people on all chains; the last quarter are honey-pots."""
    draw = random.Random(2)
    labels = {step: panel_label(one, draw) for step, one in truth.items()}
    pots = {chain(number) for number in range(3 * CHAINS // 4, CHAINS)}
    tasks = [
        PlannedTask(
            task=f"t-{name}-{number}",
            annotator=name,
            chain_id=chain(number),
            track="math",
            content_hash="h",
            asked=list(range(1, STEPS + 1)),
            steps=STEPS,
            honey_pot=chain(number) in pots,
        )
        for name in RATES
        for number in range(CHAINS)
    ]
    plan = Plan(
        round=1,
        created="2026-01-01",
        seed=0,
        adjudication=False,
        assisted=False,
        pool="judged",
        random=True,
        annotators=list(RATES),
        questionnaires=questionnaires(BUILT_IN),
        tasks=tasks,
    )
    records: list[HumanRecord] = []
    say = {name: simulated(rates, draw) for name, rates in RATES.items()}
    for task in tasks:
        given = [say[task.annotator](truth[task.chain_id, step]) for step in task.asked]
        answers = [Answer(0, seconds=30.0)]
        for step, (label, category) in enumerate(given, start=1):
            known: Binary = "error" if label == "error" else "correct"
            answers.append(Answer(step, known, category or None))
        records += additions({}, plan, task, answers, channel="file", time="now")
    scale = Scale(tuple(JUDGES), (), "error", ("correct", *MATH))
    return human_statistics(
        Material(
            standing=current(records),
            plans={1: plan},
            labels=labels,
            exact={step: one for step, one in truth.items() if step[0] in pots},
            tracks={chain(number): "math" for number in range(CHAINS)},
            scales={"math": scale},
            replicates=100,
            seed=0,
        )
    )


def test_only_blind_answers_were_given(found: dict[str, Any]) -> None:
    assert list(found) == ["blind"]
    blind = found["blind"]
    assert blind["answers"] == {"ann": CHAINS * STEPS, "bob": CHAINS * STEPS}
    assert blind["seconds_per_step"]["bob"]["mean"] == 30 / STEPS
    assert "adjudication" not in blind
    assert list(blind["tracks"]) == ["math"]


def test_honey_pots_tell_how_often_each_errs(found: dict[str, Any]) -> None:
    pots = found["blind"]["tracks"]["math"]["honey_pots"]
    for name, rates in RATES.items():
        label, outcome = pots[name]["label"], pots[name]["outcome"]
        assert label["voted"] == CHAINS * STEPS // 4
        assert label["low"] <= 1 - rates.label <= label["high"]
        expected = (1 - rates.label) * (1 - WRONG * rates.category)
        assert outcome["low"] <= expected <= outcome["high"]


def test_agreement_is_what_the_rates_imply(found: dict[str, Any]) -> None:
    (pair,) = found["blind"]["tracks"]["math"]["pairs"]
    first, second = (rates.label for rates in RATES.values())
    agree = (1 - first) * (1 - second) + first * second
    calls = [WRONG * (1 - rate) + (1 - WRONG) * rate for rate in (first, second)]
    chance = calls[0] * calls[1] + (1 - calls[0]) * (1 - calls[1])
    kappa = (agree - chance) / (1 - chance)
    cohen = pair["label"]["cohen"]
    assert cohen["low"] < cohen["value"] < cohen["high"]
    assert cohen["value"] == pytest.approx(kappa, abs=0.06)  # three standard errors
    assert pair["label"]["unanimity_complete"]["value"] == pytest.approx(agree, abs=0.03)
    assert pair["category_given_fault"]["conditional"] is True
    both = WRONG * (1 - first) * (1 - second) + (1 - WRONG) * first * second
    assert pair["category_given_fault"]["units"] / (CHAINS * STEPS) == pytest.approx(both, abs=0.03)
    assert pair["outcome"]["units"] == CHAINS * STEPS


def test_a_random_audit_tells_gold_from_silver(found: dict[str, Any]) -> None:
    math = found["blind"]["tracks"]["math"]
    gold, silver = math["audit"]["gold"], math["audit"]["silver"]
    assert gold["value"] > silver["value"]
    # Honey-pots are in no audit; steps that the two differ on are settled by nobody.
    assert gold["of"] + silver["of"] < CHAINS * STEPS * 3 / 4
    assert math["overturned"]["gold"]["value"] == pytest.approx(1 - gold["value"], abs=0.03)


def test_judges_are_held_against_people(found: dict[str, Any]) -> None:
    math = found["blind"]["tracks"]["math"]
    good, poor = (math["judges"][judge]["accuracy"]["value"] for judge in JUDGES)
    assert good == pytest.approx(0.9, abs=0.05)
    assert poor == pytest.approx(0.55, abs=0.05)
    tests = math["alternative_test"]
    assert tests["model:good"]["passes"] is True
    assert tests["model:poor"]["passes"] is False
    assert set(tests) == {*JUDGES, "panel"}

"""Rows of judged chains, and the tables made of them, by hand."""

from dataclasses import replace
from typing import Any

import pytest

from chainwright.annotation.metrics.labelled import JudgedChain, LabelledChain
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.score_tables import compare, splits, tables
from chainwright.annotation.scoring import condition, judged, named_judges, wants_gold_premises
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import Track
from tests.annotation.ballots import a_chain, a_vote, premise_vote

CONFUSED, CONTRADICTS = "confusion", "contradiction"


def row(
    number: int, gold: list[str | None], said: list[str | None], track: Track = "grounding"
) -> JudgedChain:
    return JudgedChain(
        judge="j",
        chain_id=f"c{number}",
        source="s",
        polarity="positive" if number % 2 else "negative",
        track=track,
        gold=gold,
        native=said,
        said=said,
        gold_premises=[None] * len(gold),
        premises=None,
        gold_first=None,
        said_first=None,
        inherits_by="none",
        statuses=["ok"] * len(gold),
    )


FAITHFUL = [
    row(1, ["faithful", CONFUSED], ["faithful", CONTRADICTS]),
    row(2, ["faithful", CONTRADICTS, None], [CONFUSED, CONTRADICTS, CONFUSED]),
    row(3, ["faithful"], [None]),
]


def values(found: dict[str, Any]) -> dict[str, float]:
    return {name: one["value"] for name, one in found.items() if isinstance(one, dict)}


def test_faithfulness_by_hand() -> None:
    found = values(tables(FAITHFUL, replicates=20)["all"])
    # unfaithful: two right, three said, two true; faithful: one right, one said, three true
    assert found["step_f1_unfaithful"] == pytest.approx(4 / 5)
    assert found["step_f1_faithful"] == pytest.approx(2 / 4)
    # confusion: none right; contradiction: one right, two said, one true; the others never occur
    assert found["category_macro_f1_grounding"] == pytest.approx((0 + 2 / 3) / 2)
    assert "category_macro_f1_inference" not in found and "error_accuracy" not in found
    assert found["step_accuracy"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert found["coverage"] == pytest.approx((1 + 1 + 0) / 3)


@pytest.mark.parametrize(("gold", "said"), [(CONFUSED, "unfaithful"), ("unfaithful", CONFUSED)])
def test_without_categories_on_one_side_there_are_step_figures_alone(gold: str, said: str) -> None:
    found = values(tables([row(1, ["faithful", gold], ["faithful", said])], replicates=0)["all"])
    assert found["step_f1_unfaithful"] == found["step_f1_faithful"] == 1.0
    assert "category_macro_f1_grounding" not in found


def test_categories_of_a_taxonomy_of_ones_own_are_those_of_the_gold_labels() -> None:
    rows = [
        row(1, ["wrong_start", "faithful"], ["wrong_start", "faithful"]),
        row(2, ["leg_left_out", "clock_error"], ["wrong_start", "clock_error"]),
    ]
    found = values(tables(rows, replicates=0)["all"])
    # wrong_start: one right, two said, one true; leg_left_out: none right; clock_error: all right
    assert found["category_macro_f1_grounding"] == pytest.approx((2 / 3 + 0 + 1) / 3)


def test_tracks_are_scored_apart() -> None:
    rows = [*FAITHFUL, row(4, ["rule_violation"], ["rule_violation"], "inference")]
    found = tables(rows, replicates=0)
    assert values(found["inference"])["category_macro_f1_inference"] == 1.0
    assert "category_macro_f1_grounding" not in found["inference"]
    assert found["grounding"]["chains"] == 3


def test_a_split_that_repeats_another_is_left_out() -> None:
    names = [name for name, _ in splits(FAITHFUL)]
    assert names == ["all", "negative", "positive"]
    two = [*FAITHFUL, replace(FAITHFUL[0], source="t", chain_id="c9")]
    assert [name for name, _ in splits(two)] == [
        *("all", "negative", "positive", "s", "t"),
        *("s, negative", "s, positive", "t, positive"),
    ]


def test_gold_labels_must_be_the_same_in_a_comparison() -> None:
    other = [replace(FAITHFUL[0], gold=["faithful", "faithful"])]
    with pytest.raises(ValueError, match="gold labels of chain c1 differ"):
        compare(FAITHFUL, other)


LABELLED = LabelledChain(
    problem=Problem.build(source="s", question="How many?"),
    chain=a_chain(),
    labels=("mathematical_error", "accumulation_error", "correct"),
    premises=((0,), (1,), (0,)),
    first_error=1,
    source="s",
    polarity="negative",
)


def test_votes_join_by_step_and_inherit_by_own_premises_first() -> None:
    chain = LABELLED.chain
    votes = [a_vote(chain, 3, "j", "c"), a_vote(chain, 1, "j", "m"), a_vote(chain, 2, "j", "c")]
    by_gold = judged(LABELLED, "arithmetic", votes)
    assert by_gold.said == ["mathematical_error", "accumulation_error", "correct"]
    assert (by_gold.inherits_by, by_gold.said_first) == ("gold", 1)
    own = [premise_vote(chain, step, "j", given) for step, given in ((1, [0]), (2, [0]), (3, [1]))]
    by_own = judged(LABELLED, "provenance", [*votes, *own])
    assert by_own.said == ["mathematical_error", "correct", "accumulation_error"]
    assert (by_own.inherits_by, by_own.premises) == ("own", [[0], [0], [1]])


def test_a_missing_or_malformed_vote_is_an_abstention() -> None:
    found = judged(LABELLED, "arithmetic", [a_vote(LABELLED.chain, 1, "j", "x")], "why")
    assert found.native == [None] * 3
    assert found.statuses == ["malformed", "missing", "missing"]
    assert (found.said_first, found.failure) == (None, "why")
    assert values(tables([found], replicates=0)["all"])["error_accuracy"] == 0.0


def test_bare_models_and_methods() -> None:
    bare = named_judges("openai:m")
    assert [condition(judge) for judge in bare] == ["one pass", "all"]
    (oracle,) = named_judges("compat:m@http://localhost:1/v1#premise_conditioned")
    assert wants_gold_premises(oracle)
    (own,) = named_judges("openai:m#dyadic+premise_conditioned", max_tokens=9)
    assert isinstance(own, ModelJudge) and not wants_gold_premises(own)
    assert (own.name, own.max_tokens) == ("openai:m#premise_conditioned+dyadic", 9)
    assert named_judges("program:provenance") == ["provenance"]

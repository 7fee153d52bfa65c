"""Labels from votes: what joins to what, what is ignored, and what exact labels change."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.annotation.labelling import label_chain
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import TIERS
from tests.annotation.ballots import SAYS, a_chain, a_vote, premise_vote

CHAIN = a_chain("one", "two", "three")
OTHER = a_chain("one", "two")
JUDGES = ["j1", "j2", "j3"]


def ballots(*steps: str) -> list[Vote]:
    """Letter j of text s is what judge j says of step s; a blank is no vote at all."""
    return [
        a_vote(CHAIN, step, judge, letter)
        for step, letters in enumerate(steps, start=1)
        for judge, letter in zip(JUDGES, letters, strict=False)
        if letter != " "
    ]


def premises(*sets: list[int], judge: str = "j1") -> list[Vote]:
    return [premise_vote(CHAIN, step, judge, given) for step, given in enumerate(sets, start=1)]


def labels(votes: list[Vote], exact: list[ExactLabel] | None = None) -> list[Label]:
    return label_chain(CHAIN, votes, exact or [], JUDGES)


def words(found: list[Label]) -> list[str]:
    return [label.category or label.label or "undecided" for label in found]


def exactly(step: int, category: str | None, premises: list[int]) -> ExactLabel:
    return ExactLabel(
        chain_id=CHAIN.chain_id,
        step=step,
        label="error" if category else "correct",
        category=category,
        premises=premises,
        unresolved=[],
    )


def test_one_label_a_step_with_the_vote_of_every_judge_in_the_panels_order() -> None:
    found = labels(ballots("ccc", "cmm", "ccc") + premises([0], [1], [2]))
    assert [(label.chain_id, label.step) for label in found] == [
        (CHAIN.chain_id, step) for step in (1, 2, 3)
    ]
    assert [[vote.judge for vote in label.votes] for label in found] == [JUDGES] * 3
    assert words(found) == ["correct", "mathematical_error", "accumulation_error"]
    assert [label.tier for label in found] == ["gold", "silver", "silver"]
    assert [label.premises for label in found] == [[0], [1], [2]]
    assert found[1].votes[2].explanation == "j3 on step 2"
    for label in found:
        assert label.label_source == "panel"
        assert (label.panel_label, label.panel_category) == (label.label, label.category)
        assert label.panel_premises == label.premises


@given(
    st.lists(st.text("".join(SAYS) + " ", min_size=3, max_size=3), min_size=3, max_size=3),
    st.randoms(use_true_random=False),
)
def test_the_order_of_votes_never_matters(steps: list[str], random: Random) -> None:
    votes = ballots(*steps) + premises([0], [0], [1, 2]) + premises([0], [1], [1], judge="j2")
    found = labels(votes)
    random.shuffle(votes)
    assert labels(votes) == found


def test_a_judge_that_covers_fewer_steps_is_missing_on_the_rest_alone() -> None:
    found = labels(ballots("ccc", "c m", "c m"))
    assert [label.votes[1].status for label in found] == ["ok", "missing", "missing"]
    assert [label.votes[2].category for label in found] == [
        None,
        "mathematical_error",
        "mathematical_error",
    ]
    assert [label.reason for label in found] == [None, "tie", "tie"]


def test_a_judge_that_skips_the_first_step_is_not_shifted() -> None:
    found = labels(ballots("cc ", "ccm", "ccm"))
    assert [label.votes[2].status for label in found] == ["missing", "ok", "ok"]
    assert [label.tier for label in found] == ["silver", "silver", "silver"]


def test_the_ways_of_not_voting_are_kept_apart() -> None:
    found = labels(ballots("cca", "ccx", "ccr"))
    assert [label.votes[2].status for label in found] == ["abstained", "malformed", "refused"]
    assert [label.tier for label in found] == ["silver"] * 3
    assert labels(ballots("cc ", "cc-"))[0].votes[2].status == "missing"


def test_without_votes_every_step_is_incomplete() -> None:
    found = labels([])
    assert words(found) == ["undecided"] * 3
    assert {label.reason for label in found} == {"incomplete"}
    assert {vote.status for label in found for vote in label.votes} == {"missing"}
    assert [(label.premises, label.panel_premises) for label in found] == [([], None)] * 3


def test_without_a_panel_there_are_labels_and_no_votes() -> None:
    found = label_chain(CHAIN, ballots("ccc"), [], [])
    assert [(label.votes, label.reason) for label in found] == [([], "incomplete")] * 3


STRAY = {
    "a judge out of the panel": a_vote(CHAIN, 1, "j9", "m"),
    "a step beyond the chain": a_vote(CHAIN, 4, "j1", "m"),
    "premises beyond the chain": premise_vote(CHAIN, 9, "j1", [0]),
    "another chain": a_vote(OTHER, 1, "j3", "m"),
    "another chain's premises": premise_vote(OTHER, 3, "j2", [0]),
    "the whole chain": a_vote(CHAIN, 0, "j1", "m", task="chain"),
    "a step 0": a_vote(CHAIN, 0, "j1", "m"),
    "faithfulness": a_vote(CHAIN, 1, "j3", "m", task="faithfulness"),
    "groundedness": a_vote(CHAIN, 1, "j3", "m", task="groundedness"),
    "premises that were not given": premise_vote(CHAIN, 3, "j2", None),
    "premises in an answer that was refused": premise_vote(CHAIN, 3, "j2", [0]).model_copy(
        update={"status": "refused"}
    ),
}


@pytest.mark.parametrize("stray", STRAY.values(), ids=list(STRAY))
@pytest.mark.parametrize("first", [True, False])
def test_votes_on_other_matters_are_ignored(stray: Vote, first: bool) -> None:
    votes = ballots("ccc", "cc ", "cmm") + premises([0], [1], [1, 2])
    assert labels([stray, *votes] if first else [*votes, stray]) == labels(votes)


@pytest.mark.parametrize(
    ("task", "twice"),
    [
        ("error", a_vote(CHAIN, 2, "j1", "m", prompt_version="2")),
        (
            "premises",
            premise_vote(CHAIN, 2, "j1", [0]).model_copy(update={"prompt_version": "2"}),
        ),
    ],
)
def test_votes_of_two_prompt_versions_are_never_mixed(task: str, twice: Vote) -> None:
    votes = ballots("ccc", "ccc", "ccc") + premises([0], [1], [2])
    expected = f"`j1` votes twice on step 2 of .* task {task}, with prompt versions `1` and `2`"
    with pytest.raises(ValueError, match=expected):
        labels([*votes, twice])


def test_premises_count_from_a_judge_that_votes_on_nothing_else() -> None:
    found = labels(ballots("mmm", "ccc", "ccc") + premises([0], [0], [1], judge="mapper"))
    assert words(found) == ["mathematical_error", "correct", "accumulation_error"]


def test_premises_are_those_of_a_strict_majority_of_the_judges_that_give_any() -> None:
    votes = ballots("ccc", "ccc", "ccc")
    votes += premises([0], [0, 1], [1]) + premises([0], [1], [2], judge="j2")
    assert [label.panel_premises for label in labels(votes)] == [[0], [1], []]


def test_exact_labels_stand_beside_what_the_panel_says() -> None:
    votes = ballots("ccc", "ccc", "mmc") + premises([0], [0], [2])
    exact = [exactly(1, "logical_inconsistency", [0]), exactly(2, "accumulation_error", [1])]
    found = labels(votes, exact)
    assert words(found) == ["logical_inconsistency", "accumulation_error", "mathematical_error"]
    assert [label.label_source for label in found] == ["exact", "exact", "panel"]
    assert [label.premises for label in found] == [[0], [1], [2]]
    assert [label.panel_premises for label in found] == [[0], [0], [2]]
    assert [label.panel_label for label in found] == ["correct", "correct", "error"]
    assert [label.tier for label in found] == ["gold", "gold", "silver"]


def test_exact_labels_of_another_chain_are_ignored() -> None:
    votes = ballots("ccc", "ccc", "ccc") + premises([0], [0], [0])
    other = exactly(1, "other", [0]).model_copy(update={"chain_id": OTHER.chain_id})
    assert labels(votes, [other]) == labels(votes)


@given(st.lists(st.text("".join(SAYS), min_size=3, max_size=3), min_size=3, max_size=3))
def test_every_label_says_why_it_is_disputed_and_only_then(steps: list[str]) -> None:
    for label in labels(ballots(*steps) + premises([0], [1], [1, 2])):
        assert (label.reason is not None) == (label.tier == "disputed")
        assert (label.panel_label is None) <= (label.tier == "disputed")
        assert TIERS.index(label.binary_tier) <= TIERS.index(label.tier)

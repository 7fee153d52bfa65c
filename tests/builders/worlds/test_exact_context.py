"""Exact context chains: one unfaithful step of a known category, its consequence carried on."""

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.builders.exact import ExactChain
from chainwright.builders.worked import Unreadable
from chainwright.builders.worlds.exact_context import (
    context_negatives,
    context_reference,
    made_problem,
)
from chainwright.builders.worlds.made import TRACKS, WorldKey
from chainwright.builders.worlds.plan import Plant, run
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import FAITHFULNESS_ERRORS, Track
from tests.builders.worlds.made_problems import as_problem, keys, made


def negatives(
    problem: Problem,
    *,
    seed: int = 0,
    count: int = 1,
    weights: Mapping[str, float] | None = None,
) -> list[ExactChain]:
    """The negatives there are; where a problem yields none, that is an empty list."""
    try:
        return context_negatives(problem, seed=seed, count=count, weights=weights)
    except Unreadable:
        return []


def only(category: str) -> dict[str, float]:
    """The weights that leave one category."""
    names = [name for track in TRACKS for name in FAITHFULNESS_ERRORS[track]]
    return {name: float(name == category) for name in names}


@given(keys())
@settings(max_examples=40)
def test_the_reference_is_faithful_throughout(key: WorldKey) -> None:
    problem = as_problem(made_problem(key))
    exact = context_reference(problem)
    assert exact.chain.is_correct
    assert exact.chain.origin == "reference"
    assert exact.chain.final_answer == problem.answer
    assert [label.step for label in exact.labels] == [*range(1, len(exact.chain.steps) + 1)]
    assert {(one.label, one.category, one.propagated) for one in exact.labels} == {
        ("faithful", None, False)
    }
    assert (problem.solution or "").split("\n")[: len(exact.chain.steps)] == exact.chain.steps


@given(keys(), st.integers(0, 9))
@settings(max_examples=60)
def test_negatives_keep_what_does_not_depend_and_change_what_does(key: WorldKey, seed: int) -> None:
    problem = as_problem(made_problem(key))
    right = context_reference(problem).chain
    for exact in negatives(problem, seed=seed, count=4):
        chain, labels = exact.chain, exact.labels
        at = chain.perturbed_step
        assert at is not None
        assert chain.perturbation is not None
        assert chain.parent_id == right.chain_id
        assert chain.final_answer != problem.answer
        assert chain.steps[: at - 1] == right.steps[: at - 1]
        wrong = {at}
        for label, new, old in zip(labels, chain.steps, right.steps, strict=True):
            inherits = bool(wrong & set(label.premises)) and label.step != at
            assert label.propagated is inherits
            wrong |= {label.step} if inherits else set()
            assert (new != old) is (label.step in wrong)
            assert label.label == ("unfaithful" if label.step == at else "faithful")
        assert labels[at - 1].category == chain.perturbation.error_type
        assert chain.perturbation.error_type in FAITHFULNESS_ERRORS[problem.track]
        assert len(labels) in wrong, "the consequence reaches the last step"


@given(keys(), st.integers(0, 9))
@settings(max_examples=40)
def test_negatives_follow_from_seed_and_problem(key: WorldKey, seed: int) -> None:
    problem = as_problem(made_problem(key))
    one, two = (negatives(problem, seed=seed, count=3) for _ in range(2))
    assert one == two
    assert negatives(problem, seed=seed, count=1) == one[:1]
    places = [(one.chain.perturbation, one.chain.perturbed_step) for one in one]
    assert len(places) == len({str(place) for place in places})


def plants_of(key: WorldKey) -> list[tuple[int, Plant]]:
    one = made_problem(key)
    said = run(one.steps)
    return [
        (at, plant)
        for at, step in enumerate(one.steps)
        for plant in step.plants([said[used].value for used in step.uses])
    ]


@given(keys())
@settings(max_examples=60)
def test_every_plant_is_unfaithful_in_the_way_of_its_category_alone(key: WorldKey) -> None:
    one = made_problem(key)
    for _, plant in plants_of(key):
        assert not one.world.supports(plant.wrong)
        fitting = [
            category
            for category in FAITHFULNESS_ERRORS[key.track]
            if one.world.is_a_case(category, plant.wrong)
        ]
        assert fitting == [plant.category]


@given(keys("grounding"))
@settings(max_examples=40)
def test_invented_numbers_stand_in_no_passage(key: WorldKey) -> None:
    one = made_problem(key)
    text = " ".join(passage.text for passage in one.passages)
    for _, plant in plants_of(key):
        value = plant.said.value
        if plant.kind == "change_invented" and type(value) is int:
            assert str(value) not in text


@pytest.mark.parametrize("track", TRACKS)
def test_every_category_is_to_be_had_and_wanted_ones_come_first(track: Track) -> None:
    found: Counter[str] = Counter()
    for category in FAITHFULNESS_ERRORS[track]:
        weights = only(category)
        for number in range(12):
            problem = as_problem(made(track, number))
            for exact in negatives(problem, weights=weights):
                assert exact.labels[(exact.chain.perturbed_step or 0) - 1].category == category
                found[category] += 1
    assert set(found) == set(FAITHFULNESS_ERRORS[track])


def test_without_a_category_there_is_no_plant() -> None:
    problem = as_problem(made("grounding", 0))
    weights = only("none")
    with pytest.raises(Unreadable) as caught:
        context_negatives(problem, weights=weights)
    assert caught.value.reason == "no_fault_possible"


def test_more_negatives_differ_in_category_before_they_differ_in_step() -> None:
    for number in range(20):
        problem = as_problem(made("inference", number))
        categories = [
            exact.chain.perturbation.error_type
            for exact in negatives(problem, count=2)
            if exact.chain.perturbation
        ]
        assert len(set(categories)) == 2


def test_evidence_denied_is_carried_on_to_an_answer_that_cannot_be_told() -> None:
    weights = only("evidence_neglect")
    problem = as_problem(made("grounding", 0))
    (exact,) = context_negatives(problem, weights=weights)
    assert exact.chain.final_answer == "it cannot be told from the passages"
    assert "None of the passages says" in exact.chain.steps[(exact.chain.perturbed_step or 0) - 1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"solution": None}, "no_world"),
        ({"solution": "It is 5.\n#### 5"}, "no_world"),
        ({"solution": "…\n@world 9/grounding/7/0"}, "world_version"),
        ({"solution": "…\n@world 1/grounding/7/1"}, "world_mismatch"),
        ({"question": "What else?"}, "world_mismatch"),
        ({"answer": "perhaps"}, "world_mismatch"),
        ({"context": []}, "world_mismatch"),
        ({"track": "inference"}, "world_mismatch"),
    ],
)
def test_a_problem_that_its_world_does_not_yield_is_refused(
    change: dict[str, object], reason: str
) -> None:
    problem = as_problem(made("grounding", 0)).model_copy(update=change)
    for make in (context_reference, context_negatives):
        with pytest.raises(Unreadable) as caught:
            make(problem)
        assert caught.value.reason == reason

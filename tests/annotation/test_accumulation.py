"""Inherited errors: the definition by reachability, undecided and unknown premises, tiers."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.annotation.accumulation import Judged, propagate
from chainwright.annotation.panel import Outcome
from chainwright.schemas.words import NATIVE_ERRORS, TIERS, Tier

MATH = Outcome("error", "mathematical_error", "gold", "gold", None)
FINE = Outcome("correct", None, "gold", "gold", None)
OPEN = Outcome(None, None, "disputed", "disputed", "tie")
INHERITED = Outcome("error", "accumulation_error", "gold", "gold", None)
Graph = list[Judged]


def judged(*steps: tuple[Outcome, Sequence[int] | None]) -> Graph:
    return [Judged(outcome, premises) for outcome, premises in steps]


def words(outcomes: Sequence[Outcome]) -> list[str]:
    return [outcome.category or outcome.label or "undecided" for outcome in outcomes]


natives = st.sampled_from(["correct", "correct", "correct", *NATIVE_ERRORS])
tiers = st.sampled_from(TIERS)


@st.composite
def graphs(draw: st.DrawFn, *, undecided: bool = False, known: bool = True) -> Graph:
    """Random native outcomes on a random premise graph; step 0 is a premise like another."""
    steps = []
    for number in range(1, draw(st.integers(1, 7)) + 1):
        named: st.SearchStrategy[list[int] | None] = st.lists(
            st.integers(0, number - 1), unique=True, max_size=3
        )
        premises = draw(named if known else named | st.none())
        word = draw(natives | st.just("undecided") if undecided else natives)
        if word == "undecided":
            outcome = OPEN
        else:
            tier = draw(tiers)
            binary = draw(st.sampled_from(TIERS[: TIERS.index(tier) + 1]))
            native_error = word != "correct"
            outcome = Outcome(
                "error" if native_error else "correct",
                word if native_error else None,
                tier,
                binary,
                None,
            )
        steps.append(Judged(outcome, premises))
    return steps


def reached(graph: Graph, sources: set[int], through: set[int]) -> set[int]:
    """Steps of `through` to which a way leads from a source over steps of `through` alone."""
    found: set[int] = set()
    edge = set(sources)
    while edge:
        edge = {
            number
            for number in through - found
            if edge.intersection(p for p in graph[number - 1].premises or [] if p > 0)
        }
        found |= edge
    return found


def numbers(graph: Graph, label: str | None) -> set[int]:
    return {n for n, step in enumerate(graph, start=1) if step.outcome.label == label}


@given(graphs())
def test_a_valid_step_is_an_accumulation_error_iff_an_ancestor_is_wrong(graph: Graph) -> None:
    inherited = reached(graph, numbers(graph, "error"), numbers(graph, "correct"))
    for number, (step, after) in enumerate(zip(graph, propagate(graph), strict=True), start=1):
        if number in inherited:
            assert (after.label, after.category) == ("error", "accumulation_error")
        else:
            assert after == step.outcome


@settings(max_examples=60)
@given(graphs(undecided=True))
def test_undecided_steps_pass_their_doubt_on_where_no_error_does(graph: Graph) -> None:
    valid = numbers(graph, "correct")
    inherited = reached(graph, numbers(graph, "error"), valid)
    doubtful = reached(graph, numbers(graph, None), valid - inherited)
    for number, (step, after) in enumerate(zip(graph, propagate(graph), strict=True), start=1):
        if number in inherited:
            assert (after.label, after.category) == ("error", "accumulation_error")
        elif number in doubtful:
            assert after == Outcome(None, None, "disputed", "disputed", "premise_undecided")
        else:
            assert after == step.outcome


@settings(max_examples=60)
@given(graphs(undecided=True, known=False))
def test_with_unknown_premises_only_a_clean_past_keeps_a_step_correct(graph: Graph) -> None:
    outcomes = propagate(graph)
    assert len(outcomes) == len(graph)
    for place, (step, after) in enumerate(zip(graph, outcomes, strict=True)):
        if step.premises is not None or step.outcome.label != "correct":
            continue
        if all(before.label == "correct" for before in outcomes[:place]):
            assert after == step.outcome
        else:
            assert after == Outcome(None, None, "disputed", "disputed", "premises_unknown")


@settings(max_examples=60)
@given(graphs(undecided=True, known=False))
def test_inheritance_raises_no_tier_and_makes_no_step_correct(graph: Graph) -> None:
    for step, after in zip(graph, propagate(graph), strict=True):
        assert TIERS.index(after.tier) >= TIERS.index(step.outcome.tier)
        assert TIERS.index(after.binary_tier) >= TIERS.index(step.outcome.binary_tier)
        assert TIERS.index(after.binary_tier) <= TIERS.index(after.tier)
        assert (after.reason is not None) >= (after.tier == "disputed" and after != step.outcome)
        if after.label == "correct":
            assert after == step.outcome


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        pytest.param(judged(), [], id="no steps"),
        pytest.param(
            judged((MATH, [0]), (FINE, [1]), (FINE, [2])),
            ["mathematical_error", "accumulation_error", "accumulation_error"],
            id="carries on downstream",
        ),
        pytest.param(
            judged((MATH, [0]), (FINE, [0]), (FINE, [2])),
            ["mathematical_error", "correct", "correct"],
            id="passes bystanders by",
        ),
        pytest.param(
            judged((MATH, [0]), (MATH, [1])),
            ["mathematical_error", "mathematical_error"],
            id="a native error stays native",
        ),
        pytest.param(
            judged((OPEN, [0]), (MATH, [0]), (FINE, [1, 2])),
            ["undecided", "mathematical_error", "accumulation_error"],
            id="one wrong premise is enough",
        ),
        pytest.param(
            judged((MATH, [0]), (OPEN, [1]), (FINE, [2])),
            ["mathematical_error", "undecided", "undecided"],
            id="an undecided step passes no error on",
        ),
        pytest.param(
            judged((MATH, [0]), (FINE, []), (FINE, [0])),
            ["mathematical_error", "correct", "correct"],
            id="no premises, nothing to inherit",
        ),
        pytest.param(
            judged((MATH, None), (FINE, None), (FINE, None)),
            ["mathematical_error", "undecided", "undecided"],
            id="unknown premises never make an error",
        ),
        pytest.param(
            judged((FINE, None), (FINE, None), (MATH, None)),
            ["correct", "correct", "mathematical_error"],
            id="what comes later is no premise",
        ),
        pytest.param(
            judged((MATH, [0]), (FINE, [-1, 0, 2, 3, 99])),
            ["mathematical_error", "correct"],
            id="numbers that are no earlier step are no premises",
        ),
    ],
)
def test_small_graphs_by_hand(graph: Graph, expected: list[str]) -> None:
    assert words(propagate(graph)) == expected


@pytest.mark.parametrize(
    ("own", "wrong", "expected"),
    [
        ("gold", ["gold"], "gold"),
        ("gold", ["silver"], "silver"),
        ("gold", ["disputed"], "disputed"),
        ("silver", ["gold"], "silver"),
        ("silver", ["silver"], "silver"),
        ("silver", ["disputed"], "disputed"),
        ("gold", ["silver", "gold"], "gold"),
        ("gold", ["disputed", "silver"], "silver"),
        ("gold", ["disputed", "gold", "silver"], "gold"),
        ("silver", ["disputed", "gold"], "silver"),
    ],
)
def test_an_inherited_error_has_the_lower_of_its_own_tier_and_its_best_wrong_premise(
    own: Tier, wrong: list[Tier], expected: Tier
) -> None:
    steps = [Judged(Outcome("error", "other", tier, "gold", None), [0]) for tier in wrong]
    steps.append(Judged(Outcome("correct", None, own, own, None), range(1, len(wrong) + 1)))
    last = propagate(steps)[-1]
    assert (last.label, last.category, last.tier) == ("error", "accumulation_error", expected)
    assert last.reason == ("premise_disputed" if expected == "disputed" else None)
    assert last.binary_tier == own


def test_a_premise_whose_error_has_no_agreed_category_still_makes_an_error() -> None:
    split = Outcome("error", None, "disputed", "silver", "category_split")
    expected = Outcome("error", "accumulation_error", "disputed", "silver", "premise_disputed")
    assert propagate(judged((split, [0]), (FINE, [1]))) == [split, expected]


def test_gold_passes_gold_on_along_a_line() -> None:
    graph = judged((MATH, [0]), (FINE, [0, 1]), (FINE, [2]))
    assert propagate(graph) == [MATH, INHERITED, INHERITED]

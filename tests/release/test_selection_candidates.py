"""Candidates: what a selection knows of a chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.release.selection_candidates import candidate, difficulty, question_group
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import CastVote, Label
from chainwright.schemas.problem import Passage, Problem


def cast(said: str | None, judge: str = "j") -> CastVote:
    """A vote: None abstains, `faithful` and `unfaithful` are labels, anything else a category."""
    label: Any = None if said is None else "faithful" if said == "faithful" else "unfaithful"
    return CastVote(
        judge=judge,
        status="abstained" if said is None else "ok",
        label=label,
        category=None if said in (None, "faithful", "unfaithful") else said,
        explanation=None,
    )


@pytest.fixture
def judged(
    problem: Callable[..., Problem], chain: Callable[..., Chain], label: Callable[..., Label]
) -> Callable[..., list[Label]]:
    """Labels with the votes given for each step."""
    of = chain(problem(1))

    def made(*steps: list[str | None]) -> list[Label]:
        return [
            label(of, number, votes=[cast(one) for one in said])
            for number, said in enumerate(steps, 1)
        ]

    return made


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([["faithful"] * 3], 0),
        ([["faithful", "faithful", "confusion"]], 2 / 3),
        ([["faithful", "contradiction", "confusion"]], 1),
        ([["confusion", "unfaithful", "confusion"]], 0),
        ([["confusion", "unfaithful", "contradiction"]], 1 / 3),
        ([["faithful", "unfaithful", "confusion"]], 2 / 3),
        ([["faithful", "confusion", None]], 1),
        ([["faithful"] * 3, ["faithful", "faithful", "confusion"]], 1 / 3),
        ([["faithful", None, None], ["faithful", "confusion", None]], 1),
        ([["faithful", None, None]], None),
        ([[]], None),
    ],
)
def test_difficulty_is_how_far_judges_differ(
    judged: Callable[..., list[Label]], steps: list[list[str | None]], expected: float | None
) -> None:
    assert difficulty(judged(*steps)) == (None if expected is None else pytest.approx(expected))


VOTES = st.lists(
    st.lists(st.sampled_from(("faithful", "confusion", "contradiction", None)), max_size=5),
    min_size=1,
    max_size=4,
)


@given(steps=VOTES)
def test_difficulty_is_within_0_and_1_whatever_the_order_of_judges(
    steps: list[list[str | None]],
) -> None:
    def made(order: int) -> list[Label]:
        return [
            Label(
                chain_id="c-" + "0" * 20,
                step=number,
                label=None,
                category=None,
                premises=[],
                label_source="panel",
                tier="disputed",
                binary_tier="disputed",
                reason="tie",
                panel_label=None,
                panel_category=None,
                panel_premises=None,
                votes=[cast(one) for one in said[::order]],
            )
            for number, said in enumerate(steps, 1)
        ]

    found = difficulty(made(1))
    assert found is None or 0 <= found <= 1
    assert found == difficulty(made(-1))


def test_a_candidate_has_the_category_of_its_first_wrong_step(
    problem: Callable[..., Problem], chain: Callable[..., Chain], labels: Callable[..., list[Label]]
) -> None:
    of = problem(1)
    one = chain(of)
    found = labels(one, "correct", "logical_inconsistency", "mathematical_error")
    made = candidate(of, one, found[::-1], "somebody")
    assert (made.category, made.sound, made.decided) == ("logical_inconsistency", False, True)
    assert (made.track, made.generator, made.certainty) == ("math", "somebody", "gold")


def test_an_exact_step_counts_as_gold_whatever_the_panel_said(
    problem: Callable[..., Problem], chain: Callable[..., Chain], label: Callable[..., Label]
) -> None:
    of = problem(1)
    one = chain(of, ["a.", "b."])
    first = label(one, 1, label_source="exact", tier="disputed")
    assert candidate(of, one, [first, label(one, 2, tier="silver")], "x").certainty == "silver"
    exact = label(one, 2, label_source="exact", tier="silver")
    assert candidate(of, one, [first, exact], "x").certainty == "gold"


def test_a_chain_with_an_undecided_step_is_not_decided(
    problem: Callable[..., Problem], chain: Callable[..., Chain], labels: Callable[..., list[Label]]
) -> None:
    of = problem(1)
    one = chain(of, ["a.", "b."])
    made = candidate(of, one, labels(one, "correct", None), "x")
    assert (made.decided, made.sound, made.certainty) == (False, True, "disputed")


def passages(*texts: str) -> list[Passage]:
    return [Passage(ref=ref, title="", text=text) for ref, text in enumerate(texts, 1)]


def test_the_same_question_is_one_group_in_whatever_source() -> None:
    one = Problem.build(source="a", question="Who  is it?", context=passages("x"))
    other = Problem.build(source="b", question="who is it?", context=passages("y", "z"))
    assert question_group(one) == question_group(other)
    grounding = one.model_copy(update={"track": "grounding"})
    assert question_group(grounding) == question_group(one)


def test_questions_of_rules_are_told_apart_by_their_passage() -> None:
    asked = "Which one follows?"
    one, other, same = (
        Problem.build(source="a", question=asked, context=passages(text), track="inference")
        for text in ("All A are B.", "No A is B.", "all a  are b.")
    )
    assert question_group(one) != question_group(other)
    assert question_group(one) == question_group(same)


def test_a_variant_is_of_its_parents_group() -> None:
    parent = Problem.build(source="s", question="How many are 2 and 3?")
    variant = Problem.build(
        source="s", question="How many are 4 and 5?", variant_of=parent.problem_id, variant=1
    )
    chain = Chain.build(
        problem_id=variant.problem_id,
        origin="reference",
        generator="s",
        steps=["4 + 5 = 9"],
        final_answer="9",
        is_correct=True,
    )
    assert candidate(variant, chain, [], "s", parent).group == question_group(parent)
    assert candidate(variant, chain, [], "s").group == question_group(variant)

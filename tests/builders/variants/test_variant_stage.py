"""The stage `variants`: what it takes, makes and rejects, and what its problems hang on."""

from typing import Any

import pytest

from chainwright.builders.variant_stage import VARIANTS
from chainwright.builders.variants.variants import variants
from chainwright.recipe import Recipe
from chainwright.recipe_parts.part import PartError
from chainwright.recipe_parts.sources import Source
from chainwright.schemas.problem import Problem
from chainwright.stage import Batch
from tests.builders.solutions import HALL, PLUMS, problem

BARE = Problem.build(source="test", question="How many?")


def recipe(wanted: int, **changes: Any) -> Recipe:
    source = {"kind": "gsm8k", "name": "test", "path": "x.jsonl", "variants": wanted}
    return Recipe.model_validate({"name": "r", "seed": 7, "sources": [source], **changes})


def made(given: Recipe, problems: list[Problem]) -> Batch:
    assert VARIANTS.process is not None
    return VARIANTS.process(given, {"problems": problems})


def test_each_that_is_wanted_is_made_or_rejected() -> None:
    batch = made(recipe(3), [problem(*PLUMS), BARE, problem(*HALL)])
    assert batch.taken == {"problems": 9}
    assert batch.unaccounted() == {}
    assert [one.variant for one in _problems(batch)] == [1, 2, 3, 1, 2, 3]
    assert {(one.item, one.reason) for one in batch.rejects} == {
        (f"{BARE.problem_id} variant {number}", "no_solution") for number in (1, 2, 3)
    }


def test_other_sources_have_none() -> None:
    other = problem(*PLUMS).model_copy(update={"source": "another"})
    assert made(recipe(3), [other]).taken == {}


def test_a_question_that_is_there_already_is_not_made_again() -> None:
    parent = problem(*PLUMS)
    (first,) = variants(parent, 1, seed=7)
    assert isinstance(first, Problem)
    there = first.model_copy(update={"variant_of": None, "variant": None, "source": "another"})
    batch = made(recipe(1), [parent, there])
    assert [one.reason for one in batch.rejects] == ["duplicate"]


def test_it_is_in_the_line_only_where_it_is_wanted() -> None:
    assert VARIANTS.wanted(recipe(1))
    assert not VARIANTS.wanted(recipe(0))
    assert VARIANTS.most is not None
    assert VARIANTS.most(recipe(4), {"problems": 10}) == {"problems": 40}


@pytest.mark.parametrize(
    ("kind", "is_allowed"), [("gsm8k", True), ("generic", True), ("math", False), ("reclor", False)]
)
def test_only_kinds_with_worked_solutions_have_variants(kind: str, is_allowed: bool) -> None:
    found = list(Source.cross_check({"kind": kind, "path": "x.jsonl", "variants": 2}))
    assert all(isinstance(one, PartError) for one in found)
    assert (found == []) == is_allowed


def _problems(batch: Batch) -> list[Problem]:
    return [row for row in batch.rows["problems"] if isinstance(row, Problem)]

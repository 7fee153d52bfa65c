"""A build with variants: sides of the split, blocks, and what a dry run expects."""

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.manifest import Manifest, load_manifest
from chainwright.pipeline.problems import in_blocks
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.dry_run import plan_build
from chainwright.pipeline.tables import iter_table
from chainwright.pipeline.validation.validate import validate
from chainwright.recipe_file import load_recipe
from chainwright.release.near_duplicates import Questions
from chainwright.schemas.problem import Problem
from chainwright.stage import Batch
from tests.builders.solutions import PLUMS, problem

RECIPE = """
name: varied
seed: 3
block: 8
sources:
  - {kind: gsm8k, path: "builtin:quickstart", licence: Apache-2.0, limit: 9, variants: 3}
negatives:
  exact: {per_problem: 1}
annotation:
  judges: [program:arithmetic]
  bootstrap: 20
release: {test_fraction: 0.5, near_duplicates: same_side, perl_json: false}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = tmp_path_factory.mktemp("varied")
    recipe = folder / "recipe.yaml"
    recipe.write_text(RECIPE, encoding="utf-8")
    build(recipe, folder, quiet=True)
    return RunFolder(folder / "varied")


def manifest_of(run: RunFolder) -> Manifest:
    found = load_manifest(run)
    assert found is not None
    return found


def test_variants_are_on_their_parents_side(run: RunFolder) -> None:
    import pyarrow.parquet as pq

    sides: dict[str, set[str]] = {}
    for path in (run.release / "data/problems").glob("*.parquet"):
        for row in pq.read_table(path).to_pylist():
            family = row["variant_of"] or row["problem_id"]
            sides.setdefault(family, set()).add(path.name.partition("-")[0])
    assert len(sides) == 9
    assert all(len(found) == 1 for found in sides.values())
    assert set.union(*sides.values()) == {"train", "test"}


def test_each_variant_lies_in_its_parents_block_and_the_run_is_sound(run: RunFolder) -> None:
    problems = list(iter_table(run.path, "problems", Problem))
    made = [one for one in problems if one.variant_of]
    assert made
    assert {one.variant_of for one in made} <= {one.problem_id for one in problems}
    assert manifest_of(run).blocks == 5  # 9 problems of 4 each, 8 to a block
    assert validate(run.path, None).ok


def test_the_manifest_says_what_each_stage_took(run: RunFolder) -> None:
    stages = manifest_of(run).stages
    assert "variants" in stages
    for stage in stages.values():
        assert stage.memory is not None
        assert stage.peak_memory is not None
        assert stage.processor is not None
        assert stage.peak_memory >= stage.memory > 10**7


def test_a_dry_run_counts_them(run: RunFolder) -> None:
    plan = plan_build(run.path.parent / "recipe.yaml", run.path.parent)
    assert (plan.problems, plan.blocks, plan.traces_at_most) == (9, 5, 9 * 4 * 2)


def test_blocks_leave_room_for_variants(run: RunFolder) -> None:
    recipe = load_recipe(run.path.parent / "recipe.yaml")
    rows = [problem(f"{PLUMS[0]} {n}", PLUMS[1]) for n in range(5)]
    own = [one.model_copy(update={"source": "gsm8k"}) for one in rows]
    for problems, sizes in ((own, [2, 2, 1]), (rows, [5]), ([], [0])):
        blocks = in_blocks(Batch(rows={"problems": [*problems], "chains": []}), recipe)
        assert [len(block.rows["problems"]) for block in blocks] == sizes


def test_a_family_is_no_group_of_near_duplicates_by_itself() -> None:
    questions = Questions()
    text = "Ada picks pears in the morning, twice as many at noon, and sells them all at night."
    for family in ("p-1", "p-1", "p-2", "p-1"):
        questions.add(family, text if family == "p-1" else "A bus has a door and no seats at all.")
    assert questions.groups() == []
    questions.add("p-3", text)
    assert questions.groups() == [["p-1", "p-3"]]

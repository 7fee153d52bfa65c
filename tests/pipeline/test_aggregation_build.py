"""Builds that weigh votes: what comes of it is in the labels, and depends on the whole run."""

from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.ranking import rank_run
from chainwright.pipeline.screens.summary import BuildSummary
from chainwright.pipeline.tables import iter_table
from chainwright.pipeline.validation.validate import validate
from chainwright.schemas.label import Label
from chainwright.schemas.posterior import Posterior
from tests.pipeline.small_line import write_recipe_over

JUDGES = ["program:arithmetic", "program:provenance", "program:reference"]


def recipe(folder: Path, problems: int = 8, **annotation: Any) -> Path:
    """Problems of two steps, of which synthetic negatives are made; three problems a block."""
    rows = [
        {
            "question": f"Ann has {n} bags of {n + 3} pears and eats 2. How many are left?",
            "answer": f"There are {n} * {n + 3} = <<{n}*{n + 3}={n * (n + 3)}>>{n * (n + 3)} pears."
            f"\nSo {n * (n + 3)} - 2 = <<{n * (n + 3)}-2={n * (n + 3) - 2}>>{n * (n + 3) - 2} are "
            f"left.\n#### {n * (n + 3) - 2}",
        }
        for n in range(5, 5 + problems)
    ]
    return write_recipe_over(
        folder,
        rows,
        sources=[{"kind": "gsm8k", "path": "rows.jsonl"}],
        negatives={"exact": {}},
        annotation={"judges": JUDGES, "bootstrap": 20, **annotation},
    )


def built(path: Path) -> BuildSummary:
    return build(path, path.parent, quiet=True)


def labels(folder: Path) -> list[Label]:
    return list(iter_table(folder / "small", "labels", Label))


def ran(summary: BuildSummary) -> dict[str, int | None]:
    return {stage.stage: stage.ran for stage in summary.stages}


@pytest.fixture(scope="module")
def majority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("majority")
    built(recipe(folder))
    return folder


def test_weighed_votes_make_the_labels_and_tiers_stay(majority: Path, tmp_path: Path) -> None:
    summary = built(recipe(tmp_path, aggregate="calibrated"))
    before, after = labels(majority), labels(tmp_path)
    assert [row.tier for row in before if row.panel_category != "accumulation_error"] != []
    keys = [(row.chain_id, row.step) for row in after]
    assert keys == [(row.chain_id, row.step) for row in before]
    assert [row.votes for row in after] == [row.votes for row in before]
    posteriors = list(iter_table(tmp_path / "small", "posteriors", Posterior))
    assert [(row.chain_id, row.step) for row in posteriors] == keys
    assert all(row.method == "calibrated" and 0 < row.probability <= 1 for row in posteriors)
    right = sum(row.label == row.panel_label for row in after)
    assert right > sum(row.label == row.panel_label for row in before)
    assert validate(tmp_path / "small").ok
    assert ran(summary)["aggregation"] == 3


def test_exact_steps_are_weighed_without_their_own_fold(tmp_path: Path) -> None:
    built(recipe(tmp_path, aggregate="dawid_skene"))
    posteriors = list(iter_table(tmp_path / "small", "posteriors", Posterior))
    exact = {(row.chain_id, row.step) for row in labels(tmp_path) if row.label_source == "exact"}
    held_out = {(row.chain_id, row.step) for row in posteriors if row.held_out}
    assert held_out == exact and exact


def test_a_build_by_majority_has_no_posteriors_and_an_unchanged_one_weighs_nothing_anew(
    majority: Path, tmp_path: Path
) -> None:
    assert not list(iter_table(majority / "small", "posteriors", Posterior))
    assert ran(built(recipe(tmp_path, problems=4, aggregate="calibrated")))["aggregation"] == 2
    # another problem in the last block changes what every judge is worth
    path = recipe(tmp_path, problems=5, aggregate="calibrated")
    assert ran(built(path))["aggregation"] == 2
    assert ran(built(path))["aggregation"] == 0
    back = built(recipe(tmp_path, problems=5))
    assert "aggregation" not in {s.stage for s in back.stages if s.done}
    assert not list(iter_table(tmp_path / "small", "posteriors", Posterior))


def test_a_high_threshold_leaves_steps_undecided(tmp_path: Path) -> None:
    built(recipe(tmp_path, aggregate="calibrated", threshold=1))
    rows = labels(tmp_path)
    assert all(row.panel_label is None for row in rows)
    assert {"improbable"} <= {row.reason for row in rows}
    assert validate(tmp_path / "small").ok


def test_statistics_say_which_way_is_best_on_held_out_steps(majority: Path) -> None:
    import json

    statistics = json.loads((majority / "small" / "statistics.json").read_text())
    found = statistics["aggregation"]
    assert found["used"] == "majority"
    assert set(found["methods"]) == {"majority", "calibrated", "dawid_skene"}
    assert found["best"] in found["methods"]
    assert found["units"] == sum(row.label_source == "exact" for row in labels(majority))


def test_ranking_a_run(majority: Path) -> None:
    judges = rank_run("small", majority, "judges", 2)
    assert [len(ranked) for ranked in judges.judges.values()] == [2]
    assert (judges.total, judges.chains) == (3, [])
    people = rank_run("small", majority, "people", 5)
    exact = {row.chain_id for row in labels(majority) if row.label_source == "exact"}
    assert people.total == len({row.chain_id for row in labels(majority)} - exact)
    assert people.by == {"math": "calibrated"}


def test_a_run_without_votes_has_nothing_to_rank(tmp_path: Path) -> None:
    built(recipe(tmp_path, problems=1, judges=[]))
    with pytest.raises(InputMistake, match="no votes on steps"):
        rank_run("small", tmp_path, "people", 5)

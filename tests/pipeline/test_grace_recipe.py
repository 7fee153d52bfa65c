"""`recipes/grace.yaml` over files in place of the Hub, by the command that its page gives."""

import json
import subprocess
from pathlib import Path

import pytest

from chainwright.pipeline.reading.source_files import SourceError
from chainwright.pipeline.screens.dry_run import plan_build
from tests.builders.context_rows import block, musique, reclor, two_wiki
from tests.test_docs_tasks import ROOT, steps

FILES = {
    "musique/musique_ans_v1.0_train.jsonl": f"{json.dumps(musique())}\n",
    "2wikimultihopqa/train.json": json.dumps([two_wiki()]),
    "reclor/train.json": json.dumps([reclor()]),
    "logiqa/Train.txt": block("b", "A.one", "B.two", "C.three", "D.four"),
}


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """The recipe that the page's command makes."""
    (command,) = (step.commands for step in steps("grace") if "sed " in step.commands)
    (tmp_path / "recipes").symlink_to(ROOT / "recipes")
    subprocess.run(["bash", "-ec", command], cwd=tmp_path, check=True)
    return tmp_path / "grace-files.yaml"


def test_publishers_files_take_the_place_of_the_hub(recipe: Path) -> None:
    for name, text in FILES.items():
        path = recipe.parent / "data" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    plan = plan_build(recipe, recipe.parent / "runs")
    assert [(one.source, one.rows, one.problems) for one in plan.sources] == [
        (kind, 1, 1) for kind in ("musique", "2wikimultihopqa", "reclor", "logiqa")
    ]
    requests = {stage.stage: plan.of_stage(stage.stage)[0] for stage in plan.stages}
    assert (requests["groundedness"], requests["generation"]) == (2 * 4, 10 * 4)
    assert (requests["critiques"], requests["votes"]) == (10 * 4, 3 * 10 * 4)


def test_a_file_that_is_missing_is_named(recipe: Path) -> None:
    with pytest.raises(SourceError, match=r"`musique`: path `data/musique/musique_ans_v1\.0"):
        plan_build(recipe, recipe.parent / "runs")

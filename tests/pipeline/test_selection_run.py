"""A whole run with chains of two tracks and a selection, as the command builds it."""

import io
import json
from pathlib import Path

import pyarrow.parquet as pq

from chainwright.pipeline.build import build
from chainwright.pipeline.line import standard_line
from chainwright.pipeline.screens.summary import print_summary
from chainwright.pipeline.screens.terminal import console
from chainwright.pipeline.validation.validate import validate

RECIPE = """\
name: selected
seed: 7
sources:
  - {kind: worlds, name: rules, path: builtin:worlds, track: inference, limit: 3}
  - {kind: worlds, name: facts, path: builtin:worlds, track: grounding, limit: 3}
negatives:
  exact: {per_problem: 2}
annotation:
  bootstrap: 0
release:
  selection:
    train: {per_category: 1, per_generator: 1}
    test: {hard: 1, random: 1}
"""


def test_a_run_of_two_tracks_is_selected_from_and_told_track_by_track(tmp_path: Path) -> None:
    recipe = tmp_path / "selected.yaml"
    recipe.write_text(RECIPE, encoding="utf-8")
    summary = build(recipe, tmp_path / "runs", line=standard_line())
    assert [(one.file, one.field) for one in validate(Path(summary.folder)).faults] == []

    statistics = summary.statistics
    assert statistics["track"] == "inference"
    assert list(statistics["tracks"]) == ["grounding"]
    out = io.StringIO()
    print_summary(summary, console(out))
    text = out.getvalue()
    assert text.index("track inference") < text.index("track grounding")
    # nobody votes here, so nothing is hard
    assert "  test, grounding, hard chainwright:worlds: 0 of 1, 0 available" in text

    release = Path(summary.release)
    rows = [
        row for path in release.glob("data/chains/*") for row in pq.read_table(path).to_pylist()
    ]
    full = [row for path in release.glob("data/full/*") for row in pq.read_table(path).to_pylist()]
    assert len(full) == 18
    assert any(step["citations"] for row in full for step in row["steps"])
    # what the engine says of propagation is what the release says
    exact = {
        (row["chain_id"], row["step"]): row["propagated"]
        for path in Path(summary.folder).glob("*/exact-*.parquet")
        for row in pq.read_table(path).to_pylist()
    }
    assert exact == {
        (row["chain_id"], step["step"]): step["propagated"] for row in full for step in row["steps"]
    }
    assert any(exact.values())
    test = [row for row in rows if row["test_slices"]]
    assert [row["test_slices"] for row in test] == [["random"]] * 4
    train = [row for row in rows if not row["test_slices"]]
    wrong = [row for row in train if row["first_error"] is not None]
    assert wrong
    shares = json.loads((release / "manifest.json").read_text(encoding="utf-8"))["selection"]
    sound = [one for one in shares if one["part"] == "faithful"]
    assert len(train) - len(wrong) == sum(one["taken"] for one in sound)
    assert all(one["taken"] == min(one["wanted"], one["available"]) for one in sound)
    assert len(wrong) == sum(
        one["taken"] for one in shares if one["part"] == "unfaithful" and one["generator"] is None
    )
    assert "## Splits and counts" in (release / "README.md").read_text(encoding="utf-8")
    assert summary.as_json()["unmet"] == summary.unmet

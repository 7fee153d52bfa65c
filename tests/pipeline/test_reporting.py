"""Reports of runs: finished, broken off, foreign or missing, and what the command says."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from chainwright.cli import app
from chainwright.pipeline import katex_tarball as katex_place
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.katex_tarball import katex_tarball
from chainwright.pipeline.reporting import report
from chainwright.pipeline.screens.reported import print_reported
from chainwright.pipeline.screens.terminal import console
from chainwright.pipeline.validation.validate import validate
from chainwright.release.site import katex
from chainwright.release.site.script_data import value_of
from tests.pipeline.small_line import small_line, write_recipe

STAND_IN = "#!{python}\nimport sys\nopen(sys.argv[-1] + '/{name}', 'w').write('{content}')\n"
"""What stands in for npm: it writes a file where npm would."""


@pytest.fixture(autouse=True)
def nothing_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither npm nor a kept tarball."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder of runs with one finished run of the small line, called `small`."""
    build(write_recipe(tmp_path), tmp_path / "runs", line=small_line(), quiet=True)
    return tmp_path / "runs"


def run_of(runs: Path) -> Path:
    (run,) = (path for path in runs.iterdir() if path.is_dir())
    return run


def overview_of(folder: Path) -> dict[str, Any]:
    _, value = value_of((folder / "data/overview.js").read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


def test_a_finished_run_is_reported_into_its_folder(runs: Path) -> None:
    run = run_of(runs)
    done = report(run.name, runs)
    assert done.page == run / "report/index.html"
    assert done.page.is_file()
    assert (done.summary.problems, done.summary.chains, done.summary.labelled) == (7, 14, 14)
    overview = overview_of(run / "report")
    assert overview["notes"] == []
    stages = {one["stage"]: one["tables"] for one in overview["funnel"]}
    assert stages["chains"] == [{"table": "chains", "taken": 7, "made": 7, "rejected": []}]
    assert {"problems", "release"} <= set(stages)


def test_a_report_in_the_run_folder_disturbs_no_other_command(runs: Path, tmp_path: Path) -> None:
    run = run_of(runs)
    report(run.name, runs)
    assert validate(run).ok
    again = build(write_recipe(tmp_path), runs, line=small_line(), quiet=True)
    assert all(stage.ran == 0 for stage in again.stages)
    assert report(str(run), runs).summary.chains == 14


def test_a_run_that_broke_off_gives_what_there_is_and_says_so(runs: Path) -> None:
    run = run_of(runs)
    for path in (*run.glob("votes/*.parquet"), *run.glob("labels/*.parquet")):
        path.unlink()
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, "outcome": "stopped"}))
    done = report(run.name, runs)
    assert done.summary.labelled == 0
    assert [note.partition(":")[0] for note in done.notes[:3]] == [
        "the last build ended stopped",
        "nobody has judged the chains yet",
        "the chains have no labels yet; exact ones are shown where there are any",
    ]
    assert overview_of(run / "report")["figures"]["counts"] == {"chains": 14, "steps": 28}


def test_a_run_without_chains_and_no_run_are_mistakes(runs: Path) -> None:
    run = run_of(runs)
    for path in run.glob("*/chains-*.parquet"):
        path.unlink()
    with pytest.raises(InputMistake, match="holds no chains yet"):
        report(run.name, runs)
    with pytest.raises(InputMistake, match="no run 'nowhere'"):
        report("nowhere", runs)


def test_other_folders_are_left_alone(runs: Path, tmp_path: Path) -> None:
    run = run_of(runs)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").write_text("dear")
    (tmp_path / "file").write_text("")
    for out, message in (
        (tmp_path / "mine", "exists and is no report.* with --out"),
        (run, "is the run's own"),
        (run / "labels", "is the run's own"),
        (run / "release", "is the run's own"),
        (tmp_path / "file/below", "cannot be written"),
        (tmp_path / "file", "is no report"),
    ):
        with pytest.raises(InputMistake, match=message):
            report(run.name, runs, out)
    assert (tmp_path / "mine/letter.txt").read_text() == "dear"


def test_a_table_that_cannot_be_read_leaves_the_former_report(runs: Path) -> None:
    run = run_of(runs)
    report(run.name, runs)
    before = (run / "report/data/overview.js").read_bytes()
    next(run.glob("labels/labels-*.parquet")).write_bytes(b"torn")
    with pytest.raises(InputMistake, match="unreadable as a table"):
        report(run.name, runs)
    assert (run / "report/data/overview.js").read_bytes() == before
    assert not list(run.glob(".report*"))


def test_a_secret_keeps_the_report_here(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "What is 1 + 1?")
    with pytest.raises(InputMistake, match="must not leave this machine") as caught:
        report(run_of(runs).name, runs)
    assert "What is 1 + 1" not in str(caught.value)


def test_the_map_of_the_runs_taxonomy_comes_along(runs: Path) -> None:
    run = run_of(runs)
    (run / "taxonomy").mkdir()
    (run / "taxonomy/map.html").write_text("a map")
    assert report(run.name, runs).summary.map
    assert (run / "report/map.html").read_text() == "a map"


def test_statistics_that_are_no_json_are_a_mistake(runs: Path) -> None:
    run = run_of(runs)
    (run / "statistics.json").write_text("{")
    with pytest.raises(InputMistake, match=r"statistics\.json: unreadable"):
        report(run.name, runs)


def test_the_screen_says_where_it_lies_and_how_to_get_formulas(runs: Path) -> None:
    done = report(run_of(runs).name, runs)
    shown = io.StringIO()
    print_reported(done, console(shown))
    text = shown.getvalue()
    assert "7 problems, 14 chains (14 labelled, 7 broken on purpose), 28 steps" in text
    assert done.page.resolve().as_uri() in text
    assert "npm pack katex@" in text
    assert done.as_json()["katex"] is None


def test_the_command_prints_json(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(runs)
    out = runs.parent / "out"
    app(
        ["report", run.name, "--runs", str(runs), "--out", str(out), "--json"],
        standalone_mode=False,
    )
    found = json.loads(capsys.readouterr().out)
    assert (found["folder"], found["chains"]) == (str(out), 14)
    assert (out / "index.html").is_file()


def test_a_given_tarball_must_be_the_right_one(tmp_path: Path) -> None:
    (tmp_path / "katex.tgz").write_bytes(b"another")
    for path in (tmp_path / "katex.tgz", tmp_path / "missing.tgz"):
        with pytest.raises(InputMistake, match=f"--katex .*{path.name}"):
            katex_tarball(path)


@pytest.mark.parametrize("content", ["the right one", "another one"])
def test_what_npm_fetches_is_kept_if_it_is_genuine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    def check(tarball: bytes) -> None:
        if tarball != b"the right one":
            raise katex.NotKatex("another")

    monkeypatch.setattr(katex, "check", check)
    npm = tmp_path / "bin/npm"
    npm.parent.mkdir()
    npm.write_text(STAND_IN.format(python=sys.executable, name=katex.TARBALL, content=content))
    npm.chmod(0o755)
    assert katex_tarball(offline=True).missing == "--offline forbids to fetch it"
    genuine = content == "the right one"
    found = katex_tarball()
    assert found.tarball == (b"the right one" if genuine else None)
    assert found.missing == ("" if genuine else "what npm fetched is another")
    npm.unlink()
    found = katex_tarball()
    assert (found.tarball is not None) == genuine == katex_place.kept_at().is_file()
    assert ("is not installed" in found.missing) == (not genuine)


def test_an_npm_that_fails_gives_nothing(tmp_path: Path) -> None:
    npm = tmp_path / "bin/npm"
    npm.parent.mkdir()
    npm.write_text(f"#!{sys.executable}\nraise SystemExit(1)\n")
    npm.chmod(0o755)
    found = katex_tarball()
    assert (found.tarball, found.missing) == (None, "npm could not fetch it from its registry")

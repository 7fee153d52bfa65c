"""The command `ledger`, on the ledgers of real builds."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.run_folder import RunFolder, held
from tests.llm.fault_server import FaultServer, fault
from tests.llm.test_ledger import as_nobody
from tests.pipeline.model_server import answering, write_model_recipe
from tests.test_cli import call

SECRET = "sk-not-a-real-secret-1234"  # noqa: S105


@pytest.fixture(scope="module")
def run() -> Iterator[Path]:
    """A run that anybody may look at, with failures, and a question that holds a key."""
    with tempfile.TemporaryDirectory() as name, FaultServer(answering) as server:
        folder = Path(name)
        folder.chmod(0o755)
        server.script.extend([fault(418, f"no, {n}") for n in range(2)])
        recipe = write_model_recipe(folder, server, 7)
        rows = folder / "rows.jsonl"
        rows.write_text(rows.read_text().replace("What is 3", f"With {SECRET}: What is 3"))
        build(recipe, folder, quiet=True)
        build(recipe, folder, quiet=True)  # asks again what failed
        build(recipe, folder, quiet=True, fresh=True)
        yield folder / "small"


def answers(run: Path) -> int:
    report = json.loads(call("ledger", run, "--json")[1])
    (total,) = report["totals"]
    ok: int = total["ok"]
    return ok


@pytest.mark.parametrize("command", ["totals", "show", "export", "prune"])
def test_every_command_has_one_screen_of_help_with_an_example(command: str) -> None:
    code, out, _ = call("ledger", command, "--help")
    assert code == 0
    assert f"Example: chainwright ledger {'' if command == 'totals' else command}" in out
    assert "4 its budget is spent" in " ".join(out.split())
    assert len(out.splitlines()) <= 36


def test_a_ledger_is_summed_up(run: Path) -> None:
    code, out, err = call("ledger", run)
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    assert f"ledger {run}/ledger.sqlite" in text
    assert "compat:sums http://127.0.0.1" in text
    assert "answers of unknown price" in text
    assert "compat:sums: answered 418, 2 times, 20" in text
    assert "answered 418: no, " in text
    same = call("ledger", "totals", run / "ledger.sqlite")
    assert same[0] == 0
    assert same[1].splitlines()[:5] == out.splitlines()[:5]
    assert call("ledger", "small", "--runs", run.parent)[1] == out
    assert call("ledger", "--runs", run.parent, "small")[1] == out


def test_a_summary_as_json(run: Path) -> None:
    code, out, _ = call("ledger", run, "--json")
    document = json.loads(out)
    (total,) = document["totals"]
    assert code == 0
    assert (total["model"], total["refused"], total["failures"]) == ("sums", 0, 2)
    assert document["spent"]["requests"] == total["ok"] + 2
    assert document["unpriced"] == total["ok"]
    assert document["last_build"]["sent"] == 0
    assert document["last_build"]["from_ledger"] > 0


def test_an_export_holds_all_and_no_key(run: Path, tmp_path: Path) -> None:
    code, out, err = call("ledger", "export", run)
    assert (code, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["status"] for line in lines].count("failed") == 2
    assert sum(line["status"] == "ok" for line in lines) == answers(run)
    assert all(line["request"]["messages"] for line in lines if line["status"] == "ok")
    assert SECRET not in out
    assert "With [key]: What is 3" in out
    path = tmp_path / "out.jsonl"
    assert call("ledger", "export", run, "-o", path) == (0, "", "")
    assert path.read_text() == out
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]
    failed = call("ledger", "export", run, "--status", "failed", "--model", "sums")[1]
    assert failed.splitlines() == out.splitlines()[-2:]
    assert call("ledger", "export", run, "--model", "other")[1] == ""


def test_an_export_may_be_cut_short_by_its_reader(run: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "chainwright", "ledger", "export", str(run)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline())
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_a_request_is_shown_with_its_answer(run: Path) -> None:
    first = json.loads(call("ledger", "export", run)[1].splitlines()[0])
    code, out, _ = call("ledger", "show", run, first["key"][:12])
    assert code == 0
    assert first["key"] in out
    assert first["request"]["messages"][-1]["content"].splitlines()[0] in out
    assert first["text"] in out
    document = json.loads(call("ledger", "show", run, first["key"], "--json")[1])
    assert document["entries"][0]["key"] == first["key"]
    code, _, err = call("ledger", "show", run, "no key")
    assert (code, "found 0 requests" in err) == (2, True)
    code, _, err = call("ledger", "show", run, "")
    assert (code, "give more of it" in err) == (2, True)


@pytest.mark.parametrize("command", ["totals", "export", "build"])
def test_looking_changes_nothing_on_a_read_only_disk(run: Path, command: str) -> None:
    arguments: dict[str, tuple[object, ...]] = {
        "totals": ("ledger", run),
        "export": ("ledger", "export", run),
        "build": ("build", run.parent / "recipe.yaml", "--runs", run.parent, "--dry-run"),
    }
    # so that the dry run has something to look for in the ledger
    votes = run / "votes" / "journal.jsonl"
    journal = votes.read_bytes()
    votes.write_bytes(b"")
    modes = {path: path.stat().st_mode for path in (run, *run.rglob("*"))}
    before = sorted(run.rglob("*"))
    for path, mode in modes.items():
        path.chmod(mode & 0o7555 | 0o444)
    try:
        with as_nobody():
            code, out, err = call(*arguments[command])
        assert (code, err) == (0, "")
        assert out
        assert sorted(run.rglob("*")) == before
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
        votes.write_bytes(journal)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing",), "no run 'nothing'"),
        (("{run}/recipe.yaml",), "is damaged or no SQLite file"),
        (("{folder}/plain",), "has no ledger: it has asked no model yet"),
        (("export", "{run}", "--status", "lost"), "lost"),
        (("prune", "{run}"), "expected at least one of --model, --status and --before"),
        (("prune", "{run}", "--before", "May"), "found `May` for --before, expected a date"),
        (("prune", "{run}", "--status", "ok"), "nobody is there to be asked: add --yes"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_mistakes(run: Path, arguments: tuple[str, ...], said: str) -> None:
    folder = run.parent
    (folder / "plain").mkdir(exist_ok=True)
    (folder / "plain" / "manifest.json").write_bytes((run / "manifest.json").read_bytes())
    before = answers(run)
    filled = [one.format(run=run, folder=folder) for one in arguments]
    code, _, err = call("ledger", *filled)
    assert code == 2
    assert said in err
    assert "Traceback" not in err
    assert answers(run) == before


@pytest.fixture
def own_run(tmp_path: Path) -> Iterator[tuple[Path, Path, FaultServer]]:
    """A recipe, its run, and the server that goes on answering."""
    with FaultServer(answering) as server:
        recipe = write_model_recipe(tmp_path, server, 2, negatives={})
        server.script.append(fault(418))
        build(recipe, tmp_path, quiet=True)
        build(recipe, tmp_path, quiet=True)  # asks again what failed
        yield recipe, tmp_path / "small", server


def test_pruned_answers_are_paid_again(own_run: tuple[Path, Path, FaultServer]) -> None:
    recipe, run, server = own_run
    sent, kept = len(server.seen), answers(run)
    code, out, _ = call("ledger", "prune", run, "--model", "compat:sums", "--yes")
    assert code == 0
    text = " ".join(out.split())
    assert "A build that needs them asks and pays again" in text
    assert f"removed {kept + 1} entries from {run}" in text
    assert json.loads(call("ledger", run, "--json")[1])["spent"]["requests"] == kept + 1
    build(recipe, run.parent, quiet=True)
    assert len(server.seen) == sent
    build(recipe, run.parent, quiet=True, fresh=True)
    assert len(server.seen) > sent


def test_failures_alone_are_pruned(own_run: tuple[Path, Path, FaultServer]) -> None:
    _, run, _ = own_run
    kept = answers(run)
    assert call("ledger", "prune", run, "--status", "refused", "--yes")[1].startswith("no entry")
    code, out, _ = call("ledger", "prune", run, "--status", "failed", "--yes", "--json")
    assert code == 0
    assert (json.loads(out)["count"], json.loads(out)["removed"]) == (1, True)
    assert answers(run) == kept
    assert "asked again by the next build" not in call("ledger", run)[1]


def test_a_run_under_way_is_not_pruned(own_run: tuple[Path, Path, FaultServer]) -> None:
    _, run, _ = own_run
    with held(RunFolder(run)):
        code, _, err = call("ledger", "prune", run, "--model", "sums", "--yes")
    assert code == 3
    assert "in use by process" in err


@pytest.mark.parametrize(("said", "left"), [(b"y\n", 0), (b"n\n", 1)])
def test_whoever_is_there_is_asked(
    own_run: tuple[Path, Path, FaultServer], said: bytes, left: int
) -> None:
    _, run, _ = own_run
    there, here = os.openpty()
    command = [sys.executable, "-m", "chainwright", "ledger", "prune", str(run)]
    process = subprocess.Popen(
        [*command, "--status", "failed"],
        stdin=here,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    os.write(there, said)
    out, _ = process.communicate()
    os.close(there)
    os.close(here)
    assert process.returncode == 0
    assert b"Remove them?" in out
    (total,) = json.loads(call("ledger", run, "--json")[1])["totals"]
    assert total["failures"] == left

"""The round trip by files: handed out blind, filled in, taken in, decided, built."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from chainwright.annotation.people.assignment import Wish
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.people.exporting import export_adjudication, export_round
from chainwright.pipeline.people.figures import human_figures, human_status
from chainwright.pipeline.people.human_folder import HumanFolder, load_plans, load_records
from chainwright.pipeline.people.importing import Imported, import_files
from chainwright.pipeline.ranking import rank_run
from chainwright.pipeline.screens.status import run_status
from chainwright.pipeline.tables import iter_table
from chainwright.pipeline.validation.validate import validate
from chainwright.schemas.chain import Chain
from chainwright.schemas.human import HumanLabel
from chainwright.schemas.label import Label
from tests.pipeline.human_run import build_run
from tests.pipeline.simulated_annotators import read_rows, write_rows
from tests.pipeline.small_line import CODE_VERSION, pinned

Change = Callable[[list[dict[str, str]]], None]
PLAIN: Any = {"assisted": False, "kind": "csv"}


@pytest.fixture(scope="module")
def fresh_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fresh")
    with patch(CODE_VERSION, pinned):
        build_run(folder)
    return folder


@pytest.fixture
def folder(fresh_run: Path, tmp_path: Path) -> Path:
    """A folder with a recipe and a run of its own."""
    return shutil.copytree(fresh_run, tmp_path / "own")


def handed_out(folder: Path, pots: float = 0.5, kind: Any = "csv", **options: Any) -> Path:
    """Hands the chains of the model out to two people; the folder of their files."""
    wish = Wish(["ann", "bob"], None, "judged", 2, 1.0, pots, 1)
    assisted = options.get("assisted", False)
    return Path(export_round("people", folder / "runs", wish, assisted=assisted, kind=kind).folder)


def human_of(folder: Path) -> HumanFolder:
    return HumanFolder(folder / "runs" / "people" / "human")


def fill(path: Path, *, wrong: int = 0) -> None:
    """Calls every step correct but those of the given number, 0 for none."""
    rows = read_rows(path)
    for row in rows:
        step = int(row["step"])
        if step and row.get("shown") != "not asked":
            row["label"] = "error" if step == wrong else "correct"
            row["category"] = "mathematical_error" if step == wrong else ""
            row["premises"] = str(step - 1)
    write_rows(path, rows)


def edit(path: Path, change: Change) -> None:
    rows = read_rows(path)
    change(rows)
    write_rows(path, rows)


def taken(folder: Path, *paths: Path) -> list[Imported]:
    report = import_files("people", folder / "runs", paths)
    for one in report.files:
        assert one.tasks == one.changed + one.unchanged + one.blank + one.rejected
    return report.files


def test_files_are_blind_and_honey_pots_look_like_the_rest(folder: Path) -> None:
    out = handed_out(folder)
    text = (out / "ann.csv").read_text(encoding="utf-8-sig")
    for word in ("<<", "solver", "chainwright", "synthetic", "gold", "honey", "c-", "p-"):
        assert word not in text
    rows = read_rows(out / "ann.csv")
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    assert len(tasks) == 9  # six of the model, and half as many exact ones
    assert {row["task"] for row in read_rows(out / "bob.csv")}.isdisjoint(tasks)
    steps = [row["text"] for row in rows if row["text"].startswith(("=", "'="))]
    assert len(steps) == 6
    assert all(step.startswith("'=") for step in steps)  # no spreadsheet computes it
    guidelines = (out / "guidelines.md").read_text(encoding="utf-8")
    assert "`accumulation_error`" in guidelines
    assert "<code>accumulation_error</code>" in (out / "guidelines.html").read_text("utf-8")


def test_the_chains_in_greatest_doubt_can_be_handed_out_first(folder: Path) -> None:
    first = rank_run("people", folder / "runs", "people", 2)
    wish = Wish(["ann", "bob"], 2, "ranked", 2, 1.0, 0.0, 1)
    export_round("people", folder / "runs", wish, **PLAIN)
    export_round("people", folder / "runs", Wish(["ann"], 2, "judged", 1, 1.0, 0.0, 1), **PLAIN)
    ranked, drawn = load_plans(human_of(folder)).values()
    chosen = {one.chain_id for one in first.chains}
    assert {task.chain_id for task in ranked.tasks} == chosen
    assert (ranked.random, drawn.random) == (False, False)  # a draw from what was left over
    left = rank_run("people", folder / "runs", "people", 20)
    assert (first.total, left.total) == (6, 2)
    assert not chosen & {one.chain_id for one in left.chains}


def test_partial_work_edits_and_deletions_come_in_one_after_the_other(folder: Path) -> None:
    out = handed_out(folder)
    path = out / "ann.csv"
    assert taken(folder, path)[0].blank == 9
    blank = read_rows(path)
    fill(path)
    full = read_rows(path)
    first = full[0]["task"]
    write_rows(
        path,
        [row if row["task"] == first else empty for row, empty in zip(full, blank, strict=True)],
    )
    (one,) = taken(folder, path)
    assert (one.changed, one.blank, one.added["new"]) == (1, 8, len(first_steps(full)))
    write_rows(path, full)
    (one,) = taken(folder, path)
    assert (one.changed, one.unchanged) == (8, 1)
    assert sum(taken(folder, path)[0].added.values()) == 0
    full[1]["note"] = "hm"
    write_rows(path, full)
    assert taken(folder, path)[0].added == {"new": 0, "edited": 1, "withdrawn": 0}
    write_rows(path, blank)
    (one,) = taken(folder, path)
    assert (one.changed, one.added["withdrawn"]) == (9, len(load_records(human_of(folder))) // 2)
    assert human_status("people", folder / "runs").annotators["ann"]["open"] == 9
    assert validate(human_of(folder).records, "human_records").ok


def first_steps(rows: list[dict[str, str]]) -> list[str]:
    return [row["step"] for row in rows if row["task"] == rows[0]["task"] and row["step"] != "0"]


def test_bad_rows_are_listed_with_place_and_reason_and_the_rest_is_taken(folder: Path) -> None:
    path = handed_out(folder) / "ann.csv"
    fill(path)

    def spoil(rows: list[dict[str, str]]) -> None:
        tasks = list(dict.fromkeys(row["task"] for row in rows))
        own = {task: [row for row in rows if row["task"] == task] for task in tasks}
        own[tasks[0]][1]["label"] = "corect"
        own[tasks[1]][1]["premises"] = "1"
        own[tasks[2]][1]["category"] = "other"
        for row in own[tasks[3]]:
            row["annotator"] = "mallory"
        for row in own[tasks[4]]:
            row["annotator"] = "bob"
        for row in own[tasks[5]]:
            row["task"] = "t-unheard"
        rows.append({**rows[0], "task": "", "label": "correct"})

    edit(path, spoil)
    (one,) = taken(folder, path)
    assert (one.tasks, one.rejected, one.changed) == (9, 6, 3)
    assert sorted(fault.reason for fault in one.faults) == [
        *("category_on_sound", "no_task", "not_assigned", "premise_not_earlier"),
        *("unknown_annotator", "unknown_label", "unknown_task"),
    ]
    assert one.rejects is not None
    rejects = [json.loads(line) for line in Path(one.rejects).read_text("utf-8").splitlines()]
    assert len(rejects) == 7
    (label,) = [reject for reject in rejects if reject["reason"] == "unknown_label"]
    assert label["item"] == "ann.csv:3"
    assert label["detail"] == "label: step 1: found `corect`, expected one of correct, error"
    fill(path)
    edit(path, all_by_ann)
    (again,) = taken(folder, path)
    assert (again.rejected, len(again.faults)) == (1, 1)  # the task that nobody knows


def all_by_ann(rows: list[dict[str, str]]) -> None:
    rows.pop()
    for row in rows:
        row["annotator"] = "ann"


def test_lines_of_json_come_back_too(folder: Path) -> None:
    path = handed_out(folder, kind="jsonl") / "bob.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for task in lines:
        for step in task["steps"]:
            step |= {"label": "correct", "premises": [0], "note": None}
        task["seconds"] = 20
    lines[0]["steps"][0]["premises"] = ["x"]
    lines[1]["steps"] = [*lines[1]["steps"], 5]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    path.write_text(f'{text}\nno JSON\n[1]\n{{"task": "t", "steps": 1}}\n{text}', "utf-8")
    (one,) = taken(folder, path)
    assert (one.tasks, one.changed) == (18, 7)
    reasons = sorted({fault.reason for fault in one.faults})
    assert reasons == [
        *("bad_json", "bad_premises", "duplicate_task", "no_steps", "no_task", "unknown_step"),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("täsk;step".encode("latin-1"), "bad_file"),
        (b"", "bad_file"),
        (b"task,step\nt-1,1\n", "bad_file"),
        (b"task;annotator;step;label;category\nt-1;ann;1;correct;\n", "unknown_task"),
        (b'task,step,label,category\n"t-1,1,correct', "unknown_task"),
        (b"task,step,label,category\nt-1\n", "unknown_task"),
    ],
)
def test_a_file_that_is_no_table_of_ours(folder: Path, content: bytes, reason: str) -> None:
    handed_out(folder)
    path = folder / "x.csv"
    path.write_bytes(content)
    (one,) = taken(folder, path)
    assert [fault.reason for fault in one.faults] == [reason]


def test_people_decide_and_a_build_brings_it_in(folder: Path) -> None:
    out = handed_out(folder)
    fill(out / "ann.csv")
    fill(out / "bob.csv", wrong=2)
    taken(folder, out / "ann.csv", out / "bob.csv")
    status = human_status("people", folder / "runs")
    assert set(status.settled) == {"agreed", "open"}
    plan = {stage.stage for stage in run_status("people", folder / "runs").plan if stage.run}
    assert plan == {"people", "labels", "statistics", "release"}
    round_ = export_adjudication("people", folder / "runs", "eve", seed=0, kind="csv")
    path = Path(round_.folder) / "eve.csv"
    shown = [row["shown"] for row in read_rows(path) if row["step"] == "2"]
    answers = {"correct", "error, mathematical_error"}
    assert all({part[3:] for part in text.split("; ")} == answers for text in shown)
    assert len(set(shown)) == 2  # who is A differs from task to task
    fill(path, wrong=2)
    taken(folder, path)
    build_run(folder)
    run = folder / "runs" / "people"
    origins = {chain.chain_id: chain.origin for chain in iter_table(run, "chains", Chain)}
    people = list(iter_table(run, "human_labels", HumanLabel))
    assert {label.settled for label in people} == {"agreed", "adjudicated"}
    labels = [one for one in iter_table(run, "labels", Label) if one.step == 2]
    of_model = [label for label in labels if origins[label.chain_id] == "model"]
    assert len(of_model) == 6
    for label in of_model:
        assert (label.label_source, label.category) == ("human", "mathematical_error")
        assert label.premises == [1]
        assert label.votes
    assert {o.label_source for o in labels if origins[o.chain_id] != "model"} == {"exact"}
    assert validate(run).ok
    figures = human_figures("people", folder / "runs", epsilon=0.15).statistics["blind"]
    assert figures["adjudication"]["steps"] == figures["settled"]["adjudicated"]
    card = (run / "release" / "README.md").read_text(encoding="utf-8")
    (pair,) = figures["tracks"]["math"]["pairs"]
    agreed = f"{pair['label']['unanimity_complete']['value']:.3f}"
    alpha = f"{pair['label']['krippendorff']['value']:.3f}"
    row = f"| `blind` | `math` | 2 | label | {pair['label']['units']} | {agreed} | {alpha} |"
    assert row in card
    for how, count in figures["settled"].items():
        assert f"| `blind` | `{how}` | {count} |" in card
    assert "bob" not in card
    # What people took back leaves the run again, and the panel's labels with it.
    blank_out(out / "ann.csv")
    blank_out(out / "bob.csv")
    blank_out(path)
    taken(folder, out / "ann.csv", out / "bob.csv", path)
    build_run(folder)
    assert {one.label_source for one in iter_table(run, "labels", Label)} == {"exact", "panel"}
    assert "Human agreement" not in (run / "release" / "README.md").read_text(encoding="utf-8")


def blank_out(path: Path) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        for row in rows:
            row.update(dict.fromkeys(("label", "category", "premises", "note", "seconds"), ""))

    edit(path, change)


def test_assisted_answers_are_flagged_and_kept_apart(folder: Path) -> None:
    out = handed_out(folder, assisted=True)
    rows = read_rows(out / "ann.csv")
    assert all("judge 1: " in row["shown"] for row in rows if row["step"] != "0")
    fill(out / "ann.csv")
    taken(folder, out / "ann.csv")
    assert all(record.assisted for record in load_records(human_of(folder)))
    assert list(human_figures("people", folder / "runs", epsilon=0.1).statistics) == ["assisted"]


def test_a_second_round_draws_other_chains(folder: Path) -> None:
    wish = Wish(["ann"], 4, "judged", 1, 1.0, 0.0, 1)
    for _ in range(2):
        export_round("people", folder / "runs", wish, assisted=False, kind="csv")
    first, second = load_plans(human_of(folder)).values()
    assert (len(first.tasks), len(second.tasks)) == (4, 2)
    assert {t.chain_id for t in first.tasks}.isdisjoint(t.chain_id for t in second.tasks)
    with pytest.raises(InputMistake, match="exact; `--pool all`"):
        export_round("people", folder / "runs", wish, assisted=False, kind="csv")


def test_the_records_survive_a_crash_and_name_a_bad_line(folder: Path) -> None:
    out = handed_out(folder)
    fill(out / "ann.csv")
    taken(folder, out / "ann.csv")
    records = human_of(folder).records
    whole = records.read_bytes()
    records.write_bytes(whole[:-20])  # a write that was cut short
    (one,) = taken(folder, out / "ann.csv")
    assert one.added["new"] == 1
    assert records.read_bytes().count(b"\n") == whole.count(b"\n")
    records.write_bytes(b'{"a": 1}\n' + whole)
    with pytest.raises(InputMistake, match="line 1"):
        human_status("people", folder / "runs")


def test_a_recipe_with_other_categories_is_noticed(folder: Path) -> None:
    out = handed_out(folder)
    fill(out / "ann.csv")
    taken(folder, out / "ann.csv")
    plan = human_of(folder).plan(1)
    plan.write_text(plan.read_text("utf-8").replace("a calculation or", "an equation or"), "utf-8")
    assert human_status("people", folder / "runs").other_questions == [1]


def test_mistakes_say_what_to_do(folder: Path) -> None:
    runs = folder / "runs"
    with pytest.raises(InputMistake, match="human export"):
        human_figures("people", runs, epsilon=0.1)
    path = folder / "x.csv"
    path.write_text("", encoding="utf-8")
    with pytest.raises(InputMistake, match="nothing was handed out"):
        import_files("people", runs, [path])
    with pytest.raises(InputMistake, match="No such file"):
        import_files("people", runs, [folder / "none.csv"])
    with pytest.raises(InputMistake, match="nothing to decide"):
        export_adjudication("people", runs, "eve", seed=0, kind="csv")
    with pytest.raises(InputMistake, match=r"`\.\./up` as the name"):
        wish = Wish(["../up"], None, "all", 1, 1.0, 0.0, 1)
        export_round("people", runs, wish, assisted=False, kind="csv")
    with pytest.raises(InputMistake, match="--epsilon"):
        human_figures("people", runs, epsilon=3)

"""Auditing corpora on disk: which files, what comes of them, and what is written."""

from __future__ import annotations

import gzip
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chainwright.pipeline.auditing.corpus_audit import AuditReport, audit_paths
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.screens.audit_page import audit_page
from tests.audit.corpora import QUESTION, STEPS, perl_row
from tests.test_cli import call

RECIPE = """\
name: tiny
sources:
  - kind: gsm8k
    path: rows.jsonl
annotation:
  judges: [program:arithmetic]
  bootstrap: 10
"""


def write(path: Path, rows: list[Any]) -> Path:
    """A JSON array, or JSONL by the name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) if path.suffix == ".jsonl" else f"[{','.join(lines)}]")
    return path


def drifted(text: str = f"Problem: {QUESTION}", **more: Any) -> dict[str, Any]:
    """A PERL row whose copy of the question is another text."""
    row = perl_row(**more)
    row["premise_annotation"]["steps"][0]["original_step"] = text
    return row


def rules(report: AuditReport) -> dict[str, int]:
    """Findings by rule, of all severities."""
    return {rule: sum(counts.values()) for rule, counts in report.by_rule().items()}


def test_a_folder_of_perl_files(tmp_path: Path) -> None:
    other = [step.replace("pens", "pencils") for step in STEPS]
    write(tmp_path / "a" / "toy_positives.json", [perl_row(), drifted(steps=other)])
    write(tmp_path / "a" / "toy_negatives.json", [perl_row(is_correct=False)])
    (tmp_path / "notes.txt").write_text("no data")
    report = audit_paths([tmp_path])
    assert sorted(report.records.values()) == [1, 2]
    found = rules(report)
    assert found["negative_without_error"] == found["wrong_answer_equal"] == 1
    assert found["question_copy"] == 1
    assert found["duplicate_chain"] == 1
    assert all(one.severity != "note" for one in report.findings)
    assert sum(report.counts.values()) > report.found == len(report.findings)


def test_rows_that_are_none_are_counted_and_cost_themselves(tmp_path: Path) -> None:
    path = tmp_path / "toy_positives.jsonl"
    lines = [json.dumps(perl_row()), "{broken", "", "[1]", json.dumps(perl_row(steps=5))]
    path.write_text("\n".join([*lines, json.dumps({"a": 1})]))
    report = audit_paths([path])
    assert (report.records.total(), report.unread.total()) == (1, 4)
    assert rules(report) == {"unreadable_record": 4}
    assert [one.row for one in report.findings] == [2, 4, 5, 6]


def test_processbench_and_maps_and_gzip(tmp_path: Path) -> None:
    row = {"problem": QUESTION, "steps": list(STEPS), "final_answer_correct": True, "label": 9}
    assert rules(audit_paths([write(tmp_path / "bench.json", [row])]))["first_error"] == 1
    own = {"q": QUESTION, "s": list(STEPS), "l": [True, True]}
    packed = tmp_path / "own.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(own).encode()))
    report = audit_paths([packed], columns="question=q,steps=s,labels=l")
    assert rules(report) == {"step_count": 1}
    with pytest.raises(InputMistake, match=r"its keys \(q, s, l\).*--map question=COLUMN"):
        audit_paths([packed])


def test_formats_of_other_projects_in_parquet_and_json_lines(tmp_path: Path) -> None:
    row = {"prompt": QUESTION, "completions": list(STEPS), "labels": [True, True]}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "a.parquet")
    write(tmp_path / "b.jsonl", [{**row, "labels": [True, 1, True]}])
    report = audit_paths([tmp_path])
    assert (report.records.total(), report.unread.total()) == (1, 1)
    assert rules(report) == {"step_count": 1, "unreadable_record": 1}


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("absent", {}, "no such file or folder"),
        ("empty", {}, "no labelled chains"),
        ("a.txt", {}, "expected a name that ends in"),
        ("a.json", {"rules": ["colour"]}, "no rule 'colour'"),
        ("a.json", {"columns": "stps=a"}, "did you mean steps"),
        ("a.json", {"fix": "a.json"}, "one of the files audited"),
    ],
)
def test_mistakes_say_what_to_do(
    tmp_path: Path, name: str, options: dict[str, Any], says: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("")
    write(tmp_path / "a.json", [perl_row()])
    if "fix" in options:
        options = {"fix": tmp_path / options["fix"]}
    with pytest.raises(InputMistake, match=says):
        audit_paths([tmp_path / name], **options)


def test_a_run_and_its_release_are_clean(tmp_path: Path) -> None:
    rows = [
        {
            "question": f"Ann has {n} pears, buys {n + 4} and eats 2. How many are left?",
            "answer": f"She has {n}+{n + 4}=<<{n}+{n + 4}={2 * n + 4}>>{2 * n + 4} pears.\n"
            f"So {2 * n + 4}-2=<<{2 * n + 4}-2={2 * n + 2}>>{2 * n + 2} are left.\n"
            f"#### {2 * n + 2}",
        }
        for n in (11, 23)
    ]
    write(tmp_path / "rows.jsonl", rows)
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    build(tmp_path / "recipe.yaml", tmp_path / "runs", quiet=True)
    run = tmp_path / "runs" / "tiny"
    report = audit_paths([run], level="note", graphs=True)
    assert rules(report) == {}
    whole = report.records.total()
    assert report.graphs["all"].counts["chains"] < whole
    release = audit_paths([run / "release"])
    assert (rules(release), release.found) == ({}, 0)
    assert 0 < release.records.total() < whole


def apply_patch(document: list[Any], patch: list[dict[str, Any]]) -> list[Any]:
    """The part of RFC 6902 that proposals use."""
    for operation in patch:
        *way, last = operation["path"].split("/")[1:]
        holder: Any = document
        for key in way:
            holder = holder[int(key)] if isinstance(holder, list) else holder[key]
        place: Any = int(last) if isinstance(holder, list) else last
        if operation["op"] == "test":
            assert holder[place] == operation["value"]
        elif operation["op"] == "replace":
            holder[place] = operation["value"]
        else:
            del holder[place]
    return document


def test_proposals_are_a_patch_and_nothing_else_is_touched(tmp_path: Path) -> None:
    other = [step.replace("pens", "pencils") for step in STEPS]
    flagged = perl_row(steps=other, question="Another one?")
    flagged["error_annotation"]["error_annotations"]["step_level"][0]["has_error"] = True
    other_words = drifted("How many rubbers has Mia?", question="A third one?")
    rows = [drifted(), perl_row(), flagged, perl_row(), other_words]
    path = write(tmp_path / "toy_positives.json", rows)
    before = path.read_bytes()
    fix = tmp_path / "fixes.jsonl"
    audit_paths([path], fix=fix)
    assert path.read_bytes() == before
    (line,) = [json.loads(line) for line in fix.read_text().splitlines()]
    assert line["file"] == str(path)
    mended = apply_patch(json.loads(before), line["patch"])
    assert len(mended) == 3
    assert mended[2] == other_words
    # A file that has changed since is left as it is: what was to go is no longer there.
    others = [*rows[:3], perl_row(question="Not the one that was to go?"), rows[4]]
    with pytest.raises(AssertionError):
        apply_patch(json.loads(json.dumps(others)), line["patch"])
    write(path, mended)
    left = audit_paths([path], fix=fix)
    assert not {"error_flag", "duplicate_chain"} & set(rules(left))
    assert {one.layer for one in left.findings if one.rule.endswith("_copy")} == {
        "words",
        "numbers",
    }
    assert fix.read_text() == ""


def test_of_a_record_that_goes_nothing_else_is_edited(tmp_path: Path) -> None:
    rows = [drifted(), drifted()]
    path = write(tmp_path / "toy_positives.jsonl", rows)
    audit_paths([path], fix=tmp_path / "fixes.jsonl")
    (line,) = [json.loads(line) for line in (tmp_path / "fixes.jsonl").read_text().splitlines()]
    assert len(apply_patch(json.loads(json.dumps(rows)), line["patch"])) == 1
    edited = {one["path"].split("/")[1] for one in line["patch"] if one["op"] == "replace"}
    assert edited == {"0"}


class Reader(HTMLParser):
    """Collects the tags of a page and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert all(not name.startswith("on") and name not in ("src", "href") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_holds_hostile_text_as_text(tmp_path: Path) -> None:
    hostile = '<script>alert(1)</script><img src=x onerror="a()">\u202e&amp; 7 "\x1b[31m'
    row = drifted(hostile)
    entry = {"error_type": "</td><script>", "error_description": ""}
    level = row["error_annotation"]["error_annotations"]["step_level"][0]
    level.update(has_error=True, errors=[entry])
    report = audit_paths([write(tmp_path / "<b>_positives.json", [row])], level="note")
    page = audit_page(report)
    reader = Reader()
    reader.feed(page)
    assert not {"script", "img", "b", "link", "iframe"} & set(reader.tags)
    assert "alert(1)" in reader.text
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert 'id="f-question_copy"' in page
    assert "tr.r-question_copy" in page


def test_graphs_count_what_the_paper_counts(tmp_path: Path) -> None:
    rows = [perl_row(question=f"Question {number}?") for number in range(52)]
    write(tmp_path / "orcamath_positives.json", rows)
    write(tmp_path / "gsm8k_positives.json", rows)
    report = audit_paths([tmp_path], graphs=True, rules=["several_types"])
    assert report.graphs["all"].counts["chains"] == 104
    paper = report.graphs["paper"]
    assert (paper.counts["chains"], paper.counts["correct_steps"]) == (102, 306)
    graph = paper.graphs[0]
    assert (graph.nodes, graph.edges, graph.depth, graph.width) == (4, 4, 4, 1)
    assert not report.counts


def test_the_command_ends_with_0_1_and_2(tmp_path: Path) -> None:
    clean = write(tmp_path / "toy_positives.json", [perl_row()])
    code, out, err = call("audit", clean)
    assert (code, err) == (0, "")
    assert "no findings of warning or graver: 1 records in 1 files" in out
    write(clean, [drifted(), drifted("{question}", question="Other?")])
    page, fix = tmp_path / "page.html", tmp_path / "fix.jsonl"
    code, out, _ = call("audit", clean, "--html", page, "--fix", fix, "--graphs")
    assert code == 1
    assert "[placeholder]" in out
    assert "premise graphs" in out
    assert page.read_text().startswith("<!doctype html>")
    assert fix.read_text().count("\n") == 1
    assert call("audit", clean, "--rule", "step_count")[0] == 0
    assert call("audit", clean, "--rule", "colour")[0] == 2
    assert call("audit", tmp_path / "absent")[0] == 2


def test_json_is_one_finding_a_line_and_a_summary(tmp_path: Path) -> None:
    path = write(tmp_path / "toy_positives.json", [drifted()])
    code, out, _ = call("audit", path, "--json", "--level", "note")
    *findings, last = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert [(one["rule"], one["row"], one["step"]) for one in findings] == [("question_copy", 1, 0)]
    assert last["summary"]["rules"]["question_copy"]["layers"] == {"prefix": 1}
    code, out, _ = call("audit", path, "--json")
    assert (code, len(out.splitlines())) == (0, 1)


@pytest.mark.realdata
def test_released_perl_files(real_data: Path) -> None:
    report = audit_paths(
        [real_data / "perl"], rules=["question_copy", "step_count", "several_types"], graphs=True
    )
    found = rules(report)
    assert report.records.total() == 294
    assert (found["question_copy"], found["step_count"], found["several_types"]) == (101, 1, 16)
    assert report.graphs["all"].counts["correct_steps"] == 1011

"""Builds over questions with context: filtered by a model, solved with citations, resumed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from chainwright.llm.keys import NAMES
from chainwright.pipeline.build import build
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.dry_run import plan_build
from chainwright.pipeline.screens.status import run_status
from chainwright.pipeline.screens.summary import BuildSummary
from chainwright.pipeline.tables import iter_table
from chainwright.pipeline.validation.validate import validate
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.problem_vote import ProblemVote
from tests.builders.context_rows import musique
from tests.llm.fault_server import FaultServer, Seen, Served, chat

ROWS = 5


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES.values():
        monkeypatch.delenv(name, raising=False)


def answering(seen: Seen) -> Served:
    """Finds questions with an odd number grounded, and solves them with one bad citation."""
    asked = "\n".join(message["content"] for message in seen.body["messages"])
    if seen.body["response_format"]["json_schema"]["name"] == "answerable":
        odd = any(f"Harbour {number}?" in asked for number in (1, 3))
        return chat(json.dumps({"explanation": "why", "answerable": odd}))
    steps = ["The Anna is of Norrvik [2].", "Its mayor is Ida Holm [4, 17]."]
    return chat(json.dumps({"steps": steps, "final_answer": "Mayor Holm [4]"}))


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(answering) as running:
        yield running


def write(folder: Path, server: FaultServer, *, filtered: bool = True) -> Path:
    rows = [musique(question=f"Harbour {number}?") for number in range(ROWS)]
    rows.append(musique(id="2hop__1_2", question_decomposition=[], question="Two?"))
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    uri = f"compat:m@{server.url}/v1"
    chains: dict[str, Any] = {"reference": False, "model": {"models": [uri]}}
    if filtered:
        chains["groundedness"] = {"models": [uri]}
    recipe = {
        "name": "harbours",
        "block": 2,
        "sources": [{"kind": "musique", "path": "rows.jsonl"}],
        "chains": chains,
        "annotation": {"bootstrap": 0},
    }
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return path


def counts(summary: BuildSummary, stage: str) -> dict[str, tuple[int, int, dict[str, int]]]:
    (report,) = [one for one in summary.stages if one.stage == stage]
    return {t.table: (t.taken, t.made, t.rejected) for t in report.tables}


def test_what_the_context_does_not_answer_is_dropped_and_counted(
    tmp_path: Path, server: FaultServer
) -> None:
    path = write(tmp_path, server)
    plan = plan_build(path, tmp_path)
    assert {(one.stage, one.requests) for one in plan.models} == {
        ("groundedness", ROWS),
        ("generation", ROWS),
    }
    summary = build(path, tmp_path, quiet=True)
    assert counts(summary, "problems") == {
        "candidates": (ROWS + 1, ROWS, {"too_few_hops": 1}),
        "brought": (0, 0, {}),
    }
    assert counts(summary, "groundedness") == {
        "problems": (ROWS, 2, {"not_grounded": 3}),
        "chains": (0, 0, {}),
        "problem_votes": (ROWS, ROWS, {}),
    }
    assert counts(summary, "generation") == {
        "generated": (2, 2, {}),
        "citations": (2, 0, {"citation_out_of_range": 2}),
    }
    assert summary.statistics["groundedness"]["by_source"] == {
        "musique": {"asked": ROWS, "kept": 2, "rate": 0.4}
    }
    folder = tmp_path / "harbours"
    assert {one.question for one in iter_table(folder, "problems", Problem)} == {
        "Harbour 1?",
        "Harbour 3?",
    }
    votes = list(iter_table(folder, "problem_votes", ProblemVote))
    assert sorted(str(vote.label) for vote in votes) == ["grounded"] * 2 + ["not_grounded"] * 3
    for chain in iter_table(folder, "chains", Chain):
        assert (chain.citations, chain.polarity) == ([[2], [4]], "positive")
        assert (chain.final_answer, chain.answer_f1) == ("Mayor Holm", 1.0)
    assert validate(folder).faults == []
    assert {stage.stage for stage in run_status("harbours", tmp_path).stages} >= {"groundedness"}


def test_nothing_is_asked_twice_and_the_filter_can_go(tmp_path: Path, server: FaultServer) -> None:
    path = write(tmp_path, server)
    build(path, tmp_path, quiet=True)
    asked = len(server.seen)
    again = build(path, tmp_path, quiet=True)
    assert len(server.seen) == asked
    assert {stage.ran for stage in again.stages} == {0}
    plan = plan_build(path, tmp_path)
    assert [one.to_send for one in plan.models] == []

    summary = build(write(tmp_path, server, filtered=False), tmp_path, quiet=True)
    assert counts(summary, "problems")["problems"] == (ROWS + 1, ROWS, {"too_few_hops": 1})
    assert counts(summary, "generation")["generated"] == (ROWS, ROWS, {})
    assert len(server.seen) == asked + ROWS - 2
    assert not (tmp_path / "harbours" / "groundedness").exists()
    assert validate(RunFolder(tmp_path / "harbours").path).faults == []

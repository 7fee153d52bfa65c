"""Candidates and their votes, as `validate` meets them in a run."""

from collections.abc import Sequence
from pathlib import Path

from chainwright.pipeline.tables import write_table
from chainwright.pipeline.validation.validate import validate
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.problem_vote import ProblemVote
from chainwright.schemas.record import Record
from chainwright.schemas.tables import TABLES
from tests.pipeline.small_rows import told

KEPT, DROPPED, STRANGE = (Problem.build(source="s", question=f"{n}?") for n in range(3))


def vote(problem: Problem) -> ProblemVote:
    return ProblemVote(
        problem_id=problem.problem_id,
        task="groundedness",
        judge="openai:m",
        prompt_version="1",
        label="grounded",
        explanation=None,
        status="ok",
        request_key=None,
    )


def brought(problem: Problem) -> Chain:
    return Chain.build(
        problem_id=problem.problem_id,
        origin="model",
        generator="g",
        steps=["s"],
        final_answer=None,
        is_correct=None,
    )


def faults(folder: Path, **tables: Sequence[Record]) -> list[tuple[str, int | None, str]]:
    rows: dict[str, Sequence[Record]] = {"candidates": [KEPT, DROPPED], "problems": [KEPT]}
    for table, found in (rows | tables).items():
        stage = "problems" if table in ("candidates", "brought") else "groundedness"
        write_table(folder / stage / f"{table}-00000.parquet", found, TABLES[table])
    return told(validate(folder))


def test_votes_and_chains_may_be_of_dropped_problems(tmp_path: Path) -> None:
    chains = [brought(KEPT), brought(DROPPED)]
    votes = [vote(KEPT), vote(DROPPED)]
    found = faults(tmp_path, brought=chains, chains=chains[:1], problem_votes=votes)
    assert found == []


def test_they_are_of_some_candidate_and_each_vote_stands_once(tmp_path: Path) -> None:
    found = faults(
        tmp_path, brought=[brought(STRANGE)], problem_votes=[vote(STRANGE), vote(KEPT), vote(KEPT)]
    )
    assert found == [
        ("groundedness/problem_votes-00000.parquet", 1, "problem_id"),
        ("groundedness/problem_votes-00000.parquet", 3, "problem_id, task, judge, prompt_version"),
        ("problems/brought-00000.parquet", 1, "problem_id"),
    ]


def test_chains_of_dropped_problems_are_faults(tmp_path: Path) -> None:
    assert faults(tmp_path, chains=[brought(DROPPED)]) == [
        ("groundedness/chains-00000.parquet", 1, "problem_id")
    ]

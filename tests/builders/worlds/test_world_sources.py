"""Made problems as a source: rows, recipe keys, stages, and a whole build."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from chainwright.annotation.program_panel import program_votes
from chainwright.builders.fields import Refused
from chainwright.builders.raw_rows import RawRow
from chainwright.builders.sources import problems_from_rows
from chainwright.builders.stages import CHAINS, NEGATIVES
from chainwright.builders.worlds.exact_context import context_reference, made_problem
from chainwright.builders.worlds.made import parse_key
from chainwright.builders.worlds.rows import made_rows, readable_row, world_problem
from chainwright.pipeline.build import build
from chainwright.pipeline.reading.rows import fingerprint, read_rows
from chainwright.pipeline.tables import iter_table
from chainwright.pipeline.validation.validate import validate
from chainwright.recipe import Recipe, Source
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.reject import Reject
from tests.builders.worlds.made_problems import SOURCE, as_problem, made

DATA = Path(__file__).parents[3] / "chainwright" / "builders" / "data" / "context.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def source(**changes: Any) -> Source:
    given = {"kind": "worlds", "path": "builtin:worlds", "track": "grounding", "limit": 5}
    return Source.model_validate(
        {key: value for key, value in (given | changes).items() if value is not None}
    )


def test_the_problems_that_ship_are_what_their_worlds_yield() -> None:
    assert len(ROWS) == 12
    for row in ROWS:
        key = parse_key(row["world"])
        assert key is not None
        assert row == json.loads(json.dumps(readable_row(made_problem(key))))
    assert Counter(row["world"].split("/")[1] for row in ROWS) == {"grounding": 6, "inference": 6}


def test_the_problems_that_ship_are_read_with_track_and_licence(tmp_path: Path) -> None:
    rows = list(read_rows(SOURCE, recipe_folder=tmp_path))
    batch = problems_from_rows(rows, SOURCE, seed=1)
    assert batch.unaccounted() == {}
    assert not batch.rejects
    problems: list[Any] = batch.rows["problems"]
    assert {problem.licence for problem in problems} == {"Apache-2.0"}
    assert Counter(problem.track for problem in problems) == {"grounding": 6, "inference": 6}
    assert all(problem.context for problem in problems)


def test_a_larger_limit_only_appends(tmp_path: Path) -> None:
    few, many = (
        problems_from_rows(
            read_rows(one := source(limit=limit), recipe_folder=tmp_path, seed=3), one, 3
        )
        for limit in (4, 9)
    )
    assert many.rows["problems"][:4] == few.rows["problems"]
    assert len(many.rows["problems"]) == 9


def test_the_seed_is_the_sources_own_or_else_the_recipes(tmp_path: Path) -> None:
    own, recipes = (
        [
            row.row
            for row in read_rows(one, recipe_folder=tmp_path, seed=3)
            if isinstance(row, RawRow)
        ]
        for one in (source(seed=3), source())
    )
    other = list(read_rows(source(seed=4), recipe_folder=tmp_path, seed=3))
    assert own == recipes
    assert [row.row for row in other if isinstance(row, RawRow)] != own
    assert fingerprint(source(), recipe_folder=tmp_path) == "builtin:worlds"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({}, "missing_field"),
        ({"world": 5}, "wrong_type"),
        ({"world": "grounding 5"}, "bad_world"),
        ({"world": "7/grounding/1/1"}, "world_version"),
        ({"world": "1/grounding/1/1", "question": "Another?"}, "world_mismatch"),
    ],
)
def test_rows_that_name_no_world_are_refused(row: dict[str, Any], reason: str) -> None:
    with pytest.raises(Refused) as caught:
        world_problem(row, SOURCE, "here")
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"track": None}, "track: grounding"),
        ({"track": "math"}, "track: grounding"),
        ({"limit": None}, "how many problems"),
        ({"kind": "gsm8k"}, "kind: worlds"),
        ({"path": "builtin:context"}, "each row names its track"),
        ({"answer_kind": "text"}, "bring it along"),
        ({"path": None, "hub": "a/b"}, "bring it along"),
    ],
)
def test_a_source_of_made_problems_says_what_it_needs(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        source(**changes)


def recipe(**changes: Any) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "made",
            "sources": [{"kind": "worlds", "path": "builtin:context"}],
            "negatives": {"exact": {"per_problem": 2}},
        }
        | changes
    )


def test_stages_account_for_every_chain_and_label() -> None:
    problems = [as_problem(made("grounding", n)) for n in range(6)]
    problems += [as_problem(made("inference", n)) for n in range(6)]
    # a passage question of another source, with a solution that no engine can read
    stranger = Problem.build(
        source="other", question="Who?", solution="Ada is named.\nSo Ada.", track="grounding"
    )
    tables = {"problems": [*problems, stranger]}
    for stage in (CHAINS, NEGATIVES):
        assert stage.process is not None
        batch = stage.process(recipe(), tables)
        assert batch.unaccounted() == {}
        exact = batch.rows["exact"]
        assert len(exact) == sum(
            len(getattr(chain, "steps", []))
            for chain in batch.rows["chains"]
            if getattr(chain, "problem_id", "") != stranger.problem_id
        )
        assert {reject.reason for reject in batch.rejects} == {"no_world"}


def test_weights_of_a_recipe_choose_the_categories() -> None:
    zero = dict.fromkeys(("groundedness_violation", "contradiction", "confusion"), 0)
    settings = recipe(negatives={"exact": {"categories": zero}})
    assert NEGATIVES.process is not None
    tables = {"problems": [as_problem(made("grounding", number)) for number in range(5)]}
    labels = NEGATIVES.process(settings, tables).rows["exact"]
    found = {label.category for label in labels if isinstance(label, ExactLabel)}
    assert found == {None, "evidence_neglect"}
    with pytest.raises(ValidationError, match="no category is left"):
        names = ("reversed_reasoning", "wrong_argument_reading", "rule_violation")
        none = zero | dict.fromkeys((*names, "overreaching_claim", "evidence_neglect"), 0)
        recipe(negatives={"exact": {"categories": none}})


def test_programs_abstain_outside_the_math() -> None:
    problem = as_problem(made("inference", 1))
    chain = context_reference(problem).chain
    for name, kinds in (("arithmetic", 1), ("provenance", 2), ("reference", 1)):
        votes = program_votes(name, problem, chain)
        assert len(votes) == kinds * len(chain.steps)
        assert {(vote.status, vote.label, vote.premises) for vote in votes} == {
            ("abstained", None, None)
        }


@pytest.mark.parametrize("judges", [[], ["program:arithmetic", "program:provenance"]])
def test_a_build_of_made_problems_beside_word_problems(tmp_path: Path, judges: list[str]) -> None:
    path = tmp_path / "recipe.yaml"
    worlds = {"kind": "worlds", "path": "builtin:worlds", "limit": 2}
    sources: list[dict[str, Any]] = [
        {"kind": "gsm8k", "path": "builtin:quickstart", "limit": 3, "licence": "Apache-2.0"},
        {"kind": "worlds", "path": "builtin:context", "limit": 4},
        worlds | {"name": "more-grounding", "track": "grounding"},
        worlds | {"name": "more-inference", "track": "inference"},
    ]
    annotation = {"judges": judges, "bootstrap": 0}
    negatives = {"exact": {"per_problem": 2}}
    document = {"name": "mixed", "sources": sources, "negatives": negatives}
    path.write_text(json.dumps(document | {"annotation": annotation}), encoding="utf-8")
    summary = build(path, tmp_path / "runs", quiet=True)
    assert all(totals.balanced for stage in summary.stages for totals in stage.tables)
    folder = tmp_path / "runs" / "mixed"
    labels = list(iter_table(folder, "labels", Label))
    assert {label.label for label in labels} == {"correct", "error", "faithful", "unfaithful"}
    assert {label.label_source for label in labels} == {"exact"}
    assert not [
        one for one in iter_table(folder, "rejects", Reject) if one.stage in ("votes", "labels")
    ]
    for place in (folder, folder / "release"):
        assert validate(place).ok


def test_made_rows_name_their_worlds() -> None:
    assert [row.row["world"] for row in made_rows("inference", 4, 2)] == [
        "1/inference/4/0",
        "1/inference/4/1",
    ]

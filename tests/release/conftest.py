"""A small run in parts: problems about pears, their chains, labels and votes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from chainwright.recipe import Recipe
from chainwright.release.card import dataset_card
from chainwright.release.redaction import public_recipe
from chainwright.release.rows import released_chain
from chainwright.release.site.build import write_site
from chainwright.release.summary import Account, StageCounts
from chainwright.release.tally import Tally
from chainwright.schemas.chain import Chain, Perturbation
from chainwright.schemas.label import CastVote, Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import Binary
from tests.browser import chromium

THEIRS = str(PurePosixPath("/", "home", "ada"))
"""A folder of another machine than the one that releases."""

JUDGES = ("program:arithmetic", "compat:small@http://gpu7.lan:8000/v1")
Block = dict[str, list[Any]]


def make_recipe(**changes: Any) -> Recipe:
    """A recipe with one built-in and one local source."""
    document: dict[str, Any] = {
        "name": "pears",
        "seed": 3,
        "sources": [
            {"kind": "gsm8k", "name": "own", "path": "builtin:quickstart", "licence": "MIT"},
            {"kind": "generic", "name": "bought", "path": f"{THEIRS}/pears.jsonl"},
        ],
        "annotation": {"judges": ["program:arithmetic"]},
        "release": {"title": "Pears", "test_fraction": 0.5},
    }
    return Recipe.model_validate({**document, **changes})


def make_problem(number: int = 0, **changes: Any) -> Problem:
    """A problem about `number` crates of pears."""
    given: dict[str, Any] = {
        "source": "own",
        "question": f"A crate holds 6 pears. How many do {number} crates hold, 2 being rotten?",
        "answer": str(6 * number - 2),
        "answer_kind": "number",
        "solution": f"They hold <<6*{number}={6 * number}>>{6 * number} pears.",
        "licence": "MIT",
        "origin_ref": f"{THEIRS}/pears.jsonl:{number}",
    }
    return Problem.build(**{**given, **changes})


def make_chain(problem: Problem, steps: list[str] | None = None, **changes: Any) -> Chain:
    """A chain of three steps with the right answer."""
    given: dict[str, Any] = {
        "problem_id": problem.problem_id,
        "origin": "reference",
        "generator": "source",
        "steps": steps or ["All crates hold 6*4=24 pears.", "24-2=22 are good.", "So 22."],
        "final_answer": "22",
        "is_correct": True,
    }
    return Chain.build(**{**given, **changes})


def make_negative(problem: Problem, parent: Chain) -> Chain:
    """The chain with its first computation made wrong."""
    return make_chain(
        problem,
        ["All crates hold 6*4=25 pears.", "25-2=23 are good.", "So 23."],
        origin="synthetic",
        generator="exact",
        final_answer="23",
        is_correct=False,
        parent_id=parent.chain_id,
        perturbed_step=1,
        perturbation=Perturbation(
            error_type="mathematical_error", kind="digit_slip", before="6*4=24", after="6*4=25"
        ),
    )


def make_label(chain: Chain, step: int, outcome: str | None = "correct", **changes: Any) -> Label:
    """A label by its outcome: None, `correct` or the category of an error."""
    label: Binary | None = "error"
    category = outcome
    if outcome in (None, "correct"):
        label, category = None if outcome is None else "correct", None
    given: dict[str, Any] = {
        "chain_id": chain.chain_id,
        "step": step,
        "label": label,
        "category": category,
        "premises": [step - 1],
        "label_source": "panel",
        "tier": "disputed" if label is None else "gold",
        "binary_tier": "disputed" if label is None else "gold",
        "reason": "tie" if label is None else None,
        "panel_label": label,
        "panel_category": category,
        "panel_premises": [step - 1],
        "votes": [
            CastVote(judge=judge, status="ok", label=label, category=category, explanation="seen")
            for judge in JUDGES
        ],
    }
    return Label(**{**given, **changes})


def make_labels(chain: Chain, *outcomes: str | None, **changes: Any) -> list[Label]:
    """One label a step."""
    return [make_label(chain, step, one, **changes) for step, one in enumerate(outcomes, 1)]


def make_vote(chain: Chain, step: int, judge: str = JUDGES[0]) -> Vote:
    """A judge's vote that a step is correct."""
    return Vote(
        chain_id=chain.chain_id,
        step=step,
        task="error",
        judge=judge,
        prompt_version="1",
        label="correct",
        category=None,
        premises=None,
        explanation="6*4 is 24",
        status="ok",
        request_key=None,
    )


def make_block(number: int) -> Block:
    """A block with one problem, a positive and its synthetic negative, all of it labelled."""
    problem = make_problem(number, source="own" if number % 2 else "bought")
    positive = make_chain(problem)
    negative = make_negative(problem, positive)
    exact = {"label_source": "exact"}
    errors = ("mathematical_error", "accumulation_error", "accumulation_error")
    return {
        "problems": [problem],
        "chains": [positive, negative],
        "votes": [
            make_vote(chain, step, judge)
            for chain in (positive, negative)
            for step in (1, 2, 3)
            for judge in JUDGES
        ],
        "labels": [
            *make_labels(positive, "correct", "correct", "correct", **exact),
            *make_labels(negative, *errors, **exact),
        ],
    }


def make_card(
    recipe: Recipe,
    blocks: list[Block],
    statistics: dict[str, Any] | None = None,
    stages: list[StageCounts] | None = None,
) -> str:
    """The card of some blocks, all in the split `train`, without files."""
    tally, rows = Tally(), 0
    for block in blocks:
        problem: Problem = block["problems"][0]
        tally.add_problem(problem)
        for chain in block["chains"]:
            labels = [one for one in block["labels"] if one.chain_id == chain.chain_id]
            tally.add_chain("train", released_chain(problem, chain, labels), labels)
            rows += 1
    counts = {"chains": {"train": rows}, "problems": {"train": len(blocks)}}
    return dataset_card(
        recipe=public_recipe(recipe),
        summary=Account().summary(counts, {}, []),
        tally=tally,
        statistics=statistics or {},
        stages=stages or [],
    )


@pytest.fixture(scope="session")
def recipe() -> Callable[..., Recipe]:
    return make_recipe


@pytest.fixture(scope="session")
def problem() -> Callable[..., Problem]:
    return make_problem


@pytest.fixture(scope="session")
def chain() -> Callable[..., Chain]:
    return make_chain


@pytest.fixture(scope="session")
def negative() -> Callable[[Problem, Chain], Chain]:
    return make_negative


@pytest.fixture(scope="session")
def label() -> Callable[..., Label]:
    return make_label


@pytest.fixture(scope="session")
def labels() -> Callable[..., list[Label]]:
    return make_labels


@pytest.fixture(scope="session")
def vote() -> Callable[..., Vote]:
    return make_vote


@pytest.fixture(scope="session")
def block() -> Callable[[int], Block]:
    return make_block


@pytest.fixture(scope="session")
def card_of() -> Callable[..., str]:
    return make_card


@pytest.fixture(scope="session")
def statistics() -> dict[str, Any]:
    """Statistics of a run as plain JSON, with values that are easy to find again."""
    known = {"value": 0.8125, "low": 0.71, "high": 0.93, "n": 61, "reason": None}
    unknown = {
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "reason": "one_category: one category holds all votes",
    }
    score = {"support": 41, "predicted": 43, "precision": 0.9, "recall": 0.95, "f1": 0.925}
    confusion = {
        "labels": ["correct", "other"],
        "columns": ["correct", "other", "abstained"],
        "counts": [[39, 2, 17], [4, 16, 0]],
        "scores": [{"label": "correct", **score}],
        "accuracy": {"value": 0.9016, "low": 0.8, "high": 0.95, "correct": 55, "voted": 61},
        "coverage": 0.782,
    }
    spread = {"mean": 4.25, "median": 4.0, "min": 2.0, "max": 9.0}
    return {
        "agreement": {
            "judges": list(JUDGES),
            "categories": ["correct", "other"],
            "units": 78,
            "chains": 24,
            "replicates": 200,
            "seed": 3,
            "confidence": 0.95,
            "unanimity": known,
            "fleiss": unknown,
            "cohen": [{"first": JUDGES[0], "second": JUDGES[1], "statistic": known}],
        },
        "calibration": {"judges": {JUDGES[1]: confusion}, "panel": confusion},
        "error_correlation": {"mean": known, "effective_votes": unknown},
        "premises": {"chains": 24, "precision": 0.51, "recall": 0.52, "f1": 0.53},
        "chain_verdicts": {
            JUDGES[0]: {
                "chains": 60,
                "precision": None,
                "recall": 0.61,
                "specificity": 0.62,
                "accuracy": {"value": 0.63, "low": 0.5, "high": 0.7, "correct": 38, "voted": 60},
            }
        },
        "graphs": {"by_polarity": {"positive": {"chains": 12, "depth": spread}}},
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium, as long as a module's tests last: its loop keeps others from running."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of a small run with a hostile chain, without KaTeX."""
    from tests.release.site_rows import HOSTILE, facts, hostile_block

    folder = tmp_path_factory.mktemp("pages") / "site"
    write_site(folder, [hostile_block()], facts(notes=[HOSTILE]))
    return folder

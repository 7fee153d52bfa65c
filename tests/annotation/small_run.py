"""A small run made by hand, and what its statistics are once read back from a file."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chainwright.annotation.labelling import label_chain
from chainwright.annotation.statistics import statistics
from chainwright.recipe import Recipe
from chainwright.schemas.chain import Chain, Perturbation
from chainwright.schemas.label import ExactLabel
from chainwright.schemas.problem import Problem
from chainwright.stage import Tables
from tests.annotation.ballots import a_chain, a_vote, premise_vote

JUDGES = ["program:arithmetic", "program:provenance", "program:reference"]
PROBLEM = Problem.build(source="s", question="How many?").model_copy(
    update={"problem_id": "p-" + "0" * 20}
)
"""The one that all chains made by hand say they solve."""

SLIP = Perturbation(
    error_type="mathematical_error", kind="digit_slip", before="1+1=2", after="1+1=3"
)
INHERITED = "i"
"""The letter of an inherited error; a judge's vote on such a step is right when it says c."""


@dataclass(frozen=True)
class Made:
    """A chain, its votes and its truth, each a step; letter j of a ballot is judge j's."""

    chain: Chain
    ballots: Sequence[str]
    premises: Sequence[list[int]]
    truth: str = ""
    exact_premises: Sequence[list[int]] = ()


def of_model(name: str, steps: int, correct: bool | None) -> Chain:
    return a_chain(*(f"{name}{n}" for n in range(steps)), is_correct=correct)


SYNTHETIC = a_chain(
    "B0",
    "B1",
    "B2",
    origin="synthetic",
    generator="chainwright:exact",
    is_correct=False,
    parent_id="c-" + "0" * 20,
    perturbed_step=1,
    perturbation=SLIP,
)
REFERENCE = a_chain("A0", "A1", origin="reference", is_correct=True)
RUN = [
    Made(REFERENCE, ["ccc", "cml"], [[0], [1]], "cc", [[0], [0, 1]]),
    Made(SYNTHETIC, ["mmc", "ccc", "cam"], [[0], [1], [0, 2]], "mic", [[0], [1], [0]]),
    Made(of_model("C", 3, False), ["cco", "mmm", "ccc"], [[0], [1], [2]]),
    Made(of_model("D", 1, True), ["ccm"], [[0]]),
    Made(of_model("E", 2, False), ["ccc", "cax"], [[0], [0]]),
    Made(of_model("F", 1, None), ["a-c"], [[0]]),
]
EXACT = [made for made in RUN if made.truth]


def tables(run: Iterable[Made], judges: Sequence[str] = JUDGES) -> Tables:
    rows: dict[str, list[Any]] = {"problems": [PROBLEM], "chains": [], "labels": [], "exact": []}
    for made in run:
        chain = made.chain
        votes = [premise_vote(chain, s, "mapper", p) for s, p in enumerate(made.premises, start=1)]
        votes += [
            a_vote(chain, step, judge, letter)
            for step, letters in enumerate(made.ballots, start=1)
            for judge, letter in zip(judges, letters, strict=False)
        ]
        exact = [
            ExactLabel(
                chain_id=chain.chain_id,
                step=step,
                label="correct" if letter == "c" else "error",
                category={"i": "accumulation_error", "m": "mathematical_error"}.get(letter),
                premises=made.exact_premises[step - 1],
                unresolved=[],
            )
            for step, letter in enumerate(made.truth, start=1)
        ]
        rows["chains"].append(chain)
        rows["labels"] += label_chain(chain, votes, exact, judges)
        rows["exact"] += exact
    return rows


def a_recipe(judges: Sequence[str] = JUDGES, bootstrap: int = 20) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "small",
            "sources": [{"kind": "gsm8k", "path": "own.jsonl"}],
            "annotation": {"judges": list(judges), "bootstrap": bootstrap},
        }
    )


def document(run: Iterable[Made], judges: Sequence[str] = JUDGES, **more: Any) -> dict[str, Any]:
    """The statistics as they are read back from a file."""
    made = statistics([tables(run, judges)], a_recipe(judges, **more))
    read: dict[str, Any] = json.loads(json.dumps(made, allow_nan=False))
    return read

"""Tables of a small run and a small release that are sound, to be spoilt by tests."""

from collections.abc import Sequence
from pathlib import Path

from chainwright.pipeline.tables import write_table
from chainwright.pipeline.validation.faults import Report
from chainwright.schemas.chain import Chain
from chainwright.schemas.critique import Critique
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.record import Record
from chainwright.schemas.reject import Reject
from chainwright.schemas.release import ReleasedChain, ReleasedStep
from chainwright.schemas.tables import TABLES
from chainwright.schemas.vote import Vote


def problem(at: int) -> Problem:
    return Problem.build(source="pears", question=f"How many pears are {at} pears?")


def chain(at: int, steps: int = 2) -> Chain:
    return Chain.build(
        problem_id=problem(at).problem_id,
        origin="reference",
        generator="pears",
        steps=[f"Step {number} of {at}." for number in range(1, steps + 1)],
        final_answer=str(at),
        is_correct=True,
    )


def vote(at: int, step: int, judge: str = "program:arithmetic") -> Vote:
    return Vote(
        chain_id=chain(at).chain_id,
        step=step,
        task="error",
        judge=judge,
        prompt_version="1",
        label="correct",
        category=None,
        premises=None,
        explanation=None,
        status="ok",
        request_key=None,
    )


def exact(at: int, step: int) -> ExactLabel:
    return ExactLabel(
        chain_id=chain(at).chain_id,
        step=step,
        label="correct",
        category=None,
        premises=[0],
        unresolved=[],
    )


def label(at: int, step: int) -> Label:
    return Label(
        chain_id=chain(at).chain_id,
        step=step,
        label="correct",
        category=None,
        premises=[0],
        label_source="exact",
        tier="gold",
        binary_tier="gold",
        reason=None,
        panel_label="correct",
        panel_category=None,
        panel_premises=None,
        votes=[],
    )


def critique(at: int, step: int) -> Critique:
    return Critique(
        chain_id=chain(at).chain_id, step=step, critic="c", description="odd", tags=["odd"]
    )


def released(at: int) -> ReleasedChain:
    step = ReleasedStep(
        step=1,
        text="One.",
        label="correct",
        category=None,
        premises=[0],
        label_source="exact",
        tier="gold",
    )
    return ReleasedChain(
        chain_id=chain(at).chain_id,
        problem_id=problem(at).problem_id,
        source="pears",
        licence=None,
        question=problem(at).question,
        answer=None,
        origin="reference",
        polarity="positive",
        generator="pears",
        steps=[step],
        final_answer=str(at),
        is_correct=True,
        first_error=None,
        tier="gold",
        parent_id=None,
        perturbed_step=None,
        perturbation_kind=None,
    )


REJECT = Reject(
    stage="chains", table="chains", item="p-1", reason="no_steps", detail="none", payload=None
)
Files = dict[str, Sequence[Record]]


def run_files() -> Files:
    """A run of two blocks with one problem each."""
    files: Files = {}
    for block in (0, 1):
        files |= {
            f"problems/problems-0000{block}": [problem(block)],
            f"chains/chains-0000{block}": [chain(block)],
            f"chains/exact-0000{block}": [exact(block, 1), exact(block, 2)],
            f"chains/rejects-0000{block}": [REJECT],
            f"votes/votes-0000{block}": [vote(block, 1), vote(block, 2), vote(block, 1, "other")],
            f"labels/labels-0000{block}": [label(block, 1), label(block, 2)],
            f"critiques/critiques-0000{block}": [critique(block, 1)],
        }
    return files


def release_files() -> Files:
    return {
        "data/problems/train-00000-of-00001": [problem(0)],
        "data/problems/test-00000-of-00001": [problem(1)],
        "data/chains/train-00000-of-00001": [released(0)],
        "data/chains/test-00000-of-00001": [released(1)],
        "data/votes/train-00000-of-00001": [vote(0, 1)],
        "data/labels/test-00000-of-00001": [label(1, 1)],
    }


def write(folder: Path, files: Files) -> Path:
    for name, rows in files.items():
        table = Path(name).name.partition("-")[0]
        if name.startswith("data/"):
            config = Path(name).parent.name
            table = "released_chains" if config == "chains" else config
        write_table(folder / f"{name}.parquet", rows, TABLES[table])
    return folder


def told(report: Report) -> list[tuple[str, int | None, str]]:
    return [(fault.file, fault.row, fault.field) for fault in report.faults]

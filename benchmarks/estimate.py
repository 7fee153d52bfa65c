"""Compares what a dry run says of input tokens with what a build then counts.

A server on this machine plays the model by rule and counts with SmolLM2's tokenizer (`make local`
installs it). For each kind of request two figures are given: where the rows it asks about exist
already, and where the whole build is yet to be run, so that stand-ins are estimated.

    python benchmarks/estimate.py [--rows FILE.jsonl] [--problems N]

Reports and does not judge.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from chainwright.pipeline.build import build  # noqa: E402
from chainwright.pipeline.screens.dry_run import plan_build  # noqa: E402
from tests.llm.fault_server import FaultServer  # noqa: E402
from tests.pipeline.counting_server import CountingModel, solutions_of  # noqa: E402

JUDGES: dict[str, dict[str, Any]] = {
    "one_pass": {"error": "one_pass", "premises": "one_pass"},
    "full_context": {"error": "full_context"},
    "per_step": {"premises": "per_step"},
    "per_chain": {"premises": "per_chain"},
    "dyadic": {"premises": "dyadic"},
    "premise_conditioned": {"error": "premise_conditioned", "premises": "per_step"},
}


def main() -> None:
    """Print one line a kind of request."""
    parser = argparse.ArgumentParser(description=__doc__)
    quickstart = ROOT / "chainwright" / "builders" / "data" / "quickstart.jsonl"
    parser.add_argument("--rows", type=Path, default=quickstart, help="rows as GSM8K has them")
    parser.add_argument("--problems", type=int, default=30)
    options = parser.parse_args()
    lines = options.rows.read_text(encoding="utf-8").splitlines()[: options.problems]
    rows = [json.loads(line) for line in lines]
    with (
        tempfile.TemporaryDirectory() as name,
        FaultServer(CountingModel(solutions_of(rows))) as server,
    ):
        folder = Path(name)
        (folder / "rows.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{'':<22}{'counted':>10}{'rows exist':>13}{'before all':>13}")
        for kind, parts in kinds(f"compat:m@{server.url}/v1").items():
            stage = kind if kind in ("generation", "perturbation") else "votes"
            counted, late, early = compared(folder / kind, stage, parts)
            print(f"{kind:<22}{counted:>10,}{late:>+13.1%}{early:>+13.1%}")


def kinds(uri: str) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """By kind of request the recipe's parts before, and those that ask in this way."""
    writing: dict[str, Any] = {"chains": {"reference": False, "model": {"models": [uri]}}}
    breaking = writing | {"negatives": {"model": {"model": uri}}}
    found = {"generation": ({}, writing), "perturbation": (writing, breaking)}
    for kind, methods in JUDGES.items():
        judges = {"judges": [{"model": uri} | methods], "bootstrap": 0}
        found[kind] = (breaking, breaking | {"annotation": judges})
    return found


def compared(
    folder: Path, stage: str, parts: tuple[dict[str, Any], dict[str, Any]]
) -> tuple[int, float, float]:
    """Input tokens that a stage's server counted, and how far two estimates are from it."""
    folder.mkdir()
    before, after = (recipe(folder, one) for one in parts)
    early = estimated(after, folder / "early", stage)
    build(before, folder, quiet=True)
    late = estimated(after, folder, stage)
    (report,) = [one for one in build(after, folder, quiet=True).stages if one.stage == stage]
    counted = sum(tally.input_tokens for tally in report.models.values())
    return counted, late / counted - 1, early / counted - 1


def recipe(folder: Path, parts: dict[str, Any]) -> Path:
    """A recipe over the rows."""
    document = {
        "name": "estimate",
        "sources": [{"kind": "gsm8k", "path": "../rows.jsonl"}],
        "annotation": {"judges": [], "bootstrap": 0},
    }
    path = folder / f"recipe{len(list(folder.glob('*.yaml')))}.yaml"
    path.write_text(yaml.safe_dump(document | parts), encoding="utf-8")
    return path


def estimated(path: Path, runs: Path, stage: str) -> int:
    """Input tokens of a stage by a dry run."""
    plans = plan_build(path, runs).models
    return sum(plan.input_tokens for plan in plans if plan.stage == stage)


if __name__ == "__main__":
    main()

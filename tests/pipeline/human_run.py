"""A run with exact chains and chains of a model, for tests of the human part."""

from __future__ import annotations

import json
from pathlib import Path

from chainwright.pipeline.build import build
from chainwright.pipeline.screens.summary import BuildSummary

RECIPE = """\
name: people
block: 8
sources:
  - {kind: gsm8k, path: "builtin:quickstart", limit: 10}
  - kind: generic
    path: rows.jsonl
    columns: {question: question, answer: answer}
    chains: [{generator: solver, steps: steps}]
chains: {reference: true}
annotation:
  judges: [program:arithmetic, program:provenance]
  bootstrap: 50
"""


def build_run(folder: Path) -> BuildSummary:
    """Builds the run, or brings it up to date, in `folder/runs/people`."""
    recipe = folder / "people.yaml"
    if not recipe.is_file():
        rows = [
            {
                "question": f"Ann has {n} pears, buys 2 and eats 1. How many has she?",
                "answer": str(n + 1),
                "steps": [f"={n} + 2 = {n + 2}.", f"{n + 2} - 1 = {n + (1 if n % 2 else 2)}."],
            }
            for n in range(3, 9)
        ]
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / "rows.jsonl").write_text(text, encoding="utf-8")
        recipe.write_text(RECIPE, encoding="utf-8")
    return build(recipe, folder / "runs", quiet=True)

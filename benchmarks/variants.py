"""Variants: how many questions allow them, why the others do not, and some to read by hand.

python benchmarks/variants.py --path 'gsm8k/*.jsonl' --show 40
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections import Counter
from pathlib import Path

from chainwright.builders.sources import problems_from_rows
from chainwright.builders.variants.variants import variants
from chainwright.pipeline.reading.rows import read_rows
from chainwright.recipe import Source
from chainwright.schemas.problem import Problem


def main() -> None:
    """Draws variants of every question and prints what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--path", default="builtin:quickstart", help="GSM8K's format; a glob")
    parser.add_argument("--count", type=int, default=2, help="variants of each question")
    parser.add_argument("--show", type=int, default=0, help="how many to print, drawn at random")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    source = Source.model_validate({"kind": "gsm8k", "path": given.path})
    rows = read_rows(source, recipe_folder=Path.cwd(), seed=0)
    found: list[tuple[Problem, Problem]] = []
    reasons: Counter[str] = Counter()
    questions, start = 0, time.process_time()
    for problem in problems_from_rows(rows, source, 0).rows["problems"]:
        if not isinstance(problem, Problem):
            continue
        questions += 1
        outcomes = list(variants(problem, given.count, seed=given.seed))
        made = [one for one in outcomes if isinstance(one, Problem)]
        found += [(problem, one) for one in made]
        if not made:
            reasons.update(one.reason for one in outcomes[:1] if not isinstance(one, Problem))
    seconds = time.process_time() - start
    allow = questions - reasons.total()
    print(
        f"{allow:,} of {questions:,} questions ({allow / questions:.0%}) allow variants, "
        f"{len(found):,} made; {1000 * seconds / max(1, len(found)):.1f} ms of the processor each; "
        f"load {os.getloadavg()[0]:.1f}\n"
    )
    print("| reason | questions | share |\n|---|---|---|")
    for reason, count in reasons.most_common():
        print(f"| `{reason}` | {count} | {count / questions:.1%} |")
    drawn = random.Random(given.seed)
    for problem, variant in drawn.sample(found, min(given.show, len(found))):
        print(f"\n{changed(problem.question, variant.question)}\n{variant.solution}")


def changed(before: str, after: str) -> str:
    """The new question with what was there before in brackets."""
    pairs = zip(before.split(" "), after.split(" "), strict=True)
    return " ".join(new if old == new else f"[{old} ->] {new}" for old, new in pairs)


if __name__ == "__main__":
    main()

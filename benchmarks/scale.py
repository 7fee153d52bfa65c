"""Scale: time and memory of whole builds of 2,000, 20,000 and 160,000 traces, stage by stage.

The exact engine makes the traces: variants of word problems, up to four negatives of each, two
program judges, statistics, a release. Every size is a build in a process of its own. The recipe is
the same but for the number of questions, so that what a trace costs can be compared.

    python benchmarks/scale.py --path 'gsm8k/*.jsonl'
    python benchmarks/scale.py --traces 500 2000
    python benchmarks/scale.py --path 'gsm8k/*.jsonl' --traces 20000 --again 9
    python benchmarks/scale.py --path 'gsm8k/*.jsonl' --traces 2000 20000 --rounds 3

With `--rounds`, each size is built so many times, the sizes in turn: the last table then has
medians, with the smallest and the largest behind them.

With `--again`, the statistics of the last build are computed once more over its blocks so many
times over, as the one stage whose memory follows the traces: minutes where a build takes hours.

`--path` takes files in GSM8K's format; without it the 60 problems that ship with chainwright are
varied more and more often, which in the end runs out of numbers. Seconds are of the processor where
nothing else is said: those on the clock depend on what else the machine does.

A virtual machine's processor is not always as fast, and a large build is long. So a probe, a fixed
piece of work, is timed every other second meanwhile, and the last row of the last table divides by
what it took.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

SIZES = (2_000, 20_000, 160_000)
VARIANTS = 30
"""Of each question, where questions come from files."""
OWN_PROBLEMS = 60
TRACES_PER_PROBLEM = 3.55
PER_QUESTION = TRACES_PER_PROBLEM * (1 + 0.52 * VARIANTS)
"""Traces that come of one question of GSM8K, about: half of them allow variants."""

RECIPE = """
name: scale
seed: 7
sources:
  - kind: gsm8k
    path: {path}
    licence: MIT
    variants: {variants}
{limit}
negatives:
  exact:
    per_problem: 4
annotation:
  judges: [program:arithmetic, program:reference]
release:
  licence: MIT
"""


def main() -> None:
    """Builds each size and prints a table, and how far the cost of a trace grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--path", help="questions in GSM8K's format; a glob is allowed")
    parser.add_argument("--traces", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=1, help="builds of each size, in turn")
    parser.add_argument("--keep", type=Path, help="keep the runs in this folder")
    parser.add_argument("--again", type=int, default=0, help="statistics of so many times as many")
    parser.add_argument("--statistics-of", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.statistics_of:
        repeat_statistics(given.statistics_of, given.again)
        return
    found: dict[int, list[dict[str, Any]]] = {traces: [] for traces in given.traces}
    for number in range(given.rounds):
        for traces in given.traces:
            with tempfile.TemporaryDirectory() as scratch:
                folder = (given.keep or Path(scratch)) / f"{traces}-{number + 1}"
                folder.mkdir(parents=True, exist_ok=True)
                found[traces].append(built(folder, given.path, traces))
                print_build(found[traces][-1])
                if given.again and traces == given.traces[-1]:
                    once_more = ["--statistics-of", str(folder), "--again", str(given.again)]
                    subprocess.run([sys.executable, __file__, *once_more], check=True)
    if len(given.traces) * given.rounds > 1:
        print_growth([*found.values()])


def built(folder: Path, path: str | None, traces: int) -> dict[str, Any]:
    """One build: what its manifest says of every stage, and how many traces came out."""
    recipe = folder / "scale.yaml"
    recipe.write_text(recipe_text(path, traces), encoding="utf-8")
    command = [sys.executable, "-m", "chainwright", "build", str(recipe), "--quiet", "--json"]
    load, start = os.getloadavg()[0], time.monotonic()
    # exit code 1 says that sources fell short of what was wanted, as variants do
    with probed() as probe:
        done = subprocess.run(
            [*command, "--runs", str(folder / "runs")], stdout=subprocess.PIPE, check=False
        )
    if done.returncode not in (0, 1):
        raise SystemExit(f"the build of {traces:,} traces ended with {done.returncode}")
    run = folder / "runs" / "scale"
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    statistics = json.loads((run / "statistics.json").read_text(encoding="utf-8"))
    return {
        "traces": statistics["counts"]["chains"],
        "stages": manifest["stages"],
        "clock": time.monotonic() - start,
        "load": (load, os.getloadavg()[0]),
        "probe": 1000 * median(probe),
        "bytes": {
            "tables": _bytes(run.glob("*/*.parquet")),
            "release": _bytes((run / "release").rglob("*")),
            "all": _bytes(run.rglob("*")),
        },
    }


@contextmanager
def probed() -> Iterator[list[float]]:
    """Times a fixed piece of work, in seconds of the processor, while something else goes on."""
    rows = [{"step": number, "text": f"{number} * 18 = {18 * number}"} for number in range(5000)]
    taken: list[float] = []
    over = threading.Event()

    def look() -> None:
        while True:
            start = time.thread_time()
            json.loads(json.dumps(rows))
            taken.append(time.thread_time() - start)
            if over.wait(2.0):
                return

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield taken
    finally:
        over.set()
        looking.join()


def _bytes(paths: Iterable[Path]) -> int:
    return sum(one.stat().st_size for one in paths if one.is_file())


def recipe_text(path: str | None, traces: int) -> str:
    """The recipe for about so many traces."""
    if path is None:
        variants = math.ceil(traces / TRACES_PER_PROBLEM / OWN_PROBLEMS * 1.6)
        return RECIPE.format(path="builtin:quickstart", variants=variants, limit="")
    limit = f"    limit: {math.ceil(traces / PER_QUESTION)}"
    return RECIPE.format(
        path=json.dumps(str(Path(path).absolute())), variants=VARIANTS, limit=limit
    )


def repeat_statistics(folder: Path, times: int) -> None:
    """Time and peak memory of the statistics of a run gone through so many times."""
    from chainwright.annotation.statistics import statistics
    from chainwright.pipeline.journal import Journal
    from chainwright.pipeline.line import STATISTICS
    from chainwright.pipeline.manifest import load_manifest
    from chainwright.pipeline.memory import forget_peak, memory
    from chainwright.pipeline.run_folder import STAGES, RunFolder
    from chainwright.pipeline.whole_run import Blocks
    from chainwright.recipe_file import load_recipe

    run = RunFolder(folder / "runs" / "scale")
    manifest = load_manifest(run)
    upstream = {stage: Journal(run.journal(stage)) for stage in STAGES if stage != "statistics"}
    blocks = Blocks(run, STATISTICS.reads, upstream, (manifest and manifest.blocks) or 0)
    forget_peak()
    start = time.process_time()
    again = chain.from_iterable(blocks for _ in range(times))
    traces = statistics(again, load_recipe(folder / "scale.yaml"))["counts"]["chains"]
    seconds, held = time.process_time() - start, memory()
    print(
        f"\nstatistics of {traces:,} traces: {1000 * seconds / traces:.2f} ms a trace, "
        f"peak {held.peak / 1e6 if held else 0:.0f} MB",
        flush=True,
    )


def print_build(found: dict[str, Any]) -> None:
    """The table of one size."""
    before, after = found["load"]
    print(
        f"\n{found['traces']:,} traces in {found['clock']:.0f} s on the clock, "
        f"{found['bytes']['all'] / 1e6:.0f} MB on disk, of them "
        f"{found['bytes']['tables'] / found['traces']:,.0f} bytes a trace in tables and "
        f"{found['bytes']['release'] / found['traces']:,.0f} in the release; "
        f"load {before:.1f} to {after:.1f} on {os.cpu_count()} cores; the probe took "
        f"{found['probe']:.1f} ms\n"
    )
    print("| stage | s | on the clock | ms a trace | MB at its end | peak MB |")
    print("|---|---|---|---|---|---|")
    for name, stage in found["stages"].items():
        print(
            f"| {name} | {stage['processor']:.1f} | {stage['seconds']:.1f} | "
            f"{1000 * stage['processor'] / found['traces']:.2f} | {stage['memory'] / 1e6:.0f} | "
            f"{stage['peak_memory'] / 1e6:.0f} |",
            flush=True,
        )


def print_growth(found: list[list[dict[str, Any]]]) -> None:
    """What a trace costs at each size, in milliseconds of the processor."""
    sizes = " | ".join(f"{builds[0]['traces']:,}" for builds in found)
    print(f"\n| ms a trace | {sizes} | last to first |\n|---|{'---|' * (len(found) + 1)}")
    names = list(found[-1][-1]["stages"])
    for name in [*names, "all"]:
        stages = names if name == "all" else [name]
        _print_row(name, [[_cost(one, stages) for one in builds] for builds in found])
    _print_row("the probe", [[one["probe"] for one in builds] for builds in found])
    _print_row(
        "all, in probes", [[_cost(one, names) / one["probe"] for one in builds] for builds in found]
    )


def _print_row(name: str, costs: list[list[float]]) -> None:
    first, last = median(costs[0]), median(costs[-1])
    growth = last / first - 1 if first else 0.0
    print(f"| {name} | {' | '.join(map(_spread, costs))} | {growth:+.0%} |")


def _cost(found: dict[str, Any], stages: list[str]) -> float:
    seconds: float = sum(found["stages"][each]["processor"] for each in stages)
    traces: int = found["traces"]
    return 1000 * seconds / traces


def _spread(costs: list[float]) -> str:
    middle = f"{median(costs):.2f}"
    return middle if len(costs) == 1 else f"{middle} ({min(costs):.2f} to {max(costs):.2f})"


if __name__ == "__main__":
    main()

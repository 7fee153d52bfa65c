"""Times the start of chainwright: how long before `chainwright --help` answers.

The commands run in turn, round after round, so that a busy moment of the machine falls on all of
them alike; what chainwright costs is the difference to a bare interpreter within each round.
Standard library only. Reports and does not judge: exits 0 unless a command itself fails.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

GOAL_SECONDS = 0.3
"""How much later than `python -c pass` the help text may be done."""

HEAVY = ("datasets", "numpy", "pandas", "polars", "pyarrow", "pydantic", "torch")
"""Libraries that a start should not load."""

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "chainwright --help": [str(Path(sys.executable).parent / "chainwright"), "--help"],
    "import chainwright": [sys.executable, "-c", "import chainwright"],
}
BARE, HELP, IMPORT = COMMANDS

LOADED_BY_HELP = f"""
import sys
from chainwright.cli import main
sys.argv = ["chainwright", "--help"]
try:
    main()
except SystemExit:
    pass
print(*(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)
"""


@dataclass(frozen=True)
class Spread:
    """Seconds over the rounds."""

    median: float
    min: float
    max: float


@dataclass(frozen=True)
class Report:
    """What was measured; `over_bare` is the difference to the bare interpreter, round by round."""

    runs: int
    goal_seconds: float
    goal_met: bool
    wall: dict[str, Spread]
    over_bare: dict[str, Spread]
    heavy_modules: list[str]


def main() -> None:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(description="Time the start of the chainwright command.")
    parser.add_argument("--runs", type=int, default=15, help="rounds (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error(f"--runs is {options.runs}, and has to be at least 1")

    try:
        report = measure(options.runs)
    except FileNotFoundError as error:
        sys.exit(f"not found: {error.filename}; install chainwright beside this Python first")
    except subprocess.CalledProcessError as error:
        sys.exit(f"failed with exit code {error.returncode}: {error.cmd}\n{error.stderr}")
    print(json.dumps(asdict(report), indent=2) if options.json else as_text(report))


def measure(runs: int) -> Report:
    """Time every command `runs` times, after one round that only warms the caches."""
    walls: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for number in range(runs + 1):
        for name, command in COMMANDS.items():
            start = time.perf_counter()
            run(command)
            wall = time.perf_counter() - start
            if number > 0:
                walls[name].append(wall)

    over_bare = {
        name: spread([wall - bare for wall, bare in zip(walls[name], walls[BARE], strict=True)])
        for name in (HELP, IMPORT)
    }
    return Report(
        runs=runs,
        goal_seconds=GOAL_SECONDS,
        goal_met=over_bare[HELP].median <= GOAL_SECONDS,
        wall={name: spread(seconds) for name, seconds in walls.items()},
        over_bare=over_bare,
        heavy_modules=run([sys.executable, "-c", LOADED_BY_HELP]).stderr.split(),
    )


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run `command` to its end; raises CalledProcessError if it fails."""
    return subprocess.run(
        command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


def spread(seconds: Sequence[float]) -> Spread:
    """Median, smallest and largest of a sequence that is not empty."""
    return Spread(statistics.median(seconds), min(seconds), max(seconds))


def as_text(report: Report) -> str:
    """Lay the report out as a small table, in milliseconds."""
    rows = [f"{f'start-up, {report.runs} runs (ms)':<36}{'median':>8}{'min':>8}{'max':>8}"]
    rows += [_row(name, value) for name, value in report.wall.items()]
    rows += [_row(f"{name}, over bare", value) for name, value in report.over_bare.items()]
    verdict = "met" if report.goal_met else "missed"
    loaded = ", ".join(report.heavy_modules) or "none"
    rows.append(f"goal: help within {report.goal_seconds * 1000:.0f} ms of bare: {verdict}")
    rows.append(f"heavy libraries loaded by --help: {loaded}")
    return "\n".join(rows)


def _row(name: str, value: Spread) -> str:
    milliseconds = (value.median * 1000, value.min * 1000, value.max * 1000)
    return f"{name:<36}" + "".join(f"{number:>8.0f}" for number in milliseconds)


if __name__ == "__main__":
    main()

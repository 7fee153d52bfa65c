"""Times what is done with votes: majority, tiers and agreement, its bootstrap, and Dawid-Skene.

The votes are simulated: three judges of known worth on 640,000 steps of 100,000 chains, four
labels, 2% abstentions, and some errors shared. With `--peers` crowd-kit fits Dawid-Skene to the
same votes, in a virtual environment that this script makes (`--venv` keeps it), and its labels are
compared with ours. Wall-clock times, and behind them the process's own (median): on a busy machine
the former say more of the machine. Reports and does not judge: exits 0 unless something fails.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chainwright.annotation.aggregation.dawid_skene import dawid_skene
from chainwright.annotation.agreement import agreement
from chainwright.annotation.patterns import outcomes, patterns_of
from chainwright.schemas.words import TIERS

WORDS = ("correct", "mathematical_error", "logical_inconsistency", "other")
PRIOR = (0.8, 0.08, 0.08, 0.04)
RELIABILITY = (0.95, 0.9, 0.85)
SHARED, ABSTAINED = 0.08, 0.02
JUDGES = ("one", "two", "three")
STEPS_A_CHAIN = 6.4

GOAL_AGREEMENT, GOAL_BOOTSTRAP, GOAL_PEER = 1.0, 5.0, 10.0
"""Seconds, seconds, and how many times as long crowd-kit may take at least."""

PEER = """
import json, sys, time
import numpy as np, pandas as pd
from crowdkit.aggregation import DawidSkene
codes = np.load(sys.argv[1])
units, judges = np.nonzero(codes >= 0)
votes = pd.DataFrame({"task": units, "worker": judges, "label": codes[units, judges]})
start, began = time.perf_counter(), time.process_time()
model = DawidSkene(n_iter=100)
labels = model.fit_predict(votes)
times = time.perf_counter() - start, time.process_time() - began
out = np.full(len(codes), -1)
out[labels.index.to_numpy()] = labels.to_numpy()
np.save(sys.argv[2], out)
print(json.dumps({"times": times, "rounds": len(model.loss_history_)}))
"""


def simulated(units: int, seed: int) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Votes (units, 3) and the chain of each unit."""
    random = np.random.default_rng(seed)
    truth = random.choice(4, size=units, p=PRIOR)
    together = random.random(units) < SHARED
    mistaken = random.integers(0, 4, units)
    columns = []
    for right in RELIABILITY:
        said = np.where(random.random(units) < right, truth, random.integers(0, 4, units))
        said = np.where(together & (random.random(units) < 0.5), mistaken, said)
        columns.append(np.where(random.random(units) < ABSTAINED, -1, said))
    chains = np.sort(random.integers(0, max(1, round(units / STEPS_A_CHAIN)), units))
    return np.stack(columns, axis=1).astype(np.int8), chains


def labelled(codes: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The majority's label and the tier of each unit, as codes."""
    found = patterns_of(codes)
    by_pattern = outcomes(found, WORDS)
    words = [(one.category or one.label) if one.label else None for one in by_pattern]
    labels = np.array([WORDS.index(word) if word in WORDS else -1 for word in words])
    tiers = np.array([TIERS.index(one.tier) for one in by_pattern])
    return labels[found.index], tiers[found.index]


Times = tuple[list[float], list[float]]
"""Wall-clock and process seconds of each repetition."""


def timed(work: Callable[[], Any], repeats: int) -> tuple[Times, Any]:
    wall: list[float] = []
    own: list[float] = []
    result = None
    for _ in range(repeats):
        start, began = time.perf_counter(), time.process_time()
        result = work()
        wall.append(time.perf_counter() - start)
        own.append(time.process_time() - began)
    return (wall, own), result


def told(what: str, times: Times, more: str = "") -> None:
    wall, own = times
    spread = f"{min(wall):8.3f} {median(wall):8.3f} {max(wall):8.3f}"
    print(f"{what:<52} {spread} {median(own):8.3f} s  {more}", flush=True)


def peer_python(venv: Path) -> Path | str:
    """The interpreter of an environment with crowd-kit, made where it is absent; or why not."""
    python = venv / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    there = subprocess.run(
        [python, "-c", "import crowdkit.aggregation"], capture_output=True, check=False
    )
    if there.returncode:
        command = [str(python), "-m", "pip", "install", "--quiet", "crowd-kit"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            return (made.stderr.strip().splitlines() or ["no reason given"])[-1]
    return python


def peer(codes: NDArray[np.int8], venv: Path) -> tuple[dict[str, Any], NDArray[np.int64]] | str:
    """crowd-kit's time and labels; or why there are none."""
    python = peer_python(venv)
    if isinstance(python, str):
        return python
    with tempfile.TemporaryDirectory() as folder:
        votes, labels = Path(folder) / "votes.npy", Path(folder) / "labels.npy"
        np.save(votes, codes)
        command = [str(python), "-c", PEER, str(votes), str(labels)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            return (run.stderr.strip().splitlines() or ["no reason given"])[-1]
        return json.loads(run.stdout.splitlines()[-1]), np.load(labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=640_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peers", action="store_true", help="time crowd-kit as well")
    parser.add_argument("--venv", type=Path, help="where crowd-kit is, or is to be, installed")
    given = parser.parse_args()
    codes, chains = simulated(given.units, given.seed)
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    count = len(np.unique(chains))
    print(f"{given.units:,} steps of {count:,} chains, 3 votes each; load {load}")
    print(f"{'':<52} {'min':>8} {'median':>8} {'max':>8} {'process':>8}")

    def measured(replicates: int) -> Any:
        return agreement(codes, chains, JUDGES, WORDS, replicates=replicates)

    def both() -> Any:
        return labelled(codes), measured(0)

    seconds, ((labels, tiers), _) = timed(both, given.repeats)
    told("majority, tiers, kappas, Fleiss, alpha, AC1", seconds, f"goal {GOAL_AGREEMENT} s")
    shares = ", ".join(f"{word} {(tiers == n).mean():.3f}" for n, word in enumerate(TIERS))
    print(f"  {shares}; undecided {(labels < 0).mean():.3f}")
    seconds, found = timed(lambda: measured(1000), given.repeats)
    told("the same agreement with 1,000 resamples of chains", seconds, f"goal {GOAL_BOOTSTRAP} s")
    print(f"  Fleiss {found.fleiss.value:.4f} ({found.fleiss.low:.4f} to {found.fleiss.high:.4f})")

    def fitted() -> Any:
        fit = dawid_skene(codes, len(WORDS))
        return fit, fit.model.posterior(codes).argmax(axis=1)

    seconds, (fit, ours) = timed(fitted, given.repeats)
    told("Dawid-Skene", seconds, f"{len(fit.likelihoods)} rounds")
    if not given.peers:
        return
    with tempfile.TemporaryDirectory() as folder:
        got = peer(codes, given.venv or Path(folder) / "venv")
    if isinstance(got, str):
        print(f"crowd-kit: skipped, {got}")
        return
    its, theirs = got
    voted = (codes >= 0).any(axis=1)
    wall, own = its["times"]
    told("crowd-kit's Dawid-Skene", ([wall], [own]), f"{its['rounds']} rounds")
    same = (ours == theirs)[voted].mean()
    ratio = own / median(seconds[1])
    print(f"  same labels {same:.6f}; {ratio:.0f} times our process time (goal {GOAL_PEER:.0f})")


if __name__ == "__main__":
    main()

"""Times and checks the taxonomy's engines against the plain recipe, on planted critiques.

    python -m benchmarks.taxonomy --count 30000 --seeds 5 --out taxonomy-benchmark.json

All engines get the same embeddings (MiniLM; kept in `--cache`, since embedding 30,000 texts takes
minutes). Every trial runs in a process of its own: wall time, CPU time and peak memory are its
alone, without imports and compilation. On a busy machine only ratios within one run mean anything;
each trial tells the load average. `--out` is written after each seed, and `--resume` goes on where
a run stopped. Reports and does not judge.
"""

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.planted_critiques import (
    GROUNDING,
    INFERENCE,
    SOURCES,
    corpus_of_planted,
    planted_critiques,
)
from chainwright.pipeline.taxonomy.vector_cache import VectorFile
from chainwright.taxonomy.corpus import Background, Corpus
from chainwright.taxonomy.embedding import OFFLINE_MODEL, embed, sentence_embedder

METHODS = ("plain", "default", "quick", "bertopic")
OURS = ("default", "quick")
"""Run once more on one thread, which must give the same labels."""

WARM_UP = 300
"""Rows of a first clustering that is not timed: it imports and compiles everything."""


@dataclass(frozen=True)
class Trial:
    """One method with one seed."""

    method: str
    seed: int
    threads: int
    seconds: float
    cpu_seconds: float
    peak_mb: float
    clusters: int
    noise: float
    labels: str
    """The file that holds the labels."""
    digest: str
    load: float
    """The load average when it ended."""


def main() -> None:
    """Runs the trials and prints what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=30_000, help="critiques")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--cache", type=Path, default=Path(".taxonomy-benchmark"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--resume", action="store_true", help="keep trials of a run that stopped")
    parser.add_argument("--trial", nargs=3, metavar=("METHOD", "SEED", "THREADS"))
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    if given.trial:
        method, seed, threads = given.trial
        _run_trial(given.cache, method, int(seed), int(threads))
        return
    if not given.resume:
        for old in given.cache.glob("trial-*.json"):
            old.unlink()
    _run(given.cache, given.count, given.seeds, given.methods, given.out)


def _run(cache: Path, count: int, seeds: int, methods: Sequence[str], out: Path | None) -> None:
    import numpy as np

    corpus, truth = _planted(count)
    with VectorFile(cache / "embeddings.sqlite") as file:
        vectors = embed(
            corpus.keys,
            corpus.texts,
            sentence_embedder(OFFLINE_MODEL),
            file,
            lambda done, total: print(f"embedded {done} of {total}", file=sys.stderr, flush=True),
        )
    np.save(cache / "vectors.npy", vectors)
    (cache / "texts.json").write_text(json.dumps(corpus.texts))
    print(f"{count} critiques, {len(corpus.texts)} distinct texts; load {os.getloadavg()[0]:.1f}")
    threads = os.cpu_count() or 1
    trials: list[Trial] = []
    skipped: dict[str, str] = {}
    alone: dict[str, Trial | str] = {}
    # Seed by seed, so that a busy quarter of an hour falls on all methods alike.
    for seed in range(seeds):
        for method in methods:
            if method not in skipped:
                trial = _trial(cache, method, seed, threads)
                if isinstance(trial, str):
                    skipped[method] = trial
                else:
                    trials.append(trial)
        if seed == 0:
            alone = {method: _trial(cache, method, 0, 1) for method in methods if method in OURS}
        report = _summed_up(corpus, truth, methods, trials, alone, skipped)
        if out:
            out.write_text(json.dumps(report, indent=2) + "\n")
    for row in report["rows"]:
        print(json.dumps(row, indent=1))
    for method, reason in skipped.items():
        print(f"{method} skipped: {reason}")
    print(f"load {os.getloadavg()[0]:.1f}")


def _summed_up(
    corpus: Corpus,
    truth: list[str | None],
    methods: Sequence[str],
    trials: list[Trial],
    alone: dict[str, Trial | str],
    skipped: dict[str, str],
) -> dict[str, Any]:
    rows = []
    for method in methods:
        own = [each for each in trials if each.method == method]
        if not own:
            continue
        row = _summary(corpus, truth, own, trials)
        if single := alone.get(method):
            row["same_on_one_thread"] = isinstance(single, Trial) and single.digest == own[0].digest
        rows.append(row)
    return {
        "count": len(corpus.critiques),
        "texts": len(corpus.texts),
        "rows": rows,
        "trials": [asdict(each) for each in trials],
        "skipped": skipped,
    }


def _planted(count: int) -> tuple[Corpus, list[str | None]]:
    """The corpus, and the mechanism of each distinct text."""
    planted = planted_critiques(count)
    corpus = corpus_of_planted(planted)
    mechanisms = {each.chain_id: each.mechanism for each in planted}
    truth: list[str | None] = [None] * len(corpus.texts)
    for critique, text in zip(corpus.critiques, corpus.text_index, strict=True):
        truth[text] = mechanisms[critique.chain_id]
    return corpus, truth


def _trial(cache: Path, method: str, seed: int, threads: int) -> Trial | str:
    """What a process of its own found, now or before; why it found nothing, where it did not."""
    kept = cache / f"trial-{method}-{seed}-{threads}.json"
    if kept.is_file():
        return Trial(**json.loads(kept.read_text()))
    settings = {name: str(threads) for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")}
    command = [sys.executable, "-m", "benchmarks.taxonomy", "--cache", str(cache)]
    run = subprocess.run(
        [*command, "--trial", method, str(seed), str(threads)],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        return run.stderr.strip().splitlines()[-1]
    trial = Trial(**json.loads(run.stdout.splitlines()[-1]))
    kept.write_text(json.dumps(asdict(trial)))
    words = f"{trial.seconds:.1f} s, {trial.cpu_seconds:.1f} s CPU, {trial.peak_mb:.0f} MB"
    print(f"{method} seed {seed}, {threads} threads: {words}", file=sys.stderr, flush=True)
    return trial


def _run_trial(cache: Path, method: str, seed: int, threads: int) -> None:
    import numpy as np

    vectors = np.load(cache / "vectors.npy")
    texts = json.loads((cache / "texts.json").read_text()) if method == "bertopic" else []
    find = {"plain": _plain, "bertopic": _bertopic}.get(method, _ours)
    find(method, vectors[:WARM_UP], texts[:WARM_UP], seed)
    start, spent = time.perf_counter(), time.process_time()
    labels = np.asarray(find(method, vectors, texts, seed), np.int64)
    seconds, cpu = time.perf_counter() - start, time.process_time() - spent
    path = cache / f"labels-{method}-{seed}-{threads}.npy"
    np.save(path, labels)
    trial = Trial(
        method=method,
        seed=seed,
        threads=threads,
        seconds=seconds,
        cpu_seconds=cpu,
        peak_mb=_peak_mb(),
        clusters=int(labels.max()) + 1,
        noise=float((labels < 0).mean()),
        labels=str(path),
        digest=hashlib.sha256(labels.tobytes()).hexdigest(),
        load=round(os.getloadavg()[0], 1),
    )
    print(json.dumps(asdict(trial)))


def _peak_mb() -> float:
    """The most memory that this process has held; `getrusage` would count its parent's in."""
    status = Path("/proc/self/status")
    if status.is_file():
        words = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(words.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _plain(_method: str, vectors: Any, _texts: Any, seed: int) -> Any:
    """The recipe as it stands: UMAP and HDBSCAN with the paper's numbers."""
    import hdbscan
    import umap

    layout = umap.UMAP(
        n_neighbors=15, n_components=10, min_dist=0.0, metric="cosine", random_state=seed
    ).fit_transform(vectors)
    return hdbscan.HDBSCAN(min_cluster_size=50, min_samples=10).fit_predict(layout)


def _ours(method: str, vectors: Any, _texts: Any, seed: int) -> Any:
    from chainwright.taxonomy.clustering import Settings, cluster

    return cluster(vectors, Settings("quick" if method == "quick" else "default", seed=seed)).labels


def _bertopic(_method: str, vectors: Any, texts: Any, seed: int) -> Any:
    import umap
    from bertopic import BERTopic

    # BERTopic's own UMAP, but with a seed.
    layout = umap.UMAP(
        n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed
    )
    model = BERTopic(min_topic_size=50, embedding_model=None, umap_model=layout)
    return model.fit_transform(texts, vectors)[0]


def _summary(
    corpus: Corpus, truth: list[str | None], trials: list[Trial], every: list[Trial]
) -> dict[str, Any]:
    import numpy as np

    from chainwright.taxonomy.stability import adjusted_rand

    found = [np.load(each.labels) for each in trials]
    pairs = [adjusted_rand(one, other) for one, other in combinations(found, 2)]
    clear = np.array([each is not None for each in truth])
    names = sorted({each for each in truth if each is not None})
    numbers = np.array([names.index(each) if each is not None else -1 for each in truth])
    plain = {each.seed: each for each in every if each.method == "plain"}
    ratios = [each.seconds / plain[each.seed].seconds for each in trials if each.seed in plain]
    cpu = [each.cpu_seconds / plain[each.seed].cpu_seconds for each in trials if each.seed in plain]
    return {
        "method": trials[0].method,
        "seeds": len(trials),
        "seconds": round(statistics.mean(each.seconds for each in trials), 1),
        "of_plain": round(statistics.mean(ratios), 3) if ratios else None,
        "cpu_seconds": round(statistics.mean(each.cpu_seconds for each in trials), 1),
        "cpu_of_plain": round(statistics.mean(cpu), 3) if cpu else None,
        "load": [min(each.load for each in trials), max(each.load for each in trials)],
        "peak_mb": round(max(each.peak_mb for each in trials)),
        "clusters": [each.clusters for each in trials],
        "noise": round(statistics.mean(each.noise for each in trials), 4),
        "ari_between_seeds": round(statistics.mean(pairs), 4) if pairs else None,
        "ari_to_mechanisms": _mean(adjusted_rand(each[clear], numbers[clear]) for each in found),
        "ari_merged": _mean(
            adjusted_rand(_merged(each, numbers)[clear], numbers[clear]) for each in found
        ),
        "recovered": [_recovered(each, numbers, len(names)) for each in found],
        "tracks_right": [_tracks_right(corpus, each, numbers, names) for each in found],
    }


def _mean(values: Any) -> float:
    return round(float(statistics.mean(values)), 4)


def _merged(labels: Any, truth: Any) -> Any:
    """Each cluster put into the category that most of its texts have: what a person would do."""
    import numpy as np

    merged = np.full(len(labels), -1)
    for label in range(int(labels.max()) + 1):
        rows = labels == label
        votes = np.bincount(truth[rows][truth[rows] >= 0], minlength=1)
        merged[rows] = int(votes.argmax()) if votes.sum() else -1
    return merged


def _recovered(labels: Any, truth: Any, mechanisms: int) -> int:
    """How many mechanisms are more than half of some cluster."""
    merged = set()
    for label in range(int(labels.max()) + 1):
        inside = truth[labels == label]
        for mechanism in range(mechanisms):
            if (inside == mechanism).mean() > 0.5:
                merged.add(mechanism)
    return len(merged)


def _tracks_right(corpus: Corpus, labels: Any, truth: Any, names: list[str]) -> str:
    """How many merged categories get their track, with sources that tell theirs and without."""
    from chainwright.taxonomy.tracks import split_tracks

    merged = _merged(labels, truth)
    right = []
    for told in (True, False):
        split = split_tracks(
            names,
            [
                (
                    names[merged[text]] if merged[text] >= 0 else None,
                    where if told else Background(where.source),
                )
                for text, where in zip(corpus.text_index, corpus.backgrounds, strict=True)
            ],
        )
        sides = {name: split.track[name] for name in names}
        expected = dict.fromkeys(INFERENCE, "inference") | dict.fromkeys(GROUNDING, "grounding")
        if not told:
            first = split.source_track[SOURCES["inference"][0]]
            sides = {
                name: "inference" if side == first else "grounding" for name, side in sides.items()
            }
        right.append(sum(sides[name] == expected[name] for name in names))
    return f"{right[0]} of {len(names)} told, {right[1]} of {len(names)} untold"


if __name__ == "__main__":
    main()

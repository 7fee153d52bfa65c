"""Parquet of a large release: ours beside datasets and polars, time and peak memory in one run.

Each writer takes the same rows, as plain values one after another, in a process of its own: the
configs `chains` (with their steps) and `votes` (one a judge and step).

    python benchmarks/release_parquet.py
    python benchmarks/release_parquet.py --traces 8000 --writers ours datasets
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

TRACES = 160_000
STEPS = 4
JUDGES = ("program:arithmetic", "openai:a-model", "anthropic:another-model")
WRITERS = ("rows", "ours", "datasets", "polars")
CONFIGS = ("chains", "votes")
BATCH = 2_000


def main() -> None:
    """Runs each writer in a process of its own and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=TRACES)
    parser.add_argument("--writers", nargs="*", choices=WRITERS, default=list(WRITERS))
    parser.add_argument("--alone", choices=WRITERS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(measured(given.alone, given.traces)))
        return
    print(
        f"{given.traces:,} traces, {given.traces * STEPS:,} steps x {len(JUDGES)} votes; ", end=""
    )
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| writer | seconds | of processor | peak MB | files, MB |\n|---|---|---|---|---|")
    for writer in given.writers:
        command = [sys.executable, __file__, "--alone", writer, "--traces", str(given.traces)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout.splitlines()[-1])
        print(
            f"| {writer} | {found['seconds']:.1f} | {found['processor']:.1f} | "
            f"{found['peak'] / 1e6:.0f} | {found['files']}, {found['bytes'] / 1e6:.0f} |",
            flush=True,
        )


def measured(writer: str, traces: int) -> dict[str, float]:
    """Time, processor time and peak memory of one writer, imports left out of the time."""
    import chainwright.release.parquet  # noqa: F401

    write = {"rows": no_files, "ours": ours, "datasets": with_datasets, "polars": with_polars}
    if writer == "datasets":
        import datasets  # type: ignore[import-untyped]  # noqa: F401
    if writer == "polars":
        import polars  # noqa: F401
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_SELF)
        start = time.monotonic()
        write[writer](Path(folder), traces)
        seconds = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_SELF)
        files = [path for path in Path(folder).rglob("*.parquet") if path.is_file()]
        return {
            "seconds": seconds,
            "processor": sum(
                getattr(after, name) - getattr(before, name) for name in ("ru_utime", "ru_stime")
            ),
            "peak": after.ru_maxrss * 1024,
            "files": len(files),
            "bytes": sum(path.stat().st_size for path in files),
        }


def rows_of(config: str, traces: int) -> Iterator[dict[str, Any]]:
    """The rows of a config: made texts of the length of GSM8K's, no two chains the same."""
    for number in range(traces):
        if config == "chains":
            yield chain(number)
        else:
            for step in range(1, STEPS + 1):
                for judge in JUDGES:
                    yield vote(number, step, judge)


def chain(number: int) -> dict[str, Any]:
    """A released chain."""
    wrong = number % 2 == 1
    texts = [
        f"The {number + step} crates hold {number} * {step} = {number * step} pears, of which "
        f"{(number * 7919 + step) % 1000} are rotten and the others are sold at the market."
        for step in range(1, STEPS + 1)
    ]
    return {
        "chain_id": _id("c", number),
        "problem_id": _id("p", number // 2),
        "source": "gsm8k",
        "licence": "MIT",
        "question": f"A depot keeps {number} crates with {number % 97} pears each. On Friday "
        f"{number % 31} go bad, and a third of the rest is sold. How many are left on Saturday?",
        "answer": str(number),
        "origin": "synthetic" if wrong else "reference",
        "polarity": "synthetic_negative" if wrong else "positive",
        "generator": "chainwright:exact",
        "steps": [
            {
                "step": step,
                "text": text,
                "label": "error" if wrong and step > 1 else "correct",
                "category": "mathematical_error" if wrong and step > 1 else None,
                "premises": list(range(step)),
                "label_source": "exact",
                "tier": "gold",
                "citations": [],
                "propagated": False,
            }
            for step, text in enumerate(texts, 1)
        ],
        "final_answer": str(number + wrong),
        "is_correct": not wrong,
        "first_error": 2 if wrong else None,
        "tier": "gold",
        "parent_id": _id("c", number - 1) if wrong else None,
        "perturbed_step": 2 if wrong else None,
        "perturbation_kind": "digit_slip" if wrong else None,
        "track": "math",
        "question_type": None,
        "answer_f1": None,
        "difficulty": 0.0,
        "test_slices": [],
        "hard_probability": None,
        "random_probability": None,
    }


def vote(number: int, step: int, judge: str) -> dict[str, Any]:
    """A vote on a step."""
    return {
        "chain_id": _id("c", number),
        "step": step,
        "task": "error",
        "judge": judge,
        "prompt_version": "9f86d081884c7d65",
        "label": "correct",
        "category": None,
        "premises": None,
        "explanation": f"{number} * {step} is {number * step}, as the step says.",
        "status": "ok",
        "request_key": hashlib.sha256(f"{number} {step} {judge}".encode()).hexdigest(),
    }


def _id(kind: str, number: int) -> str:
    return f"{kind}-{hashlib.sha256(f'{kind} {number}'.encode()).hexdigest()[:20]}"


def no_files(folder: Path, traces: int) -> None:
    """What it takes to make the rows, which is part of every writer's time."""
    for config in CONFIGS:
        for _ in rows_of(config, traces):
            pass


def ours(folder: Path, traces: int) -> None:
    """As a release writes them, in shards of 50,000 rows."""
    from chainwright.release.parquet import ParquetShards

    with ParquetShards(folder, shard_rows=50_000) as shards:
        for config in CONFIGS:
            shards.add(config, "train", rows_of(config, traces))


def with_datasets(folder: Path, traces: int) -> None:
    """A data set made of the rows, and its `to_parquet`."""
    import datasets

    from chainwright.release.parquet import CONFIGS as RECORDS
    from chainwright.schemas.arrow import arrow_schema

    datasets.disable_progress_bars()
    for config in CONFIGS:
        made = datasets.Dataset.from_generator(
            rows_of,
            gen_kwargs={"config": config, "traces": traces},
            features=datasets.Features.from_arrow_schema(arrow_schema(RECORDS[config])),
            cache_dir=str(folder / "cache"),
        )
        made.to_parquet(folder / f"{config}.parquet")


def with_polars(folder: Path, traces: int) -> None:
    """A lazy frame over batches of the rows, and its `sink_parquet`."""
    import polars as pl
    from polars.io.plugins import register_io_source

    from chainwright.release.parquet import CONFIGS as RECORDS
    from chainwright.schemas.arrow import arrow_schema

    for config in CONFIGS:
        empty = pl.from_arrow(arrow_schema(RECORDS[config]).empty_table())
        assert isinstance(empty, pl.DataFrame)  # noqa: S101
        schema = empty.schema

        def frames(
            with_columns: list[str] | None,
            predicate: pl.Expr | None,
            n_rows: int | None,
            batch_size: int | None,
            config: str = config,
            schema: pl.Schema = schema,
        ) -> Iterator[pl.DataFrame]:
            rows = rows_of(config, traces)
            while batch := list(islice(rows, BATCH)):
                yield pl.DataFrame(batch, schema=schema)

        register_io_source(frames, schema=schema).sink_parquet(
            folder / f"{config}.parquet", compression="zstd", row_group_size=10_000
        )


if __name__ == "__main__":
    main()

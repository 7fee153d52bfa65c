"""Measures: what a trace cost in a run that is there: requests, tokens, seconds, bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.llm.meter import ModelTally
from chainwright.pipeline.journal import Journal
from chainwright.pipeline.manifest import load_manifest
from chainwright.pipeline.run_folder import STAGES, RunFolder

if TYPE_CHECKING:
    from chainwright.recipe import Recipe

Usage = tuple[float, float, float, float]
"""Requests, input tokens, those of them from a cache, output tokens."""


@dataclass(frozen=True)
class Measured:
    """Unit costs by the trace; None where something was not measured.

    Attributes:
        traces: Chains that the run's statistics count.
        asked: By stage and model.
        stages: Seconds of each stage on the clock.
        table_bytes: Of the tables and rejects; `release_bytes` of the release.
        request_bytes: Of a request in the ledger.
        peak_memory: Bytes that the process held at most.
        unknown: Stages that asked models in an earlier build, so that its counts are gone.
    """

    traces: int | None
    asked: Mapping[str, dict[str, Usage]]
    stages: Mapping[str, float | None]
    table_bytes: float | None
    release_bytes: float | None
    request_bytes: float | None
    peak_memory: int | None
    unknown: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def nothing(cls) -> Measured:
        """Of no run at all."""
        return cls(None, {}, {}, None, None, None, None)


def measured(folder: RunFolder, recipe: Recipe) -> Measured | None:
    """What a finished run cost by the trace; None where there is none that came to its end.

    Seconds are the journals' own, which outlast later builds. Requests are those of the last build,
    if it made all blocks of a stage; where it skipped some, the stage is `unknown`.

    Raises:
        InputMistake: when the run's manifest cannot be read.
    """
    manifest = load_manifest(folder)
    if manifest is None or manifest.outcome != "done" or not folder.statistics.is_file():
        return None
    traces = _traces(json.loads(folder.statistics.read_text(encoding="utf-8")))
    if not traces:
        return None
    asked: dict[str, dict[str, Usage]] = {}
    skipped: set[str] = set()
    seconds: dict[str, float | None] = {}
    for stage in STAGES:
        entries = Journal(folder.journal(stage)).entries.values()
        if not entries:
            continue
        seconds[stage] = sum(entry.seconds for entry in entries) / traces
        run = manifest.stages.get(stage)
        if run is not None and run.models and not run.kept:
            asked[stage] = {name: _usage(tally, traces) for name, tally in run.models.items()}
        elif run is not None and run.kept:
            skipped.add(stage)
    unknown = skipped & _asking(recipe) if skipped else skipped
    tables = _size(folder.path.glob("*/*.parquet"))
    released = _size(one for one in folder.release.rglob("*") if one.is_file())
    requests = sum(usage[0] for models in asked.values() for usage in models.values()) * traces
    ledger = folder.ledger.stat().st_size if folder.ledger.is_file() else 0
    peaks = [run.peak_memory for run in manifest.stages.values() if run.peak_memory]
    return Measured(
        traces=traces,
        asked=asked,
        stages=seconds,
        table_bytes=tables / traces,
        release_bytes=released / traces,
        request_bytes=ledger / requests if requests and not unknown else None,
        peak_memory=max(peaks, default=None),
        unknown=frozenset(unknown),
    )


def _traces(statistics: Mapping[str, Any]) -> int:
    documents = [statistics, *statistics.get("tracks", {}).values()]
    return sum(one["counts"]["chains"] for one in documents)


def _usage(tally: ModelTally, traces: int) -> Usage:
    """By the trace; what came from the ledger is taken to be as long as what was sent."""
    share = (tally.sent + tally.from_ledger) / tally.sent / traces if tally.sent else 0.0
    return (
        tally.done / traces,
        tally.input_tokens * share,
        tally.cached_tokens * share,
        tally.output_tokens * share,
    )


def _asking(recipe: Recipe) -> set[str]:
    """The stages that ask models."""
    from chainwright.pipeline.budgeting import models_of
    from chainwright.pipeline.line import standard_line

    if not models_of(recipe):
        return set()
    return {one.name for one in standard_line().stages if one.ask and one.wanted(recipe)}


def _size(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths)

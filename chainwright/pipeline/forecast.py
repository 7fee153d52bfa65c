"""Forecast: what a corpus of a given size would take, from what a trace costs.

Unit costs come from the recipe's own finished run where there is one: requests and tokens of each
model and stage, seconds of each stage, bytes on disk, each by the trace. What was not measured
is estimated: requests and tokens as a dry run does, seconds and bytes by built-in figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from chainwright.llm.batches.connect import has_batches
from chainwright.llm.limits import limit_of
from chainwright.llm.prices import cost
from chainwright.llm.request import Usage
from chainwright.llm.uri import parse_model_uri
from chainwright.pipeline import unit_costs
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.measures import Measured, measured
from chainwright.pipeline.named_run import run_to_be
from chainwright.pipeline.screens.dry_run import plan_build
from chainwright.recipe import Recipe
from chainwright.recipe_file import load_recipe

SHOWN = 3
"""Models that a sentence names."""


@dataclass(frozen=True)
class Asking:
    """What one stage asks one model.

    `usd` is what that costs in the recipe's own mode, `usd_in_batches` in batches; None where the
    price is not known, or there are no batches.
    """

    stage: str
    model: str
    requests: float
    input_tokens: float
    cached_tokens: float
    output_tokens: float
    is_measured: bool
    usd: float | None = None
    usd_in_batches: float | None = None

    def times(self, factor: float) -> Asking:
        """The same of so many times as many traces."""
        return replace(
            self,
            requests=self.requests * factor,
            input_tokens=self.input_tokens * factor,
            cached_tokens=self.cached_tokens * factor,
            output_tokens=self.output_tokens * factor,
        )


@dataclass(frozen=True)
class StageHours:
    """How long a stage takes, and what bounds it."""

    stage: str
    hours: float
    bound_by: str
    is_measured: bool


@dataclass(frozen=True)
class Forecast:
    """What a corpus would take."""

    recipe: str
    traces: int
    workers: int
    measured_on: int | None
    """Traces of the run that unit costs were measured on; None where there is none."""
    asking: list[Asking]
    stages: list[StageHours]
    bytes: dict[str, int]
    """Of the tables, the release and the ledger."""
    peak_memory: int | None
    """Bytes that the run held at most, of one process."""
    notes: list[str] = field(default_factory=list)

    @property
    def requests(self) -> int:
        """All requests."""
        return round(sum(one.requests for one in self.asking))

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return round(sum(one.input_tokens + one.output_tokens for one in self.asking))

    @property
    def usd(self) -> float:
        """What they cost, as far as prices are known."""
        return sum(one.usd or 0.0 for one in self.asking)

    @property
    def usd_in_batches(self) -> float:
        """What they would cost if all that can went in batches."""
        return sum(
            (one.usd if one.usd_in_batches is None else one.usd_in_batches) or 0.0
            for one in self.asking
        )

    @property
    def unpriced(self) -> list[str]:
        """Models whose price is not known."""
        return sorted({one.model for one in self.asking if one.usd is None})

    @property
    def hours(self) -> float:
        """Of the whole line, stage after stage."""
        return sum(stage.hours for stage in self.stages)

    def as_json(self) -> dict[str, Any]:
        """The forecast as plain values."""
        names = ("requests", "tokens", "usd", "usd_in_batches", "unpriced", "hours")
        return asdict(self) | {name: getattr(self, name) for name in names}


def forecast(recipe_path: Path, runs: Path, *, traces: int, workers: int) -> Forecast:
    """What a corpus of so many traces would take with a recipe; changes nothing.

    Args:
        recipe_path: The recipe.
        runs: The folder that holds the run folders: the recipe's run is measured where it is done.
        traces: Chains that are to come out.
        workers: Processes that work on blocks at the same time, each with the recipe's
            `requests.concurrency`; the limits of models hold over all.

    Raises:
        RecipeError: when the recipe cannot be used.
        SourceError: when there is no run to measure and a source cannot be read.
        InputMistake: when no trace comes of the recipe, so that nothing can be said of one.
    """
    recipe = load_recipe(recipe_path)
    found = measured(run_to_be(recipe.name, runs), recipe)
    notes: list[str] = []
    if found is None or found.unknown:
        found = _completed(found, recipe_path, recipe, notes)
    asking = [_priced(one.times(traces), recipe) for one in _asked(found)]
    names = dict.fromkeys([*found.stages, *(one.stage for one in asking)])
    stages = [_hours(name, found, asking, recipe, traces, workers) for name in names]
    requests = sum(one.requests for one in asking)
    tables = found.table_bytes if found.table_bytes is not None else unit_costs.RUN_BYTES
    released = found.release_bytes if found.release_bytes is not None else unit_costs.RELEASE_BYTES
    each = found.request_bytes or unit_costs.REQUEST_BYTES
    return Forecast(
        recipe=recipe.name,
        traces=traces,
        workers=workers,
        measured_on=found.traces,
        asking=asking,
        stages=stages,
        bytes={
            "tables": round(tables * traces),
            "release": round(released * traces),
            "ledger": round(each * requests),
        },
        peak_memory=found.peak_memory,
        notes=[*notes, *_notes(found, asking, recipe)],
    )


def _completed(
    found: Measured | None, recipe_path: Path, recipe: Recipe, notes: list[str]
) -> Measured:
    """What was measured, and of the rest what a dry run estimates.

    Raises:
        InputMistake: when no trace comes of the recipe.
    """
    plan = plan_build(recipe_path, recipe_path.parent / ".no_runs")
    expected = plan.traces_at_most
    if not expected:
        raise InputMistake(
            f"no trace comes of {recipe_path}, so nothing can be said of what one costs: it needs "
            "sources with problems, and `chains` or `negatives` that make chains of them"
        )
    notes.append(
        f"not measured: {', '.join(sorted(found.unknown))}; taken from a dry run"
        if found
        else f"there is no finished run of {recipe.name} to measure: requests and tokens are those "
        "of a dry run, with the most chains that there can be; seconds and bytes are built-in "
        "figures"
    )
    known = found or Measured.nothing()
    missing = {one.stage for one in plan.models} - set(known.asked)
    asked = dict(known.asked)
    for one in plan.models:
        if one.stage in missing:
            asked.setdefault(one.stage, {})[one.model] = (
                one.requests / expected,
                one.input_tokens / expected,
                0.0,
                one.output_tokens / expected,
            )
    stages = dict.fromkeys([*(stage.stage for stage in plan.stages), *known.stages])
    return replace(known, asked=asked, stages={name: known.stages.get(name) for name in stages})


def _asked(found: Measured) -> Iterator[Asking]:
    for stage, models in found.asked.items():
        for model, usage in models.items():
            yield Asking(stage, model, *usage, found.stages.get(stage) is not None)


def _priced(one: Asking, recipe: Recipe) -> Asking:
    model = parse_model_uri(one.model)
    usage = Usage(
        input_tokens=round(one.input_tokens),
        output_tokens=round(one.output_tokens),
        cached_tokens=round(one.cached_tokens),
    )
    can = has_batches(model)
    in_batches = cost(model, usage, batch=True) if can else None
    usd = in_batches if can and recipe.requests.mode == "batch" else cost(model, usage)
    return replace(one, usd=usd, usd_in_batches=in_batches)


def _hours(
    stage: str,
    found: Measured,
    asking: list[Asking],
    recipe: Recipe,
    traces: int,
    workers: int,
) -> StageHours:
    """The longest of what the machines need and what each model's limits allow."""
    own = [one for one in asking if one.stage == stage]
    seconds = found.stages.get(stage)
    is_measured = seconds is not None
    shared = 1 if stage in unit_costs.SERIAL else workers
    bounds: dict[str, float] = {}
    if seconds is not None and not (own and recipe.requests.mode == "batch"):
        bounds["measured pace"] = seconds * traces / shared / 3600
    elif not own:
        bounds["built-in pace"] = (
            unit_costs.SECONDS.get(stage, unit_costs.OTHER_SECONDS) * traces / shared / 3600
        )
    for one in own:
        model = parse_model_uri(one.model)
        limit = limit_of(model, recipe.requests.each_limit)
        if limit.requests_per_minute:
            bounds[f"requests a minute of {one.model}"] = (
                one.requests / limit.requests_per_minute / 60
            )
        if limit.tokens_per_minute:
            tokens = one.input_tokens + one.output_tokens
            bounds[f"tokens a minute of {one.model}"] = tokens / limit.tokens_per_minute / 60
    if own and recipe.requests.mode == "batch":
        bounds["batches"] = unit_costs.BATCH_HOURS
    elif own and not is_measured:
        at_once = recipe.requests.concurrency * workers
        requests = sum(one.requests for one in own)
        bounds[f"{unit_costs.LATENCY:g} s a request"] = (
            requests * unit_costs.LATENCY / at_once / 3600
        )
    bound_by, hours = max(bounds.items(), key=lambda pair: pair[1])
    return StageHours(stage, hours, bound_by, is_measured)


def _notes(found: Measured, asking: list[Asking], recipe: Recipe) -> Iterator[str]:
    if found.traces is not None and found.traces < unit_costs.FEW:
        yield (
            f"{found.traces:,} traces are few to measure on: what a run takes to start and to draw "
            f"its intervals counts as theirs; from {unit_costs.FEW:,} on that no longer matters"
        )
    unlimited = sorted({one.model for one in asking if not _has_numbers(one.model, recipe)})
    if unlimited:
        yield (
            f"no limits are set for {listed(unlimited)}: with `requests.limits` the hours keep "
            "to what the provider allows"
        )
    if asking and recipe.requests.mode == "batch":
        hours = unit_costs.BATCH_HOURS
        yield f"a stage in batches is given {hours:g} h, the most that providers promise"


def listed(models: Sequence[str]) -> str:
    """The first models by name, and how many others there are.

    >>> listed(["a", "b", "c", "d", "e"])
    'a, b, c and 2 others'
    """
    if len(models) <= SHOWN + 1:
        return ", ".join(models)
    return f"{', '.join(models[:SHOWN])} and {len(models) - SHOWN} others"


def _has_numbers(model: str, recipe: Recipe) -> bool:
    limit = limit_of(parse_model_uri(model), recipe.requests.each_limit)
    return bool(limit.requests_per_minute or limit.tokens_per_minute)

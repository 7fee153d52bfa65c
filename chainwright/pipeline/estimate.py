"""Estimate: what a build would ask models, and what that would cost, before anything is sent.

Where the rows that a stage reads are there, its requests are made and counted, and those whose
answer is paid for already are found in the ledger. Where rows are yet to be made, counts stand in:
the most that the stages before can make, with chains as long as the sources' own solutions.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from chainwright.builders.exact import reference_chain
from chainwright.builders.splitter import split_steps
from chainwright.llm.batches.connect import has_batches
from chainwright.llm.endpoint import endpoint
from chainwright.llm.estimate import estimate_tokens
from chainwright.llm.ledger_file import LedgerError
from chainwright.llm.ledger_queries import answer_lengths, select_answer
from chainwright.llm.ledger_reader import reading
from chainwright.llm.prices import cost
from chainwright.llm.request import ModelUnavailable, Request, Usage
from chainwright.llm.request_key import key_request
from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.executor import block_tables
from chainwright.pipeline.problems import WRITES, first_tables
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem

if TYPE_CHECKING:
    import sqlite3

    from chainwright.llm.uri import ModelUri
    from chainwright.pipeline.line import Line
    from chainwright.pipeline.plan import Outlook
    from chainwright.pipeline.run_folder import RunFolder
    from chainwright.recipe import Recipe
    from chainwright.stage import Batch, Stage, Tables

SAMPLE = 100
"""Problems of each source whose solutions stand in for chains that are not there yet."""

BREAKING = ("negatives", "perturbation")
"""Stages that make chains whose first steps are those of other chains: equal requests are one."""

STEP_TOKENS = 60
"""What a judge writes about a step, roughly."""

SOLUTION_TOKENS = 300
"""What a solution takes, roughly."""

STAND_IN = ["One step of a solution that is yet to be written, of the usual length for one."] * 5


@dataclass
class AskPlan:
    """What a stage would ask one model.

    `requests` counts what is asked at first, second tries aside; `in_ledger` those of them that are
    paid for, which tokens and cost leave out. Without `exact` some of it follows from counts.
    """

    stage: str
    model: str
    exact: bool = True
    requests: int = 0
    in_ledger: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """None where the price is not known."""

    @property
    def to_send(self) -> int:
        """Requests that would be sent."""
        return self.requests - self.in_ledger


@dataclass(frozen=True)
class Estimator:
    """Looks through the stages of a run that ask models.

    Attributes:
        problems: The run's problems and the chains that they bring along, block by block.
    """

    folder: RunFolder
    recipe: Recipe
    line: Line
    problems: Sequence[Batch]
    outlook: Outlook

    def plans(self) -> list[AskPlan]:
        """One plan for each stage and model that would be asked anything, in order.

        Raises:
            RunStopped: when there is a ledger that cannot be read.
        """
        plans: list[AskPlan] = []
        asking = [stage for stage in self.line.stages if self.outlook.run.get(stage.name)]
        try:
            there = self.folder.ledger.is_file()
            with reading(self.folder.ledger) if there else nullcontext() as ledger:
                lengths = answer_lengths(ledger) if ledger else {}
                for stage in asking:
                    if stage.plan is not None:
                        plans += self._stage(stage, stage.plan, ledger, lengths)
        except LedgerError as error:
            raise RunStopped(str(error)) from error
        return plans

    def traces_at_most(self) -> int:
        """Chains that there are in the end, if every stage makes as many as it can."""
        problems: Counter[str] = Counter()
        chains: Counter[str] = Counter()
        for batch in self.problems:
            sources = {one.problem_id: one.source for one in _problems_of(batch)}
            problems.update(sources.values())
            brought: Sequence[Any] = batch.rows["chains"]
            chains.update(sources[chain.problem_id] for chain in brought)
        counts = ({"problems": n, "chains": chains[one]} for one, n in problems.items())
        return sum(
            self._most_before(None, source, count)[0]["chains"]
            for source, count in zip(problems, counts, strict=True)
        )

    def _stage(
        self,
        stage: Stage,
        plan: Callable[[Recipe, Tables], Iterable[Request]],
        ledger: sqlite3.Connection | None,
        lengths: Mapping[tuple[str, str, str], float],
    ) -> list[AskPlan]:
        run = self.outlook.run.get(stage.name, set())
        read = [table for table in stage.reads if table not in self._in_memory]
        known = {b for b in run if not any(b in self.outlook.dirty[table] for table in read)}
        found: dict[str, _Sum] = defaultdict(partial(_Sum, lengths))
        seen: set[bytes] = set()
        for block in sorted(known):
            for request in plan(self.recipe, self._tables(stage, block)):
                key = _key(request)
                short = bytes.fromhex(key[:32])
                if short in seen:
                    continue  # equal requests share one answer
                seen.add(short)
                paid = ledger is not None and select_answer(ledger, key) is not None
                found[str(request.model)].add(request, 0.0 if paid else 1.0, 1.0)
        batched = self.recipe.requests.mode == "batch"
        for stand_in in self._stand_ins(stage, run - known):
            asked_anyway = {_key(request) for request in plan(self.recipe, stand_in.like)}
            for request in plan(self.recipe, stand_in.tables):
                if _key(request) not in asked_anyway:
                    found[str(request.model)].add(request, stand_in.weight, stand_in.weight)
        return [
            total.plan(stage.name, model, not run - known, batched)
            for model, total in found.items()
        ]

    def _tables(self, stage: Stage, block: int) -> Tables:
        reads = [table for table in stage.reads if table not in self._in_memory]
        before = self.outlook.before(stage.name)
        rows = block_tables(self.folder, reads, before, block)
        known = self.problems[block].rows
        return {table: known[name] for table, name in self._in_memory.items()} | rows

    @property
    def _in_memory(self) -> dict[str, str]:
        """Tables that need not be there yet, by what they are called before any filter.

        Of `problems` the chains are none: other stages write chains as well. Nor are problems where
        there are to be variants, which another stage makes.
        """
        tables = first_tables(self.recipe)
        if tables != WRITES:
            return dict(zip(tables, WRITES, strict=True))
        if any(source.variants for source in self.recipe.sources):
            return {}
        return {"problems": "problems"}

    def _stand_ins(self, stage: Stage, blocks: set[int]) -> Iterator[_StandIn]:
        """For each source the rows of a sample, and how many rows one of them stands for."""
        by_source: dict[str, list[Any]] = defaultdict(list)
        brought: Counter[str] = Counter()
        for block in sorted(blocks):
            rows: Mapping[str, Sequence[Any]] = self.problems[block].rows
            for problem in rows["problems"]:
                by_source[problem.source].append(problem)
            sources = {problem.problem_id: problem.source for problem in rows["problems"]}
            brought.update(sources[chain.problem_id] for chain in rows["chains"])
        driver = stage.reads[-1]
        for source, problems in by_source.items():
            counts = {"problems": len(problems), "chains": brought[source]}
            total, broken = self._most_before(stage, source, counts)
            copies = broken if driver == "chains" else 0
            sample = problems[: math.ceil(SAMPLE / _smallest_share(self.recipe))]
            chains = [_stand_in(problem) for problem in sample]

            def tables(chains: list[Chain], sample: Sequence[Any] = sample) -> Tables:
                return dict.fromkeys(stage.reads, chains) | {"problems": sample}

            nothing = dict.fromkeys(stage.reads, ())
            yield _StandIn((total[driver] - copies) / len(sample), tables(chains), nothing)
            if copies:
                like = tables([_broken(chain, n) for n, chain in enumerate(chains)])
                yield _StandIn(copies / len(sample), like, tables(chains))

    def _most_before(
        self, stage: Stage | None, source: str, counts: Mapping[str, int]
    ) -> tuple[Counter[str], int]:
        """How many rows of each table one source has before a stage at most; broken chains.

        None stands for the end of the line.
        """
        total, broken = Counter(counts), 0
        alone = [one for one in self.recipe.sources if one.known_as == source]
        recipe = self.recipe.model_copy(update={"sources": alone})
        for earlier in self.line.stages:
            if stage is not None and earlier.name == stage.name:
                break
            if earlier.most is not None and earlier.wanted(self.recipe):
                more = earlier.most(recipe, total)
                total.update(more)
                broken += more.get("chains", 0) if earlier.name in BREAKING else 0
        return total, broken


@dataclass(frozen=True)
class _StandIn:
    """Rows of a sample, how many rows each stands for, and rows whose requests are made anyway."""

    weight: float
    tables: Tables
    like: Tables


@dataclass
class _Sum:
    """What is asked of one model.

    Attributes:
        lengths: How long its answers were so far (see `answer_lengths`).
    """

    lengths: Mapping[tuple[str, str, str], float]
    model: ModelUri | None = None
    requests: float = 0.0
    to_send: float = 0.0
    input_tokens: float = 0.0
    output_tokens: float = 0.0

    def add(self, request: Request, to_send: float, requests: float) -> None:
        self.model = request.model
        self.requests += requests
        self.to_send += to_send
        self.input_tokens += to_send * estimate_tokens(request.messages)
        kind = request.schema.name if request.schema else ""
        said = self.lengths.get((request.model.provider, request.model.name, kind))
        self.output_tokens += to_send * (_expected_output(request) if said is None else said)

    def plan(self, stage: str, name: str, exact: bool, in_batches: bool) -> AskPlan:
        usage = Usage(
            input_tokens=round(self.input_tokens), output_tokens=round(self.output_tokens)
        )
        requests, to_send = round(self.requests), round(self.to_send)
        batch = in_batches and self.model is not None and has_batches(self.model)
        return AskPlan(
            stage=stage,
            model=name,
            exact=exact,
            requests=requests,
            in_ledger=requests - to_send,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=cost(self.model, usage, batch=batch) if self.model else None,
        )


def _problems_of(batch: Batch) -> Sequence[Problem]:
    rows: Sequence[Any] = batch.rows["problems"]
    return rows


def _key(request: Request) -> str:
    try:
        place = endpoint(request.model)
    except ModelUnavailable:
        place = None  # nothing can be asked there, nor was
    return key_request(request, place).key


def _expected_output(request: Request) -> int:
    """Tokens of an answer, roughly: by the entries that its schema asks for."""
    properties = request.schema.schema.get("properties", {}) if request.schema else {}
    entries = properties.get("steps", {}).get("maxItems")
    tokens = SOLUTION_TOKENS if entries is None else STEP_TOKENS * entries
    return min(tokens, request.max_tokens or tokens)


def _smallest_share(recipe: Recipe) -> float:
    """A sample has to be larger by as much as a stage or a judge draws from it."""
    judges = recipe.annotation.panel
    shares = [judge.share for judge in judges if not isinstance(judge, str)]
    return min([1.0, *shares, *([recipe.chains.model.share] if recipe.chains.model else [])])


def _stand_in(problem: Problem) -> Chain:
    steps: Iterable[str] = split_steps(problem.solution or "")
    return reference_chain(problem, list(steps) or STAND_IN, None)


def _broken(chain: Chain, number: int) -> Chain:
    """The chain with other steps from its middle on; of two chains one has a step more alike."""
    alike = (len(chain.steps) - 1 + number % 2) // 2
    steps = [step if place < alike else f"{step}." for place, step in enumerate(chain.steps)]
    return chain.model_copy(update={"steps": steps})

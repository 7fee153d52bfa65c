"""Estimate: what a build would ask models, and what that would cost, before anything is sent.

Where the rows that a stage reads are there, its requests are made and counted, and those whose
answer is paid for already are found in the ledger. Where rows are yet to be made, counts stand in:
the most that the stages before can make, with chains as long as the sources' own solutions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from chainwright.builders.exact import reference_chain
from chainwright.builders.splitter import split_steps
from chainwright.llm.endpoint import endpoint
from chainwright.llm.estimate import estimate_tokens
from chainwright.llm.ledger import Ledger, LedgerError
from chainwright.llm.prices import cost
from chainwright.llm.request import ModelUnavailable, Request, Usage
from chainwright.llm.request_key import key_request
from chainwright.pipeline.errors import RunStopped
from chainwright.pipeline.executor import block_tables
from chainwright.pipeline.problems import WRITES, first_tables
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem

if TYPE_CHECKING:
    from chainwright.llm.uri import ModelUri
    from chainwright.pipeline.line import Line
    from chainwright.pipeline.plan import Outlook
    from chainwright.pipeline.run_folder import RunFolder
    from chainwright.recipe import Recipe
    from chainwright.stage import Batch, Stage, Tables

SAMPLE = 20
"""Problems of each source whose solutions stand in for chains that are not there yet."""

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
        said: Tokens that a model wrote per request in the last build, by stage and model, as far
            as it got.
    """

    folder: RunFolder
    recipe: Recipe
    line: Line
    problems: Sequence[Batch]
    outlook: Outlook
    said: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def plans(self) -> list[AskPlan]:
        """One plan for each stage and model that would be asked anything, in order.

        Raises:
            RunStopped: when there is a ledger that cannot be read.
        """
        plans: list[AskPlan] = []
        asking = [stage for stage in self.line.stages if self.outlook.run.get(stage.name)]
        try:
            with ExitStack() as stack:
                there = self.folder.ledger.is_file()
                ledger = stack.enter_context(Ledger(self.folder.ledger)) if there else None
                for stage in asking:
                    if stage.plan is not None:
                        plans += self._stage(stage, stage.plan, ledger)
        except LedgerError as error:
            raise RunStopped(str(error)) from error
        return plans

    def _stage(
        self,
        stage: Stage,
        plan: Callable[[Recipe, Tables], Iterable[Request]],
        ledger: Ledger | None,
    ) -> list[AskPlan]:
        run = self.outlook.run.get(stage.name, set())
        read = [table for table in stage.reads if table not in self._in_memory]
        known = {b for b in run if not any(b in self.outlook.dirty[table] for table in read)}
        found: dict[str, _Sum] = defaultdict(_Sum)
        for block in sorted(known):
            for request in plan(self.recipe, self._tables(stage, block)):
                paid = ledger is not None and _is_paid(ledger, request)
                found[str(request.model)].add(request, 0.0 if paid else 1.0, 1.0)
        for weight, tables in self._stand_ins(stage, run - known):
            for request in plan(self.recipe, tables):
                found[str(request.model)].add(request, weight, weight)
        return [
            total.plan(stage.name, model, not run - known, self.said.get((stage.name, model)))
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

        Of `problems` the chains are none: other stages write chains as well.
        """
        tables = first_tables(self.recipe)
        names = dict(zip(tables, WRITES, strict=True))
        return names if tables != WRITES else {"problems": "problems"}

    def _stand_ins(self, stage: Stage, blocks: set[int]) -> Iterator[tuple[float, Tables]]:
        """For each source how many rows one row of a sample stands for, and the sample."""
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
            expected = self._most_before(stage, counts)[driver]
            sample = problems[:SAMPLE]
            chains = [_stand_in(problem) for problem in sample]
            tables = dict.fromkeys(stage.reads, chains) | {"problems": sample}
            yield expected / len(sample), tables

    def _most_before(self, stage: Stage, counts: Mapping[str, int]) -> Counter[str]:
        """How many rows of each table one source has before a stage, at most."""
        total = Counter(counts)
        for earlier in self.line.stages:
            if earlier.name == stage.name:
                break
            if earlier.most is not None and earlier.wanted(self.recipe):
                total.update(earlier.most(self.recipe, total))
        return total


@dataclass
class _Sum:
    """What is asked of one model."""

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
        self.output_tokens += to_send * _expected_output(request)

    def plan(self, stage: str, name: str, exact: bool, said: float | None) -> AskPlan:
        output = self.output_tokens if said is None else said * self.to_send
        usage = Usage(input_tokens=round(self.input_tokens), output_tokens=round(output))
        requests, to_send = round(self.requests), round(self.to_send)
        return AskPlan(
            stage=stage,
            model=name,
            exact=exact,
            requests=requests,
            in_ledger=requests - to_send,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=cost(self.model, usage) if self.model else None,
        )


def _is_paid(ledger: Ledger, request: Request) -> bool:
    try:
        place = endpoint(request.model)
    except ModelUnavailable:
        return False
    return ledger.get(key_request(request, place).key) is not None


def _expected_output(request: Request) -> int:
    """Tokens of an answer, roughly: by the entries that its schema asks for."""
    properties = request.schema.schema.get("properties", {}) if request.schema else {}
    entries = properties.get("steps", {}).get("maxItems")
    tokens = SOLUTION_TOKENS if entries is None else STEP_TOKENS * entries
    return min(tokens, request.max_tokens or tokens)


def _stand_in(problem: Problem) -> Chain:
    steps: Iterable[str] = split_steps(problem.solution or "")
    return reference_chain(problem, list(steps) or STAND_IN, None)

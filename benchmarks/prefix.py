"""Counts the input tokens of judging step by step that a provider's prefix cache serves.

Every request is made by the judges themselves and answered by a script, with so many under way at
once; what they were sent goes through a simulated prefix cache: blocks of 16 tokens (vLLM), or of
128 from 1,024 tokens on, behind the answer's schema (OpenAI). A prompt is cached once its request
is answered. The same questions are counted in other orders of their parts, and sent all at once.

Without arguments it takes the reference chains of the quickstart; give PERL's JSON files for those.
Tokens are those of SmolLM2, by the server of `local:smollm2`; where that is not installed, words
and signs. Reports and does not judge: exits 0 unless something fails.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

from benchmarks.prefix_servers import (
    LOCAL,
    Count,
    PrefixCache,
    Real,
    Simulated,
    Tokenizer,
    best_tokenizer,
    words,
)
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.model_panel import model_votes, requests_for
from chainwright.annotation.stages import under_way
from chainwright.builders.exact import exact_reference
from chainwright.builders.sources import problems_from_sources
from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.request import Asker
from chainwright.llm.uri import parse_model_uri
from chainwright.pipeline.reading.rows import read_rows
from chainwright.recipe import Source
from chainwright.recipe_parts.requests import Requests
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.stage import all_of

Premises = dict[int, tuple[int, ...]]

GOAL_CACHED, GOAL_UNCACHED = 0.8, 0.5
"""The share of our tokens to be cached, and our uncached tokens as a share of the naive ones."""

CACHES = {"vLLM": ("compat:m@http://localhost/v1", 16, 16), "OpenAI": ("openai:gpt-4o", 128, 1024)}
"""By name: a model, tokens of a block, and the fewest that are cached."""

METHODS: dict[str, dict[str, Any]] = {
    "errors, full context": {"error": "full_context"},
    "premises, per step": {"premises": "per_step"},
    "errors, by premises": {"error": "premise_conditioned"},
    "premises, dyadic": {"premises": "dyadic"},
}
FULL, PER_STEP, BY_PREMISES, _ = METHODS
PROTOCOLS = {
    "PERL's baseline: premises and errors": (FULL, PER_STEP),
    "PERL's baseline and its verifier": (FULL, PER_STEP, BY_PREMISES),
}
"""What is asked of a step. The verifier takes its premises from the data."""

ORDERS: dict[str, tuple[str, bool]] = {
    "naive: question, material, instructions": ("qmi", False),
    "naive: instructions, question, material": ("i/qm", False),
    "ours, but all at once": ("i/mq", False),
    "material, instructions, question": ("miq", True),
    "ours: instructions, material, question": ("i/mq", True),
}
"""Parts of a prompt in order (`/` = a new message), and whether one request goes ahead."""
NAIVE, MILDER, _, _, OURS = ORDERS


@dataclass(frozen=True)
class Case:
    """A chain to be judged."""

    problem: Problem
    chain: Chain
    premises: Premises


def main() -> None:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(description="Count what a prefix cache serves of judging.")
    parser.add_argument("files", nargs="*", type=Path, help="JSON files of PERL")
    parser.add_argument("--chains", type=int, default=200, help="at most (default: %(default)s)")
    parser.add_argument("--concurrency", type=int, default=16, help="default: %(default)s")
    parser.add_argument("--words", action="store_true", help="count words and signs as tokens")
    parser.add_argument("--local", type=int, default=0, metavar="N", help="ask local:smollm2 of N")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    cases = list(islice(perl(options.files) if options.files else quickstart(), options.chains))
    steps = sum(len(case.chain.steps) for case in cases)
    tokenizer, name = (words, "words and signs") if options.words else best_tokenizer()
    report: dict[str, Any] = {"chains": len(cases), "steps": steps, "tokens_of": name, "caches": {}}
    for place, (model, block, least) in CACHES.items():
        report["caches"][place] = {
            order: {
                method: simulated(cases, model, settings, order, tokenizer, block, least, options)
                for method, settings in METHODS.items()
            }
            for order in ORDERS
        }
    if options.local:
        few = cases[: options.local]
        report["local"] = {order: really(few, order) for order in (NAIVE, MILDER, OURS)}
        report["local_steps"] = sum(len(case.chain.steps) for case in few)
    print(json.dumps(report, indent=2, default=asdict) if options.json else as_text(report))


def perl(files: Sequence[Path]) -> Iterator[Case]:
    """The chains of PERL's files in turn, one of each file, then the next of each."""
    waiting = [iter(json.loads(path.read_text(encoding="utf-8"))) for path in files]
    while waiting:
        for rows in list(waiting):
            row = next(rows, None)
            if row is None:
                waiting.remove(rows)
                continue
            problem = Problem.build(source="perl", question=row["question"])
            found = {
                entry["step_number"]: tuple(p for p, _ in entry["premises"])
                for entry in row["premise_annotation"]["steps"]
            }
            numbers = range(1, len(row["steps"]) + 1)
            premises = {n: tuple(p for p in found.get(n, ()) if 0 <= p < n) for n in numbers}
            yield Case(problem, chain_of(problem, row["steps"]), premises)


def quickstart() -> Iterator[Case]:
    """The reference chains of the problems that ship with the package, with exact premises."""
    source = Source(kind="gsm8k", path="builtin:quickstart")
    read = problems_from_sources([(source, read_rows(source, recipe_folder=Path()))], 0)
    for problem in read.rows["problems"]:
        exact = exact_reference(cast("Problem", problem), marks="strip")
        premises = {label.step: tuple(label.premises) for label in exact.labels}
        yield Case(cast("Problem", problem), exact.chain, premises)


def chain_of(problem: Problem, steps: list[str]) -> Chain:
    """A chain of somebody's."""
    return Chain.build(
        problem_id=problem.problem_id,
        origin="model",
        generator="perl",
        steps=steps,
        final_answer=None,
        is_correct=None,
    )


def simulated(
    cases: Sequence[Case],
    model: str,
    settings: dict[str, Any],
    order: str,
    tokenizer: Tokenizer,
    block: int,
    least: int,
    options: argparse.Namespace,
) -> Count:
    """What a simulated server counts of one method in one order."""
    parts, led = ORDERS[order]
    judge = ModelJudge(parse_model_uri(model), **settings)
    slots = asyncio.Semaphore(options.concurrency)
    asker = Simulated(
        parts, tokenizer, PrefixCache(block, least), slots, model.startswith("openai")
    )
    asyncio.run(asked(cases, judge, asker, options.concurrency, led=led))
    return asker.count


async def asked(
    cases: Sequence[Case], judge: ModelJudge, asker: Asker, concurrency: int, *, led: bool
) -> None:
    """All that a judge asks of the chains: as the stage does it, or as fast as it goes."""
    work: list[Callable[[], Awaitable[Any]]] = []
    for case in cases:
        given = {"premises": case.premises}
        if led:
            work.append(partial(model_votes, asker, judge, case.problem, case.chain, **given))
        else:
            requests = requests_for(judge, case.problem, case.chain, **given)
            work += [partial(asker.ask, request) for request in requests]
    await all_of(
        work, at_once=under_way(Requests(concurrency=concurrency)) if led else 2 * concurrency
    )


def really(cases: Sequence[Case], order: str) -> Count:
    """What the local model's server counts of the full-context judge in one order."""
    parts, led = ORDERS[order]

    async def ask(ledger: Ledger) -> Count:
        async with Client(ledger) as client:
            asker = Real(client, parts)
            await asked(cases, ModelJudge(LOCAL, "full_context"), asker, 2, led=led)
            return asker.count

    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "ledger.sqlite") as ledger:
        return asyncio.run(ask(ledger))


def as_text(report: dict[str, Any]) -> str:
    """Lay the report out as tables, in tokens of input per annotated step."""
    steps = report["steps"]
    lines = [f"{report['chains']} chains, {steps} steps; tokens of {report['tokens_of']}"]
    for place, orders in report["caches"].items():
        shown = PROTOCOLS | {method: (method,) for method in METHODS}
        for title, methods in shown.items():
            counts = {
                order: sum((found[method] for method in methods), Count())
                for order, found in orders.items()
            }
            lines += ["", *table(f"{place}: {title}", counts, steps)]
            if title in PROTOCOLS:
                lines.append(verdict(counts[OURS], counts[NAIVE]))
    if "local" in report:
        lines += ["", *table(f"{LOCAL}, as it says", report["local"], report["local_steps"])]
    return "\n".join(lines)


def verdict(ours: Count, naive: Count) -> str:
    """Whether the goal is met."""
    cached = ours.cached / ours.tokens
    uncached = (ours.tokens - ours.cached) / max(1, naive.tokens - naive.cached)
    word = "met" if cached >= GOAL_CACHED and uncached <= GOAL_UNCACHED else "missed"
    goal = f"{GOAL_CACHED:.0%} cached, {GOAL_UNCACHED:.0%} of the naive uncached tokens"
    return f"  goal: {goal}: {cached:.1%}, {uncached:.1%}, {word}"


def table(title: str, counts: dict[str, Count], steps: int) -> Iterator[str]:
    """A row for each order."""
    yield f"{title:<46}{'requests':>9}{'tokens':>8}{'cached':>8}{'uncached':>9}{'of naive':>9}"
    naive = next(iter(counts.values()))
    for order, count in counts.items():
        uncached = count.tokens - count.cached
        share = uncached / max(1, naive.tokens - naive.cached)
        yield (
            f"  {order:<44}{count.requests / steps:>9.2f}{count.tokens / steps:>8.0f}"
            f"{count.cached / count.tokens:>8.1%}{uncached / steps:>9.0f}{share:>9.1%}"
        )


if __name__ == "__main__":
    main()

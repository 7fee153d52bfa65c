"""Scoring: judges read a labelled corpus, and what they are worth is written to a folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.annotation.checkers.checker_votes import CheckerJudge, checker_votes
from chainwright.annotation.checkers.loading import CheckerFault, load
from chainwright.annotation.judges import Judge, judge_name, reads
from chainwright.annotation.metrics.labelled import JudgedChain, LabelledChain
from chainwright.annotation.models.model_panel import model_votes
from chainwright.annotation.program_panel import program_votes
from chainwright.annotation.score_tables import Comparison, compare, tables
from chainwright.annotation.scoring import (
    JudgeFault,
    condition,
    judged,
    named_judges,
    wants_gold_premises,
)
from chainwright.formats.mapped import ColumnMap
from chainwright.llm.meter import together
from chainwright.llm.uri import ModelUriError
from chainwright.pipeline.asking import Asking
from chainwright.pipeline.errors import InputMistake, Interrupted
from chainwright.pipeline.files import write_atomically, write_json
from chainwright.pipeline.named_run import local_path
from chainwright.pipeline.reading.corpus_records import columns_named
from chainwright.pipeline.reading.labelled_corpora import labelled_chains
from chainwright.pipeline.run_folder import RunFolder, held
from chainwright.pipeline.screens.progress import Progress
from chainwright.stage import STOPS, all_of

if TYPE_CHECKING:
    from chainwright.llm.request import Asker

BLOCK = 64
"""Chains that are asked about together."""

CHAINS, SCORE, LEDGER = "chains.jsonl", "score.json", "ledger.sqlite"


@dataclass(frozen=True)
class Scoring:
    """What a scoring came to; `score.json` holds the same."""

    folder: str
    corpus: str
    chains: int
    unusable: dict[str, int]
    judges: dict[str, dict[str, Any]]
    """By name: `condition`, `inherits_by`, `statuses`, `failed`, and `splits` with the figures."""
    requests: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The scoring as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Compared:
    """Two scorings side by side."""

    first: str
    second: str
    comparisons: list[Comparison]

    def as_json(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return asdict(self)


def score(
    corpus: Path,
    judges: Sequence[str],
    out: Path,
    *,
    limit: int | None = None,
    columns: str | None = None,
    panel_labels: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    concurrency: int = 16,
    max_tokens: int | None = 2048,
    quiet: bool = False,
) -> Scoring:
    """Has judges vote on a labelled corpus and compares them with its labels.

    The folder keeps the ledger, so the same command asks nothing twice, and goes on where it was
    stopped; `chains.jsonl` has one row a judge and chain, `score.json` the tables.

    Args:
        out: The folder; other files in it stay.
        columns: A map of columns for rows of other formats; see `column_map`.
        limit: Chains of each source and polarity at most, in the order of the corpus.

    Raises:
        InputMistake: the corpus or a judge cannot be used, or no judge reads any of its chains.
        RunStopped: a model gives no more answers, or another scoring holds the folder.
        Interrupted: the user stopped it.
    """
    panel = _judges(judges, seed, max_tokens)
    unusable: Counter[str] = Counter()
    corpus = local_path(corpus)
    chains = _chains(corpus, columns_named(columns), panel_labels, limit, unusable)
    pairs = [(judge, chain) for chain in chains for judge in panel if _can(judge, chain)]
    if not pairs:
        raise InputMistake(
            f"none of the judges reads any of the {len(chains)} usable chains of {corpus} "
            f"({_listed(unusable)}); programs and error methods read math chains, `all`, `sbs` "
            "and `bin` those with a context, and premise_conditioned alone needs the corpus's "
            "premises"
        )
    rows: list[JudgedChain] = []
    with held(RunFolder(out)), Progress(quiet=quiet) as progress:
        asking = Asking(out / LEDGER, concurrency)
        blocks = [pairs[at : at + BLOCK] for at in range(0, len(pairs), BLOCK)]
        progress.begin("score", len(blocks))
        asking.begin()
        with closing(asking):
            try:
                for block in blocks:
                    tick = partial(_tick, progress, asking, len(block))
                    rows += asking.run(partial(_cast_all, block, concurrency), tick)
                    progress.advance(True)
            except KeyboardInterrupt:
                raise Interrupted("score", progress.done, progress.total) from None
        progress.end()
        lines = (json.dumps(row.as_json(), ensure_ascii=False) for row in rows)
        write_atomically(out / CHAINS, "".join(f"{line}\n" for line in lines))
        asked = together(asking.tallies.values())
        found = Scoring(
            folder=str(out),
            corpus=str(corpus),
            chains=len(chains),
            unusable=dict(unusable),
            judges={
                judge_name(judge): _summary(judge, rows, replicates, seed)
                for judge in panel
                if any(row.judge == judge_name(judge) for row in rows)
            },
            requests={"sent": asked.sent, "from_ledger": asked.from_ledger, "failed": asked.failed},
        )
        write_json(out / SCORE, found.as_json())
    return found


def compare_scorings(first: str, second: str, *, replicates: int = 1000, seed: int = 0) -> Compared:
    """Compares two judges on the chains that both were scored on.

    Args:
        first: `FOLDER`, or `FOLDER::JUDGE` where the folder has several judges.
        second: The same.

    Raises:
        InputMistake: a folder holds no scoring, a judge has to be named, or nothing is shared.
    """
    mine, theirs = _scored(first), _scored(second)
    try:
        found = compare(*(rows for _, rows in (mine, theirs)), replicates=replicates, seed=seed)
    except ValueError as error:
        raise InputMistake(f"{first} and {second} cannot be compared: {error}") from error
    return Compared(mine[0], theirs[0], found)


def _judges(texts: Sequence[str], seed: int, max_tokens: int | None) -> list[Judge]:
    panel: list[Judge] = []
    for text in texts:
        try:
            found = named_judges(text, seed=seed, max_tokens=max_tokens)
            for judge in found:
                if isinstance(judge, CheckerJudge):
                    load(judge.path)
        except (JudgeFault, ModelUriError, CheckerFault) as fault:
            raise InputMistake(f"--judge: {fault}") from fault
        panel += found
    names = [judge_name(judge) for judge in panel]
    for name in names:
        if names.count(name) > 1:
            raise InputMistake(f"--judge: found {name!r} a second time, expected each judge once")
    if not panel:
        raise InputMistake("no judge: name at least one with --judge, such as program:arithmetic")
    return panel


def _chains(
    corpus: Path,
    columns: ColumnMap | None,
    panel_labels: bool,
    limit: int | None,
    unusable: Counter[str],
) -> list[LabelledChain]:
    chains: list[LabelledChain] = []
    of_part: Counter[tuple[str, str]] = Counter()
    for row in labelled_chains(corpus, columns=columns, panel_labels=panel_labels):
        if not isinstance(row, LabelledChain):
            unusable[row.reason] += 1
            continue
        part = (row.source, row.polarity)
        of_part[part] += 1
        if limit is not None and of_part[part] > limit:
            unusable["beyond_limit"] += 1
        else:
            chains.append(row)
    return chains


def _can(judge: Judge, chain: LabelledChain) -> bool:
    if wants_gold_premises(judge) and not chain.has_premises:
        return False
    return reads(judge, chain.problem.track)


async def _cast_all(
    block: Sequence[tuple[Judge, LabelledChain]], concurrency: int, asker: Asker
) -> list[JudgedChain]:
    at_once = concurrency + concurrency // 4 + 1
    return await all_of([partial(_cast, asker, *pair) for pair in block], at_once=at_once)


async def _cast(asker: Asker, judge: Judge, labelled: LabelledChain) -> JudgedChain:
    """The judge's row; what it failed with costs its own votes on this chain alone."""
    problem, chain = labelled.problem, labelled.chain
    try:
        if isinstance(judge, str):
            votes = program_votes(judge, problem, chain)
        elif isinstance(judge, CheckerJudge):
            votes = await checker_votes(judge, problem, chain)
        else:
            given = None
            if wants_gold_premises(judge):
                given = {step: p or () for step, p in enumerate(labelled.premises, start=1)}
            votes = await model_votes(asker, judge, problem, chain, premises=given)
    except STOPS:
        raise
    except Exception as error:
        return judged(labelled, judge, [], f"{type(error).__name__}: {error}"[:500])
    return judged(labelled, judge, votes)


def _summary(
    judge: Judge, rows: Sequence[JudgedChain], replicates: int, seed: int
) -> dict[str, Any]:
    own = [row for row in rows if row.judge == judge_name(judge)]
    return {
        "condition": condition(judge),
        "chains": len(own),
        "steps": sum(len(row.gold) for row in own),
        "failed": sum(row.failure is not None for row in own),
        "inherits_by": dict(Counter(row.inherits_by for row in own)),
        "statuses": dict(Counter(status for row in own for status in row.statuses)),
        "splits": tables(own, replicates=replicates, seed=seed),
    }


def _scored(text: str) -> tuple[str, list[JudgedChain]]:
    folder, _, wanted = text.partition("::")
    path = Path(folder) / CHAINS
    try:
        with path.open(encoding="utf-8") as file:
            rows = [JudgedChain(**json.loads(line)) for line in file if line.strip()]
    except (OSError, ValueError, TypeError) as error:
        raise InputMistake(
            f"{folder!r} holds no scoring: {path} cannot be read ({error}); "
            "`chainwright score CORPUS --judge URI --out FOLDER` makes one"
        ) from error
    names = sorted({row.judge for row in rows})
    if not wanted and len(names) == 1:
        wanted = names[0]
    if wanted not in names:
        found = f"no judge {wanted!r}" if wanted else "several judges"
        raise InputMistake(
            f"{folder!r} has {found}: name one as {folder}::JUDGE (judges: {', '.join(names)})"
        )
    return f"{folder}::{wanted}", [row for row in rows if row.judge == wanted]


def _tick(progress: Progress, asking: Asking, planned: int) -> None:
    for line in asking.news():
        progress.tell(line)
    progress.asked(together(asking.tallies.values()), planned, asking.holdups, asking.batches)


def _listed(unusable: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in unusable.items()) or "none left out"

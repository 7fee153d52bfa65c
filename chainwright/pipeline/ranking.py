"""Ranking a run: its chains for people, or its judges, from the votes that are in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from chainwright.annotation.aggregation.ranking import (
    ChainRank,
    JudgeRank,
    rank_chains,
    rank_judges,
)
from chainwright.annotation.aggregation.stage import Ballots, gather
from chainwright.annotation.scale import Scale
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.people.human_folder import human_folder, load_plans
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.tables import block_of, read_table, table_files
from chainwright.recipe_file import load_recipe
from chainwright.schemas.tables import TABLES
from chainwright.schemas.words import TRACKS, Track

_READS = ("problems", "chains", "votes", "exact")


@dataclass(frozen=True)
class Ranking:
    """The head of a ranking; `by` says how sure labels were judged to be, by track."""

    run: str
    whom: Literal["people", "judges"]
    total: int
    by: dict[str, str]
    chains: list[ChainRank]
    judges: dict[str, list[JudgeRank]]
    """By track."""

    def as_json(self) -> dict[str, Any]:
        """The ranking as plain values."""
        return asdict(self)


def rank_run(run: str, runs: Path, whom: Literal["people", "judges"], limit: int) -> Ranking:
    """Ranks what a run holds; nothing is asked and nothing is written.

    Chains that people have been handed are no candidates for them any more.

    Raises:
        InputMistake: there is no such run, or it has no votes.
    """
    folder = find_run(run, runs)
    seed = load_recipe(folder.recipe).seed
    gathered = _gathered(folder, observers=whom == "judges")  # observers are candidates
    chains: list[ChainRank] = []
    judges: dict[str, list[JudgeRank]] = {}
    if whom == "people":
        handed_out = {
            task.chain_id
            for plan in load_plans(human_folder(folder)).values()
            for task in plan.tasks
        }
        chains = [one for one in _chains(gathered) if one.chain_id not in handed_out]
    else:
        judges = {track: _judges(one, seed) for track, one in gathered.items()}
    return Ranking(
        run=folder.name,
        whom=whom,
        total=len(chains) if whom == "people" else sum(map(len, judges.values())),
        by={
            track: "calibrated" if any(code >= 0 for code in one.truth) else "dawid_skene"
            for track, one in gathered.items()
        },
        chains=chains[:limit],
        judges={track: ranked[:limit] for track, ranked in judges.items()},
    )


def ranked_chains(folder: RunFolder) -> list[ChainRank]:
    """The chains of a run that are not exact, those in greatest doubt first.

    Raises:
        InputMistake: the run has no votes.
    """
    return _chains(_gathered(folder, observers=False))


def _gathered(folder: RunFolder, *, observers: bool) -> dict[Track, Ballots]:
    """The votes of a run by track."""
    recipe = load_recipe(folder.recipe)
    scales: dict[Track, Scale] = {track: Scale.of(recipe, track) for track in TRACKS}
    if observers:
        scales = {
            track: replace(one, judges=(*one.judges, *one.observers))
            for track, one in scales.items()
        }
    gathered = {
        track: ballots
        for track, ballots in gather(_blocks(folder.path), scales).items()
        if ballots.steps and ballots.scale.judges
    }
    if not any(code >= 0 for one in gathered.values() for row in one.codes for code in row):
        raise InputMistake(
            f"run {folder.name!r} has no votes on steps, so there is nothing to rank"
        )
    return gathered


def _chains(gathered: Mapping[Track, Ballots]) -> list[ChainRank]:
    ranked: list[ChainRank] = []
    for ballots in gathered.values():
        codes, truth, _ = ballots.arrays()
        ranked += rank_chains(codes, truth, ballots.steps, ballots.scale.native)
    return sorted(ranked, key=lambda one: (-one.rate, one.chain_id))


def _judges(ballots: Ballots, seed: int) -> list[JudgeRank]:
    codes, truth, problem = ballots.arrays()
    scale = ballots.scale
    members = [judge for judge in scale.judges if judge not in scale.observers]
    return rank_judges(codes, truth, problem, scale.judges, members, scale.native, seed=seed)


def _blocks(folder: Path) -> Iterator[dict[str, list[Any]]]:
    """The tables of a run, block by block, whatever stages wrote them."""
    files = {table: table_files(folder, table) for table in _READS}
    numbers = sorted({block_of(path) or 0 for paths in files.values() for path in paths})
    for number in numbers:
        yield {
            table: [
                row
                for path in paths
                if (block_of(path) or 0) == number
                for row in read_table(path, TABLES[table])
            ]
            for table, paths in files.items()
        }

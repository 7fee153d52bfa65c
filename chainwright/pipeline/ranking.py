"""Ranking a run: its chains for people, or its judges, from the votes that are in it."""

from __future__ import annotations

from collections.abc import Iterator
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

    Raises:
        InputMistake: there is no such run, or it has no votes.
    """
    folder = find_run(run, runs)
    recipe = load_recipe(folder.recipe)
    scales: dict[Track, Scale] = {track: Scale.of(recipe, track) for track in TRACKS}
    if whom == "judges":  # observers are candidates: their votes are read as well
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
    chains = (
        [rank for one in gathered.values() for rank in _chains(one)] if whom == "people" else []
    )
    chains.sort(key=lambda one: (-one.rate, one.chain_id))
    judges = (
        {t: _judges(one, recipe.seed) for t, one in gathered.items()} if whom != "people" else {}
    )
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


def _chains(ballots: Ballots) -> list[ChainRank]:
    codes, truth, _ = ballots.arrays()
    return rank_chains(codes, truth, ballots.steps, ballots.scale.native)


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

"""Chain card: everything a run knows of one chain, found by its id."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.tables import block_of, read_table, table_files
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.tables import TABLES
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import Tier, lowest_tier


@dataclass(frozen=True)
class ChainCard:
    """One chain with its problem and what was said of its steps."""

    chain: Chain
    problem: Problem | None
    exact: dict[int, ExactLabel]
    """By step."""
    labels: dict[int, Label]
    """By step."""
    votes: dict[int, list[Vote]]
    """By step; at 0 those on the chain as a whole."""

    @property
    def tier(self) -> Tier | None:
        """The chain's tier; None while its steps have no labels."""
        if not self.labels:
            return None
        return lowest_tier([label.tier for label in self.labels.values()])

    def as_json(self) -> dict[str, Any]:
        """The card as plain values, rows as in the tables."""
        return {
            "chain": self.chain.model_dump(),
            "problem": self.problem.model_dump() if self.problem else None,
            "tier": self.tier,
            "exact": [row.model_dump() for row in self.exact.values()],
            "labels": [row.model_dump() for row in self.labels.values()],
            "votes": [row.model_dump() for rows in self.votes.values() for row in rows],
        }


class Listed(NamedTuple):
    """One chain in a list."""

    chain_id: str
    polarity: str | None
    origin: str
    generator: str
    steps: int


@dataclass(frozen=True)
class ChainList:
    """The head of a list of chains."""

    run: str
    """The run folder."""
    polarity: str | None
    chains: list[Listed]
    total: int
    """How many there are in all."""

    def as_json(self) -> dict[str, Any]:
        """The list as plain values."""
        return {
            "run": self.run,
            "polarity": self.polarity,
            "total": self.total,
            "chains": [row._asdict() for row in self.chains],
        }


def chain_card(folder: RunFolder, chain_id: str) -> ChainCard:
    """The card of the chain whose id is, or begins with, the given text.

    Raises:
        InputMistake: when no chain or more than one fits; the message names ids that are near.
    """
    chain_id, shard = _locate(folder, chain_id)
    block = block_of(shard)
    chain = next(row for row in read_table(shard, Chain) if row.chain_id == chain_id)

    def rows(table: str, key: str, value: str) -> list[Any]:
        return [
            row
            for path in table_files(folder.path, table)
            if block_of(path) == block
            for row in read_table(path, TABLES[table])
            if getattr(row, key) == value
        ]

    votes: dict[int, list[Vote]] = {}
    for vote in rows("votes", "chain_id", chain_id):
        votes.setdefault(vote.step, []).append(vote)
    return ChainCard(
        chain=chain,
        problem=next(iter(rows("problems", "problem_id", chain.problem_id)), None),
        exact={row.step: row for row in rows("exact", "chain_id", chain_id)},
        labels={row.step: row for row in rows("labels", "chain_id", chain_id)},
        votes=votes,
    )


def chain_list(folder: RunFolder, polarity: str | None = None, limit: int = 20) -> ChainList:
    """The first chains of a run in the order of its files.

    Args:
        folder: The run.
        polarity: Only chains of this polarity; `undecided` picks those that have none.
        limit: How many to list at most.
    """
    import polars as pl

    shards = table_files(folder.path, "chains")
    if not shards:
        return ChainList(str(folder.path), polarity, [], 0)
    frame = pl.scan_parquet(shards)
    if polarity == "undecided":
        frame = frame.filter(pl.col("polarity").is_null())
    elif polarity is not None:
        frame = frame.filter(pl.col("polarity") == polarity)
    total = int(frame.select(pl.len()).collect().item())
    head = frame.head(limit).select(
        "chain_id", "polarity", "origin", "generator", pl.col("steps").list.len()
    )
    return ChainList(
        str(folder.path), polarity, [Listed(*row) for row in head.collect().rows()], total
    )


def _locate(folder: RunFolder, wanted: str) -> tuple[str, Path]:
    """The full id and the shard that holds the chain."""
    import polars as pl

    shards = table_files(folder.path, "chains")
    if not shards:
        raise InputMistake(f"run {folder.name} holds no chains yet; `chainwright build` makes them")
    ids = pl.scan_parquet(shards, include_file_paths="shard").select("chain_id", "shard")
    prefix = wanted if wanted.startswith("c-") else f"c-{wanted}"
    fitting = ids.filter(pl.col("chain_id").str.starts_with(prefix))
    found = fitting.unique("chain_id", keep="first", maintain_order=True).collect().rows()
    exact = [row for row in found if row[0] == prefix]
    if len(exact) == 1 or len(found) == 1:
        chain_id, shard = (exact or found)[0]
        return chain_id, Path(shard)
    if found:
        several = ", ".join(sorted(row[0] for row in found)[:5])
        raise InputMistake(f"{len(found)} chains have ids that begin with {wanted!r}: {several} …")
    raise InputMistake(
        f"no chain {wanted!r} in run {folder.name}{_nearest(prefix, ids)}; "
        f"`chainwright show {folder.path}` lists ids"
    )


def _nearest(prefix: str, ids: Any) -> str:
    known = ids.select("chain_id").head(20_000).collect().to_series().to_list()
    near = get_close_matches(prefix, known, n=3, cutoff=0.6) if len(prefix) > 6 else []
    near = near or _sharing_longest_prefix(prefix, known)
    return f" (nearest: {', '.join(near)})" if near else ""


def _sharing_longest_prefix(prefix: str, known: list[str]) -> list[str]:
    for length in range(len(prefix) - 1, 2, -1):
        near = sorted(chain_id for chain_id in known if chain_id.startswith(prefix[:length]))
        if near:
            return near[:3]
    return []

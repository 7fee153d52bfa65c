"""Overview: what the first page tells of a run as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from chainwright import __version__
from chainwright.release.dossier import ModelUse
from chainwright.release.redaction import public_model
from chainwright.release.summary import StageCounts

_NAMED = ("judges", "observers")
_KEYED = ("judges", "chain_verdicts", "panels")


@dataclass(frozen=True)
class Facts:
    """What a run tells of itself beyond its rows.

    Attributes:
        name: The run's name.
        title: The release's title.
        outcome: How the last build ended.
        notes: What a reader must know of a run that is not whole.
        stages: What entered and left each stage, in the order of the line.
        blocks: By stage, blocks that are finished and how many there are, None if not known.
        models: What was asked of models.
        statistics: The run's statistics; None where they are not computed yet.
        budget: What may be spent, in words; None where nothing is said.
    """

    name: str
    title: str
    outcome: str
    notes: Sequence[str] = ()
    stages: Sequence[StageCounts] = ()
    blocks: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    models: Sequence[ModelUse] = ()
    statistics: Mapping[str, Any] | None = None
    budget: str | None = None


def overview(facts: Facts) -> dict[str, Any]:
    """The facts as plain values; judges and models are named without an address."""
    return {
        "chainwright": __version__,
        "name": facts.name,
        "title": facts.title,
        "outcome": facts.outcome,
        "notes": list(facts.notes),
        "funnel": [_stage(one, facts.blocks.get(one.stage)) for one in facts.stages],
        "models": [asdict(one) for one in facts.models],
        "budget": facts.budget,
        "tracks": tracks(facts.statistics or {}),
    }


def tracks(statistics: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The statistics of each track, the first one's on top; nothing where none has chains."""
    others = statistics.get("tracks") or {}
    first = {key: value for key, value in statistics.items() if key != "tracks"}
    found = [first, *(others[track] for track in others)]
    return [_public(one) for one in found if one.get("counts", {}).get("chains")]


def _stage(counts: StageCounts, blocks: tuple[int, int | None] | None) -> dict[str, Any]:
    tables = dict.fromkeys([*counts.made, *counts.taken, *counts.rejected])
    return {
        "stage": counts.stage,
        "blocks": blocks,
        "tables": [
            {
                "table": table,
                "taken": counts.taken.get(table, 0),
                "made": counts.made.get(table, 0),
                "rejected": [[*pair] for pair in counts.rejected.get(table, {}).items()],
            }
            for table in tables
        ],
    }


def _public(value: Any, key: str = "") -> Any:
    """Statistics with every judge's name made public, wherever one stands."""
    if isinstance(value, Mapping):
        named = {k if key not in _KEYED else public_model(k): v for k, v in value.items()}
        return {k: _public(v, k) for k, v in named.items()}
    if isinstance(value, list):
        return [_public(one, key) for one in value]
    if isinstance(value, str) and key in (*_NAMED, "first", "second", "judge"):
        return public_model(value)
    return value

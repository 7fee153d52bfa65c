"""Published: what a finished release says of itself, read from its own files."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any


def published_recipe(folder: Path) -> dict[str, Any]:
    """The recipe in a release; empty where it is none."""
    import yaml

    try:
        recipe = yaml.safe_load((folder / "recipe.yaml").read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return {}
    return recipe if isinstance(recipe, dict) else {}


def licences_below(folder: Path) -> dict[str, list[str | None]]:
    """Distinct licences of each source's problems, from the rows themselves; None: not stated."""
    import pyarrow.parquet as pq

    found: dict[str, set[str | None]] = defaultdict(set)
    for path in sorted((folder / "data" / "problems").glob("*.parquet")):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["source", "licence"]):
                for row in batch.to_pylist():
                    found[row["source"]].add(row["licence"])
    return {source: sorted(every, key=str) for source, every in found.items()}

"""Rebuild: the whole rows of a release again, from its withheld rows and the sources' own text."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from chainwright.release.folder import FORMAT, new_release
from chainwright.release.manifest import as_json, as_yaml, write_schemas, write_text
from chainwright.release.parquet import WITH_SELECTION, ParquetShards
from chainwright.release.splits import SPLITS, Split
from chainwright.release.summary import Account, files_below
from chainwright.release.withholding import SourceText, whole_problem, whole_row
from chainwright.schemas.identity import content_hash
from chainwright.schemas.withheld import PREFIX

NAMED = 3
"""Rows that a message names."""


class RebuildRefused(ValueError):
    """The sources given are not those that the release was built from; says which rows differ."""


@dataclass(frozen=True)
class Rebuilt:
    """What was put together: rows by config and split, and how many of them were withheld."""

    counts: dict[str, dict[str, int]]
    restored: dict[str, int]


def withheld_problems(release: Path) -> dict[str, dict[str, Any]]:
    """The withheld problems of a release by id, without their text."""
    return {row["problem_id"]: row for row in _all_rows(release, f"{PREFIX}problems")}


def rebuild_release(
    release: Path,
    folder: Path,
    read: Mapping[str, Mapping[str, Any]],
    *,
    recipe: Mapping[str, Any],
) -> Rebuilt:
    """Write a release with all its rows, whole, where they were when nothing was withheld.

    Every row that was withheld is checked by its hash. Parquet files come out byte for byte as a
    build with `redistribute: true` writes them, with the same version of pyarrow. PERL's JSON,
    the card and Croissant are not written again: what is made here is not for passing on.

    Args:
        release: The release with withheld rows.
        folder: Where the whole one goes.
        read: Problems as read from the sources, by id, as plain values fit to be published.
        recipe: The release's own.

    Raises:
        RebuildRefused: A problem is missing from the sources, or is another one there.
        FileExistsError: `folder` holds something other than a release.
    """
    problems = _whole_problems(release, read)
    texts = {problem_id: SourceText(row) for problem_id, row in problems.items()}
    owners = {
        row["chain_id"]: row["problem_id"]
        for config in ("full", "chains")
        for row in _all_rows(release, f"{PREFIX}{config}", ["chain_id", "problem_id"])
    }
    restored: Counter[str] = Counter()
    with new_release(folder) as fresh:
        with ParquetShards(fresh, shard_rows=recipe["release"]["shard_rows"]) as shards:
            for config in WITH_SELECTION:
                for split in SPLITS:
                    held = _rows(release, f"{PREFIX}{config}", split)
                    whole = _restored(config, held, problems, texts, owners, restored)
                    shards.add(config, split, _merged(_rows(release, config, split), whole))
        counts = shards.counts()
        write_schemas(fresh / "schema", Account().summary(counts, {}, []))
        write_text(fresh / "recipe.yaml", as_yaml(recipe))
        write_text(fresh / "README.md", _readme(recipe, counts))
        manifest = {
            "format": FORMAT,
            "format_version": 1,
            "name": recipe["name"],
            "version": recipe["release"].get("version"),
            "rebuilt_from": hashlib.sha256((release / "manifest.json").read_bytes()).hexdigest(),
            "configs": counts,
            "files": [vars(file) for file in files_below(fresh)],
        }
        write_text(fresh / "manifest.json", as_json(manifest))
    return Rebuilt(counts, dict(restored))


def _whole_problems(
    release: Path, read: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The withheld problems, whole, each with the hash that the release tells."""
    found: dict[str, dict[str, Any]] = {}
    missing, other = [], []
    kept = withheld_problems(release)
    for problem_id, row in kept.items():
        if problem_id not in read:
            missing.append(row)
            continue
        whole = whole_problem(row, read[problem_id])
        if content_hash(whole) != row["sha256"]:
            other.append(row)
        found[problem_id] = whole
    for rows, what in (
        (missing, "are not in the files given (other text, or another file)"),
        (other, "have the question of the release and another answer, solution or other field"),
    ):
        if rows:
            named = ", ".join(f"{row['problem_id']} of {row['origin_ref']}" for row in rows[:NAMED])
            more = ", …" if len(rows) > NAMED else ""
            raise RebuildRefused(
                f"{len(rows)} of {len(kept)} withheld problems {what}: {named}{more}; give the "
                "files that the release was built from, in the version that it names"
            )
    return found


def _restored(
    config: str,
    held: Iterator[dict[str, Any]],
    problems: Mapping[str, dict[str, Any]],
    texts: Mapping[str, SourceText],
    owners: Mapping[str, str],
    restored: Counter[str],
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Withheld rows, whole and checked, each with its number among the rows of its split."""
    for row in held:
        if config == "problems":
            whole = problems[row["problem_id"]]
        else:
            owner = row.get("problem_id") or owners[row["chain_id"]]
            try:
                whole = whole_row(config, row, texts[owner])
            except ValueError as error:
                raise RebuildRefused(f"{config}: {row['chain_id']} holds {error}") from error
            if content_hash(whole) != row["sha256"]:
                raise RebuildRefused(
                    f"{config}: {row['chain_id']} has not the hash that the release tells; the "
                    "release was changed, or is of another version of chainwright"
                )
        restored[config] += 1
        yield row["row"], whole


def _merged(
    rows: Iterator[dict[str, Any]], held: Iterator[tuple[int, dict[str, Any]]]
) -> Iterator[dict[str, Any]]:
    """Both in their order: a withheld row comes at its number, others fill what is between."""
    number = 0
    for at, whole in held:
        while number < at:
            yield next(rows)
            number += 1
        yield whole
        number += 1
    yield from rows


def _all_rows(
    release: Path, config: str, columns: list[str] | None = None
) -> Iterator[dict[str, Any]]:
    for split in SPLITS:
        yield from _rows(release, config, split, columns)


def _rows(
    release: Path, config: str, split: Split, columns: list[str] | None = None
) -> Iterator[dict[str, Any]]:
    for path in sorted((release / "data" / config).glob(f"{split}-*.parquet")):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=500, columns=columns):
                yield from batch.to_pylist()


def _readme(recipe: Mapping[str, Any], counts: Mapping[str, Mapping[str, int]]) -> str:
    """A card that says no more than how to load it and that it stays here."""
    configs = [
        {
            "config_name": config,
            **({"default": True} if config == "chains" else {}),
            "data_files": [
                {"split": split, "path": f"data/{config}/{split}-*.parquet"} for split in splits
            ],
        }
        for config, splits in counts.items()
    ]
    return (
        f"---\n{as_yaml({'configs': configs})}---\n\n# {recipe['name']}, rebuilt\n\nThe whole rows "
        "of a release, put together by `chainwright rebuild` from the sources' own files, whose "
        "licences do not allow their text to be passed on. The release has the card.\n"
    )

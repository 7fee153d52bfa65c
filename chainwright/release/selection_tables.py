"""Selection tables: the quotas of a selection and what became of them, as rows for the card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chainwright.release.markdown import code


def selection_tables(shares: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
    """`train` and `test` as rows, and how many quotas of single generators were not met.

    Rows of `train` are (track, chains, category, wanted, available, taken), those of `test`
    (track, slice, generator, wanted, available, taken). Quotas of a category and generator are in
    the manifest alone: there may be hundreds.

    Args:
        shares: As in the summary of a release; None where nothing was selected.
    """
    known = list(shares or ())
    train = [one for one in known if one["split"] == "train"]
    return {
        "any": shares is not None,
        "train": [_row(one, "category") for one in train if one["generator"] is None],
        "test": [_row(one, "generator") for one in known if one["split"] == "test"],
        "short": sum(one["taken"] < one["wanted"] for one in train if one["generator"] is not None),
        "generators": sum(one["generator"] is not None for one in train),
    }


def _row(share: Mapping[str, Any], name: str) -> list[Any]:
    value = share[name]
    return [
        code(share["track"]),
        code(share["part"]),
        code(value) if value else None,
        share["wanted"],
        share["available"],
        share["taken"],
    ]

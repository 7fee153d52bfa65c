"""Selection: which quotas of a release's selection could not be met, in short lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chainwright.pipeline.run_folder import RunFolder

_FOR_ALL = 40
"""Most lines: each is a quota over all generators, or of a generator in the test set."""


def unmet_quotas(folder: RunFolder) -> list[str]:
    """What a release's selection fell short of; empty where all was met, or nothing selected.

    Quotas of one generator in training are counted in one line: the manifest lists them.
    """
    manifest = json.loads((folder.release / "manifest.json").read_text(encoding="utf-8"))
    lines = list(_lines(manifest.get("selection") or ()))
    more = len(lines) - _FOR_ALL
    return [*lines[:_FOR_ALL], f"and {more} more"] if more > 0 else lines


def _lines(shares: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    short = [one for one in shares if one["taken"] < one["wanted"]]
    single = [one for one in short if one["split"] == "train" and one["generator"] is not None]
    for one in short:
        if one not in single:
            name = one["category"] or one["generator"]
            of = f" {name}" if name else ""
            full = one["category"] and one["taken"] < one["available"]
            yield (
                f"{one['split']}, {one['track']}, {one['part']}{of}: "
                f"{one['taken']} of {one['wanted']}, {one['available']} available"
                f"{', more than the quotas of its generators' if full else ''}"
            )
    if single:
        yield f"train: {len(single)} quotas of a category and generator, in release/manifest.json"

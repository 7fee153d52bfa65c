"""Proposals: findings' edits as JSON Patch (RFC 6902), to be read by a person and then applied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chainwright.audit.finding import Finding


def patch_of(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """The edits of one file's findings as one JSON Patch.

    The document is the file's array of records; of a JSONL file, the array of its lines, blank
    ones left out. Every edit stands behind a `test` of the value it replaces, so a patch for a
    file that has changed fails instead of doing harm. Records to drop come last, the hindmost
    first, so that no index moves under an edit. An operation names its rule in `rule`, which
    RFC 6902 has readers pass over.
    """
    edits: list[dict[str, Any]] = []
    drops: dict[int, str] = {}
    for one in findings:
        if one.edit is None or one.index is None:
            continue
        if one.edit.drop:
            drops[one.index] = one.rule
            continue
        path = f"/{one.index}{one.edit.pointer}"
        edits.append({"op": "test", "path": path, "value": one.edit.before})
        edits.append({"op": "replace", "path": path, "value": one.edit.after, "rule": one.rule})
    for index in sorted(drops, reverse=True):
        edits.append({"op": "remove", "path": f"/{index}", "rule": drops[index]})
    return edits

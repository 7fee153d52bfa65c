"""Proposals: findings' edits as JSON Patch (RFC 6902), to be read by a person and then applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chainwright.audit.finding import Finding


def drops_of(findings: Iterable[Finding]) -> dict[int, str]:
    """The places of the records that are to go, with the rule each breaks."""
    return {
        one.index: one.rule
        for one in findings
        if one.edit is not None and one.edit.drop and one.index is not None
    }


def patch_of(findings: Sequence[Finding], dropped: Mapping[int, Any]) -> list[dict[str, Any]]:
    """The edits of one file's findings as one JSON Patch.

    The document is the file's array of records; of a JSONL file, the array of its lines, blank
    ones left out. Every edit stands behind a `test` of what it replaces or removes, so a patch for
    a file that has changed fails instead of doing harm. Records to drop come last, the hindmost
    first, so that no index moves under an edit, and nothing else of them is edited. An operation
    names its rule in `rule`, which RFC 6902 has readers pass over.

    Args:
        findings: Of one file.
        dropped: The records at the places that `drops_of` names, as the file has them.
    """
    edits: list[dict[str, Any]] = []
    drops = drops_of(findings)
    for one in findings:
        if one.edit is None or one.index is None or one.index in drops:
            continue
        path = f"/{one.index}{one.edit.pointer}"
        edits.append({"op": "test", "path": path, "value": one.edit.before})
        edits.append({"op": "replace", "path": path, "value": one.edit.after, "rule": one.rule})
    for index in sorted(drops, reverse=True):
        path = f"/{index}"
        edits.append({"op": "test", "path": path, "value": dropped[index]})
        edits.append({"op": "remove", "path": path, "rule": drops[index]})
    return edits

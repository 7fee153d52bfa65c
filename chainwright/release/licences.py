"""Licences: what a dataset card may say of the sources' licences, and what it may not hide."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from chainwright.schemas.licence_use import (
    NON_COMMERCIAL,
    RESEARCH_ONLY,
    licence_conflict,
    share_alike,
    strictness,
)

HUB_LICENCES: Mapping[str, str] = {
    **{
        spdx.lower(): spdx.lower()
        for spdx in (
            "AFL-3.0",
            "AGPL-3.0",
            "Apache-2.0",
            "BSD-2-Clause",
            "BSD-3-Clause",
            "CC-BY-2.0",
            "CC-BY-2.5",
            "CC-BY-3.0",
            "CC-BY-4.0",
            "CC-BY-NC-2.0",
            "CC-BY-NC-3.0",
            "CC-BY-NC-4.0",
            "CC-BY-NC-ND-3.0",
            "CC-BY-NC-ND-4.0",
            "CC-BY-NC-SA-2.0",
            "CC-BY-NC-SA-3.0",
            "CC-BY-NC-SA-4.0",
            "CC-BY-ND-4.0",
            "CC-BY-SA-3.0",
            "CC-BY-SA-4.0",
            "CC0-1.0",
            "CDLA-Permissive-1.0",
            "CDLA-Permissive-2.0",
            "CDLA-Sharing-1.0",
            "GPL-3.0",
            "ISC",
            "LGPL-3.0",
            "MIT",
            "MPL-2.0",
            "Unlicense",
        )
    },
    "c-uda-1.0": "c-uda",
    "gfdl-1.3": "gfdl",
    "odbl-1.0": "odbl",
    "odc-by-1.0": "odc-by",
    "pddl-1.0": "pddl",
    "agpl-3.0-only": "agpl-3.0",
    "gpl-3.0-only": "gpl-3.0",
    "lgpl-3.0-only": "lgpl-3.0",
}
"""SPDX ids in lower case and the id the Hub knows them by, for licences met on data.

Source: the Hub's documentation, "Licenses".
"""


class LicenceRefusedError(ValueError):
    """Rows that may not be released under the licence given; the message says what to change."""


def check_licences(
    by_source: Mapping[str, Collection[str | None]], licence: str | None, *, acknowledged: bool
) -> None:
    """Hold the rows of a release to `licence_conflict`, which recipes are held to as well.

    Raises:
        LicenceRefusedError: with what was found, what is allowed and the way out.
    """
    conflict = licence_conflict(by_source, licence, acknowledged=acknowledged)
    if conflict is not None:
        raise LicenceRefusedError(str(conflict))


def check_publication(
    by_source: Mapping[str, Collection[str | None]],
    licence: str | None,
    *,
    acknowledged: bool,
    public: bool,
) -> None:
    """Hold a release that leaves the machine to more than one that stays on it.

    Besides `check_licences`: rows for research alone leave only where the recipe says so, and what
    everyone may fetch has a licence. Most licences for research alone forbid passing rows on,
    which is for whoever publishes to know.

    Args:
        by_source: Licences of each source's rows; None for rows that state none.
        licence: Of the release as a whole.
        acknowledged: Whether the recipe says that the licences were seen.
        public: Whether everyone may fetch it.

    Raises:
        LicenceRefusedError: with what was found and the way out.
    """
    check_licences(by_source, licence, acknowledged=acknowledged)
    if acknowledged:
        return
    way_out = (
        "or, where their owners allow it, let `release.mixed_licences: true` say that you have "
        "seen this"
    )
    for source, licences in sorted(by_source.items()):
        for one in stated_licences(licences):
            if strictness(one) == RESEARCH_ONLY and strictness(licence) != RESEARCH_ONLY:
                raise LicenceRefusedError(
                    f"source {source} is under `{one}`: give `release.licence` words that keep to "
                    f"that, {way_out}; then build again"
                )
        if public and None in licences and licence is None:
            raise LicenceRefusedError(
                f"source {source} has rows without a stated licence, which may not be given to "
                f"everyone: push it private, state the source's `licence`, {way_out}; then build "
                "again"
            )


def licence_metadata(
    by_source: Mapping[str, Collection[str | None]], licence: str | None = None
) -> dict[str, str]:
    """The card's licence keys: one licence only where every row of every source has it.

    Otherwise `license: other` with a name, which on the Hub is an id of small letters, and in
    `license_details` the licences of the whole and of each source in their own words.
    No rows, a row without a licence, or a licence the Hub does not know count as otherwise too:
    the strictest reading is the safe one, and which licence the whole has is not ours to say.

    Args:
        by_source: Licences of each source's rows; None for a row that states none.
        licence: What the recipe states for the whole; it goes into the card as it is.

    Example:
        >>> licence_metadata({"gsm8k": ["MIT"], "own": ["MIT"]})
        {'license': 'mit'}
        >>> licence_metadata({"gsm8k": ["MIT"], "own": [None]})["license_details"]
        'gsm8k: MIT; own: not stated'
    """
    found = {licence} if licence else {one for every in by_source.values() for one in every}
    if len(found) == 1:
        hub = HUB_LICENCES.get((found.pop() or "").lower())
        if hub is not None:
            return {"license": hub}
    name = re.sub(r"[^a-z0-9.]+", "-", (licence or "").lower()).strip("-.")
    details = [
        *([f"the whole: {licence}"] if licence else []),
        *(
            f"{source}: {', '.join(stated_licences(licences))}"
            for source, licences in sorted(by_source.items())
        ),
    ]
    return {
        "license": "other",
        "license_name": name or "licences-of-the-sources",
        "license_details": "; ".join(details) or "not stated",
    }


def what_follows(
    by_source: Mapping[str, Collection[str | None]], licence: str | None
) -> list[tuple[str, str, str]]:
    """What the licences of the rows mean for who uses the whole, as far as their words tell.

    Args:
        by_source: Licences of each source's rows; None for rows that state none.
        licence: What the recipe states for the whole.

    Returns:
        Sentences in three parts, of which the middle one is not ours and to be escaped.
    """
    found = {one for every in by_source.values() for one in every}
    stated = sorted(one for one in found if one is not None)
    told = []
    if licence:
        tail = " by those who made it. Each row keeps the licence of its source as well."
        told.append(("The whole is put under ", licence, tail))
    elif len(found) == 1 and stated:
        told.append(("All rows, and so the whole, are under ", stated[0], "."))
    elif len(stated) > 1:
        told.append(("No licence is claimed for the whole", "", ": who uses it keeps to each."))
    for one in stated:
        if share_alike(one) is not None:
            tail = " has to be passed on under the same."
            told.append(("What is made from rows under ", one, tail))
        if strictness(one) == NON_COMMERCIAL:
            told.append(("Rows under ", one, " are not for commercial use."))
        if strictness(one) == RESEARCH_ONLY:
            told.append(("Rows under ", one, " are for research alone."))
        if one.lower().startswith(("cc-by", "odc-by")):
            tail = " asks that the source be named, and changes told: steps and labels were added."
            told.append(("", one, tail))
    if None in found:
        nameless = sorted(source for source, every in by_source.items() if None in every)
        tail = ": only its owners can say what may be done with these rows. Ask before passing on."
        told.append(("No licence is stated for ", ", ".join(nameless), tail))
    return told


def stated_licences(licences: Collection[str | None]) -> list[str]:
    """Distinct licences in words, sorted, `not stated` last."""
    stated = sorted({licence for licence in licences if licence is not None})
    return [*stated, "not stated"] if None in licences else stated

"""Licence use: which licences narrow what may be done with data, and what may stand beside them."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

FREE, NON_COMMERCIAL, RESEARCH_ONLY = 0, 1, 2
"""How strict a licence is: any use, no commercial one, research alone."""

_RESEARCH = re.compile(r"\bresearch\b|\bacademic\b", re.IGNORECASE)
_NON_COMMERCIAL = re.compile(r"\bnc\b|\bnon[ -]?commercial", re.IGNORECASE)
_FREE = re.compile(
    r"(?:mit|isc|unlicense|apache|bsd|mpl|a?gpl|lgpl|cc0|cc-by(?:-sa)?-[0-9]|odc|odbl|pddl|cdla"
    r"|c-uda|gfdl|afl)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class LicenceConflict:
    """Why rows may not be released as they are: what was found, what is allowed, the way out."""

    found: str
    expected: str
    hint: str

    def __str__(self) -> str:
        return f"found {self.found}, expected {self.expected}; {self.hint}"


def strictness(licence: str | None) -> int | None:
    """`FREE`, `NON_COMMERCIAL` or `RESEARCH_ONLY`; None where the licence tells neither.

    Read off the licence's own words: SPDX ids (`CC-BY-NC-4.0`) and plain text (`research only`).

    >>> [strictness(one) for one in ("MIT", "CC-BY-NC-SA-4.0", "for research only", None)]
    [0, 1, 2, None]
    """
    if licence is None:
        return None
    if _RESEARCH.search(licence):
        return RESEARCH_ONLY
    if _NON_COMMERCIAL.search(licence):
        return NON_COMMERCIAL
    return FREE if _FREE.match(licence) else None


def licence_conflict(
    by_source: Mapping[str, Collection[str | None]], licence: str | None, *, acknowledged: bool
) -> LicenceConflict | None:
    """Why a release of these rows under a licence would give away more than the rows allow.

    Rows under a non-commercial or research-only licence may be released by themselves, or beside
    others under a licence for the whole that is at least as strict. Whether two strict licences
    go together otherwise (share-alike terms do not always) is not looked into.

    Args:
        by_source: Licences of each source's rows; None for rows that state none.
        licence: Of the release as a whole; None leaves each row its own.
        acknowledged: Whether the recipe says that the mixture is wanted.

    Returns:
        None where there is nothing to refuse.
    """
    found = {one for licences in by_source.values() for one in licences}
    strict = {one: rank for one in found if (rank := strictness(one)) and one is not None}
    if acknowledged or not strict:
        return None
    if licence is None and len(found) == 1:
        return None
    most = max(strict.values())
    own = strictness(licence)
    if own is not None and own >= most:
        return None
    narrow = "; ".join(
        f"{source}: {', '.join(sorted(one for one in licences if one in strict))}"
        for source, licences in sorted(by_source.items())
        if strict.keys() & set(licences)
    )
    beside = f"`{licence}` for the whole" if licence else "rows under other licences beside them"
    kind = "research-only" if most == RESEARCH_ONLY else "non-commercial"
    return LicenceConflict(
        f"{beside}, with sources of restricted use ({narrow})",
        f"a `release.licence` that is {kind} itself, or those sources in a release of their own",
        "`release.mixed_licences: true` says that you have seen this and keep each row's terms",
    )

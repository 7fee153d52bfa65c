"""Licence use: which licences narrow what may be done with data, and what may stand beside them."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations

FREE, NON_COMMERCIAL, RESEARCH_ONLY = 0, 1, 2
"""How strict a licence is: any use, no commercial one, research alone."""

_RESEARCH = re.compile(r"\bresearch\b|\bacademic\b", re.IGNORECASE)
_NON_COMMERCIAL = re.compile(r"\bnc\b|\bnon[ -]?commercial", re.IGNORECASE)
_FREE = re.compile(
    r"(?:mit|isc|unlicense|apache|bsd|mpl|a?gpl|lgpl|cc0|cc-by(?:-sa)?-[0-9]|odc|odbl|pddl|cdla"
    r"|c-uda|gfdl|afl)\b",
    re.IGNORECASE,
)


_NO_DERIVATIVES = re.compile(r"\bnd\b|\bno[ -]?deriv", re.IGNORECASE)
_NO_PASSING_ON = re.compile(
    r"\b(?:no|not|non|without)\b(?!\W?commercial)[^.;]{0,20}?distribut", re.IGNORECASE
)
_SHARE_ALIKE = re.compile(
    r"(?P<family>cc-by-nc-sa|cc-by-sa|odbl|cdla-sharing|gfdl|a?gpl|lgpl|mpl)\b-?(?P<version>[0-9.]*)",
    re.IGNORECASE,
)
_ONE_WAY = {("cc-by-sa-4.0", "gpl-3.0")}
"""What may be passed on under another share-alike licence: Creative Commons' list of 2015."""


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


def is_redistributable(licence: str | None) -> bool:
    """Whether text under a licence may be passed on, as far as its words tell.

    Licences for research alone are taken not to allow it, since most bind whoever asked for the
    data; and words such as "not for redistribution" say so themselves. A licence that is not known,
    or none, is not judged: it is for whoever publishes to know.

    >>> [is_redistributable(one) for one in ("MIT", "for research only", "no redistribution", None)]
    [True, False, False, True]
    """
    if licence is None:
        return True
    return strictness(licence) != RESEARCH_ONLY and not _NO_PASSING_ON.search(licence)


def share_alike(licence: str | None) -> str | None:
    """The licence in lower case where works made from it must be under the same; else None.

    >>> share_alike("CC-BY-SA-4.0"), share_alike("GPL-3.0-only"), share_alike("CC-BY-4.0")
    ('cc-by-sa-4.0', 'gpl-3.0', None)
    """
    found = _SHARE_ALIKE.match(licence or "")
    if found is None:
        return None
    return f"{found['family']}-{found['version']}".lower().rstrip("-.")


def _terms_conflict(
    by_source: Mapping[str, Collection[str | None]], licence: str | None
) -> LicenceConflict | None:
    """Terms that rule each other out: no derivatives, and share-alike of two kinds."""
    stated = sorted(
        (one, source) for source, every in by_source.items() for one in every if one is not None
    )
    for one, source in stated:
        if _NO_DERIVATIVES.search(one):
            return LicenceConflict(
                f"source {source} under `{one}`, which allows no derivatives",
                "sources that may be changed: broken chains and labelled steps are made from them",
                "`redistribute: false` in the source releases its labels without its text; "
                "`release.mixed_licences: true` says that its owners allow it",
            )
    alike = {kind: f"{source}: {one}" for one, source in stated if (kind := share_alike(one))}
    for first, second in combinations(sorted(alike), 2):
        if not {(first, second), (second, first)} & _ONE_WAY:
            return LicenceConflict(
                f"share-alike licences that rule each other out ({alike[first]}; {alike[second]})",
                "one share-alike licence, or those sources in releases of their own",
                "`release.mixed_licences: true` says that you have seen this and keep each row's "
                "terms",
            )
    whole = share_alike(licence)
    for kind, named in alike.items():
        if licence is not None and whole != kind and (kind, whole) not in _ONE_WAY:
            return LicenceConflict(
                f"`{licence}` for the whole, with a share-alike source ({named})",
                "the source's own as `release.licence`, or none: then each row keeps its own",
                "`release.mixed_licences: true` says that you have seen this and keep each row's "
                "terms",
            )
    return None


def licence_conflict(
    by_source: Mapping[str, Collection[str | None]], licence: str | None, *, acknowledged: bool
) -> LicenceConflict | None:
    """Why a release of these rows under a licence would give away more than the rows allow.

    Rows under a non-commercial or research-only licence may be released by themselves, or beside
    others under a licence for the whole that is at least as strict. Share-alike rows go with others
    under a licence of their own or none for the whole, and not with rows of another share-alike
    licence; rows without derivatives not at all. Sources whose text is withheld are not given here.

    Args:
        by_source: Licences of each source's rows; None for rows that state none.
        licence: Of the release as a whole; None leaves each row its own.
        acknowledged: Whether the recipe says that the mixture is wanted.

    Returns:
        None where there is nothing to refuse.
    """
    found = {one for licences in by_source.values() for one in licences}
    strict = {one: rank for one in found if (rank := strictness(one)) and one is not None}
    if acknowledged:
        return None
    if not strict or (licence is None and len(found) == 1):
        return _terms_conflict(by_source, licence)
    most = max(strict.values())
    own = strictness(licence)
    if own is not None and own >= most:
        return _terms_conflict(by_source, licence)
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

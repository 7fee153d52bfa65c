"""Licences: which are strict, and what may be released together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.schemas.licence_use import (
    FREE,
    NON_COMMERCIAL,
    RESEARCH_ONLY,
    is_redistributable,
    licence_conflict,
    strictness,
)

RECLOR = "LicenseRef-ReClor-non-commercial-research-only"


@pytest.mark.parametrize(
    ("licence", "rank"),
    [
        ("MIT", FREE),
        ("CC-BY-4.0", FREE),
        ("cc-by-sa-3.0", FREE),
        ("Apache-2.0", FREE),
        ("CC0-1.0", FREE),
        ("CC-BY-NC-4.0", NON_COMMERCIAL),
        ("CC BY-NC-SA 4.0", NON_COMMERCIAL),
        ("Non-commercial use", NON_COMMERCIAL),
        (RECLOR, RESEARCH_ONLY),
        ("academic use", RESEARCH_ONLY),
        ("mine", None),
        ("CC-BY-ND-4.0", None),
        ("Mitre", None),
        (None, None),
    ],
)
def test_how_strict_a_licence_is(licence: str | None, rank: int | None) -> None:
    assert strictness(licence) == rank


@pytest.mark.parametrize(
    ("licences", "whole", "refused"),
    [
        (["MIT", "CC-BY-4.0", None], None, False),
        ([RECLOR, RECLOR], None, False),
        ([RECLOR, "MIT"], None, True),
        ([RECLOR, None], None, True),
        (["CC-BY-NC-SA-4.0", "CC-BY-4.0"], None, True),
        (["CC-BY-NC-SA-4.0", "CC-BY-4.0"], "CC-BY-NC-SA-4.0", False),
        (["CC-BY-NC-SA-4.0", RECLOR], "CC-BY-NC-4.0", True),
        (["CC-BY-NC-SA-4.0", RECLOR], RECLOR, True),
        (["CC-BY-NC-4.0", RECLOR], RECLOR, False),
        (["CC-BY-SA-4.0", "MIT"], None, False),
        (["CC-BY-SA-4.0", "MIT"], "CC-BY-SA-4.0", False),
        (["CC-BY-SA-4.0", "MIT"], "MIT", True),
        (["CC-BY-SA-4.0", "CC-BY-SA-3.0"], None, True),
        (["CC-BY-SA-4.0", "ODbL-1.0"], None, True),
        (["CC-BY-SA-4.0", "GPL-3.0-only"], "GPL-3.0-only", False),
        (["CC-BY-SA-4.0", "GPL-3.0-only"], "CC-BY-SA-4.0", True),
        (["CC-BY-SA-4.0", "CC-BY-NC-SA-4.0"], "CC-BY-NC-SA-4.0", True),
        (["CC-BY-ND-4.0"], None, True),
        (["CC-BY-NC-ND-4.0"], None, True),
        ([RECLOR], "MIT", True),
        ([RECLOR], "mine", True),
        (["MIT"], "mine", False),
        ([], "MIT", False),
    ],
)
def test_what_is_refused(licences: list[str | None], whole: str | None, refused: bool) -> None:
    by_source = {f"s{at}": [one] for at, one in enumerate(licences)}
    conflict = licence_conflict(by_source, whole, acknowledged=False)
    assert (conflict is not None) == refused
    assert licence_conflict(by_source, whole, acknowledged=True) is None


@pytest.mark.parametrize(
    ("licence", "may"),
    [
        ("MIT", True),
        ("CC-BY-NC-SA-4.0", True),
        ("free for non-commercial distribution", True),
        (RECLOR, False),
        ("not for redistribution", False),
        ("No re-distribution", False),
        ("LicenseRef-may-not-be-distributed", False),
        (None, True),
    ],
)
def test_what_may_be_passed_on(licence: str | None, may: bool) -> None:
    assert is_redistributable(licence) is may


def test_the_refusal_names_the_sources_and_the_way_out() -> None:
    conflict = licence_conflict({"a": ["MIT"], "b": [RECLOR]}, "MIT", acknowledged=False)
    for part in ("`MIT` for the whole", f"b: {RECLOR}", "research-only", "mixed_licences: true"):
        assert part in str(conflict)
    assert "a: " not in str(conflict)


@given(st.lists(st.sampled_from(["MIT", RECLOR, "CC-BY-NC-4.0", None]), max_size=4))
def test_a_licence_as_strict_as_can_be_is_never_refused(licences: list[str | None]) -> None:
    assert licence_conflict({"a": licences}, RECLOR, acknowledged=False) is None

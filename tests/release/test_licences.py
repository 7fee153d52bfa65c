"""Licences: one licence only where all rows have it."""

from __future__ import annotations

import pytest

from chainwright.release.licences import (
    LicenceRefusedError,
    check_licences,
    licence_metadata,
)


@pytest.mark.parametrize(
    ("stated", "hub"),
    [("MIT", "mit"), ("CC-BY-SA-4.0", "cc-by-sa-4.0"), ("ODC-By-1.0", "odc-by"), ("mit", "mit")],
)
def test_one_licence_known_to_the_hub_is_the_licence(stated: str, hub: str) -> None:
    assert licence_metadata({"a": [stated], "b": [stated, stated]}) == {"license": hub}


@pytest.mark.parametrize(
    ("by_source", "details"),
    [
        ({"a": ["MIT"], "b": ["CC-BY-4.0"]}, "a: MIT; b: CC-BY-4.0"),
        ({"a": ["MIT", None]}, "a: MIT, not stated"),
        ({"a": [None]}, "a: not stated"),
        ({"a": ["research use only"]}, "a: research use only"),
        ({}, "not stated"),
    ],
)
def test_anything_else_is_other_with_what_each_source_says(
    by_source: dict[str, list[str | None]], details: str
) -> None:
    metadata = licence_metadata(by_source)
    assert metadata["license"] == "other"
    assert metadata["license_name"]
    assert metadata["license_details"] == details


def test_a_licence_for_the_whole_goes_into_the_card() -> None:
    by_source = {"a": ["MIT"], "b": ["CC-BY-4.0"]}
    assert licence_metadata(by_source, "CC-BY-4.0") == {"license": "cc-by-4.0"}
    own = licence_metadata(by_source, "House terms")
    assert (own["license"], own["license_name"]) == ("other", "house-terms")
    assert own["license_details"] == "the whole: House terms; a: MIT; b: CC-BY-4.0"


def test_rows_of_restricted_use_are_not_released_more_freely() -> None:
    by_source = {"a": ["MIT"], "b": ["CC-BY-NC-4.0"]}
    with pytest.raises(LicenceRefusedError, match=r"b: CC-BY-NC-4\.0"):
        check_licences(by_source, None, acknowledged=False)
    check_licences(by_source, None, acknowledged=True)
    check_licences(by_source, "CC-BY-NC-4.0", acknowledged=False)

from chainwright.taxonomy.corpus import Background
from chainwright.taxonomy.tracks import FIRST, SECOND, split_tracks


def rows(
    table: dict[str, dict[str, int]], tracks: dict[str, str] | None = None
) -> list[tuple[str | None, Background]]:
    return [
        (category, Background(source, (tracks or {}).get(source)))
        for category, counts in table.items()
        for source, count in counts.items()
        for _ in range(count)
    ]


TABLE = {
    "reversal": {"rules": 40, "wiki": 2},
    "overclaim": {"rules": 30, "wiki": 6},
    "invented": {"rules": 3, "wiki": 200},
}


def test_declared_tracks_are_weighed_by_rate_and_not_by_number() -> None:
    found = split_tracks(list(TABLE), rows(TABLE, {"rules": "inference", "wiki": "grounding"}))
    assert found.declared
    assert found.track == {
        "reversal": "inference",
        "overclaim": "inference",
        "invented": "grounding",
    }
    assert all(purity is not None and purity > 0.8 for purity in found.purity.values())


def test_undeclared_tracks_are_read_off_the_table() -> None:
    found = split_tracks(list(TABLE), rows(TABLE))
    assert not found.declared
    assert {found.source_track["rules"], found.source_track["wiki"]} == {FIRST, SECOND}
    assert found.track["reversal"] == found.track["overclaim"] == found.source_track["rules"]
    assert found.track["invented"] == found.source_track["wiki"]


def test_one_source_is_one_group() -> None:
    found = split_tracks(["a", "b"], rows({"a": {"s": 3}, "b": {"s": 5}}))
    assert found.track == {"a": FIRST, "b": FIRST}


def test_equal_profiles_do_not_split() -> None:
    found = split_tracks(["a", "b"], rows({"a": {"s": 4, "t": 2}, "b": {"s": 4, "t": 2}}))
    assert set(found.source_track.values()) == {FIRST}


def test_without_sources_no_track_is_known() -> None:
    found = split_tracks(["a"], [("a", Background()), (None, Background())])
    assert found.track == {"a": None}
    assert found.purity == {"a": None}
    assert found.table == {"a": {}}


def test_a_track_without_a_source_counts() -> None:
    found = split_tracks(["a"], [("a", Background(None, "math"))])
    assert found.track == {"a": "math"}

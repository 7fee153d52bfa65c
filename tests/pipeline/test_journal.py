from pathlib import Path

import pytest

from chainwright.pipeline.journal import Causes, Entry, Journal, WrittenFile, is_in_place


def an_entry(block: int, rows: int = 1) -> Entry:
    causes = Causes(settings="s", code="c", input=f"i{block}")
    return Entry(
        block=block,
        fingerprint=causes.fingerprint("chains"),
        causes=causes,
        files={f"chains/chains-{block:05d}.parquet": WrittenFile(sha256="00", rows=rows)},
        taken={"chains": rows},
        made={"chains": rows},
        rejected={},
        seconds=0.5,
    )


def test_entries_come_back_as_they_were_added(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "chains" / "journal.jsonl")
    journal.add(an_entry(0))
    journal.add(an_entry(1))
    assert Journal(journal.path).entries == {0: an_entry(0), 1: an_entry(1)}


def test_of_two_lines_for_a_block_the_later_counts(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.add(an_entry(0, rows=1))
    journal.add(an_entry(0, rows=2))
    assert Journal(journal.path).entries[0].taken == {"chains": 2}


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_torn_last_line_costs_its_block_only(tmp_path: Path, cut: int) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.add(an_entry(0))
    journal.add(an_entry(1))
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole[:-cut])
    torn = Journal(journal.path)
    assert 0 in torn.entries
    torn.add(an_entry(1))
    assert Journal(journal.path).entries == {0: an_entry(0), 1: an_entry(1)}


def test_lines_that_are_no_entries_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"block": 0}\n\xff\xfe\n[]\n\n' + an_entry(3).model_dump_json().encode())
    assert list(Journal(path).entries) == [3]


def test_keep_only_forgets_blocks_and_lines_that_were_replaced(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    for block in (0, 1, 2, 0):
        journal.add(an_entry(block))
    journal.keep_only(2)
    assert len(journal.path.read_text().splitlines()) == 2
    assert list(Journal(journal.path).entries) == [0, 1]


def test_keep_only_writes_nothing_where_nothing_is_superfluous(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.keep_only(0)
    assert not journal.path.exists()


def test_causes_name_what_changed() -> None:
    now = Causes(settings="a", code="b", input="c")
    assert now.changed(Causes(settings="a", code="x", input="y")) == ["code", "input"]
    assert now.changed(now) == []
    assert now.fingerprint("chains") != now.fingerprint("votes")


def test_a_file_is_in_place_only_with_its_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert is_in_place(tmp_path, {"a": WrittenFile(sha256=digest)})
    assert not is_in_place(tmp_path, {"a": WrittenFile(sha256="00")})
    assert not is_in_place(tmp_path, {"b": WrittenFile(sha256=digest)})

"""Parts of a ledger: cut out once each, joined in any order, and never more than is new."""

import random
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.llm.batches.records import BatchRecords
from chainwright.llm.ledger import Ledger
from chainwright.llm.ledger_books import begin_edition, sent_parts
from chainwright.llm.ledger_file import LedgerError
from chainwright.llm.ledger_parts import (
    Cut,
    cut_part,
    fold_ledger,
    join_parts,
    merge_parts,
    note_merged,
    note_sent,
)
from chainwright.llm.ledger_pruning import prune
from chainwright.llm.ledger_queries import Selection
from chainwright.llm.ledger_reader import reading
from chainwright.llm.request import Answer, Message, Request
from chainwright.llm.request_key import KeyedRequest, key_request
from chainwright.llm.uri import parse_model_uri

TABLES = {
    "answers": "*",
    "failures": "key, provider, base_url, model, error, attempts, created",
    "pruned": "*",
    "batches": "*",
    "batch_items": "*",
}


def keyed(text: str) -> KeyedRequest:
    return key_request(Request(parse_model_uri("openai:m"), [Message("user", text)]), None)


def answer(text: str) -> tuple[KeyedRequest, Answer]:
    request = keyed(text)
    return request, Answer(request.key, "ok", text, "stop")


def keep(path: Path, *texts: str) -> None:
    with Ledger(path) as ledger:
        for kept in [ledger.put(*answer(text)) for text in texts]:
            kept.result()


def texts(path: Path) -> set[str]:
    with reading(path) as connection:
        return {text for (text,) in connection.execute("SELECT text FROM answers")}


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows, without the order in which they came."""
    with reading(path) as connection:
        return {
            table: sorted(connection.execute(f"SELECT {columns} FROM {table}"), key=repr)  # noqa: S608
            for table, columns in TABLES.items()
        }


def cut(ledger: Path, name: str) -> Path | None:
    """A part that has arrived at once; None where there was nothing to send."""
    part = ledger.with_name(name)
    made = cut_part(ledger, part)
    if made is None:
        return None
    note_sent(ledger, made, name)
    return part


def test_a_part_holds_what_is_new_and_is_a_ledger(tmp_path: Path) -> None:
    ledger = tmp_path / "a.sqlite"
    assert cut_part(ledger, tmp_path / "none") is None
    assert not ledger.exists()
    keep(ledger, "before")
    first = cut(ledger, "1")
    with Ledger(ledger) as under_way:
        under_way.put(*answer("now")).result()
        under_way.count_failure(keyed("lost"), "a fault").result()
        second = cut(ledger, "2")
        assert cut(ledger, "3") is None
    assert first is not None
    assert second is not None
    assert (texts(first), texts(second)) == ({"before"}, {"now"})
    with reading(second) as connection:
        assert connection.execute("SELECT error FROM failures").fetchall() == [("a fault",)]
    assert not list(tmp_path.glob("[12]-*"))


def test_what_was_cut_and_never_arrived_is_cut_again(tmp_path: Path) -> None:
    ledger = tmp_path / "a.sqlite"
    keep(ledger, "one")
    assert cut_part(ledger, tmp_path / "lost") is not None
    keep(ledger, "two")
    part = cut(ledger, "1")
    assert part is not None
    assert texts(part) == {"one", "two"}


def test_what_was_joined_is_not_sent_back_and_what_was_not_sent_still_is(tmp_path: Path) -> None:
    theirs, mine = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    keep(theirs, "theirs", "both")
    first = cut(theirs, "1")
    keep(theirs, "theirs later")
    second = cut(theirs, "2")
    keep(mine, "mine", "both")
    with Ledger(mine) as ledger:
        ledger.count_failure(keyed("lost"), "a fault").result()
    assert first is not None
    assert second is not None
    join_parts(mine, [("1", first)], 1)
    join_parts(mine, [("2", second)], 1)
    keep(mine, "mine later")
    part = cut(mine, "3")
    assert part is not None
    assert texts(part) == {"mine", "both", "mine later"}
    assert texts(mine) == {"mine", "both", "mine later", "theirs", "theirs later"}
    assert len(content(part)["failures"]) == 1
    assert cut(mine, "4") is None
    assert sent_parts(mine).sizes == {
        name: (tmp_path / name).stat().st_size for name in ("1", "2", "3")
    }


def do(ledger: Ledger, step: int, kind: str, seed: random.Random) -> None:
    """One thing that builds do to a ledger."""
    records = BatchRecords(ledger)
    open_ones = [one.intent for one in records.all()]
    if kind == "answer":
        ledger.put(*answer(f"question {seed.randrange(12)}")).result()
    elif kind == "failure":
        ledger.count_failure(keyed(f"question {seed.randrange(12)}"), f"fault {step}").result()
    elif kind == "batch":
        asked = [keyed(f"question {number}") for number in seed.sample(range(12), 3)]
        if unanswered := [one for one in asked if ledger.get(one.key) is None]:
            records.reserve(f"batch {step}", unanswered).result()
    elif open_ones:
        intent = seed.choice(open_ones)
        if kind == "name":
            records.name(intent, f"id of {intent}").result()
        elif kind == "end":
            records.end(intent, records.keys(intent)[:2]).result()
        else:
            records.drop(intent).result()


KINDS = st.sampled_from(["answer", "failure", "batch", "name", "end", "drop", "cut", "cut"])


@settings(max_examples=12, deadline=None)
@given(steps=st.lists(KINDS, max_size=25), seed=st.randoms(use_true_random=False))
def test_parts_make_the_ledger_in_any_order_merged_or_not(
    steps: list[str], seed: random.Random
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "source.sqlite"
        parts: list[Path] = []
        with Ledger(source, flush_interval=0) as ledger:
            for step, kind in enumerate([*steps, "cut"]):
                if kind == "cut":
                    part = cut(source, f"part-{step}")
                    parts += [part] if part else []
                else:
                    do(ledger, step, kind, seed)
        if not parts:
            return
        cuts = sorted(seed.choices(range(len(parts) + 1), k=2))
        merged = parts[cuts[0] : cuts[1]]
        if merged:
            merge_parts([(part.name, part) for part in merged], folder / "merged")
            taken = len(merged) * seed.randrange(2)  # the merged ones may be there still
            parts[cuts[0] : cuts[0] + taken] = [folder / "merged"]
        order = [*parts, *seed.choices(parts, k=3)]
        seed.shuffle(order)
        for part in order:
            join_parts(folder / "copy.sqlite", [(part.name, part)], 1)
        assert content(folder / "copy.sqlite") == content(source)
        assert cut_part(folder / "copy.sqlite", folder / "more") is None


def test_after_a_pruning_a_new_edition_holds_all(tmp_path: Path) -> None:
    ledger = tmp_path / "a.sqlite"
    keep(ledger, "old")
    first = cut(ledger, "1")
    prune(ledger, Selection(status="ok"))
    assert sent_parts(ledger).pruned
    keep(ledger, "new")
    made = cut_part(ledger, tmp_path / "2")
    assert made == Cut(tmp_path / "2", 2, True, (1, 0, 1))
    note_sent(ledger, made, "2")
    assert texts(tmp_path / "2") == {"new"}
    assert sent_parts(ledger).names == {"2"}
    assert not sent_parts(ledger).pruned
    assert first is not None
    keep(ledger, "newer")
    part = cut(ledger, "3")
    assert part is not None
    assert texts(part) == {"newer"}


def test_what_was_pruned_does_not_come_back_with_a_merged_part(tmp_path: Path) -> None:
    ledger = tmp_path / "a.sqlite"
    parts = []
    for text in ("one", "two"):
        keep(ledger, text)
        part = cut(ledger, text)
        assert part is not None
        parts.append((text, part))
    merge_parts(parts, tmp_path / "merged")
    prune(ledger, Selection(status="ok"))
    join_parts(ledger, [("merged", tmp_path / "merged")], 1)
    assert texts(ledger) == set()
    assert sent_parts(ledger).sizes.keys() == {"merged"}
    assert sent_parts(ledger).pruned


def test_merged_parts_are_known_by_the_one_that_holds_them(tmp_path: Path) -> None:
    ledger = tmp_path / "a.sqlite"
    parts = []
    for text in ("one", "two", "three"):
        keep(ledger, text)
        part = cut(ledger, text)
        assert part is not None
        parts.append((text, part))
    merge_parts(parts[:2], first := tmp_path / "first")
    note_merged(ledger, ["one", "two"], "first", first)
    merge_parts([("first", first), parts[2]], second := tmp_path / "second")
    note_merged(ledger, ["first", "three"], "second", second)
    sent = sent_parts(ledger)
    assert sent.names == {"one", "two", "three", "first", "second"}
    assert sent.sizes == {"second": second.stat().st_size}
    join_parts(tmp_path / "b.sqlite", [("second", second)], 1)
    assert sent_parts(tmp_path / "b.sqlite") == sent
    assert cut(ledger, "more") is None


def test_an_edition_is_begun_anew_where_parts_are_lost(tmp_path: Path) -> None:
    ledger = tmp_path / "a.sqlite"
    keep(ledger, "one")
    cut(ledger, "1")
    begin_edition(ledger)
    part = cut(ledger, "2")
    assert part is not None
    assert texts(part) == {"one"}
    assert sent_parts(ledger).edition == 2


def test_a_ledger_without_parts_is_folded_in_once_and_sent_on(tmp_path: Path) -> None:
    ledger, other = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    keep(ledger, "mine")
    cut(ledger, "1")
    keep(other, "theirs")
    fold_ledger(ledger, other, "whole")
    prune(ledger, Selection(status="refused"))  # nothing, so that no edition begins
    part = cut(ledger, "2")
    assert part is not None
    assert texts(part) == {"theirs"}
    keep(other, "more")
    fold_ledger(ledger, other, "whole")
    assert texts(ledger) == {"mine", "theirs"}


def test_rows_are_found_by_their_number(tmp_path: Path) -> None:
    ledger = tmp_path / "a.sqlite"
    sizes = []
    for batch in range(6):
        keep(ledger, *(f"{batch} {n} " + "x" * 2000 for n in range(40)))
        part = cut(ledger, str(batch))
        assert part is not None
        sizes.append(part.stat().st_size)
    assert max(sizes) == min(sizes)
    from chainwright.llm.ledger_parts import _CUT

    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("ATTACH ? AS part", (str(part),))
        given = {"anew": 0, "answers": 200, "failures": 0}
        for statement, table in zip(_CUT, ("a", "f"), strict=False):
            plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", given).fetchall()
            searched = f"SEARCH {table} USING INTEGER PRIMARY KEY (rowid>?)"
            assert any(line[3] == searched for line in plan), plan


def test_a_part_that_is_none_is_said_to_be(tmp_path: Path) -> None:
    keep(tmp_path / "a.sqlite", "one")
    (tmp_path / "part").write_text("no database at all, but long enough to be looked at" * 9)
    with pytest.raises(LedgerError, match="is damaged or no SQLite file"):
        join_parts(tmp_path / "a.sqlite", [("part", tmp_path / "part")], 1)
    with pytest.raises(LedgerError, match="part is damaged or no SQLite file"):
        merge_parts([("part", tmp_path / "part")], tmp_path / "merged")
    assert texts(tmp_path / "a.sqlite") == {"one"}


def test_a_request_that_was_answered_waits_in_no_batch_any_more(tmp_path: Path) -> None:
    ledger, copy = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    with Ledger(ledger) as source:
        records = BatchRecords(source)
        records.reserve("batch", [keyed(text) for text in ("one", "two", "three")]).result()
        parts = [cut(ledger, "1")]
        records.name("batch", "id").result()
        source.put(*answer("one")).result()
        parts.append(cut(ledger, "2"))
        records.end("batch", [keyed("two").key]).result()
        parts.append(cut(ledger, "3"))
    waiting = []
    for name, part in enumerate(parts, 1):
        assert part is not None
        join_parts(copy, [(str(name), part)], 1)
        with Ledger(copy) as joined:
            (batch,) = BatchRecords(joined).all()
            waiting.append((batch.waiting, batch.id, batch.ended is not None))
    assert waiting == [(3, None, False), (2, "id", False), (1, "id", True)]
    assert [len(content(part)["batch_items"]) for part in parts if part] == [3, 0, 1]

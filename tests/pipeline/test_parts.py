"""The ledger of a run in a store, in parts: each sent once, none lost, whoever writes or dies."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chainwright.llm.batches.records import BatchRecords
from chainwright.llm.ledger import Ledger
from chainwright.llm.ledger_books import sent_parts
from chainwright.llm.ledger_pruning import prune
from chainwright.llm.ledger_queries import Selection
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.named_run import find_run
from chainwright.pipeline.stores import mirror as mirror_module
from chainwright.pipeline.stores import parts as parts_module
from chainwright.pipeline.stores.mirror import Mirror
from chainwright.pipeline.stores.parts import FEW, MANY, PARTS
from chainwright.pipeline.stores.store import Store, StoreError
from chainwright.pipeline.stores.working_copy import LEDGER, MARKER, WORK
from tests.pipeline.small_line import small_line, write_recipe
from tests.pipeline.test_mirror import (
    answers,
    bucket,
    column,
    keep,
    keyed,
    other_machine,
    parts_of,
    sent,
    there,
)
from tests.test_cli import call

__all__ = ["bucket", "there"]  # fixtures


def opened(runs: str) -> Mirror:
    """A build that begins on this machine."""
    mirror = Mirror(runs, "small")
    mirror.bring()
    return mirror


def tick(mirror: Mirror) -> None:
    """What happens every minute."""
    mirror._send_ledger()


def in_parts(mirror: Mirror, send: Callable[[Mirror], None], *texts: str) -> None:
    """Answers that come one by one, each sent before the next."""
    for text in texts:
        keep(mirror.folder.ledger, text)
        send(mirror)


@pytest.fixture
def bytes_sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Bytes of each part of the ledger that was sent."""
    counted: list[int] = []
    put = Store.put

    def counting(store: Store, path: Path, name: str) -> None:
        if name.startswith(f"{PARTS}/"):
            counted.append(path.stat().st_size)
        put(store, path, name)

    monkeypatch.setattr(Store, "put", counting)
    return counted


def test_an_answer_is_sent_once_however_often_the_ledger_is(
    there: str, tmp_path: Path, bytes_sent: list[int]
) -> None:
    mirror = opened(there)
    for minute in range(20):
        keep(mirror.folder.ledger, *(f"{minute} {n} {'x' * 1000}" for n in range(25)))
        tick(mirror)
    mirror.send()
    ledger = mirror.folder.ledger.stat().st_size
    assert len(bytes_sent) == 20
    assert max(bytes_sent) == min(bytes_sent)
    assert sum(bytes_sent) < 3 * ledger  # where each tick sent the whole, it would be ten times
    assert len(sent(tmp_path / "there")) == 500
    code, out, _ = call("ledger", parts_of(tmp_path / "there")[-1])
    assert (code, " 25 " in out) == (0, True)
    assert not (tmp_path / "there" / "small" / LEDGER).exists()


def test_nothing_new_sends_nothing(there: str, bytes_sent: list[int]) -> None:
    mirror = opened(there)
    tick(mirror)
    mirror.send()
    assert bytes_sent == []
    keep(mirror.folder.ledger, "one")
    tick(mirror)
    tick(mirror)
    mirror.send()
    opened(there).send()
    assert len(bytes_sent) == 1


def test_a_machine_killed_between_two_stages_loses_what_was_not_sent_alone(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_machine(tmp_path, monkeypatch)
    opened(there)
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    first = opened(there)
    find_run(f"{there}/small", Path("runs"))
    other_machine(tmp_path, monkeypatch)
    find_run(f"{there}/small", Path("runs"))  # this copy is of the same generation
    keep(first.folder.ledger, "sent by the minute")
    tick(first)
    keep(first.folder.ledger, "lost with its disk")
    second = opened(there)
    assert answers(second.folder.ledger) == {"sent by the minute"}
    with pytest.raises(RunStopped, match="while this build went on"):
        first.send()
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    again = opened(there)  # its disk was not lost after all
    assert answers(again.folder.ledger) == {"sent by the minute", "lost with its disk"}
    assert sent(tmp_path / "there") == {"sent by the minute", "lost with its disk"}


def test_a_part_that_arrived_before_the_kill_is_joined_and_sent_again_at_most(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = opened(there)
    keep(mirror.folder.ledger, "one")
    with monkeypatch.context() as patch:
        patch.setattr(parts_module, "note_sent", broken)
        with pytest.raises(RunStopped, match="the plug is pulled"):
            mirror.send()
    keep(mirror.folder.ledger, "two")
    opened(there)
    other_machine(tmp_path, monkeypatch)
    copy = opened(there)
    assert answers(copy.folder.ledger) == {"one", "two"}
    assert sent(tmp_path / "there") == {"one", "two"}


def broken(*_: object) -> None:
    raise OSError("the plug is pulled")


def test_two_machines_that_write_at_once_take_nothing_from_each_other(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opened(there)
    other_machine(tmp_path, monkeypatch)
    second = opened(there)
    keep(first.folder.ledger, "first")
    keep(second.folder.ledger, "second")
    first._parts.send(first._generation)  # it had looked just before the second one began
    tick(second)
    second.send()
    other_machine(tmp_path, monkeypatch, "third")
    assert answers(opened(there).folder.ledger) == {"first", "second"}


def test_what_was_pruned_comes_back_from_no_part_and_no_other_copy(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opened(there)
    keep(first.folder.ledger, "old")
    first.send()
    other_machine(tmp_path, monkeypatch)
    second = opened(there)
    second.send()
    keep(second.folder.ledger, "never sent")
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    prune(first.folder.ledger, Selection(status="ok"))
    again = opened(there)
    keep(again.folder.ledger, "new")
    again.send()
    assert sent(tmp_path / "there") == {"new"}
    other_machine(tmp_path, monkeypatch)
    assert answers(opened(there).folder.ledger) == {"new", "never sent"}
    assert sent(tmp_path / "there") == {"new", "never sent"}
    with Ledger(second.folder.ledger) as ledger:
        assert ledger.spent().requests == 3  # budgets go on counting what was pruned


def test_what_was_pruned_here_stays_away_though_others_have_merged(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opened(there)
    in_parts(first, Mirror.send, "old", "older")
    other_machine(tmp_path, monkeypatch)
    second = opened(there)
    second.send(1)
    assert len(parts_of(tmp_path / "there")) == 1
    keep(second.folder.ledger, "new")
    second.send()
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    prune(first.folder.ledger, Selection(status="ok"))
    assert answers(opened(there).folder.ledger) == {"new"}
    assert sent(tmp_path / "there") == {"new"}


def test_many_small_parts_become_one(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bytes_sent: list[int]
) -> None:
    monkeypatch.setattr(mirror_module, "MANY", 5)
    mirror = opened(there)
    everything = {f"answer {n}" for n in range(13)}
    in_parts(mirror, tick, *sorted(everything))
    assert len(parts_of(tmp_path / "there")) <= 6
    assert len(bytes_sent) == 13 + 2
    assert sent(tmp_path / "there") == everything
    with mirror.kept_up():
        pass
    other_machine(tmp_path, monkeypatch)
    assert answers(opened(there).folder.ledger) == everything
    assert FEW < MANY


def test_in_the_end_of_a_build_few_parts_are_left(there: str, tmp_path: Path) -> None:
    mirror = opened(there)
    in_parts(mirror, tick, *(f"answer {n}" for n in range(FEW + 2)))
    with mirror.kept_up():
        pass
    (part,) = parts_of(tmp_path / "there")
    assert len(column(part, "text")) == FEW + 2


def test_large_parts_are_left_as_they_are(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts_module, "LARGE", 1000)
    mirror = opened(there)
    in_parts(mirror, tick, *(f"answer {n}" for n in range(3)))
    mirror.send(1)
    assert len(parts_of(tmp_path / "there")) == 3


def test_a_merging_that_was_broken_off_is_tidied_by_the_next_build(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = opened(there)
    in_parts(mirror, tick, "one", "two", "three")
    with monkeypatch.context() as patch:
        patch.setattr(Store, "remove", broken)
        with pytest.raises(RunStopped, match="the plug is pulled"):
            mirror.send(1)
    assert len(parts_of(tmp_path / "there")) == 4
    other_machine(tmp_path, monkeypatch)
    assert answers(opened(there).folder.ledger) == {"one", "two", "three"}
    assert len(parts_of(tmp_path / "there")) == 1


def test_parts_that_are_merged_while_they_are_read(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = opened(there)
    in_parts(mirror, Mirror.send, "one", "two", "three")
    get, merged = Store.get, list[str]()

    def overtaken(store: Store, name: str, path: Path) -> bool:
        if name.startswith(PARTS) and not merged:
            merged.append(name)
            mirror.send(1)
        return get(store, name, path)

    other_machine(tmp_path, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(Store, "get", overtaken)
        assert answers(find_run(f"{there}/small", Path("runs")).ledger) == {"one", "two", "three"}
    assert len(parts_of(tmp_path / "there")) == 1


def old_layout(there: Path, *texts: str) -> None:
    """A run as older versions left it: one ledger beside the tables."""
    keep(there / "small" / LEDGER, *texts)
    (there / "small" / MARKER).write_text('{"generation": 9, "writer": "process 1 on another"}')


def test_a_run_with_a_whole_ledger_is_read_and_goes_over_to_parts(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_layout(tmp_path / "there", "one", "two")
    looked_at = find_run(f"{there}/small", Path("runs"))
    assert answers(looked_at.ledger) == {"one", "two"}
    assert (tmp_path / "there" / "small" / LEDGER).is_file()
    keep(looked_at.ledger, "mine")
    opened(there)
    assert not (tmp_path / "there" / "small" / LEDGER).exists()
    assert sent(tmp_path / "there") == {"one", "two", "mine"}
    other_machine(tmp_path, monkeypatch)
    assert answers(opened(there).folder.ledger) == {"one", "two", "mine"}
    assert len(parts_of(tmp_path / "there")) == 1


def test_an_older_version_that_writes_between_two_builds_is_heard(
    there: str, tmp_path: Path
) -> None:
    mirror = opened(there)
    keep(mirror.folder.ledger, "one")
    mirror.send()
    old_layout(tmp_path / "there", "by an older version")
    opened(there)
    assert sent(tmp_path / "there") == {"one", "by an older version"}


def test_who_may_read_and_not_list_has_what_the_marker_names(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = opened(there)
    in_parts(mirror, Mirror.send, "one", "two")
    keep(mirror.folder.ledger, "sent by the minute")
    tick(mirror)
    other_machine(tmp_path, monkeypatch)

    def refused(store: Store, folder: str = "") -> list[str]:
        raise StoreError(f"no right to list {folder}", is_mistake=True)

    monkeypatch.setattr(Store, "names", refused)
    assert answers(find_run(f"{there}/small", Path("runs")).ledger) == {"one", "two"}
    with pytest.raises(InputMistake, match="no right to list ledger"):
        opened(there)


def damage(part: Path) -> None:
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 0xFF
    part.write_bytes(content)


def test_a_damaged_part_is_named_and_sent_again_by_who_has_it(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = opened(there)
    in_parts(mirror, Mirror.send, "one", "two")
    part = parts_of(tmp_path / "there")[0]
    damage(part)
    other_machine(tmp_path, monkeypatch)
    for command in (lambda: find_run(f"{there}/small", Path("runs")), lambda: opened(there)):
        refused: Callable[[], object] = command
        with pytest.raises(RunStopped, match=rf"there/small/ledger/{part.name} is damaged: its"):
            refused()
    part.unlink()
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    opened(there)
    assert sent(tmp_path / "there") == {"one", "two"}
    other_machine(tmp_path, monkeypatch)
    assert answers(opened(there).folder.ledger) == {"one", "two"}


def test_what_somebody_removed_there_is_sent_again(there: str, tmp_path: Path) -> None:
    mirror = opened(there)
    keep(mirror.folder.ledger, "one")
    mirror.send()
    (tmp_path / "there").rename(tmp_path / "elsewhere")
    opened(there)
    assert sent(tmp_path / "there") == {"one"}


def test_batches_are_known_on_the_other_machine_as_they_are(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bytes_sent: list[int]
) -> None:
    mirror = opened(there)
    long = [keyed(f"{n} {'x' * 1000}")[0] for n in range(50)]
    with Ledger(mirror.folder.ledger) as ledger:
        records = BatchRecords(ledger)
        records.reserve("open", long).result()
        records.reserve("given up", [keyed("given up")[0]]).result()
        tick(mirror)
        records.name("open", "id of the provider").result()
        records.drop("given up").result()
        tick(mirror)
        ledger.put(*keyed(f"0 {'x' * 1000}")).result()
        tick(mirror)
    assert bytes_sent[0] > 50_000 + bytes_sent[1]
    other_machine(tmp_path, monkeypatch)
    copy = opened(there)
    with Ledger(copy.folder.ledger) as ledger:
        (batch,) = BatchRecords(ledger).all()
        assert (batch.intent, batch.id, batch.waiting) == ("open", "id of the provider", 49)
        assert set(BatchRecords(ledger).keys("open")) == {one.key for one in long[1:]}
        BatchRecords(ledger).end("open", [long[1].key]).result()
    copy.send()
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    with Ledger(opened(there).folder.ledger) as ledger:
        (batch,) = BatchRecords(ledger).all()
        assert (batch.ended is not None, batch.waiting) == (True, 48)


def test_failures_count_on_the_other_machine_and_only_once(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for machine in ("first", "second", "first", "second"):
        other_machine(tmp_path, monkeypatch, machine)
        mirror = opened(there)
        with Ledger(mirror.folder.ledger) as ledger:
            ledger.count_failure(keyed("lost")[0], f"on the {machine}").result()
        mirror.send()
    with Ledger(mirror.folder.ledger) as ledger:
        assert ledger.totals()[0].failures == 4


def test_parts_on_s3(
    tmp_path: Path, bucket: str, there: str, monkeypatch: pytest.MonkeyPatch, bytes_sent: list[int]
) -> None:
    build(write_recipe(tmp_path, 2), bucket, quiet=True, line=small_line())
    mirror = opened(bucket)
    for minute in range(4):
        keep(mirror.folder.ledger, *(f"{minute} {n} {'x' * 500}" for n in range(20)))
        tick(mirror)
    assert max(bytes_sent) == min(bytes_sent)
    mirror.send(2)
    assert len(mirror._store.names(PARTS)) == 1
    other_machine(tmp_path, monkeypatch)
    second = opened(bucket)
    assert len(answers(second.folder.ledger)) == 80
    prune(second.folder.ledger, Selection(status="ok"))
    keep(second.folder.ledger, "new")
    again = opened(bucket)
    (name,) = again._store.names(PARTS)
    assert name.startswith("part-2-")
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    assert answers(opened(bucket).folder.ledger) == {"new"}
    content = again._store.read(f"{PARTS}/{name}")
    assert content is not None
    (tmp_path / "bad").write_bytes(content[:-4096])
    again._store.put(tmp_path / "bad", f"{PARTS}/{name}")
    other_machine(tmp_path, monkeypatch, "third")
    with pytest.raises(RunStopped, match=f"runs/small/ledger/{name} is damaged"):
        opened(bucket)


def test_a_ledger_knows_its_parts(there: str) -> None:
    mirror = opened(there)
    keep(mirror.folder.ledger, "one")
    mirror.send()
    assert list(sent_parts(mirror.folder.ledger).sizes) == mirror._store.names(PARTS)


WRITING = """
import sys
from chainwright.pipeline.stores import mirror
from chainwright.llm.ledger import Ledger
from tests.pipeline.test_mirror import keyed
mirror.LEDGER_EVERY = 0.02
run = mirror.Mirror(sys.argv[1], "small")
run.bring()
with run.kept_up(), Ledger(run.folder.ledger) as ledger:
    for number in range(100_000):
        ledger.put(*keyed(str(number))).result()
        print(number, flush=True)
"""
"""A build that never ends, whose minutes are short."""


def test_a_build_that_is_killed_while_it_sends(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITING, there],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as build_there:
        assert build_there.stdout is not None
        while len(parts_of(tmp_path / "there")) < 3:
            last = int(build_there.stdout.readline())
        build_there.kill()
    before = sent(tmp_path / "there")
    assert before == {str(number) for number in range(len(before))}
    first = Mirror(there, "small").folder.ledger
    other_machine(tmp_path, monkeypatch)
    assert answers(opened(there).folder.ledger) == before
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    assert opened(there).folder.ledger == first
    assert sent(tmp_path / "there") == answers(first) >= {str(number) for number in range(last)}

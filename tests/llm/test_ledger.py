import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from chainwright.llm import ledger_file
from chainwright.llm.ledger import Ledger, LedgerError
from chainwright.llm.request import Answer, Message, Request, Usage
from chainwright.llm.request_key import KeyedRequest, key_request
from chainwright.llm.uri import ModelUri


def keyed(text: str, model: str = "m") -> KeyedRequest:
    return key_request(Request(ModelUri("local", model), (Message("user", text),)), None)


def answer(request: KeyedRequest, text: str = "42", cost: float | None = 0.25) -> Answer:
    return Answer(request.key, "ok", text, "stop", Usage(10, 4, 2), cost)


def test_what_is_put_is_got_back(ledger: Ledger) -> None:
    one = keyed("one")
    given = Answer(one.key, "refused", "no\0 ∑ 😀\n", "refusal", Usage(10, 4, 2), None)
    assert ledger.get(one.key) is None
    assert ledger.put(one, given).result() == given
    got = ledger.get(one.key)
    assert got == Answer(one.key, "refused", "no\0 ∑ 😀\n", "refusal", Usage(10, 4, 2), None, True)


def test_it_outlives_the_process_object(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "ledger.sqlite"
    with Ledger(path) as first:
        first.put(keyed("one"), answer(keyed("one")))
    with Ledger(path) as second:
        assert second.get(keyed("one").key) is not None


def test_the_first_answer_stands(ledger: Ledger) -> None:
    one = keyed("one")
    ledger.put(one, answer(one, "first")).result()
    assert ledger.put(one, answer(one, "second")).result().text == "first"
    got = ledger.get(one.key)
    assert got is not None
    assert got.text == "first"


def test_a_failed_answer_is_not_kept(ledger: Ledger) -> None:
    one = keyed("one")
    with pytest.raises(ValueError, match="expected one of ok, refused"):
        ledger.put(one, Answer(one.key, "failed", ""))
    ledger.count_failure(one, "time-out").result()
    assert ledger.get(one.key) is None


def test_totals(ledger: Ledger) -> None:
    assert ledger.totals() == []
    for text in ("a", "b"):
        ledger.put(keyed(text), answer(keyed(text))).result()
    ledger.put(keyed("c"), answer(keyed("c"), cost=None)).result()
    ledger.put(keyed("d"), Answer(keyed("d").key, "refused", "")).result()
    ledger.count_failure(keyed("e"), "reset").result()
    ledger.count_failure(keyed("a", "other"), "reset").result()
    first, other = ledger.totals()
    assert (first.model, first.ok, first.refused, first.failures) == ("m", 3, 1, 1)
    assert (first.usage, first.cost, first.unpriced) == (Usage(30, 12, 6), 0.5, 2)
    assert (other.model, other.ok, other.failures, other.cost) == ("other", 0, 1, 0.0)


def test_threads_at_once(ledger: Ledger) -> None:
    requests = [keyed(str(number % 50)) for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        puts = list(pool.map(lambda request: ledger.put(request, answer(request)), requests))
    assert {put.result().text for put in puts} == {"42"}
    assert ledger.totals()[0].ok == 50


PROCESS = """
import sys
from pathlib import Path
from chainwright.llm import ledger_file
from chainwright.llm.ledger import Ledger
from tests.llm.test_ledger import answer, keyed

path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with Ledger(path) as ledger:
    for number in range(count):
        for request in (keyed(f"{name} {number}"), keyed(f"both {number}")):
            ledger.put(request, answer(request, name)).result()
            print(request.key, flush=True)
"""


def start(path: Path, name: str, count: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", PROCESS, str(path), name, str(count)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


def test_two_processes_on_one_new_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    processes = [start(path, name, 50) for name in ("left", "right")]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0]
    with Ledger(path) as ledger:
        assert ledger.totals()[0].ok == 150


def test_a_kill_loses_nothing_that_was_handed_on(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    process = start(path, "killed", 100_000)
    assert process.stdout is not None
    handed_on = [process.stdout.readline().strip() for _ in range(100)]
    process.send_signal(signal.SIGKILL)
    handed_on += process.communicate()[0].split("\n")[:-1]
    with Ledger(path) as ledger:
        assert all(ledger.get(key) for key in handed_on)
        ledger.put(keyed("after"), answer(keyed("after"))).result()
        kept = ledger.totals()[0].ok
    # One more may have been committed whose key was not printed any more.
    assert kept - 1 - len(handed_on) in (0, 1)
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_an_answer_is_committed_before_its_future_is_done(ledger: Ledger) -> None:
    one = keyed("one")
    ledger.put(one, answer(one)).result()
    rows = sqlite3.connect(ledger.path).execute("SELECT key, request FROM answers").fetchall()
    assert rows == [(one.key, one.canonical)]


def test_a_cancelled_future_is_written_all_the_same(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite", flush_interval=0.05) as ledger:
        ledger.put(keyed("one"), answer(keyed("one"))).cancel()
        ledger.put(keyed("two"), answer(keyed("two"))).result()
        assert ledger.get(keyed("one").key) is not None


def test_a_closed_ledger_says_so(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerError, match=r"ledger\.sqlite is closed"):
        ledger.put(keyed("one"), answer(keyed("one")))
    with pytest.raises(LedgerError, match=r"ledger\.sqlite cannot be used"):
        ledger.get("key")


@pytest.mark.parametrize(
    "content",
    [b"\x00" * 5000, b"key,text\n" * 500, random.Random(1).randbytes(4096)],
    ids=["zeros", "text", "noise"],
)
def test_a_file_that_is_no_ledger_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"ledger\.sqlite is damaged or no SQLite file"):
        Ledger(path)
    assert path.read_bytes() == content


def test_damage_inside_is_found_on_reading(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        for number in range(200):
            request = keyed(f"{number} {'long ' * 100}")
            ledger.put(request, answer(request))
    intact = path.read_bytes()
    path.write_bytes(intact[:8192] + random.Random(1).randbytes(len(intact) - 8192))
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="is damaged"):
        for number in range(200):
            ledger.get(keyed(f"{number} {'long ' * 100}").key)


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE answers (id)")
    connection.close()
    with pytest.raises(LedgerError, match="is a SQLite file of something else"):
        Ledger(path)


def test_a_ledger_of_another_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    Ledger(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(LedgerError, match="has layout 9, expected 1 to 3"):
        Ledger(path)


def test_a_ledger_of_the_first_layout_is_brought_up_to_date_in_place(tmp_path: Path) -> None:
    path, one = tmp_path / "ledger.sqlite", keyed("one")
    connection = sqlite3.connect(path)
    connection.executescript(ledger_file.TABLES)
    connection.execute(f"PRAGMA application_id = {ledger_file.APPLICATION}")
    connection.execute("PRAGMA user_version = 1")
    connection.execute(
        "INSERT INTO answers VALUES (?, 'local', NULL, 'm', ?, 'ok', '42', 'stop', 10, 4, 2, 0.25,"
        " 1, 'now')",
        (one.key, one.canonical),
    )
    connection.commit()
    connection.close()
    with Ledger(path) as ledger:
        assert ledger.get(one.key) == replace(answer(one), from_ledger=True)
        two = keyed("two")
        batched = replace(answer(two), batch="batch_1")
        ledger.put(two, batched).result()
    with Ledger(path) as ledger:
        assert ledger.get(two.key) == replace(batched, from_ledger=True)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write everywhere, so such tests are run as somebody else."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anybody can enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def test_a_read_only_file(open_folder: Path) -> None:
    path = open_folder / "ledger.sqlite"
    with Ledger(path) as ledger:
        ledger.put(keyed("one"), answer(keyed("one"))).result()
    before = path.read_bytes()
    path.chmod(0o444)
    open_folder.chmod(0o555)
    with as_nobody(), pytest.raises(LedgerError, match="is read-only"):
        Ledger(path)
    assert path.read_bytes() == before


def test_a_folder_that_may_not_be_written_to(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    with as_nobody(), pytest.raises(LedgerError, match="could not be opened"):
        Ledger(open_folder / "ledger.sqlite")
    with as_nobody(), pytest.raises(LedgerError, match="could not be opened"):
        Ledger(open_folder / "deeper" / "ledger.sqlite")


def test_a_full_disk_stops_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def small(path: Path, **options: bool) -> sqlite3.Connection:
        connection = connect(path, **options)  # type: ignore[call-overload]
        connection.execute("PRAGMA max_page_count = 30")
        assert isinstance(connection, sqlite3.Connection)
        return connection

    monkeypatch.setattr(sqlite3, "connect", small)
    path = tmp_path / "ledger.sqlite"
    kept: list[str] = []
    with Ledger(path) as ledger:
        with pytest.raises(LedgerError, match="has no room left on its disk") as caught:
            for number in range(1000):
                request = keyed(f"{number} {'long ' * 100}")
                ledger.put(request, answer(request)).result()
                kept.append(request.key)
        assert str(path) in str(caught.value)
        assert kept
        assert all(ledger.get(key) for key in kept)
    monkeypatch.undo()
    with Ledger(path) as ledger:
        assert ledger.totals()[0].ok == len(kept)
        more = keyed("more")
        assert ledger.put(more, answer(more)).result().text == "42"

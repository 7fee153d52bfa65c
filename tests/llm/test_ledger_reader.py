import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from chainwright.llm.ledger import Ledger, LedgerError
from chainwright.llm.ledger_file import APPLICATION, TABLES
from chainwright.llm.ledger_queries import Selection, entries, select_answer, spent, totals
from chainwright.llm.ledger_reader import reading
from chainwright.llm.request import Usage
from tests.llm.test_ledger import answer, as_nobody, keyed, start


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that anybody can enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        yield place
        place.chmod(0o755)


def filled(path: Path, count: int = 3) -> None:
    with Ledger(path) as ledger:
        for number in range(count):
            ledger.put(keyed(str(number)), answer(keyed(str(number)))).result()


def left_by_a_kill(path: Path) -> None:
    """A ledger whose answers are in its log still."""
    process = start(path, "killed", 100_000)
    assert process.stdout is not None
    for _ in range(10):
        process.stdout.readline()
    process.kill()
    process.communicate()


def answers_in(path: Path) -> int:
    with reading(path) as connection:
        return sum(one.ok for one in totals(connection))


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if "-shm" not in path.name}


@pytest.mark.parametrize("state", ["closed", "killed", "no index"])
@pytest.mark.parametrize("mode", [0o755, 0o555], ids=["writable", "read-only"])
def test_reading_leaves_the_folder_as_it_was(folder: Path, state: str, mode: int) -> None:
    path = folder / "ledger.sqlite"
    if state == "closed":
        filled(path, 12)
    else:
        left_by_a_kill(path)
        assert (folder / "ledger.sqlite-wal").stat().st_size
    if state == "no index":
        (folder / "ledger.sqlite-shm").unlink()
    for file in folder.iterdir():
        file.chmod(0o444 if mode == 0o555 else 0o666)
    folder.chmod(mode)
    before, names = files(folder), sorted(folder.iterdir())
    with as_nobody():
        assert answers_in(path) >= 10
    assert answers_in(path) >= 10
    assert (files(folder), sorted(folder.iterdir())) == (before, names)


def test_a_ledger_in_use_is_read_with_all_that_is_committed(folder: Path) -> None:
    path = folder / "ledger.sqlite"
    with Ledger(path) as ledger:
        for number in range(5):
            ledger.put(keyed(str(number)), answer(keyed(str(number)))).result()
            assert answers_in(path) == number + 1


def test_a_ledger_that_is_not_there_is_not_made(folder: Path) -> None:
    with (
        pytest.raises(LedgerError, match=r"there is no ledger .*: no model was asked yet"),
        reading(folder / "ledger.sqlite"),
    ):
        pass
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"key,text\n" * 500], ids=["empty", "text"])
def test_what_is_no_ledger_is_said_to_be_none(folder: Path, content: bytes) -> None:
    path = folder / "ledger.sqlite"
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"is damaged or no SQLite|SQLite file of something else"):
        answers_in(path)
    assert path.read_bytes() == content


def test_a_ledger_written_to_meanwhile_is_read_again(folder: Path) -> None:
    path = folder / "ledger.sqlite"
    filled(path)
    with (
        pytest.raises(LedgerError, match="was written to while it was read: run the command again"),
        reading(path),
    ):
        filled(path, 5)


def of_the_first_layout(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(TABLES)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute("PRAGMA user_version = 1")
    connection.execute("PRAGMA journal_mode = WAL")
    one = keyed("one")
    row = (one.key, one.provider, None, one.model, one.canonical, "ok", "42", "stop")
    marks = ", ".join("?" * 14)
    connection.execute(
        f"INSERT INTO answers VALUES ({marks})",  # noqa: S608
        (*row, 10, 4, 2, 0.25, 1, "2026-01-01T00:00:00+00:00"),
    )
    connection.commit()
    connection.close()


def test_an_older_ledger_is_read_as_it_is_and_goes_on(folder: Path) -> None:
    path = folder / "ledger.sqlite"
    of_the_first_layout(path)
    before = path.read_bytes()
    with reading(path) as connection:
        found = select_answer(connection, keyed("one").key)
        assert spent(connection).usd == 0.25
    assert found is not None
    assert (found.text, found.usage) == ("42", Usage(10, 4, 2, 0))
    assert path.read_bytes() == before
    with Ledger(path) as ledger:
        ledger.put(keyed("two"), answer(keyed("two"))).result()
        assert ledger.get(keyed("one").key) == found
    assert answers_in(path) == 2


OPENING = """
import sys
from pathlib import Path
from chainwright.llm.ledger import Ledger
with Ledger(Path(sys.argv[1])) as ledger:
    print(ledger.totals()[0].ok)
"""


def test_an_older_ledger_is_brought_up_to_date_by_many_at_once(folder: Path) -> None:
    path = folder / "ledger.sqlite"
    of_the_first_layout(path)
    command = [sys.executable, "-c", OPENING, str(path)]
    many = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0] for process in many] == ["1\n"] * 3


def test_a_copy_can_be_read(folder: Path) -> None:
    filled(folder / "ledger.sqlite")
    copy = folder / "a copy, with % and ?.sqlite"
    shutil.copy(folder / "ledger.sqlite", copy)
    with reading(copy) as connection:
        assert len(list(entries(connection, Selection()))) == 3

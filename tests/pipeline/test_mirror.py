"""Runs that lie elsewhere: gone on with anywhere, never written over, nothing paid twice."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chainwright.llm.ledger import Ledger
from chainwright.llm.ledger_reader import reading
from chainwright.llm.request import Answer, Message, Request
from chainwright.llm.request_key import KeyedRequest, key_request
from chainwright.llm.uri import parse_model_uri
from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.screens.summary import BuildSummary
from chainwright.pipeline.stores.mirror import Mirror
from chainwright.pipeline.stores.parts import PARTS
from chainwright.pipeline.stores.store import Store
from chainwright.pipeline.stores.working_copy import LEDGER, MARKER, WORK, folder_here
from chainwright.pipeline.validation.validate import validate
from tests.llm.fault_server import FaultServer
from tests.pipeline.model_server import answering, write_model_recipe
from tests.pipeline.small_line import small_line, write_recipe
from tests.servers import moto_server


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(answering) as running:
        yield running


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder of runs elsewhere; this machine is the first."""
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    return (tmp_path / "there").as_uri()


def other_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str = "second") -> None:
    monkeypatch.setenv(WORK, str(tmp_path / name))


def built(recipe: Path, runs: str, **given: Any) -> BuildSummary:
    return build(recipe, runs, quiet=True, **given)


def ran(summary: BuildSummary) -> int:
    return sum(stage.ran or 0 for stage in summary.stages)


def test_another_machine_goes_on_and_pays_nothing_again(
    tmp_path: Path, there: str, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = write_model_recipe(tmp_path, server, problems=2)
    built(recipe, there)
    asked = len(server.seen)
    assert validate(tmp_path / "there" / "small").ok
    assert not list((tmp_path / "there").rglob("*-wal"))
    kept = [key for part in parts_of(tmp_path / "there") for key in column(part, "key")]
    assert len(kept) == len(set(kept)) == asked
    other_machine(tmp_path, monkeypatch)
    assert ran(built(recipe, there)) == 0
    shutil.rmtree(folder_here(there))
    assert ran(built(recipe, there, fresh=True)) > 0
    assert len(server.seen) == asked


def test_a_smaller_run_takes_its_files_away_there(tmp_path: Path, there: str) -> None:
    built(write_recipe(tmp_path, 7), there, line=small_line())
    built(write_recipe(tmp_path, 2), there, line=small_line())
    here = folder_here(there) / "small"
    names = {path.name for path in (tmp_path / "there").rglob("*.parquet")}
    assert names == {path.name for path in here.rglob("*.parquet")}
    assert "chains-00001.parquet" not in names


def test_who_was_overtaken_stops_and_writes_nothing(
    tmp_path: Path, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = write_recipe(tmp_path)
    first = Mirror(there, "small")
    first.bring()
    other_machine(tmp_path, monkeypatch)
    built(recipe, there, line=small_line())
    before = {p: p.read_bytes() for p in (tmp_path / "there").rglob("*") if p.is_file()}
    (first.folder.path / "mine.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RunStopped, match=r"was written by process \d+ .*while this build went on"):
        first.send()
    after = {p: p.read_bytes() for p in (tmp_path / "there").rglob("*") if p.is_file()}
    assert after == before


def test_a_later_copy_is_not_replaced_by_an_older_state(tmp_path: Path, there: str) -> None:
    recipe = write_recipe(tmp_path)
    built(recipe, there, line=small_line())
    marker = tmp_path / "there" / "small" / MARKER
    marker.write_text('{"generation": 1}', encoding="utf-8")
    with pytest.raises(RunStopped, match=r"holds generation 1 of the run, and .* the later"):
        built(recipe, there, line=small_line())


@pytest.mark.parametrize("puts", [0, 1, 4, 12, 25])
def test_whatever_is_there_when_sending_breaks_off_can_be_gone_on_with(
    tmp_path: Path, there: str, monkeypatch: pytest.MonkeyPatch, puts: int
) -> None:
    recipe = write_recipe(tmp_path)
    put, left = Store.put, [puts]

    def broken(store: Store, path: Path, name: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError("the network is gone")
        put(store, path, name)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "put", broken)
        with pytest.raises(RunStopped, match=r"could not be \w+: the network is gone"):
            built(recipe, there, line=small_line())
    other_machine(tmp_path, monkeypatch)
    built(recipe, there, line=small_line())
    assert validate(tmp_path / "there" / "small").ok
    # The first machine, which was broken off, goes on too.
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    assert ran(built(recipe, there, line=small_line())) == 0


def keyed(text: str) -> tuple[KeyedRequest, Answer]:
    request = key_request(Request(parse_model_uri("openai:m"), [Message("user", text)]), None)
    return request, Answer(request.key, "ok", text, "stop")


def answers(path: Path) -> set[str]:
    with Ledger(path) as ledger:
        return {text for (text,) in ledger.rows("SELECT text FROM answers")}


def keep(path: Path, *texts: str) -> None:
    with Ledger(path) as ledger:
        for kept in [ledger.put(*keyed(text)) for text in texts]:
            kept.result()


def parts_of(there: Path) -> list[Path]:
    """The parts of the ledger in a store that is a folder, in order."""
    return sorted((there / "small" / PARTS).glob("part-*.sqlite"))


def sent(there: Path) -> set[str]:
    """The answers in a store that is a folder."""
    return {text for path in parts_of(there) for text in column(path, "text")}


def column(path: Path, name: str) -> list[str]:
    """A column of the answers in a part."""
    with reading(path) as connection:
        return [value for (value,) in connection.execute(f"SELECT {name} FROM answers")]  # noqa: S608


def test_answers_that_were_never_sent_are_joined_with_those_from_elsewhere(
    tmp_path: Path, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Mirror(there, "small")
    first.bring()
    keep(first.folder.ledger, "one")
    first.send()
    keep(first.folder.ledger, "killed before it was sent")
    other_machine(tmp_path, monkeypatch)
    second = Mirror(there, "small")
    second.bring()
    assert answers(second.folder.ledger) == {"one"}
    keep(second.folder.ledger, "two")
    second.send()
    monkeypatch.setenv(WORK, str(tmp_path / "first"))
    again = Mirror(there, "small")
    again.bring()
    whole = {"one", "two", "killed before it was sent"}
    assert answers(again.folder.ledger) == whole
    assert sent(tmp_path / "there") == whole


def test_a_marker_cannot_write_outside_the_run(
    tmp_path: Path, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "there" / "small"
    place.mkdir(parents=True)
    (tmp_path / "there" / "evil.txt").write_text("evil", encoding="utf-8")
    (place / MARKER).write_text('{"generation": 3, "files": {"../evil.txt": "x"}}')
    with pytest.raises(RunStopped, match="names a file outside the run"):
        Mirror(there, "small").bring()
    assert not list((tmp_path / "first").rglob("evil.txt"))


def test_keys_do_not_belong_into_a_url(tmp_path: Path) -> None:
    with pytest.raises(InputMistake, match="found a key in the URL") as mistake:
        built(write_recipe(tmp_path), "s3://AKIA:secret@bucket/runs")
    assert "secret" not in str(mistake.value).replace("AWS_SECRET", "")


def test_a_place_of_an_unknown_kind(tmp_path: Path) -> None:
    with pytest.raises(InputMistake, match="found `nowhere://x/small`, which is no place for runs"):
        built(write_recipe(tmp_path), "nowhere://x")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket at a server that speaks S3."""
    command = moto_server()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    running = subprocess.Popen(
        [command, "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": ""},
    )
    try:
        await_port(port, running)
        from pyarrow.fs import S3FileSystem

        S3FileSystem(
            endpoint_override=f"127.0.0.1:{port}", scheme="http", allow_bucket_creation=True
        ).create_dir("bucket")
        yield "s3://bucket/runs"
    finally:
        running.kill()
        running.wait()


def await_port(port: int, running: subprocess.Popen[bytes]) -> None:
    """Waits until a server listens."""
    while running.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server ended at once")


def test_a_run_on_s3(
    tmp_path: Path, bucket: str, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = write_recipe(tmp_path, 4)
    built(recipe, bucket, line=small_line())
    paid = Mirror(bucket, "small")
    paid.bring()
    keep(paid.folder.ledger, "paid")
    paid.send()
    other_machine(tmp_path, monkeypatch)
    assert ran(built(recipe, bucket, line=small_line())) == 0
    assert answers(folder_here(bucket) / "small" / LEDGER) == {"paid"}
    first, second = (
        {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*.parquet")
        }
        for folder in (tmp_path / "first", tmp_path / "second")
    )
    assert first == second
    import polars as pl

    where = f"{bucket}/small/chains/chains-00000.parquet"
    options = {"aws_endpoint_url": os.environ["AWS_ENDPOINT_URL"], "aws_allow_http": "true"}
    assert pl.read_parquet(where, storage_options=options).height > 0
    overtaken = Mirror(bucket, "small")
    overtaken.bring()
    Mirror(bucket, "small").bring()
    with pytest.raises(RunStopped, match="while this build went on"):
        overtaken.send()

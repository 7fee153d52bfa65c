import json
from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.reading.hub_rows import hub_rows
from chainwright.pipeline.reading.rows import SourceError, read_rows
from chainwright.recipe import Source

OFFLINE = "huggingface_hub.constants.HF_HUB_OFFLINE"
ROWS = [{"question": f"How many, {n}?", "answer": f"#### {n}", "n": n} for n in range(1, 8)]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_hub_rows_come_from_datasets(tmp_path: Path) -> None:
    write(tmp_path / "gsm/train.jsonl", ROWS[:2])
    write(tmp_path / "gsm/test.jsonl", ROWS)
    items = list(hub_rows(str(tmp_path / "gsm"), None, "test", None))
    assert [dict(item.row) for item in items] == ROWS
    assert [item.where for item in items[:2]] == ["gsm/test:1", "gsm/test:2"]
    with pytest.raises(SourceError, match=r"splits .*: choose one with `split`"):
        hub_rows(str(tmp_path / "gsm"), None, None, None)
    with pytest.raises(SourceError, match="give `path` in place of `hub`"):
        hub_rows(str(tmp_path / "gsm"), None, "dev", None)
    with pytest.raises(SourceError, match="give `path` in place of `hub`"):
        hub_rows(str(tmp_path / "absent"), None, "test", None)


def test_the_only_split_needs_no_name(tmp_path: Path) -> None:
    write(tmp_path / "one/train.jsonl", ROWS)
    items = list(hub_rows(str(tmp_path / "one"), None, None, None))
    assert [item.where for item in items] == [f"one/train:{n}" for n in range(1, 8)]


def test_a_star_stands_for_every_configuration(tmp_path: Path) -> None:
    for name in ("geometry", "algebra"):
        write(tmp_path / f"math/{name}/test.jsonl", [{"problem": name, "solution": "1"}])
    card = [
        {"config_name": name, "data_files": [{"split": "test", "path": f"{name}/test.jsonl"}]}
        for name in ("geometry", "algebra")
    ]
    (tmp_path / "math/README.md").write_text(f"---\nconfigs: {json.dumps(card)}\n---\n")
    items = list(hub_rows(str(tmp_path / "math"), "*", "test", None))
    assert [item.where for item in items] == ["math/algebra/test:1", "math/geometry/test:1"]
    assert [item.row["problem"] for item in items] == ["algebra", "geometry"]
    with pytest.raises(SourceError, match="can't be read"):
        hub_rows(str(tmp_path / "absent"), "*", "test", None)


def test_source_on_the_hub_asks_for_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def load_dataset(*given: Any, **named: Any) -> list[dict[str, Any]]:
        asked.append((given, named))
        return ROWS[:1]

    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    monkeypatch.setattr(OFFLINE, True)  # the Hub is not asked whether it is there
    source = Source(kind="gsm8k", hub="openai/gsm8k", revision="ab12")
    items = list(read_rows(source, recipe_folder=Path()))
    assert asked == [
        (("openai/gsm8k", "main"), {"split": "test", "revision": "ab12", "streaming": True})
    ]
    assert [item.where for item in items] == ["openai/gsm8k/main/test:1"]


def test_hub_out_of_reach_is_the_users_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OFFLINE, True)
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    with pytest.raises(SourceError, match=r"`openai/gsm8k` can't be read .*give `path`"):
        read_rows(Source(kind="gsm8k", hub="openai/gsm8k"), recipe_folder=Path())


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:9", "http://[", "hub.example"])
def test_a_hub_that_does_not_answer_is_told_at_once_in_one_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, endpoint: str
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", endpoint)
    monkeypatch.setattr(OFFLINE, False)
    monkeypatch.setattr("datasets.load_dataset", lambda *_, **__: pytest.fail("it was asked"))
    with pytest.raises(SourceError, match="`openai/gsm8k` can't be read: no Hub can be reached"):
        read_rows(Source(kind="gsm8k", hub="openai/gsm8k"), recipe_folder=Path())
    assert caplog.records == []


def test_connection_lost_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(*_: Any, **__: Any) -> Any:
        yield ROWS[0]
        raise ConnectionError("reset by peer\nsecond line")

    monkeypatch.setattr("datasets.load_dataset", rows)
    monkeypatch.setattr(OFFLINE, True)
    items = hub_rows("a/b", None, "test", None)
    assert next(items).where == "a/b/test:1"
    with pytest.raises(SourceError, match=r"ConnectionError: reset by peer\)"):
        next(items)


def test_folder_that_hides_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "openai/gsm8k/test.jsonl", ROWS)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match="also a folder here"):
        hub_rows("openai/gsm8k", "main", "test", None)

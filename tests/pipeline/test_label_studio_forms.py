"""Forms and the client without a server of Label Studio's own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from chainwright.annotation.people.questionnaire import Questionnaire, questionnaires
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.people.label_studio.client import (
    KEY,
    URL,
    Access,
    LabelStudio,
    access,
)
from chainwright.pipeline.people.label_studio.forms import filled_tasks, form
from chainwright.schemas.taxonomy import BUILT_IN


@pytest.mark.parametrize("track", ["math", "inference", "grounding"])
def test_a_form_has_a_block_for_each_step_and_earlier_steps_as_premises(track: Any) -> None:
    questions = questionnaires(BUILT_IN)[track]
    root = ET.fromstring(form(questions, 3, hinted=True))  # noqa: S314 - made here
    names = [node.get("name") for node in root if node.get("name")]
    assert len(names) == len(set(names)) == 3 + 3 * 6
    choices = {node.get("name"): [one.get("value") for one in node] for node in root}
    assert choices["p3"] == ["0", "1", "2"]
    assert choices["l1"] == list(questions.labels)
    assert choices["c2"] == list(questions.categories)


def test_definitions_with_marks_of_xml_stay_definitions() -> None:
    own = Questionnaire(
        track="inference",
        sound="faithful",
        fault="unfaithful",
        categories={"odd": "a < b & \"c\" 'd'"},
    )
    root = ET.fromstring(form(own, 1, hinted=False))  # noqa: S314 - made here
    assert [one.get("hint") for one in root.iter("Choice") if one.get("value") == "odd"] == [
        "a < b & \"c\" 'd'"
    ]


def test_skipped_and_strange_submissions() -> None:
    right = {"from_name": "l1", "value": {"choices": ["correct"]}}
    task = {"id": 1, "data": {"task": "t-1"}}
    skipped = {"was_cancelled": True, "result": [right], "updated_at": "2026-02-01T00:00:00Z"}
    found, faults, superseded = filled_tasks([{**task, "annotations": [skipped]}], "ann", "x")
    assert (found[0].is_blank, faults, superseded) == (True, [], 0)
    odd = {"result": [right, {"from_name": "zz", "value": 3}], "updated_at": "never"}
    found, faults, _ = filled_tasks([{**task, "annotations": [odd]}, {"id": 2}], "ann", "x")
    assert [fault.reason for fault in faults] == ["no_task", "unknown_field"]
    assert (found[0].steps[0].label, found[0].time) == ("correct", None)
    late = {"result": [], "updated_at": "2026-03-01T12:00:00.5+02:00"}
    found, _, superseded = filled_tasks([{**task, "annotations": [late, odd]}], "ann", "x")
    assert superseded == 1


def test_more_than_one_user_in_a_project_is_told() -> None:
    right = {"from_name": "l1", "value": {"choices": ["correct"]}}
    made = [
        {"result": [right], "updated_at": "2026-02-01T00:00:00Z", "completed_by": by}
        for by in (3, {"id": 3, "email": "ann@example.org"}, {"id": 11})
    ]

    def faults(*given: dict[str, Any]) -> list[str]:
        tasks = [
            {"id": n, "data": {"task": f"t-{n}"}, "annotations": [one]}
            for n, one in enumerate(given)
        ]
        filled, found, _ = filled_tasks(tasks, "ann", "x")
        assert [one.annotator for one in filled] == ["ann"] * len(given)
        return [f"{fault.reason}: {fault.detail}" for fault in found]

    assert faults(*made[:2]) == []
    assert faults(*made) == [
        "several_users: found submissions of users 11, 3 in the project of ann"
    ]


class _Answers(BaseHTTPRequestHandler):
    """Answers by path: `/api/projects/N/` with status N."""

    def do_GET(self) -> None:
        status = int(self.path.rstrip("/").rpartition("/")[2])
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b"no JSON")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_server_that_refuses_or_fails_is_told_without_the_token(address: str) -> None:
    with LabelStudio(Access(address, "s3cret")) as server:
        assert server.project(404) is None
        for status, kind, words in (
            (401, InputMistake, "refuses the token"),
            (500, RunStopped, "gave 500: no JSON"),
            (200, RunStopped, "gave no JSON"),
        ):
            with pytest.raises(kind, match=words) as caught:
                server.project(status)
            assert "s3cret" not in str(caught.value)
    nobody = LabelStudio(Access("http://127.0.0.1:9", "s3cret"))
    with nobody, pytest.raises(InputMistake, match="can't be reached"):
        nobody.project(1)
    assert "s3cret" not in repr(Access(address, "s3cret"))


def test_access_is_taken_from_the_environment_or_from_what_up_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (URL, KEY):
        monkeypatch.delenv(name, raising=False)
    kept = tmp_path / "access.json"
    with pytest.raises(InputMistake, match="chainwright human up"):
        access(kept)
    kept.write_text('{"url": "http://here", "token": "t"}', encoding="utf-8")
    assert access(kept) == Access("http://here", "t")
    monkeypatch.setenv(URL, "http://there/")
    with pytest.raises(InputMistake, match=KEY):
        access(kept)
    monkeypatch.setenv(KEY, "k")
    assert access(kept) == Access("http://there", "k")

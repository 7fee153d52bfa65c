"""The round trip through a real Label Studio server, by its API and in a browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from chainwright.annotation.people.assignment import Wish
from chainwright.pipeline.people.exporting import export_adjudication, export_round
from chainwright.pipeline.people.figures import human_status
from chainwright.pipeline.people.human_folder import HumanFolder, load_records
from chainwright.pipeline.people.importing import Imported
from chainwright.pipeline.people.label_studio import exchange
from chainwright.pipeline.people.label_studio.client import Access, LabelStudio
from tests.browser import chromium
from tests.pipeline.human_run import build_run
from tests.servers import LabelStudioAt, label_studio
from tests.test_cli import call

pytestmark = pytest.mark.labelstudio


@pytest.fixture(scope="module")
def there() -> LabelStudioAt:
    return label_studio()


@pytest.fixture(scope="module")
def api(there: LabelStudioAt) -> Iterator[httpx2.Client]:
    """The server as an annotator's browser reaches it."""
    with LabelStudio(Access(there.url, there.key)) as client:
        headers = client._http.headers  # with a short token in place of a personal one
    with httpx2.Client(base_url=there.url, headers=headers, timeout=60.0) as reached:
        yield reached


@pytest.fixture(scope="module")
def fresh_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("server")
    build_run(folder)
    return folder


@pytest.fixture
def runs(fresh_run: Path, tmp_path: Path, api: httpx2.Client) -> Iterator[Path]:
    """The runs, of which `people` has been handed out to two; its projects go in the end."""
    folder = shutil.copytree(fresh_run, tmp_path / "own") / "runs"
    wish = Wish(["ann", "bob"], 2, "judged", 2, 1.0, 0.0, 1)
    export_round("people", folder, wish, assisted=False, kind="csv", send=send)
    yield folder
    for project in exchange._load(HumanFolder(folder / "people" / "human")):
        api.delete(f"/api/projects/{project.project}/")


def send(folder: Any, human: Any, plan: Any) -> str:
    return exchange.send(folder, human, plan, label_studio().home)


def projects(runs: Path, annotator: str) -> list[int]:
    known = exchange._load(HumanFolder(runs / "people" / "human"))
    return [one.project for one in known if one.annotator == annotator]


def tasks(api: httpx2.Client, project: int) -> list[dict[str, Any]]:
    found = api.get("/api/tasks", params={"project": project, "fields": "all"}).json()
    return list(found["tasks"])


def choice(control: str, of: str, *words: str) -> dict[str, Any]:
    return {"from_name": control, "to_name": of, "type": "choices", "value": {"choices": words}}


def all_right(steps: int = 2, wrong: int = 0) -> list[dict[str, Any]]:
    """What the form submits where every step is right but the given one."""
    result = []
    for step in range(1, steps + 1):
        said = "error" if step == wrong else "correct"
        result.append(choice(f"l{step}", f"s{step}", said))
        if step == wrong:
            result.append(choice(f"c{step}", f"s{step}", "mathematical_error"))
        result.append(choice(f"p{step}", f"s{step}", str(step - 1)))
    return result


def submit(api: httpx2.Client, task: int, result: list[dict[str, Any]], **more: Any) -> int:
    answer = api.post(f"/api/tasks/{task}/annotations/", json={"result": result, **more})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def fetched(runs: Path) -> Imported:
    """All that came in, as if it were of one project."""
    files = exchange.fetch("people", runs, label_studio().home).files
    total = Imported("all")
    for one in files:
        assert one.tasks == one.changed + one.unchanged + one.blank + one.rejected
        total.tasks += one.tasks
        total.changed += one.changed
        total.rejected += one.rejected
        total.superseded += one.superseded
        total.faults += one.faults
        for kind, count in one.added.items():
            total.added[kind] += count
    return total


def test_projects_are_blind_and_take_what_is_submitted(api: httpx2.Client, runs: Path) -> None:
    (project,) = projects(runs, "ann")
    settings = api.get(f"/api/projects/{project}/").json()
    assert settings["show_collab_predictions"] is False
    assert "accumulation_error" in settings["expert_instruction"]
    first, _ = tasks(api, project)
    assert set(first["data"]) == {"task", "question", "s1", "s2", "h1", "h2"}
    assert first["predictions"] == []
    assert "c-" not in first["data"]["task"]
    assert fetched(runs).changed == 0

    note = {"from_name": "n1", "to_name": "s1", "type": "textarea", "value": {"text": ["hm"]}}
    made = submit(api, first["id"], [*all_right(), note], lead_time=14.5)
    assert fetched(runs).added == {"new": 3, "edited": 0, "withdrawn": 0}
    assert sum(fetched(runs).added.values()) == 0
    whole, *steps = load_records(HumanFolder(runs / "people" / "human"))
    assert (whole.seconds, whole.channel) == (14.5, "label_studio")
    assert [(o.label, o.premises, o.note) for o in steps] == [
        ("correct", [0], "hm"),
        ("correct", [1], None),
    ]

    # The server overwrites what is edited there; the history keeps both.
    api.patch(f"/api/annotations/{made}/", json={"result": all_right(wrong=2)}).raise_for_status()
    assert fetched(runs).added["edited"] == 2
    api.delete(f"/api/annotations/{made}/").raise_for_status()
    assert fetched(runs).added["withdrawn"] == 3
    assert len(load_records(HumanFolder(runs / "people" / "human"))) == 8


def test_what_the_server_lets_pass_is_refused_here(api: httpx2.Client, runs: Path) -> None:
    (project,) = projects(runs, "ann")
    first, second = tasks(api, project)
    submit(api, first["id"], [choice("l1", "s1", "dubious"), choice("l2", "s2", "correct")])
    submit(api, second["id"], [])
    found = fetched(runs)
    assert [fault.reason for fault in found.faults] == ["unknown_label"]
    assert (found.changed, found.rejected) == (0, 1)
    # A second submission and a copy of the task: the one changed last counts.
    submit(api, first["id"], all_right())
    copy = {"data": first["data"]}
    api.post(f"/api/projects/{project}/import", json=[copy]).raise_for_status()
    found = fetched(runs)
    assert (found.superseded, found.changed, found.faults) == (1, 1, [])
    stranger = {"data": {**first["data"], "task": "t-strange"}}
    api.post(f"/api/projects/{project}/import", json=[stranger]).raise_for_status()
    assert [fault.reason for fault in fetched(runs).faults] == ["unknown_task"]
    api.delete(f"/api/projects/{project}/").raise_for_status()
    assert [fault.reason for fault in fetched(runs).faults] == ["project_gone"]


def test_an_adjudication_goes_the_same_way(api: httpx2.Client, runs: Path) -> None:
    for name, wrong in (("ann", 0), ("bob", 2)):
        for project in projects(runs, name):
            for task in tasks(api, project):
                submit(api, task["id"], all_right(wrong=wrong))
    assert fetched(runs).changed == 4
    assert human_status("people", runs).settled == {"agreed": 2, "open": 2}
    export_adjudication("people", runs, "eve", seed=0, kind="csv", send=send)
    (project,) = projects(runs, "eve")
    for task in tasks(api, project):
        assert task["data"]["h1"] == "not asked"
        assert "B: " in task["data"]["h2"]
        submit(api, task["id"], [choice("l2", "s2", "correct")])
    assert fetched(runs).changed == 2
    assert human_status("people", runs).settled == {"agreed": 2, "adjudicated": 2}


def test_a_chain_is_labelled_in_a_browser(there: LabelStudioAt, runs: Path) -> None:
    if not (there.login and there.password):
        pytest.skip("no login of the server is known: `make servers` makes one")
    (project,) = projects(runs, "ann")
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 1300})
        page.set_default_timeout(90_000)  # the first page of a server that has just started
        page.goto(f"{there.url}/user/login/", wait_until="domcontentloaded")
        page.fill("input[name=email]", there.login)
        page.fill("input[name=password]", there.password)
        with page.expect_response(lambda answer: answer.request.method == "POST"):
            page.click("button[type=submit]", no_wait_after=True)
        page.goto(f"{there.url}/projects/{project}/data?labeling=1", wait_until="domcontentloaded")
        fill_in(page)
    home = ["--home", there.home] if there.home else []
    code, out, _ = call("human", "import", "people", "--runs", runs, "--label-studio", *home)
    assert code == 0
    assert "3 new" in out
    whole, first, second = load_records(HumanFolder(runs / "people" / "human"))
    assert (whole.suitable, whole.annotator, whole.channel) == (True, "ann", "label_studio")
    assert whole.seconds is not None and whole.seconds > 0
    assert (first.label, first.category, first.premises) == ("correct", None, [0])
    assert (second.label, second.category) == ("error", "logical_inconsistency")
    assert (second.premises, second.note) == ([0, 1], "eats one too many")
    code, out, _ = call("human", "status", "people", "--runs", runs)
    assert re.search(r"^ann +2 +1 +2$", out, re.MULTILINE)


def fill_in(page: Any) -> None:
    """Labels the chain of two steps that is shown, as a person does, and submits it."""
    page.get_by_text("Step 1", exact=True).wait_for()
    guidelines = page.get_by_role("heading", name="Guidelines for annotators")
    guidelines.wait_for()  # they lie over the form at first
    page.keyboard.press("Escape")
    guidelines.wait_for(state="hidden")

    def choices(word: str) -> Any:
        return page.locator("label:visible").filter(has_text=re.compile(f"^{word}"))

    def pick(word: str, nth: int) -> None:
        choices(word).nth(nth).click()

    assert not choices("logical_inconsistency").count()  # asked once the label says so
    pick("yes", 0)
    pick("correct", 0)
    pick("0", 0)
    pick("error", 1)
    pick("logical_inconsistency", 0)
    pick("0", 1)
    pick("1", 0)
    page.get_by_placeholder("a note", exact=True).nth(1).fill("eats one too many")
    with page.expect_response(lambda answer: "/annotations" in answer.url and answer.status == 201):
        page.get_by_test_id("bottombar-submit-button").click()

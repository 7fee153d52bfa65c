"""Client: the few calls of Label Studio's REST API that a round trip takes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainwright.pipeline.errors import InputMistake, RunStopped

URL, KEY = "LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"
TASKS_AT_ONCE = 250
SECONDS = 120.0
"""How long one answer may take."""


@dataclass(frozen=True)
class Access:
    """Where a server is, and the key to it."""

    url: str
    key: str

    def __repr__(self) -> str:
        return f"Access(url={self.url!r})"


def access(kept: Path) -> Access:
    """The server that the environment names, or else the one that `chainwright human up` started.

    Args:
        kept: The file in which `up` keeps what it started.

    Raises:
        InputMistake: when there is neither.
    """
    url, key = os.environ.get(URL), os.environ.get(KEY)
    if url and key:
        return Access(url.rstrip("/"), key)
    if not url and kept.is_file():
        own = json.loads(kept.read_text(encoding="utf-8"))
        return Access(own["url"], own["token"])
    raise InputMistake(
        f"found no Label Studio: `chainwright human up` starts one here; for another one set {URL} "
        f"to its address and {KEY} to a token of yours (Account & Settings)"
    )


class LabelStudio:
    """One server; projects, tasks and submissions by plain JSON."""

    def __init__(self, reached: Access) -> None:
        import httpx2

        self.url = reached.url
        self._http = httpx2.Client(base_url=reached.url, timeout=SECONDS)
        self._http.headers["Authorization"] = self._authorization(reached.key)

    def __enter__(self) -> LabelStudio:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def new_project(self, title: str, config: str, instructions: str) -> int:
        """Makes a project without predictions, and gives its number."""
        made = self._call(
            "POST",
            "/api/projects/",
            {
                "title": title,
                "label_config": config,
                "expert_instruction": instructions,
                "show_instruction": True,
                "show_collab_predictions": False,
                "evaluate_predictions_automatically": False,
                "show_skip_button": False,
                "enable_empty_annotation": False,
                "maximum_annotations": 1,
                "sampling": "Sequential sampling",
            },
        )
        return int(made["id"])

    def add_tasks(self, project: int, tasks: Sequence[dict[str, str]]) -> None:
        """Adds tasks, and makes sure that all of them are there."""
        for first in range(0, len(tasks), TASKS_AT_ONCE):
            some = [{"data": data} for data in tasks[first : first + TASKS_AT_ONCE]]
            self._call("POST", f"/api/projects/{project}/import", some)
        for _ in range(60):  # a server may take tasks in after it has answered
            found = int(self._call("GET", f"/api/projects/{project}/")["task_number"])
            if found >= len(tasks):
                return
            time.sleep(0.5)
        raise RunStopped(
            f"project {project} at {self.url} holds {found} of {len(tasks)} tasks; delete it "
            "there, and hand the round out again"
        )

    def project(self, project: int) -> dict[str, Any] | None:
        """A project's settings; None where it was deleted."""
        found = self._call("GET", f"/api/projects/{project}/", missing=True)
        return found if isinstance(found, dict) else None

    def tasks(self, project: int) -> Iterator[dict[str, Any]]:
        """All tasks of a project with their submissions, unfinished ones among them."""
        found = self._call(
            "GET", f"/api/projects/{project}/export?exportType=JSON&download_all_tasks=true"
        )
        if not isinstance(found, list):
            raise RunStopped(f"{self.url} exported no list of tasks of project {project}")
        yield from found

    def _authorization(self, key: str) -> str:
        """A legacy token as it is; a personal one (three parts) is traded for one of minutes."""
        if key.count(".") != 2:
            return f"Token {key}"
        fresh = self._call("POST", "/api/token/refresh", {"refresh": key})
        return f"Bearer {fresh['access']}"

    def _call(self, method: str, path: str, body: Any = None, *, missing: bool = False) -> Any:
        import httpx2

        try:
            answer = self._http.request(method, path, json=body)
        except httpx2.HTTPError as error:
            raise InputMistake(
                f"Label Studio at {self.url} can't be reached ({type(error).__name__}); "
                f"`chainwright human up` starts one here, {URL} names another"
            ) from error
        if missing and answer.status_code == 404:
            return None
        if answer.status_code in (401, 403):
            raise InputMistake(
                f"Label Studio at {self.url} refuses the token ({answer.status_code}): take a "
                "personal access token (Account & Settings), or let the server take legacy ones "
                f"(LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN=true), and put it into {KEY}"
            )
        if answer.status_code >= 400:
            raise RunStopped(
                f"Label Studio at {self.url}: {method} {path.partition('?')[0]} gave "
                f"{answer.status_code}: {answer.text[:300]}"
            )
        try:
            return answer.json()
        except ValueError as error:
            raise RunStopped(f"{self.url}{path.partition('?')[0]} gave no JSON") from error

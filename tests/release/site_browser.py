"""What a report's page asked for and complained of while it was open in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Watched:
    """A page with the addresses it asked for and everything that went wrong."""

    page: Any
    asked: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@contextmanager
def opened(browser: Any, site: Path, at: str = "", **options: Any) -> Iterator[Watched]:
    """The report in `site`, opened from the disk, when its chains can be listed and searched.

    Raises:
        AssertionError: afterwards, when it asked for anything but its own files, or complained.
    """
    page = browser.new_page(**{"viewport": {"width": 1300, "height": 850}, **options})
    seen = Watched(page)
    page.on("request", lambda request: seen.asked.append(request.url))
    page.on("pageerror", lambda error: seen.faults.append(str(error)))

    def console(told: Any) -> None:
        if told.type == "error":
            seen.faults.append(told.text)

    def dialog(shown: Any) -> None:
        seen.faults.append(shown.message)
        shown.dismiss()

    page.on("console", console)
    page.on("dialog", dialog)
    page.set_default_timeout(10_000)
    page.goto(f"{(site / 'index.html').as_uri()}{at}")
    page.wait_for_selector("html[data-ready=texts]")
    yield seen
    page.close()
    assert [url for url in seen.asked if not url.startswith((site.as_uri(), "data:"))] == []
    assert seen.faults == []

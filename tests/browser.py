"""A Chromium for tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser; the test is skipped where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    with sync_api.sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        except sync_api.Error as error:
            pytest.skip(f"no Chromium to be found: {str(error).splitlines()[0]}")
        yield browser
        browser.close()

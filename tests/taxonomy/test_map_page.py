"""The map: no text can leave its place, nothing is fetched, and a browser shows what it should."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chainwright.pipeline.taxonomy.map_page import TEMPLATE, map_page
from tests.browser import chromium

SLY = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)> & \u2028"


def data(*texts: str) -> dict[str, Any]:
    """A page's data with one group a kind."""
    count = len(texts)
    group = {"names": [SLY], "sizes": [count], "of": [0] * count}
    return {
        "x": [5000 + 1000 * n for n in range(count)],
        "y": [5000] * count,
        "text": list(texts),
        "tags": ["tag"] * count,
        "count": [1] * count,
        "noise": 0,
        "none": "(none)",
        "groups": {"category": group, "cluster": group, "source": group, "generator": group},
    }


class Scripts(HTMLParser):
    """The content of the script elements, and the names of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script":
            self.scripts[-1] += data


def read(page: str) -> Scripts:
    parser = Scripts()
    parser.feed(page)
    return parser


@given(st.text())
def test_any_text_stays_in_the_data(text: str) -> None:
    text = text.encode(errors="replace").decode()
    parser = read(map_page(data(text, SLY)))
    assert len(parser.scripts) == 2
    assert "img" not in parser.names
    assert json.loads(parser.scripts[0])["text"] == [text, SLY]


def test_nothing_is_fetched_and_no_text_becomes_markup() -> None:
    template = TEMPLATE.read_text(encoding="utf-8")
    found = re.findall(
        r"\bsrc=|href=|url\(|@import|fetch\(|XMLHttp|https?://|innerHTML|outerHTML|"
        r"insertAdjacentHTML|document\.write|eval\(",
        template,
    )
    assert found == []
    assert "default-src 'none'" in template


def test_a_browser_draws_and_shows_the_text_under_the_pointer(tmp_path: Path) -> None:
    path = tmp_path / "map.html"
    path.write_text(map_page(data(SLY)), encoding="utf-8")
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 900, "height": 600})
        asked: list[str] = []
        faults: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_function("document.querySelector('#legend li') !== null")
        area = page.locator("#canvas").bounding_box()
        page.mouse.move(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
        page.wait_for_selector("#card:not([hidden])")
        shown = page.locator("#card").inner_text()
        assert "</script><script>document.title='taken'</script>" in shown
        assert page.title() == "Map of critiques"
        assert page.locator("#legend b").first.inner_text().startswith("</script>")
        page.select_option("#by", "source")
        page.locator("#legend button").first.click()
        assert page.locator("#legend button").first.get_attribute("aria-pressed") == "false"
        page.mouse.move(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
        page.wait_for_selector("#card[hidden]", state="attached")
        assert asked == [path.as_uri()]
        assert faults == []

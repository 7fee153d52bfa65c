"""A report as a folder: whole or not at all, the same bytes, nothing that must not leave."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from chainwright.release.site import katex
from chainwright.release.site.build import MAP, SiteLeaks, write_site
from chainwright.release.site.detail import PER_CHUNK
from chainwright.release.site.listing import PER_SHARD
from chainwright.release.site.script_data import value_of
from tests.release.conftest import THEIRS
from tests.release.site_rows import facts, hostile_block, many_blocks

PAGES = Path(katex.__file__).parent / "pages"


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def own_tarball(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A tarball made like KaTeX's, whose hash is the one that is looked for."""
    files = {
        "dist/katex.min.css": b"@font-face{src:url(fonts/A-B.woff2) format('woff2'),"
        b"url(fonts/A-B.woff) format('woff'),url(fonts/A-B.ttf) format('truetype')}",
        "dist/katex.min.js": b"katex",
        "dist/fonts/A-B.woff2": b"font",
        "LICENSE": b"MIT",
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    tarball = buffer.getvalue()
    digest = base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    monkeypatch.setattr(katex, "INTEGRITY", f"sha512-{digest}")
    return tarball


def test_the_folder_holds_every_chain_once_in_chunks(tmp_path: Path) -> None:
    problems = PER_CHUNK * 2 + 1
    summary = write_site(tmp_path / "site", many_blocks(problems), facts())
    files = content(tmp_path / "site")
    assert summary.files == len(files)
    assert summary.chains == summary.problems == problems
    _, overview = value_of(files["data/overview.js"].decode())
    assert (overview["chunks"], overview["shards"]) == (3, 1)
    ids = [
        chain["id"]
        for number in range(3)
        for chain in value_of(files[f"data/chains-{number:05d}.js"].decode())[1]["chains"]
    ]
    _, index = value_of(files["data/index-00000.js"].decode())
    assert index["id"] == ids
    assert len(set(ids)) == problems


def test_chunks_end_where_shards_end() -> None:
    """The page finds a chain's chunk by its place alone, so neither may be cut short."""
    assert PER_SHARD % PER_CHUNK == 0


def test_the_same_rows_give_the_same_bytes_and_a_former_report_is_replaced(tmp_path: Path) -> None:
    for _ in range(2):
        write_site(tmp_path / "a", [hostile_block()], facts())
    write_site(tmp_path / "b", [hostile_block()], facts())
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/manifest.json").write_text('{"format": "chainwright-release"}')
    with pytest.raises(FileExistsError, match="is no report"):
        write_site(tmp_path / "a", [], facts())
    assert list(content(tmp_path / "a")) == ["manifest.json"]


def test_a_run_without_chains_gives_pages_all_the_same(tmp_path: Path) -> None:
    summary = write_site(tmp_path / "a", [], facts())
    assert (summary.chains, summary.steps) == (0, 0)


def test_a_key_keeps_the_report_from_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "24-2=22 are good.")
    with pytest.raises(SiteLeaks, match="the value of SOME_TOKEN") as caught:
        write_site(tmp_path / "a", [hostile_block()], facts())
    assert "24-2" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_place_of_this_machine_keeps_the_report_from_being_written(tmp_path: Path) -> None:
    with pytest.raises(SiteLeaks, match="a folder of this machine"):
        write_site(tmp_path / "a", [], facts(title=f"of {THEIRS}/work"), places=[THEIRS])


def test_rows_name_no_address_and_no_folder(tmp_path: Path) -> None:
    write_site(tmp_path / "a", [hostile_block()], facts())
    for name, data in content(tmp_path / "a").items():
        assert b"gpu7" not in data, name
        assert THEIRS.encode() not in data, name


def test_katex_comes_with_its_licence_and_its_fonts_within(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tarball = own_tarball(monkeypatch)
    summary = write_site(tmp_path / "a", [], facts(), tarball=tarball)
    files = content(tmp_path / "a")
    assert summary.katex == katex.VERSION
    assert files["katex/LICENSE.txt"] == b"MIT"
    assert files["katex/katex.css"] == (
        b"@font-face{src:url(data:font/woff2;base64,Zm9udA==) format('woff2')}"
    )


def test_another_tarball_is_no_katex(tmp_path: Path) -> None:
    with pytest.raises(katex.NotKatex, match="npm pack katex@"):
        write_site(tmp_path / "a", [], facts(), tarball=b"something else")
    assert list(tmp_path.iterdir()) == []


def test_the_map_of_a_taxonomy_comes_along(tmp_path: Path) -> None:
    (tmp_path / "m.html").write_text("map")
    summary = write_site(tmp_path / "a", [], facts(), map_page=tmp_path / "m.html")
    assert summary.map
    assert (tmp_path / "a" / MAP).read_text() == "map"
    manifest = json.loads((tmp_path / "a/manifest.json").read_text())
    assert manifest["format"] == "chainwright-report"


def test_scripts_make_no_markup_of_texts_and_fetch_nothing() -> None:
    for path in sorted(PAGES.rglob("*.js")):
        text = path.read_text(encoding="utf-8")
        found = re.findall(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|"
            r"fetch\(|XMLHttp|https?://(?!www\.w3\.org/2000/svg)|setAttributeNS|srcdoc",
            text,
        )
        assert found == [], path.name


def test_the_page_forbids_what_it_does_not_need() -> None:
    page = (PAGES / "index.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert "unsafe" not in page
    scripts = re.findall(r'src="(scripts/[\w.]+)"', page)
    assert scripts == list(dict.fromkeys(scripts))
    assert {*scripts} == {f"scripts/{path.name}" for path in (PAGES / "scripts").iterdir()}
    styles = re.findall(r'href="(styles/[\w.]+)"', page)
    assert {*styles} == {f"styles/{path.name}" for path in (PAGES / "styles").iterdir()}

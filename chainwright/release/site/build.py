"""Build: the folder of pages, written in one pass over a run's blocks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from chainwright import __version__
from chainwright.release.folder import new_folder
from chainwright.release.leaks import Leak, leaks
from chainwright.release.site import katex
from chainwright.release.site.chain_view import chain_views
from chainwright.release.site.detail import PER_CHUNK, Chunk
from chainwright.release.site.figures import Figures
from chainwright.release.site.listing import PER_SHARD, Facets, Shard
from chainwright.release.site.overview import Facts, overview
from chainwright.release.site.script_data import script_of

FORMAT = "chainwright-report"
"""Value of `format` in a report's manifest, by which one is told from any other folder."""

MAP = "map.html"
_PAGES = Path(__file__).parent / "pages"


class SiteLeaks(ValueError):
    """What was to be written holds what must not leave the machine."""

    def __init__(self, found: Sequence[Leak]) -> None:
        super().__init__("; ".join(map(str, found)))


@dataclass(frozen=True)
class SiteSummary:
    """What was written.

    Attributes:
        problems: Problems whose chains were met.
        chains: Chains; `labelled` are those with labels, `broken` the synthetic negatives.
        steps: Their steps.
        files: Files of the folder; `bytes` is their size.
        katex: The version that draws formulas; None where they stay as source text.
        map: Whether the map of a taxonomy is part of it.
    """

    problems: int
    chains: int
    labelled: int
    broken: int
    steps: int
    files: int
    bytes: int
    katex: str | None
    map: bool


def write_site(
    folder: Path,
    blocks: Iterable[Mapping[str, Sequence[Any]]],
    facts: Facts,
    *,
    tarball: bytes | None = None,
    map_page: Path | None = None,
    places: Sequence[str] = (),
) -> SiteSummary:
    """Writes the pages of a run; the folder appears whole, or a former one stays as it was.

    One block and one chunk of chains are in memory at a time, and the counts.

    Args:
        folder: Where to; a former report is replaced.
        blocks: Per block the rows of `chain_view.TABLES`.
        facts: What the run tells of itself.
        tarball: KaTeX, as `katex.check` wants it; None leaves formulas as source text.
        map_page: The map of a taxonomy, which is copied.
        places: Folders of this machine, which no file may name.

    Raises:
        FileExistsError: the folder holds something else than a report.
        OSError: it cannot be written.
        SiteLeaks: a file would hold a key, or one of the places.
        NotKatex: the tarball is another file.
    """
    with new_folder(folder, FORMAT, "report") as fresh:
        _copy_pages(fresh)
        if tarball is not None:
            katex.unpack(tarball, fresh / "katex")
        if map_page is not None:
            shutil.copyfile(map_page, fresh / MAP)
        data = _Data(fresh / "data")
        data.add_all(blocks)
        version = None if tarball is None else katex.VERSION
        data.write(
            "overview",
            {**overview(facts), **data.document(), "katex": version, "map": map_page is not None},
        )
        counts = data.figures.counts
        summary = SiteSummary(
            problems=data.problems,
            chains=counts["chains"],
            labelled=counts["labelled_chains"],
            broken=data.figures.chains["polarity"]["synthetic_negative", "all"],
            steps=counts["steps"],
            **_sizes(fresh),
            katex=version,
            map=map_page is not None,
        )
        _write_manifest(fresh, facts, summary)
        if found := list(islice(leaks(fresh, places), 3)):
            raise SiteLeaks(found)
    return summary


class _Data:
    """The data files, written as the rows come."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._facets = Facets()
        self._chunk, self._shard = Chunk(), Shard(self._facets)
        self._chunks = self._shards = 0
        self.figures = Figures()
        self.problems = 0

    def add_all(self, blocks: Iterable[Mapping[str, Sequence[Any]]]) -> None:
        for tables in blocks:
            met = set()
            for view in chain_views(tables):
                met.add(view.problem.problem_id)
                self.figures.add(view)
                self._chunk.add(view)
                self._shard.add(view)
                if len(self._chunk) == PER_CHUNK:
                    self._end_chunk()
                if len(self._shard) == PER_SHARD:
                    self._end_shard()
            self.problems += len(met)
        if len(self._chunk):
            self._end_chunk()
        if len(self._shard):
            self._end_shard()

    def document(self) -> dict[str, Any]:
        return {
            "problems": self.problems,
            "figures": self.figures.document(),
            "facets": self._facets.document(),
            "chunks": self._chunks,
            "per_chunk": PER_CHUNK,
            "shards": self._shards,
        }

    def write(self, name: str, value: Any) -> None:
        path = self._folder / f"{name}.js"
        path.write_text(script_of(name, value), encoding="utf-8", newline="\n")

    def _end_chunk(self) -> None:
        self.write(f"chains-{self._chunks:05d}", self._chunk.document())
        self._chunk, self._chunks = Chunk(), self._chunks + 1

    def _end_shard(self) -> None:
        self.write(f"index-{self._shards:05d}", self._shard.document())
        self.write(f"text-{self._shards:05d}", self._shard.texts())
        self._shard, self._shards = Shard(self._facets), self._shards + 1


def _copy_pages(folder: Path) -> None:
    shutil.copyfile(_PAGES / "index.html", folder / "index.html")
    for part in ("scripts", "styles"):
        (folder / part).mkdir()
        for path in sorted((_PAGES / part).iterdir()):
            shutil.copyfile(path, folder / part / path.name)


def _sizes(folder: Path) -> dict[str, int]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {"files": len(files) + 1, "bytes": sum(path.stat().st_size for path in files)}


def _write_manifest(folder: Path, facts: Facts, summary: SiteSummary) -> None:
    value = {
        "format": FORMAT,
        "format_version": 1,
        "name": facts.name,
        "chainwright": __version__,
        **asdict(summary),
    }
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    (folder / "manifest.json").write_text(text, encoding="utf-8", newline="\n")

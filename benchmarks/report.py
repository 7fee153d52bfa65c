"""Times a report: how long it takes to write, to open and to search, and how large it is.

Writes the report of a run, or of made rows, opens it from the disk in headless Chromium, and says
how long the first page, the list and the texts of the steps take to come, and how long a search
takes from the query to the drawn list. Beside each time stands what of it the page's main thread
worked, which other work on the machine hardly changes.

    python benchmarks/report.py [--run RUNFOLDER] [--chains N] [--repeat N]

Needs Chromium and the package playwright (dev). Reports and does not judge; on a machine that does
other work as well its figures are too high.
"""

import argparse
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from chainwright.pipeline.reporting import report  # noqa: E402
from chainwright.release.site.build import SiteSummary, write_site  # noqa: E402
from chainwright.release.site.chain_view import TABLES  # noqa: E402
from tests.browser import ARGUMENTS, NAMES  # noqa: E402
from tests.release.conftest import (  # noqa: E402
    make_chain,
    make_labels,
    make_negative,
    make_problem,
    make_vote,
)
from tests.release.site_rows import facts  # noqa: E402

QUERIES = ("e", "total cost", "half as many", "xyzzy", "=24", "")
PER_BLOCK = 250

Timed = tuple[float, float]
"""Seconds on the wall, and seconds that the page's main thread worked."""

SEARCH = """async query => {
  const start = performance.now();
  chainwright.listed.query = query;
  chainwright.refresh();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  return [performance.now() - start, chainwright.listed.found.length];
}"""


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, help="a run folder; rows are made without it")
    parser.add_argument("--chains", type=int, default=10_000, help="chains to make")
    parser.add_argument("--repeat", type=int, default=5, help="times the report is opened")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        site = Path(name) / "report"
        start, began = time.monotonic(), time.process_time()
        summary = written(site, options.run, options.chains)
        took, busy = time.monotonic() - start, time.process_time() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        load = os.getloadavg()[0]
        print(f"{summary.chains:,} chains, {summary.steps:,} steps; load {load:.1f}")
        print(f"written in {took:.1f} s, {busy:.1f} s on a processor; peak memory {peak:,.0f} MB")
        print(f"{summary.files:,} files, {summary.bytes / 1e6:.1f} MB")
        measure(site, options.repeat)


def written(site: Path, run: Path | None, chains: int) -> SiteSummary:
    """Write the report of a run, or of made rows."""
    if run is not None:
        return report(str(run), run.parent, site, offline=True).summary
    return write_site(site, made(chains // 2), facts(title="Made rows"))


def made(problems: int) -> Iterator[dict[str, list[Any]]]:
    """Blocks of problems with a positive and a negative of six steps each, and three judges."""
    for first in range(0, problems, PER_BLOCK):
        rows: dict[str, list[Any]] = {table: [] for table in TABLES}
        for number in range(first, min(first + PER_BLOCK, problems)):
            problem = make_problem(number)
            steps = [f"Crate {k} holds {k}*{number}={k * number} pears." for k in range(1, 7)]
            chain = make_chain(problem, steps)
            broken = make_negative(problem, chain)
            rows["problems"].append(problem)
            rows["chains"] += [chain, broken]
            for one in (chain, broken):
                rows["labels"] += make_labels(one, *["correct"] * len(one.steps))
                rows["votes"] += [
                    make_vote(one, step, f"program:{judge}")
                    for step in range(1, len(one.steps) + 1)
                    for judge in ("arithmetic", "provenance", "reference")
                ]
        yield rows


def measure(site: Path, repeat: int) -> None:
    """Open the report several times, and print medians and the slowest."""
    from playwright.sync_api import sync_playwright

    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    times: dict[str, list[Timed]] = {"first page": [], "list": [], "texts": [], "a chain": []}
    searches: dict[str, list[Timed]] = {query: [] for query in QUERIES}
    hits: dict[str, int] = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        for _ in range(repeat):
            page = browser.new_page(viewport={"width": 1300, "height": 850})
            worked = main_thread(page)
            clock = Clock(worked)
            page.goto(f"{(site / 'index.html').as_uri()}#/overview")
            page.wait_for_selector("h1#title")
            times["first page"].append(clock())
            page.wait_for_selector("html[data-ready]")
            times["list"].append(clock())
            page.wait_for_selector("html[data-ready=texts]")
            times["texts"].append(clock())
            page.evaluate("location.hash = '#/chains'")
            page.wait_for_selector("#list .row")
            for query in QUERIES:
                before = worked()
                took, hits[query] = page.evaluate(SEARCH, query)
                searches[query].append((took / 1000, worked() - before))
            clock = Clock(worked)
            page.evaluate("chainwright.step(1e9)")
            page.wait_for_selector(".sheet")
            times["a chain"].append(clock())
            page.close()
        browser.close()
    for name, seconds in times.items():
        print(f"{name + ' after':<22}{spread(seconds)}")
    for query, seconds in searches.items():
        print(f"{'search ' + repr(query):<22}{spread(seconds)}  {hits[query]:,} found")


class Clock:
    """Seconds since it was made: on the wall, and those that a page's main thread worked."""

    def __init__(self, worked: Callable[[], float]) -> None:
        self._worked = worked
        self._start, self._before = time.monotonic(), worked()

    def __call__(self) -> Timed:
        return time.monotonic() - self._start, self._worked() - self._before


def main_thread(page: Any) -> Callable[[], float]:
    """Tells how long the main thread of a page has worked, in seconds of processor time."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        found = session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))

    return worked


def spread(times: list[Timed]) -> str:
    """The median and the largest, in milliseconds, and the median of the work."""
    wall, work = zip(*times, strict=True)
    median, most, busy = (
        1000 * one for one in (statistics.median(wall), max(wall), statistics.median(work))
    )
    return f"{median:6.0f} ms, at most {most:5.0f} ms; work {busy:5.0f} ms"


if __name__ == "__main__":
    main()

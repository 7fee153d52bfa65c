"""What all tests share: the genuine records where they are at hand, and hypothesis's profile."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# A slow machine is no fault of the code: examples have no deadline.
settings.register_profile("chainwright", deadline=None)
settings.load_profile("chainwright")

# The width of a terminal is no one's business here; xdist tells its workers one.
os.environ.pop("COLUMNS", None)

# A shell has what it starts in the background ignore Ctrl-C: so would the builds that tests stop.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

LONG_FILES = (
    "taxonomy/test_clustering.py",  # compiles what test_commands.py then finds
    "annotation/test_model_local.py",
    "test_docs_tasks.py",
    "pipeline/cluster/test_ray_build.py",
    "pipeline/test_label_studio.py",
    "pipeline/test_model_interruption.py",
    "pipeline/test_batch_build.py",
    "pipeline/test_budget_build.py",
    "pipeline/test_model_build.py",
    "llm/test_batches.py",
    "release/test_site_pages.py",
    "release/test_site_parts.py",
    "taxonomy/test_commands.py",
)
"""Files that take a quarter of a minute or more, begun first: a process that begins one when the
others are nearly done leaves them idle."""

REAL_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long files in their order, then the others in theirs."""
    rank = {Path(__file__).parent / name: place for place, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of genuine records; tests that read it skip where it is absent."""
    if not REAL_DATA.is_dir():
        pytest.skip("the genuine records (../shared/data) are not on this machine")
    return REAL_DATA

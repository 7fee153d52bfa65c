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

# A shell ignores Ctrl-C for what it starts in the background; builds that tests stop would, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

REAL_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of genuine records; tests that read it skip where it is absent."""
    if not REAL_DATA.is_dir():
        pytest.skip("the genuine records (../shared/data) are not on this machine")
    return REAL_DATA

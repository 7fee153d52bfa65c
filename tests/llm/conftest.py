"""What the tests of the llm wing share: a server that fails on request, and an empty ledger."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chainwright.llm.keys import NAMES
from chainwright.llm.ledger import Ledger
from tests.llm.fault_server import FaultServer


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key or address of whoever runs the tests."""
    addresses = ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "AZURE_OPENAI_ENDPOINT"]
    others = ["OPENAI_CUSTOM_HEADERS", "OPENAI_API_VERSION", "AZURE_OPENAI_AD_TOKEN"]
    for name in [*NAMES.values(), *addresses, *others]:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDKs try again at once: they do so for batches alone."""
    for sdk in ("openai", "anthropic"):
        monkeypatch.setattr(f"{sdk}._base_client.INITIAL_RETRY_DELAY", 0.001)
        monkeypatch.setattr(f"{sdk}._base_client.MAX_RETRY_DELAY", 0.001)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.sqlite", flush_interval=0.0) as opened:
        yield opened

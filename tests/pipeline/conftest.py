import pytest

from tests.pipeline.small_line import CODE_VERSION, pinned


@pytest.fixture(autouse=True)
def code_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's editing of the package, while tests run, makes a block stale."""
    monkeypatch.setattr(CODE_VERSION, pinned)

"""Small sets that the tests of the taxonomy share; without the extra they skip."""

from typing import Any

import pytest

np = pytest.importorskip("numpy")


@pytest.fixture(scope="session")
def blobs() -> tuple[Any, Any]:
    """600 vectors of length one around six directions, and the direction of each."""
    rng = np.random.default_rng(7)
    truth = np.repeat(np.arange(6), 100)
    noisy = rng.normal(size=(6, 32))[truth] + 0.5 * rng.normal(size=(600, 32))
    order = rng.permutation(600)
    unit = noisy / np.linalg.norm(noisy, axis=1, keepdims=True)
    return unit[order].astype(np.float32), truth[order]

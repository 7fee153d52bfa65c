"""The extra `taxonomy`: heavy libraries, loaded where they are used, and how to get them."""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any

REMEDY = (
    "pip install 'chainwright[taxonomy]' (on a machine without a GPU, a CPU build of torch first)"
)

COMPILED = {"umap": "umap-learn", "fast_hdbscan": "fast_hdbscan"}
"""What numba compiles at its first import, which takes 15 to 30 s."""

Tell = Callable[[str], None]
"""Takes a line that says what goes on."""


class MissingExtra(ImportError):
    """A library of the extra `taxonomy` is not installed; the message says how to get it."""


def silent(_line: str) -> None:
    """Tells nobody."""


def load(module: str, tell: Tell = silent) -> Any:
    """A library of the extra.

    Raises:
        MissingExtra: when it, or something that it needs, is not installed.
    """
    import sys

    root = module.partition(".")[0]
    if root in COMPILED and root not in sys.modules:
        tell(f"loading {COMPILED[root]} (the first time it compiles, which takes 15 to 30 s)")
    try:
        return import_module(module)
    except ImportError as error:
        missing = error.name or module
        raise MissingExtra(
            f"the taxonomy needs {missing.partition('.')[0]}, which is not installed: {REMEDY}"
        ) from error


def name_and_version(distribution: str) -> str:
    """A library as a record names it, such as `hdbscan 0.8.44`."""
    return f"{distribution} {version(distribution)}"

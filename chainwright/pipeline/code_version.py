"""Code version: a hash of the code and data that a stage's rows depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from chainwright.annotation.checkers.source import source_files

SHARED = ("chainwright.schemas", "chainwright.notation", "chainwright.stage")
"""What every stage rests on besides its own wing."""


def code_version(*modules: str) -> str:
    """SHA-256 over every file of the named modules and packages and of what all stages share.

    Files other than Python count too: a changed prompt or table of words is a changed stage.

    Raises:
        ModuleNotFoundError: when a name is no module.
    """
    digest = hashlib.sha256()
    for module in sorted({*modules, *SHARED}):
        for label, path in _files(module):
            content = path.read_bytes()
            digest.update(f"{module}\0{label}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def _files(module: str) -> Iterator[tuple[str, Path]]:
    """Each file with a label that does not depend on where the package is installed."""
    spec = find_spec(module)
    if spec is None:
        raise ModuleNotFoundError(f"no module {module!r} to take the code version of")
    return source_files(spec)

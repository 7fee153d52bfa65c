"""Stamp: what has to be the same on all machines for them to make the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from chainwright import __version__
from chainwright.pipeline.code_version import code_version
from chainwright.pipeline.manifest import library_versions

SHOWN = 12
"""Characters of a hash in a message."""


@cache
def stamp() -> dict[str, str]:
    """Versions of chainwright's code and of the libraries that decide a run's bytes.

    Taken once a process: what is edited later is not what it runs.
    """
    code = code_version("chainwright")[:SHOWN]
    return {"chainwright": f"{__version__} (code {code})", **library_versions()}


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> str:
    """What differs, in words; empty where nothing does.

    >>> differences({"polars": "2.1", "python": "3.12"}, {"polars": "2.0", "python": "3.12"})
    'polars 2.0 instead of 2.1'
    """
    return ", ".join(
        f"{name} {found.get(name, 'missing')} instead of {version}"
        for name, version in expected.items()
        if found.get(name) != version
    )

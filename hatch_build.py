"""Build hook: a wheel brings KaTeX along, so that whoever installs it needs no npm.

KaTeX stays out of this repository. The hook lets npm fetch the version that
`chainwright/release/site/katex.py` names, holds it against the hash there, and puts the tarball,
with its licence in it, into the wheel. Without npm or a network the wheel is built without it.
"""

import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PIN = "chainwright/release/site/katex.py"
QUIETLY = ("--silent", "--ignore-scripts", "--fetch-retries=0", "--pack-destination")
PLACE = "chainwright/release/site/vendor"


class KatexHook(BuildHookInterface):  # type: ignore[type-arg,unused-ignore]
    """Fetches KaTeX for a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the tarball to a wheel's files; an editable installation fetches it when needed."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        katex = _pin(Path(self.root) / PIN)
        try:
            tarball = _fetched(katex, Path(self._folder.name))
        except (OSError, subprocess.SubprocessError, katex.NotKatex) as error:
            self.app.display_warning(f"the wheel is without KaTeX, formulas need npm: {error}")
            return
        build_data["force_include"][str(tarball)] = f"{PLACE}/{katex.TARBALL}"


def _pin(path: Path) -> Any:
    """The module that names version and hash; it needs the standard library alone."""
    spec = importlib.util.spec_from_file_location("katex_pin", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _fetched(katex: Any, folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not installed")
    command = [npm, "pack", f"katex@{katex.VERSION}", *QUIETLY, str(folder)]
    subprocess.run(  # noqa: S603 - our own words, and the builder's npm
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True
    )
    tarball = folder / katex.TARBALL
    katex.check(tarball.read_bytes())
    return tarball

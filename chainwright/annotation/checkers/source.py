"""The source of a checker's module: found and hashed without running any of it.

So a dry run can tell that a checker has changed, while no code of the user's runs before a build.
"""

import hashlib
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

NO_SOURCE = "no source"
"""The version of a module that is not there, or in no file."""


def source_version(module: str) -> str:
    """SHA-256 over a module's file, or over all files of a package; `NO_SOURCE` without any.

    Code is read here as an import reads it; modules that this one imports do not count.
    """
    spec = find_module(module)
    digest = hashlib.sha256()
    files = list(source_files(spec)) if spec else []
    for label, path in files:
        content = path.read_bytes()
        digest.update(f"{label}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest() if files else NO_SOURCE


def find_module(module: str) -> ModuleSpec | None:
    """Where a module is, among all that is installed, on PYTHONPATH and in the working folder."""
    spec, folders = None, None
    for name in _with_parents(module):
        if spec is not None and folders is None:
            return None  # a plain module has nothing below it
        spec = _found(name, folders)
        if spec is None:
            return None
        folders = spec.submodule_search_locations
    return spec


def make_importable(module: str) -> None:
    """Lets a module of the working folder be imported, as `python -m` does.

    The folder comes last, so that nothing in it takes the place of what is installed. A Python
    that was told to leave it out (`-P`, PYTHONSAFEPATH) leaves it out here too.
    """
    top = module.partition(".")[0]
    if top not in sys.modules and _installed(top, None) is None and _working_folder():
        sys.path.append(*_working_folder())


def _with_parents(module: str) -> Iterator[str]:
    words = module.split(".")
    return (".".join(words[:count]) for count in range(1, len(words) + 1))


def _found(name: str, folders: Sequence[str] | None) -> ModuleSpec | None:
    spec = _installed(name, folders)
    if spec is None and folders is None:
        spec = PathFinder.find_spec(name, _working_folder())
    return spec


def _installed(name: str, folders: Sequence[str] | None) -> ModuleSpec | None:
    for finder in sys.meta_path:
        spec = finder.find_spec(name, folders)
        if spec is not None:
            return spec
    return None


def _working_folder() -> list[str]:
    return [] if sys.flags.safe_path else [str(Path.cwd())]


def source_files(spec: ModuleSpec) -> Iterator[tuple[str, Path]]:
    """The files of a module or package, each with a label that says nothing of where it lies."""
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if not folders and spec.origin is not None and Path(spec.origin).is_file():
        yield "", Path(spec.origin)
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            label = path.relative_to(folder)
            hidden = any(part.startswith((".", "__pycache__")) for part in label.parts)
            if path.is_file() and not hidden:
                yield label.as_posix(), path

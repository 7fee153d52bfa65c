"""Loading a checker: imported by name, and looked at before it is asked anything."""

import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from chainwright.annotation.checkers.source import make_importable, source_version
from chainwright.annotation.checkers.worker import Worker
from chainwright.spelling import nearest

TIMEOUT = "TIMEOUT_SECONDS"
"""The constant by which a module limits how long its checkers may take for a chain."""

EXPECTED = "a function that takes a view of a chain and returns an opinion for each step"


class CheckerFault(Exception):
    """A checker that cannot be used.

    Attributes:
        found: The name in the recipe, quoted, and what is wrong with it.
        expected: What is allowed.
        hint: The way out; null where it is plain.
    """

    def __init__(self, found: str, expected: str = EXPECTED, hint: str | None = None) -> None:
        super().__init__(found, expected, hint)
        self.found, self.expected, self.hint = found, expected, hint

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"found {self.found}, expected {self.expected}{hint}"


@dataclass(frozen=True)
class Loaded:
    """A checker that can be asked.

    Attributes:
        version: Of its module's source.
        timeout: Seconds for one chain; null = no limit.
    """

    function: Callable[[Any], Any]
    version: str
    timeout: float | None
    worker: Worker = field(default_factory=Worker)


_loaded: dict[str, Loaded] = {}


def loaded(name: str) -> Loaded:
    """The checker as it was last loaded, or loaded now.

    Raises:
        CheckerFault: as `load` does.
    """
    return _loaded.get(name) or load(name)


def load(name: str) -> Loaded:
    """Imports a checker; one whose source has changed since is imported again.

    Args:
        name: `PACKAGE.MODULE.FUNCTION`.

    Raises:
        CheckerFault: when the module cannot be imported, has no such attribute, or that is
            nothing that takes a view.
    """
    module_name, _, attribute = name.rpartition(".")
    uri = f"python:{name}"
    version = source_version(module_name)
    known = _loaded.get(name)
    if known and known.version == version:
        return known
    module = _imported(uri, module_name, again=known is not None)
    found = Loaded(_function(uri, module, attribute), version, _timeout(uri, module))
    _loaded[name] = found
    return found


def _imported(uri: str, name: str, *, again: bool) -> ModuleType:
    if name.partition(".")[0] in sys.stdlib_module_names:
        raise CheckerFault(f"`{uri}`, which is in Python's own `{name}`")
    make_importable(name)
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(name)
        return importlib.reload(module) if again else module
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _failed(uri, name, error) from error
        raise CheckerFault(
            f"`{uri}`, and no module `{error.name}`",
            "a module that is installed, on PYTHONPATH or in the working folder",
            "the recipe's own folder is not searched",
        ) from error
    except (Exception, SystemExit) as error:
        raise _failed(uri, name, error) from error


def _failed(uri: str, name: str, error: BaseException) -> CheckerFault:
    told = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return CheckerFault(
        f"`{uri}`, whose module fails when it is imported: {told}",
        "a module that can be imported",
        f'see for yourself: python -c "import {name}"',
    )


def _function(uri: str, module: ModuleType, attribute: str) -> Callable[[Any], Any]:
    function = getattr(module, attribute, None)
    if function is None:
        names = [name for name, value in vars(module).items() if callable(value)]
        close = nearest(attribute, names)
        hint = f"did you mean `python:{module.__name__}.{close}`?" if close else None
        raise CheckerFault(f"`{uri}`, and no `{attribute}` in {module.__name__}", EXPECTED, hint)
    if isinstance(function, type):
        raise CheckerFault(f"`{uri}`, a class", EXPECTED, "name an instance of it, or a function")
    if not callable(function):
        raise CheckerFault(f"`{uri}`, which is of type {type(function).__name__}")
    checked: Callable[[Any], Any] = function
    try:
        inspect.signature(checked).bind(object())
    except ValueError:
        raise CheckerFault(f"`{uri}`, whose parameters cannot be told") from None
    except TypeError as error:
        shown = inspect.signature(checked)
        raise CheckerFault(
            f"`{uri}` with the parameters {shown}",
            "one positional parameter, the view of a chain",
            f"{error}" if str(error) else None,
        ) from None
    return checked


def _timeout(uri: str, module: ModuleType) -> float | None:
    seconds = getattr(module, TIMEOUT, None)
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise CheckerFault(
            f"`{uri}` with {TIMEOUT} = {seconds!r:.60}", f"a number above 0 as {TIMEOUT}, or none"
        )
    return float(seconds)

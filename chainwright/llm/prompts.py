"""Prompts: the Jinja templates beside this module, rendered strictly and versioned by their text.

Values come from data sets and from models, so no template trusts them: they are never read as
templates themselves, and `fence` keeps them apart from the instructions.
"""

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent / "prompts"


def render(name: str, /, **values: object) -> str:
    """The prompt that a template makes of its values.

    Args:
        name: The template's file name without `.j2`.

    Raises:
        ValueError: for a template that does not exist.
        jinja2.UndefinedError: for a value that the template asks for and did not get.

    >>> print(render("reask", fault="step 2 is missing").splitlines()[0])
    That answer cannot be used: step 2 is missing
    """
    _source(name)
    return _environment().get_template(f"{name}.j2").render(values)


def prompt_version(name: str) -> str:
    """Twelve hex digits that change with the text of a template, or of one that it includes.

    Raises:
        ValueError: for a template that does not exist.
    """
    digest = hashlib.sha256()
    for part in _with_includes(name):
        digest.update(f"{part}\n{_source(part)}\n".encode())
    return digest.hexdigest()[:12]


def prompt_names() -> list[str]:
    """The names of all templates, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.j2"))


def fence(text: str) -> str:
    """Text between two lines of backticks, more of them than the text has in any one row.

    So the text cannot hold the closing line, whatever it says; the same text always gets the same
    fence. This is the template filter `fence`.

    >>> print(fence("a ``` b"))
    ````
    a ``` b
    ````
    """
    text = str(text)  # a missing value, which is no text, says so here
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}\n{text}\n{marks}"


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        autoescape=False,  # noqa: S701  # prompts are plain text; escaping would change formulas
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["fence"] = fence
    return environment


@cache
def _source(name: str) -> str:
    path = FOLDER / f"{name}.j2"
    if name not in prompt_names():
        raise ValueError(f"found the prompt `{name}`, expected one of {', '.join(prompt_names())}")
    return path.read_text(encoding="utf-8")


@cache
def _with_includes(name: str) -> tuple[str, ...]:
    """A template and all that it includes, extends or imports, in a fixed order."""
    from jinja2.meta import find_referenced_templates

    found = [name]
    for part in found:
        for reference in find_referenced_templates(_environment().parse(_source(part))):
            if reference is None:
                raise ValueError(f"prompt `{part}` includes a template by a computed name")
            inner = reference.removesuffix(".j2")
            if inner not in found:
                found.append(inner)
    return tuple(found)

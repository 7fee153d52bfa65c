"""Reading a recipe: from a YAML file to a `Recipe`, with every fault reported at once.

`document` turns YAML into plain values and remembers where each one stands, the models of
`chainwright.recipe` judge the values, and `wording` says what would have been allowed.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pydantic import ValidationError

from chainwright.llm.uri import ModelUriError, missing_extra, parse_model_uri
from chainwright.recipe import Recipe
from chainwright.recipe_file.document import Document, read_document
from chainwright.recipe_file.problems import RecipeError, RecipeProblem, file_problem
from chainwright.recipe_file.wording import (
    allowed_keys,
    expected_at,
    hint_for_key,
    hint_for_value,
)
from chainwright.recipe_parts.models import named_models
from chainwright.recipe_parts.part import Keys
from chainwright.spelling import nearest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["MAX_BYTES", "RecipeError", "RecipeProblem", "faults_in", "load_recipe"]

MAX_BYTES = 1 << 20
"""Larger files are refused: a recipe is a page of text, and YAML is slow to read."""


def load_recipe(path: Path | str) -> Recipe:
    """The recipe in a YAML file.

    Raises:
        RecipeError: with every problem of the file, in the order of its lines: it can't be read,
            isn't YAML, or holds keys and values that no recipe may hold, among them models whose
            software isn't installed.
    """
    path = Path(path)
    document = read_document(_text(path))
    if isinstance(document, RecipeProblem):
        raise RecipeError(path, [document])
    problems = list(document.problems)
    recipe = None
    if not isinstance(document.value, dict):
        problems.append(_not_a_mapping(document))
    else:
        try:
            recipe = Recipe.model_validate(document.value)
        except ValidationError as error:
            problems += _problems(document, error.errors(include_url=False))
        problems += _missing_extras(document)
    if problems or recipe is None:
        raise RecipeError(path, problems)
    return recipe


class Fault(Protocol):
    """What is wrong with a value, in the words of a problem."""

    found: str
    expected: str
    hint: str | None


def faults_in(path: Path, faults: Iterable[tuple[Keys, Fault]]) -> RecipeError:
    """The error that names faults of values by their places, found when the recipe is used."""
    document = read_document(_text(path))
    if isinstance(document, RecipeProblem):  # edited since it was read
        return RecipeError(path, [document])
    return RecipeError(
        path,
        [
            RecipeProblem(
                *document.place(keys),
                Document.key_path(keys),
                fault.found,
                fault.expected,
                fault.hint,
            )
            for keys, fault in faults
        ],
    )


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise RecipeError(path, [_no_file(path)]) from error
    except IsADirectoryError as error:
        hint = _recipes_in(path)
        problem = file_problem("a folder", "a YAML file", hint and f"recipes in it: {hint}")
        raise RecipeError(path, [problem]) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RecipeError(path, [file_problem(f"an error: {reason}", "a YAML file")]) from error
    if len(content) > MAX_BYTES:
        problem = file_problem(f"more than {MAX_BYTES} bytes", f"at most {MAX_BYTES} bytes")
        raise RecipeError(path, [problem])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        found = f"the byte 0x{content[error.start]:02x}, which is not UTF-8"
        utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        hint = "the file is UTF-16: save it as UTF-8" if utf16 else "save the file as UTF-8"
        problem = RecipeProblem(line, column, "", found, "text in UTF-8", hint)
        raise RecipeError(path, [problem]) from error


def _no_file(path: Path) -> RecipeProblem:
    there = [*path.parent.glob("*.yaml"), *path.parent.glob("*.yml")]
    close = nearest(path.name, sorted(file.name for file in there))
    hint = f"did you mean `{path.parent / close}`?" if close else None
    return file_problem("no such file", "a YAML file", hint)


def _recipes_in(folder: Path) -> str | None:
    names = sorted(file.name for file in folder.glob("*.y*ml"))
    return ", ".join(names[:5]) or None


def _not_a_mapping(document: Document) -> RecipeProblem:
    keys = ", ".join(allowed_keys(()))
    expected = f"a mapping with keys of {keys}"
    if document.value is None:
        hint = "start from recipes/quickstart.yaml"
        return RecipeProblem(1, 1, "", "an empty document", expected, hint)
    line, column = document.place(())
    return RecipeProblem(line, column, "", document.shown(()), expected, None)


def _problems(document: Document, errors: list["ErrorDetails"]) -> list[RecipeProblem]:
    """One problem an error, save for what has a cause that is reported already."""
    known = {problem.key_path for problem in document.problems}
    unknown = [error["loc"] for error in errors if error["type"] == "extra_forbidden"]
    meant = {
        (*keys[:-1], nearest(str(keys[-1]), _not_given(document, keys[:-1]))) for keys in unknown
    }
    return [
        _problem(document, error)
        for error in errors
        if Document.key_path(error["loc"]) not in known
        and not (error["type"] == "missing" and error["loc"] in meant)
    ]


def _problem(document: Document, error: "ErrorDetails") -> RecipeProblem:
    keys: Keys = error["loc"]
    key_path = Document.key_path(keys)
    if error["type"] == "extra_forbidden":
        word = str(keys[-1])
        line, column = document.place_of_key(keys)
        expected = f"keys of {', '.join(allowed_keys(keys[:-1]))}"
        hint = hint_for_key(word, keys[:-1], _not_given(document, keys[:-1]))
        return RecipeProblem(line, column, key_path, f"the unknown key `{word}`", expected, hint)
    line, column = document.place(keys)
    fault = error.get("ctx", {}).get("error")
    if fault is not None:
        return RecipeProblem(line, column, key_path, fault.found, fault.expected, fault.hint)
    if error["type"] == "missing":
        return RecipeProblem(line, column, key_path, "nothing", expected_at(keys), None)
    hint = hint_for_value(document, keys)
    return RecipeProblem(line, column, key_path, document.shown(keys), expected_at(keys), hint)


def _not_given(document: Document, keys: Keys) -> list[str]:
    return [key for key in allowed_keys(keys) if (*keys, key) not in document.nodes]


def _missing_extras(document: Document) -> list[RecipeProblem]:
    """Models whose software is not installed here; a recipe is no worse for it elsewhere."""
    problems = []
    for keys, value in named_models(document.value):
        try:
            command = missing_extra(parse_model_uri(value)) if isinstance(value, str) else None
        except ModelUriError:
            continue  # reported by the model
        if command is not None:
            line, column = document.place(keys)
            expected = "a model whose software is installed"
            found = f"`{value}`, which needs a part that is not installed"
            problems.append(
                RecipeProblem(line, column, Document.key_path(keys), found, expected, command)
            )
    return problems

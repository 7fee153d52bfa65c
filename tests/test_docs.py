"""The documentation says what the code says: keys, fields, reasons, commands, links, examples."""

import ast
import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

import pytest
import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

import chainwright
from chainwright.cli import app
from chainwright.pipeline import errors
from chainwright.pipeline.line import standard_line
from chainwright.recipe import Recipe
from chainwright.recipe_file import load_recipe
from chainwright.recipe_file.wording import expected_at
from chainwright.release.fields import fields_of
from chainwright.schemas.chain import Chain
from chainwright.schemas.tables import TABLES
from chainwright.stage import Stage

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PACKAGE = Path(chainwright.__file__).parent
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REFUSALS = {"Refused": 0, "Unreadable": 0, "Unfit": 0, "RowFault": 1, "Refusal": 1}
"""What takes a reason code in the code of the builders and the sources, and at which place."""
OWN_FIELDS = {record: table for table, record in reversed(TABLES.items())}
"""Of tables with the same fields the first is described, and the others are named."""


class Row(NamedTuple):
    """A row of a Markdown table: the heading above, the first word of the header, the cells."""

    heading: str
    kind: str
    cells: list[str]


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose_of(page: Path) -> str:
    return FENCE.sub("", text_of(page))


def fences(language: str) -> list[tuple[str, str]]:
    """(page and number, content) of every fenced block of a language."""
    return [
        (f"{page.name}-{number}", content)
        for page in PAGES
        for number, (found, content) in enumerate(FENCE.findall(text_of(page)), 1)
        if found == language
    ]


def table_rows(page: Path) -> Iterator[Row]:
    heading, header = "", None
    for line in prose_of(page).splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if header is None:
            header = cells
        elif not set(line) <= set("|- "):
            assert len(cells) == len(header), f"{page.name}: {line}"
            yield Row(heading, header[0], cells)


def words(cell: str) -> list[str]:
    """The code spans of a cell."""
    return re.findall(r"`([^`]+)`", cell)


def part_in(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """The recipe's part that an annotation holds, and whether it is a list of them."""
    if get_origin(annotation) is list:
        return part_in(get_args(annotation)[0])[0], True
    if get_origin(annotation) is Annotated:
        return part_in(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        inner = [part_in(a) for a in get_args(annotation) if a is not NoneType]
        return next((found for found in inner if found[0] is not None), inner[0])
    is_part = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return (annotation if is_part else None), False


def recipe_keys(
    part: type[BaseModel] = Recipe, keys: tuple[str | int, ...] = (), path: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Every key of a recipe with what is allowed and its default, as the page words them."""
    for name, info in part.model_fields.items():
        inner, is_list = part_in(info.annotation)
        allowed = re.sub(r" with keys of .*?(, or nothing)?$", r"\1", expected_at((*keys, name)))
        yield f"{path}{name}", allowed, default_in_words(info)
        if inner is not None:
            below = (*keys, name, 0) if is_list else (*keys, name)
            yield from recipe_keys(inner, below, f"{path}{name}{'[]' if is_list else ''}.")


def difference(documented: list[str], expected: list[str]) -> str:
    """What to add to a page and what to strike out; empty where it is complete."""
    missing = [f"to add: {row}" for row in expected if row not in documented]
    stale = [f"to strike out: {row}" for row in documented if row not in expected]
    twice = [f"twice: {row}" for row in set(documented) if documented.count(row) > 1]
    return "\n".join([*missing, *stale, *twice])


def default_in_words(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    if isinstance(info.default, BaseModel):
        return "as below"
    plain = isinstance(info.default, str)
    return f"`{info.default if plain else json.dumps(info.default)}`"


def test_recipe_page_lists_every_key_with_what_is_allowed_and_its_default() -> None:
    rows = [row.cells for row in table_rows(DOCS / "recipe.md") if row.kind == "key"]
    documented = [f"| {' | '.join(cells[:3])} |" for cells in rows]
    expected = [f"| `{key}` | {allowed} | {default} |" for key, allowed, default in recipe_keys()]
    assert not (apart := difference(documented, expected)), apart
    assert all(cells[3] for cells in rows)


def test_tables_page_lists_every_field_of_every_table() -> None:
    rows = [row for row in table_rows(DOCS / "tables.md") if row.kind == "field"]
    documented = [f"{row.heading}: | {' | '.join(row.cells[:2])} |" for row in rows]
    expected = [
        f"{table}: | `{field.name}` | {field.type} |"
        for record, table in OWN_FIELDS.items()
        for field in fields_of(record)
    ]
    assert not (apart := difference(documented, expected)), apart


def test_tables_page_names_every_table() -> None:
    assert [table for table in TABLES if table not in text_of(DOCS / "tables.md")] == []


def test_tables_page_lists_the_closed_vocabularies() -> None:
    meanings = {
        (row.heading, words(row.cells[0])[0]): words(row.cells[2])
        for row in table_rows(DOCS / "tables.md")
        if row.kind == "field"
    }
    for record, table in OWN_FIELDS.items():
        for field in fields_of(record):
            found = meanings.get((table, field.name), [])[: len(field.values)]
            assert found == list(field.values), f"{table}.{field.name}: {', '.join(field.values)}"


@cache
def documented_reasons() -> set[str]:
    return {
        word
        for page in PAGES
        for row in table_rows(page)
        if row.kind == "reason"
        for word in words(row.cells[0])
    }


@cache
def sources() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]


def test_documented_reasons_exist_in_the_code() -> None:
    in_code = {code for text in sources() for code in re.findall(r'"([a-z_]+)(?=[":])', text)}
    assert len(documented_reasons()) > 50
    assert documented_reasons() - in_code == set()


def test_reasons_for_which_a_row_is_refused_are_documented() -> None:
    raised = {
        inner.value
        for text in sources()
        if any(f"{name}(" in text for name in REFUSALS)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if (place := REFUSALS.get(node.func.id)) is not None and len(node.args) > place
        for inner in ast.walk(node.args[place])
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    }
    assert {"missing_field", "no_steps", "bad_json"} <= raised
    assert raised - documented_reasons() == set()


def test_stages_read_and_write_what_the_page_says() -> None:
    rows = [r.cells for r in table_rows(DOCS / "architecture.md") if r.kind == "stage"]
    documented = {words(row[0])[0]: [words(cell) for cell in row[1:]] for row in rows}
    for stage in standard_line().stages:
        wing = stage.wing.removeprefix("chainwright.")
        assert documented[stage.name] == [list(stage.reads), list(stage.writes), [wing]]
    assert list(documented)[1:-2] == [stage.name for stage in standard_line().stages]


def test_exit_codes_are_those_of_the_code() -> None:
    rows = [row.cells for row in table_rows(DOCS / "running.md") if row.kind == "code"]
    known = {value for name, value in vars(errors).items() if name.startswith("EXIT_")}
    assert {int(cells[0]) for cells in rows} == known


def commands() -> list[str]:
    blocks = [content for _, content in fences("sh")]
    spans = [span for page in PAGES for span in words(prose_of(page))]
    lines = [line.partition("#")[0] for block in blocks for line in block.splitlines()] + spans
    return sorted({line.strip() for line in lines if line.startswith("chainwright ")})


@pytest.mark.parametrize("line", commands())
def test_commands_and_options_exist(line: str) -> None:
    root: Any = typer.main.get_command(app)
    _, first, *rest = shlex.split(line.partition(" | ")[0].translate({ord(c): None for c in "[]"}))
    command = root if first.startswith("-") else root.commands[first]
    inner = getattr(command, "commands", {})
    if inner and rest and not rest[0].startswith("-"):
        command = inner.get(rest[0]) or inner["totals"]  # `ledger RUN` says the totals
    options = {name for option in command.params for name in option.opts} | {"--help", "-h"}
    given = {word for word in (first, *rest) if word.startswith("-")}
    assert given <= options


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_and_places_in_the_code_resolve(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), target
    for place in re.findall(r"`((?:chainwright|recipes|tests)/[\w./-]+)`", text_of(page)):
        assert (ROOT / place).exists(), place


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(("place", "text"), fences("yaml"), ids=lambda value: value[:30])
def test_recipes_load(place: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / f"{place}.yaml"
    path.write_text(text, encoding="utf-8")
    assert load_recipe(path).sources


@pytest.mark.parametrize(("place", "text"), fences("python"), ids=lambda value: value[:30])
def test_python_examples_parse_and_import_what_exists(place: str, text: str) -> None:
    for node in ast.walk(ast.parse(text, place)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("chainwright"):
            module = import_module(node.module or "")
            assert all(hasattr(module, name.name) for name in node.names)


def test_the_example_stage_accounts_for_every_item() -> None:
    example = next(text for _, text in fences("python") if "UNMARKED" in text)
    names: dict[str, Any] = {}
    exec(compile(example, "architecture.md", "exec"), names)  # noqa: S102 - our own page
    stage = names["UNMARKED"]
    assert isinstance(stage, Stage)
    assert stage.process is not None
    marked, plain = (
        Chain.build(
            problem_id=f"p-{'0' * 20}",
            origin="reference",
            generator="source:x",
            steps=[step],
            final_answer="5",
            is_correct=True,
        )
        for step in ("2 + 3 = <<2+3=5>>5 pens.", "Five pens.")
    )
    recipe = Recipe.model_validate({"name": "x", "sources": [{"kind": "gsm8k", "path": "x"}]})
    batch = stage.process(recipe, {"chains": [marked, plain]})
    assert batch.unaccounted() == {}
    (copy,) = batch.rows["chains"]
    assert isinstance(copy, Chain)
    assert copy.steps == ["2 + 3 = 5 pens."]
    assert [reject.item for reject in batch.rejects] == [plain.chain_id]


@pytest.mark.parametrize(("place", "text"), fences("json"), ids=lambda value: value[:30])
def test_json_examples_are_json(place: str, text: str) -> None:
    assert json.loads(text), place

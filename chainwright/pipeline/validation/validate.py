"""Validation: any file or folder of the data contract, checked to the last row.

A fault never stops the check, and no fault of the data is raised: all are in the report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.named_run import local_path
from chainwright.pipeline.tables import block_of, table_files
from chainwright.pipeline.validation.cross_table import SELECTED, CrossCheck, Place
from chainwright.pipeline.validation.faults import Flaw, Report, clip, printable
from chainwright.pipeline.validation.json_rows import json_rows
from chainwright.pipeline.validation.parquet_rows import parquet_rows
from chainwright.pipeline.validation.raw_row import UNREAD, RawRow
from chainwright.pipeline.validation.row_check import check_row
from chainwright.pipeline.validation.row_rules import rule_flaws
from chainwright.schemas.json_schema import SCHEMAS
from chainwright.schemas.record import Record
from chainwright.schemas.tables import TABLES

SUFFIXES = (".parquet", ".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
"""Endings of the files that can be checked."""

CONFIGS = {
    "problems": "problems",
    "chains": "released_chains",
    "full": "released_chains",
    "votes": "votes",
    "labels": "labels",
    "critiques": "critiques",
    "withheld_problems": "withheld_problems",
    "withheld_chains": "withheld_chains",
    "withheld_full": "withheld_chains",
    "withheld_votes": "withheld_votes",
    "withheld_labels": "withheld_labels",
}
"""The schemas of a release's configurations."""

Cross = Callable[[dict[str, Any], Place], Iterable[Flaw]]
"""Further checks of a row, in the light of the rows before it."""


def validate(path: Path, schema: str | None = None, cap: int = 1000) -> Report:
    """Checks a run folder, a release folder, a folder of data files, or one file.

    Every row is checked against the schema of its table and the rules of `row_rules`; the rows of
    a run or a release also against each other. In a run folder the release within is checked too.
    Memory stays flat: rows are streamed, and the ids of a run lie in a temporary database.

    Args:
        path: Parquet, JSON or JSONL (the last two also with `.gz`), or a folder.
        schema: A name of `SCHEMAS`. With it, each data file in or below a folder is checked by
            itself against that schema. Without it, names of files and folders tell the schema.
        cap: Faults listed per file; those beyond are counted.

    Raises:
        InputMistake: for a schema that does not exist, with those that do.
    """
    if schema is not None and schema not in SCHEMAS:
        raise InputMistake(f"no schema {schema!r}; there are: {', '.join(sorted(SCHEMAS))}")
    path = local_path(path)
    report = Report(printable(str(path)), cap)
    try:
        _check_path(report, path, schema)
    except OSError as error:
        _begin_and_add(report, path, schema, Flaw("", clip(str(error)), "a folder to look through"))
    return report


def guess_schema(path: Path) -> str | None:
    """The schema that a file's name and folder tell; None where they tell none."""
    table = _unnumbered(path)
    if path.parent.name == "perl" and not path.name.endswith(".parquet"):
        return "perl"
    if path.parent.parent.name == "data" and path.parent.name in CONFIGS:
        return CONFIGS[path.parent.name]
    return table if table in SCHEMAS else None


def is_data(path: Path) -> bool:
    """Whether a path is a file with rows."""
    return path.name.lower().endswith(SUFFIXES) and path.is_file()


def _check_path(report: Report, path: Path, schema: str | None) -> None:
    wanted = f"a name that tells the schema, or --schema with one of {', '.join(SCHEMAS)}"
    if path.is_file():
        if known := schema or guess_schema(path):
            _check_file(report, path, report.path, known)
        else:
            _begin_and_add(report, path, None, Flaw("", path.name, wanted))
        return
    if schema is not None:
        for file in sorted(filter(is_data, path.rglob("*"))):
            _check_file(report, file, _name(file, path), schema)
    elif path.is_dir():
        _check_folder(report, path)
    if not report.files:
        found = "no file with a table" if path.is_dir() else "no such file or folder"
        wanted = f"a run, a release, or files with {wanted}"
        _begin_and_add(report, path, schema, Flaw("", found, wanted))


def _begin_and_add(report: Report, path: Path, schema: str | None, flaw: Flaw) -> None:
    name = printable(str(path))
    report.begin(name, schema)
    report.add(name, None, [flaw])


def _check_folder(report: Report, folder: Path) -> None:
    is_run = _is_run(folder)
    if is_run:
        _check_run(report, folder)
        _check_release(report, folder / "release", folder)
    _check_release(report, folder, folder)
    if is_run or _is_release(folder):
        return
    for file in sorted(filter(is_data, folder.glob("*"))):
        schema, name = guess_schema(file), _name(file, folder)
        if schema is None:
            report.unchecked.append(name)
        else:
            _check_file(report, file, name, schema)


def _is_run(folder: Path) -> bool:
    marks = (folder / "manifest.json", folder / "recipe.yaml")
    return any(mark.is_file() for mark in marks) or any(
        table_files(folder, name) for name in TABLES
    )


def _check_run(report: Report, folder: Path) -> None:
    check = CrossCheck("block")
    known = set()
    for table in TABLES:
        for path in table_files(folder, table):
            known.add(path)
            cross = partial(check.flaws, table)
            name = _name(path, folder)
            if not _check_file(report, path, name, table, cross, str(block_of(path))):
                check.absent.add(table)
    for path in sorted(folder.glob("*/*.parquet")):
        if path not in known:
            report.unchecked.append(_name(path, folder))


def _is_release(folder: Path) -> bool:
    return any(is_data(path) for kind in ("data/*/*", "perl/*") for path in folder.glob(kind))


def _check_release(report: Report, folder: Path, root: Path) -> None:
    found = {path.name for path in folder.glob("data/*")}
    # Beside a selection `full` has every chain that votes may be on, and `chains` some of them.
    tables: dict[str, str] = {"full": "chains", "chains": SELECTED} if "full" in found else {}
    named = {config: tables.get(config, config) for config in found}
    check = CrossCheck("split", absent={"problems", "chains"} - set(named.values()))
    # Problems come before chains and chains before the rest, as in a run; others come last.
    order: list[str] = [*TABLES, SELECTED, *sorted(found)]
    for config in sorted(found, key=lambda config: order.index(named[config])):
        schema = CONFIGS.get(config)
        for path in sorted(filter(is_data, (folder / "data" / config).glob("*"))):
            name = _name(path, root)
            cross = partial(check.flaws, named[config])
            if schema is None:
                report.unchecked.append(name)
            elif not _check_file(report, path, name, schema, cross, _unnumbered(path)):
                check.absent.add(named[config])
    for path in sorted(filter(is_data, folder.glob("perl/*"))):
        _check_file(report, path, _name(path, root), "perl")


def _check_file(
    report: Report,
    path: Path,
    name: str,
    schema: str,
    cross: Cross | None = None,
    group: str = "",
) -> bool:
    """Checks one file; false when a part of it could not be read."""
    count = report.begin(name, schema)
    if not path.name.lower().endswith(SUFFIXES):
        report.add(name, None, [Flaw("", path.name, f"a name ending in {', '.join(SUFFIXES)}")])
        return False
    whole = True
    columns: set[str] = set()
    for number, value, flaws in _raw_rows(path, SCHEMAS[schema]):
        report.add(name, number, flaws)
        if number is None:
            # A fault of a whole column is told once, not once a row.
            columns.update(flaw.field for flaw in flaws)
            whole = False
            continue
        count.rows += 1
        if value is UNREAD:
            whole = False
            continue
        checked = check_row(schema, value, explain=not report.is_full(name))
        if isinstance(checked, Record):
            report.add(name, number, rule_flaws(checked))
        else:
            report.add(name, number, (flaw for flaw in checked if _column(flaw) not in columns))
        if cross is not None and isinstance(value, dict):
            report.add(name, number, cross(value, Place(name, number, group)))
    return whole


def _raw_rows(path: Path, record: type[Record]) -> Iterator[RawRow]:
    if path.name.lower().endswith(".parquet"):
        return parquet_rows(path, record)
    return json_rows(path)


def _column(flaw: Flaw) -> str:
    return re.split(r"[.\[]", flaw.field, maxsplit=1)[0]


def _name(path: Path, folder: Path) -> str:
    return printable(path.relative_to(folder).as_posix())


def _unnumbered(path: Path) -> str:
    """A file's name without endings and number: `train` for `train-00000-of-00002.parquet`."""
    return re.sub(r"-\d+(-of-\d+)?$", "", path.name.partition(".")[0])

"""Format file: traces written in a format as they come, with an account of what was left out."""

from __future__ import annotations

import gzip
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from chainwright.formats.catalogue import FORMATS, Format
from chainwright.formats.trace import Trace, Unfit, decided_steps


@dataclass(frozen=True)
class Refusal:
    """What came in and is no trace: a row that could not be read.

    Attributes:
        item: Where it stands.
        reason: A code that can be counted.
        detail: What was found, what was expected.
    """

    item: str
    reason: str
    detail: str


@dataclass
class Account:
    """What became of what came in; `taken` = `made` + all of `rejects`.

    Attributes:
        taken: Chains, and rows that held none.
        made: Chains that were written.
        rows: Rows of the file; more than `made` where a chain gives several.
        shortened: Chains of `made` without their undecided steps behind the first error.
        rejects: What was left out, by reason.
    """

    taken: int = 0
    made: int = 0
    rows: int = 0
    shortened: int = 0
    rejects: Counter[str] = field(default_factory=Counter)


def write_traces(traces: Iterable[Trace | Refusal], name: str, out: Path) -> Account:
    """Write traces in a format; the file appears whole or not at all.

    Formats are JSON lines (PERL's is one JSON array), compressed where the name ends in `.gz`. What
    is left out stands in `<out>.rejects.jsonl`, which exists only where there is any. One trace is
    in memory at a time.

    Args:
        name: One of `FORMATS`.
        out: The file; its folder is made if need be, and a former file is replaced.

    Raises:
        KeyError: for another format.
        OSError: writing failed; a former file is still in place.
    """
    form = FORMATS[name]
    account = Account()
    rejects = out.with_name(f"{out.name}.rejects.jsonl")
    out.parent.mkdir(parents=True, exist_ok=True)
    with _whole(out) as file, _whole(rejects) as refused:
        rows = _rows(traces, form, account, refused)
        for text in _array(rows) if form.is_array else (f"{_line(row)}\n" for row in rows):
            file.write(text)
    if not account.rejects:
        rejects.unlink()
    return account


def _rows(
    traces: Iterable[Trace | Refusal], form: Format, account: Account, refused: IO[str]
) -> Iterator[dict[str, Any]]:
    for one in traces:
        account.taken += 1
        if isinstance(one, Refusal):
            refusal = one
        else:
            try:
                # all of a chain's rows before the first is written: it enters whole or not at all
                rows = list(form.write(one))
            except Unfit as unfit:
                refusal = Refusal(one.chain.chain_id, unfit.reason, unfit.detail)
            else:
                account.made += 1
                account.rows += len(rows)
                if form.may_shorten and decided_steps(one) < len(one.labels):
                    account.shortened += 1
                yield from rows
                continue
        account.rejects[refusal.reason] += 1
        refused.write(f"{_line(vars(refusal))}\n")


def _array(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The bytes of `json.dump(rows, file, indent=2)`, piece by piece."""
    opening = "[\n"
    for row in rows:
        text = json.dumps(row, indent=2)
        yield opening + "  " + text.replace("\n", "\n  ")
        opening = ",\n"
    yield "[]\n" if opening == "[\n" else "\n]\n"


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


@contextmanager
def _whole(path: Path) -> Iterator[IO[str]]:
    """A text file that takes its name when it is complete."""
    draft = path.with_name(f".{path.name}.partial")
    try:
        with draft.open("wb") as raw:
            # without a name and a time in it, the same rows give the same bytes
            packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.suffix == ".gz" else raw
            with _text(cast("IO[bytes]", packed)) as file:
                yield file
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _text(file: IO[bytes]) -> IO[str]:
    # a lone surrogate, which UTF-8 has no place for, must not end the export of a corpus
    return io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="\n")

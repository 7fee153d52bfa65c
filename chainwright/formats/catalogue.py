"""Catalogue: the formats by name, how each is written, read and told from others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from chainwright.formats.fields import Row
from chainwright.formats.grace import grace_row, read_grace
from chainwright.formats.judge_chat import judge_chats
from chainwright.formats.math_shepherd import TAG, math_shepherd_row, read_math_shepherd
from chainwright.formats.perl import perl_row, read_perl
from chainwright.formats.preference import dpo_row
from chainwright.formats.prm800k import prm800k_row, read_prm800k
from chainwright.formats.processbench import processbench_row, read_processbench
from chainwright.formats.record import LabelledRecord
from chainwright.formats.record_trace import trace_of
from chainwright.formats.stepwise import read_trl, trl_row
from chainwright.formats.trace import Trace

Write = Callable[[Trace], Iterable[dict[str, Any]]]
Read = Callable[[Row, str], LabelledRecord]


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes:
        write: The rows of a trace; raises `Unfit` where it has none.
        record: The record of a row, given the name of its source; null where rows hold no chain.
        keys: What tells a row of it from others.
        is_array: Whether a file is one JSON array, and not a row a line.
        wants_parent: Whether `write` looks at `Trace.parent`.
        may_shorten: Whether steps behind the first error are left out where they are undecided.
    """

    write: Write
    record: Read | None = None
    keys: frozenset[str] = frozenset()
    is_array: bool = False
    wants_parent: bool = False
    may_shorten: bool = True

    def read(self, row: Row, source: str) -> Trace:
        """The trace of a row, given the name of its source.

        Raises:
            Unfit: the row is none of the format, or says less or more than one label a step.
            ValueError: rows of the format hold no chain.
        """
        if self.record is None:
            raise ValueError("rows of this format hold no chain")
        return trace_of(self.record(row, source), source)


def _one(row: Callable[[Trace], dict[str, Any]]) -> Write:
    def rows(trace: Trace) -> Iterator[dict[str, Any]]:
        yield row(trace)

    return rows


def _keys(*names: str) -> frozenset[str]:
    return frozenset(names)


FORMATS: Mapping[str, Format] = {
    "perl": Format(
        _one(perl_row),
        read_perl,
        _keys("steps", "premise_annotation", "error_annotation"),
        is_array=True,
        may_shorten=False,
    ),
    "grace": Format(_one(grace_row), read_grace, _keys("question", "steps"), may_shorten=False),
    "processbench": Format(
        _one(processbench_row),
        read_processbench,
        _keys("problem", "steps", "label"),
        may_shorten=False,
    ),
    "prm800k": Format(
        _one(prm800k_row), read_prm800k, _keys("question", "label"), may_shorten=False
    ),
    "trl": Format(_one(trl_row), read_trl, _keys("prompt", "completions", "labels")),
    "math_shepherd": Format(_one(math_shepherd_row), read_math_shepherd, _keys("input", "label")),
    "chat_all": Format(partial(judge_chats, variant="all")),
    "chat_sbs": Format(partial(judge_chats, variant="sbs")),
    "chat_bin": Format(partial(judge_chats, variant="bin")),
    "dpo": Format(_one(dpo_row), wants_parent=True, may_shorten=False),
}
"""The formats by name."""

READABLE = tuple(name for name, one in FORMATS.items() if one.record is not None)
"""Names of the formats whose rows hold a trace."""


def format_of(row: Row) -> str | None:
    """The name of the format that a row is in; None where it is in none that can be read.

    >>> format_of({"prompt": "1 + 1?", "completions": ["It is 2."], "labels": [True]})
    'trl'
    """
    for name in READABLE:
        if FORMATS[name].keys <= row.keys() and _looks_right(name, row):
            return name
    return None


def source_name(path: str) -> str:
    """A file's name without what says how it is stored: some formats say something by it.

    >>> source_name("perl/gsm8k_negatives.json.gz")
    'gsm8k_negatives'
    """
    name = PurePosixPath(path).name
    for suffix in (".gz", ".jsonl", ".ndjson", ".json", ".parquet"):
        name = name.removesuffix(suffix)
    return name or "file"


def _looks_right(name: str, row: Row) -> bool:
    """What keys alone do not tell."""
    if name == "grace":
        steps = row["steps"]
        first = steps[0] if isinstance(steps, list) and steps else None
        return isinstance(first, dict) and {"text", "label"} <= first.keys()
    if name == "prm800k":
        return isinstance(row["question"], dict) and isinstance(row["label"], dict)
    if name == "math_shepherd":
        return isinstance(row["input"], str) and TAG in row["input"]
    return True

"""Labelled corpora: chains whose labels are known, from the formats they are published in.

A run or a release of chainwright, PERL's released files, ProcessBench, or rows with a map of keys.
What a row says is data: texts are kept as they are, numbers are checked, and a row that cannot be
used is told of with a reason and never stops the reading.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainwright.annotation.metrics.first_error import NONE
from chainwright.annotation.metrics.first_error import first_error as first_of
from chainwright.annotation.metrics.labelled import LabelledChain
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.reading.own_labels import is_own, own_chains
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import STEP_LABELS, TRACKS

KEYS = (
    *("question", "steps", "labels", "first_error", "premises", "answer", "solution"),
    *("polarity", "source", "track", "id"),
)
"""What `--map` may give a key to; question and steps are needed, and one of the gold ones."""

_PERL_ENDINGS = {
    "positives_perturbed": "synthetic_negative",
    "positives": "positive",
    "negatives": "negative",
}
_PERL_TYPES = {
    "Mathematical_Error": "mathematical_error",
    "Logical_Inconsistency": "logical_inconsistency",
    "Accumulation_Error": "accumulation_error",
    "Other": "other",
}
_NUMBERED = re.compile(r"step (\d+)\s*[:.]\s*", re.IGNORECASE)


@dataclass(frozen=True)
class UnusableRow:
    """A row without a place in the scoring: `bad_row`, `no_gold`, `no_steps`, `twice`."""

    reason: str
    where: str
    detail: str


Labelled = LabelledChain | UnusableRow


def labelled_chains(
    corpus: Path, *, mapping: Mapping[str, str] | None = None, panel_labels: bool = False
) -> Iterator[Labelled]:
    """The chains of a corpus with their gold labels; a chain met twice comes once.

    Args:
        corpus: A run folder, a release folder, a JSON or JSONL file, or a folder of such files.
        mapping: For rows of another format, the row's key by ours (`KEYS`).
        panel_labels: Take a run's or release's labels from its panel too; else only labels that
            are exact or by people count, since a panel's are opinions themselves.

    Raises:
        InputMistake: nothing is there, or a file is no JSON; the message says which.
    """
    if not corpus.exists():
        raise InputMistake(f"no corpus {str(corpus)!r}: no such file or folder")
    rows = (
        own_chains(corpus, panel_labels=panel_labels)
        if corpus.is_dir() and is_own(corpus)
        else _of_files(corpus, mapping)
    )
    met: set[str] = set()
    for row in rows:
        if isinstance(row, LabelledChain):
            if row.chain.chain_id in met:
                yield UnusableRow("twice", row.chain.chain_id, "the same chain was read before")
                continue
            met.add(row.chain.chain_id)
            yield row
        else:
            yield UnusableRow(*row) if isinstance(row, tuple) else row


def _of_files(corpus: Path, mapping: Mapping[str, str] | None) -> Iterator[Labelled]:
    files = [corpus]
    if corpus.is_dir():
        files = sorted(p for p in corpus.rglob("*") if p.suffix in (".json", ".jsonl"))
        if not files:
            raise InputMistake(f"{corpus} is no run, no release and holds no .json or .jsonl file")
    for file in files:
        for number, row in enumerate(_rows(file), start=1):
            where = f"{file.name}:{number}"
            try:
                yield _labelled(row, file, where, mapping)
            except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
                detail = f"{type(error).__name__}: {error}"[:200]
                yield UnusableRow("bad_row", where, detail)


def _rows(file: Path) -> Iterator[Any]:
    try:
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix == ".jsonl":
            yield from (json.loads(line) for line in text.splitlines() if line.strip())
            return
        value = json.loads(text)
    except (OSError, ValueError) as error:
        raise InputMistake(f"{file}: unreadable as JSON: {error}") from error
    yield from value if isinstance(value, list) else [value]


def _labelled(row: Any, file: Path, where: str, mapping: Mapping[str, str] | None) -> Labelled:
    if not isinstance(row, Mapping):
        return UnusableRow("bad_row", where, f"it is a {type(row).__name__}, expected an object")
    if mapping is not None:
        return _mapped(row, mapping, file, where)
    if "error_annotation" in row:
        return _perl(row, file, where)
    if {"problem", "steps", "label"} <= set(row):
        return _process_bench(row, file, where)
    return UnusableRow(
        "bad_row", where, "neither PERL's format nor ProcessBench's; name its keys with --map"
    )


def _perl(row: Mapping[str, Any], file: Path, where: str) -> Labelled:
    steps = _steps(row["steps"])
    ending = next((word for word in _PERL_ENDINGS if file.stem.endswith(word)), None)
    polarity = _PERL_ENDINGS[ending] if ending else _polarity(row.get("is_correct"))
    source = file.stem.removesuffix(ending).strip("_") if ending else file.stem
    labels: list[str | None] = [None] * len(steps)
    for judged in row["error_annotation"]["error_annotations"]["step_level"]:
        number = judged["step_number"]
        if 1 <= number <= len(steps):
            found = [_PERL_TYPES.get(one["error_type"], "other") for one in judged["errors"]]
            # a few steps have two; what is wrong with the step itself comes first
            ordered = sorted(found, key=STEP_LABELS.index) or ["error"] * bool(judged["has_error"])
            labels[number - 1] = _own_first(ordered) if ordered else "correct"
    premises: list[tuple[int, ...] | None] = [None] * len(steps)
    for entry in row["premise_annotation"]["steps"]:
        number = entry["step_number"]
        if 1 <= number <= len(steps):
            given = {int(one[0]) for one in entry["premises"]}
            premises[number - 1] = tuple(sorted(one for one in given if 0 <= one < number))
    return _chain(
        question=row["question"],
        steps=steps,
        labels=labels,
        premises=premises,
        first=_first(labels),
        source=source or "perl",
        polarity=polarity,
        answer=row.get("ground_truth_answer"),
        solution=row.get("ground_truth_solution"),
        final=row.get("model_answer"),
        where=where,
    )


def _process_bench(row: Mapping[str, Any], file: Path, where: str) -> Labelled:
    steps = _steps(row["steps"])
    first = _from_zero(row["label"], len(steps))
    return _chain(
        question=row["problem"],
        steps=steps,
        labels=_up_to(first, len(steps)),
        premises=[None] * len(steps),
        first=first,
        source=str(row.get("id", file.stem)).rpartition("-")[0] or file.stem,
        polarity=_polarity(row.get("final_answer_correct")),
        generator=str(row.get("generator", "unknown")),
        where=where,
    )


def _mapped(row: Mapping[str, Any], mapping: Mapping[str, str], file: Path, where: str) -> Labelled:
    value = {ours: row.get(theirs) for ours, theirs in mapping.items()}
    steps = _steps(value.get("steps"))
    labels: list[str | None] = [None] * len(steps)
    first: int | None = None
    if (given := value.get("labels")) is not None:
        labels = [_word(one) for one in given]
        if len(labels) != len(steps):
            raise ValueError(f"{len(labels)} labels of {len(steps)} steps")
        first = _first(labels)
    elif value.get("first_error") is not None:
        first = _from_zero(value["first_error"], len(steps))
        labels = _up_to(first, len(steps))
    premises: list[tuple[int, ...] | None] = [None] * len(steps)
    if (sets := value.get("premises")) is not None:
        if len(sets) != len(steps):
            raise ValueError(f"{len(sets)} sets of premises of {len(steps)} steps")
        premises = [_premise_set(one, step) for step, one in enumerate(sets, start=1)]
    if first is None and not any(labels) and not any(one is not None for one in premises):
        return UnusableRow("no_gold", where, "no labels, no first error and no premises")
    track = value.get("track") or "math"
    if track not in TRACKS:
        raise ValueError(f"the track is {track!r}, expected one of {', '.join(TRACKS)}")
    return _chain(
        question=value.get("question"),
        steps=steps,
        labels=labels,
        premises=premises,
        first=first,
        source=str(value.get("source") or file.stem),
        polarity=_polarity(value.get("polarity")),
        answer=value.get("answer"),
        solution=value.get("solution"),
        where=where,
        track=track,
    )


def _chain(
    *,
    question: Any,
    steps: list[str],
    labels: Sequence[str | None],
    premises: Sequence[tuple[int, ...] | None],
    first: int | None,
    source: str,
    polarity: str,
    where: str,
    answer: Any = None,
    solution: Any = None,
    final: Any = None,
    generator: str = "unknown",
    track: Any = "math",
) -> Labelled:
    if not steps:
        return UnusableRow("no_steps", where, "the chain has no steps")
    if not isinstance(question, str) or not question:
        raise ValueError("the question is missing")
    problem = Problem.build(
        source=source,
        question=question,
        answer=None if answer is None else str(answer),
        solution=solution if isinstance(solution, str) and solution else None,
        track=track,
        origin_ref=where,
    )
    correct = {"positive": True, "negative": False}.get(polarity)
    chain = Chain.build(
        problem_id=problem.problem_id,
        origin="synthetic" if polarity == "synthetic_negative" else "model",
        generator=generator,
        steps=steps,
        final_answer=None if final is None else str(final),
        is_correct=False if polarity == "synthetic_negative" else correct,
    )
    return LabelledChain(problem, chain, tuple(labels), tuple(premises), first, source, polarity)


def _steps(value: Any) -> list[str]:
    """The steps without a number of their own where it is the right one: judges number them."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError("the steps are no list of texts")
    return [_unnumbered(number, step) for number, step in enumerate(value, start=1)]


def _unnumbered(number: int, step: str) -> str:
    found = _NUMBERED.match(step)
    rest = step[found.end() :] if found and int(found[1]) == number else ""
    return rest or step


def _own_first(words: Sequence[str]) -> str:
    own = [word for word in words if word != "accumulation_error"]
    return own[0] if own else words[0]


def _first(labels: Iterable[str | None]) -> int | None:
    """The first step in error; None where a step before it is unknown."""
    known: list[str | None] = []
    for word in labels:
        if word is None:
            return None
        known.append("correct" if word == "faithful" else word)
        if known[-1] != "correct":
            break
    return first_of(known)


def _from_zero(label: Any, steps: int) -> int:
    """ProcessBench's 0-based index, -1 for none, as a number of ours."""
    if not isinstance(label, int) or isinstance(label, bool) or not -1 <= label < steps:
        raise ValueError(f"the first error is {label!r}, expected -1 to {steps - 1}")
    return NONE if label == -1 else label + 1


def _up_to(first: int, steps: int) -> list[str | None]:
    """What a first error tells: correct before it, nothing behind it."""
    if first == NONE:
        return ["correct"] * steps
    return [*["correct"] * (first - 1), "error", *[None] * (steps - first)]


def _word(value: Any) -> str | None:
    """A gold label: a word, whether the step is right (true, 1; false, 0, -1), or null."""
    if value is None or (isinstance(value, str) and value):
        return value
    if isinstance(value, bool | int) and value in (1, 0, -1):
        return "correct" if value == 1 else "error"
    raise ValueError(f"a label is {value!r}, expected a word, true, false, 1, 0, -1 or null")


def _premise_set(value: Any, step: int) -> tuple[int, ...] | None:
    if value is None:
        return None
    numbers = sorted({int(one) for one in value})
    if numbers and not 0 <= numbers[0] <= numbers[-1] < step:
        raise ValueError(f"premises of step {step} are {numbers}, expected 0 to {step - 1}")
    return tuple(numbers)


def _polarity(value: Any) -> str:
    if isinstance(value, str) and value in ("positive", "negative", "synthetic_negative"):
        return value
    return {True: "positive", False: "negative"}.get(value, "undecided")

"""Record: a labelled chain as the audit sees it, whichever corpus it comes from.

Everything is kept as released: labels of steps that do not exist, premises on later steps and
unknown types are what the rules look for, so nothing is dropped or repaired on the way in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from chainwright.schemas.words import AnswerKind, Polarity, Track


@dataclass(frozen=True)
class Place:
    """Where a record stands.

    Attributes:
        file: Name of the file for readers.
        row: From 1: the row of a Parquet file, the element of a JSON array, the line of a JSONL
            file.
        index: From 0: the record's place in its file, blank lines not counted; what a JSON pointer
            into the file starts with.
        record: The record's own id; None where it has none.
    """

    file: str
    row: int
    index: int
    record: str | None = None


@dataclass(frozen=True)
class StepLabel:
    """What is said of one step.

    `wrong` is None where that is left open. `flag` is a statement of its own about whether there
    is an error, for corpora that have one beside the types. `pointer` is the JSON pointer to the
    label within its row.
    """

    step: int
    wrong: bool | None
    types: tuple[str, ...] = ()
    flag: bool | None = None
    pointer: str = ""


@dataclass(frozen=True)
class StepPremises:
    """The premises of one step as listed, repeats included; step 0 is the question."""

    step: int
    premises: tuple[int, ...]


@dataclass(frozen=True)
class TextCopy:
    """A second copy of a step's text, or of the question as step 0."""

    step: int
    text: str
    pointer: str


@dataclass(frozen=True)
class AuditRecord:
    """One labelled chain.

    `labels` and `premises` are None where the corpus has none. `first_error` is the corpus's own
    statement of the first wrong step, 1-based, 0 = no step is wrong, None = nothing is stated.
    `twin` marks a second rendering of records that are audited as well, such as the PERL files of a
    release: repeating them is no duplicate. `kind` names the format.
    """

    place: Place
    kind: str
    question: str | None
    steps: tuple[str, ...]
    labels: tuple[StepLabel, ...] | None = None
    premises: tuple[StepPremises, ...] | None = None
    copies: tuple[TextCopy, ...] = ()
    polarity: Polarity | None = None
    is_correct: bool | None = None
    first_error: int | None = None
    answer: str | None = None
    answer_kind: AnswerKind | None = None
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    final_answer: str | None = None
    solution: str | None = None
    split: str | None = None
    track: Track = "math"
    twin: bool = False

    @cached_property
    def label_of(self) -> dict[int, StepLabel]:
        """The labels by step; of several for one step the first."""
        found: dict[int, StepLabel] = {}
        for label in self.labels or ():
            found.setdefault(label.step, label)
        return found

    @cached_property
    def premises_of(self) -> dict[int, tuple[int, ...]]:
        """The usable premises by step: earlier ones, step 0 included, each once, in order."""
        found: dict[int, tuple[int, ...]] = {}
        for entry in self.premises or ():
            earlier = {premise for premise in entry.premises if 0 <= premise < entry.step}
            found.setdefault(entry.step, tuple(sorted(earlier)))
        return found

    def text_of(self, step: int) -> str | None:
        """A step's text, or the question's for step 0; None where there is no such step."""
        if step == 0:
            return self.question
        return self.steps[step - 1] if 1 <= step <= len(self.steps) else None


def type_name(released: str) -> str:
    """An error type in this project's spelling: `Mathematical_Error` is `mathematical_error`."""
    return "_".join(released.strip().lower().replace("-", " ").replace("_", " ").split())

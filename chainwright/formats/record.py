"""Record: a labelled chain as its corpus has it, whichever format that is in.

Everything is kept as released: labels of steps that do not exist, premises on later steps and
unknown types are what an audit looks for, so nothing is dropped or repaired on the way in. What
takes one label a step asks for a trace (`chainwright.formats.record_trace`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from chainwright.schemas.problem import Passage
from chainwright.schemas.words import AnswerKind, Binary, LabelSource, Origin, Polarity, Tier, Track


@dataclass(frozen=True)
class StatedLabel:
    """What is said of one step.

    Attributes:
        wrong: None where that is left open.
        types: Kinds of error in the corpus's own words.
        flag: A statement of its own about whether there is an error, for corpora that have one
            beside the types.
        pointer: The JSON pointer to the label within its row.
        word: The label where the format has one of our words; None to go by `wrong` and the track.
        verbatim: The label as the format writes it.
        source: Who a label of ours is from; None where that is not said.
    """

    step: int
    wrong: bool | None
    types: tuple[str, ...] = ()
    flag: bool | None = None
    pointer: str = ""
    word: Binary | None = None
    explanation: str | None = None
    tier: Tier | None = None
    verbatim: str | None = None
    source: LabelSource | None = None


@dataclass(frozen=True)
class StatedPremises:
    """The premises of one step as listed, repeats included; step 0 is the question."""

    step: int
    premises: tuple[int, ...]


@dataclass(frozen=True)
class TextCopy:
    """A second copy of a step's text, or of the question as step 0."""

    step: int
    text: str
    pointer: str


@dataclass(frozen=True, kw_only=True)
class LabelledRecord:
    """One labelled chain; what its corpus does not say is None.

    Attributes:
        kind: Name of the format.
        first_error: The corpus's own statement of the first wrong step, 1-based, 0 = no step is
            wrong.
        in_order: Whether labels and premises are listed one a step, without numbers of their own,
            so that a missing one shifts all behind it.
        name: The record's own id.
        source: The data set that the row says it is from.
        part: The part of the corpus that file or id stand for, where the row does not say.
    """

    kind: str
    question: str | None
    steps: tuple[str, ...]
    labels: tuple[StatedLabel, ...] | None = None
    premises: tuple[StatedPremises, ...] | None = None
    copies: tuple[TextCopy, ...] = ()
    polarity: Polarity | None = None
    is_correct: bool | None = None
    first_error: int | None = None
    answer: str | None = None
    answer_kind: AnswerKind | None = None
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    context: tuple[Passage, ...] = ()
    citations: tuple[tuple[int, ...], ...] = ()
    final_answer: str | None = None
    solution: str | None = None
    licence: str | None = None
    track: Track = "math"
    origin: Origin | None = None
    generator: str | None = None
    parent_id: str | None = None
    name: str | None = None
    source: str | None = None
    part: str | None = None
    in_order: bool = False

    @cached_property
    def label_of(self) -> dict[int, StatedLabel]:
        """The labels by step; of several for one step the first."""
        found: dict[int, StatedLabel] = {}
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


def listed_labels(
    signs: Sequence[bool | None], verbatim: Sequence[str | None]
) -> tuple[StatedLabel, ...]:
    """Labels of steps in order that are right, wrong or left open, and no more is said of them."""
    return tuple(
        StatedLabel(step, None if right is None else not right, verbatim=word)
        for step, (right, word) in enumerate(zip(signs, verbatim, strict=True), 1)
    )


def type_name(released: str) -> str:
    """An error type in this project's spelling: `Mathematical_Error` is `mathematical_error`."""
    return "_".join(released.strip().lower().replace("-", " ").replace("_", " ").split())

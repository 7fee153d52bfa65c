"""Accuracy of step labels, mathematical and logical errors merged (PERL, arXiv 2502.02362)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

ERROR = "error"
CLASSES = ("correct", ERROR, "accumulation_error")
"""What a step's word is merged to; any fault of the step's own is an `error`."""


def merged(word: str | None) -> str | None:
    """The class of a word: `correct`, `accumulation_error`, or `error` for every native one.

    >>> merged("mathematical_error"), merged("other"), merged("accumulation_error"), merged(None)
    ('error', 'error', 'accumulation_error', None)
    """
    return word if word is None or word in CLASSES else ERROR


def inherited(
    said: Sequence[str | None], premises: Sequence[Collection[int] | None]
) -> list[str | None]:
    """A judge's native words with the errors that steps inherit, in step order.

    A step called correct with a premise (the question aside) that is called an error or inherits
    one is an `accumulation_error`. An abstention stays one and is no error; a step without known
    premises inherits nothing.
    """
    out: list[str | None] = []
    for word, rests_on in zip(said, premises, strict=True):
        wrong = any(
            out[premise - 1] not in (None, "correct")
            for premise in rests_on or ()
            if 0 < premise <= len(out)
        )
        out.append("accumulation_error" if word == "correct" and wrong else word)
    return out


def step_accuracy(
    gold: Sequence[str | None], said: Sequence[str | None], of: str | None = None
) -> float | None:
    """Share of a chain's steps of a type that the judge puts into the right class.

    An abstention is in no class, so it is wrong. The paper averages over chains.

    Args:
        gold: Word of each step; None = unknown, and the step is left out.
        said: The judge's words, errors inherited; None = an abstention.
        of: A gold word, such as `logical_inconsistency`, or a class; None = all steps.

    Returns:
        None where no step is known, or none is of the type.

    >>> gold = ["correct", "mathematical_error", "accumulation_error", "correct"]
    >>> step_accuracy(gold, ["correct", "logical_inconsistency", "correct", None])
    0.5
    """
    hits = [
        merged(true) == merged(word)
        for true, word in zip(gold, said, strict=True)
        if true is not None and (of is None or of in (true, merged(true)))
    ]
    return sum(hits) / len(hits) if hits else None

"""The field's own words, each closed list in one place.

Every other module takes its allowed values from here, so that a new error type or tier is
one edit.
"""

from typing import Literal, get_args

Origin = Literal["reference", "model", "synthetic"]
Polarity = Literal["positive", "negative", "synthetic_negative"]
Track = Literal["math", "inference", "grounding"]
AnswerKind = Literal["number", "expression", "option", "text"]
Task = Literal["error", "premises", "chain", "faithfulness", "groundedness"]
VoteStatus = Literal["ok", "abstained", "malformed", "refused", "missing"]
Tier = Literal["gold", "silver", "disputed"]
LabelSource = Literal["exact", "panel", "human"]
TestSlice = Literal["hard", "random"]
Binary = Literal["correct", "error", "faithful", "unfaithful"]
TRACKS: tuple[Track, ...] = get_args(Track)
TASKS: dict[Track, Task] = {
    "math": "error",
    "inference": "faithfulness",
    "grounding": "faithfulness",
}
"""What is asked of a step, by its problem's track: PERL's question or GRACE's."""

ErrorType = Literal["mathematical_error", "logical_inconsistency", "accumulation_error", "other"]
ChainErrorType = Literal["missing_steps", "planning_error"]
InferenceError = Literal[
    "reversed_reasoning", "wrong_argument_reading", "rule_violation", "overreaching_claim"
]
GroundingError = Literal["groundedness_violation", "contradiction", "confusion", "evidence_neglect"]
FaithfulnessError = Literal[InferenceError, GroundingError]
PlantedError = Literal[ErrorType, FaithfulnessError]

NATIVE_ERRORS: tuple[str, ...] = ("mathematical_error", "logical_inconsistency", "other")
"""Errors a step makes by itself, as opposed to those it inherits (PERL, arXiv 2502.02362)."""

ERROR_TYPES: tuple[str, ...] = get_args(ErrorType)
STEP_LABELS: tuple[str, ...] = ("correct", *ERROR_TYPES)
"""A math step's outcome in one word: `correct`, or the category of its error."""

CHAIN_ERRORS: tuple[str, ...] = get_args(ChainErrorType)
"""What may be wrong with a chain as a whole, whatever its steps are worth (PERL)."""

SOUND: tuple[Binary, ...] = ("correct", "faithful")
"""Labels of steps that have no fault, and so no category."""

FAITHFULNESS_ERRORS: dict[Track, tuple[FaithfulnessError, ...]] = {
    "inference": get_args(InferenceError),
    "grounding": get_args(GroundingError),
}
"""The categories of unfaithful steps by track (GRACE, arXiv 2606.16151)."""

TIERS: tuple[Tier, ...] = get_args(Tier)
"""From the highest to the lowest."""


def step_label(label: str | None, category: str | None) -> str | None:
    """The pair (label, category) of a step in one word.

    Returns:
        `correct` or `faithful` for a sound step, the category for another one, and None where the
        label is undecided or the fault has no agreed category.
    """
    return label if label in SOUND else category


def lowest_tier(tiers: list[Tier]) -> Tier:
    """A chain's tier: the lowest of its steps' tiers; a chain without steps is disputed."""
    return max(tiers, key=TIERS.index, default="disputed")

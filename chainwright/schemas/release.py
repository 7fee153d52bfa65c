"""Released rows: what a reader of the dataset meets."""

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import Binary, LabelSource, Origin, Polarity, Tier


class ReleasedStep(Record):
    """One step of a released chain with its label."""

    step: int = Field(ge=1)
    text: str
    label: Binary | None
    category: str | None
    premises: list[int]
    label_source: LabelSource
    tier: Tier


class ReleasedChain(Record):
    """One row of the config `chains`: a chain with its problem and its steps' labels."""

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$")
    problem_id: str = Field(pattern=r"^p-[0-9a-f]{20}$")
    source: str
    licence: str | None
    question: str
    answer: str | None
    origin: Origin
    polarity: Polarity | None
    generator: str
    steps: list[ReleasedStep] = Field(min_length=1)
    final_answer: str | None
    is_correct: bool | None
    first_error: int | None = Field(description="1-based; null = none, or undecided before it")
    tier: Tier = Field(description="the lowest of the steps' tiers")
    parent_id: str | None
    perturbed_step: int | None
    perturbation_kind: str | None

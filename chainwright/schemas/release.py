"""Released rows: what a reader of the dataset meets."""

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import (
    Binary,
    LabelSource,
    Origin,
    Polarity,
    TestSlice,
    Tier,
    Track,
)


class ReleasedStep(Record):
    """One step of a released chain with its label."""

    step: int = Field(ge=1, description="1-based number of the step")
    text: str = Field(description="the step as written")
    label: Binary | None = Field(description="null = undecided")
    category: str | None = Field(
        description="kind of error; null where there is none, or no majority"
    )
    premises: list[int] = Field(description="earlier steps it rests on, 0 = the question")
    label_source: LabelSource = Field(description="by construction, by the panel or by people")
    tier: Tier = Field(description="agreement of the panel on (label, category)")
    citations: list[int] = Field([], description="passages of the context that it cites")
    propagated: bool | None = Field(
        None,
        description="valid given its premises, of which one is wrong or propagated itself; "
        "null = not known",
    )


class ReleasedChain(Record):
    """One row of the config `chains`: a chain with its problem and its steps' labels."""

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$", description="hash of the chain's content")
    problem_id: str = Field(pattern=r"^p-[0-9a-f]{20}$", description="the problem it solves")
    source: str = Field(description="source of the problem")
    licence: str | None = Field(description="licence of the source")
    question: str = Field(description="the problem's text")
    answer: str | None = Field(description="the gold final answer")
    origin: Origin = Field(description="the source's own, a model's, or a perturbed positive")
    polarity: Polarity | None = Field(description="by final answer; null = undecided")
    generator: str = Field(description="the model, person or engine that wrote the steps")
    steps: list[ReleasedStep] = Field(min_length=1, description="the steps with their labels")
    final_answer: str | None = Field(description="the answer the chain ends in")
    is_correct: bool | None = Field(description="whether that is the gold one; null = undecided")
    first_error: int | None = Field(description="1-based; null = none, or undecided before it")
    tier: Tier = Field(description="the lowest of the steps' tiers")
    parent_id: str | None = Field(description="the positive a synthetic negative came from")
    perturbed_step: int | None = Field(description="1-based step at which it was broken")
    perturbation_kind: str | None = Field(description="how it was broken, such as digit_slip")
    track: Track = Field("math", description="what its steps are judged by")
    question_type: str | None = Field(None, description="the publisher's own type of question")
    answer_f1: float | None = Field(
        None, description="word F1 of the final answer against the gold one; null for no text"
    )
    difficulty: float | None = Field(
        None,
        description="how far the judges differ, 0 to 1, mean of the steps; null = no two votes",
    )
    test_slices: list[TestSlice] = Field(
        [], description="draws that put it into the test set; empty without a selection"
    )
    hard_probability: float | None = Field(
        None,
        description="of being drawn into the hard slice, above 0; null = it could not be",
    )
    random_probability: float | None = Field(
        None,
        description="of being drawn into the random slice, above 0; null = it could not be",
    )

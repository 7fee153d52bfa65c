"""Human answers: each as it was given, and what those on a step amount to."""

from typing import Literal

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import Binary

Role = Literal["annotator", "adjudicator"]
Channel = Literal["file", "label_studio"]
Settled = Literal["adjudicated", "agreed", "single", "open"]


class HumanRecord(Record):
    """One line of `human/records.jsonl`, which is only ever added to.

    Of the lines with the same round, annotator, chain and step the last one counts. Step 0 holds
    what was said of the chain as a whole: whether it is suitable, a note, the seconds it took.
    """

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$", description="the chain")
    step: int = Field(ge=0, description="1-based number of the step; 0 = the whole chain")
    annotator: str = Field(min_length=1, description="who answered")
    role: Role = Field(description="an adjudicator saw the answers of others, unnamed")
    round: int = Field(ge=1, description="the export that asked")
    kind: Literal["answer", "withdrawn"] = Field(description="withdrawn = taken back, all null")
    label: Binary | None = Field(description="null at step 0 and where withdrawn")
    category: str | None = Field(description="null iff the label is correct, faithful or null")
    premises: list[int] | None = Field(description="earlier steps, 0 = the question; null = unsaid")
    note: str | None = Field(description="in the annotator's own words")
    suitable: bool | None = Field(description="step 0 alone: can the chain be judged at all")
    seconds: float | None = Field(description="step 0 alone: time spent on the chain")
    assisted: bool = Field(description="whether the judges' votes were shown")
    channel: Channel = Field(description="how the answer came in")
    content_hash: str = Field(description="hash of question, passages and steps as shown")
    config_version: str = Field(description="hash of the labels and categories on offer")
    time: str = Field(description="when the answer was given, or else imported; UTC, ISO 8601")


class HumanAnswer(Record):
    """One person's answer on a step, as it stands."""

    annotator: str = Field(description="who answered")
    role: Role = Field(description="an adjudicator's answer outranks the others'")
    label: Binary = Field(description="whether the step is right")
    category: str | None = Field(description="kind of error; null iff the step is right")
    premises: list[int] | None = Field(description="earlier steps, 0 = the question; null = unsaid")


class HumanLabel(Record):
    """One row of the `human_labels` table: what people say of a step; key (chain_id, step)."""

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$", description="hash of the chain's content")
    step: int = Field(ge=1, description="1-based number of the step")
    label: Binary | None = Field(description="null = open: people differ, nobody has decided")
    category: str | None = Field(description="kind of error; null where there is none, or open")
    premises: list[int] | None = Field(description="null = nobody gave any, or open")
    settled: Settled = Field(description="how the label came about")
    assisted: bool = Field(description="whether one who answered was shown the judges' votes")
    answers: list[HumanAnswer] = Field(description="all answers that count, in order of name")

"""Published labels: what a corpus that was released elsewhere says of its own steps."""

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import Binary


class PublishedLabel(Record):
    """One row of the `published` table; key (chain_id, step).

    It stands beside the labels that a run derives, and no label of the run counts it.
    """

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$", description="hash of the chain's content")
    step: int = Field(ge=1, description="1-based number of the step")
    source: str = Field(description="name of the source in the recipe")
    format: str = Field(description="the format it was read from")
    label: Binary | None = Field(description="null = the corpus does not say")
    category: str | None = Field(description="kind of error, where the corpus names one")
    premises: list[int] | None = Field(description="null = the corpus does not say")
    explanation: str | None = Field(description="what the corpus says of the error")
    verbatim: str | None = Field(description="the label in the corpus's own words; null = none")

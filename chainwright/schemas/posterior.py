"""Posterior: how probable the likeliest label of a step is, by votes that are weighed."""

from typing import Literal

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import Binary


class Posterior(Record):
    """One row of the `posteriors` table; key (chain_id, step).

    Written where the recipe weighs votes. It is about the step given its premises, as a vote is:
    errors inherited from premises are decided later.
    """

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$", description="hash of the chain's content")
    step: int = Field(ge=1, description="1-based number of the step")
    method: Literal["calibrated", "dawid_skene"] = Field(description="how votes were weighed")
    label: Binary | None = Field(description="null where no label is probable enough")
    category: str | None = Field(description="null iff the label is correct, faithful or null")
    probability: float = Field(description="of the likeliest label, whether it is given or not")
    held_out: bool = Field(
        description="whether the judges were weighed without the step's own fold, as it is exact"
    )

"""Labels: what is known of a step, by construction or from the votes."""

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import Binary, LabelSource, Tier, VoteStatus


class ExactLabel(Record):
    """One row of the `exact` table: a label that holds by construction (DESIGN: exact labels)."""

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$")
    step: int = Field(ge=1)
    label: Binary
    category: str | None
    premises: list[int]
    unresolved: list[str] = Field(
        description="operands found in neither the question nor an earlier step; 0 stands in"
    )
    ambiguous: list[str] = Field(
        default=[],
        description="operands whose value another quantity has as well; the nearest result counts",
    )


class CastVote(Record):
    """A vote as it entered the count of a label."""

    judge: str
    status: VoteStatus
    label: Binary | None
    category: str | None
    explanation: str | None


class Label(Record):
    """One row of the `labels` table; key (chain_id, step).

    `label`, `category` and `premises` are the best there is: by construction where the chain is
    exact, else by the panel. `tier` is always a pattern of votes, never a promise of accuracy.
    """

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$")
    step: int = Field(ge=1)
    label: Binary | None = Field(description="null = undecided")
    category: str | None
    premises: list[int]
    label_source: LabelSource
    tier: Tier = Field(description="agreement of the panel on (label, category)")
    binary_tier: Tier = Field(description="agreement of the panel on the label alone")
    reason: str | None = Field(description="why the step is disputed; null otherwise")
    panel_label: Binary | None
    panel_category: str | None
    panel_premises: list[int] | None = Field(description="null = no judge gave premises")
    votes: list[CastVote]

"""Labels: what is known of a step, by construction or from the votes."""

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import Binary, LabelSource, Tier, VoteStatus


class ExactLabel(Record):
    """One row of the `exact` table: a label that holds by construction."""

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$", description="hash of the chain's content")
    step: int = Field(ge=1, description="1-based number of the step")
    label: Binary = Field(description="whether the step is right")
    category: str | None = Field(description="kind of error; null iff the step is correct")
    premises: list[int] = Field(description="earlier steps it rests on, 0 = the question")
    unresolved: list[str] = Field(
        description="operands found in neither the question nor an earlier step; 0 stands in"
    )
    ambiguous: list[str] = Field(
        default=[],
        description="operands whose value another quantity has as well; the nearest result counts",
    )
    propagated: bool = Field(
        default=False,
        description="valid given its premises, of which one is wrong or propagated itself",
    )


class CastVote(Record):
    """A vote as it entered the count of a label."""

    judge: str = Field(description="who voted")
    status: VoteStatus = Field(description="only `ok` counts as a vote")
    label: Binary | None = Field(description="null unless the status is ok")
    category: str | None = Field(description="null iff the label is correct, faithful or null")
    explanation: str | None = Field(description="the judge's reason")


class Label(Record):
    """One row of the `labels` table; key (chain_id, step).

    `label`, `category` and `premises` are the best there is: by construction where the chain is
    exact, else by people, else by the panel. `tier` is always a pattern of votes, never a promise
    of accuracy.
    """

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$", description="hash of the chain's content")
    step: int = Field(ge=1, description="1-based number of the step")
    label: Binary | None = Field(description="null = undecided")
    category: str | None = Field(
        description="kind of error; null where there is none, or no majority"
    )
    premises: list[int] = Field(description="earlier steps it rests on, 0 = the question")
    label_source: LabelSource = Field(description="by construction, by the panel or by people")
    tier: Tier = Field(description="agreement of the panel on (label, category)")
    binary_tier: Tier = Field(description="agreement of the panel on the label alone")
    reason: str | None = Field(description="why the step is disputed or undecided; null otherwise")
    panel_label: Binary | None = Field(description="the panel's label, errors inherited")
    panel_category: str | None = Field(description="the panel's category")
    panel_premises: list[int] | None = Field(description="null = no judge gave premises")
    votes: list[CastVote] = Field(description="what entered the count, one vote a judge")

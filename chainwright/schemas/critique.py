"""Critique: a free-form description of what is wrong with a step."""

from pydantic import Field

from chainwright.schemas.record import Record


class Critique(Record):
    """One row of the `critiques` table; key (chain_id, step, critic)."""

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$", description="hash of the chain's content")
    step: int = Field(ge=1)
    critic: str
    description: str = Field(min_length=1)
    tags: list[str] = Field(min_length=1, max_length=3)

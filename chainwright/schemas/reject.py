"""Reject: a row that left the line, with the reason why."""

from pydantic import Field

from chainwright.schemas.record import Record


class Reject(Record):
    """One row of a stage's `rejects`."""

    stage: str
    table: str = Field(description="the table the row would have entered")
    item: str = Field(description="id of the item, or the place it was read from")
    reason: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="a code that can be counted")
    detail: str = Field(description="what was found, what was expected")
    payload: str | None = Field(description="the row as JSON, where keeping it helps to mend it")

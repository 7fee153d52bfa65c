"""Reject: a row that left the line, with the reason why."""

from typing import Self

from pydantic import Field

from chainwright.schemas.record import Record

LONGEST_DETAIL = 500
"""Characters of a detail that a stage keeps; the rest says no more of what went wrong."""


class Reject(Record):
    """One row of a stage's `rejects`."""

    stage: str
    table: str = Field(description="the table the row would have entered")
    item: str = Field(description="id of the item, or the place it was read from")
    reason: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="a code that can be counted")
    detail: str = Field(description="what was found, what was expected")
    payload: str | None = Field(description="the row as JSON, where keeping it helps to mend it")

    @classmethod
    def because(cls, stage: str, table: str, item: str, reason: str, detail: str) -> Self:
        """An item that a stage leaves out, without a payload.

        The detail may hold what a model or an exception said: it is cut to `LONGEST_DETAIL`, and
        lone surrogates, which no file can hold, are spelled out.
        """
        return cls(
            stage=stage,
            table=table,
            item=item,
            reason=reason,
            detail=detail[:LONGEST_DETAIL].encode("utf-8", "backslashreplace").decode(),
            payload=None,
        )

"""What all rows of all tables have in common."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """One row of a table: immutable, closed to unknown fields, no silent type coercion."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

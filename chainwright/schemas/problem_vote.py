"""Problem vote: what one model says of a problem before any chain is made from it."""

from typing import Literal

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import VoteStatus

ProblemTask = Literal["groundedness"]
Groundedness = Literal["grounded", "not_grounded"]


class ProblemVote(Record):
    """One row of the `problem_votes` table; key (problem_id, task, judge, prompt_version).

    In the task `groundedness` it says whether the passages of the problem suffice to answer its
    question. It is kept also where the problem was dropped for it.
    """

    problem_id: str = Field(pattern=r"^p-[0-9a-f]{20}$", description="the problem")
    task: ProblemTask
    judge: str = Field(description="model URI of who votes")
    prompt_version: str = Field(description="hash of the prompt")
    label: Groundedness | None = Field(description="null where the status is not ok")
    explanation: str | None
    status: VoteStatus
    request_key: str | None = Field(description="key of the request in the run's ledger")

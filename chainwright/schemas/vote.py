"""Vote: what one judge says of one step in one task."""

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import Binary, Task, VoteStatus


class Vote(Record):
    """One row of the `votes` table; key (chain_id, step, task, judge, prompt_version).

    In the task `error` a vote is native: it says whether the step is valid given its premises.
    Errors inherited from premises are decided later on the premise graph. In the task `chain` it is
    about the chain as a whole and stands at step 0; no label of a step counts it.
    """

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$", description="hash of the chain's content")
    step: int = Field(ge=0, description="1-based; 0 = the whole chain, in the task chain alone")
    task: Task
    judge: str = Field(description="who votes: `program:arithmetic`, `openai:NAME#METHODS`")
    prompt_version: str = Field(description="hash of the prompt, or version of the program")
    label: Binary | None
    category: str | None = Field(description="null iff the label is correct, faithful or null")
    premises: list[int] | None = Field(description="earlier steps, 0 = the question; task premises")
    explanation: str | None
    status: VoteStatus
    request_key: str | None = Field(description="key of the request in the run's ledger")

"""What a model judge found, as votes: one for each thing asked, in whatever state it is."""

from chainwright.annotation.models.answers import Premises, Verdict
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.query import Finding
from chainwright.schemas.chain import Chain
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import Task

LONGEST_NOTE = 2000
"""Characters that an abstention keeps of its reason and of the raw answer; the ledger has all."""


def error_vote(
    judge: ModelJudge, chain: Chain, step: int, version: str, found: Finding[Verdict]
) -> Vote:
    """The vote on one step."""
    return _verdict_vote(judge, chain, step, "error", version, found)


def faithfulness_vote(
    judge: ModelJudge, chain: Chain, step: int, version: str, found: Finding[Verdict]
) -> Vote:
    """The vote on whether one step stands on its sources."""
    return _verdict_vote(judge, chain, step, "faithfulness", version, found)


def chain_vote(judge: ModelJudge, chain: Chain, version: str, found: Finding[Verdict]) -> Vote:
    """The vote on the chain as a whole."""
    return _verdict_vote(judge, chain, 0, "chain", version, found)


def premise_vote(
    judge: ModelJudge, chain: Chain, step: int, version: str, found: Finding[Premises]
) -> Vote:
    """The vote on one step's premises."""
    said = found.value
    return Vote(
        chain_id=chain.chain_id,
        step=step,
        task="premises",
        judge=judge.name,
        prompt_version=version,
        label=None,
        category=None,
        premises=list(said.steps) if said else None,
        explanation=said.explanation if said else kept(found.note),
        status=found.status,
        request_key=found.request_key,
    )


def _verdict_vote(
    judge: ModelJudge, chain: Chain, step: int, task: Task, version: str, found: Finding[Verdict]
) -> Vote:
    said = found.value
    return Vote(
        chain_id=chain.chain_id,
        step=step,
        task=task,
        judge=judge.name,
        prompt_version=version,
        label=said.label if said else None,
        category=said.category if said else None,
        premises=None,
        explanation=said.explanation if said else kept(found.note),
        status=found.status,
        request_key=found.request_key,
    )


def kept(note: str | None) -> str | None:
    """A note as a vote keeps it: of bounded length, and writable."""
    if note is None:
        return None
    # Half a surrogate pair can be written nowhere.
    note = note.encode("utf-8", "replace").decode()
    return note if len(note) <= LONGEST_NOTE else f"{note[: LONGEST_NOTE - 1]}…"

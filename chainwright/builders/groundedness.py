"""Groundedness: whether the context of a problem answers its question, as models see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chainwright.builders.context_prompts import material
from chainwright.llm.prompts import prompt_version, render
from chainwright.llm.request import Asker, Message, Request, Schema
from chainwright.llm.structured import StructuredStatus, ask_structured
from chainwright.llm.uri import ModelUri
from chainwright.schemas.problem import Problem
from chainwright.schemas.problem_vote import Groundedness, ProblemVote
from chainwright.schemas.words import VoteStatus

PROMPT = "groundedness"
LONGEST_NOTE = 2000
"""Characters that an abstention keeps of its reason and of the raw answer; the ledger has all."""

ANSWERABLE = Schema(
    "answerable",
    {
        "type": "object",
        "properties": {"explanation": {"type": "string"}, "answerable": {"type": "boolean"}},
        "required": ["explanation", "answerable"],
        "additionalProperties": False,
    },
)

_STATUS: dict[StructuredStatus, VoteStatus] = {
    "ok": "ok",
    "malformed": "malformed",
    "refused": "refused",
    "failed": "missing",
}
_WORDS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class GroundednessJudge:
    """A model that votes, and how it is asked."""

    uri: ModelUri
    temperature: float | None = 0.0
    max_tokens: int | None = 512


def groundedness_request(judge: GroundednessJudge, problem: Problem) -> Request:
    """The request for a model's vote; the gold answer is not shown."""
    messages = tuple(
        Message(part, render(PROMPT, part=part, **material(problem))) for part in ("system", "user")
    )
    return Request(
        model=judge.uri,
        messages=messages,
        schema=ANSWERABLE,
        temperature=judge.temperature,
        max_tokens=judge.max_tokens,
    )


async def vote_on(asker: Asker, judge: GroundednessJudge, problem: Problem) -> ProblemVote:
    """A model's vote, asked for once more where it could not be read; then it is an abstention.

    Raises:
        ModelUnavailable: when the asker raises it.
    """
    said = await ask_structured(asker, groundedness_request(judge, problem), read_answerable)
    raw = said.texts[-1] if said.status == "malformed" and said.texts else ""
    label: Groundedness | None = None
    note = "\n".join(part for part in (said.fault, raw) if part)
    if said.value is not None:
        label, note = ("grounded" if said.value[0] else "not_grounded"), said.value[1]
    return groundedness_vote(
        judge, problem, _STATUS[said.status], label, note, said.keys[-1] if said.keys else None
    )


def groundedness_vote(
    judge: GroundednessJudge,
    problem: Problem,
    status: VoteStatus,
    label: Groundedness | None,
    note: str,
    request_key: str | None,
) -> ProblemVote:
    """The vote as a row; half a surrogate pair in a note, which no file can hold, is replaced."""
    note = note.encode("utf-8", "replace").decode()
    return ProblemVote(
        problem_id=problem.problem_id,
        task="groundedness",
        judge=judge.uri.model,
        prompt_version=prompt_version(PROMPT),
        label=label,
        explanation=note if len(note) <= LONGEST_NOTE else f"{note[: LONGEST_NOTE - 1]}…",
        status=status,
        request_key=request_key,
    )


def read_answerable(value: Any) -> tuple[bool, str]:
    """Whether it is answerable, and why.

    Raises:
        ValueError: with a message that names the fault, for the model to read.
    """
    if not isinstance(value, dict):
        raise ValueError('expected an object with "explanation" and "answerable"')  # noqa: TRY004
    said, why = value.get("answerable"), value.get("explanation")
    if isinstance(said, str):
        said = _WORDS.get(said.strip().lower(), said)
    if not isinstance(said, bool):
        raise ValueError(f'"answerable" is {str(said)[:60]!r}, expected true or false')  # noqa: TRY004
    return said, why if isinstance(why, str) else ""


def outcome(votes: Sequence[ProblemVote]) -> Groundedness | None:
    """What a strict majority of the panel says; abstentions count as votes for neither.

    Args:
        votes: One of each model on the panel.

    Returns:
        None for a tie and for too many abstentions.
    """
    said = [vote.label for vote in votes]
    labels: tuple[Groundedness, ...] = ("grounded", "not_grounded")
    return next((label for label in labels if 2 * said.count(label) > len(votes)), None)

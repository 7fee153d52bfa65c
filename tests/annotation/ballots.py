"""Votes in short: one letter says what a judge says of a step."""

from collections.abc import Sequence
from typing import Any

from chainwright.schemas.chain import Chain
from chainwright.schemas.label import CastVote
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import Binary, VoteStatus

Said = tuple[Binary | None, str | None, VoteStatus]

SAYS: dict[str, Said] = {
    "c": ("correct", None, "ok"),
    "m": ("error", "mathematical_error", "ok"),
    "l": ("error", "logical_inconsistency", "ok"),
    "o": ("error", "other", "ok"),
    "a": (None, None, "abstained"),
    "x": (None, None, "malformed"),
    "r": (None, None, "refused"),
    "-": (None, None, "missing"),
}
VALID = "cmlo"
NO_VOTE = "axr-"


def cast_votes(letters: str) -> list[CastVote]:
    """One cast vote a letter, of the judges j1, j2, and so on."""
    cast = []
    for place, letter in enumerate(letters, start=1):
        label, category, status = SAYS[letter]
        cast.append(
            CastVote(
                judge=f"j{place}", status=status, label=label, category=category, explanation=None
            )
        )
    return cast


def a_chain(*steps: str, **more: Any) -> Chain:
    """A model's chain; without steps it has three."""
    given: dict[str, Any] = {
        "problem_id": "p-" + "0" * 20,
        "origin": "model",
        "generator": "m",
        "steps": list(steps) or ["one", "two", "three"],
        "final_answer": None,
        "is_correct": None,
    }
    return Chain.build(**(given | more))


def a_vote(chain: Chain, step: int, judge: str, letter: str, **more: Any) -> Vote:
    """A vote in the task `error`."""
    label, category, status = SAYS[letter]
    given: dict[str, Any] = {
        "chain_id": chain.chain_id,
        "step": step,
        "task": "error",
        "judge": judge,
        "prompt_version": "1",
        "label": label,
        "category": category,
        "premises": None,
        "explanation": f"{judge} on step {step}",
        "status": status,
        "request_key": None,
    }
    return Vote(**(given | more))


def premise_vote(chain: Chain, step: int, judge: str, premises: Sequence[int] | None) -> Vote:
    """A vote in the task `premises`; without premises it is an abstention."""
    given = None if premises is None else list(premises)
    return a_vote(chain, step, judge, "a", task="premises", premises=given).model_copy(
        update={"status": "abstained" if premises is None else "ok"}
    )

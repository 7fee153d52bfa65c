"""The reward for the final answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainwright.rewards.attempt import (
    Attempt,
    Completion,
    Reward,
    attempts_of,
    named,
    read_attempt,
)


def answer_f1_reward(
    *,
    answer: str = "answer",
    aliases: str = "aliases",
    threshold: float = 0.0,
) -> Reward:
    """A reward for the final answer: its word F1 with the gold one or its best alias, 0 to 1.

    F1 as for `answer_f1` of a chain. A completion without an answer gets 0; a row without a gold
    answer None.

    Args:
        answer: Column of the gold answer.
        aliases: Column with a list of other spellings; it need not be there.
        threshold: An F1 below it counts as 0; 1 makes it exact match.

    Raises:
        ValueError: for a threshold outside 0 to 1.
        KeyError: when it is called, for a missing column `answer`.
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold is {threshold}, expected 0 to 1")

    def one(attempt: Attempt) -> float | None:
        from chainwright.builders.text_answers import word_f1

        gold = attempt.columns[answer]
        if gold is None or not str(gold).strip():
            return None
        golds = [str(gold), *map(str, attempt.columns.get(aliases) or ())]
        found = word_f1(attempt.final_answer or "", golds)
        return found if found >= threshold else 0.0

    def reward(
        *, prompts: Sequence[Completion], completions: Sequence[Completion], **columns: Any
    ) -> list[float | None]:
        if answer not in columns:
            there = ", ".join(columns) or "none"
            raise KeyError(f"the dataset has no column {answer!r}; there are: {there}")
        return [
            one(attempt) for attempt in attempts_of(prompts, completions, columns, read_attempt)
        ]

    return named(reward, "answer_f1")

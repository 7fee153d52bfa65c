"""The reward for the form of an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from chainwright.rewards.attempt import (
    TAGS,
    Attempt,
    Completion,
    Parts,
    Reward,
    attempts_of,
    json_parts,
    named,
    read_attempt,
)

_ANY_TAG = re.compile(r"</?(?:think|answer)>")
_CITED = re.compile(r"\[(\d+(?:\s*,\s*\d+)*)\]")


def format_reward(
    form: Literal["json", "tags"] = "json",
    *,
    min_steps: int = 1,
    max_steps: int | None = None,
    cite: bool = False,
    right: float = 1.0,
    wrong: float = 0.0,
) -> Reward:
    """A reward for an answer in the form that was asked for.

    `json` is one object of `steps`, a list of texts, and `final_answer`, a text, and nothing
    around it. `tags` is `<think>…</think><answer>…</answer>`, each once, nothing around them, the
    steps as `chainwright` cuts free text. Neither is mended: a reward for nearly right
    would teach that.

    Args:
        min_steps: Fewest steps.
        max_steps: Most steps; None = any number.
        cite: Whether at least one step must cite, and every number in square brackets be that of
            a passage in the column `context`.
        right: Reward for the form.
        wrong: Reward for anything else, an empty completion too.

    Raises:
        ValueError: for an unknown form, or bounds that no number of steps meets.
    """
    if form not in ("json", "tags"):
        raise ValueError(f"form is {form!r}, expected json or tags")
    if min_steps < 1 or (max_steps is not None and max_steps < min_steps):
        raise ValueError(f"no number of steps is between {min_steps} and {max_steps}")

    def fits(attempt: Attempt | None) -> bool:
        if attempt is None or not attempt.final_answer:
            return False
        if not min_steps <= len(attempt.steps) <= (max_steps or len(attempt.steps)):
            return False
        return not cite or _cites_well(attempt)

    def reward(
        *, prompts: Sequence[Completion], completions: Sequence[Completion], **columns: Any
    ) -> list[float | None]:
        attempts = attempts_of(prompts, completions, columns, _STRICT[form])
        return [right if fits(attempt) else wrong for attempt in attempts]

    return named(reward, f"format_{form}")


def _strict_json(text: str) -> Parts | None:
    try:
        return json_parts(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _strict_tags(text: str) -> Parts | None:
    tagged = TAGS.fullmatch(text)
    if tagged is None or len(_ANY_TAG.findall(text)) != 4:
        return None
    return read_attempt(text)


_STRICT: dict[str, Callable[[str], Parts | None]] = {
    "json": _strict_json,
    "tags": _strict_tags,
}


def _cites_well(attempt: Attempt) -> bool:
    cited = [
        int(number)
        for step in attempt.steps
        for listed in _CITED.findall(step)
        for number in listed.split(",")
    ]
    return bool(cited) and all(1 <= number <= len(attempt.context) for number in cited)

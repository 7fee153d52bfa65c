"""Attempts: completions read as steps and a final answer, each with its row of the dataset."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Completion = str | Sequence[Mapping[str, Any]]
Parts = tuple[list[str], str | None]
"""Steps and final answer."""

TAGS = re.compile(
    r"\s*<think>(?P<steps>.*?)</think>\s*<answer>(?P<answer>.*?)</answer>\s*", re.DOTALL
)


class Reward(Protocol):
    """What TRL calls: lists by keyword, one number or None a completion."""

    __name__: str

    def __call__(
        self, *, prompts: Sequence[Completion], completions: Sequence[Completion], **columns: Any
    ) -> list[float | None]:
        """The rewards, in the order of the completions."""


@dataclass(frozen=True)
class Attempt:
    """A completion as a judge of steps sees it.

    Attributes:
        question: The column `question` where there is one, else the prompt's text.
        context: The passages of the column `context`, in order; empty where there is none.
        steps: The steps, in order; empty where none could be read.
        final_answer: The answer, where one is stated.
        columns: The row's other columns.
    """

    question: str
    context: tuple[str, ...]
    steps: tuple[str, ...]
    final_answer: str | None
    columns: Mapping[str, Any]


def read_attempt(text: str) -> Parts:
    """The steps and the final answer of a completion, in whatever form it is.

    JSON counts where it holds `steps`, then tags; anything else is free text, whose
    answer is what it announces. Without an announcement there is no answer.

    >>> read_attempt('{"steps": ["2+2=4."], "final_answer": "4"}')
    (['2+2=4.'], '4')
    >>> read_attempt("<think>2+2=4.</think><answer>4</answer>")
    (['2+2=4.'], '4')
    """
    from chainwright.builders.context_prompts import stated_answer
    from chainwright.builders.splitter import split_steps
    from chainwright.llm.json_text import parse_json

    tagged = TAGS.fullmatch(text)
    if tagged:
        return split_steps(tagged["steps"]), tagged["answer"].strip() or None
    try:
        value = parse_json(text, repair=False, kind="object")
    except ValueError:
        value = None
    found = json_parts(value)
    return found if found is not None else (split_steps(text), stated_answer(text))


def completion_text(completion: Completion) -> str:
    """The text of a completion; of chat messages that of the last one, of its parts those of text.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(completion, str):
        return completion
    messages: Any = completion  # from a data set, whatever the annotation says
    if not isinstance(messages, Sequence) or not all(isinstance(one, Mapping) for one in messages):
        found = type(completion).__name__
        raise TypeError(f"a completion is {found}, expected text or a list of chat messages")
    content = messages[-1].get("content") if messages else None
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def attempts_of(
    prompts: Sequence[Completion],
    completions: Sequence[Completion],
    columns: Mapping[str, Any],
    read: Callable[[str], Parts | None],
) -> list[Any]:
    """Each completion read, with its row; None where `read` gives None."""
    # what the trainer adds for itself (its state, functions to log with) is no list a row
    rows = {
        key: values
        for key, values in columns.items()
        if isinstance(values, Sequence) and len(values) == len(completions)
    }
    attempts: list[Attempt | None] = []
    for at, (prompt, completion) in enumerate(zip(prompts, completions, strict=True)):
        row = {key: values[at] for key, values in rows.items()}
        found = read(completion_text(completion))
        question = row.get("question") or completion_text(prompt)
        context = tuple(_passage(one) for one in row.get("context") or ())
        attempts.append(
            None
            if found is None
            else Attempt(str(question), context, tuple(found[0]), found[1], row)
        )
    return attempts


def json_parts(value: Any) -> Parts | None:
    """Steps and answer of an object in the form that is asked for; None for another value."""
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        return None
    steps, answer = value["steps"], value.get("final_answer")
    if not all(isinstance(step, str) and step.strip() for step in steps):
        return None
    return list(steps), answer.strip() or None if isinstance(answer, str) else None


def named(reward: Any, name: str) -> Reward:
    """The function under the name by which TRL logs its rewards."""
    reward.__name__ = reward.__qualname__ = f"{name}_reward"
    named: Reward = reward
    return named


def _passage(passage: Any) -> str:
    if isinstance(passage, Mapping):
        return f"{passage.get('title') or ''}\n{passage.get('text') or ''}".strip()
    return str(passage)

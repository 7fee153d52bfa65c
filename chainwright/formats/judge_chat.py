"""Judge chats: conversations from which a model learns to judge steps, in three variants."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from chainwright.formats.trace import (
    StepLabel,
    Trace,
    Unfit,
    decided_steps,
    numbered,
    question_text,
)
from chainwright.schemas.words import ERROR_TYPES, FAITHFULNESS_ERRORS, Track

Variant = Literal["all", "sbs", "bin"]

_TASKS: dict[bool, str] = {
    True: "For each step of the solution, say whether it is correct or in error. A step that is "
    "valid by itself but rests on one in error is an accumulation_error.",
    False: "For each step of the reasoning, say whether it is faithful to the numbered references "
    "and the question, or unfaithful.",
}
_ONE = "Judge the last step alone; the steps before it are given as they are."


def judge_chats(trace: Trace, variant: Variant) -> Iterator[dict[str, Any]]:
    """The conversations of a trace: system, user, assistant; the answer is JSON.

    `all` asks for every step at once, `sbs` (step by step) in a conversation of its own for each
    step with those before it, and both for the category of an error. `bin` asks for every step at
    once, for the label alone. Explanations are given where they are known, before the label.

    Raises:
        Unfit: `undecided_step`; `undecided_category` but for `bin`, where an error has no category.
    """
    steps = decided_steps(trace)
    if variant != "bin":
        _need_categories(trace.labels[:steps])
    question = question_text(trace.problem)
    texts = [numbered(at, text) for at, text in enumerate(trace.chain.steps[:steps], 1)]
    verdicts = [
        _verdict(at, label, variant) for at, label in enumerate(trace.labels[:steps], start=1)
    ]
    system = _system(trace.problem.track, variant)
    if variant == "sbs":
        for at, verdict in enumerate(verdicts, 1):
            yield _chat(system, question, texts[:at], verdict)
    else:
        yield _chat(system, question, texts, {"steps": verdicts})


def _need_categories(labels: tuple[StepLabel, ...]) -> None:
    unnamed = [at for at, one in enumerate(labels, 1) if one.is_error and one.category is None]
    if unnamed:
        raise Unfit("undecided_category", f"steps in error without a category: {unnamed}")


def _system(track: Track, variant: Variant) -> str:
    is_math = track == "math"
    parts = [_TASKS[is_math]]
    if variant == "sbs":
        parts.append(_ONE)
    fields = '"step", "explanation" where there is one, "label"'
    if variant != "bin":
        names = ERROR_TYPES if is_math else FAITHFULNESS_ERRORS[track]
        parts.append(f"Name the category of what is wrong: {', '.join(names)}.")
        fields += ', and "category", null for a step that is not wrong'
    if variant == "sbs":
        whole = f"JSON: an object with {fields}"
    else:
        whole = f'JSON: {{"steps": [...]}}, for each step an object with {fields}'
    return " ".join([*parts, f"Answer with {whole}."])


def _verdict(step: int, label: StepLabel, variant: Variant) -> dict[str, Any]:
    verdict: dict[str, Any] = {"step": step}
    if label.explanation:
        verdict["explanation"] = label.explanation
    verdict["label"] = label.label
    if variant != "bin":
        verdict["category"] = label.category
    return verdict


def _chat(system: str, question: str, steps: list[str], answer: dict[str, Any]) -> dict[str, Any]:
    asked = "\n".join([question, "", *steps])
    return {
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": asked},
            {"role": "assistant", "content": json.dumps(answer, ensure_ascii=False)},
        ]
    }

"""PRM800K (arXiv 2305.20050): steps rated -1, 0 or 1, up to the first one rated -1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chainwright.formats.fields import Row, field, items, optional
from chainwright.formats.record import LabelledRecord, listed_labels
from chainwright.formats.trace import Trace, Unfit, decided_steps, question_text

_RIGHT: dict[int | None, bool | None] = {1: True, 0: None, -1: False, None: None}
FOUND_ERROR = "found_error"


def prm800k_row(trace: Trace) -> dict[str, Any]:
    """The trace as a row of PRM800K, phase 2: one completion a step.

    As there, rating ends at the first step in error, of which no completion is chosen; the steps
    behind it stand in `pre_generated_steps` alone. The rating 0 (neither wrong nor of use) is
    never given, as no label of ours means it. Who rated and when is not said.

    Raises:
        Unfit: `undecided_step`.
    """
    rated = trace.labels[: decided_steps(trace)]
    first = trace.first_error
    texts = trace.chain.steps[: first or len(rated)]
    return {
        "question": {
            "problem": question_text(trace.problem),
            "ground_truth_solution": trace.problem.solution,
            "ground_truth_answer": trace.problem.answer,
            "pre_generated_steps": trace.chain.steps,
            "pre_generated_answer": trace.chain.final_answer,
        },
        "label": {
            "steps": [_step(text, number == first) for number, text in enumerate(texts, 1)],
            "finish_reason": FOUND_ERROR if first else "solution",
        },
    }


def read_prm800k(row: Row, source: str) -> LabelledRecord:
    """A row of PRM800K: the trajectory that was followed.

    At each step the chosen completion counts, or the labeller's own. Where none was chosen the
    trajectory ends with the first completion. Alternatives are passed over. 1 is correct, -1 an
    error, and 0 undecided. Where the rating stops at an error, the rest of
    `pre_generated_steps` follows, undecided, if it begins with the steps that were rated.

    Raises:
        Unfit: `missing_field`, `wrong_type`, `empty_field`, `bad_label` for a rating of another
            value or a chosen completion that there is none of.
    """
    question = field(row, "question", dict)
    label = field(row, "label", dict)
    followed = list(_followed(items(label, "steps", dict, "label.")))
    steps = [text for text, _, _ in followed]
    generated = optional(question, "pre_generated_steps", list, "question.") or []
    stopped = followed[-1][1] is False
    if stopped and generated[: len(steps)] == steps and len(generated) > len(steps):
        rest = items(question, "pre_generated_steps", str, "question.")[len(steps) :]
        followed += [(text, None, None) for text in rest]
    return LabelledRecord(
        kind="prm800k",
        question=field(question, "problem", str, "question."),
        steps=tuple(text for text, _, _ in followed),
        labels=listed_labels(
            [right for _, right, _ in followed], [rating for _, _, rating in followed]
        ),
        answer=optional(question, "ground_truth_answer", str, "question."),
        solution=optional(question, "ground_truth_solution", str, "question."),
        final_answer=optional(question, "pre_generated_answer", str, "question."),
        in_order=True,
    )


def _step(text: str, is_error: bool) -> dict[str, Any]:
    rated = {"text": text, "rating": -1 if is_error else 1, "flagged": None}
    return {
        "completions": [rated],
        "human_completion": None,
        "chosen_completion": None if is_error else 0,
    }


def _followed(steps: list[Row]) -> Iterator[tuple[str, bool | None, str | None]]:
    """The text of each step, whether it is right, and its rating."""
    for at, step in enumerate(steps):
        place = f"label.steps[{at}]."
        chosen = optional(step, "chosen_completion", int, place)
        own = step.get("human_completion")
        if chosen is None and own is not None:
            # phase 1 has an object here, and a step that people write is one they call right
            text = field(own, "text", str, place) if isinstance(own, dict) else str(own)
            yield text, True, "human_completion"
            continue
        completions = items(step, "completions", dict, place)
        if not 0 <= (chosen or 0) < len(completions):
            found = f"`{place}chosen_completion` is {chosen}"
            raise Unfit("bad_label", f"{found}; there are {len(completions)} completions")
        place = f"{place}completions[{chosen or 0}]."
        completion = completions[chosen or 0]
        rating = optional(completion, "rating", int, place)
        if rating not in _RIGHT:
            raise Unfit("bad_label", f"`{place}rating` is {rating}, expected -1, 0 or 1")
        yield field(completion, "text", str, place), _RIGHT[rating], str(rating)
        if chosen is None:
            return

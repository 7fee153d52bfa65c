"""The reward for the process: what the steps are worth to a judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from chainwright.rewards.attempt import (
    Attempt,
    Completion,
    Reward,
    attempts_of,
    named,
    read_attempt,
)

Share = Literal["mean", "first_error", "all"]

StepJudge = Callable[[Attempt], Sequence[bool | None]]
"""Whether each step is sound (faithful, correct); None = undecided. One value a step."""


def process_reward(
    judge: StepJudge,
    *,
    share: Share = "mean",
    undecided: float | None = None,
    no_steps: float | None = 0.0,
    name: str = "process",
) -> Reward:
    """A reward for the steps, as a judge sees them.

    Args:
        judge: Says of each step whether it is sound; `program_judge()`, or a function of yours
            that asks a model.
        share: `mean` is the share of sound steps, `first_error` the share before the first that is
            not, `all` 1 where every step is sound and 0 else.
        undecided: What an undecided step counts; None = it is left out, and a completion of
            undecided steps alone gets None.
        no_steps: Reward of a completion without steps.
        name: What TRL logs it under.

    Raises:
        ValueError: for an unknown share; when it is called, for a judge that does not give one
            value a step.
    """
    if share not in ("mean", "first_error", "all"):
        raise ValueError(f"share is {share!r}, expected mean, first_error or all")

    def one(attempt: Attempt) -> float | None:
        if not attempt.steps:
            return no_steps
        verdicts = list(judge(attempt))
        if len(verdicts) != len(attempt.steps):
            raise ValueError(
                f"the judge gave {len(verdicts)} values for {len(attempt.steps)} steps"
            )
        worth = [undecided if verdict is None else float(verdict) for verdict in verdicts]
        return _shared([value for value in worth if value is not None], share)

    def reward(
        *, prompts: Sequence[Completion], completions: Sequence[Completion], **columns: Any
    ) -> list[float | None]:
        return [
            one(attempt) for attempt in attempts_of(prompts, completions, columns, read_attempt)
        ]

    return named(reward, name)


def program_judge(*names: str) -> StepJudge:
    """A judge for `process_reward` that asks no model: the program judges on mathematics.

    A step is unsound where any of them finds an error, sound where one finds none, and
    undecided where all abstain. The column `solution`, where there is one, is shown to
    `reference`.

    Args:
        names: `arithmetic`, `provenance`, `reference`; arithmetic alone where none is given.

    Raises:
        ValueError: for an unknown name.
    """
    from chainwright.annotation.program_panel import PROGRAMS
    from chainwright.annotation.programs.case import Case

    wanted = names or ("arithmetic",)
    for name in wanted:
        if name not in PROGRAMS:
            raise ValueError(f"no program {name!r}; there are: {', '.join(PROGRAMS)}")

    def judge(attempt: Attempt) -> list[bool | None]:
        case = Case(
            question="\n".join([attempt.question, *attempt.context]),
            steps=attempt.steps,
            final_answer=attempt.final_answer,
            reference_solution=attempt.columns.get("solution"),
            reference_answer=attempt.columns.get("answer"),
        )
        opinions = [PROGRAMS[name].judge(case) for name in wanted]
        return [
            _verdict([each.label for each in of_step if each.status == "ok"])
            for of_step in zip(*opinions, strict=True)
        ]

    return judge


def _verdict(labels: Sequence[str | None]) -> bool | None:
    return all(label == "correct" for label in labels) if labels else None


def _shared(worth: list[float], share: Share) -> float | None:
    if not worth:
        return None
    if share == "mean":
        return sum(worth) / len(worth)
    sound = next((at for at, value in enumerate(worth) if value < 1), len(worth))
    return sound / len(worth) if share == "first_error" else float(sound == len(worth))

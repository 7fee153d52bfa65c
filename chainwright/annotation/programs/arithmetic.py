"""`program:arithmetic` recomputes every equation of a step, and knows nothing else."""

from chainwright.annotation.programs.case import (
    Case,
    Opinion,
    abstained,
    correct,
    error,
    step_equations,
    written,
)

VERSION = "1"


def arithmetic(case: Case) -> list[Opinion]:
    """One opinion a step: mathematical error where an equation does not hold.

    A step whose equations hold is called correct, which says nothing about whether they were the
    right ones to set up. A step without an equation is abstained on.
    """
    return [_judge(step) for step in case.steps]


def _judge(step: str) -> Opinion:
    equations = step_equations(step)
    if not equations:
        return abstained("no equation to recompute")
    for equation in equations:
        if not equation.holds:
            return error(
                "mathematical_error",
                f"{equation.left.text.strip()} is {written(equation.left.value)}, "
                f"not {equation.right.text.strip()}",
            )
    count = len(equations)
    return correct(f"{count} equation{'s' if count > 1 else ''} recomputed")

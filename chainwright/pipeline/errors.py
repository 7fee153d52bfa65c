"""Why a command ends early, with the exit code that says so to a shell."""

from __future__ import annotations

EXIT_DONE = 0
EXIT_FAULTS = 1
EXIT_INPUT = 2
EXIT_STOPPED = 3
EXIT_BUDGET = 4
EXIT_INTERRUPTED = 130


class InputMistake(Exception):
    """The recipe, an argument or a file that the user gave cannot be used."""


class RunStopped(Exception):
    """The run cannot go on; what was finished is kept."""


class BudgetStop(RunStopped):
    """The run has spent what its recipe allows; a larger budget goes on from there.

    Attributes:
        spent: What was spent of what, and what the next request would take.
    """

    def __init__(self, spent: str, left: str = "") -> None:
        self.spent = spent
        super().__init__(
            f"the budget is reached: {spent}{left}. Everything paid for is kept: raise `budget` in "
            "the recipe, and the same command goes on from there and asks nothing twice; with "
            "--dry-run it says what the rest costs"
        )


class Interrupted(Exception):
    """The user stopped the run; what was finished is kept.

    Attributes:
        stage: The stage that was under way.
        done: Blocks of it that are finished.
        total: Blocks it has; None where that is not known yet.
        away: What goes on elsewhere, and how to end it; empty where nothing does.
    """

    def __init__(self, stage: str, done: int, total: int | None, away: str = "") -> None:
        self.stage = stage
        self.done = done
        self.total = total
        of = "" if total is None else f" of {total}"
        super().__init__(
            f"interrupted in stage {stage}: {done}{of} blocks of it are finished; "
            "the same command goes on from there" + (f". {away}" if away else "")
        )


def exit_code(error: BaseException) -> int:
    """The exit code that an error means; anything unforeseen counts as a stopped run."""
    if isinstance(error, _mistakes()):
        return EXIT_INPUT
    if isinstance(error, BudgetStop):
        return EXIT_BUDGET
    if isinstance(error, Interrupted | KeyboardInterrupt):
        return EXIT_INTERRUPTED
    return EXIT_STOPPED


def complaint(error: Exception) -> str:
    """What a user reads of an error, on lines of its own."""
    from chainwright.pipeline.screens.terminal import visible

    message = visible(str(error))
    if not isinstance(error, (RunStopped, Interrupted, OSError, *_mistakes())):
        message = f"{type(error).__name__}: {message} (CHAINWRIGHT_DEBUG=1 shows the traceback)"
    return f"chainwright: {message}\n"


def first_line(error: BaseException) -> str:
    """What an error says first, 300 signs at most: some libraries add much below it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__


def _mistakes() -> tuple[type[Exception], ...]:
    """What a user can put right."""
    from chainwright.pipeline.reading.rows import SourceError
    from chainwright.recipe_file import RecipeError

    return (InputMistake, RecipeError, SourceError)

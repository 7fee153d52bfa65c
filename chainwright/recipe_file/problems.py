"""Problems of a recipe file, and the report that lists them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RecipeProblem:
    """One fault of a recipe file.

    Attributes:
        line: 1-based; null where the file itself could not be read.
        column: 1-based; null with `line`.
        key_path: The key, such as `sources[0].limit`; empty for the whole document.
        found: What stands there.
        expected: What is allowed.
        hint: The nearest spelling, or the way out; null where there is none.
    """

    line: int | None
    column: int | None
    key_path: str
    found: str
    expected: str
    hint: str | None

    def __str__(self) -> str:
        at = f"line {self.line}, column {self.column}" if self.line is not None else "the file"
        head = f"{at}: {self.key_path}" if self.key_path else at
        rows = [head, f"  found:    {self.found}", f"  expected: {self.expected}"]
        return "\n".join([*rows, f"  hint:     {self.hint}"] if self.hint else rows)


class RecipeError(Exception):
    """A recipe file that can't be used; `str()` is a report to read.

    Attributes:
        problems: At least one, in the order of the file's lines.
    """

    def __init__(self, path: Path, problems: Sequence[RecipeProblem]) -> None:
        super().__init__(path, problems)
        self.path = path
        self.problems = sorted(problems, key=lambda p: (p.line or 0, p.column or 0, p.key_path))

    def __str__(self) -> str:
        count = len(self.problems)
        head = f"{self.path}: {count} problem{'s' if count > 1 else ''}"
        report = "\n\n".join([head, *map(str, self.problems)])
        # A YAML escape can put half a surrogate pair into a key, which no terminal prints.
        return report.encode("utf-8", "backslashreplace").decode()


def file_problem(found: str, expected: str, hint: str | None = None) -> RecipeProblem:
    """A fault of the file itself, before any line is read."""
    return RecipeProblem(None, None, "", found, expected, hint)

"""The scale of a track: who votes on its steps, and the words that a vote can come to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainwright.annotation.judges import judges_of, observers, panel_of
from chainwright.annotation.models.judge import ModelJudge
from chainwright.schemas.words import ERROR_TYPES, SOUND, TASKS, Task, Track, step_label

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


@dataclass(frozen=True)
class Scale:
    """Who votes on a track, and in which words.

    Attributes:
        labels: Outcomes of a step, inherited errors among them.
    """

    judges: tuple[str, ...]
    observers: tuple[str, ...]
    task: Task
    labels: tuple[str, ...]

    @classmethod
    def of(cls, recipe: "Recipe", track: Track) -> "Scale":
        """The scale by which a recipe has a track judged."""
        silent = observers(recipe)
        judges = judges_of(recipe)
        models = [one for one in judges if isinstance(one, ModelJudge) and one.reads(track)]
        if track == "math":
            labels: tuple[str, ...] = (SOUND[0], *ERROR_TYPES)
        else:
            known = recipe.annotation.taxonomy.taxonomies()
            names = [c.name for one in known if one.track == track for c in one.categories]
            blunt = any(judge.faithfulness == "bin" for judge in models)
            labels = (SOUND[1], *names, *(["unfaithful"] if blunt else []))
        return cls(
            tuple(panel_of(recipe, track)),
            tuple(judge.name for judge in models if judge.name in silent),
            TASKS[track],
            labels,
        )

    @property
    def native(self) -> tuple[str, ...]:
        """What a judge's vote can say: a vote is about the step given its premises."""
        return tuple(label for label in self.labels if label != "accumulation_error")

    def word(self, label: str | None, category: str | None) -> str | None:
        """A vote in one word; that of a judge without categories is its label."""
        said = step_label(label, category)
        return label if said is None and label in self.labels else said

    def code(self, word: str | None) -> int:
        """The place of a word among the native ones; -1 = no vote."""
        word = without_inheritance(word)
        return self.native.index(word) if word in self.native else -1


def without_inheritance(label: str | None) -> str | None:
    """The label of a step given its premises: an inherited error is valid in itself."""
    return SOUND[0] if label == "accumulation_error" else label

"""Questionnaire: what people may answer on a step of a track, with a version."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from chainwright.schemas.identity import content_hash
from chainwright.schemas.taxonomy import Taxonomy
from chainwright.schemas.words import TASKS, Binary, Track

MATH: dict[str, str] = {
    "mathematical_error": "a calculation or an algebraic step comes to a wrong result",
    "logical_inconsistency": "the step does not follow: it uses a wrong quantity or operation, "
    "misreads the question, or goes against an earlier step",
    "accumulation_error": "the step is right given what it builds on, but something it builds on "
    "is wrong; the mistake itself was made earlier",
    "other": "the step is wrong in a way that none of these names; say how in the note",
}
"""The kinds of error in math chains (PERL, arXiv 2502.02362), as annotators read them."""

VERSION_LENGTH = 16
"""Hex digits of a version: enough to tell the few questionnaires of a run apart."""


class Questionnaire(BaseModel):
    """The labels and categories of a track, in the order they are offered."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    track: Track
    sound: Binary
    fault: Binary
    categories: dict[str, str]
    """Names with definitions."""

    @property
    def labels(self) -> tuple[Binary, Binary]:
        """The two labels, that of a sound step first."""
        return self.sound, self.fault

    @property
    def version(self) -> str:
        """Hash of all of it: two answers are comparable without reserve where theirs are equal."""
        return content_hash(self.model_dump(mode="json"))[:VERSION_LENGTH]

    @property
    def words(self) -> tuple[str, ...]:
        """Outcomes of a step in one word each: the sound label, then the categories."""
        return (self.sound, *self.categories)


def questionnaires(taxonomies: Iterable[Taxonomy]) -> dict[Track, Questionnaire]:
    """One for each track: PERL's error types in math, the given taxonomies elsewhere."""
    found: dict[Track, Questionnaire] = {
        "math": Questionnaire(track="math", sound="correct", fault="error", categories=MATH)
    }
    for taxonomy in taxonomies:
        if TASKS[taxonomy.track] == "faithfulness":
            found[taxonomy.track] = Questionnaire(
                track=taxonomy.track,
                sound="faithful",
                fault="unfaithful",
                categories={one.name: one.definition for one in taxonomy.categories},
            )
    return found

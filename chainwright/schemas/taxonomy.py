"""Taxonomy: the named error categories of a track."""

from pydantic import Field

from chainwright.schemas.record import Record
from chainwright.schemas.words import Track


class Category(Record):
    """One named way for a step to be wrong."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    definition: str = Field(min_length=1)
    clusters: list[int] = Field(description="clusters of critiques merged into it; may be empty")


class Taxonomy(Record):
    """A set of categories that annotation may use in place of the built-in ones."""

    track: Track
    categories: list[Category] = Field(min_length=1)


def _built_in(track: Track, **definitions: str) -> Taxonomy:
    return Taxonomy(
        track=track,
        categories=[
            Category(name=name, definition=definition, clusters=[])
            for name, definition in definitions.items()
        ],
    )


BUILT_IN: tuple[Taxonomy, ...] = (
    _built_in(
        "inference",
        reversed_reasoning="takes a rule or an argument the wrong way round: from what follows to "
        "what it follows from, or from a denied condition to a denied consequence",
        wrong_argument_reading="misreads the argument: what it concludes, what it rests on, or "
        "what the question asks of it",
        rule_violation="applies a rule where its condition is not met, leaves out its exception, "
        "or breaks a rule of valid inference",
        overreaching_claim="claims more than the premises carry: all for some, must for may, a "
        "cause for a coincidence",
    ),
    _built_in(
        "grounding",
        groundedness_violation="states something that no passage says and no step before it shows",
        contradiction="states the opposite of what a passage or an earlier step says",
        confusion="takes one person, thing, time or place for another, or the facts about one for "
        "those about another",
        evidence_neglect="passes over evidence that is there: says that it is missing, or decides "
        "without it",
    ),
)
"""The categories of unfaithful steps where a recipe names none (GRACE, arXiv 2606.16151)."""

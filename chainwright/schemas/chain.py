"""Chain: the steps that lead from a problem to a final answer."""

from typing import Self

from pydantic import Field

from chainwright.schemas.identity import short_id
from chainwright.schemas.record import Record
from chainwright.schemas.words import Origin, PlantedError, Polarity


class Perturbation(Record):
    """What was made wrong in a synthetic negative, at which the error starts."""

    error_type: PlantedError
    kind: str = Field(description="how it was made wrong, such as `digit_slip`")
    before: str = Field(description="the computation as it was, such as `16-3-4=9`")
    after: str = Field(description="the computation as it is now, such as `16-3-4=8`")


class Chain(Record):
    """One row of the `chains` table."""

    chain_id: str = Field(pattern=r"^c-[0-9a-f]{20}$", description="hash of the chain's content")
    problem_id: str = Field(pattern=r"^p-[0-9a-f]{20}$", description="the problem it solves")
    origin: Origin = Field(description="the source's own, a model's, or a perturbed positive")
    polarity: Polarity | None = Field(description="null where correctness is undecided")
    generator: str = Field(description="the model, person or engine that wrote the steps")
    steps: list[str] = Field(min_length=1, description="step k is steps[k-1]")
    citations: list[list[int]] = Field(
        description="per step the references it cites; empty when the chain cites nothing"
    )
    final_answer: str | None = Field(description="the answer the chain ends in")
    is_correct: bool | None = Field(description="null = undecided")
    parent_id: str | None = Field(description="the positive that a synthetic negative came from")
    perturbed_step: int | None = Field(ge=1, description="1-based; synthetic negatives only")
    perturbation: Perturbation | None = Field(description="what was made wrong, and how")
    answer_f1: float | None = Field(
        None,
        description="word F1 of the final answer against the gold one or its best alias, 0 to 1; "
        "null where answers are not texts, or none was read",
    )

    @classmethod
    def build(
        cls,
        *,
        problem_id: str,
        origin: Origin,
        generator: str,
        steps: list[str],
        final_answer: str | None,
        is_correct: bool | None,
        citations: list[list[int]] | None = None,
        parent_id: str | None = None,
        perturbed_step: int | None = None,
        perturbation: Perturbation | None = None,
        answer_f1: float | None = None,
    ) -> Self:
        """A chain whose id follows from its problem, origin, generator, steps and answer.

        The polarity follows from origin and correctness: a synthetic chain is always a
        `synthetic_negative`, an undecided one has none.
        """
        polarity: Polarity | None
        if origin == "synthetic":
            polarity = "synthetic_negative"
        elif is_correct is None:
            polarity = None
        else:
            polarity = "positive" if is_correct else "negative"
        return cls(
            chain_id=short_id("chain", problem_id, origin, generator, steps, final_answer),
            problem_id=problem_id,
            origin=origin,
            polarity=polarity,
            generator=generator,
            steps=steps,
            citations=citations or [],
            final_answer=final_answer,
            is_correct=is_correct,
            parent_id=parent_id,
            perturbed_step=perturbed_step,
            perturbation=perturbation,
            answer_f1=answer_f1,
        )

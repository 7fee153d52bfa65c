"""Problem: a question with its context, its answer and where it comes from."""

from typing import Self

from pydantic import Field

from chainwright.schemas.identity import short_id
from chainwright.schemas.record import Record
from chainwright.schemas.words import AnswerKind, Track


class Passage(Record):
    """One numbered reference of a problem's context."""

    ref: int = Field(ge=1, description="1-based number by which steps cite the passage")
    title: str = Field(description="may be empty")
    text: str = Field(description="the passage itself")


class SupportingFact(Record):
    """A piece of the context that the publisher says the answer rests on."""

    ref: int = Field(ge=1, description="number of the passage")
    sentence: str | None = Field(description="the sentence of it; null = the whole passage")


class Problem(Record):
    """One row of the `problems` table."""

    problem_id: str = Field(
        pattern=r"^p-[0-9a-f]{20}$", description="hash of source, question, context and options"
    )
    source: str = Field(min_length=1, description="name of the source in the recipe")
    split: str | None = Field(description="split of the source the row comes from")
    question: str = Field(min_length=1, description="the problem's text")
    context: list[Passage] = Field(
        description="numbered passages the question is about; often none"
    )
    options: list[str] = Field(description="choices A, B, … of a multiple-choice question")
    answer: str | None = Field(description="the gold final answer; null where unknown")
    answer_kind: AnswerKind | None = Field(description="how answers are compared; null = unknown")
    solution: str | None = Field(description="the source's own worked solution")
    licence: str | None = Field(description="SPDX id, or the source's own words")
    track: Track = Field(description="which error types its steps are judged by")
    origin_ref: str = Field(description="file or Hub repository and row the problem was read from")
    aliases: list[str] = Field([], description="other spellings of the answer that count as right")
    supporting: list[SupportingFact] = Field(
        [], description="what of the context the answer rests on, as the publisher has it"
    )
    question_type: str | None = Field(None, description="the publisher's own type of question")
    variant_of: str | None = Field(
        None, description="the problem whose numbers were drawn anew to make this one"
    )
    variant: int | None = Field(None, ge=1, description="which of its variants this is, from 1")

    @property
    def family(self) -> str:
        """Id of the problem that all its variants go back to: they are on one side of a split."""
        return self.variant_of or self.problem_id

    @classmethod
    def build(
        cls,
        *,
        source: str,
        question: str,
        split: str | None = None,
        context: list[Passage] | None = None,
        options: list[str] | None = None,
        answer: str | None = None,
        answer_kind: AnswerKind | None = None,
        solution: str | None = None,
        licence: str | None = None,
        track: Track = "math",
        origin_ref: str = "",
        aliases: list[str] | None = None,
        supporting: list[SupportingFact] | None = None,
        question_type: str | None = None,
        variant_of: str | None = None,
        variant: int | None = None,
    ) -> Self:
        """A problem whose id follows from source, question, context and options."""
        passages = context or []
        choices = options or []
        return cls(
            problem_id=short_id(
                "problem", source, question, [p.model_dump() for p in passages], choices
            ),
            source=source,
            split=split,
            question=question,
            context=passages,
            options=choices,
            answer=answer,
            answer_kind=answer_kind,
            solution=solution,
            licence=licence,
            track=track,
            origin_ref=origin_ref,
            aliases=aliases or [],
            supporting=supporting or [],
            question_type=question_type,
            variant_of=variant_of,
            variant=variant,
        )

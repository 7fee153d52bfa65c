"""PERL's own record: a chain with premises and errors, as its authors released it.

The shape is that of the files of PERL (arXiv 2502.02362). It differs from the released chains of
this project: step 0 has an entry of its own among the premises, a premise carries the words it
stands on, a step may hold several errors, and error types are capitalised.
"""

from typing import Annotated, Literal

from pydantic import Field

from chainwright.schemas.record import Record

PerlErrorType = Literal[
    "Mathematical_Error", "Logical_Inconsistency", "Accumulation_Error", "Other"
]

# JSON has arrays only, so that a strict check would refuse each of them as a tuple.
PerlPremise = Annotated[tuple[int, str], Field(strict=False)]
"""Number of an earlier step (0 = the question), and what the step takes from it."""


class PerlPremises(Record):
    """The premises of one step."""

    step_number: int = Field(ge=0, description="1-based; 0 = the question")
    original_step: str
    premises: list[PerlPremise]


class PerlPremiseAnnotation(Record):
    """The premises of all steps, step 0 included."""

    steps: list[PerlPremises]


class PerlError(Record):
    """One error of one step."""

    error_type: PerlErrorType
    error_description: str


class PerlStepErrors(Record):
    """The errors of one step; none where the step is correct."""

    step_number: int = Field(ge=1, description="1-based")
    has_error: bool
    errors: list[PerlError]


class PerlStepLevel(Record):
    """The errors of all steps."""

    step_level: list[PerlStepErrors]


class PerlErrorAnnotation(Record):
    """What is wrong with the chain."""

    error_annotations: PerlStepLevel


class PerlRecord(Record):
    """One element of a file of PERL."""

    question: str
    ground_truth_solution: str | None = Field(
        None, description="absent from perturbed MATH positives"
    )
    ground_truth_answer: str
    model_answer: str | int | float
    steps: list[str] = Field(min_length=1)
    is_correct: bool | None = Field(None, description="absent from the model's MATH chains")
    type: str | None = Field(None, description="subject of a MATH problem")
    premise_annotation: PerlPremiseAnnotation
    error_annotation: PerlErrorAnnotation

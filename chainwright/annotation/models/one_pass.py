"""The one-pass annotator: one request a chain for all that can be said of it."""

from functools import partial

from chainwright.annotation.models.answer_schemas import one_pass_schema
from chainwright.annotation.models.answers import OnePass, read_one_pass
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.material import material, numbers
from chainwright.annotation.models.query import Query, query
from chainwright.annotation.programs.case import Case
from chainwright.schemas.words import CHAIN_ERRORS, ERROR_TYPES

TEMPLATE = "judge_one_pass"
"""Name of the prompt."""


def one_pass_query(judge: ModelJudge, case: Case) -> Query[OnePass]:
    """Every step's premises and verdict, and whether the chain as a whole holds."""
    steps = numbers(case)
    types, chain_types = judge.shuffled(ERROR_TYPES), judge.shuffled(CHAIN_ERRORS)
    read = partial(read_one_pass, steps=steps, types=types, chain_types=chain_types)
    schema = one_pass_schema(len(case.steps), types, chain_types)
    shown = material(case, steps)
    return query(judge, TEMPLATE, schema, read, types=types, chain_types=chain_types, **shown)

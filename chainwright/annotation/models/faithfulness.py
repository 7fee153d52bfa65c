"""Judges of faithfulness: does a step stand on its sources, and if not, how does it fail?

Three strategies (GRACE, arXiv 2606.16151):

- all: one request a chain, for every step's label and category;
- sbs: one request a step, which sees the steps before it;
- bin: one request a chain for the labels alone, without a taxonomy.
"""

from collections.abc import Sequence
from functools import partial
from operator import itemgetter

from chainwright.annotation.models.answer_schemas import faithfulness_schema
from chainwright.annotation.models.answers import Verdict, read_faithfulness
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.material import material, numbers
from chainwright.annotation.models.query import Finding, Query, query
from chainwright.annotation.models.shared_prefix import find_led
from chainwright.annotation.programs.case import Case
from chainwright.llm.request import Asker
from chainwright.schemas.taxonomy import Category

TEMPLATE = "judge_faithfulness"
"""Name of the prompt."""

Answers = dict[int, Verdict]


async def judge_faithfulness(
    asker: Asker, judge: ModelJudge, case: Case, categories: Sequence[Category]
) -> dict[int, Finding[Verdict]]:
    """Each step's verdict, by number.

    Args:
        categories: Of the chain's track; `bin` looks at none.

    Raises:
        ModelUnavailable: when the asker raises it.
    """
    queries = faithfulness_queries(judge, case, categories)
    found = await find_led(asker, queries, leads=judge.leads)
    steps = numbers(case)
    if judge.faithfulness == "sbs":
        return {n: one.map(itemgetter(n)) for n, one in zip(steps, found, strict=True)}
    return {number: found[0].map(itemgetter(number)) for number in steps}


def faithfulness_queries(
    judge: ModelJudge, case: Case, categories: Sequence[Category]
) -> list[Query[Answers]]:
    """All that `judge_faithfulness` asks, second tries aside."""
    if judge.faithfulness == "sbs":
        return [_of_step(judge, case, number, categories) for number in numbers(case)]
    return [_of_chain(judge, case, [] if judge.faithfulness == "bin" else categories)]


def _of_chain(judge: ModelJudge, case: Case, categories: Sequence[Category]) -> Query[Answers]:
    steps = numbers(case)
    shown = _shuffled(judge, categories)
    names = [category.name for category in shown]
    return query(
        judge,
        TEMPLATE,
        faithfulness_schema(steps, names, len(steps)),
        partial(read_faithfulness, steps=steps, categories=names),
        categories=shown,
        number=None,
        **material(case, steps),
    )


def _of_step(
    judge: ModelJudge, case: Case, number: int, categories: Sequence[Category]
) -> Query[Answers]:
    shown = _shuffled(judge, categories)
    names = [category.name for category in shown]
    steps, _ = judge.nameable(number, len(case.steps))
    return query(
        judge,
        TEMPLATE,
        faithfulness_schema(steps, names, 1),
        partial(read_faithfulness, steps=[number], categories=names),
        categories=shown,
        number=number,
        **material(case, range(1, number + 1)),
    )


def _shuffled(judge: ModelJudge, categories: Sequence[Category]) -> list[Category]:
    known = {category.name: category for category in categories}
    return [known[name] for name in judge.shuffled(known)]

"""Premise mappers: which earlier steps a step needs, by a model (PERL, arXiv 2502.02362).

Two are aggregative, with one request a step or one a chain; the dyadic one asks of every pair.
"""

from collections.abc import Sequence
from functools import partial
from operator import itemgetter

from chainwright.annotation.models.answer_schemas import pair_schema, premises_schema
from chainwright.annotation.models.answers import Need, Premises, read_need, read_premises
from chainwright.annotation.models.judge import ModelJudge, PremiseMethod
from chainwright.annotation.models.material import material, numbers
from chainwright.annotation.models.query import Finding, Query, find, query
from chainwright.annotation.models.shared_prefix import find_led
from chainwright.annotation.programs.case import Case
from chainwright.llm.request import Asker, Request

TEMPLATES: dict[PremiseMethod, str] = {
    "per_step": "premises_per_step",
    "per_chain": "premises_per_chain",
    "dyadic": "premises_dyadic",
}
"""The prompt of each method."""


async def find_premises(
    asker: Asker, judge: ModelJudge, method: PremiseMethod, case: Case
) -> dict[int, Finding[Premises]]:
    """Each step's premises, by step number.

    The dyadic mapper gives a step premises only where every one of its pairs was answered; one
    that was not makes the set incomplete and the step an abstention. Its request key is that of
    the first pair that was answered with yes, or of the pair with the question where none was.

    Raises:
        ModelUnavailable: when the asker raises it.
    """
    steps = numbers(case)
    if method == "per_chain":
        whole = await find(asker, _chain_query(judge, case))
        return {number: whole.map(itemgetter(number)) for number in steps}
    if method == "per_step":
        queries = [_step_query(judge, case, number) for number in steps]
        found = await find_led(asker, queries, leads=judge.leads)
        return {n: one.map(itemgetter(n)) for n, one in zip(steps, found, strict=True)}
    questions = [_pair_query(judge, case, *pair) for pair in _pairs(case)]
    pairs = await find_led(asker, questions, leads=judge.leads)
    return {n: _united(pairs[n * (n - 1) // 2 : n * (n + 1) // 2]) for n in steps}


def premise_requests(judge: ModelJudge, method: PremiseMethod, case: Case) -> list[Request]:
    """All that `find_premises` asks, second tries aside."""
    if method == "per_chain":
        return [_chain_query(judge, case).request]
    if method == "per_step":
        return [_step_query(judge, case, number).request for number in numbers(case)]
    return [_pair_query(judge, case, *pair).request for pair in _pairs(case)]


def _pairs(case: Case) -> list[tuple[int, int]]:
    """Every step with every one before it: n pairs of step n, after those of the steps before."""
    return [(number, earlier) for number in numbers(case) for earlier in range(number)]


def _united(pairs: Sequence[Finding[Need]]) -> Finding[Premises]:
    """A step's premises from its pairs, in the order of the earlier step."""
    needed: list[int] = []
    for earlier, pair in enumerate(pairs):
        if pair.value is None:
            note = f"the pair with step {earlier}: {pair.note}"
            return Finding(pair.status, None, note, pair.request_key)
        if pair.value.needed:
            needed.append(earlier)
    told = [
        f"{earlier}: {pair.value.explanation}" for earlier, pair in enumerate(pairs) if pair.value
    ]
    telling = needed or [0]
    explanation = "\n".join(told[earlier] for earlier in telling)
    return Finding("ok", Premises(tuple(needed), explanation), None, pairs[telling[0]].request_key)


def _chain_query(judge: ModelJudge, case: Case) -> Query[dict[int, Premises]]:
    steps = numbers(case)
    read = partial(read_premises, steps=steps)
    shown = material(case, steps)
    return query(
        judge,
        TEMPLATES["per_chain"],
        premises_schema(steps, range(len(steps)), len(steps)),
        read,
        **shown,
    )


def _step_query(judge: ModelJudge, case: Case, number: int) -> Query[dict[int, Premises]]:
    read = partial(read_premises, steps=[number])
    shown = material(case, range(1, number + 1))
    steps, earlier = judge.nameable(number, len(case.steps))
    schema = premises_schema(steps, earlier, 1)
    return query(judge, TEMPLATES["per_step"], schema, read, number=number, **shown)


def _pair_query(judge: ModelJudge, case: Case, number: int, earlier: int) -> Query[Need]:
    read = partial(read_need, step=number, earlier=earlier)
    shown = material(case, range(1, number + 1))
    schema = pair_schema(*judge.nameable(number, len(case.steps), earlier))
    return query(judge, TEMPLATES["dyadic"], schema, read, number=number, earlier=earlier, **shown)

"""Error judges that go step by step: the full-context baseline and PERL's verifier."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from operator import itemgetter

from chainwright.annotation.models.answer_schemas import check_schema, verdict_schema
from chainwright.annotation.models.answers import Premises, Verdict, read_check, read_verdicts
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.material import material, numbers
from chainwright.annotation.models.query import Finding, Query, find, query, together
from chainwright.annotation.models.shared_prefix import find_led
from chainwright.annotation.programs.case import Case
from chainwright.llm.request import Asker, Request
from chainwright.schemas.words import ERROR_TYPES

FULL_CONTEXT = "judge_full_context"
STEP_ALONE = "judge_step_alone"
STEP_PREMISES = "judge_step_premises"
"""Names of the prompts."""


async def judge_in_full_context(
    asker: Asker, judge: ModelJudge, case: Case
) -> dict[int, Finding[Verdict]]:
    """Each step's native verdict, from the question and all earlier steps.

    Raises:
        ModelUnavailable: when the asker raises it.
    """
    steps = numbers(case)
    queries = [_full_query(judge, case, number) for number in steps]
    found = await find_led(asker, queries, leads=judge.leads)
    return {n: one.map(itemgetter(n)).map(native) for n, one in zip(steps, found, strict=True)}


def full_context_requests(judge: ModelJudge, case: Case) -> list[Request]:
    """All that `judge_in_full_context` asks, second tries aside."""
    return [_full_query(judge, case, number).request for number in numbers(case)]


async def judge_on_premises(
    asker: Asker, judge: ModelJudge, case: Case, premises: Mapping[int, Finding[Premises]]
) -> dict[int, Finding[Verdict]]:
    """Each step's native verdict by PERL's verifier.

    A step is checked twice: for mathematical errors, seen alone, and for logical inconsistency,
    seen with the question and its premises. A step that fails both is a mathematical error, since
    that check depends on no premises; the explanations of both are kept. Half a verdict is none:
    where one check was not answered, or the premises are unknown, the step is an abstention. The
    request key is that of the check that found the error, else of the one with premises.

    Raises:
        ModelUnavailable: when the asker raises it.
    """
    known = {n: found.value.steps for n, found in premises.items() if found.value is not None}
    on_premises = [_premises_query(judge, case, n, steps) for n, steps in known.items()]
    alone, given = await together(
        [
            # Alone, steps have nothing in common but the instructions.
            together([find(asker, _alone_query(judge, case, n)) for n in known]),
            find_led(asker, on_premises, leads=judge.leads),
        ]
    )
    checks = dict(zip(known, zip(alone, given, strict=True), strict=True))
    return {n: _joined(*checks[n]) if n in checks else _unasked(premises[n]) for n in numbers(case)}


def premise_conditioned_requests(
    judge: ModelJudge, case: Case, premises: Mapping[int, tuple[int, ...]]
) -> list[Request]:
    """All that `judge_on_premises` asks with these premises, second tries aside."""
    return [
        request
        for number in numbers(case)
        for request in (
            _alone_query(judge, case, number).request,
            _premises_query(judge, case, number, premises[number]).request,
        )
    ]


def native(verdict: Verdict) -> Verdict:
    """The verdict on the step given its premises: an inherited error is none of its own.

    Judges that see earlier steps may answer `accumulation_error`. What a step inherits is decided
    later on the premise graph, so the answer stays in the explanation alone.
    """
    if verdict.category != "accumulation_error":
        return verdict
    return Verdict("correct", None, f"accumulation_error: {verdict.explanation}")


def _full_query(judge: ModelJudge, case: Case, number: int) -> Query[dict[int, Verdict]]:
    types = judge.shuffled(ERROR_TYPES)
    read = partial(read_verdicts, steps=[number], types=types)
    shown = material(case, range(1, number + 1))
    steps, _ = judge.nameable(number, len(case.steps))
    schema = verdict_schema(steps, types)
    return query(judge, FULL_CONTEXT, schema, read, types=types, number=number, **shown)


def _unasked(premises: Finding[Premises]) -> Finding[Verdict]:
    note = f"no premises to judge the step by: {premises.note}"
    return Finding(premises.status, None, note, premises.request_key)


def _joined(alone: Finding[Verdict], given: Finding[Verdict]) -> Finding[Verdict]:
    if alone.value is None or given.value is None:
        return alone if alone.value is None else given
    told = f"alone: {alone.value.explanation}\nwith its premises: {given.value.explanation}"
    telling = alone if alone.value.label == "error" else given
    return telling.map(lambda verdict: replace(verdict, explanation=told))


def _alone_query(judge: ModelJudge, case: Case, number: int) -> Query[Verdict]:
    read = partial(read_check, step=number, category="mathematical_error")
    text = case.steps[number - 1]
    schema = check_schema(judge.nameable(number, len(case.steps))[0])
    return query(judge, STEP_ALONE, schema, read, number=number, text=text)


def _premises_query(
    judge: ModelJudge, case: Case, number: int, premises: tuple[int, ...]
) -> Query[Verdict]:
    read = partial(read_check, step=number, category="logical_inconsistency")
    shown = material(case, [*(p for p in premises if p > 0), number])
    schema = check_schema(judge.nameable(number, len(case.steps))[0])
    return query(judge, STEP_PREMISES, schema, read, number=number, **shown)

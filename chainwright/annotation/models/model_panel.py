"""A model judge's opinion of a chain, as votes."""

from collections.abc import Mapping, Sequence

from chainwright.annotation.models.answers import OnePass, Premises, Verdict
from chainwright.annotation.models.error_judges import (
    FULL_CONTEXT,
    STEP_ALONE,
    STEP_PREMISES,
    full_context_requests,
    judge_in_full_context,
    judge_on_premises,
    native,
    premise_conditioned_requests,
)
from chainwright.annotation.models.faithfulness import (
    TEMPLATE as FAITHFULNESS,
)
from chainwright.annotation.models.faithfulness import (
    faithfulness_queries,
    judge_faithfulness,
)
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.material import model_case, numbers
from chainwright.annotation.models.one_pass import TEMPLATE as ONE_PASS
from chainwright.annotation.models.one_pass import one_pass_query
from chainwright.annotation.models.premise_mappers import TEMPLATES, find_premises, premise_requests
from chainwright.annotation.models.query import Finding, find, together, versions
from chainwright.annotation.models.voting import (
    chain_vote,
    error_vote,
    faithfulness_vote,
    premise_vote,
)
from chainwright.annotation.programs.case import Case
from chainwright.llm.request import Asker, Request
from chainwright.schemas.chain import Chain
from chainwright.schemas.identity import content_hash
from chainwright.schemas.problem import Problem
from chainwright.schemas.vote import Vote

GivenPremises = Mapping[int, Sequence[int]]
"""Premises by step number; 0 = the question."""


async def model_votes(
    asker: Asker,
    judge: ModelJudge,
    problem: Problem,
    chain: Chain,
    *,
    premises: GivenPremises | None = None,
) -> list[Vote]:
    """The judge's votes on a chain: whatever the answers are, one vote for each thing asked.

    A judge of errors gives one `error` vote a step, one of premises one `premises` vote a step,
    one of faithfulness one `faithfulness` vote a step, and `one_pass` the first two, with a `chain`
    vote at step 0. Error votes are native: what a step
    inherits is decided on the premise graph. An answer that stays unreadable after one more try is
    `malformed`, with the fault and the raw answer as the explanation; a request that failed makes
    a vote `missing`.

    Args:
        premises: What `premise_conditioned` judges each step by, in place of the premises that
            the judge finds itself; every step is there. No other method looks at them.

    Raises:
        ValueError: for `premise_conditioned` without premises, given or found by a method of the
            judge's own, and for given premises that lack a step or are no earlier steps.
        ModelUnavailable: when no request to the model can succeed.
    """
    case = model_case(problem, chain)
    if judge.faithfulness is not None:
        return await _faithfulness_votes(asker, judge, problem, chain, case)
    given = _given(judge, case, premises)
    if judge.error == "one_pass":
        return _one_pass_votes(judge, chain, await find(asker, one_pass_query(judge, case)))
    if judge.error == "full_context":
        verdicts = _full_context_votes(asker, judge, chain, case)
        both = await together([verdicts, _premise_votes(asker, judge, chain, case)])
        return [vote for votes in both for vote in votes]
    if judge.error == "premise_conditioned":
        return await _premise_conditioned_votes(asker, judge, chain, case, given)
    return await _premise_votes(asker, judge, chain, case)


def requests_for(
    judge: ModelJudge, problem: Problem, chain: Chain, *, premises: GivenPremises | None = None
) -> list[Request]:
    """What a judge asks of a chain in the first round, for estimates.

    All of it is exact but the requests of `premise_conditioned` whose premises are yet to be
    found: they stand here with every earlier step as a premise, which is the most there can be.

    Raises:
        ValueError: as `model_votes` does.
    """
    case = model_case(problem, chain)
    if judge.faithfulness is not None:
        queries = faithfulness_queries(judge, case, judge.categories(problem.track))
        return [one.request for one in queries]
    given = _given(judge, case, premises)
    requests: list[Request] = []
    if judge.error == "one_pass":
        requests.append(one_pass_query(judge, case).request)
    if judge.error == "full_context":
        requests += full_context_requests(judge, case)
    if judge.premises is not None:
        requests += premise_requests(judge, judge.premises, case)
    if judge.error == "premise_conditioned":
        most = given or {number: tuple(range(number)) for number in numbers(case)}
        requests += premise_conditioned_requests(judge, case, most)
    return requests


def _given(
    judge: ModelJudge, case: Case, premises: GivenPremises | None
) -> dict[int, tuple[int, ...]] | None:
    """The caller's premises, checked, where the judge looks at any."""
    if judge.error != "premise_conditioned":
        return None
    if premises is None:
        if judge.premises is None:
            raise ValueError(
                f"found no premises for `{judge.name}`, expected a premise method of its own or "
                "premises given by the caller"
            )
        return None
    for number in numbers(case):
        if number not in premises:
            raise ValueError(f"found no premises for step {number}, expected some for every step")
        for premise in premises[number]:
            if not 0 <= premise < number:
                raise ValueError(
                    f"found step {premise} as a premise of step {number}, expected 0 to "
                    f"{number - 1}"
                )
    return {number: tuple(sorted(set(premises[number]))) for number in numbers(case)}


async def _full_context_votes(
    asker: Asker, judge: ModelJudge, chain: Chain, case: Case
) -> list[Vote]:
    version = versions(FULL_CONTEXT)
    found = await judge_in_full_context(asker, judge, case)
    return [error_vote(judge, chain, n, version, verdict) for n, verdict in found.items()]


async def _faithfulness_votes(
    asker: Asker, judge: ModelJudge, problem: Problem, chain: Chain, case: Case
) -> list[Vote]:
    categories = judge.categories(problem.track)
    # other categories or definitions are another question
    asked = content_hash(*([category.name, category.definition] for category in categories))
    version = f"{versions(FAITHFULNESS)}+{asked[:12]}"
    found = await judge_faithfulness(asker, judge, case, categories)
    return [faithfulness_vote(judge, chain, n, version, verdict) for n, verdict in found.items()]


async def _premise_votes(asker: Asker, judge: ModelJudge, chain: Chain, case: Case) -> list[Vote]:
    if judge.premises is None:
        return []
    found = await find_premises(asker, judge, judge.premises, case)
    version = versions(TEMPLATES[judge.premises])
    return [premise_vote(judge, chain, n, version, premises) for n, premises in found.items()]


async def _premise_conditioned_votes(
    asker: Asker,
    judge: ModelJudge,
    chain: Chain,
    case: Case,
    given: Mapping[int, tuple[int, ...]] | None,
) -> list[Vote]:
    templates = [STEP_ALONE, STEP_PREMISES]
    own: list[Vote] = []
    known: Mapping[int, Finding[Premises]] = {}
    if judge.premises is not None:
        known = await find_premises(asker, judge, judge.premises, case)
        version = versions(TEMPLATES[judge.premises])
        own = [premise_vote(judge, chain, n, version, premises) for n, premises in known.items()]
    if given is not None:
        known = {n: Finding("ok", Premises(steps, ""), None, None) for n, steps in given.items()}
    elif judge.premises is not None:
        # With other premises the verdict might be another.
        templates.append(TEMPLATES[judge.premises])
    found = await judge_on_premises(asker, judge, case, known)
    version = versions(*templates)
    return [error_vote(judge, chain, n, version, verdict) for n, verdict in found.items()] + own


def _one_pass_votes(judge: ModelJudge, chain: Chain, found: Finding[OnePass]) -> list[Vote]:
    version = versions(ONE_PASS)
    steps = range(1, len(chain.steps) + 1)

    def verdict(number: int) -> Finding[Verdict]:
        return found.map(lambda answer: native(answer.verdicts[number]))

    def premises(number: int) -> Finding[Premises]:
        return found.map(lambda answer: answer.premises[number])

    votes = [error_vote(judge, chain, number, version, verdict(number)) for number in steps]
    votes += [premise_vote(judge, chain, number, version, premises(number)) for number in steps]
    return [*votes, chain_vote(judge, chain, version, found.map(lambda answer: answer.chain))]

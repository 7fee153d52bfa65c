"""A critic: a model that says in free words what is wrong with the steps of a chain.

From the bottom up (GRACE, arXiv 2606.16151): no categories are shown, since critiques are what a
taxonomy is found from.
"""

from functools import partial
from operator import itemgetter

from chainwright.annotation.models.answer_schemas import remarks_schema
from chainwright.annotation.models.answers import Remark, Verdict, read_remarks
from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.material import material, model_case, numbers
from chainwright.annotation.models.query import Query, find, query, versions
from chainwright.annotation.models.voting import faithfulness_vote
from chainwright.llm.request import Asker, Request
from chainwright.schemas.chain import Chain
from chainwright.schemas.critique import Critique
from chainwright.schemas.problem import Problem
from chainwright.schemas.vote import Vote

TEMPLATE = "critique"
"""Name of the prompt."""


async def criticise(
    asker: Asker, critic: ModelJudge, problem: Problem, chain: Chain
) -> tuple[list[Critique], list[Vote]]:
    """A critique for each step that is called unfaithful, and a vote on every step.

    The votes have no categories; an answer that stays unreadable makes abstentions of them.

    Raises:
        ModelUnavailable: when the asker raises it.
    """
    found = await find(asker, _query(critic, problem, chain))
    version = versions(TEMPLATE)
    steps = range(1, len(chain.steps) + 1)
    remarks = found.value or {}
    critiques = [
        Critique(
            chain_id=chain.chain_id,
            step=number,
            critic=critic.uri.model,
            description=remark.description or "",
            tags=list(remark.tags),
        )
        for number, remark in remarks.items()
        if not remark.faithful
    ]
    votes = [
        faithfulness_vote(
            critic, chain, number, version, found.map(itemgetter(number)).map(_verdict)
        )
        for number in steps
    ]
    return critiques, votes


def critique_request(critic: ModelJudge, problem: Problem, chain: Chain) -> Request:
    """What `criticise` asks first."""
    return _query(critic, problem, chain).request


def _query(critic: ModelJudge, problem: Problem, chain: Chain) -> Query[dict[int, Remark]]:
    case = model_case(problem, chain)
    steps = numbers(case)
    read = partial(read_remarks, steps=steps)
    return query(critic, TEMPLATE, remarks_schema(steps), read, **material(case, steps))


def _verdict(remark: Remark) -> Verdict:
    if remark.faithful:
        return Verdict("faithful", None, "")
    return Verdict("unfaithful", None, remark.description or "")

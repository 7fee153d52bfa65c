"""Judges that the tests cast votes with, and what holds for every vote."""

import asyncio
import json
from typing import Any

from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.model_panel import model_votes
from chainwright.llm.request import Answer, Request
from chainwright.pipeline.validation.cross_table import CrossCheck, Place
from chainwright.pipeline.validation.row_rules import rule_flaws
from chainwright.schemas.json_schema import row_validator
from chainwright.schemas.vote import Vote
from tests.annotation.scripted_asker import (
    CHAIN,
    MODEL,
    PROBLEM,
    Script,
    ScriptedAsker,
    agreeable,
    user_text,
)

JUDGES = {
    "full_context": ModelJudge(MODEL, "full_context"),
    "full_context+per_step": ModelJudge(MODEL, "full_context", "per_step"),
    "premise_conditioned+per_step": ModelJudge(MODEL, "premise_conditioned", "per_step"),
    "premise_conditioned+dyadic": ModelJudge(MODEL, "premise_conditioned", "dyadic"),
    "one_pass": ModelJudge(MODEL, "one_pass"),
    "per_step": ModelJudge(MODEL, None, "per_step"),
    "per_chain": ModelJudge(MODEL, None, "per_chain"),
    "dyadic": ModelJudge(MODEL, None, "dyadic"),
}


def votes(judge: ModelJudge | str, script: Script = agreeable, **more: Any) -> list[Vote]:
    """A scripted judge's votes on the chain, checked against all that holds for every vote."""
    return votes_and_asker(judge, script, **more)[0]


def votes_and_asker(
    judge: ModelJudge | str, script: Script = agreeable, **more: Any
) -> tuple[list[Vote], ScriptedAsker]:
    judge = JUDGES[judge] if isinstance(judge, str) else judge
    asker = ScriptedAsker(script)
    cast = asyncio.run(model_votes(asker, judge, PROBLEM, CHAIN, **more))
    check_rows(judge, cast)
    return cast, asker


def check_rows(judge: ModelJudge, cast: list[Vote]) -> None:
    """One vote for each thing asked, in rows that the run's validation accepts."""
    tasks = ["error"] * 3 if judge.error else []
    tasks += ["premises"] * 3 if judge.premises or judge.error == "one_pass" else []
    tasks += ["chain"] if judge.error == "one_pass" else []
    assert [vote.task for vote in cast] == tasks
    assert [vote.step for vote in cast] == ([1, 2, 3] * 2 + [0])[: len(tasks)]
    check = CrossCheck("block")
    at = Place("file", 1, "block")
    list(check.flaws("problems", PROBLEM.model_dump(), at))
    assert list(check.flaws("chains", CHAIN.model_dump(), at)) == []
    for vote in cast:
        assert vote.judge == judge.name
        assert vote.chain_id == CHAIN.chain_id
        assert list(rule_flaws(vote)) == []
        assert list(check.flaws("votes", vote.model_dump(), at)) == []
        assert row_validator("votes").is_valid(vote.model_dump())
        if vote.status != "ok":
            assert (vote.label, vote.category, vote.premises) == (None, None, None)
            assert vote.explanation


def answering(replies: dict[str, Any]) -> Script:
    """Changes an agreeable answer where the request's last line is one of the keys."""

    def script(request: Request) -> str | Answer:
        last = user_text(request).strip().splitlines()[-1]
        reply = next((reply for start, reply in replies.items() if last.startswith(start)), None)
        if reply is None:
            return agreeable(request)
        if isinstance(reply, str | Answer):
            return reply
        answer = json.loads(agreeable(request))
        answer["steps"][0] |= reply
        return json.dumps(answer)

    return script


def of_task(cast: list[Vote], task: str) -> list[Vote]:
    return [vote for vote in cast if vote.task == task]

"""The judges before a real model: a very small one, so what it says is not asserted."""

import asyncio
from pathlib import Path

import pytest

from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.model_panel import model_votes
from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.local import find_weights
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import parse_model_uri
from chainwright.schemas.vote import Vote
from tests.annotation.judging import check_rows
from tests.annotation.scripted_asker import CHAIN, PROBLEM

SMOL = parse_model_uri("local:smollm2")

# Room for what most answers take, and little more: an answer that is cut is asked for a second time
# with twice the room, and one that is cut has often gone round in circles.
JUDGES = [
    ModelJudge(SMOL, "full_context", "per_chain", max_tokens=160),
    ModelJudge(SMOL, "premise_conditioned", "per_step", max_tokens=80),
    ModelJudge(SMOL, "one_pass", max_tokens=240),
    ModelJudge(SMOL, None, "dyadic", max_tokens=60),
]


@pytest.fixture(scope="module", autouse=True)
def _local_model() -> None:
    try:
        find_weights(SMOL)
    except ModelUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.local
@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_a_real_model_votes_on_each_step_in_an_honest_state(
    judge: ModelJudge, tmp_path: Path
) -> None:
    async def cast(ledger: Ledger) -> tuple[list[Vote], int]:
        async with Client(ledger) as client:
            votes = await model_votes(client, judge, PROBLEM, CHAIN)
            return votes, client.meter.total.sent

    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        votes, _ = asyncio.run(cast(ledger))
        check_rows(judge, votes)
        assert {vote.status for vote in votes} <= {"ok", "malformed"}
        assert all(vote.request_key is not None for vote in votes)
        again, sent = asyncio.run(cast(ledger))
    assert again == votes
    assert sent == 0

import asyncio
import json
from typing import Any

import pytest

from chainwright.annotation.models.model_panel import model_votes, requests_for
from chainwright.annotation.models.voting import LONGEST_NOTE
from chainwright.llm.request import Answer, ModelUnavailable, Request
from tests.annotation.judging import JUDGES, answering, of_task, votes, votes_and_asker
from tests.annotation.scripted_asker import (
    CHAIN,
    PROBLEM,
    agreeable,
)


def test_a_step_without_readable_premises_is_not_verified() -> None:
    faulty = {"Find the premises of step 2": {"premises": [2]}}
    cast, asker = votes_and_asker("premise_conditioned+per_step", answering(faulty))
    assert [vote.status for vote in of_task(cast, "error")] == ["ok", "malformed", "ok"]
    assert [vote.status for vote in of_task(cast, "premises")] == ["ok", "malformed", "ok"]
    assert str(cast[1].explanation).startswith("no premises to judge the step by: step 2: a prem")
    assert cast[1].request_key == cast[4].request_key
    checks = [r for r in asker.asked if r.schema is not None and r.schema.name == "step_check"]
    assert len(checks) == 4


def test_one_unanswered_pair_leaves_the_step_without_premises() -> None:
    cast = votes("dyadic", answering({"Does step 3 need step 1": Answer("", "refused", "No.")}))
    assert [vote.status for vote in cast] == ["ok", "ok", "refused"]
    assert str(cast[2].explanation).startswith("the pair with step 1: ")


FAULTY: dict[str, tuple[Any, str]] = {
    "too few steps": ({"steps": []}, "found 0 entries, expected 3"),
    "too many steps": (None, "found step `4`, expected entries for 1, 2, 3 only"),
    "no JSON": ("I would rather not say.", "found no readable JSON"),
}


@pytest.mark.parametrize("fault", FAULTY)
@pytest.mark.parametrize("name", ["one_pass", "per_chain"])
def test_a_fault_is_quoted_once_and_then_the_votes_are_malformed(name: str, fault: str) -> None:
    said, expected = FAULTY[fault]

    def script(request: Request) -> str:
        if said is None:
            answer = json.loads(agreeable(request))
            answer["steps"].append(answer["steps"][0] | {"step": 4})
            return json.dumps(answer)
        return said if isinstance(said, str) else json.dumps(said)

    cast, asker = votes_and_asker(name, script)
    assert len(asker.asked) == 2
    assert expected in asker.asked[1].messages[-1].content
    for vote in cast:
        assert vote.status == "malformed"
        assert vote.request_key == "key-2"
        assert expected in str(vote.explanation)
        assert str(vote.explanation).endswith(script(asker.asked[0]))


STEP_FAULTS: list[tuple[str, str, dict[str, Any], str]] = [
    ("full_context", "Judge step 2", {"step": 3}, "found step `3`, expected entries for 2 only"),
    ("full_context", "Judge step 2", {"category": "other"}, "although `label` is correct"),
    ("full_context", "Judge step 2", {"label": "error"}, "`category` is null although"),
    (
        "full_context",
        "Judge step 2",
        {"label": "error", "category": "typo"},
        "`category` is `typo`",
    ),
    ("per_step", "Find the premises of step 2", {"premises": [2]}, "which is the step itself"),
    ("per_step", "Find the premises of step 2", {"premises": [3]}, "which is no earlier step"),
    ("per_step", "Find the premises of step 2", {"premises": [-1]}, "a premise is `-1`"),
    ("dyadic", "Does step 2 need step 1", {"earlier": 0}, "`earlier` is `0`, expected 1"),
    ("premise_conditioned+per_step", "Judge step 2", {"label": "fine"}, "`label` is `fine`"),
]


@pytest.mark.parametrize(("name", "line", "change", "fault"), STEP_FAULTS)
def test_a_faulty_step_is_asked_again_and_the_others_stand(
    name: str, line: str, change: dict[str, Any], fault: str
) -> None:
    broken = answering({line: change})

    def mended(request: Request) -> str | Answer:
        return broken(request) if len(request.messages) == 2 else agreeable(request)

    cast, asker = votes_and_asker(name, mended)
    assert {vote.status for vote in cast} == {"ok"}
    again = [request for request in asker.asked if len(request.messages) == 4]
    assert again
    assert all(fault in request.messages[-1].content for request in again)
    task = "error" if JUDGES[name].error else "premises"
    stubborn = of_task(votes(name, broken), task)
    assert [vote.status for vote in stubborn] == ["ok", "malformed", "ok"]
    assert fault in str(stubborn[1].explanation)
    assert '{"steps": [{"step"' in str(stubborn[1].explanation)


@pytest.mark.parametrize("name", JUDGES)
def test_a_refusal_stays_a_refusal(name: str) -> None:
    cast = votes(name, lambda _: Answer("", "refused", "I cannot help with that."))
    assert {vote.status for vote in cast} == {"refused"}
    assert all("I cannot help with that." in str(vote.explanation) for vote in cast)


@pytest.mark.parametrize("name", JUDGES)
def test_a_failed_request_makes_missing_votes_with_the_reason(name: str) -> None:
    cast = votes(name, lambda _: Answer("", "failed", "", error="timed out after 60 s"))
    assert {vote.status for vote in cast} == {"missing"}
    assert all("timed out after 60 s" in str(vote.explanation) for vote in cast)


@pytest.mark.parametrize("name", JUDGES)
def test_a_raw_answer_is_shortened_and_stays_writable(name: str) -> None:
    cast = votes(name, lambda _: "no \ud83d JSON " * 1000)
    for vote in cast:
        assert vote.status == "malformed"
        assert vote.explanation is not None
        assert len(vote.explanation) == LONGEST_NOTE
        assert vote.explanation.encode()


@pytest.mark.parametrize("name", JUDGES)
def test_an_unavailable_model_stops_what_is_under_way(name: str) -> None:
    fatal = min(2, len(requests_for(JUDGES[name], PROBLEM, CHAIN)))

    class Unavailable:
        """The first request is answered, the second or only one fails, the others wait."""

        asked = cancelled = 0

        async def ask(self, request: Request) -> Answer:
            self.asked += 1
            if self.asked == fatal:
                await asyncio.sleep(0)  # those that follow the first are asked meanwhile
                raise ModelUnavailable("the key is not valid")
            if self.asked == 1:
                return Answer("key", "ok", agreeable(request), "stop")
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
            raise AssertionError

    asker = Unavailable()
    with pytest.raises(ModelUnavailable, match="the key is not valid"):
        asyncio.run(model_votes(asker, JUDGES[name], PROBLEM, CHAIN))
    assert asker.cancelled == asker.asked - fatal

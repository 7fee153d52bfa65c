"""The order in which judges ask: one request of a chain ahead, the rest after it, no slot empty."""

import asyncio
from typing import Any

import pytest

from chainwright.annotation.models.judge import ModelJudge
from chainwright.annotation.models.model_panel import model_votes, requests_for
from chainwright.annotation.stages import VOTES
from chainwright.llm.request import Answer, Request
from chainwright.llm.uri import parse_model_uri
from chainwright.schemas.chain import Chain
from tests.annotation.scripted_asker import CHAIN, MODEL, PROBLEM, agreeable, user_text
from tests.scripted_models import a_recipe

METHODS = [("full_context", None), (None, "per_step"), (None, "dyadic")]


class Rounds:
    """Answers all requests under way at once, round after round, so many of them at most."""

    def __init__(self, slots: int, paid: frozenset[str] = frozenset()) -> None:
        self.slots = slots
        self.paid = paid
        self.rounds: list[list[Request]] = []
        self._waiting: list[tuple[Request, asyncio.Future[None]]] = []

    async def ask(self, request: Request) -> Answer:
        if user_text(request) in self.paid:
            return Answer("key", "ok", agreeable(request), "stop", from_ledger=True)
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((request, turn))
        await turn
        return Answer("key", "ok", agreeable(request), "stop")

    async def serve(self, work: Any) -> None:
        task = asyncio.create_task(work)
        while not task.done():
            for _ in range(50):  # whatever can be asked by now is asked
                await asyncio.sleep(0)
            answered, self._waiting = self._waiting[: self.slots], self._waiting[self.slots :]
            if answered:
                self.rounds.append([request for request, _ in answered])
            for _, turn in answered:
                turn.set_result(None)
        await task


def rounds_of(judge: ModelJudge, paid: frozenset[str] = frozenset()) -> list[list[str]]:
    asker = Rounds(100, paid)
    asyncio.run(asker.serve(model_votes(asker, judge, PROBLEM, CHAIN)))
    return [[user_text(request) for request in one] for one in asker.rounds]


@pytest.mark.parametrize("methods", METHODS)
def test_the_longest_request_of_a_chain_goes_ahead_of_the_others(methods: Any) -> None:
    judge = ModelJudge(MODEL, *methods)
    texts = [user_text(request) for request in requests_for(judge, PROBLEM, CHAIN)]
    (lead,), rest = rounds_of(judge)
    assert sorted([lead, *rest]) == sorted(texts)
    assert [len(text) for text in rest] == sorted((len(text) for text in rest), reverse=True)
    for text in rest:
        shared, _, question = text.rpartition("\n\n")
        assert lead.startswith(shared), question


@pytest.mark.parametrize("methods", [*METHODS, ("premise_conditioned", "per_chain")])
def test_the_beginning_that_all_requests_of_a_chain_have_is_marked(methods: Any) -> None:
    asker = Rounds(100)
    asyncio.run(asker.serve(model_votes(asker, ModelJudge(MODEL, *methods), PROBLEM, CHAIN)))
    asked = [request for one in asker.rounds for request in one]
    marked = [one.messages for one in asked if one.messages[-1].shared]
    assert len(marked) >= 2
    instructions, beginnings = zip(
        *((told.content, last.content[: last.shared]) for told, last in marked), strict=True
    )
    (beginning,) = set(beginnings)
    assert PROBLEM.question in beginning
    assert beginning.endswith("\n")
    (told,) = set(instructions)
    assert len(marked) == sum(one.messages[0].content == told for one in asked)


def test_a_request_that_shares_its_beginning_with_none_is_not_marked() -> None:
    asker = Rounds(100)
    asyncio.run(asker.serve(model_votes(asker, ModelJudge(MODEL, "one_pass"), PROBLEM, CHAIN)))
    assert [one.messages[-1].shared for (one,) in asker.rounds] == [0]


def test_checks_of_single_steps_wait_for_nobody() -> None:
    judge = ModelJudge(MODEL, "premise_conditioned", "per_chain")
    mapper, first, rest = rounds_of(judge)
    assert len(mapper) == 1
    alone = [text for text in first if "The question" not in text]
    assert (len(alone), len(first), len(rest)) == (3, 4, 2)


@pytest.mark.parametrize("methods", METHODS)
def test_what_the_ledger_answers_is_no_lead(methods: Any) -> None:
    judge = ModelJudge(MODEL, *methods)
    (lead,), rest = rounds_of(judge)
    first, *others = rounds_of(judge, frozenset([lead, rest[0]]))
    assert first == rest[1:2]
    assert [text for one in others for text in one] == rest[2:]
    assert rounds_of(judge, frozenset([lead, *rest])) == []


def many(count: int) -> list[Chain]:
    return [CHAIN.model_copy(update={"steps": [f"{n}", "b", "c", "d", "e"]}) for n in range(count)]


def rounds_of_many(slots: int) -> list[list[Request]]:
    """What the stage asks about forty chains, while so many requests may be under way."""
    asker = Rounds(slots)
    recipe = a_recipe(
        annotation={"judges": [{"model": str(MODEL), "error": "full_context"}]},
        requests={"concurrency": slots},
    )
    assert VOTES.ask is not None
    asyncio.run(asker.serve(VOTES.ask(recipe, {"problems": [PROBLEM], "chains": many(40)}, asker)))
    return asker.rounds


@pytest.mark.parametrize("slots", [1, 2, 4, 16])
def test_other_chains_fill_the_gap(slots: int) -> None:
    *full, last = [len(one) for one in rounds_of_many(slots)]
    assert sum([*full, last]) == 40 * 5
    assert sum(slots - size for size in full) < slots


def test_a_chain_that_is_begun_is_soon_finished() -> None:
    spans: dict[str, list[int]] = {}
    for number, one in enumerate(rounds_of_many(4)):
        for request in one:
            first = user_text(request).split("Step 1:\n```\n")[1].split("\n")[0]
            spans.setdefault(first, []).append(number)
    assert all(len(span) == 5 for span in spans.values())
    # with twice as many chains begun as there are slots it takes 5 rounds
    assert sum(span[-1] - span[0] for span in spans.values()) / len(spans) < 4


@pytest.mark.parametrize("methods", METHODS)
def test_schemas_before_the_prompt_are_those_of_chains_of_about_the_same_length(
    methods: Any,
) -> None:
    judge = ModelJudge(parse_model_uri("openai:big"), *methods)

    def schemas(steps: int) -> set[str]:
        chain = CHAIN.model_copy(update={"steps": ["x"] * steps})
        return {str(request.schema) for request in requests_for(judge, PROBLEM, chain)}

    assert len(schemas(3) | schemas(8)) == 1
    assert schemas(8) != schemas(9)

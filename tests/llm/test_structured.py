import asyncio
from typing import Any

import pytest

from chainwright.llm.request import Answer, Message, ModelUnavailable, Request, Schema
from chainwright.llm.structured import LONGEST_FAULT, Structured, ask_structured
from chainwright.llm.uri import ModelUri
from tests.llm.asking import ScriptedAsker, says

ASKED = Request(
    ModelUri("openai", "m"),
    (Message("system", "Count."), Message("user", "How many?")),
    Schema("count", {"type": "object"}),
)


def read(value: Any) -> int:
    if not isinstance(value, dict) or not isinstance(value.get("n"), int):
        raise ValueError(f"found {value}, expected an object with an integer n")  # noqa: TRY004
    return int(value["n"])


def ask(
    *answers: Answer, request: Request = ASKED, reasks: int = 1, repair: bool = True
) -> tuple[Structured[int], list[Request]]:
    asker = ScriptedAsker(list(answers))
    got = asyncio.run(ask_structured(asker, request, read, reasks=reasks, repair=repair))
    return got, asker.requests


def test_a_good_answer_is_asked_for_once() -> None:
    got, requests = ask(says('{"n": 3}'))
    assert got == Structured("ok", 3, ('{"n": 3}',), ("key 1",))
    assert requests == [ASKED]


def test_a_fault_is_quoted_in_the_same_conversation() -> None:
    got, requests = ask(says('{"n": "three"}'), says('{"n": 3}'))
    assert (got.status, got.value, got.fault) == ("ok", 3, None)
    assert got.texts == ('{"n": "three"}', '{"n": 3}')
    assert got.keys == ("key 1", "key 2")
    first, second = requests
    assert second.messages[:2] == tuple(first.messages)
    said, quoted = second.messages[2:]
    assert said == Message("assistant", '{"n": "three"}')
    assert quoted.role == "user"
    assert "found {'n': 'three'}, expected an object with an integer n" in quoted.content
    assert (second.schema, second.sample) == (first.schema, first.sample)


def test_after_the_last_re_ask_it_is_malformed_and_all_texts_are_kept() -> None:
    got, requests = ask(says("no"), says("nothing"), says("[]"), reasks=2)
    assert (got.status, got.value) == ("malformed", None)
    assert got.texts == ("no", "nothing", "[]")
    assert got.fault is not None
    assert "expected an object" in got.fault
    assert [len(request.messages) for request in requests] == [2, 4, 6]


def test_no_re_ask() -> None:
    got, requests = ask(says("no"), reasks=0)
    assert (got.status, len(requests)) == ("malformed", 1)


def test_broken_json_is_mended_unless_it_may_not_be() -> None:
    assert ask(says('{"n": 3,'))[0].value == 3
    got, _ = ask(says('{"n": 3,'), says('{"n": 4}'), repair=False)
    assert (got.value, len(got.texts)) == (4, 2)


def test_a_cut_answer_gets_more_room_and_is_never_mended() -> None:
    short = Request(ASKED.model, ASKED.messages, ASKED.schema, max_tokens=50)
    got, requests = ask(says('{"n": 3', "length"), says('{"n": 34}'), request=short)
    assert got.value == 34
    assert [request.max_tokens for request in requests] == [50, 100]
    assert requests[1].messages == short.messages


def test_more_room_than_what_was_used_when_nothing_was_asked_for() -> None:
    _, requests = ask(says("{", "max_tokens", output_tokens=700), says('{"n": 3}'))
    assert requests[1].max_tokens == 1400
    _, requests = ask(says("{", "length"), says('{"n": 3}'))
    assert requests[1].max_tokens == 8192


def test_a_cut_answer_is_widened_once() -> None:
    cut = says('{"n": 3', "length")
    got, requests = ask(cut, cut, cut, cut, reasks=3)
    assert (got.status, len(requests)) == ("malformed", 2)
    assert got.fault == "the answer ran out of room (finish reason `length`)"


def test_a_whole_answer_that_was_cut_behind_its_end_is_taken() -> None:
    got, requests = ask(says('{"n": 3} and so on and', "length"))
    assert (got.value, len(requests)) == (3, 1)


def test_a_refusal_and_a_failure_end_it() -> None:
    refused, _ = ask(Answer("", "refused", "I cannot.", error="the model refused the request"))
    assert (refused.status, refused.texts) == ("refused", ("I cannot.",))
    assert refused.fault == "the model refused the request"
    failed, requests = ask(says("no"), Answer("", "failed", "", error="time-out"))
    assert (failed.status, failed.fault, len(requests)) == ("failed", "time-out", 2)
    assert failed.keys == ("key 1", "key 2")


def test_an_empty_answer_is_not_sent_back_empty() -> None:
    _, requests = ask(says(" "), says('{"n": 3}'))
    assert requests[1].messages[2] == Message("assistant", "(no answer)")


def test_a_long_fault_is_cut() -> None:
    got, requests = ask(says(f'{{"n": "{"x" * 5000}"}}'), says("no"))
    assert got.status == "malformed"
    assert len(requests[1].messages[3].content) < LONGEST_FAULT + 300


def test_an_unavailable_model_is_raised() -> None:
    class Away:
        async def ask(self, request: Request) -> Answer:
            raise ModelUnavailable("gone")

    with pytest.raises(ModelUnavailable, match="gone"):
        asyncio.run(ask_structured(Away(), ASKED, read))

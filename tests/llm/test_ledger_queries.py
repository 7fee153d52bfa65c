from dataclasses import replace
from pathlib import Path

import pytest

from chainwright.llm.budget import Amount
from chainwright.llm.ledger import Ledger
from chainwright.llm.ledger_pruning import prune
from chainwright.llm.ledger_queries import (
    Selection,
    answer_lengths,
    entries,
    failures,
    reason_of,
    spent,
    totals,
    unpriced,
)
from chainwright.llm.ledger_reader import reading
from chainwright.llm.request import Answer, Message, Request, Schema, Usage
from chainwright.llm.request_key import KeyedRequest, key_request
from chainwright.llm.uri import ModelUri

HERE = "http://localhost:1/v1"
THERE = "http://localhost:2/v1"


def keyed(text: str, name: str = "m", place: str = HERE) -> KeyedRequest:
    model = ModelUri("compat", name, place)
    return key_request(Request(model, (Message("user", text),)), place)


def answer(request: KeyedRequest, cost: float | None = 0.25, finish: str = "stop") -> Answer:
    return Answer(request.key, "ok", "42", finish, Usage(10, 4, 2, 3), cost)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two models, one of them at two places, with answers of all kinds."""
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        for text in ("a", "b"):
            ledger.put(keyed(text), answer(keyed(text)))
        ledger.put(keyed("cut"), answer(keyed("cut"), finish="length"))
        ledger.put(keyed("a", place=THERE), answer(keyed("a", place=THERE), cost=None))
        refused = keyed("bad", "qwen3:8b")
        ledger.put(refused, replace(answer(refused), status="refused"))
        for text in ("a", "never", "never"):
            ledger.count_failure(keyed(text), f"{HERE} answered 429: slow down, {text}", 3)
        ledger.count_failure(keyed("odd"), "not sendable: a lone surrogate", 0)
    return path


def counted(path: Path, selection: Selection) -> tuple[int, int, int]:
    with reading(path) as connection:
        found = totals(connection, selection)
        listed = list(entries(connection, selection))
    sums = (
        sum(one.ok for one in found),
        sum(one.refused for one in found),
        sum(one.failures for one in found),
    )
    assert len(listed) == sum(sums)
    return sums


def test_totals_by_model_and_place(path: Path) -> None:
    with reading(path) as connection:
        here, there, other = totals(connection)
    assert (here.base_url, there.base_url, other.model) == (HERE, THERE, "qwen3:8b")
    assert (here.ok, here.cut, here.failures, here.cost) == (3, 1, 4, 0.75)
    assert here.usage == Usage(30, 12, 6, 9)
    assert (there.ok, there.cost, there.unpriced) == (1, 0.0, 1)
    assert (other.refused, other.ok) == (1, 0)


@pytest.mark.parametrize(
    ("selection", "sums"),
    [
        (Selection(), (4, 1, 4)),
        (Selection(model="m"), (4, 0, 4)),
        (Selection(model="compat:m"), (4, 0, 4)),
        (Selection(model=f"compat:m@{THERE}"), (1, 0, 0)),
        (Selection(model="qwen3:8b"), (0, 1, 0)),
        (Selection(model="compat:qwen3:8b"), (0, 1, 0)),
        (Selection(model="openai:m"), (0, 0, 0)),
        (Selection(model="m' OR 1 --"), (0, 0, 0)),
        (Selection(status="refused"), (0, 1, 0)),
        (Selection(model="m", status="failed"), (0, 0, 4)),
        (Selection(before="2026-01-01"), (0, 0, 0)),
        (Selection(before="9999-01-01"), (4, 1, 4)),
    ],
    ids=str,
)
def test_selections(path: Path, selection: Selection, sums: tuple[int, int, int]) -> None:
    assert counted(path, selection) == sums


def test_failures_by_reason_with_the_last_as_an_example(path: Path) -> None:
    with reading(path) as connection:
        slow, odd = failures(connection)
    assert (slow.model, slow.reason, slow.count) == ("compat:m", "answered 429", 3)
    assert slow.unanswered == 2
    assert (slow.example, slow.key) == (
        f"{HERE} answered 429: slow down, never",
        keyed("never").key,
    )
    assert slow.first <= slow.last
    assert (odd.reason, odd.count, odd.unanswered) == ("not sendable", 1, 1)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("time-out: http://a did not answer", "time-out"),
        ("no answer from http://a: reset", "no answer"),
        ("http://a answered with something that is no JSON", "http://a answered with something"),
    ],
)
def test_reasons(error: str, reason: str) -> None:
    assert reason_of(error).startswith(reason)


def test_the_usual_length_of_answers_is_learnt_by_kind(tmp_path: Path) -> None:
    model = ModelUri("compat", "m", HERE)
    with Ledger(tmp_path / "l.sqlite") as ledger:
        for number, (name, tokens) in enumerate([("vote", 10), ("vote", 20), ("pair", 5), ("", 7)]):
            schema = Schema(name, {"type": "object"}) if name else None
            asked = Request(model, (Message("user", str(number)),), schema)
            one = key_request(asked, HERE)
            ledger.put(one, replace(answer(one), usage=Usage(1, 0, tokens)))
    with reading(tmp_path / "l.sqlite") as connection:
        found = answer_lengths(connection)
    assert found == {
        ("compat", "m", "vote"): 15.0,
        ("compat", "m", "pair"): 5.0,
        ("compat", "m", ""): 7.0,
    }


def test_an_entry_is_found_by_the_beginning_of_its_key(path: Path) -> None:
    key = keyed("a").key
    with reading(path) as connection:
        answered, failed = entries(connection, key=key[:10])
    assert answered.request is not None
    assert answered.request["messages"] == [{"role": "user", "content": "a"}]
    assert (answered.key, answered.status, answered.error) == (key, "ok", None)
    assert (failed.key, failed.status, failed.request, failed.attempts) == (key, "failed", None, 3)


def test_what_is_pruned_is_gone_and_still_counts_as_spent(path: Path) -> None:
    def state() -> tuple[Amount, int]:
        with reading(path) as connection:
            return spent(connection), unpriced(connection)

    before = state()
    # a request that was not sent is none
    assert before == (Amount(1.0, 60, 8), 1)
    removed = prune(path, Selection(model=f"compat:m@{HERE}", status="ok"))
    assert [(one.ok, one.failures, one.cost) for one in removed] == [(3, 0, 0.75)]
    assert counted(path, Selection()) == (1, 1, 4)
    assert state() == before
    prune(path, Selection(status="failed"))
    prune(path, Selection(before="9999-01-01"))
    assert counted(path, Selection()) == (0, 0, 0)
    assert state() == before
    with Ledger(path) as ledger:
        assert ledger.get(keyed("a").key) is None
        assert ledger.spent() == before[0]
        ledger.put(keyed("a"), answer(keyed("a"))).result()


def test_pruning_gives_the_space_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        for number in range(500):
            one = keyed(f"{number} {'long ' * 200}")
            ledger.put(one, answer(one))
    size = path.stat().st_size
    prune(path, Selection(model="m"))
    assert path.stat().st_size < size / 5

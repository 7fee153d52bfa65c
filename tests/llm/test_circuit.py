"""Circuits by a clock that the test sets."""

import asyncio
import math

import pytest

from chainwright.llm.circuit import Circuit, Pauses


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def tripped(clock: Clock, pauses: Pauses) -> Circuit:
    """A circuit at the start of its first pause."""
    circuit = Circuit(pauses, clock)
    lengths = [circuit.fail(circuit.enter(), "no") for _ in range(pauses.after)]
    assert lengths == [None] * (pauses.after - 1) + [pauses.first]
    return circuit


def test_failures_in_a_row_make_a_pause(clock: Clock) -> None:
    circuit = tripped(clock, Pauses(after=3, first=10.0))
    assert (circuit.delay(), circuit.why) == (10.0, "no")
    clock.now += 4
    assert circuit.delay() == 6.0


def test_a_success_between_them_begins_the_row_anew(clock: Clock) -> None:
    circuit = Circuit(Pauses(after=2), clock)
    for _ in range(5):
        assert circuit.fail(circuit.enter(), "no") is None
        circuit.succeed(circuit.enter())
    assert circuit.delay() == 0


def test_after_a_pause_one_goes_ahead_and_lets_the_others_go(clock: Clock) -> None:
    circuit = tripped(clock, Pauses(after=1, first=10.0))
    clock.now += 10
    ahead = circuit.enter()
    assert circuit.delay() == math.inf
    circuit.succeed(ahead)
    assert circuit.delay() == 0
    circuit.enter()
    assert circuit.delay() == 0


def test_pauses_grow_to_the_longest_and_end_in_giving_up(clock: Clock) -> None:
    circuit = tripped(clock, Pauses(after=4, first=10.0, longest=35.0, rounds=4))
    lengths = []
    while not circuit.is_given_up:
        clock.now += circuit.delay()
        lengths.append(circuit.fail(circuit.enter(), "still no"))
    assert lengths == [20.0, 35.0, 35.0, 35.0]


def test_what_was_under_way_when_the_pause_began_is_no_news(clock: Clock) -> None:
    circuit = Circuit(Pauses(after=2, first=10.0), clock)
    under_way = [circuit.enter() for _ in range(64)]
    assert [circuit.fail(ticket, "no") for ticket in under_way].count(10.0) == 1
    assert circuit.delay() == 10.0
    assert not circuit.is_given_up


def test_an_old_success_does_not_end_a_pause_but_forgives_the_ones_before(clock: Clock) -> None:
    circuit = Circuit(Pauses(after=1, first=1.0, rounds=2), clock)
    old = circuit.enter()
    for _ in range(2):
        circuit.fail(circuit.enter(), "no")
        clock.now += circuit.delay()
    circuit.fail(circuit.enter(), "no", pause=50.0)
    assert circuit.is_given_up
    circuit.succeed(old)
    assert (circuit.delay(), circuit.is_given_up) == (50.0, False)


def test_the_longest_wait_that_was_asked_for_counts(clock: Clock) -> None:
    circuit = Circuit(Pauses(after=1), clock)
    first, second, third = (circuit.enter() for _ in range(3))
    circuit.fail(first, "no", pause=5.0)
    circuit.fail(second, "no", pause=30.0)
    circuit.fail(third, "no", pause=1.0)
    assert circuit.delay() == 30.0


def test_one_that_goes_ahead_and_is_cancelled_makes_way(clock: Clock) -> None:
    async def wait() -> float:
        circuit = tripped(clock, Pauses(after=1, first=1.0))
        clock.now += 1
        ahead = circuit.enter()
        waiting = asyncio.create_task(circuit.changes())
        await asyncio.sleep(0)
        assert not waiting.done()
        circuit.leave(ahead)
        await waiting
        return circuit.delay()

    assert asyncio.run(wait()) == 0

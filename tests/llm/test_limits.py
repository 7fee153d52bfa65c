"""Limits by a clock that the test sets."""

from bisect import bisect_left

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.llm.limits import Allowance, Bucket, Limit, limit_of
from chainwright.llm.uri import parse_model_uri
from tests.llm.test_circuit import Clock

LIMITS = [
    Limit(None, 1),
    Limit("openai", 2),
    Limit("openai:gpt-4o", 3),
    Limit("compat:m", 4),
    Limit("compat:m@http://a/v1", 5),
]


@pytest.mark.parametrize(
    ("model", "number"),
    [
        ("anthropic:claude", 1),
        ("openai:o3", 2),
        ("openai:gpt-4o", 3),
        ("compat:m@http://b/v1", 4),
        ("compat:m@http://a/v1", 5),
    ],
)
def test_the_closest_limit_counts(model: str, number: int) -> None:
    assert limit_of(parse_model_uri(model), LIMITS).requests_per_minute == number


def test_without_limits_nothing_waits() -> None:
    allowance = Allowance(limit_of(parse_model_uri("openai:o3"), []))
    for _ in range(1000):
        assert allowance.delay(10**9) == (0.0, "")
        allowance.take(10**9)


def sent_in(allowance: Allowance, clock: Clock, seconds: float, tokens: int) -> list[float]:
    """When requests went that were sent as early as possible."""
    times, end = [], clock.now + seconds
    while clock.now < end:
        delay, _ = allowance.delay(tokens)
        if delay > 0:
            clock.now += delay
            continue
        allowance.take(tokens)
        times.append(clock.now)
    return times


@settings(max_examples=25)
@given(limit=st.integers(1, 1500))
def test_no_minute_holds_more_requests_than_the_limit_and_a_second_s_worth(limit: int) -> None:
    clock = Clock()
    times = sent_in(Allowance(Limit(None, limit), clock), clock, 90.0, 0)
    most = max(bisect_left(times, start + 59.99) - at for at, start in enumerate(times))
    assert limit - 1 <= most <= limit + limit / 60 + 1


@settings(max_examples=25)
@given(limit=st.integers(1000, 100_000), tokens=st.integers(1, 5000))
def test_tokens_hold_on_average_whatever_the_size_of_requests(limit: int, tokens: int) -> None:
    clock = Clock()
    start = clock.now
    times = sent_in(Allowance(Limit(None, None, limit), clock), clock, 30.0, tokens)
    minutes = (times[-1] - start) / 60
    # what goes last leaves a debt that the next one would wait for
    assert tokens * (len(times) - 1) <= limit * minutes + limit / 60 + tokens


def test_what_was_not_used_is_given_back() -> None:
    clock = Clock()
    allowance = Allowance(Limit(None, None, 6000), clock)
    allowance.take(2000)
    before, why = allowance.delay(500)
    assert why == "limit of 6000 tokens a minute"
    allowance.correct(2000, 500)
    after, _ = allowance.delay(500)
    assert before - after == pytest.approx(15.0)
    allowance.correct(500, 3500)
    assert allowance.delay(500)[0] == pytest.approx(after + 30.0)


def test_more_than_the_bucket_holds_goes_when_it_is_full() -> None:
    clock = Clock()
    bucket = Bucket(60, 10, 0, clock)
    assert bucket.delay(1000) == 10
    clock.now += 10
    assert bucket.delay(1000) == 0
    bucket.take(1000)
    assert bucket.delay(1) == pytest.approx(991)

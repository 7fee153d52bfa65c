"""Selection: quotas kept, train and test apart by question, one sound chain for each wrong one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.release.selection import Quotas, Selection, Share, select
from chainwright.release.selection_candidates import Candidate
from chainwright.schemas.words import TIERS

GENERATORS = ("one", "two", "three")


@st.composite
def pools(draw: st.DrawFn) -> list[Candidate]:
    """Candidates of two tracks and three generators on a few questions."""
    count = draw(st.integers(0, 60))
    pool = []
    for number in range(count):
        sound = draw(st.booleans())
        pool.append(
            Candidate(
                chain_id=f"c-{number:020x}",
                group=f"g{draw(st.integers(0, 20))}",
                track=draw(st.sampled_from(("grounding", "inference"))),
                generator=draw(st.sampled_from(GENERATORS)),
                decided=draw(st.integers(0, 9)) > 0,
                sound=sound,
                category=None if sound else draw(st.sampled_from(("x", "y", None))),
                certainty=draw(st.sampled_from(TIERS)),
                difficulty=draw(st.one_of(st.none(), st.floats(0, 1))),
            )
        )
    return pool


QUOTAS = st.builds(
    Quotas,
    per_category=st.integers(1, 6),
    per_generator=st.integers(1, 4),
    hard=st.integers(0, 3),
    random=st.integers(0, 3),
)


@settings(max_examples=60)
@given(pools(), QUOTAS, st.integers(0, 9))
def test_quotas_are_kept_and_questions_apart(
    pool: list[Candidate], quotas: Quotas, seed: int
) -> None:
    found = select(pool, quotas, seed)
    known = {one.chain_id: one for one in pool}
    train = [known[chain] for chain in found.train]
    test = [known[chain] for chain, draw in found.draws.items() if draw.slices]
    assert not {one.group for one in train} & {one.group for one in test}
    assert found.held_out == {one.group for one in test}
    wrong = [one for one in train if not one.sound]
    right = [one for one in train if one.sound]
    by_category = Counter((one.track, one.category) for one in wrong)
    by_generator = Counter((one.track, one.category, one.generator) for one in wrong)
    assert all(count <= quotas.per_category for count in by_category.values())
    assert all(count <= quotas.per_generator for count in by_generator.values())
    assert all(one.category and one.certainty != "disputed" for one in wrong)
    assert all(one.certainty == "gold" for one in right)
    assert all(one.decided for one in [*train, *test])
    free = [one for one in pool if one.decided and one.group not in found.held_out]
    for track in ("grounding", "inference"):
        there = sum(o.track == track and o.sound and o.certainty == "gold" for o in free)
        count = sum(one.track == track for one in wrong)
        assert sum(one.track == track for one in right) == min(count, there)
    for part, most in (("hard", quotas.hard), ("random", quotas.random)):
        drawn = Counter(
            (known[chain].track, known[chain].generator)
            for chain, draw in found.draws.items()
            if part in draw.slices
        )
        assert all(count <= most for count in drawn.values())


@settings(max_examples=60)
@given(pools(), QUOTAS, st.integers(0, 9))
def test_every_chain_has_a_side_or_a_reason_and_odds_within_0_to_1(
    pool: list[Candidate], quotas: Quotas, seed: int
) -> None:
    found = select(pool, quotas, seed)
    for one in pool:
        side = found.side_of(one.chain_id)
        assert (side is None) == (one.chain_id in found.left_out)
        if side is not None:
            assert found.side_of_question(one.group) == side
    for chain, draw in found.draws.items():
        for part, odds in (("hard", draw.hard_probability), ("random", draw.random_probability)):
            assert odds is None or 0 < odds <= 1
            assert odds is not None or part not in draw.slices, chain
    for share in found.shares:
        assert 0 <= share.taken <= min(share.wanted, share.available)
    assert sum(s.taken for s in found.shares if s.split == "train" and s.generator is None) == len(
        found.train
    )


@settings(max_examples=30)
@given(pools(), QUOTAS, st.integers(0, 9), st.randoms(use_true_random=False))
def test_the_same_seed_gives_the_same_selection_in_whatever_order(
    pool: list[Candidate], quotas: Quotas, seed: int, shuffler: object
) -> None:
    shuffled = list(pool)
    shuffler.shuffle(shuffled)  # type: ignore[attr-defined]
    assert select(shuffled, quotas, seed) == select(pool, quotas, seed)


def wrong(number: int, **changes: object) -> Candidate:
    given = Candidate(
        chain_id=f"c-{number:020x}",
        group=f"g{number}",
        track="grounding",
        generator="one",
        decided=True,
        sound=False,
        category="x",
        certainty="gold",
        difficulty=0.0,
    )
    return replace(given, **changes)  # type: ignore[arg-type]


def right(number: int, **changes: object) -> Candidate:
    return wrong(number, **({"sound": True, "category": None} | changes))


NO_TEST = Quotas(per_category=4, per_generator=3, hard=0, random=0)


def shares(found: Selection) -> dict[tuple[str, str | None, str | None], tuple[int, int, int]]:
    return {
        (share.part, share.category, share.generator): (share.wanted, share.available, share.taken)
        for share in found.shares
    }


def test_gold_comes_before_silver_and_disputed_never() -> None:
    pool = [wrong(n, certainty="silver", generator="two") for n in range(6)]
    pool += [wrong(n, certainty="gold") for n in (6, 7)] + [wrong(8, certainty="disputed")]
    found = select(pool, NO_TEST, 0)
    assert {pool[6].chain_id, pool[7].chain_id} < found.train
    assert len(found.train) == 4
    assert found.left_out[pool[8].chain_id] == "disputed"
    assert Counter(found.left_out.values()) == {"over_quota": 4, "disputed": 1}


def test_sound_chains_come_from_the_generators_of_the_wrong_ones_first() -> None:
    pool = [wrong(n) for n in range(3)] + [right(n, generator="two") for n in range(10, 20)]
    pool += [right(n) for n in (20, 21)]
    found = select(pool, NO_TEST, 0)
    mine = [one for one in pool if one.chain_id in found.train and one.sound]
    assert Counter(one.generator for one in mine) == {"one": 2, "two": 1}


def test_quotas_that_cannot_be_met_are_reported_with_what_there_is() -> None:
    pool = [wrong(0), wrong(1, category="y", certainty="silver"), right(2, certainty="silver")]
    found = select(pool, NO_TEST, 0, {"grounding": ["x", "y", "z"], "math": ["other"]})
    assert shares(found) == {
        ("hard", None, "one"): (0, 3, 0),
        ("random", None, "one"): (0, 3, 0),
        ("unfaithful", "x", None): (4, 1, 1),
        ("unfaithful", "x", "one"): (3, 1, 1),
        ("unfaithful", "y", None): (4, 1, 1),
        ("unfaithful", "y", "one"): (3, 1, 1),
        ("unfaithful", "z", None): (4, 0, 0),
        ("faithful", None, None): (2, 0, 0),
    }
    assert [share.is_short for share in found.shares] == [False, False, *[True] * 6]
    assert found.left_out == {pool[2].chain_id: "not_gold"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"decided": False}, "undecided_step"),
        ({"category": None}, "no_category"),
        ({"certainty": "disputed"}, "disputed"),
        ({"sound": True, "category": None, "certainty": "silver"}, "not_gold"),
        ({"sound": True, "category": None}, "over_quota"),  # no wrong one to stand beside
    ],
)
def test_what_is_left_out_has_a_reason(changes: dict[str, object], reason: str) -> None:
    one = wrong(0, **changes)
    assert select([one], NO_TEST, 0).left_out == {one.chain_id: reason}


def test_the_hard_slice_prefers_what_judges_differ_on() -> None:
    pool = [right(n, difficulty=0.0) for n in range(200)]
    pool += [right(n, difficulty=0.6) for n in range(200, 220)]
    found = select(pool, Quotas(hard=20, random=20), 0)
    hard = [one for one in pool if "hard" in found.draws[one.chain_id].slices]
    assert len(hard) == 20
    assert sum(one.difficulty == 0.6 for one in hard) >= 10
    odds = {one.difficulty: found.draws[one.chain_id].hard_probability for one in pool}
    assert odds[0.6] == pytest.approx(31 * (odds[0.0] or 0))


def test_a_chain_without_two_votes_can_be_drawn_at_random_alone() -> None:
    found = select([right(0, difficulty=None)], Quotas(), 0)
    (draw,) = found.draws.values()
    assert (draw.slices, draw.hard_probability, draw.random_probability) == (("random",), None, 1)


def test_other_chains_on_a_question_of_the_test_set_are_held_out() -> None:
    pool = [wrong(n, group="same") for n in range(9)]
    found = select(pool, Quotas(hard=0, random=1), 0)
    assert Counter(found.left_out.values()) == {"held_out": 8}
    assert not found.train


def test_nothing_selects_nothing() -> None:
    found = select([], Quotas(), 0, {"grounding": ["x"]})
    assert (found.train, found.draws, list(found.shares)) == (frozenset(), {}, [])


def test_a_share_says_whether_it_is_short() -> None:
    share = Share("test", "hard", "math", None, "one", wanted=2, available=1, taken=1)
    assert share.is_short

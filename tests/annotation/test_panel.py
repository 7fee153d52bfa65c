"""The outcome of a panel: its tier, and what ties, splits and silent judges do to it."""

from collections import Counter
from itertools import combinations_with_replacement
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chainwright.annotation.panel import Outcome, majority_premises, tally
from chainwright.schemas.label import CastVote
from chainwright.schemas.words import TIERS, Tier
from tests.annotation.ballots import NO_VOTE, SAYS, VALID, cast_votes

M, L = "mathematical_error", "logical_inconsistency"
INCOMPLETE = Outcome(None, None, "disputed", "disputed", "incomplete")
TIE = Outcome(None, None, "disputed", "disputed", "tie")
NO_MAJORITY = Outcome(None, None, "disputed", "disputed", "no_majority")


def correct(tier: Tier) -> Outcome:
    return Outcome("correct", None, tier, tier, None)


def error(category: str, tier: Tier, binary: Tier) -> Outcome:
    return Outcome("error", category, tier, binary, None)


def split(binary: Tier) -> Outcome:
    return Outcome("error", None, "disputed", binary, "category_split")


panels = st.text("".join(SAYS), max_size=7)


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("", INCOMPLETE),
        ("c", INCOMPLETE),
        ("m", INCOMPLETE),
        ("a", INCOMPLETE),
        ("cc", correct("gold")),
        ("mm", error(M, "gold", "gold")),
        ("ml", split("gold")),
        ("cm", TIE),
        ("ca", INCOMPLETE),
        ("aa", INCOMPLETE),
        ("ccc", correct("gold")),
        ("lll", error(L, "gold", "gold")),
        ("ccl", correct("silver")),
        ("mmc", error(M, "silver", "silver")),
        ("mml", error(M, "silver", "gold")),
        ("mlo", split("gold")),
        ("cml", split("silver")),
        ("cca", correct("silver")),
        ("mma", error(M, "silver", "silver")),
        ("mla", split("silver")),
        ("cma", TIE),
        ("caa", INCOMPLETE),
        ("cccc", correct("gold")),
        ("cccm", correct("silver")),
        ("ccca", correct("silver")),
        ("mmml", error(M, "silver", "gold")),
        ("mmlc", split("silver")),
        ("mmll", split("gold")),
        ("ccmm", TIE),
        ("ccml", TIE),
        ("ccma", NO_MAJORITY),
        ("ccaa", NO_MAJORITY),
        ("cmaa", TIE),
        ("caaa", INCOMPLETE),
        ("ooooo", error("other", "gold", "gold")),
        ("cccmm", correct("silver")),
        ("cccaa", correct("silver")),
        ("mmmlo", error(M, "silver", "gold")),
        ("mmmlc", error(M, "silver", "silver")),
        ("mmlcc", split("silver")),
        ("mmllc", split("silver")),
        ("ccmma", TIE),
        ("ccmaa", NO_MAJORITY),
        ("mlaaa", NO_MAJORITY),
        ("caaaa", INCOMPLETE),
    ],
)
def test_panels_of_every_size_by_hand(letters: str, expected: Outcome) -> None:
    assert tally(cast_votes(letters)) == expected


@pytest.mark.parametrize("size", range(1, 6))
def test_every_panel_follows_the_definition_of_tiers(size: int) -> None:
    """The definitions of the design, spelled out anew for each panel up to five judges."""
    for letters in map("".join, combinations_with_replacement(SAYS, size)):
        outcome = tally(cast_votes(letters))
        votes = Counter(letter for letter in letters if letter in VALID)
        pairs = [letter for letter, count in votes.items() if count > size / 2]
        errors = sum(votes.values()) - votes["c"]
        if sum(votes.values()) < 2:
            assert outcome == INCOMPLETE
            continue
        if pairs:
            unanimous = votes[pairs[0]] == size
            assert (outcome.label, outcome.category) == SAYS[pairs[0]][:2]
            assert outcome.tier == ("gold" if unanimous else "silver")
            assert outcome.reason is None
        else:
            assert (outcome.category, outcome.tier) == (None, "disputed")
            assert outcome.reason is not None
        if votes["c"] > size / 2 or errors > size / 2:
            assert outcome.label == ("correct" if votes["c"] > size / 2 else "error")
            assert outcome.binary_tier == ("gold" if size in (votes["c"], errors) else "silver")
        else:
            assert (outcome.label, outcome.binary_tier) == (None, "disputed")
            assert (outcome.reason == "tie") == (votes["c"] == errors)


@pytest.mark.parametrize("votes", list(combinations_with_replacement(VALID, 3)), ids="".join)
def test_three_votes_follow_the_papers_rule(votes: tuple[str, ...]) -> None:
    """All three agree: gold; two of three: silver; three different votes: disputed."""
    expected = {1: "gold", 2: "silver", 3: "disputed"}[len(set(votes))]
    assert tally(cast_votes("".join(votes))).tier == expected


@given(panels, st.randoms(use_true_random=False))
def test_the_order_of_judges_never_matters(letters: str, random: Random) -> None:
    votes = cast_votes(letters)
    outcome = tally(votes)
    random.shuffle(votes)
    assert tally(votes) == outcome


@given(panels)
def test_gold_implies_binary_gold_and_no_tier_beats_its_binary_tier(letters: str) -> None:
    outcome = tally(cast_votes(letters))
    assert TIERS.index(outcome.binary_tier) <= TIERS.index(outcome.tier)


@given(panels, st.sampled_from(NO_VOTE))
def test_a_judge_without_a_vote_never_raises_a_tier_and_bars_gold(
    letters: str, silent: str
) -> None:
    before, after = tally(cast_votes(letters)), tally(cast_votes(letters + silent))
    assert TIERS.index(after.tier) >= max(TIERS.index(before.tier), TIERS.index("silver"))
    assert TIERS.index(after.binary_tier) >= max(TIERS.index(before.binary_tier), 1)
    assert after.label in (before.label, None)
    assert after.category in (before.category, None)


@given(panels, st.sampled_from(NO_VOTE), st.sampled_from(NO_VOTE))
def test_all_ways_of_not_voting_count_alike(letters: str, one: str, other: str) -> None:
    assume(one in letters)
    assert tally(cast_votes(letters)) == tally(cast_votes(letters.replace(one, other)))


def test_a_label_in_a_vote_that_is_not_ok_does_not_count() -> None:
    stray = CastVote(judge="j3", status="malformed", label="error", category=M, explanation=None)
    assert tally([*cast_votes("cc"), stray]) == tally(cast_votes("ccx"))


def test_an_ok_vote_without_a_label_does_not_count() -> None:
    empty = CastVote(judge="j3", status="ok", label=None, category=None, explanation=None)
    assert tally([*cast_votes("cc"), empty]) == tally(cast_votes("cca"))


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        ([], None),
        ([[]], []),
        ([[2, 0]], [0, 2]),
        ([[1, 1]], [1]),
        ([[0, 1], [1]], [1]),
        ([[0], [1]], []),
        ([[0, 1], [1, 2], [0, 2]], [0, 1, 2]),
        ([[0], [0], []], [0]),
        ([[0], [], []], []),
        ([[0, 0], [1, 1], []], []),
        ([[0], [0], [1], [1]], []),
    ],
)
def test_premises_of_a_strict_majority(sets: list[list[int]], expected: list[int] | None) -> None:
    assert majority_premises(sets) == expected


premise_sets = st.lists(st.lists(st.integers(0, 4), max_size=6), min_size=1, max_size=6)


@given(premise_sets)
def test_a_premise_is_in_if_more_than_half_name_it(sets: list[list[int]]) -> None:
    found = majority_premises(sets)
    assert found is not None
    for premise in range(5):
        named = sum(premise in premises for premises in sets)
        assert (premise in found) == (named > len(sets) / 2)
    assert found == sorted(set(found))

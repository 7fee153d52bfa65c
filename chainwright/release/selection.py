"""Selection: a balanced training set, and a test set of hard and of random chains beside it.

The protocol of GRACE (arXiv 2606.16151) over candidates of any track: the test set is drawn first,
and training has no question of it. Everything follows from the candidates and the seed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from chainwright.release.selection_candidates import Candidate, Draw
from chainwright.release.selection_draws import Sample, weighted_sample
from chainwright.release.splits import Split
from chainwright.schemas.identity import place
from chainwright.schemas.words import TIERS, TestSlice

FLOOR = 0.02
"""Added to every difficulty, so that chains on which all judges agree keep a chance to be drawn."""

_UNITS = 1_000_000
"""Weights are whole numbers of millionths."""

Part = Literal["unfaithful", "faithful", "hard", "random"]
Key = tuple[str, str]


@dataclass(frozen=True)
class Quotas:
    """How many chains are wanted.

    Attributes:
        per_category: Wrong chains of each category in training.
        per_generator: Of these, of each generator.
        hard: Chains of each track and generator that the test set draws by difficulty.
        random: And those that it draws with equal odds.
    """

    per_category: int = 500
    per_generator: int = 50
    hard: int = 20
    random: int = 20


@dataclass(frozen=True)
class Share:
    """One quota and what became of it.

    Attributes:
        split: The side of the chains.
        part: `unfaithful` (whose labels may also be `error`) and `faithful` chains of training;
            the `hard` and the `random` slice of the test set.
        category: Of unfaithful chains; None elsewhere.
        generator: None where the quota is over all of them.
        wanted: The quota; for `faithful`, as many as the track has unfaithful ones.
        available: Chains that could have been taken, before any quota.
        taken: Chains that were.
    """

    split: Split
    part: Part
    track: str
    category: str | None
    generator: str | None
    wanted: int
    available: int
    taken: int

    @property
    def is_short(self) -> bool:
        """Whether less was taken than wanted."""
        return self.taken < self.wanted


@dataclass(frozen=True)
class Selection:
    """Which chains were selected, and why the others were not.

    Attributes:
        train: Ids of the chains of training.
        draws: For every chain how it stands to the test set; those with a slice are in it.
        held_out: Groups of the test set's questions.
        left_out: By id the reason of every chain on neither side: `undecided_step`,
            `no_category`, `disputed`, `not_gold`, `held_out` or `over_quota`.
        shares: Every quota with what became of it.
    """

    train: frozenset[str]
    draws: Mapping[str, Draw]
    held_out: frozenset[str]
    left_out: Mapping[str, str]
    shares: Sequence[Share] = field(default_factory=list)

    def side_of(self, chain_id: str) -> Split | None:
        """The split that a chain was selected for."""
        if chain_id in self.train:
            return "train"
        return "test" if chain_id in self.draws and self.draws[chain_id].slices else None

    def side_of_question(self, group: str) -> Split:
        """The side of all chains of a question, selected or not."""
        return "test" if group in self.held_out else "train"


def select(
    candidates: Iterable[Candidate],
    quotas: Quotas,
    seed: int,
    categories: Mapping[str, Collection[str]] | None = None,
) -> Selection:
    """Select chains for training and test.

    Test: of each track and generator, two independent draws from the chains of which every step is
    decided: `quotas.random` with equal odds, and `quotas.hard` with odds in proportion to
    difficulty + `FLOOR` (`weighted_sample`), from those whose difficulty is known. A chain may be
    in both.

    Training, from the questions that the test set has not: chains of which every step is decided.
    Of wrong ones, by the category of the first wrong step, gold before silver and at random within
    a tier, as many as the quotas allow. Then as many sound gold ones of the same track: of each
    generator as many as it has wrong ones, and from the others what is missing.

    Args:
        candidates: Each chain once; their order does not matter.
        quotas: How many are wanted.
        seed: Of everything random.
        categories: By track the categories there may be; those without a chain are reported too.
    """
    known = sorted(candidates, key=lambda one: one.chain_id)
    decided = [one for one in known if one.decided]
    draws, shares = _test(decided, quotas, seed)
    held_out = frozenset(one.group for one in decided if draws[one.chain_id].slices)
    free = [one for one in decided if one.group not in held_out]
    wrong = [one for one in free if _unfit(one) is None and not one.sound]
    right = [one for one in free if _unfit(one) is None and one.sound]
    unfaithful = _unfaithful(wrong, quotas, seed)
    faithful = _faithful(right, unfaithful, seed)
    train = frozenset(one.chain_id for one in [*unfaithful, *faithful])
    tracks = {one.track for one in known}
    wanted = {track: list((categories or {}).get(track, ())) for track in sorted(tracks)}
    shares += _unfaithful_shares(wrong, unfaithful, quotas, wanted)
    shares += _faithful_shares(right, faithful, unfaithful, wanted)
    left_out = {
        one.chain_id: _why(one, held_out)
        for one in known
        if one.chain_id not in train and not (one.chain_id in draws and draws[one.chain_id].slices)
    }
    return Selection(train, draws, held_out, left_out, shares)


def _test(
    decided: Sequence[Candidate], quotas: Quotas, seed: int
) -> tuple[dict[str, Draw], list[Share]]:
    strata: dict[Key, list[Candidate]] = defaultdict(list)
    for one in decided:
        strata[one.track, one.generator].append(one)
    draws: dict[str, Draw] = {}
    shares: list[Share] = []
    for (track, generator), members in sorted(strata.items()):
        weights: dict[TestSlice, dict[str, int]] = {
            "hard": {
                one.chain_id: round((one.difficulty + FLOOR) * _UNITS)
                for one in members
                if one.difficulty is not None
            },
            "random": {one.chain_id: 1 for one in members},
        }
        samples: dict[TestSlice, Sample] = {}
        sizes: dict[TestSlice, int] = {"hard": quotas.hard, "random": quotas.random}
        for part, size in sizes.items():
            found = weighted_sample(weights[part], size, part, seed, track, generator)
            samples[part] = found
            counts = (size, len(weights[part]), len(found.drawn))
            shares.append(Share("test", part, track, None, generator, *counts))
        for one in members:
            draws[one.chain_id] = Draw(
                tuple(part for part, found in samples.items() if one.chain_id in found.drawn),
                samples["hard"].probabilities.get(one.chain_id),
                samples["random"].probabilities.get(one.chain_id),
            )
    return draws, shares


def _unfit(one: Candidate) -> str | None:
    """Why a chain may not be trained on, whatever the quotas."""
    if not one.decided:
        return "undecided_step"
    if one.certainty == "disputed":
        return "disputed"
    if one.sound:
        return None if one.certainty == "gold" else "not_gold"
    return None if one.category is not None else "no_category"


def _why(one: Candidate, held_out: Collection[str]) -> str:
    if one.decided and one.group in held_out:
        return "held_out"
    return _unfit(one) or "over_quota"


def _unfaithful(wrong: Sequence[Candidate], quotas: Quotas, seed: int) -> list[Candidate]:
    taken: Counter[tuple[str, str | None]] = Counter()
    of_generator: Counter[tuple[str, str | None, str]] = Counter()
    chosen = []
    for one in sorted(wrong, key=lambda one: (TIERS.index(one.certainty), _turn(one, seed))):
        category, mine = (one.track, one.category), (one.track, one.category, one.generator)
        if taken[category] < quotas.per_category and of_generator[mine] < quotas.per_generator:
            taken[category] += 1
            of_generator[mine] += 1
            chosen.append(one)
    return chosen


def _faithful(
    right: Sequence[Candidate], unfaithful: Sequence[Candidate], seed: int
) -> list[Candidate]:
    """As many sound chains of each track as there are wrong ones, or all there are."""
    owed = Counter((one.track, one.generator) for one in unfaithful)
    missing = Counter(one.track for one in unfaithful)
    chosen, others = [], []
    for one in sorted(right, key=lambda one: _turn(one, seed)):
        if owed[one.track, one.generator]:
            owed[one.track, one.generator] -= 1
            missing[one.track] -= 1
            chosen.append(one)
        else:
            others.append(one)
    for one in others:
        if missing[one.track]:
            missing[one.track] -= 1
            chosen.append(one)
    return chosen


def _turn(one: Candidate, seed: int) -> tuple[float, str]:
    return place("selection", seed, one.chain_id), one.chain_id


def _unfaithful_shares(
    wrong: Sequence[Candidate],
    taken: Sequence[Candidate],
    quotas: Quotas,
    categories: Mapping[str, Sequence[str]],
) -> list[Share]:
    there = Counter((one.track, one.category) for one in wrong)
    got = Counter((one.track, one.category) for one in taken)
    there_by = Counter((one.track, one.category, one.generator) for one in wrong)
    got_by = Counter((one.track, one.category, one.generator) for one in taken)
    shares = []
    for track, known in categories.items():
        met = {category for its, category in there if its == track and category is not None}
        for category in [*known, *sorted(met - set(known))]:
            key = (track, category)
            counts = (quotas.per_category, there[key], got[key])
            shares.append(Share("train", "unfaithful", track, category, None, *counts))
            for generator in sorted(its for *of, its in there_by if tuple(of) == key):
                own = (*key, generator)
                counts = (quotas.per_generator, there_by[own], got_by[own])
                shares.append(Share("train", "unfaithful", track, category, generator, *counts))
    return shares


def _faithful_shares(
    right: Sequence[Candidate],
    taken: Sequence[Candidate],
    unfaithful: Sequence[Candidate],
    tracks: Iterable[str],
) -> list[Share]:
    wanted, there, got = (
        Counter(one.track for one in members) for members in (unfaithful, right, taken)
    )
    return [
        Share("train", "faithful", track, None, None, wanted[track], there[track], got[track])
        for track in tracks
    ]

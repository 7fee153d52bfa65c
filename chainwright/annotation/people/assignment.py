"""Assignment: who reads which chains.

Annotators form groups; the chains are cut into as many disjoint parts. Of its part a group reads a
share together, which tells how far its members agree, and divides the rest. Chains whose labels
are exact lie among the others, like them to look at: they tell how good an annotator is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from pydantic import BaseModel, ConfigDict

from chainwright.annotation.people.questionnaire import Questionnaire
from chainwright.schemas.identity import content_hash, place
from chainwright.schemas.words import Track

Pool = Literal["judged", "disputed", "ranked", "all"]
"""Chains without exact labels; those of them with a disputed step; those of them whose labels are
least sure; every chain."""

RANDOM: frozenset[Pool] = frozenset({"judged", "all"})
"""Pools from which chains are drawn without regard to what judges said of them."""

TASK_DIGITS = 16


class PlannedTask(BaseModel):
    """One chain for one annotator.

    Attributes:
        task: An id that tells nothing of the chain.
        asked: The steps to answer, in order.
        honey_pot: Whether the chain is there because its labels are exact.
        shown_answers: In an adjudication, whose answers are A, B, … in this order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    annotator: str
    chain_id: str
    track: Track
    content_hash: str
    asked: list[int]
    steps: int
    honey_pot: bool = False
    shown_answers: list[str] = []


class Plan(BaseModel):
    """One export: what it asked of whom. Annotators never get to see it.

    Attributes:
        random: Whether the chains, honey-pots aside, are a random sample of the run's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    round: int
    created: str
    seed: int
    adjudication: bool
    assisted: bool
    pool: Pool
    random: bool
    annotators: list[str]
    questionnaires: dict[Track, Questionnaire]
    tasks: list[PlannedTask]


@dataclass(frozen=True)
class Candidate:
    """A chain that could be read.

    Attributes:
        doubt: How much there is to change in its labels a step read, for the pool `ranked`; None
            where that is not known.
    """

    chain_id: str
    track: Track
    content_hash: str
    steps: int
    exact: bool
    disputed: bool
    doubt: float | None = None


@dataclass(frozen=True)
class Wish:
    """How a round is to be made up.

    Attributes:
        chains: Chains to draw, honey-pots not among them; None = all there are.
        together: Annotators of a group.
        overlap: Share of a group's chains that each member reads.
        honey_pots: Honey-pots per chain drawn.
    """

    annotators: Sequence[str]
    chains: int | None
    pool: Pool
    together: int
    overlap: float
    honey_pots: float
    seed: int


def assign(candidates: Iterable[Candidate], round_: int, wish: Wish) -> list[PlannedTask]:
    """The tasks of a round, by annotator and number of steps, otherwise in a drawn order.

    The draw follows from seed, round and chain ids alone; the pool `ranked` is no draw, and begins
    with the chains in greatest doubt. Fewer chains than wished for are taken where there are no
    more.

    Raises:
        ValueError: A name is empty or occurs twice, the groups don't come out even, or a share is
            not within 0 and 1.
    """
    _check(wish)
    fitting = list(candidates)
    drawn = _shuffled(
        [one for one in fitting if _is_in(one, wish.pool)], wish.seed, round_, "chains"
    )
    if wish.pool == "ranked":
        drawn.sort(key=lambda one: (-(one.doubt or 0), one.chain_id))
    drawn = drawn[: wish.chains]
    taken = {one.chain_id for one in drawn}
    pots = _shuffled(
        [one for one in fitting if one.exact and one.chain_id not in taken],
        wish.seed,
        round_,
        "pots",
    )
    groups = [
        wish.annotators[first : first + wish.together]
        for first in range(0, len(wish.annotators), wish.together)
    ]
    tasks: list[PlannedTask] = []
    for number, group in enumerate(groups):
        part = drawn[number :: len(groups)]
        wanted = ceil(wish.honey_pots * len(part))
        own, pots = pots[:wanted], pots[wanted:]
        shared = ceil(round(wish.overlap * len(part), 9))
        for position, name in enumerate(group):
            alone = part[shared:][position :: len(group)]
            mine = [(one, False) for one in (*part[:shared], *alone)]
            tasks += _in_order([*mine, *((one, True) for one in own)], name, round_, wish.seed)
    return tasks


def task_id(round_: int, annotator: str, chain_id: str, seed: int) -> str:
    """An id that tells nothing of the chain to who does not know the seed and the chains."""
    return f"t-{content_hash('task', seed, round_, annotator, chain_id)[:TASK_DIGITS]}"


def _check(wish: Wish) -> None:
    names = list(wish.annotators)
    if not names or any(not name.strip() for name in names) or len(set(names)) < len(names):
        raise ValueError(f"found annotators {names}, expected names, each once")
    if not 1 <= wish.together <= len(names) or len(names) % wish.together:
        raise ValueError(
            f"found {len(names)} annotators in groups of {wish.together}, expected a number of "
            "annotators that such groups divide (pairs are groups of 2)"
        )
    for what, share in (("overlap", wish.overlap), ("honey-pots", wish.honey_pots)):
        if not 0 <= share <= 1:
            raise ValueError(f"found {share} for {what}, expected a share from 0 to 1")


def _is_in(one: Candidate, pool: Pool) -> bool:
    if pool == "all":
        return True
    fits = {"judged": True, "disputed": one.disputed, "ranked": one.doubt is not None}
    return not one.exact and fits[pool]


def _shuffled(
    candidates: Iterable[Candidate], seed: int, round_: int, what: str
) -> list[Candidate]:
    return sorted(
        candidates, key=lambda one: (place(what, seed, round_, one.chain_id), one.chain_id)
    )


def _in_order(
    chains: Iterable[tuple[Candidate, bool]], annotator: str, round_: int, seed: int
) -> list[PlannedTask]:
    """Grouped by number of steps, so that a form of one length serves a run of tasks."""
    tasks = [
        PlannedTask(
            task=task_id(round_, annotator, one.chain_id, seed),
            annotator=annotator,
            chain_id=one.chain_id,
            track=one.track,
            content_hash=one.content_hash,
            asked=list(range(1, one.steps + 1)),
            steps=one.steps,
            honey_pot=is_pot,
        )
        for one, is_pot in chains
    ]
    return sorted(tasks, key=lambda task: (task.track, task.steps, task.task))

"""Who reads which chains."""

from collections import Counter, defaultdict
from dataclasses import replace
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.annotation.people.assignment import Candidate, Pool, Wish, assign


def candidates(plain: int, exact: int) -> list[Candidate]:
    return [
        Candidate(
            chain_id=f"c-{number:020d}",
            track="math",
            content_hash=str(number),
            steps=1 + number % 3,
            exact=number >= plain,
            disputed=number % 2 == 0,
        )
        for number in range(plain + exact)
    ]


def wish(
    annotators: str, together: int = 2, overlap: float = 1.0, pots: float = 0.0, **rest: object
) -> Wish:
    pool: Pool = rest.get("pool", "judged")  # type: ignore[assignment]
    chains = rest.get("chains")
    assert chains is None or isinstance(chains, int)
    return Wish(list(annotators), chains, pool, together, overlap, pots, seed=3)


@given(
    plain=st.integers(1, 30),
    groups=st.integers(1, 3),
    together=st.integers(1, 3),
    overlap=st.floats(0, 1),
    pots=st.floats(0, 1),
)
def test_groups_read_disjoint_parts_and_all_is_read(
    plain: int, groups: int, together: int, overlap: float, pots: float
) -> None:
    names = "abcdefghi"[: groups * together]
    tasks = assign(candidates(plain, 40), 1, wish(names, together, overlap, pots))
    readers: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        assert task.honey_pot == (int(task.chain_id[2:]) >= plain)
        readers[task.chain_id].add(task.annotator)
    drawn = {task.chain_id for task in tasks if not task.honey_pot}
    assert len(drawn) == plain
    assert len({task.task for task in tasks}) == len(tasks)
    parts = [names[first : first + together] for first in range(0, len(names), together)]
    for number, part in enumerate(parts):
        own = [chain for chain in readers if readers[chain] <= set(part)]
        plain_own = [chain for chain in own if chain in drawn]
        assert len(plain_own) == len(range(number, plain, groups))
        shared = [chain for chain in plain_own if readers[chain] == set(part)]
        assert len(shared) >= ceil(round(overlap * len(plain_own), 9))
        assert all(readers[chain] == set(part) for chain in own if chain not in drawn)
    assert sum(len(part) for part in readers.values()) == len(tasks)


def test_tasks_are_grouped_by_number_of_steps_and_tell_nothing() -> None:
    tasks = assign(candidates(20, 10), 1, wish("ab", pots=0.5))
    mine = [task for task in tasks if task.annotator == "a"]
    assert [task.steps for task in mine] == sorted(task.steps for task in mine)
    assert Counter(task.honey_pot for task in mine) == {False: 20, True: 10}
    assert not any(task.chain_id[2:] in task.task for task in tasks)
    # Honey-pots are not all at one end of a run of equal length.
    lengths = [[t.honey_pot for t in mine if t.steps == steps] for steps in (1, 2, 3)]
    assert any(pots != sorted(pots) and pots != sorted(pots, reverse=True) for pots in lengths)


def test_pools() -> None:
    there = candidates(6, 4)
    assert {t.chain_id for t in assign(there, 1, wish("ab", pool="disputed"))} == {
        f"c-{number:020d}" for number in (0, 2, 4)
    }
    assert len(assign(there, 1, wish("a", 1, pool="all"))) == 10
    assert len(assign(there, 1, wish("a", 1, chains=2))) == 2


def test_the_ranked_pool_begins_with_the_greatest_doubt_and_shares_it_out() -> None:
    there = [
        replace(one, doubt=None if one.exact or number == 0 else number / 10)
        for number, one in enumerate(candidates(7, 3))
    ]
    tasks = assign(there, 1, wish("abcd", pool="ranked", chains=4))
    parts = {
        names: {task.chain_id[-1] for task in tasks if task.annotator in names}
        for names in ("ab", "cd")
    }
    assert parts == {"ab": {"6", "4"}, "cd": {"5", "3"}}
    everything = assign(there, 1, wish("a", 1, pool="ranked"))
    assert {task.chain_id[-1] for task in everything} == set("123456")  # of 0 nothing is known


def test_a_draw_is_repeatable_and_rounds_differ() -> None:
    first = assign(candidates(20, 0), 1, wish("ab", chains=5))
    assert first == assign(candidates(20, 0), 1, wish("ab", chains=5))
    second = assign(candidates(20, 0), 2, wish("ab", chains=5))
    assert {t.chain_id for t in first} != {t.chain_id for t in second}


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (wish("aa"), "each once"),
        (wish("abc"), "3 annotators in groups of 2"),
        (wish("a"), "groups of 2"),
        (wish("ab", overlap=1.5), "overlap"),
        (wish("ab", pots=-0.1), "honey-pots"),
        (wish(""), "names"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused(bad: Wish, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        assign(candidates(3, 3), 1, bad)

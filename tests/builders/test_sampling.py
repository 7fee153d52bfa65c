from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.builders.raw_rows import RawRow
from chainwright.builders.sources import problems_from_rows, sample
from chainwright.recipe import Source
from chainwright.schemas.problem import Problem
from chainwright.stage import Batch

GSM8K = Source(kind="gsm8k", path="a.jsonl")


def gsm(number: int) -> dict[str, Any]:
    return {"question": f"How many are {number}?", "answer": f"There are {number}.\n#### {number}"}


def raw(rows: Sequence[dict[str, Any]]) -> list[RawRow]:
    return [RawRow(f"a.jsonl:{number}", row) for number, row in enumerate(rows, start=1)]


def problems(batch: Batch) -> list[Problem]:
    return [row for row in batch.rows["problems"] if isinstance(row, Problem)]


@settings(max_examples=50)
@given(st.data())
def test_the_sample_is_stable(data: st.DataObject) -> None:
    rows = [gsm(n) for n in range(data.draw(st.integers(0, 12)))]
    shuffled = data.draw(st.permutations(rows))
    seed = data.draw(st.integers(0, 10**20))
    small, large = sorted(data.draw(st.tuples(st.integers(1, 14), st.integers(1, 14))))

    def ids(rows: Sequence[dict[str, Any]], limit: int | None) -> list[str]:
        source = GSM8K.model_copy(update={"limit": limit})
        return [p.problem_id for p in problems(problems_from_rows(raw(rows), source, seed))]

    assert ids(shuffled, small) == ids(rows, small)
    assert ids(rows, large)[:small] == ids(rows, small)
    assert ids(rows, None)[:large] == ids(rows, large)
    assert len(ids(rows, small)) == min(small, len(rows))


def test_the_sample_is_the_same_everywhere() -> None:
    source = GSM8K.model_copy(update={"limit": 4})
    drawn = [
        p.answer for p in problems(problems_from_rows(raw([gsm(n) for n in range(20)]), source, 7))
    ]
    assert drawn == ["18", "13", "5", "16"]
    found = problems(problems_from_rows(raw([gsm(n) for n in range(20)]), GSM8K, 7))
    hashes = {p.answer: sha256(f'[7,"{p.problem_id}"]'.encode()).hexdigest() for p in found}
    assert drawn == sorted(hashes, key=hashes.__getitem__)[:4]
    own = source.model_copy(update={"seed": 7})
    again = problems(problems_from_rows(raw([gsm(n) for n in range(20)]), own, 99))
    assert [p.answer for p in again] == drawn


def test_sample_returns_the_rest_too() -> None:
    found = problems(problems_from_rows(raw([gsm(n) for n in range(5)]), GSM8K, 0))
    kept, rest = sample(found, 2, 1)
    assert len(kept) == 2
    assert {p.problem_id for p in (*kept, *rest)} == {p.problem_id for p in found}
    assert sample([], 3, 0) == ([], [])

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.builders.raw_rows import MAX_PAYLOAD, RawRow, RowFault
from chainwright.builders.sources import problems_from_rows, problems_from_sources
from chainwright.formats.columns import ABSENT, pick
from chainwright.recipe import Columns, ExistingChain, Source
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.stage import Batch

GSM8K = Source(kind="gsm8k", path="a.jsonl", licence="MIT", split="dev")


def raw(rows: Sequence[dict[str, Any]], name: str = "a.jsonl") -> list[RawRow | RowFault]:
    return [RawRow(f"{name}:{number}", row) for number, row in enumerate(rows, start=1)]


def gsm(number: int, answer: str | None = None) -> dict[str, Any]:
    answer = str(number) if answer is None else answer
    return {"question": f"How many are {number}?", "answer": f"There are {number}.\n#### {answer}"}


def generic(**given: Any) -> Source:
    return Source.model_validate({"kind": "generic", "path": "a.jsonl", **given})


def problems(batch: Batch) -> list[Problem]:
    return [row for row in batch.rows["problems"] if isinstance(row, Problem)]


def chains(batch: Batch) -> list[Chain]:
    return [row for row in batch.rows["chains"] if isinstance(row, Chain)]


def rejected(batch: Batch, table: str = "problems") -> list[tuple[str, str]]:
    return [(r.item, r.reason) for r in batch.rejects if r.table == table]


def test_gsm8k_row() -> None:
    row = {"question": "Q?\n", "answer": "First 3.\nThen <<1,000+875=1875>>.\n#### $1,875 "}
    (problem,) = problems(problems_from_rows(raw([row]), GSM8K, 0))
    assert problem.answer == "1875"
    assert problem.answer_kind == "number"
    assert problem.question == "Q?\n"
    assert problem.solution == row["answer"]
    assert (problem.source, problem.split, problem.licence) == ("gsm8k", "dev", "MIT")
    assert problem.origin_ref == "a.jsonl:1"


@pytest.mark.parametrize(
    ("text", "answer"),
    [("-3", "-3"), ("0.50", "0.50"), ("2,125", "2125"), ("$-1,080.5", "-1080.5")],
)
def test_gsm8k_answers(text: str, answer: str) -> None:
    batch = problems_from_rows(raw([gsm(1, text)]), GSM8K, 0)
    assert [problem.answer for problem in problems(batch)] == [answer]


@pytest.mark.parametrize(
    ("row", "reason", "detail"),
    [
        ({"question": "q", "answer": "three"}, "no_answer_mark", "0 times ####"),
        ({"question": "q", "answer": "#### 1\n#### 2"}, "several_answer_marks", "2 times"),
        ({"question": "q", "answer": "#### 3 eggs"}, "answer_not_a_number", "`3 eggs`"),
        ({"question": "q", "answer": "#### "}, "answer_not_a_number", "``"),
        ({"question": "q", "gold": 3}, "missing_field", "no `answer`; there are: question, gold"),
        ({}, "missing_field", "there are: none"),
        ({"question": " \n", "answer": "#### 3"}, "empty_field", "`question` is blank"),
        ({"question": None, "answer": "#### 3"}, "empty_field", "`question` is null"),
        ({"question": ["q"], "answer": "#### 3"}, "wrong_type", "`question` is a list, expected"),
        ({"question": "q", "answer": 3}, "wrong_type", "`answer` is a number"),
        ({"question": "q\ud800", "answer": "#### 3"}, "bad_encoding", "U+D800 at character 2"),
        ({"question": "q", "answer": "\x00#### 3"}, "bad_encoding", "U+0000 at character 1"),
        ({"question": "caf\ufffd", "answer": "#### 3"}, "bad_encoding", "U+FFFD at character 4"),
    ],
)  # fmt: skip
def test_gsm8k_rejects(row: dict[str, Any], reason: str, detail: str) -> None:
    batch = problems_from_rows(raw([row]), GSM8K, 0)
    (reject,) = batch.rejects
    assert (reject.stage, reject.table, reject.item) == ("problems", "problems", "a.jsonl:1")
    assert reject.reason == reason
    assert detail in reject.detail
    assert reject.payload is not None
    assert not batch.unaccounted()


def test_payload_is_the_rows_json_and_no_longer_than_useful() -> None:
    batch = problems_from_rows(raw([{"text": "é"}, {"text": "x" * 9000}, {"a": {1, 2}}]), GSM8K, 0)
    short, long, odd = (reject.payload or "" for reject in batch.rejects)
    assert json.loads(short) == {"text": "é"}
    assert len(long) == MAX_PAYLOAD
    assert long.endswith("x…")
    assert json.loads(odd) == {"a": "{1, 2}"}


def test_faults_of_reading_are_rejects() -> None:
    fault = RowFault("a.jsonl:2", "bad_json", "not JSON", "{\udcff")
    batch = problems_from_rows([*raw([gsm(1)]), fault], GSM8K, 0)
    assert batch.taken == Counter(problems=2, chains=0)
    (reject,) = batch.rejects
    assert (reject.item, reject.reason, reject.detail) == ("a.jsonl:2", "bad_json", "not JSON")
    assert reject.payload == "{\\udcff"


def test_duplicates_within_a_source() -> None:
    rows = [
        {"question": "Caf\u00e9  prices?", "answer": "#### 3"},
        {"question": "Cafe\u0301 prices?\n", "answer": "#### 3.0"},
        {"question": "Caf\u00e9 prices?", "answer": "#### 4"},
        {"question": "caf\u00e9 prices?", "answer": "#### 4"},
    ]
    batch = problems_from_rows(raw(rows), GSM8K, 0)
    assert sorted(p.origin_ref for p in problems(batch)) == ["a.jsonl:1", "a.jsonl:4"]
    assert rejected(batch) == [("a.jsonl:2", "duplicate"), ("a.jsonl:3", "conflicting_duplicate")]
    assert all("a.jsonl:1" in reject.detail for reject in batch.rejects)
    assert "`3` and not `4`" in batch.rejects[1].detail


def test_duplicates_across_sources_even_where_places_look_alike() -> None:
    second = Source(kind="gsm8k", path="b/a.jsonl", name="second")
    batch = problems_from_sources([(GSM8K, raw([gsm(1)])), (second, raw([gsm(1), gsm(2)]))], 0)
    assert [(p.source, p.answer) for p in problems(batch)] == [("gsm8k", "1"), ("second", "2")]
    assert rejected(batch) == [("a.jsonl:1", "duplicate")]


def test_a_question_left_out_by_the_sample_still_bars_its_duplicates() -> None:
    first = GSM8K.model_copy(update={"limit": 1})
    second = Source(kind="gsm8k", path="b.jsonl", name="second")
    batch = problems_from_sources(
        [(first, raw([gsm(1), gsm(2)])), (second, raw([gsm(1), gsm(2), gsm(3)]))], 0
    )
    assert [p.source for p in problems(batch)] == ["gsm8k", "second"]
    assert Counter(reason for _, reason in rejected(batch)) == {"duplicate": 2, "not_sampled": 1}


def test_equal_questions_with_other_contexts_or_options_differ() -> None:
    source = generic(columns={"context": "text", "options": "choices"})
    rows: list[dict[str, Any]] = [
        {"question": "Which follows?", "text": "All men are mortal.", "choices": ["a", "b"]},
        {"question": "Which follows?", "text": "No man is mortal.", "choices": ["a", "b"]},
        {"question": "Which follows?", "text": "No man is mortal.", "choices": ["a", "c"]},
        {"question": "Which follows?", "text": "No man is  mortal.", "choices": ["a", "c"]},
    ]
    batch = problems_from_rows(raw(rows), source, 0)
    assert len(problems(batch)) == 3
    assert rejected(batch) == [("a.jsonl:4", "duplicate")]


@pytest.mark.parametrize(
    ("value", "passages"),
    [
        ("one", [("", "one")]),
        (["one", "two"], [("", "one"), ("", "two")]),
        ([{"title": "T", "text": "one", "idx": 0}, {"text": "two"}], [("T", "one"), ("", "two")]),
        ([], []),
        (None, []),
    ],
)
def test_context(value: Any, passages: list[tuple[str, str]]) -> None:
    source = generic(columns={"context": "meta.context"})
    row = {"question": "q", "meta": {"context": value}}
    (problem,) = problems(problems_from_rows(raw([row]), source, 0))
    assert [(p.title, p.text) for p in problem.context] == passages
    assert [p.ref for p in problem.context] == list(range(1, len(passages) + 1))


@pytest.mark.parametrize(
    ("row", "reason", "detail"),
    [
        ({"c": 3}, "wrong_type", "`c` is a number, expected text, a list of texts"),
        ({"c": [["t", "x"]]}, "wrong_type", "`c[0]` is a list, expected text, or an object"),
        ({"c": [{"body": "x"}]}, "missing_field", "`c[0]` has no `text`; there are: body"),
        ({"c": ["x", " "]}, "empty_field", "`c[1]` is blank"),
        ({"c": [{"title": 1, "text": "x"}]}, "wrong_type", "`c[0].title` is a number"),
        ({"c": "x", "o": "A"}, "wrong_type", "`o` is text, expected a list of texts"),
        ({"c": "x", "o": ["a", 1]}, "wrong_type", "`o[1]` is a number"),
        ({"c": "x", "o": [], "a": [1]}, "wrong_type", "`a` is a list, expected text, a number, or"),
        ({"c": "x", "o": [], "a": float("nan")}, "wrong_type", "`a` is a number"),
        ({"c": "x", "o": [], "a": "many"}, "answer_not_a_number", "`many` `a` is no number"),
        ({"c": "x", "o": [], "a": 1}, "missing_field", "no `s`"),
    ],
)
def test_generic_rejects(row: dict[str, Any], reason: str, detail: str) -> None:
    columns = {"context": "c", "options": "o", "answer": "a", "solution": "s"}
    source = generic(answer_kind="number", columns=columns)
    # The question, solution and answer are read first, so that they are given here unless asked.
    row = {
        "question": "q",
        **({} if reason == "missing_field" and "a" in row else {"s": "x"}),
        **row,
    }
    row.setdefault("a", None)
    batch = problems_from_rows(raw([row]), source, 0)
    assert [(r.reason, detail in r.detail) for r in batch.rejects] == [(reason, True)]


@pytest.mark.parametrize(
    ("value", "answer"),
    [(18, "18"), (0.5, "0.5"), (True, "true"), (" B ", "B"), (None, None), (18.0, "18.0")],
)
def test_generic_answers(value: Any, answer: str | None) -> None:
    source = generic(columns={"answer": "a"})
    (problem,) = problems(problems_from_rows(raw([{"question": "q", "a": value}]), source, 0))
    assert problem.answer == answer


def test_answer_at_the_end_of_a_solution() -> None:
    source = generic(answer_kind="number", columns={"solution": "s"})
    rows = [{"question": "q", "s": "So it is 1,875.\nA: 1,875"}, {"question": "r", "s": "So."}]
    found = problems(problems_from_rows(raw(rows), source, 0))
    assert {(p.answer, p.solution) for p in found} == {
        ("1875", "So it is 1,875.\nA: 1,875"),
        (None, "So."),
    }


def test_keys_with_dots_come_before_nested_ones() -> None:
    assert pick({"a.b": 1, "a": {"b": 2}}, "a.b") == 1
    assert pick({"a": {"b.c": 1, "b": {"c": 2}}}, "a.b.c") == 1
    assert pick({"a.b": {"c": 1}, "a": {"b": {"c": 2}}}, "a.b.c") == 1
    assert pick({"a.b": 3, "a": {"b": {"c": 2}}}, "a.b.c") == 2
    assert pick({"a": {"b": None}}, "a.b") is None
    assert pick({"a": None}, "a.b") is ABSENT
    assert pick({"a": [1]}, "a.0") is ABSENT


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(categories=["L", "Nd", "Cs", "Cc", "Zs"]) | st.just("\ufffd"))
    | st.sampled_from(["#### 3", "q", "x\n#### 1,000", "A: 3"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "title", "b", "\ud800"]), inner, max_size=3)
    ),
    max_leaves=5,
)
ROW = st.builds(
    RawRow,
    st.text(max_size=5),
    st.dictionaries(st.sampled_from(["question", "answer", "a.b", "a", "c"]), JSON, max_size=4),
)
FAULT = st.builds(
    RowFault, st.text(max_size=5), st.just("bad_json"), st.text(), st.none() | st.text()
)


@settings(max_examples=60)
@given(st.lists(ROW | FAULT, max_size=8), st.integers(1, 4) | st.none())
def test_every_row_comes_out_once(rows: list[RawRow | RowFault], limit: int | None) -> None:
    existing = [
        ExistingChain(generator="one", steps="a.b", final_answer="c"),
        ExistingChain(generator="two", solution="answer", is_correct="a"),
    ]
    columns = Columns(question="question", answer="answer", context="a.b", options="c")
    sources = [
        Source(kind="gsm8k", path="a.jsonl", limit=limit),
        Source(kind="generic", path="b.jsonl", limit=limit, columns=columns, chains=existing),
        Source(kind="generic", path="c.jsonl", name="c", limit=limit, chains=existing),
    ]
    batch = problems_from_sources([(source, rows) for source in sources], 3)
    faults = sum(isinstance(row, RowFault) for row in rows)
    assert batch.taken["problems"] == 3 * len(rows)
    assert batch.taken["chains"] == 4 * (len(rows) - faults)
    assert batch.unaccounted() == {}
    known = {problem.problem_id for problem in problems(batch)}
    assert len(known) == len(problems(batch))
    assert {chain.problem_id for chain in chains(batch)} <= known
    assert all(reject.model_dump_json() for reject in batch.rejects)

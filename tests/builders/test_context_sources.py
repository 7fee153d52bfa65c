"""Sources with context: every format to numbered references, gold answers and supporting facts."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainwright.builders.context_sources.choices import bare_options
from chainwright.builders.context_sources.shapes import records_at
from chainwright.builders.fields import Refused
from chainwright.builders.raw_rows import RawRow
from chainwright.builders.sources import problems_from_rows
from chainwright.recipe import Source
from chainwright.schemas.problem import Problem
from chainwright.stage import Batch
from tests.builders.context_rows import FERRY, TOWN, logiqa2, musique, reclor, two_wiki

LICENCES = {
    "musique": "CC-BY-4.0",
    "2wikimultihopqa": "Apache-2.0",
    "reclor": "LicenseRef-ReClor-non-commercial-research-only",
    "logiqa": None,
    "logiqa2": "CC-BY-NC-SA-4.0",
}


def read(kind: str, *rows: dict[str, Any], **source: Any) -> Batch:
    given = Source.model_validate({"kind": kind, "path": "a.jsonl"} | source)
    raw = [RawRow(f"a.jsonl:{at}", row) for at, row in enumerate(rows, start=1)]
    batch = problems_from_rows(raw, given, 0)
    assert batch.unaccounted() == {}
    return batch


def problem(kind: str, row: dict[str, Any], **source: Any) -> Problem:
    batch = read(kind, row, **source)
    assert [reject.detail for reject in batch.rejects] == []
    (found,) = batch.rows["problems"]
    assert isinstance(found, Problem)
    return found


def refused(kind: str, row: dict[str, Any], **source: Any) -> str:
    batch = read(kind, row, **source)
    assert batch.rows["problems"] == []
    (reject,) = batch.rejects
    assert reject.payload
    return reject.reason


def facts(found: Problem) -> list[tuple[int, str | None]]:
    return [(fact.ref, fact.sentence) for fact in found.supporting]


def test_musique_numbers_paragraphs_that_share_a_title() -> None:
    found = problem("musique", musique(), split="train")
    assert [(p.ref, p.title) for p in found.context] == [
        (1, "The Anna"),
        (2, "The Anna"),
        (3, "Osmark"),
        (4, "Norrvik"),
    ]
    assert facts(found) == [(2, None), (3, None), (4, None)]
    assert (found.answer, found.answer_kind, found.aliases) == ("Ida Holm", "text", ["Mayor Holm"])
    assert (found.track, found.question_type, found.split) == ("grounding", "3hop1", "train")


def test_musique_without_marks_takes_the_paragraphs_of_the_decomposition() -> None:
    bare = [{"paragraph_text": p["paragraph_text"], "idx": 9 - p["idx"]} for p in paragraphs()]
    parts = [{"paragraph_support_idx": at} for at in (8, 6, 7, None)]
    found = problem("musique", musique(paragraphs=bare, question_decomposition=parts))
    assert facts(found) == [(2, None), (3, None), (4, None)]


def paragraphs() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = musique()["paragraphs"]
    return listed


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"answerable": False}, "not_answerable"),
        ({"answer": ""}, "no_answer"),
        ({"answer": None}, "no_answer"),
        ({"question_decomposition": [{}, {}]}, "too_few_hops"),
        ({"question_decomposition": [], "id": "2hop__1_2"}, "too_few_hops"),
        ({"question_decomposition": [], "id": "none"}, "too_few_hops"),
        ({"paragraphs": []}, "no_context"),
        ({"paragraphs": ["text"]}, "wrong_type"),
        ({"paragraphs": [{"idx": 1, "title": "t"}]}, "missing_field"),
        ({"paragraphs": [paragraphs()[0]] * 2}, "bad_context"),
        ({"question": " "}, "empty_field"),
    ],
)
def test_musique_rows_that_are_refused(more: dict[str, Any], reason: str) -> None:
    assert refused("musique", musique(**more)) == reason


def test_the_least_number_of_hops_can_be_set() -> None:
    row = musique(question_decomposition=[{}, {}])
    assert problem("musique", row, min_hops=2).question_type == "3hop1"
    assert refused("musique", musique(), min_hops=4) == "too_few_hops"


STRINGS = {key: json.dumps(two_wiki()[key]) for key in ("context", "supporting_facts", "evidences")}
STRUCTS: dict[str, Any] = {
    "context": {
        "title": ["The Anna", "Norrvik", "Per Lund"],
        "sentences": [FERRY, TOWN, ["Per Lund writes."]],
    },
    "supporting_facts": {"title": ["The Anna", "Norrvik"], "sent_id": [0, 0]},
    "evidences": {"fact": ["Anna", "Norrvik"], "relation": ["is a", "is a"]},
    "id": "0a1b",
}
OBJECTS: dict[str, Any] = {
    "context": [{"title": t, "content": s} for t, s in two_wiki()["context"]],
    "supporting_facts": [{"title": t, "sent_id": n} for t, n in two_wiki()["supporting_facts"]],
}


@pytest.mark.parametrize("form", [{}, STRINGS, STRUCTS, OBJECTS])
def test_two_wiki_is_the_same_problem_in_every_form(form: dict[str, Any]) -> None:
    found = problem("2wikimultihopqa", two_wiki(**form))
    assert found.problem_id == problem("2wikimultihopqa", two_wiki()).problem_id
    assert [p.text for p in found.context][:2] == [" ".join(FERRY), " ".join(TOWN)]
    assert facts(found) == [(1, FERRY[0]), (2, TOWN[0])]
    assert (found.answer, found.question_type) == ("no", "comparison")


def test_a_fact_of_articles_with_one_title_is_in_each_that_has_it() -> None:
    context = [["The Anna", FERRY], ["The Anna", ["A novel."]]]
    found = problem(
        "2wikimultihopqa", two_wiki(context=context, supporting_facts=[["The Anna", 1]])
    )
    assert facts(found) == [(1, FERRY[1])]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"type": "bridge_comparison"}, "too_few_hops"),
        ({"type": "bridge"}, "type_not_wanted"),
        ({"type": None}, "type_not_wanted"),
        ({"context": "[not json"}, "bad_json"),
        ({"context": [["title alone"]]}, "wrong_type"),
        ({"context": {"title": ["a", "b"], "sentences": [["s"]]}}, "wrong_type"),
        ({"context": {"title": ["a"]}}, "missing_field"),
        ({"context": None}, "no_context"),
        ({"context": [["The Anna", []]]}, "empty_field"),
        ({"answer": " "}, "empty_field"),
        ({"supporting_facts": 3}, "wrong_type"),
    ],
)
def test_two_wiki_rows_that_are_refused(more: dict[str, Any], reason: str) -> None:
    assert refused("2wikimultihopqa", two_wiki(**more)) == reason


def test_without_evidence_the_supporting_sentences_are_the_hops() -> None:
    four = [["The Anna", 0], ["The Anna", 1], ["Norrvik", 0], ["Norrvik", 1]]
    row = two_wiki(type="bridge_comparison", supporting_facts=four)
    del row["evidences"]
    assert len(problem("2wikimultihopqa", row).supporting) == 4


def of_types(*types: str) -> list[dict[str, Any]]:
    return [two_wiki(question=f"{kind} {at}?", type=kind) for at, kind in enumerate(types)]


def test_types_take_turns() -> None:
    rows = of_types(*["comparison"] * 6, *["compositional"] * 2, "inference")
    batch = read("2wikimultihopqa", *rows, limit=6)
    types = Counter(getattr(row, "question_type", None) for row in batch.rows["problems"])
    assert types == {"comparison": 3, "compositional": 2, "inference": 1}
    assert Counter(reject.reason for reject in batch.rejects) == {"not_sampled": 3}


def test_a_type_has_a_limit_of_its_own() -> None:
    wanted = [{"type": "inference", "limit": 1}, {"type": "comparison", "min_hops": 2}]
    rows = of_types("inference", "inference", "comparison", "compositional")
    batch = read("2wikimultihopqa", *rows, types=wanted)
    assert len(batch.rows["problems"]) == 2
    found = {reject.reason: reject.detail for reject in batch.rejects}
    assert set(found) == {"not_sampled", "type_not_wanted"}
    assert "the 1 questions of type inference" in found["not_sampled"]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["comparison", "inference"]), max_size=9), st.integers(1, 9))
def test_a_larger_limit_only_appends(types: list[str], limit: int) -> None:
    rows = of_types(*types)
    ids = [
        [getattr(row, "problem_id", "") for row in read(TWO, *rows, limit=n).rows["problems"]]
        for n in (limit, limit + 1)
    ]
    assert ids[1][: len(ids[0])] == ids[0]
    assert len(ids[0]) == min(limit, len(types))


TWO = "2wikimultihopqa"


def test_reclor_and_logiqa2_have_the_letter_of_the_gold_option() -> None:
    first, second = problem("reclor", reclor()), problem("logiqa2", logiqa2())
    for found in (first, second):
        assert (found.answer, found.answer_kind, found.track) == ("B", "option", "inference")
        assert [(p.ref, p.title) for p in found.context] == [(1, "")]
        assert found.options == reclor()["answers"]
    assert second.question_type == "Necessary Conditional Reasoning, Conjunctive Reasoning"


@pytest.mark.parametrize("label", [2, "2", "c", " C ", [2]])
def test_gold_labels_in_all_their_forms(label: Any) -> None:
    assert problem("reclor", reclor(label=label)).answer == "C"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"label": 4}, "bad_label"),
        ({"label": True}, "bad_label"),
        ({"label": "E"}, "bad_label"),
        ({"label": {}}, "bad_label"),
        ({"label": None}, "no_answer"),
        ({"label": -1}, "no_answer"),
        ({"answers": ["a", "b", "c"]}, "bad_options"),
        ({"answers": ["a", "b", "c", "\u200b"]}, "empty_field"),
        ({"answers": "a, b"}, "bad_json"),
        ({"context": None}, "wrong_type"),
    ],
)
def test_choices_that_are_refused(more: dict[str, Any], reason: str) -> None:
    assert refused("reclor", reclor(**more)) == reason


def test_a_misspelt_key_is_read_and_a_missing_one_is_not() -> None:
    row = logiqa2()
    row["anwser"] = row.pop("answer")
    assert problem("logiqa2", row).answer == "B"
    del row["anwser"]
    assert refused("logiqa2", row) == "missing_field"


def test_the_copy_of_logiqa_with_an_index() -> None:
    row = {
        "context": "y" * 200,
        "query": "Which?",
        "options": ["A.one", "C.three", "B.two", "D.four"],
        "correct_option": 1,
    }
    found = problem("logiqa", row)
    assert (found.options, found.answer) == (["one", "two", "three", "four"], "B")
    assert refused("logiqa", row | {"context": "y" * 199}) == "context_too_short"
    assert problem("logiqa", row | {"context": "y"}, min_context=0).context[0].text == "y"


@pytest.mark.parametrize(
    ("given", "bare"),
    [
        (["A. x", "B. y", "C. z", "D. w"], ["x", "y", "z", "w"]),
        (["A Bo is tall", "B Al is tall", "C Cy is tall", "D Di is tall"], None),
        (["A is true", "B is true", "C is true", "D is true"], "as they are"),
        (["A dog", "Two", "Three", "Four"], "as they are"),
        (["A.A.", "B.B.", "C.C.", "D.Bo."], ["A.", "B.", "C.", "Bo."]),
        (["A? one", "B? two", "three", "D.four"], ["one", "two", "three", "four"]),
        (["A.x", "A.y", "B.z", "C.w"], ["x", "A.y", "B.z", "C.w"]),
    ],
)
def test_letters_before_options(given: list[str], bare: Any) -> None:
    expected = {None: [one[2:] for one in given], "as they are": given}
    assert bare_options(given) == (bare if isinstance(bare, list) else expected[bare])


@pytest.mark.parametrize(
    ("kind", "row"),
    [("musique", musique), (TWO, two_wiki), ("reclor", reclor), ("logiqa2", logiqa2)],
)
def test_the_publishers_licence_is_on_every_row(kind: str, row: Any) -> None:
    assert problem(kind, row()).licence == LICENCES[kind]
    assert problem(kind, row(), licence="CC0-1.0").licence == "CC0-1.0"


def test_generic_rows_have_aliases_a_type_and_filters() -> None:
    row = {
        "question": "q?",
        "a": "Rome",
        "also": ["Roma", "", None, "Rome"],
        "kind": "city",
        "c": "x",
    }
    columns = {"answer": "a", "aliases": "also", "type": "kind", "context": "c"}
    found = problem("generic", row, columns=columns, types=[{"type": "city"}])
    assert (found.aliases, found.question_type) == (["Roma"], "city")
    assert refused("generic", row, columns=columns, min_context=2) == "context_too_short"


def test_ids_leave_aliases_and_facts_out() -> None:
    bare = problem("musique", musique(answer_aliases=[], question_decomposition=[{}] * 3))
    assert bare.problem_id == problem("musique", musique()).problem_id


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["title", "sentences", "x"]), inner)
        ),
    )
)
def test_any_value_is_read_or_refused(value: Any) -> None:
    try:
        found = records_at(value, "context", ("title", "sentences"))
    except Refused as refusal:
        assert refusal.detail
    else:
        assert all(len(record) == 2 for record in found)


@given(
    st.dictionaries(
        st.sampled_from([*musique(), *two_wiki(), *reclor(), *logiqa2()]),
        st.one_of(
            st.none(),
            st.integers(),
            st.text(max_size=5),
            st.lists(st.text(max_size=3) | st.integers(), max_size=4),
            st.lists(
                st.dictionaries(st.sampled_from(["idx", "title", "paragraph_text"]), st.integers())
            ),
        ),
    )
)
def test_any_row_costs_itself_alone(row: dict[str, Any]) -> None:
    for kind in LICENCES:
        read(kind, musique() | two_wiki() | reclor() | logiqa2() | row)

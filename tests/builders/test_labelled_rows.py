"""Labelled sources: chains of other corpora, with what those say of the steps."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from chainwright.builders.raw_rows import RawRow
from chainwright.builders.sources import problems_from_rows, problems_from_sources
from chainwright.recipe import Source
from chainwright.schemas.chain import Chain
from chainwright.schemas.published import PublishedLabel
from chainwright.stage import Batch

BENCH: dict[str, Any] = {
    "id": "a",
    "generator": "a-model",
    "problem": "What is 1 + 1?",
    "steps": ["1 + 1 = 3.", "So 3."],
    "final_answer_correct": False,
    "label": 0,
}


def labelled(form: str = "processbench", **given: Any) -> Source:
    return Source.model_validate({"kind": "labelled", "format": form, "path": "a.json", **given})


def published(batch: Batch) -> list[PublishedLabel]:
    return [row for row in batch.rows.get("published", []) if isinstance(row, PublishedLabel)]


def chains(batch: Batch) -> list[Chain]:
    return [row for row in batch.rows["chains"] if isinstance(row, Chain)]


def taken(*rows: dict[str, Any], source: Source | None = None, file: str = "a.json") -> Batch:
    raw = [RawRow(f"{file}:{number}", row) for number, row in enumerate(rows, 1)]
    batch = problems_from_rows(raw, source or labelled(), 0)
    assert batch.unaccounted() == {}
    return batch


def test_a_row_gives_problem_chain_and_what_is_published_of_its_steps() -> None:
    batch = taken(BENCH)
    (chain,) = chains(batch)
    assert (chain.polarity, chain.generator, chain.origin) == ("negative", "a-model", "model")
    first, second = published(batch)
    assert (first.chain_id, first.step, first.label) == (chain.chain_id, 1, "error")
    assert (first.format, first.source, first.verbatim) == ("processbench", "labelled", "0")
    assert (second.label, second.category, second.premises) == (None, None, None)


def test_chains_of_one_question_share_its_problem() -> None:
    other = {**BENCH, "steps": ["1 + 1 = 2."], "label": -1, "final_answer_correct": True}
    batch = taken(BENCH, other, BENCH)
    assert len(batch.rows["problems"]) == 1
    assert len(chains(batch)) == 2
    assert len(published(batch)) == 3
    reasons = [(reject.table, reject.reason) for reject in batch.rejects]
    assert reasons.count(("problems", "duplicate")) == 2
    assert reasons.count(("chains", "duplicate_chain")) == 1


def test_a_row_that_is_none_of_the_format_is_rejected_with_its_chain() -> None:
    batch = taken(BENCH, {**BENCH, "label": 7})
    assert [(one.table, one.reason) for one in batch.rejects] == [
        ("problems", "bad_label"),
        ("chains", "problem_rejected"),
    ]


def test_labels_go_with_the_chains_that_are_sampled() -> None:
    rows = [{**BENCH, "problem": f"What is {number} + 1?"} for number in range(5)]
    batch = taken(*rows, source=labelled(limit=2))
    kept = {chain.chain_id for chain in chains(batch)}
    assert len(kept) == 2
    assert {label.chain_id for label in published(batch)} == kept
    assert batch.taken["published"] == len(published(batch)) == 4


def test_correctness_follows_from_the_answer_where_the_format_does_not_say() -> None:
    row = {
        "question": {
            "problem": "1 + 1?",
            "ground_truth_answer": "2",
            "pre_generated_answer": "3",
        },
        "label": {"steps": [{"completions": [{"text": "a", "rating": 1}], "chosen_completion": 0}]},
    }
    (chain,) = chains(taken(row, source=labelled("prm800k", answer_kind="number")))
    assert chain.is_correct is False


def test_without_labelled_sources_there_is_no_such_table() -> None:
    source = Source(kind="gsm8k", path="a.jsonl")
    batch = problems_from_sources([(source, [])], 0)
    assert "published" not in batch.rows


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "labelled"},
        {"kind": "labelled", "format": "dpo"},
        {"kind": "gsm8k", "format": "perl"},
        {"kind": "labelled", "format": "perl", "columns": {"question": "q"}},
    ],
)
def test_format_goes_with_labelled_sources_alone(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Source.model_validate({"path": "a.json", **given})

"""Premise graphs and counts of labels, by hand and on PERL's released files."""

from __future__ import annotations

from pathlib import Path

import pytest

from chainwright.audit.graphs import PAPER, GraphTally, in_paper, paper_source
from chainwright.audit.record import Place
from chainwright.pipeline.auditing.corpus_audit import audit_paths
from tests.audit.corpora import record

RELEASED = {
    # by source: positives, negatives, perturbed; of the last two sources more were released
    "gsm8k": (50, 57, 48),
    "math": (53, 44, 42),
    "orcamath": (100, 50, 80),
    "metamathqa": (90, 63, 76),
}
KINDS = {
    "positives": "positive",
    "negatives": "negative",
    "positives_perturbed": "synthetic_negative",
}


def test_the_papers_chains_are_the_first_fifty_where_more_were_released() -> None:
    tally, whole = GraphTally(), 0
    for source, counts in RELEASED.items():
        for (kind, polarity), count in zip(KINDS.items(), counts, strict=True):
            for index in range(count):
                place = Place(f"perl/{source}/{source}_{kind}.json", index + 1, index)
                one = record(polarity=polarity, place=place)
                whole += 1
                if in_paper(one):
                    tally.add(one)
    assert whole == 753
    assert {key: tally.counts[key] for key in PAPER if key != "correct_steps"} == {
        key: count for key, count in PAPER.items() if key != "correct_steps"
    }


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a/orca_math_positives.json", "orcamath"),
        ("GSM8K_negatives.json", "gsm8k"),
        ("metamathqa_positives_perturbed.json", "metamathqa"),
        ("theirs.json", None),
    ],
)
def test_sources_are_told_by_the_files_names(name: str, source: str | None) -> None:
    assert paper_source(name) == source


def test_steps_are_counted_in_four_ways_by_hand() -> None:
    tally = GraphTally()
    tally.add(
        record(
            labels={1: ["Mathematical_Error"], 2: ["Accumulation_Error", "Other"]},
            premises=((0,), (0, 1), (2,)),
        )
    )
    tally.add(record(premises=((0,), (5,), (2,)), row=2))  # a premise that is no earlier step
    assert tally.all_types == {
        "mathematical_error": 1,
        "accumulation_error": 1,
        "other": 1,
        "correct": 4,
    }
    assert tally.first_type == {"mathematical_error": 1, "accumulation_error": 1, "correct": 4}
    assert tally.native_first == {"mathematical_error": 1, "other": 1, "correct": 4}
    # The graph makes an accumulation error of step 3, which rests on step 2.
    assert tally.derived["accumulation_error"] == 1
    assert (tally.counts["correct_steps"], tally.counts["steps"]) == (4, 6)
    graphs = tally.as_json()["graphs"]
    assert (graphs["chains"], tally.unreadable) == (1, ["made.json:2"])
    # Nodes 0 to 3, edges 0-1, 0-2, 1-2, 2-3: four on the longest path, one in each layer.
    means = {key: graphs[key]["mean"] for key in ("nodes", "edges", "depth", "width", "branching")}
    assert means == {"nodes": 4, "edges": 4, "depth": 4, "width": 1, "branching": 1}


@pytest.mark.realdata
def test_graphs_of_released_files_are_those_that_the_docs_state(real_data: Path) -> None:
    report = audit_paths([real_data / "perl"], rules=["premise_self"], graphs=True)
    rows = {Path(name).name: tally for name, tally in report.graphs.items()}
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
    for name, shown in {
        "gsm8k_positives.json": "GSM8K positives | 50 (49 with a graph)",
        "gsm8k_negatives.json": "GSM8K negatives | 57",
        "gsm8k_positives_perturbed.json": "GSM8K perturbed | 48",
        "math_positives.json": "MATH positives | 53",
        "math_negatives.json": "MATH negatives | 44",
        "math_positives_perturbed.json": "MATH perturbed | 42",
    }.items():
        graphs = rows[name].as_json()["graphs"]
        parts = ("nodes", "edges", "depth", "width", "branching")
        means = " | ".join(f"{graphs[part]['mean']:.2f}" for part in parts)
        assert f"| {shown} | {means} |" in page
    # The paper counts all chains of these two sources, 50 + 53 of its 203 positives among them.
    assert rows["paper"].counts == rows["all"].counts
    assert {key: rows["paper"].counts[key] for key in KINDS.values()} == {
        "positive": 103,
        "negative": 101,
        "synthetic_negative": 90,
    }
    assert rows["paper"].counts["correct_steps"] == 1011

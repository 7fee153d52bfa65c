"""A run's statistics, recomputed here from the letters of a small run made by hand."""

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from chainwright.annotation.statistics import statistics
from tests.annotation.ballots import SAYS, VALID
from tests.annotation.small_run import (
    EXACT,
    INHERITED,
    JUDGES,
    RUN,
    Made,
    a_recipe,
    document,
    of_model,
    tables,
)


@pytest.fixture(scope="module")
def small() -> dict[str, Any]:
    return document(RUN)


def ballots(run: Sequence[Made] = RUN) -> list[str]:
    return [letters for made in run for letters in made.ballots]


def native_truth() -> list[str]:
    return ["c" if letter == INHERITED else letter for made in EXACT for letter in made.truth]


def test_counts_of_chains_and_steps(small: dict[str, Any]) -> None:
    counts = small["counts"]
    assert (counts["chains"], counts["steps"]) == (6, 12)
    assert counts["chains_by_polarity"] == {
        "negative": 2,
        "positive": 2,
        "synthetic_negative": 1,
        "undecided": 1,
    }
    assert counts["chains_by_origin"] == {"model": 4, "reference": 1, "synthetic": 1}
    assert counts["perturbations"] == {"digit_slip": 1}
    assert counts["steps_by_source"] == {"panel": 7, "exact": 5}
    # exact: c c | m i c; panel: c m i | c | c undecided | undecided
    assert counts["steps_by_label"] == {
        "correct": 6,
        "mathematical_error": 2,
        "accumulation_error": 2,
        "undecided": 2,
    }
    # A: gold, split; B: silver, inherited silver, tie; C: silver, gold, gold; D: silver;
    # E: gold, incomplete; F: incomplete
    assert counts["steps_by_tier"] == {"gold": 4, "silver": 4, "disputed": 4}
    assert counts["chains_by_tier"] == {"disputed": 4, "silver": 2}
    assert counts["disputed_because"] == {"category_split": 1, "tie": 1, "incomplete": 2}


def test_agreement_is_of_native_votes(small: dict[str, Any]) -> None:
    found = small["agreement"]
    assert found["judges"] == JUDGES
    assert (found["units"], found["chains"], found["replicates"]) == (12, 6, 20)
    complete = [letters for letters in ballots() if set(letters) <= set(VALID)]
    agreed = [letters for letters in complete if len(set(letters)) == 1]
    assert found["unanimity"]["value"] == pytest.approx(len(agreed) / 12)
    assert found["unanimity_complete"]["value"] == pytest.approx(len(agreed) / len(complete))
    for (one, other), pair in zip(combinations(range(3), 2), found["cohen"], strict=True):
        both = [(b[one], b[other]) for b in ballots() if {b[one], b[other]} <= set(VALID)]
        expected = cohen_kappa_score(*zip(*both, strict=True))
        assert pair["statistic"]["value"] == pytest.approx(expected)
        assert pair["statistic"]["n"] == len(both)
    counted = [[letters.count(letter) for letter in VALID] for letters in complete]
    assert found["fleiss"]["value"] == pytest.approx(fleiss_kappa(np.array(counted)))


def test_errors_are_correlated_on_exact_steps(small: dict[str, Any]) -> None:
    found = small["error_correlation"]
    assert (found["units"], found["chains"]) == (5, 2)
    units = list(zip(native_truth(), ballots(EXACT), strict=True))
    for (one, other), pair in zip(combinations(range(3), 2), found["pairs"], strict=True):
        errors = [
            (b[one] != t, b[other] != t) for t, b in units if {b[one], b[other]} <= set(VALID)
        ]
        first, second = np.array(errors, dtype=float).T
        if first.std() and second.std():
            expected = np.corrcoef(first, second)[0, 1]
            assert pair["statistic"]["value"] == pytest.approx(expected)
        else:
            assert pair["statistic"]["reason"].startswith("constant_errors")


def test_judges_are_calibrated_on_native_truth(small: dict[str, Any]) -> None:
    judges = small["calibration"]["judges"]
    assert list(judges) == JUDGES
    for place, judge in enumerate(JUDGES):
        said = [letters[place] for letters in ballots(EXACT)]
        right = sum(word == truth for word, truth in zip(said, native_truth(), strict=True))
        voted = sum(letter in VALID for letter in said)
        found = judges[judge]
        assert (found["accuracy"]["correct"], found["accuracy"]["voted"]) == (right, voted)
        assert found["coverage"] == pytest.approx(voted / 5)
        pairs = Counter(zip(native_truth(), said, strict=True))
        for row, truth in enumerate(VALID):
            counts = found["counts"][row]
            assert counts[:-1] == [pairs[truth, letter] for letter in VALID]
            silent = sum(n for (t, s), n in pairs.items() if t == truth and s not in VALID)
            assert counts[-1] == silent


def test_the_panel_is_calibrated_on_the_truth_after_inheritance(small: dict[str, Any]) -> None:
    # step by step: c as c, c as an error of no agreed category, m as m, i as i, c undecided
    found = small["calibration"]
    accuracy = found["panel"]["accuracy"]
    assert (accuracy["correct"], accuracy["voted"]) == (3, 3)
    assert found["panel"]["coverage"] == pytest.approx(3 / 5)
    assert {tier: (a["correct"], a["voted"]) for tier, a in found["by_tier"].items()} == {
        "gold": (1, 1),
        "silver": (2, 2),
    }


def test_premises_are_scored_on_exact_chains_and_averaged_over_chains(
    small: dict[str, Any],
) -> None:
    scores = []
    for made in EXACT:
        steps = range(len(made.truth))
        said = {(step, p) for step in steps for p in made.premises[step]}
        exact = {(step, p) for step in steps for p in made.exact_premises[step]}
        right = len(said & exact)
        scores.append((right / len(said), right / len(exact), 2 * right / (len(said) + len(exact))))
    precision, recall, f1 = (fmean(column) for column in zip(*scores, strict=True))
    expected = {"chains": 2, "precision": precision, "recall": recall, "f1": f1}
    assert small["premises"] == pytest.approx(expected)


def test_graphs_are_of_the_best_premises_by_polarity(small: dict[str, Any]) -> None:
    found = small["graphs"]["by_polarity"]
    assert {polarity: graphs["chains"] for polarity, graphs in found.items()} == {
        "negative": 2,
        "positive": 2,
        "synthetic_negative": 1,
        "undecided": 1,
    }
    exact = found["synthetic_negative"]
    assert [exact[name]["mean"] for name in ("nodes", "edges", "depth", "width")] == [4, 3, 3, 2]
    assert exact["branching"]["mean"] == pytest.approx(3 / 4)


def test_verdicts_compare_flags_with_the_correctness_of_chains_that_are_not_exact(
    small: dict[str, Any],
) -> None:
    # C (wrong), D (right), E (wrong); F is undecided and left out
    flags = {
        "program:arithmetic": (1, 0, 0),
        "program:provenance": (1, 0, 0),
        "program:reference": (1, 1, 0),
        "panel": (1, 0, 0),
    }
    assert sorted(small["chain_verdicts"]) == sorted(flags)
    for judge, (wrong, right, other_wrong) in flags.items():
        found = small["chain_verdicts"][judge]
        caught = wrong + other_wrong
        cells = [caught, 2 - caught, right, 1 - right]
        names = ["wrong_flagged", "wrong_clean", "right_flagged", "right_clean"]
        assert [found[name] for name in names] == cells
        assert found["chains"] == 3
        assert found["precision"] == float(Fraction(caught, caught + right))
        assert (found["recall"], found["specificity"]) == (caught / 2, 1 - right)
        assert found["accuracy"]["value"] == pytest.approx((caught + 1 - right) / 3)


def test_how_a_run_is_cut_into_blocks_changes_nothing() -> None:
    whole = statistics([tables(RUN)], a_recipe())
    assert statistics([tables(RUN[:2]), tables([]), tables(RUN[2:])], a_recipe()) == whole


def test_labels_count_in_whatever_order_they_come() -> None:
    shuffled = {table: list(reversed(rows)) for table, rows in tables(RUN).items()}
    shuffled["chains"].reverse()
    assert statistics([shuffled], a_recipe()) == statistics([tables(RUN)], a_recipe())


def test_a_run_without_judges_has_counts_and_graphs_alone() -> None:
    found = document(EXACT, [])
    assert sorted(found) == ["counts", "graphs", "premises", "track"]
    assert found["counts"]["disputed_because"] == {"incomplete": 5}


def test_a_run_without_exact_chains_has_no_calibration() -> None:
    found = document(RUN[2:])
    assert sorted(found) == ["agreement", "chain_verdicts", "counts", "graphs", "track"]


def test_a_run_of_exact_chains_has_no_verdicts() -> None:
    assert "chain_verdicts" not in document(EXACT)


def test_one_judge_has_a_calibration_and_nobody_to_agree_with() -> None:
    found = document(RUN, JUDGES[:1])
    assert "error_correlation" not in found
    assert found["agreement"]["unanimity"]["value"] is None
    assert found["agreement"]["unanimity"]["reason"].startswith("one_judge")
    assert list(found["calibration"]["judges"]) == JUDGES[:1]
    assert found["calibration"]["by_tier"] == {}
    assert found["counts"]["steps_by_tier"] == {"disputed": 12}


def test_chains_without_labels_are_left_out() -> None:
    rows = dict(tables(RUN))
    rows["chains"] = [*rows["chains"], of_model("unlabelled", 2, True)]
    assert statistics([rows], a_recipe()) == statistics([tables(RUN)], a_recipe())


@pytest.mark.parametrize("blocks", [0, 2])
def test_an_empty_run_has_counts_of_zero(blocks: int) -> None:
    found = statistics([tables([])] * blocks, a_recipe())
    assert json.loads(json.dumps(found)) == {
        "counts": {"chains": 0, "steps": 0},
        "graphs": {"by_polarity": {}},
    }


@settings(max_examples=40)
@given(st.lists(st.text("".join(SAYS), min_size=3, max_size=3), min_size=5, max_size=5))
def test_any_votes_give_a_document_that_adds_up(letters: list[str]) -> None:
    run = [
        Made(
            made.chain, letters[at : at + len(made.truth)], made.premises, made.truth, made.premises
        )
        for at, made in zip((0, 2), EXACT, strict=True)
    ]
    found = document(run, bootstrap=0)
    assert sum(found["counts"]["steps_by_tier"].values()) == 5
    for judge in found["calibration"]["judges"].values():
        assert sum(map(sum, judge["counts"])) == 5
    by_tier = found["calibration"]["by_tier"].values()
    assert (
        sum(tier["voted"] for tier in by_tier) == found["calibration"]["panel"]["accuracy"]["voted"]
    )

"""Genuine answers against their labels; skipped where the records are not at hand."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from chainwright.builders.final_answer import find_final_answer
from chainwright.builders.matching import match

pytestmark = pytest.mark.realdata

STILL_RIGHT = 5
"""Perturbed chains of PERL's MATH half whose released answer is the right one after all."""


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_perl_answers_agree_with_their_polarity(real_data: Path) -> None:
    verdicts: Counter[tuple[str, str]] = Counter()
    for path in sorted((real_data / "perl").glob("*/*.json")):
        for row in json.loads(path.read_text(encoding="utf-8")):
            given = str(row["model_answer"])
            found = match(row["ground_truth_answer"], given, question=row["question"])
            polarity = path.stem.partition("_")[2]
            verdicts[polarity, found.verdict] += 1
    assert verdicts == {
        ("positives", "equal"): 103,
        ("negatives", "different"): 101,
        ("positives_perturbed", "different"): 90 - STILL_RIGHT,
        ("positives_perturbed", "equal"): STILL_RIGHT,
    }


def test_gsm8k_model_solutions_agree_with_their_label(real_data: Path) -> None:
    agreement: Counter[tuple[bool, str]] = Counter()
    for row in lines(real_data / "gsm8k" / "example_model_solutions.660.jsonl"):
        gold = find_final_answer(row["ground_truth"]).answer or ""
        for solution in row.values():
            if isinstance(solution, dict):
                found = find_final_answer(solution["solution"])
                verdict = match(gold, found.answer or "", question=row["question"]).verdict
                agreement[solution["is_correct"], verdict] += 1
    assert agreement[True, "different"] == agreement[False, "equal"] == 0
    assert agreement[True, "undecided"] + agreement[False, "undecided"] <= 12


def test_every_math_solution_has_an_answer(real_data: Path) -> None:
    for row in lines(real_data / "math" / "test.300.jsonl"):
        answer = find_final_answer(row["solution"]).answer
        assert answer
        assert match(answer, f"The answer is ${answer}$.").verdict == "equal", answer
    for row in lines(real_data / "math" / "math500.10.jsonl"):
        assert find_final_answer(row["solution"]).answer == row["answer"]


def test_answers_in_prose(real_data: Path) -> None:
    stated = lines(real_data / "metamathqa" / "train.75.jsonl")
    for row in stated:
        answer = find_final_answer(row["response"]).answer or ""
        assert match(row["response"].rpartition("The answer is: ")[2], answer).verdict == "equal"
    prose = lines(real_data / "orca_math" / "train.75.jsonl")
    found = [find_final_answer(row["answer"], question=row["question"]) for row in prose]
    assert sum(one.answer is not None for one in found) == 61

"""Every rule on invented records: where it fires, and on which near neighbours it does not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from chainwright.audit.audit import Audit
from chainwright.audit.finding import RULES, SEVERITIES
from chainwright.formats.record import StatedLabel, StatedPremises, TextCopy
from tests.audit.corpora import QUESTION, STEPS, found, record, rules

MATH = "Mathematical_Error"
ACCUMULATION = "Accumulation_Error"


def test_a_clean_chain_has_no_findings() -> None:
    assert found(record()) == []
    wrong = {2: ["Logical_Inconsistency"], 3: [ACCUMULATION]}
    assert found(record(labels=wrong)) == []


def test_accumulation_needs_a_wrong_premise() -> None:
    (one,) = found(record(labels={1: ["Other"], 2: [ACCUMULATION]}, premises=[[0], [0], [0]]))
    assert (one.rule, one.step, one.severity) == ("accumulation_without_cause", 2, "error")
    assert (one.released, one.derived) == ((ACCUMULATION,), "correct")


def test_an_open_premise_accuses_nobody() -> None:
    chain = record(labels={2: [ACCUMULATION]})
    labels = (StatedLabel(1, None), *(chain.labels or ())[1:])
    assert "accumulation_without_cause" not in rules(replace(chain, labels=labels))
    assert "accumulation_without_cause" not in rules(replace(chain, premises=None))


def test_correct_steps_on_wrong_ones_and_further_down() -> None:
    steps = (*STEPS, "Step 4: So she keeps them.")
    chain = record(steps=steps, labels={1: ["Other"]}, premises=[[0], [1], [2], [0]])
    assert [(one.rule, one.step, one.derived) for one in found(chain)] == [
        ("correct_on_error", 2, "accumulation_error"),
        ("correct_downstream", 3, "accumulation_error"),
    ]


def test_polarity_and_labels_have_to_agree() -> None:
    assert "positive_with_error" in rules(record(labels={3: ["Other"]}, polarity="positive"))
    for polarity in ("negative", "synthetic_negative"):
        assert rules(record(polarity=polarity, answer="11")) == {"negative_without_error"}
    open_step = record(polarity="negative", answer="11")
    labels = (*(open_step.labels or ())[:2], StatedLabel(3, None))
    assert rules(replace(open_step, labels=labels)) == set()


def test_types_of_a_step() -> None:
    twice = found(record(labels={3: [MATH, "Other"]}))
    assert [(one.rule, one.layer) for one in twice] == [("several_types", "different types")]
    same = found(record(labels={3: ["Other", "Other"]}))
    assert [(one.rule, one.layer) for one in same] == [("several_types", "one type repeated")]
    assert "chain_type_on_step" in rules(record(labels={3: ["Missing_Steps"]}))
    assert "unknown_type" in rules(record(labels={3: ["Bad_Luck"]}))
    assert "unknown_type" not in rules(record(labels={3: ["bad_luck"]}, track="inference"))


@pytest.mark.parametrize(
    ("label", "fires"),
    [
        (StatedLabel(3, False, (), flag=False), False),
        (StatedLabel(3, True, ("Other",), flag=True), False),
        (StatedLabel(3, True, (), flag=True), True),
        (StatedLabel(3, False, ("Other",), flag=False), True),
        (StatedLabel(3, False, ("Other",)), True),
    ],
)
def test_flag_and_types(label: StatedLabel, fires: bool) -> None:
    chain = record()
    labels = (*(chain.labels or ())[:2], label)
    assert ("error_flag" in rules(replace(chain, labels=labels))) is fires


@pytest.mark.parametrize(
    ("stated", "wrong", "fires"),
    [
        (0, {}, False),
        (2, {2: ["Other"], 3: [ACCUMULATION]}, False),
        (1, {2: ["Other"], 3: [ACCUMULATION]}, True),
        (3, {2: ["Other"], 3: [ACCUMULATION]}, True),
        (0, {2: ["Other"], 3: [ACCUMULATION]}, True),
        (2, {}, True),
        (7, {}, True),
        (-3, {}, True),
    ],
)
def test_the_stated_first_error(
    stated: int, wrong: Mapping[int, Sequence[str]], fires: bool
) -> None:
    assert ("first_error" in rules(record(labels=wrong, first_error=stated))) is fires


@pytest.mark.parametrize(
    ("premises", "rule"),
    [
        ([[0], [0, 2], [2]], "premise_self"),
        ([[0], [0, 3], [2]], "premise_future"),
        ([[0], [0, 9], [2]], "premise_missing"),
        ([[0], [-1], [2]], "premise_missing"),
        ([[0], [0, 0], [2]], "premise_repeated"),
        ([[0], [], [2]], "no_premises"),
        ([[0], [1]], "step_count"),
        ([[0], [1], [2], [3]], "step_count"),
    ],
)
def test_premises_look_backwards(premises: list[list[int]], rule: str) -> None:
    assert rules(record(premises=premises)) == {rule}


def test_labels_are_one_for_each_step() -> None:
    chain = record()
    labels = chain.labels or ()
    for bad in (labels[:2], (*labels, StatedLabel(4, False)), (*labels, labels[0])):
        findings = found(replace(chain, labels=bad))
        assert [(one.rule, one.layer) for one in findings] == [("step_count", "labels")]
    question = (StatedPremises(0, (0,)), *(chain.premises or ()))
    assert found(replace(chain, premises=question)) == []


def test_copies_by_layer() -> None:
    texts = [(0, f"Problem: {QUESTION}"), (1, STEPS[0]), (2, STEPS[1].replace("10", "9"))]
    copies = tuple(TextCopy(step, text, f"/copies/{step}") for step, text in texts)
    question, step = found(record(copies=(*copies, TextCopy(8, "no such step", ""))))
    assert (question.rule, question.layer, question.severity) == ("question_copy", "prefix", "note")
    assert (step.rule, step.layer, step.severity) == ("step_copy", "numbers", "error")
    assert "= 10 are left" in step.message
    assert "= 9 are left" in step.message


def test_a_copy_of_another_step_is_told_apart() -> None:
    copy = TextCopy(2, STEPS[0].removeprefix("Step 1: "), "")
    (one,) = found(record(copies=(copy,)))
    assert (one.layer, one.severity) == ("other_step", "error")


def test_arithmetic_of_correct_steps() -> None:
    steps = ("Mia has 3 * 4 = 13 pens.", *STEPS[1:])
    (one,) = found(record(steps=steps))
    assert (one.rule, one.step, one.severity) == ("wrong_arithmetic", 1, "warning")
    assert "12, not 13" in one.message
    inherited = found(record(steps=steps, labels={1: [ACCUMULATION]}, premises=[[0], [0], [0]]))
    assert ("wrong_arithmetic", "in an accumulation error") in {
        (one.rule, one.layer) for one in inherited
    }
    assert "wrong_arithmetic" not in rules(record(steps=steps, labels={1: [MATH]}))


def test_arithmetic_by_other_rules_is_left_alone() -> None:
    steps = ("Mia has 3 * 4 = 13 pens.", *STEPS[1:])
    odd = "The operation a * b means a times b and one more. What is 3 * 4?"
    assert "wrong_arithmetic" not in rules(record(steps=steps, question=odd))


def test_a_carried_rounding_is_a_note() -> None:
    (one,) = found(record(steps=("That is 2 * 66.67 = 133.33.", *STEPS[1:])))
    assert (one.rule, one.severity) == ("wrong_arithmetic", "note")


def test_a_mathematical_error_without_a_wrong_equation() -> None:
    sound = {1: [MATH], 2: [ACCUMULATION], 3: [ACCUMULATION]}
    assert rules(record(labels=sound)) == {"sound_arithmetic"}
    wrong = ("Mia has 3 * 4 = 13 pens.", *STEPS[1:])
    assert rules(record(steps=wrong, labels=sound)) == set()
    wordless = ("Mia has many pens.", *STEPS[1:])
    assert rules(record(steps=wordless, labels=sound)) == set()


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"is_correct": False, "answer": "11"}, "correctness"),
        ({"answer": "11"}, "right_answer_differs"),
        ({"polarity": "negative", "labels": {3: ["Other"]}, "answer": "10"}, "wrong_answer_equal"),
        ({"solution": "3 * 4 - 2 = 11\n#### 11"}, "gold_answer"),
        ({"solution": "3 * 4 - 2 = 10\n#### 10"}, None),
        ({"final_answer": "12", "answer": "12"}, "answer_of_steps"),
        ({"final_answer": None}, None),
        ({"answer": None}, None),
        ({"answer": "10.0"}, None),
    ],
)
def test_answers_have_to_agree(more: dict[str, Any], rule: str | None) -> None:
    assert rules(record(**more)) == ({rule} if rule else set())


def test_numbers_in_prose_are_read_with_care() -> None:
    prose = (*STEPS[:2], "So when she had 12 she keeps 10 pens.")
    assert rules(record(steps=prose)) == set()
    formula = (*STEPS[:2], r"So it is $\frac{20}{2}$, not 3")
    assert rules(record(steps=formula)) == set()


def test_duplicates_within_and_across_files() -> None:
    first = record()
    again = record(row=2, steps=[step.partition(": ")[2] for step in STEPS])
    findings = [one for one in found(first, again) if one.rule == "duplicate_chain"]
    assert [(one.row, one.layer, one.other) for one in findings] == [
        (2, "within a file", "made.json:1")
    ]
    elsewhere = record(file="other.json", labels={3: ["Other"]}, answer="11")
    (one,) = [one for one in found(first, elsewhere) if one.rule.startswith("duplicate")]
    assert (one.rule, one.layer) == ("duplicate_conflict", "across files")
    other_steps = record(row=2, steps=("3 * 4 = 12", "12 - 2 = 10", "The answer is 10."))
    assert rules(first, other_steps) == {"repeated_question"}
    perturbed = replace(other_steps, polarity="synthetic_negative", labels=None)
    assert rules(first, perturbed) == set()
    assert rules(first, replace(again, twin=True)) == set()


def test_a_question_in_two_splits() -> None:
    first = record(split="train")
    steps = ("3 * 4 = 12", "12 - 2 = 10", "The answer is 10.")
    assert "split_leak" in rules(first, record(row=2, steps=steps, split="test", twin=True))
    assert "split_leak" not in rules(first, record(row=2, steps=steps, split="train"))


def test_faithfulness_labels_know_no_arithmetic() -> None:
    steps = ("The passage says 3 * 4 = 13.", *STEPS[1:])
    chain = record(steps=steps, labels={3: ["contradiction"]}, track="inference", answer=None)
    assert rules(replace(chain, polarity="positive")) == set()


def test_rules_can_be_chosen() -> None:
    bad = record(labels={3: ["Bad_Luck"]}, polarity="positive")
    assert {one.rule for one in Audit(["unknown_type"]).findings(bad)} == {"unknown_type"}
    with pytest.raises(ValueError, match="no rule 'colour'; there are: unreadable_record"):
        Audit(["colour"])


def test_every_rule_has_a_severity_and_a_meaning() -> None:
    assert all(rule.severity in SEVERITIES and len(rule.meaning) > 10 for rule in RULES.values())

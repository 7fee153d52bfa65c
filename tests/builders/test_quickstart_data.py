"""The quick-start corpus, checked by an evaluator that shares no code with the package."""

import ast
import json
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "chainwright" / "builders" / "data" / "quickstart.jsonl"
LINES = DATA.read_text(encoding="utf-8").splitlines()
ROWS: list[dict[str, str]] = [json.loads(line) for line in LINES]

MARK = re.compile(r"<<([^<>=]+)=([^<>=]+)>>")
NUMERAL = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
SIGNED_NUMERAL = re.compile(rf"-?{NUMERAL.pattern}")

OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
WORDS_BY_VALUE = {
    2: "half twice two",
    3: "three third thirds",
    4: "four quarter quarters",
    5: "fifth fifths",
    6: "sixth",
    12: "dozen",
}
WORDS = {word: value for value, words in WORDS_BY_VALUE.items() for word in words.split()}
UNITS = {"week": 7, "weeks": 7, "year": 12, "minute": 60, "minutes": 60, "hours": 60, "cents": 100}

row_by_row = pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))


def number(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def literals_and_value(expression: str) -> tuple[list[Fraction], Fraction]:
    """Return the operands, signs included, in reading order, and the exact value."""
    literals: list[Fraction] = []

    def value(node: ast.expr) -> Fraction:
        match node:
            case ast.BinOp(left, operation, right) if type(operation) in OPERATIONS:
                first = value(left)
                return OPERATIONS[type(operation)](first, value(right))
            case ast.UnaryOp(ast.USub(), ast.Constant() as constant):
                literals.append(-Fraction(ast.get_source_segment(expression, constant) or ""))
                return literals[-1]
            case ast.Constant(int() | float()):
                # The source text, not the parsed float, so that 0.1 stays exactly a tenth.
                literals.append(Fraction(ast.get_source_segment(expression, node) or ""))
                return literals[-1]
        raise ValueError(f"{ast.dump(node)} in {expression!r}; allowed: numbers, + - * / ( )")

    return literals, value(ast.parse(expression, mode="eval").body)


def marks(answer: str) -> list[tuple[str, Fraction]]:
    return [(left, number(right)) for left, right in MARK.findall(answer)]


def numbers_in(question: str) -> list[Fraction]:
    words = re.findall(r"[a-z]+", question.lower())
    numerals = [number(text) for text in NUMERAL.findall(question)]
    return numerals + [Fraction(WORDS[word]) for word in words if word in WORDS]


def constants_of(question: str) -> set[Fraction]:
    """Return what the question's units bring in: 7 for weeks, 100 and p/100 for p%."""
    words = re.findall(r"[a-z]+", question.lower())
    units = {Fraction(UNITS[word]) for word in words if word in UNITS}
    percents = {number(text) for text in re.findall(r"([\d.]+)%", question)}
    if percents:
        units |= {Fraction(100), *(percent / 100 for percent in percents)}
    return units


def is_unambiguous(row: dict[str, str]) -> bool:
    """Tell whether every value, given or computed, turns up only once."""
    given = [*numbers_in(row["question"]), *constants_of(row["question"])]
    values = given + [result for _, result in marks(row["answer"])]
    return len(set(values)) == len(values)


def test_sixty_rows_with_unique_questions() -> None:
    assert len(ROWS) == 60
    assert len({row["question"] for row in ROWS}) == 60


def test_fifty_rows_leave_no_doubt_about_an_operand_and_ten_do() -> None:
    assert sum(is_unambiguous(row) for row in ROWS) == 50


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_line_is_plain_utf8_json_with_exactly_two_keys(line: str) -> None:
    row = json.loads(line)
    assert list(row) == ["question", "answer"]
    assert json.dumps(row, ensure_ascii=False) == line


@row_by_row
def test_two_to_eight_steps_and_one_final_line(row: dict[str, str]) -> None:
    *steps, final = row["answer"].split("\n")
    assert 2 <= len(steps) <= 8
    assert 2 <= len(marks(row["answer"])) <= 8
    assert all(step.strip() == step != "" for step in steps)
    assert re.fullmatch(rf"#### {SIGNED_NUMERAL.pattern}", final)
    assert row["answer"].count("####") == 1


@row_by_row
def test_every_mark_is_well_formed_and_exact(row: dict[str, str]) -> None:
    found = marks(row["answer"])
    assert len(found) == row["answer"].count("<<") == row["answer"].count(">>")
    for expression, result in found:
        assert literals_and_value(expression)[1] == result, expression


@row_by_row
def test_prose_after_a_mark_repeats_its_result(row: dict[str, str]) -> None:
    for mark in MARK.finditer(row["answer"]):
        shown = SIGNED_NUMERAL.match(row["answer"], mark.end())
        assert shown is not None, mark.group()
        assert number(shown.group()) == number(mark.group(2)), mark.group()


@row_by_row
def test_last_result_is_the_final_answer(row: dict[str, str]) -> None:
    final = row["answer"].rpartition("#### ")[2]
    assert marks(row["answer"])[-1][1] == number(final)


@row_by_row
def test_every_operand_comes_from_the_question_or_an_earlier_mark(row: dict[str, str]) -> None:
    known = {*numbers_in(row["question"]), *constants_of(row["question"])}
    for expression, result in marks(row["answer"]):
        unknown = set(literals_and_value(expression)[0]) - known
        assert not unknown, f"{expression}: {sorted(map(str, unknown))}"
        known.add(result)


@row_by_row
def test_every_result_but_the_last_is_used_later(row: dict[str, str]) -> None:
    found = marks(row["answer"])
    for position, (_, result) in enumerate(found[:-1]):
        later = [literals_and_value(expression)[0] for expression, _ in found[position + 1 :]]
        assert any(result in operands for operands in later), result


@pytest.mark.parametrize("expression", ["2**3", "abs(1)", "x+1", "7//2", "True+1", "'4'*2"])
def test_evaluator_refuses_what_no_mark_may_hold(expression: str) -> None:
    with pytest.raises(ValueError):
        literals_and_value(expression)


def test_evaluator_is_exact_and_keeps_signs() -> None:
    assert literals_and_value("-8-(5+0.1)*3") == (
        [Fraction(-8), Fraction(5), Fraction(1, 10), Fraction(3)],
        Fraction(-233, 10),
    )

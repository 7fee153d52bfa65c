from typing import Any

import pytest

from chainwright.annotation.models.judge import ModelJudge
from chainwright.llm.uri import parse_model_uri
from chainwright.schemas.words import ERROR_TYPES
from tests.annotation.scripted_asker import MODEL


@pytest.mark.parametrize(
    ("error", "premises", "name"),
    [
        ("full_context", None, "compat:tiny#full_context"),
        ("full_context", "per_step", "compat:tiny#full_context+per_step"),
        ("premise_conditioned", "dyadic", "compat:tiny#premise_conditioned+dyadic"),
        ("one_pass", None, "compat:tiny#one_pass"),
        (None, "per_chain", "compat:tiny#per_chain"),
    ],
)
def test_a_name_holds_the_model_and_its_methods(error: Any, premises: Any, name: str) -> None:
    assert ModelJudge(MODEL, error, premises).name == name


def test_neither_the_place_nor_the_settings_change_the_name() -> None:
    elsewhere = parse_model_uri("compat:tiny@http://gpu7.lan:9000/v1")
    judge = ModelJudge(MODEL, "full_context")
    other = ModelJudge(elsewhere, "full_context", temperature=1, max_tokens=9, seed=5)
    assert judge.name == other.name


@pytest.mark.parametrize(
    ("error", "premises", "fault"),
    [
        (None, None, "found no method for `compat:tiny"),
        ("one_pass", "per_step", "found premises: per_step beside error: one_pass"),
        ("guess", None, "found error: `guess`, expected one of full_context, premise_conditioned"),
        (None, "all", "found premises: `all`, expected one of per_step, per_chain, dyadic"),
    ],
)
def test_a_judge_without_sense_is_refused(error: Any, premises: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        ModelJudge(MODEL, error, premises)


def test_a_program_is_no_model_judge() -> None:
    with pytest.raises(ValueError, match="found `program:arithmetic`, a program, expected a model"):
        ModelJudge(parse_model_uri("program:arithmetic"), "full_context")


def test_an_order_is_stable_and_differs_between_judges_and_seeds() -> None:
    judges = [
        ModelJudge(parse_model_uri(f"openai:model-{number}"), "full_context", seed=seed)
        for number in range(8)
        for seed in range(8)
    ]
    orders = [judge.shuffled(ERROR_TYPES) for judge in judges]
    assert orders == [judge.shuffled(reversed(ERROR_TYPES)) for judge in judges]
    assert all(sorted(order) == sorted(ERROR_TYPES) for order in orders)
    assert {order[0] for order in orders} == set(ERROR_TYPES)
    assert len({judge.shuffled(ERROR_TYPES) for judge in judges[:8]}) > 1
    assert len({judge.shuffled(ERROR_TYPES) for judge in judges[::8]}) > 1

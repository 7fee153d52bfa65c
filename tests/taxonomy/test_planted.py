import pytest
from pydantic import ValidationError

from benchmarks.planted_critiques import GROUNDING, INFERENCE, planted_critiques
from chainwright.schemas.critique import Critique


def test_the_same_seed_gives_the_same_critiques_and_more_begin_like_fewer() -> None:
    assert planted_critiques(30)[:10] == planted_critiques(10)
    assert planted_critiques(10, seed=1) != planted_critiques(10)


def test_they_are_critiques_of_eight_mechanisms_and_hardly_repeat() -> None:
    planted = planted_critiques(1500)
    for each in planted:
        row = each.row()
        for key in ("source", "track", "generator"):
            del row[key]
        Critique.model_validate(row)
        assert not set("[]{}|") & set(each.description), each.description
    assert {each.mechanism for each in planted} == {*INFERENCE, *GROUNDING, None}
    assert len({each.description for each in planted}) > 1450


def test_a_critique_with_a_source_is_no_bare_record() -> None:
    with pytest.raises(ValidationError):
        Critique.model_validate(planted_critiques(1)[0].row())

"""Model use: what a ledger says was asked, as a release tells it."""

from __future__ import annotations

from pathlib import Path

from chainwright.llm.ledger import Ledger
from chainwright.llm.request import Answer, Message, Request, Usage
from chainwright.llm.request_key import key_request
from chainwright.llm.uri import ModelUri
from chainwright.pipeline.model_use import models_asked


def test_answers_are_summed_by_model_without_its_address(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with Ledger(path) as ledger:
        for place, name, cost in (
            ("http://gpu7.lan:8000/v1", "qwen", 0.25),
            ("http://gpu8.lan:8000/v1", "qwen", None),
            ("http://gpu8.lan:8000/v1", "other", 0.5),
        ):
            uri = ModelUri("compat", name, place)
            one = key_request(Request(uri, (Message("user", f"{place} {cost}"),)), None)
            ledger.put(one, Answer(one.key, "ok", "42", "stop", Usage(10, 4, 2), cost)).result()
    other, qwen = models_asked(path)
    assert (other.model, qwen.model) == ("compat:other", "compat:qwen")
    assert (qwen.answers, qwen.refused, qwen.input_tokens, qwen.output_tokens) == (2, 0, 20, 4)
    assert (qwen.usd, qwen.unpriced) == (0.25, 1)
    assert qwen.first <= qwen.last
    assert len(qwen.first) == len("2026-01-31")


def test_no_ledger_is_no_model(tmp_path: Path) -> None:
    assert models_asked(tmp_path / "ledger.sqlite") == []
    assert not (tmp_path / "ledger.sqlite").exists()

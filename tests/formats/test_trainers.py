"""Rows for TRL's trainers train a tiny model, where TRL is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.exporting import export
from tests.tiny_model import tiny_model

RECIPE = """\
name: small
sources: [{kind: gsm8k, path: "builtin:quickstart", limit: 6}]
negatives: {exact: {per_problem: 1}}
annotation: {bootstrap: 0}
"""


@pytest.mark.parametrize("name", ["dpo", "chat_all", "chat_sbs", "chat_bin"])
def test_trl_trains_on_what_is_exported(tmp_path: Path, name: str) -> None:
    trl = pytest.importorskip("trl")
    datasets = pytest.importorskip("datasets")
    (tmp_path / "small.yaml").write_text(RECIPE, encoding="utf-8")
    built = build(tmp_path / "small.yaml", tmp_path / "runs", quiet=True)
    out = tmp_path / f"{name}.jsonl"
    export(str(built.folder), tmp_path / "runs", name, out, None)
    rows = datasets.load_dataset("json", data_files=str(out), split="train").select(range(2))
    model, tokenizer = tiny_model()
    given: dict[str, Any] = {
        "output_dir": str(tmp_path / "out"),
        "per_device_train_batch_size": 2,
        "max_steps": 1,
        "logging_steps": 1,
        "report_to": [],
        "use_cpu": True,
        "bf16": False,
        "save_strategy": "no",
        "disable_tqdm": True,
    }
    if name == "dpo":
        other, _ = tiny_model()
        more, trainer, settings = {"ref_model": other}, trl.DPOTrainer, trl.DPOConfig(**given)
    else:
        more, trainer = {}, trl.SFTTrainer
        settings = trl.SFTConfig(max_length=8_192, **given)
    started = trainer(
        model=model, processing_class=tokenizer, train_dataset=rows, args=settings, **more
    )
    started.train()
    assert [one["loss"] for one in started.state.log_history if "loss" in one]

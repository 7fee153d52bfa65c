"""A build over labelled chains: what is published stands in a table of its own."""

from __future__ import annotations

import json
from pathlib import Path

from chainwright.pipeline.build import build
from chainwright.pipeline.tables import iter_table
from chainwright.pipeline.validation.validate import validate
from chainwright.schemas.chain import Chain
from chainwright.schemas.published import PublishedLabel
from tests.pipeline.small_line import small_line, write_recipe_over


def test_published_labels_are_kept_block_by_block_beside_derived_ones(tmp_path: Path) -> None:
    rows = [
        {
            "prompt": f"What is {number} + 1?",
            "completions": [f"{number} + 1 = {number + 1}.", "Done."],
            "labels": [True, number % 2 == 0],
        }
        for number in range(7)
    ]
    sources = [{"kind": "labelled", "format": "trl", "path": "rows.jsonl"}]
    recipe = write_recipe_over(tmp_path, rows, sources=sources)
    summary = build(recipe, tmp_path / "runs", quiet=True, line=small_line())
    folder = tmp_path / "runs" / "small"
    labels = list(iter_table(folder, "published", PublishedLabel))
    known = {chain.chain_id for chain in iter_table(folder, "chains", Chain)}
    assert len(labels) == 14
    assert {label.chain_id for label in labels} <= known
    assert [json.loads(label.verbatim or "") for label in labels if label.step == 1] == [True] * 7
    assert summary.blocks == len(list(folder.glob("problems/published-*.parquet"))) == 3
    assert validate(folder).ok

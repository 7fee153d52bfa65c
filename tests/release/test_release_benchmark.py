"""The benchmark's rows are rows of a release: it measures nothing where they have drifted apart."""

from __future__ import annotations

from pathlib import Path

from benchmarks.release_parquet import CONFIGS, JUDGES, STEPS, ours, rows_of
from chainwright.release.parquet import CONFIGS as RECORDS


def test_the_rows_are_those_of_the_configs(tmp_path: Path) -> None:
    for config in CONFIGS:
        for row in rows_of(config, 2):
            assert set(RECORDS[config].model_validate(row).model_dump()) == set(row)
    assert len(list(rows_of("votes", 2))) == 2 * STEPS * len(JUDGES)
    ours(tmp_path, 2)
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == sorted(CONFIGS)

"""Dataset info: features and sizes of each config, as `datasets` and the Hub's viewer read them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from chainwright.release.parquet import ALL_CONFIGS
from chainwright.release.splits import SPLITS


def dataset_info(folder: Path) -> list[dict[str, Any]]:
    """The card's `dataset_info`: for each config with rows its features, splits and sizes.

    All of it is read from the parquet files themselves: rows and uncompressed bytes from their
    footers, `download_size` from the disk.

    Args:
        folder: The release.
    """
    import pyarrow.parquet as pq

    found = []
    for config in ALL_CONFIGS:
        splits: dict[str, dict[str, int]] = defaultdict(lambda: {"num_bytes": 0, "num_examples": 0})
        download, schema = 0, None
        for path in sorted((folder / "data" / config).glob("*.parquet")):
            with pq.ParquetFile(path) as file:
                schema = file.schema_arrow
                groups = [file.metadata.row_group(n) for n in range(file.metadata.num_row_groups)]
            size = splits[path.name.split("-")[0]]
            size["num_examples"] += sum(group.num_rows for group in groups)
            size["num_bytes"] += sum(group.total_byte_size for group in groups)
            download += path.stat().st_size
        if schema is not None:
            found.append(
                {
                    "config_name": config,
                    "features": [_feature(field.name, field.type) for field in schema],
                    "splits": [{"name": one, **splits[one]} for one in SPLITS if one in splits],
                    "download_size": download,
                    "dataset_size": sum(one["num_bytes"] for one in splits.values()),
                }
            )
    return found


def _feature(name: str, kind: Any) -> dict[str, Any]:
    """A column in the terms of `datasets`: `dtype`, `list` or `struct`."""
    return {"name": name, **_described(kind)}


def _described(kind: Any) -> dict[str, Any]:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return {"struct": [_feature(field.name, field.type) for field in kind]}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = _described(kind.value_type)
        return {"list": inner.get("dtype") or inner.get("struct") or inner}
    return {"dtype": {"bool": "bool", "double": "float64"}.get(str(kind), str(kind))}

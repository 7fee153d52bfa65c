"""Manifest: what made a release, and the other files that describe it to machines."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from chainwright import __version__
from chainwright.release.dossier import Dossier
from chainwright.release.folder import FORMAT
from chainwright.release.parquet import ALL_CONFIGS, FULL
from chainwright.release.summary import ReleaseSummary, StageCounts, counts_of
from chainwright.schemas.identity import content_hash
from chainwright.schemas.json_schema import json_schema
from chainwright.schemas.withheld import PREFIX

_SCHEMAS = {
    "chains": "released_chains",
    FULL: "released_chains",
    f"{PREFIX}{FULL}": f"{PREFIX}chains",
}
"""Where the schema of a config's rows has another name than the config."""


def manifest_of(
    recipe: Mapping[str, Any],
    summary: ReleaseSummary,
    stages: Sequence[StageCounts],
    dossier: Dossier,
) -> dict[str, Any]:
    """What made the release, without a word on where, when or by whom."""
    return {
        "format": FORMAT,
        "format_version": 1,
        "name": recipe["name"],
        "version": recipe["release"].get("version"),
        "versions": {
            "python": platform.python_version(),
            "chainwright": __version__,
            **{library: version(library) for library in ("pyarrow", "pydantic")},
        },
        "recipe_sha256": content_hash(recipe),
        "seeds": {
            "recipe": recipe["seed"],
            "sources": {
                one.get("name", one["kind"]): one.get("seed", recipe["seed"])
                for one in recipe["sources"]
            },
        },
        "configs": {
            config: summary.counts[config] for config in ALL_CONFIGS if config in summary.counts
        },
        **({"selection": summary.selection} if summary.selection is not None else {}),
        "perl": summary.perl,
        **dossier.made_with(),
        "near_duplicates": dossier.near.as_json() if dossier.near else None,
        "contamination": [one.as_json() for one in dossier.contamination],
        "stages": counts_of(stages),
        "files": [vars(file) for file in summary.files],
    }


def write_schemas(folder: Path, summary: ReleaseSummary) -> None:
    """The JSON Schema of a row of each config, as `schema/CONFIG.schema.json`."""
    folder.mkdir()
    for config in summary.counts:
        write_text(
            folder / f"{config}.schema.json", as_json(json_schema(_SCHEMAS.get(config, config)))
        )


def as_json(value: Mapping[str, Any]) -> str:
    """Plain values as a JSON document."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def as_yaml(value: Mapping[str, Any]) -> str:
    """Plain values as a YAML document, keys in their order."""
    import yaml

    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True)


def write_text(path: Path, text: str) -> None:
    """Writes a text with the same line ends everywhere."""
    path.write_text(text, encoding="utf-8", newline="\n")

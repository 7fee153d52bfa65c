"""Metadata: the head of a dataset card, which the Hub and `datasets` read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chainwright.release.licences import licence_metadata
from chainwright.release.markdown import one_line
from chainwright.release.summary import ReleaseSummary
from chainwright.release.tally import Tally

_TAGS = ("chainwright", "chain-of-thought", "process-supervision", "reasoning", "step-level-labels")
_TRACK_TAGS = {"math": "math", "inference": "faithfulness", "grounding": "faithfulness"}
_PEOPLE = {"experts": "expert-generated", "crowd": "crowdsourced", None: "other"}
"""The Hub's word for people, by what the recipe says of them."""
_POWERS = ("1K", "10K", "100K", "1M", "10M", "100M", "1B")


def card_metadata(
    recipe: Mapping[str, Any], summary: ReleaseSummary, tally: Tally
) -> dict[str, Any]:
    """The card's metadata as plain values, ready for `yaml.safe_dump`.

    Args:
        recipe: The recipe as published.
        summary: Counts of the release; configs and splits without rows are not declared.
        tally: Counts over its rows.
    """
    licences = {one_line(source): list(counts) for source, counts in tally.licences.items()}
    stated = licence_metadata(licences, recipe["release"].get("licence"))
    tracks = sorted({_TRACK_TAGS[track] for track in tally.tracks if track in _TRACK_TAGS})
    chains = summary.rows("chains")
    return {
        "pretty_name": title_of(recipe),
        "language": ["en"],
        "multilinguality": ["monolingual"],
        "language_creators": _language_creators(tally),
        **{key: one_line(value) for key, value in stated.items()},
        "annotations_creators": annotations_creators(recipe, tally),
        "task_categories": ["text-classification", "text-generation"],
        "size_categories": [size_category(chains)],
        "source_datasets": source_datasets(recipe),
        "tags": [*_TAGS, *tracks],
        "configs": [
            {
                "config_name": config,
                **({"default": True} if config == "chains" else {}),
                "data_files": [
                    {"split": split, "path": f"data/{config}/{split}-*.parquet"} for split in splits
                ],
            }
            for config, splits in summary.counts.items()
        ],
    }


def _language_creators(tally: Tally) -> list[str]:
    """Who wrote the texts: they were found, and made by machines where chains are no source's."""
    machines = any(origin != "reference" for origin, _ in tally.chains["origin"])
    return ["found", *(["machine-generated"] if machines else [])]


def annotations_creators(recipe: Mapping[str, Any], tally: Tally) -> list[str]:
    """Who made the labels and votes of a release, in the Hub's words.

    Where people labelled steps and the recipe does not say who they are, they are `other`: they
    were neither a machine nor, as far as is known, experts or a crowd.
    """
    sources = {source for source, _ in tally.steps["label_source"]}
    people = [_PEOPLE[recipe["release"].get("people")]] if "human" in sources else []
    machines = ["machine-generated"] if sources - {"human"} or tally.judges or not people else []
    return [*people, *machines]


def title_of(recipe: Mapping[str, Any]) -> str:
    """The release's title on one line; the recipe's name where it has none."""
    return one_line(recipe["release"].get("title") or "") or str(recipe["name"])


def size_category(rows: int) -> str:
    """The Hub's word for a number of rows.

    Example:
        >>> size_category(999), size_category(1_000), size_category(160_000)
        ('n<1K', '1K<n<10K', '100K<n<1M')
    """
    if rows < 1_000:
        return "n<1K"
    power = len(str(rows)) - 4
    if power >= len(_POWERS) - 1:
        return f"n>{_POWERS[-1]}"
    return f"{_POWERS[power]}<n<{_POWERS[power + 1]}"


def source_datasets(recipe: Mapping[str, Any]) -> list[str]:
    """Where the problems come from, in the Hub's terms: repositories, `original` or `extended`."""
    found = set()
    for source in recipe["sources"]:
        if source.get("hub"):
            found.add(one_line(source["hub"]))
        elif source.get("path", "").startswith("builtin:"):
            found.add("original")
        else:
            found.add(f"extended|other-{source.get('name') or source['kind']}")
    return sorted(found)

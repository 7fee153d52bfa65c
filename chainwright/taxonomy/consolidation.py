"""Consolidation: clusters that share a mechanism become one category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chainwright.llm.prompts import render
from chainwright.llm.request import Asker, Message, Request, Schema
from chainwright.llm.structured import ask_structured
from chainwright.llm.uri import ModelUri
from chainwright.taxonomy.extra import load
from chainwright.taxonomy.naming import Named, distinct, refuse_echo, tidy_name
from chainwright.taxonomy.portraits import Portrait

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

MOST_CATEGORIES = 12
"""The most that are looked for where no number is given."""

BY_CENTROIDS = "centroids"

_SAID = {"type": "string", "minLength": 1}
MERGED = Schema(
    "categories",
    {
        "type": "object",
        "properties": {
            "categories": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "mechanism": _SAID,
                        "name": _SAID,
                        "definition": _SAID,
                        "clusters": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
                    },
                    "required": ["mechanism", "name", "definition", "clusters"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["categories"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True)
class Proposal:
    """A category as proposed, for a person to change."""

    name: str
    definition: str
    clusters: list[int]


@dataclass(frozen=True)
class Consolidation:
    """Proposed categories, by size.

    Attributes:
        by: The model that proposed them, or `centroids`.
        fault: Why a model was asked and proposed none; None otherwise.
    """

    proposals: list[Proposal]
    by: str = BY_CENTROIDS
    fault: str | None = None


def merge_by_centroids(
    portraits: Sequence[Portrait],
    names: Sequence[Named],
    centres: Vectors,
    wanted: int | None = None,
) -> Consolidation:
    """Categories of clusters whose centroids are close, by average linkage over the cosine.

    A category takes the name and the definition of its largest cluster.

    Args:
        wanted: How many categories; by default as many as give the best silhouette, 12 at most.
    """
    sizes = [portrait.critiques for portrait in portraits]
    proposals = []
    for clusters in _groups(centres, wanted):
        clusters.sort(key=lambda number: (-sizes[number], number))
        head = names[clusters[0]]
        proposals.append(Proposal(head.name, head.definition, clusters))
    return Consolidation(_by_size(proposals, sizes))


async def merge_by_model(
    portraits: Sequence[Portrait],
    names: Sequence[Named],
    centres: Vectors,
    asker: Asker,
    model: ModelUri,
    wanted: int | None = None,
) -> Consolidation:
    """Categories as a model proposes them; by the centroids where it proposes nothing usable.

    Raises:
        ModelUnavailable: when no request to the model can succeed.
    """
    groups = [
        {
            "cluster": portrait.cluster,
            "critiques": portrait.critiques,
            "text": f"{named.name}: {named.definition}\ntags: "
            + ", ".join(tag for tag, _ in portrait.tags[:5]),
        }
        for portrait, named in zip(portraits, names, strict=True)
    ]
    instructions = render("taxonomy_merge", part="system", wanted=wanted)
    request = Request(
        model,
        [
            Message("system", instructions),
            Message("user", render("taxonomy_merge", part="user", groups=groups)),
        ],
        schema=MERGED,
        temperature=0.0,
        max_tokens=min(16_000, 2000 + 60 * len(groups)),
    )
    answer = await ask_structured(asker, request, _reader(len(portraits), instructions), reasks=2)
    if answer.value is None:
        spare = merge_by_centroids(portraits, names, centres, wanted)
        return Consolidation(spare.proposals, spare.by, f"{answer.status}: {answer.fault}")
    sizes = [portrait.critiques for portrait in portraits]
    return Consolidation(_by_size(answer.value, sizes), str(model))


def _groups(centres: Vectors, wanted: int | None) -> list[list[int]]:
    count = len(centres)
    if count <= 2 or (wanted is not None and wanted >= count):
        return [[number] for number in range(count)]
    hierarchy = load("scipy.cluster.hierarchy")
    load("sklearn.metrics")
    import numpy as np

    tree = hierarchy.linkage(np.asarray(centres, np.float64), "average", metric="cosine")
    best = wanted or _best_count(tree, centres)
    found = hierarchy.cut_tree(tree, best).ravel()
    groups: dict[int, list[int]] = {}
    for number, group in enumerate(found):
        groups.setdefault(int(group), []).append(number)
    return list(groups.values())


def _best_count(tree: Any, centres: Vectors) -> int:
    """The number of groups with the best silhouette; of equal ones the larger."""
    hierarchy, metrics = load("scipy.cluster.hierarchy"), load("sklearn.metrics")
    scores = {}
    for count in range(2, min(MOST_CATEGORIES, len(centres) - 1) + 1):
        found = hierarchy.cut_tree(tree, count).ravel()
        if len(set(found)) > 1:
            scores[count] = round(metrics.silhouette_score(centres, found, metric="cosine"), 6)
    return max(scores, key=lambda count: (scores[count], count), default=1)


def _by_size(proposals: Sequence[Proposal], sizes: Sequence[int]) -> list[Proposal]:
    return sorted(
        proposals,
        key=lambda each: (-sum(sizes[number] for number in each.clusters), each.clusters[0]),
    )


def _reader(count: int, instructions: str) -> Callable[[Any], list[Proposal]]:
    def read(said: Any) -> list[Proposal]:
        listed = said.get("categories") if isinstance(said, dict) else None
        if not isinstance(listed, list) or not listed:
            raise ValueError("expected `categories`, a list that is not empty")
        taken: set[str] = set()
        made = []
        for each in listed:
            proposal = _proposal(each)
            for text in (each["name"], proposal.definition):
                refuse_echo(text, instructions)
            name = distinct(proposal.name, taken)
            taken.add(name)
            made.append(Proposal(name, proposal.definition, proposal.clusters))
        placed = Counter(number for proposal in made for number in proposal.clusters)
        faults = [f"{number} has none" for number in range(count) if number not in placed]
        faults += [f"{number} has {times}" for number, times in placed.items() if times > 1]
        faults += [f"there is no {number}" for number in placed if not 0 <= number < count]
        if faults:
            raise ValueError(
                f"each group from 0 to {count - 1} needs exactly one category: "
                + "; ".join(faults[:20])
            )
        return made

    return read


def _proposal(said: Any) -> Proposal:
    if not isinstance(said, dict):
        raise ValueError("expected each category to be a JSON object")  # noqa: TRY004  # re-asked
    name, definition, clusters = said.get("name"), said.get("definition"), said.get("clusters")
    if not isinstance(name, str) or not isinstance(definition, str) or not definition.strip():
        raise ValueError("expected `name` and `definition` in each category, both not empty")
    if not isinstance(clusters, list) or not clusters:
        raise ValueError(f"expected `clusters` of {name!r} to be a list that is not empty")
    if any(not isinstance(number, int) or isinstance(number, bool) for number in clusters):
        raise ValueError(f"expected `clusters` of {name!r} to hold whole numbers only")
    return Proposal(tidy_name(name), " ".join(definition.split()), sorted(clusters))

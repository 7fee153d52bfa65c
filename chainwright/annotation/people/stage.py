"""The stage that brings people's answers into the tables of a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from chainwright.annotation.people.questionnaire import questionnaires
from chainwright.annotation.people.records import Key
from chainwright.annotation.people.settling import settle
from chainwright.annotation.people.shown import shown
from chainwright.schemas.human import HumanLabel, HumanRecord
from chainwright.schemas.identity import content_hash
from chainwright.schemas.reject import Reject
from chainwright.stage import Batch, Stage, Tables

if TYPE_CHECKING:
    from chainwright.recipe import Recipe

NAME = "people"


def people_stage(standing: Mapping[Key, HumanRecord]) -> Stage:
    """The stage for the answers that stand; without any the line goes on without it.

    Answers on chains that the run no longer has are in no block, and so count nowhere. Rejected
    are those on a chain that was shown otherwise (`content_changed`) and those whose category the
    recipe has no longer (`category_gone`).
    """
    settled: dict[str, list[HumanLabel]] = {}
    for (chain_id, _), label in settle(standing).items():
        settled.setdefault(chain_id, []).append(label)
    seen = {record.chain_id: record.content_hash for record in standing.values()}
    digest = content_hash(
        [label.model_dump(mode="json") for labels in settled.values() for label in labels],
        sorted(seen.items()),
    )

    def settings(recipe: Recipe) -> Any:
        return [digest, recipe.annotation.taxonomy.taxonomies()]

    return Stage(
        name=NAME,
        reads=("problems", "chains"),
        writes=("human_labels",),
        settings=settings,
        process=partial(_human_labels, settled, seen),
        wing="chainwright.annotation",
        wanted=lambda recipe: bool(settled),
    )


def _human_labels(
    settled: Mapping[str, list[HumanLabel]], seen: Mapping[str, str], recipe: Recipe, tables: Tables
) -> Batch:
    problems = {problem.problem_id: problem for problem in tables["problems"]}
    known = questionnaires(recipe.annotation.taxonomy.taxonomies())
    batch = Batch(rows={"human_labels": []})
    for chain in tables["chains"]:
        labels = settled.get(chain.chain_id, [])
        batch.taken["human_labels"] += len(labels)
        if not labels:
            continue
        problem = problems[chain.problem_id]
        unchanged = shown(problem, chain).content_hash == seen[chain.chain_id]
        for label in labels:
            if not unchanged:
                why = "content_changed", "the chain was shown otherwise than it is now"
                batch.rejects.append(_reject(label, *why))
            elif label.category not in (None, *known[problem.track].categories):
                there = ", ".join(known[problem.track].categories)
                why = "category_gone", f"found `{label.category}`, the recipe has {there}"
                batch.rejects.append(_reject(label, *why))
            else:
                batch.rows["human_labels"].append(label)
    return batch


def _reject(label: HumanLabel, reason: str, detail: str) -> Reject:
    return Reject(
        stage=NAME,
        table="human_labels",
        item=f"{label.chain_id}/{label.step}",
        reason=reason,
        detail=detail,
        payload=label.model_dump_json(),
    )

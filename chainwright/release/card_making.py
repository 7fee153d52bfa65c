"""Card, making: what a recipe had made, and by whom, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from chainwright.llm.prompts import prompt_names, prompt_version
from chainwright.release.markdown import code
from chainwright.release.redaction import public_model
from chainwright.release.tally import LAST, ONLY, Tally

PROGRAMS: Mapping[str, str] = {
    "program:arithmetic": "recomputes the equations of a step, and abstains where there are none",
    "program:provenance": "asks where each number of a step comes from, and names its premises; "
    "it does not compute",
    "program:reference": "compares what a step derives with what the source's own solution derives",
}
"""What each program that judges looks at."""

_AGGREGATES = {
    "majority": "by the strict majority of the panel",
    "calibrated": "by votes weighed by how each judge does on exact labels",
    "dawid_skene": "by votes weighed by the model of Dawid and Skene (1979)",
}


def making(recipe: Mapping[str, Any]) -> list[Markup]:
    """One sentence or two on each of chains, negatives, judges and labels.

    Args:
        recipe: The recipe as published.
    """
    return [
        Markup("**Chains**: ") + Markup("; ").join(_chains(recipe["chains"])) + Markup("."),
        Markup("**Broken on purpose**: ") + _negatives(recipe["negatives"]) + Markup("."),
        Markup("**Judges**: ") + _judges(recipe["annotation"]) + Markup("."),
    ]


def program_lines(judges: Sequence[str]) -> list[Markup]:
    """For each judge that is a program of ours what it looks at."""
    return [
        code(judge) + Markup(f" {PROGRAMS[judge]}")  # noqa: S704 - our own words
        for judge in sorted(judges)
        if judge in PROGRAMS
    ]


def prompts_of(recipe: Mapping[str, Any]) -> list[Markup]:
    """The prompt templates that the recipe's work with models draws on, each with its hash."""
    annotation = recipe["annotation"]
    judges = [one for one in annotation.get("judges") or [] if not _is_program(one)]
    wanted = {
        "solve": recipe["chains"].get("model"),
        "perturb": recipe["negatives"].get("model"),
        "judge_": judges,
        "premises_": judges,
        "critique": annotation.get("critique"),
        "groundedness": recipe["chains"].get("groundedness"),
    }
    heads = tuple(head for head, given in wanted.items() if given)
    return [
        code(f"{name} {prompt_version(name)}") for name in prompt_names() if name.startswith(heads)
    ]


def _is_program(judge: Any) -> bool:
    return isinstance(judge, str) and judge.startswith(("program:", "python:"))


def _chains(chains: Mapping[str, Any]) -> Iterator[Markup]:
    if chains.get("reference"):
        yield Markup("the sources' own worked solutions, where they have any")
    if model := chains.get("model"):
        names = Markup(", ").join(code(public_model(one)) for one in model["models"])
        told = [f"{model['samples']} a problem"]
        if model["share"] < 1:
            told.append(f"for {model['share']:.0%} of the problems")
        if model.get("temperature") is not None:
            told.append(f"temperature {model['temperature']:g}")
        yield Markup("written by ") + names + Markup(f" ({', '.join(told)})")  # noqa: S704
    if not chains.get("reference") and not chains.get("model"):
        yield Markup("those that the rows of the sources bring along")


def _negatives(negatives: Mapping[str, Any]) -> Markup:
    ways = []
    if exact := negatives.get("exact"):
        most = f"up to {exact['per_problem']} of each positive"
        ways.append(
            Markup(f"by the exact engine, {most}, so that its labels are known")  # noqa: S704
        )
    if model := negatives.get("model"):
        ways.append(
            Markup("by ")
            + code(public_model(model["model"]))
            + Markup(", and judged like any other")
        )
    return Markup("; ").join(ways) if ways else Markup("no chain")


def _judges(annotation: Mapping[str, Any]) -> Markup:
    found = annotation.get("judges") or []
    if not found:
        return Markup("none")
    names = {public_model(one if isinstance(one, str) else one["model"]): None for one in found}
    how = _AGGREGATES[annotation.get("aggregate", "majority")]
    return Markup(", ").join(code(name) for name in names) + Markup(  # noqa: S704 - our own
        f". A label is exact where the chain's construction tells it, else what people settled, "
        f"else decided {how}"
    )


def placed(tally: Tally) -> dict[str, Any] | None:
    """How often the first error is in the last step, and how often it would be by chance."""
    places = tally.chains["place"]
    if not (known := places.total()):
        return None
    last = sum(count for (place, _), count in places.items() if place in (LAST, ONLY))
    shares = (last / known, tally.last_by_chance / known)
    found, chance = (Markup(f"{share:.1%}") for share in shares)  # noqa: S704 - numbers
    return {"chains": known, "last": found, "chance": chance}

"""Naming: a name and a definition for each cluster, by a model or by its terms."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chainwright.llm.prompts import render
from chainwright.llm.request import Asker, Message, Request, Schema
from chainwright.llm.structured import ask_structured
from chainwright.llm.uri import ModelUri
from chainwright.taxonomy.portraits import Portrait

NAME = re.compile(r"[a-z][a-z0-9_]*")
LONGEST_NAME = 60
MOST_WORDS = 6
"""Words of a name by a model; asked for are two to four."""

ECHO = 4
"""Words from which an answer that stands in the instructions is taken for their echo."""

LONGEST_EXEMPLAR = 400
BY_TERMS = "terms"

_SAID = {"type": "string", "minLength": 1}
NAMED = Schema(
    "cluster_name",
    {
        "type": "object",
        "properties": {"mechanism": _SAID, "name": _SAID, "definition": _SAID},
        "required": ["mechanism", "name", "definition"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True)
class Named:
    """A cluster's name.

    Attributes:
        by: The model that gave it, or `terms`.
        fault: Why a model was asked and gave none; None otherwise.
    """

    name: str
    definition: str
    by: str = BY_TERMS
    fault: str | None = None


def name_by_terms(portraits: Sequence[Portrait]) -> list[Named]:
    """Names made of each cluster's terms, all different: the way without a model."""
    taken: set[str] = set()
    made = []
    for portrait in portraits:
        name = _free_name(portrait, taken)
        taken.add(name)
        made.append(Named(name, _definition(portrait)))
    return made


async def name_by_model(
    portraits: Sequence[Portrait], asker: Asker, model: ModelUri
) -> list[Named]:
    """Names given by a model, all different.

    Clusters are asked about at the same time, each with exemplars of its siblings. Whoever gives a
    name that a cluster before it has is asked once more, with the names that are taken. A cluster
    that the model does not name keeps the name made of its terms, with the reason.

    Raises:
        ModelUnavailable: when no request to the model can succeed.
    """
    by_number = {portrait.cluster: portrait for portrait in portraits}
    fallback = name_by_terms(portraits)
    first = await asyncio.gather(*(_ask(each, by_number, asker, model, ()) for each in portraits))
    taken: set[str] = set()
    made: list[Named] = []
    for portrait, named, spare in zip(portraits, first, fallback, strict=True):
        chosen = named
        if chosen.fault is None and chosen.name in taken:
            chosen = await _ask(portrait, by_number, asker, model, sorted(taken))
        if chosen.fault is not None:
            chosen = Named(spare.name, spare.definition, BY_TERMS, chosen.fault)
        name = distinct(chosen.name, taken)
        taken.add(name)
        made.append(Named(name, chosen.definition, chosen.by, chosen.fault))
    return made


def tidy_name(text: str) -> str:
    """A name as the taxonomy spells it: lower case, words joined by underscores.

    Raises:
        ValueError: when nothing is left that begins with a letter.

    >>> tidy_name("Reversed reasoning (converse)")
    'reversed_reasoning_converse'
    """
    name = re.sub(r"[^a-z0-9]+", "_", text.lower())[:LONGEST_NAME].strip("_")
    if not NAME.fullmatch(name):
        raise ValueError(f"found the name {text[:80]!r}, expected words of letters from a to z")
    return name


def refuse_echo(text: str, instructions: str) -> None:
    """Refuses what the instructions say of an answer in place of one, as small models do.

    Raises:
        ValueError: when four words or more stand in the instructions as they are.

    >>> refuse_echo("Two to four words!", "name: two to four words")
    Traceback (most recent call last):
    ...
    ValueError: 'Two to four words!' repeats the instructions: expected an answer in its place
    """
    words, told = (re.findall(r"[a-z]+", each.lower()) for each in (text, instructions))
    if len(words) >= ECHO and f" {' '.join(words)} " in f" {' '.join(told)} ":
        raise ValueError(f"{text[:80]!r} repeats the instructions: expected an answer in its place")


def distinct(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _free_name(portrait: Portrait, taken: set[str]) -> str:
    words: list[str] = []
    for term in portrait.terms:
        words += re.findall(r"[a-z]+", term)
        if len(words) >= 2 and "_".join(words) not in taken:
            return "_".join(words)
    return distinct("_".join(words) or f"cluster_{portrait.cluster}", taken)


def _definition(portrait: Portrait) -> str:
    terms = ", ".join(portrait.terms[:6]) or "no common words"
    tags = ", ".join(tag for tag, _ in portrait.tags[:4])
    return f"Critiques that speak of: {terms}. Most often tagged: {tags}."


async def _ask(
    portrait: Portrait,
    by_number: Mapping[int, Portrait],
    asker: Asker,
    model: ModelUri,
    taken: Sequence[str],
) -> Named:
    values = {
        "central": _listed(portrait.central),
        "edge": _listed(portrait.edge[:3]),
        "tags": ", ".join(tag for tag, _ in portrait.tags),
        "siblings": [_listed(by_number[each].central[:2]) for each in portrait.siblings],
        "taken": "\n".join(taken),
    }
    instructions = render("taxonomy_name", part="system")
    request = Request(
        model,
        [
            Message("system", instructions),
            Message("user", render("taxonomy_name", part="user", **values)),
        ],
        schema=NAMED,
        temperature=0.0,
        max_tokens=600,
    )
    answer = await ask_structured(asker, request, lambda said: _read(said, model, instructions))
    if answer.value is None:
        return Named("", "", str(model), f"{answer.status}: {answer.fault}")
    return answer.value


def _read(said: Any, model: ModelUri, instructions: str) -> Named:
    if not isinstance(said, dict):
        raise ValueError("expected a JSON object with mechanism, name, definition")  # noqa: TRY004  # re-asked
    name, definition = said.get("name"), said.get("definition")
    if not isinstance(name, str) or not isinstance(definition, str) or not definition.strip():
        raise ValueError("expected `name` and `definition`, both texts and not empty")
    for text in (name, definition):
        refuse_echo(text, instructions)
    if (words := len(tidy_name(name).split("_"))) > MOST_WORDS:
        raise ValueError(f"found the name {name[:80]!r} of {words} words, expected two to four")
    return Named(tidy_name(name), " ".join(definition.split()), str(model))


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"- {' '.join(text.split())[:LONGEST_EXEMPLAR]}" for text in texts)

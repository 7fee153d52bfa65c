"""The JSON Schemas of judges' answers: one entry a step, the reasons before the verdict.

They keep to what every provider's structured output takes: all keys required, no others allowed,
alternatives below the top level only. `steps` and `earlier` are the numbers that an answer may
name. Where they are wider than the question, what is left open is checked when the answer is read.
"""

from collections.abc import Sequence
from typing import Any

from chainwright.llm.request import Schema

TEXT: dict[str, Any] = {"type": "string"}


def verdict_schema(steps: Sequence[int], types: Sequence[str]) -> Schema:
    """A label and a category for one step."""
    entry = _verdict({"step": _number(steps), "explanation": TEXT}, types)
    return Schema("step_verdict", _object({"steps": _list(entry, 1)}))


def faithfulness_schema(steps: Sequence[int], categories: Sequence[str], entries: int) -> Schema:
    """A label for each of several steps, and a category where there are any to choose from."""
    fields = {"step": _number(steps), "explanation": TEXT}
    if categories:
        entry = _verdict(fields, categories, ("faithful", "unfaithful"))
    else:
        entry = _object(fields | {"label": _words("faithful", "unfaithful")})
    return Schema("step_faithfulness", _object({"steps": _list(entry, entries)}))


def remarks_schema(steps: Sequence[int]) -> Schema:
    """What is wrong with each step, in free words, or that nothing is."""
    fine = {"faithful": {"type": "boolean", "enum": [True]}, "description": {"type": "null"}}
    faulty = {"faithful": {"type": "boolean", "enum": [False]}, "description": TEXT}
    number = {"step": _number(steps)}
    entry = {
        "anyOf": [
            _object(number | fine | {"tags": {"type": "array", "items": TEXT, "maxItems": 0}}),
            _object(number | faulty | {"tags": _list(TEXT, 1, 3)}),
        ]
    }
    return Schema("step_remarks", _object({"steps": _list(entry, len(steps))}))


def check_schema(steps: Sequence[int]) -> Schema:
    """A label for one step, where the kind of error is known beforehand."""
    label = _words("correct", "error")
    entry = _object({"step": _number(steps), "explanation": TEXT, "label": label})
    return Schema("step_check", _object({"steps": _list(entry, 1)}))


def premises_schema(steps: Sequence[int], earlier: Sequence[int], entries: int) -> Schema:
    """The premises of one step, or of several."""
    premises = {"type": "array", "items": _number(earlier)}
    entry = _object({"step": _number(steps), "explanation": TEXT, "premises": premises})
    return Schema("step_premises", _object({"steps": _list(entry, entries)}))


def pair_schema(steps: Sequence[int], earlier: Sequence[int]) -> Schema:
    """Whether one step needs an earlier one."""
    entry = {"step": _number(steps), "earlier": _number(earlier), "explanation": TEXT}
    needed = _object(entry | {"needed": {"type": "boolean"}})
    return Schema("premise_pair", _object({"steps": _list(needed, 1)}))


def one_pass_schema(count: int, types: Sequence[str], chain_types: Sequence[str]) -> Schema:
    """Premises, label and category of every step, and a verdict on the chain as a whole."""
    premises = {"type": "array", "items": _number(range(count))}
    step = {"step": _number(range(1, count + 1)), "premises": premises, "explanation": TEXT}
    chain = _verdict({"explanation": TEXT}, chain_types)
    answer = {"steps": _list(_verdict(step, types), count), "chain": chain}
    return Schema("chain_verdicts", _object(answer))


def _verdict(
    fields: dict[str, Any], types: Sequence[str], labels: tuple[str, str] = ("correct", "error")
) -> dict[str, Any]:
    """Two alternatives, so that a model held to the schema cannot give a category to no error."""
    sound, faulty = labels
    right = {"label": _words(sound), "category": {"type": "null"}}
    wrong = {"label": _words(faulty), "category": _words(*types)}
    return {"anyOf": [_object(fields | right), _object(fields | wrong)]}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _list(entry: dict[str, Any], least: int, most: int | None = None) -> dict[str, Any]:
    return {
        "type": "array",
        "items": entry,
        "minItems": least,
        "maxItems": least if most is None else most,
    }


def _number(allowed: Sequence[int]) -> dict[str, Any]:
    return {"type": "integer", "enum": list(allowed)}


def _words(*allowed: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(allowed)}

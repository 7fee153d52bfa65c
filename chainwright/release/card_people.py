"""Card, people: how far those who labelled steps agree, by numbers and never by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chainwright.release.card_statistics import interval, number
from chainwright.release.markdown import code, literal

_ON = {"label": "label", "outcome": "label and category"}


def people_tables(people: Mapping[str, Any]) -> dict[str, list[list[Any]]]:
    """`agreement` and `settled` as rows of tables; empty where nobody has answered.

    Args:
        people: The statistics of a run's people, by `blind` and `assisted`.
    """
    if not people:
        return {}
    return {
        "agreement": [row for name, part in people.items() for row in _agreement(name, part)],
        "settled": [
            [code(name), code(how), count]
            for name, part in people.items()
            for how, count in (part.get("settled") or {}).items()
        ],
    }


def _agreement(name: str, part: Mapping[str, Any]) -> Iterator[list[Any]]:
    """A row for each track and for label and outcome, of all who answered.

    Where only some pairs of many share steps, the pair with most of them stands for all.
    """
    for track, found in (part.get("tracks") or {}).items():
        pairs = found.get("pairs") or []
        if not pairs:
            continue
        people = len({person for pair in pairs for person in (pair["first"], pair["second"])})
        whole = found.get("all") or max(pairs, key=lambda pair: int(pair["label"]["units"]))
        for key, words in _ON.items():
            of = whole[key]
            alpha, gwet = of["krippendorff"], of["gwet"]
            yield [
                code(name),
                code(track),
                people,
                literal(words),
                of["units"],
                number(of["unanimity_complete"].get("value")),
                number(alpha.get("value")),
                interval(alpha),
                number(gwet.get("value")),
                interval(gwet),
            ]

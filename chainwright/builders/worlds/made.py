"""Made problems: what a generator returns, and the line by which a stored problem names it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chainwright.builders.worlds.plan import Step, World
from chainwright.schemas.problem import Passage
from chainwright.schemas.words import AnswerKind, Track

VERSION = 1
"""Of the generators: another one makes other problems from the same key."""

TRACKS: tuple[Track, ...] = ("grounding", "inference")

_LINE = re.compile(
    r"^@world (?P<key>(?P<version>\d{1,6})/(?P<track>grounding|inference)/"
    r"(?P<seed>\d{1,18})/(?P<number>\d{1,9}))\s*\Z",
    re.MULTILINE,
)


@dataclass(frozen=True)
class WorldKey:
    """What a problem follows from: nothing else enters it."""

    track: Track
    seed: int
    number: int
    version: int = VERSION

    def __str__(self) -> str:
        return f"{self.version}/{self.track}/{self.seed}/{self.number}"


@dataclass(frozen=True)
class Made:
    """A problem with its world and the plan of its right chain.

    Attributes:
        key: What it follows from.
        domain: Name of the words it is told in.
        pattern: How the question is built.
        answer: The right answer, as `answer_in` gives it for the world.
        steps: The plan, in order.
        asked: The question in the terms of the world: a query, or a setting.
        world: What the passages establish.
        answer_in: The answer in any such world, found without the plan.
    """

    key: WorldKey
    domain: str
    pattern: str
    question: str
    passages: tuple[Passage, ...]
    options: tuple[str, ...]
    answer: str
    answer_kind: AnswerKind
    steps: tuple[Step, ...]
    asked: Any
    world: World
    answer_in: Callable[[Any], str]


def key_line(key: WorldKey) -> str:
    """The last line of a made problem's solution, which names its world."""
    return f"@world {key}"


def find_key(solution: str) -> WorldKey | None:
    """The world that a solution's last line names; None where there is no such line."""
    found = _LINE.search(solution)
    return None if found is None else parse_key(found["key"])


def parse_key(text: str) -> WorldKey | None:
    """A key such as `1/grounding/7/12`; None where the text is none."""
    found = _LINE.match(f"@world {text}")
    if found is None:
        return None
    track: Track = "grounding" if found["track"] == "grounding" else "inference"
    return WorldKey(track, int(found["seed"]), int(found["number"]), int(found["version"]))

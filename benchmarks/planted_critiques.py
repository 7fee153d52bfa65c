"""Planted critiques: a corpus whose mechanisms are known, written by a seeded grammar.

Eight mechanisms of unfaithful steps, four a track, each said in several ways about thousands of
different things. So a clustering of the texts can be compared with the truth. A small share of
critiques is vague on purpose: they belong to no mechanism, and a good clustering leaves them out.

    python -m benchmarks.planted_critiques 2000 > critiques.jsonl
"""

import argparse
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.planted_words import (
    CLOSINGS,
    DOMAINS,
    OPENINGS,
    PHRASINGS,
    PLAIN,
    TAGS,
    VAGUE,
    VAGUE_TAGS,
)
from chainwright.schemas.critique import Critique
from chainwright.schemas.identity import short_id
from chainwright.taxonomy.corpus import Background, Corpus, corpus_of

INFERENCE = ("reversed_reasoning", "wrong_argument_reading", "rule_violation", "overreaching_claim")
GROUNDING = ("groundedness_violation", "contradiction", "confusion", "evidence_neglect")
SOURCES = {
    "inference": ("rulesets", "arguments"),
    "grounding": ("multihop", "passages"),
}
"""Made-up sources, two a track; of their critiques, `CROSSING` are of the other track."""

CROSSING = 0.04
VAGUE_SHARE = 0.03
UNNAMED = 0.75
"""Share of the words that name nothing: GRACE's critics are asked for mechanisms, not subjects."""

ASIDE = 0.12
"""How often a critique opens with something beside the point, and how often it closes so."""

GENERATORS = ("local:small", "local:middle", "local:large")
CRITIC = "local:critic"

_SLOT = re.compile(r"\{(\w+)\}")
_SENTENCE = re.compile(r"(^|\. )[a-z]")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True)
class Planted:
    """One critique and what it was made from; `mechanism` is None for a vague one."""

    chain_id: str
    step: int
    critic: str
    description: str
    tags: list[str]
    source: str
    track: str
    generator: str
    mechanism: str | None

    def row(self) -> dict[str, Any]:
        """The critique as a row of a file, with its source, track and generator beside it."""
        row = dict(vars(self))
        del row["mechanism"]
        return row


def planted_critiques(count: int, seed: int = 0, critic: str = CRITIC) -> list[Planted]:
    """So many critiques; a seed gives the same ones, and a longer list begins like a shorter."""
    return [_planted(seed, number, critic) for number in range(count)]


def corpus_of_planted(planted: Iterable[Planted]) -> Corpus:
    """The corpus that the taxonomy makes of them."""
    return corpus_of(
        (
            Critique(
                chain_id=each.chain_id,
                step=each.step,
                critic=each.critic,
                description=each.description,
                tags=each.tags,
            ),
            Background(each.source, each.track, each.generator),
        )
        for each in planted
    )


def _planted(seed: int, number: int, critic: str) -> Planted:
    rng = random.Random(f"{seed}:{number}")
    track = rng.choice(("inference", "grounding"))
    source = rng.choice(SOURCES[track])
    own, other = (INFERENCE, GROUNDING) if track == "inference" else (GROUNDING, INFERENCE)
    mechanism = rng.choice(other if rng.random() < CROSSING else own)
    # What a critique is about tells nothing of what is wrong: every kind of word comes from any
    # domain, or from none.
    words = {kind: _words(rng, kind) for kind in PLAIN} | {"step": [str(rng.randint(1, 12))]}
    vague = rng.random() < VAGUE_SHARE
    if vague:
        description, tags = _filled(rng, rng.choice(VAGUE), words), [rng.choice(VAGUE_TAGS)]
    else:
        description = _description(rng, mechanism, words)
        tags = rng.sample(TAGS[mechanism], rng.randint(1, 2))
        if rng.random() < 0.3:
            tags.append(rng.choice(VAGUE_TAGS))
    return Planted(
        chain_id=short_id("chain", "planted", seed, number),
        step=rng.randint(1, 12),
        critic=critic,
        description=description,
        tags=tags,
        source=source,
        track=track,
        generator=rng.choice(GENERATORS),
        mechanism=None if vague else mechanism,
    )


def _words(rng: random.Random, kind: str) -> list[str]:
    return PLAIN[kind] if rng.random() < UNNAMED else rng.choice(DOMAINS)[kind]


def _description(rng: random.Random, mechanism: str, words: dict[str, Any]) -> str:
    parts = [rng.choice(PHRASINGS[mechanism])]
    if rng.random() < ASIDE:
        parts.insert(0, rng.choice(OPENINGS))
    if rng.random() < ASIDE:
        parts.append(rng.choice(CLOSINGS))
    return _filled(rng, " ".join(parts), words)


def _filled(rng: random.Random, text: str, words: dict[str, Any]) -> str:
    """The text with every `[a|b]` decided and every `{slot}` filled; no slot repeats a filling."""
    while _CHOICE.search(text):
        text = _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), text, count=1)
    taken: set[str] = set()

    def fill(found: re.Match[str]) -> str:
        kind = found[1].rstrip("0123456789")
        free = [word for word in words[kind] if word not in taken]
        word = rng.choice(free or words[kind])
        taken.add(word)
        return str(word)

    filled: dict[str, str] = {}
    text = _SLOT.sub(lambda found: filled.setdefault(found[1], fill(found)), text)
    text = " ".join(text.split())
    return _SENTENCE.sub(lambda found: found[0].upper(), text)


def main() -> None:
    """Prints critiques as JSON Lines."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--critic", default=CRITIC)
    given = parser.parse_args()
    for line in _lines(planted_critiques(given.count, given.seed, given.critic)):
        print(line)


def _lines(critiques: list[Planted]) -> Iterator[str]:
    return (json.dumps(critique.row()) for critique in critiques)


if __name__ == "__main__":
    main()

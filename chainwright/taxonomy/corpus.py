"""Corpus: critiques by their distinct texts, in an order that does not depend on the files."""

from collections.abc import Iterable
from dataclasses import dataclass

from chainwright.schemas.critique import Critique
from chainwright.schemas.identity import content_hash


@dataclass(frozen=True)
class Background:
    """Where a criticised step comes from; None where nothing says so."""

    source: str | None = None
    track: str | None = None
    generator: str | None = None


UNKNOWN = Background()


@dataclass(frozen=True)
class Corpus:
    """Critiques and their distinct texts.

    Layouts and clusterings depend on the order of rows, so both are sorted: texts by the hash of
    their content, critiques by their text and then by their key.

    Attributes:
        keys: The hash of each distinct text, ascending.
        texts: The distinct texts, as they are embedded.
        critiques: All critiques.
        backgrounds: One a critique.
        text_index: For each critique the index of its text.
    """

    keys: list[str]
    texts: list[str]
    critiques: list[Critique]
    backgrounds: list[Background]
    text_index: list[int]

    def counts(self) -> list[int]:
        """How many critiques say each text."""
        counts = [0] * len(self.texts)
        for text in self.text_index:
            counts[text] += 1
        return counts

    def part(self, texts: Iterable[int]) -> "Corpus":
        """The corpus of some of the texts, by their indices."""
        chosen = set(texts)
        pairs = zip(self.critiques, self.backgrounds, self.text_index, strict=True)
        return corpus_of((each, where) for each, where, text in pairs if text in chosen)


def corpus_of(critiques: Iterable[tuple[Critique, Background]]) -> Corpus:
    """The corpus of critiques in any order; the same critiques give the same corpus."""
    given = list(critiques)
    rows = sorted(
        (content_hash(text_of(each)), each.chain_id, each.step, each.critic, place)
        for place, (each, _) in enumerate(given)
    )
    keys = sorted({row[0] for row in rows})
    index = {key: number for number, key in enumerate(keys)}
    ordered = [given[row[-1]] for row in rows]
    texts = [""] * len(keys)
    for row, (each, _) in zip(rows, ordered, strict=True):
        texts[index[row[0]]] = text_of(each)
    return Corpus(
        keys=keys,
        texts=texts,
        critiques=[each for each, _ in ordered],
        backgrounds=[where for _, where in ordered],
        text_index=[index[row[0]] for row in rows],
    )


def text_of(critique: Critique) -> str:
    """What is embedded of a critique: its description, then its tags."""
    return f"{critique.description.strip()} ({', '.join(critique.tags)})"

"""Vectors made of words, stored where the commands look for those of a model.

What embeds is heavy (torch) and may not be installed. A command whose vectors are all stored never
loads it, so these stand in: a text is the sum of its words' directions, each fixed by the word.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.planted_critiques import Planted, corpus_of_planted, planted_critiques
from chainwright.pipeline.taxonomy.vector_cache import VectorFile

EMBEDDER = "sum-of-words"
DIMENSIONS = 64


def store_vectors(folder: Path, critiques: Iterable[Planted]) -> None:
    """Puts the vectors of critiques into the cache of a taxonomy's folder."""
    corpus = corpus_of_planted(critiques)
    with VectorFile(folder / "embeddings.sqlite") as cache:
        cache.put(EMBEDDER, corpus.keys, word_vectors(corpus.texts))


def word_vectors(texts: Sequence[str]) -> Any:
    """One row a text, of length one; rare words weigh more."""
    import numpy as np

    seen = _seen()
    rows = [
        sum(_direction(word) / np.sqrt(1 + seen[word]) for word in sorted(_words(text)))
        for text in texts
    ]
    made = np.array(rows, np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


@cache
def _seen() -> Counter[str]:
    """In how many of some critiques each word is."""
    return Counter(word for each in planted_critiques(240) for word in _words(each.description))


def _direction(word: str) -> Any:
    import numpy as np

    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
    return np.random.default_rng(seed).normal(size=DIMENSIONS)

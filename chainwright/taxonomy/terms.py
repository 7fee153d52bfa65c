"""Terms: the words that set a group of texts apart (class-based TF-IDF)."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]{3,}")

_EMPTY = frozenset(
    """about above after again against all also although and another any are because been before
    being below between both but came can cannot could did does done down during each either else
    every for from had has have her here hers him his how into its itself just like may might more
    most must nor not now off once one only other our out over own same she should since some such
    than that the their them then there these they this those though through too two under until
    upon very was were what when where whether which while who whom whose why will with within
    without would yet you your step""".split()
)


def class_terms(groups: Sequence[Sequence[str]], most: int = 8) -> list[list[str]]:
    """For each group of texts the terms that set it apart from the others, best first.

    A term is a word or two words in a row. It weighs tf · log(1 + A / f): its share of the group's
    terms, and how rare it is over all groups (f occurrences; A, the mean number of terms of a
    group). One word of a chosen pair is not listed again by itself. A group without words gets no
    terms.
    """
    counted = [_counts(texts) for texts in groups]
    everywhere: Counter[str] = Counter()
    for counts in counted:
        everywhere.update(counts)
    mean = sum(everywhere.values()) / max(1, len(groups))
    return [_best(counts, everywhere, mean, most) for counts in counted]


def _counts(texts: Sequence[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text in texts:
        words = [word.lower() for word in _WORD.findall(text)]
        counts.update(word for word in words if word not in _EMPTY)
        counts.update(
            f"{first} {second}"
            for first, second in pairwise(words)
            if first not in _EMPTY and second not in _EMPTY
        )
    return counts


def _best(counts: Counter[str], everywhere: Counter[str], mean: float, most: int) -> list[str]:
    total = sum(counts.values())
    weights = {
        term: count / total * math.log1p(mean / everywhere[term]) for term, count in counts.items()
    }
    chosen: list[str] = []
    for term in sorted(weights, key=lambda term: (-weights[term], term)):
        parts = set(term.split())
        if not any(parts & set(other.split()) for other in chosen):
            chosen.append(term)
        if len(chosen) == most:
            break
    return chosen

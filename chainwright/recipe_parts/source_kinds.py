"""Source kinds: what is known of each kind of rows that a recipe may name."""

from typing import Any, Literal

from chainwright.schemas.licence_use import is_redistributable
from chainwright.schemas.words import Track

BUILTINS: tuple[str, ...] = ("builtin:quickstart", "builtin:context", "builtin:worlds")
"""Problems that ship with the package, as a source's `path` names them."""

MADE = "builtin:worlds"
"""The built-in source that is not read but made, as many problems as its `limit` says."""

SourceKind = Literal[
    "gsm8k",
    "math",
    "orca_math",
    "metamathqa",
    "musique",
    "2wikimultihopqa",
    "reclor",
    "logiqa",
    "logiqa2",
    "worlds",
    "labelled",
    "generic",
]

LabelledFormat = Literal["perl", "grace", "processbench", "prm800k", "trl", "math_shepherd"]
"""Formats of chains with labels that a source may be in."""


CONTEXT_TRACKS: dict[str, Track] = {
    "musique": "grounding",
    "2wikimultihopqa": "grounding",
    "reclor": "inference",
    "logiqa": "inference",
    "logiqa2": "inference",
}
"""Kinds whose questions are about passages, and what their steps are judged by (GRACE)."""

TYPED_KINDS = ("musique", "2wikimultihopqa", "generic")
"""Kinds whose rows may have one type of question each."""

WITH_VARIANTS = ("gsm8k", "metamathqa", "generic")
"""Kinds whose solutions may be in GSM8K's format, so that the exact engine can work them anew."""

READS: dict[str, str] = {
    "gsm8k": "question and answer",
    "math": "problem, solution, and answer where there is one",
    "orca_math": "question and answer",
    "metamathqa": "query and response",
    "musique": "paragraphs, question, answer and question_decomposition",
    "2wikimultihopqa": "context, question, answer, type, supporting_facts and evidences",
    "reclor": "context, question, answers and label",
    "logiqa": "blocks of letter, context, question and four options",
    "logiqa2": "text, question, options and answer",
    "worlds": "world",
    "labelled": "what its `format` says",
}
"""The columns of each kind of source but `generic`."""

HUB_SPLITS = dict.fromkeys(READS, "train") | {"gsm8k": "test", "math": "test"}
HUB_CONFIGS = {"gsm8k": "main", "math": "*"}  # MATH has a configuration for each subject
_LICENCES = {
    "musique": "CC-BY-4.0",
    "2wikimultihopqa": "Apache-2.0",
    "reclor": "LicenseRef-ReClor-non-commercial-research-only",
    "logiqa2": "CC-BY-NC-SA-4.0",
    "worlds": "Apache-2.0",  # the words of made problems are the package's own
}
"""The publishers' own, which go with the rows wherever they lie. LogiQA's states none."""
_HUB_LICENCES = dict.fromkeys(("gsm8k", "math", "orca_math", "metamathqa"), "MIT")

MIN_HOPS = {"musique": 3}
MIN_CONTEXT = {"logiqa": 200}
TYPES: dict[str, dict[str, int | None]] = {
    "2wikimultihopqa": {
        "bridge_comparison": 4,
        "comparison": None,
        "compositional": None,
        "inference": None,
    }
}
"""The types of question of a kind that GRACE takes, each with its least number of hops."""


def licence_of(kind: Any, licence: Any, hub: Any) -> str | None:
    """The licence that goes with the rows of a source; null = not known.

    Where the recipe gives none, it is the publisher's: for kinds with context wherever the rows
    lie, for the others only where they come from the Hub, as a file may be anyone's in the same
    format.
    """
    if isinstance(licence, str):
        return licence
    if not isinstance(kind, str):
        return None
    return _LICENCES.get(kind) or (_HUB_LICENCES.get(kind) if hub else None)


def is_withheld(redistribute: Any, licence: str | None) -> bool:
    """Whether the text of a source stays out of releases: as the recipe or the licence says."""
    if isinstance(redistribute, bool):
        return not redistribute
    return not is_redistributable(licence)

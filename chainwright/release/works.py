"""Works: the papers that a release rests on, as far as its sources and methods tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Work:
    """A paper: who, what, when, and its id at arXiv or as a DOI."""

    name: str
    by: str | None
    title: str | None
    year: int
    arxiv: str | None = None
    doi: str | None = None

    @property
    def url(self) -> str:
        """Where it can be read."""
        if self.arxiv:
            return f"https://arxiv.org/abs/{self.arxiv}"
        return f"https://doi.org/{self.doi}"

    @property
    def line(self) -> str:
        """The paper on one line."""
        told = ", ".join(part for part in (self.by, self.title, str(self.year)) if part)
        return f"{self.name}: {told}, {f'arXiv {self.arxiv}' if self.arxiv else f'doi {self.doi}'}"


OF_SOURCES: Mapping[str, Work] = {
    "gsm8k": Work(
        "GSM8K",
        "Cobbe et al.",
        "Training Verifiers to Solve Math Word Problems",
        2021,
        "2110.14168",
    ),
    "math": Work(
        "MATH",
        "Hendrycks et al.",
        "Measuring Mathematical Problem Solving With the MATH Dataset",
        2021,
        "2103.03874",
    ),
    "orca_math": Work(
        "Orca-Math",
        "Mitra et al.",
        "Orca-Math: Unlocking the potential of SLMs in Grade School Math",
        2024,
        "2402.14830",
    ),
    "metamathqa": Work(
        "MetaMathQA",
        "Yu et al.",
        "MetaMath: Bootstrap Your Own Mathematical Questions for Large Language Models",
        2023,
        "2309.12284",
    ),
    "musique": Work(
        "MuSiQue",
        "Trivedi et al.",
        "MuSiQue: Multihop Questions via Single-hop Question Composition",
        2021,
        "2108.00573",
    ),
    "2wikimultihopqa": Work(
        "2WikiMultihopQA",
        "Ho et al.",
        "Constructing A Multi-hop QA Dataset for Comprehensive Evaluation of Reasoning Steps",
        2020,
        "2011.01060",
    ),
    "reclor": Work(
        "ReClor",
        "Yu et al.",
        "ReClor: A Reading Comprehension Dataset Requiring Logical Reasoning",
        2020,
        "2002.04326",
    ),
    "logiqa": Work(
        "LogiQA",
        "Liu et al.",
        "LogiQA: A Challenge Dataset for Machine Reading Comprehension with Logical Reasoning",
        2020,
        "2007.08124",
    ),
    "logiqa2": Work(
        "LogiQA 2.0",
        "Liu et al.",
        "LogiQA 2.0: An Improved Dataset for Logical Reasoning in Natural Language Understanding",
        2023,
        doi="10.1109/TASLP.2023.3293046",
    ),
}
"""The paper of each kind of source that has one."""

PERL = Work(
    "PERL",
    "Mukherjee et al.",
    "Premise-Augmented Reasoning Chains Improve Error Identification in Math reasoning with LLMs",
    2025,
    "2502.02362",
)
GRACE = Work("GRACE", None, None, 2026, "2606.16151")


def works_of(recipe: Mapping[str, Any], tracks: Mapping[str, int]) -> list[Work]:
    """The papers behind a release: of its methods by track, then of its sources in order.

    Sources that are built in or made by chainwright have no paper.
    """
    found = [PERL] if tracks.get("math") else []
    if tracks.get("inference") or tracks.get("grounding"):
        found.append(GRACE)
    for source in recipe["sources"]:
        work = OF_SOURCES.get(source["kind"])
        builtin = str(source.get("path") or "").startswith("builtin:")
        if work is not None and not builtin and work not in found:
            found.append(work)
    return found

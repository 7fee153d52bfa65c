"""Dossier: what a reviewer asks of a dataset beyond its counts, gathered as the rows pass."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from chainwright.llm.prompts import fence, prompt_names, prompt_version
from chainwright.recipe_parts.decontamination import unnamed
from chainwright.release.contamination import contamination_table, reading_table
from chainwright.release.markdown import code
from chainwright.release.personal_data import PERSONAL, personal_data
from chainwright.release.redaction import public_model, public_row
from chainwright.release.works import works_of

if TYPE_CHECKING:
    from chainwright.release.contamination import Figures
    from chainwright.release.near_duplicates import NearDuplicates
    from chainwright.schemas.problem import Problem
    from chainwright.schemas.release import ReleasedChain
    from chainwright.schemas.vote import Vote

SEARCHED = ("problems", "chains", "votes")
"""Configs whose texts are looked through; those of `labels` are the votes' again."""

_HELD_OUT = re.compile(r"(?:test|dev|val)", re.IGNORECASE)
"""How the names of splits begin that their publishers keep for measuring."""

_HELD_OUT_FILE = re.compile(r"(?<![a-z])(?:test|dev|val|valid|validation)(?![a-z])", re.IGNORECASE)
"""What stands in the names of files of such splits."""


@dataclass(frozen=True)
class ModelUse:
    """What was asked of a model over the whole run, as its ledger has it.

    Attributes:
        model: Its URI, without an address.
        answers: Answers that were given; `refused`, those that the model declined.
        input_tokens: As the provider counted them; `output_tokens` likewise.
        usd: What the answers of known price cost; `unpriced` have none.
        first: Day of the first answer, UTC; `last`, of the last.
    """

    model: str
    answers: int
    refused: int
    input_tokens: int
    output_tokens: int
    usd: float
    unpriced: int
    first: str
    last: str


@dataclass
class Dossier:
    """Gathered over a release, in memory that does not grow with its rows.

    Attributes:
        asked: Models that were asked.
        judges: Votes by (judge, version of its prompt or program).
        splits: Problems by (source, its split of theirs, split here).
        unsaid: Problems without a split of theirs, by (source, file) where the file's name has one.
        personal: Rows by what was found in their texts, of `PERSONAL`, and their config.
        matches: How often each was found.
        example: A row of `chains`: one broken on purpose, else one with an error, else the first.
        near: Problems whose questions are nearly the same.
        info: Features and sizes of the configs, as in a card's `dataset_info`.
        contamination: What the test sets have in common with it, set by set.
    """

    asked: Sequence[ModelUse] = ()
    judges: Counter[tuple[str, str]] = field(default_factory=Counter)
    splits: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    unsaid: Counter[tuple[str, str]] = field(default_factory=Counter)
    personal: Counter[tuple[str, str]] = field(default_factory=Counter)
    matches: Counter[str] = field(default_factory=Counter)
    example: ReleasedChain | None = None
    info: list[dict[str, Any]] = field(default_factory=list)
    near: NearDuplicates | None = None
    contamination: list[Figures] = field(default_factory=list)

    def add_problem(self, split: str, problem: Problem, *, withheld: bool = False) -> None:
        """Note a released problem; text that is withheld is not looked at."""
        self.splits[problem.source, problem.split or "not stated", split] += 1
        file = re.split(r"[/\\]", problem.origin_ref)[-1].rpartition(":")[0]
        if problem.split is None and _HELD_OUT_FILE.search(file):
            self.unsaid[problem.source, file] += 1
        if withheld:
            return
        self._look_at(
            "problems",
            [
                problem.question,
                *(text for one in problem.context for text in (one.title, one.text)),
                *problem.options,
                problem.answer,
                *problem.aliases,
                problem.solution,
            ],
        )

    def add_chain(self, chain: ReleasedChain, *, withheld: bool = False) -> None:
        """Note a released chain; one that is withheld is no example."""
        if withheld:
            return
        if self.example is None or _worth(chain) > _worth(self.example):
            self.example = chain
        self._look_at("chains", [*(step.text for step in chain.steps), chain.final_answer])

    def add_vote(self, vote: Vote, *, withheld: bool = False) -> None:
        """Note a released vote."""
        self.judges[public_model(vote.judge), vote.prompt_version] += 1
        if not withheld:
            self._look_at("votes", [vote.explanation])

    def example_json(self) -> str:
        """The example as JSON within a fence, or nothing."""
        if self.example is None:
            return ""
        row = public_row(self.example.model_dump())
        text = fence(json.dumps(row, indent=2, ensure_ascii=False))
        return text.replace("\n", "json\n", 1)

    def made_with(self) -> dict[str, Any]:
        """Models, prompts and judges as plain values, for the manifest.

        Prompts are named with their hashes where models were asked at all.
        """
        return {
            "models": [asdict(one) for one in self.asked],
            "prompts": {n: prompt_version(n) for n in prompt_names()} if self.asked else {},
            "judges": [
                {"judge": judge, "version": version, "votes": count}
                for (judge, version), count in sorted(self.judges.items())
            ],
        }

    def context(self, recipe: Mapping[str, Any], tracks: Mapping[str, int]) -> dict[str, Any]:
        """The values of the card's sections that come from here."""
        release = recipe["release"]
        return {
            "example": self.example_json(),
            "near": self.near,
            "test_sets": contamination_table(self.contamination, ("train", "test")),
            "test_sets_read": reading_table(self.contamination),
            "partly": [
                (code(one.name), one.questions, one.stated)
                for one in self.contamination
                if one.stated is not None and one.questions < one.stated
            ],
            "unnamed": [code(name) for name in unnamed(release.get("decontaminate") or ())],
            "unread": [(one.name, one.unread) for one in self.contamination if one.unread],
            "contaminated": release.get("contaminated"),
            "held_out": self.held_out(),
            "unsaid": [
                [code(source), code(file), count]
                for (source, file), count in sorted(self.unsaid.items())
            ],
            "models": [
                [
                    code(one.model),
                    one.answers,
                    one.refused,
                    one.input_tokens,
                    one.output_tokens,
                    "" if one.unpriced == one.answers + one.refused else f"{one.usd:.2f}",
                    code(one.first if one.first == one.last else f"{one.first} to {one.last}"),
                ]
                for one in self.asked
            ],
            "spent": sum(one.usd for one in self.asked),
            "unpriced": sum(one.unpriced for one in self.asked),
            "priced": sum(one.answers + one.refused - one.unpriced for one in self.asked),
            "judge_versions": [
                [*map(code, key), count] for key, count in sorted(self.judges.items())
            ],
            "overlap": self.overlap(),
            "searched": [code(config) for config in SEARCHED],
            "personal": [
                [
                    what,
                    *(self.personal[what, config] for config in SEARCHED),
                    self.matches[what],
                ]
                for what in PERSONAL
            ],
            "works": [(one.line, one.url) for one in works_of(recipe, tracks)],
            "authors": release.get("authors") or [],
            "contact": release.get("contact"),
            "corpus_version": release.get("version"),
            "date": code(release["date"]) if release.get("date") else None,
        }

    def held_out(self) -> dict[str, int]:
        """Problems here, by split, that the sources' publishers keep for measuring."""
        found: Counter[str] = Counter()
        for (_, own, split), count in self.splits.items():
            if _HELD_OUT.match(own):
                found[split] += count
        return dict(found)

    def overlap(self) -> list[list[Any]]:
        """Problems by source and its own split, with their number in train and in test here."""
        pairs = sorted({(source, own) for source, own, _ in self.splits})
        return [
            [code(source), own, *(self.splits[source, own, split] for split in ("train", "test"))]
            for source, own in pairs
        ]

    def _look_at(self, config: str, texts: Sequence[str | None]) -> None:
        for what, count in personal_data(texts).items():
            self.personal[what, config] += 1
            self.matches[what] += count


def _worth(chain: ReleasedChain) -> int:
    """How much a chain shows of what a row may hold."""
    return (chain.first_error is not None) + (chain.parent_id is not None)

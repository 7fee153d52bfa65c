"""Detail: a chain as the chain page loads it, and the chunks in which such chains lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainwright.release.redaction import public_place
from chainwright.release.site.chain_view import ChainView

PER_CHUNK = 50
"""Chains in one file: some 150 KB, which a browser reads and parses in a few milliseconds."""


class Chunk:
    """Chains that lie in one file, with their problems and the names of those who judged them."""

    def __init__(self) -> None:
        self._by: dict[str, int] = {}
        self._problems: dict[str, dict[str, Any]] = {}
        self._chains: list[dict[str, Any]] = []

    def __len__(self) -> int:
        return len(self._chains)

    def add(self, view: ChainView) -> None:
        """Takes a chain in."""
        problem = view.problem
        if problem.problem_id not in self._problems:
            self._problems[problem.problem_id] = _problem(view)
        self._chains.append(self._chain(view))

    def document(self) -> dict[str, Any]:
        """The chunk as plain values."""
        return {"by": list(self._by), "problems": self._problems, "chains": self._chains}

    def _chain(self, view: ChainView) -> dict[str, Any]:
        chain, change = view.chain, view.chain.perturbation
        propagated = view.propagated()
        return {
            "id": chain.chain_id,
            "problem": chain.problem_id,
            "origin": chain.origin,
            "polarity": chain.polarity,
            "generator": view.generator,
            "answer": chain.final_answer,
            "right": chain.is_correct,
            "tier": view.tier,
            "parent": chain.parent_id,
            "broken": change
            and {
                "step": chain.perturbed_step,
                "type": change.error_type,
                "kind": change.kind,
                "before": change.before,
                "after": change.after,
            },
            "whole": [self._voice(voice) for voice in view.voices.get(0, ())],
            "steps": [
                self._step(view, number, propagated[number - 1])
                for number in range(1, len(chain.steps) + 1)
            ],
        }

    def _step(self, view: ChainView, number: int, propagated: bool | None) -> dict[str, Any]:
        label, known = view.labels.get(number), view.known(number)
        citations = view.chain.citations
        step: dict[str, Any] = {"text": view.chain.steps[number - 1]}
        if known is not None:
            step |= {
                "label": known.label,
                "category": known.category,
                "premises": known.premises,
                "propagated": bool(propagated),
            }
        if label is not None:
            step |= {"source": label.label_source, "tier": label.tier, "reason": label.reason}
            if any(vote.status != "missing" for vote in label.votes):
                step["panel"] = [label.panel_label, label.panel_category, label.panel_premises]
        elif known is not None:
            step["source"] = "exact"
        if number <= len(citations) and citations[number - 1]:
            step["cites"] = citations[number - 1]
        if voices := view.voices.get(number):
            step["votes"] = [self._voice(voice) for voice in voices]
        return step

    def _voice(self, voice: Sequence[Any]) -> list[Any]:
        by, *said = voice
        return [self._by.setdefault(by, len(self._by)), *said]


def _problem(view: ChainView) -> dict[str, Any]:
    problem = view.problem
    return {
        "source": problem.source,
        "split": problem.split,
        "track": problem.track,
        "licence": problem.licence,
        "place": public_place(problem.origin_ref),
        "question": problem.question,
        "context": [[one.ref, one.title, one.text] for one in problem.context],
        "options": problem.options,
        "answer": problem.answer,
    }

"""Premise precision, recall and F1 against exact premises (PERL: per chain, then the mean)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chainwright.schemas.label import Label


@dataclass
class PremiseScores:
    """Macro-averaged scores over the chains added."""

    scores: list[tuple[float, float, float]] = field(default_factory=list)

    def add(self, labels: Sequence[Label]) -> None:
        """Adds an exact chain; one without any premises from the panel is left out."""
        given = [label for label in labels if label.panel_premises is not None]
        if not given:
            return
        exact = {(p, label.step) for label in given for p in label.premises}
        said = {(p, label.step) for label in given for p in label.panel_premises or []}
        right = len(exact & said)
        precision = right / len(said) if said else 0.0
        recall = right / len(exact) if exact else 0.0
        total = precision + recall
        self.scores.append((precision, recall, 2 * precision * recall / total if total else 0.0))

    def document(self) -> dict[str, Any]:
        """`{chains, precision, recall, f1}`; empty where no chain was added."""
        if not self.scores:
            return {}
        precision, recall, f1 = (
            sum(score[place] for score in self.scores) / len(self.scores) for place in range(3)
        )
        return {"chains": len(self.scores), "precision": precision, "recall": recall, "f1": f1}

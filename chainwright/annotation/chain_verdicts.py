"""Whether step errors and the correctness of whole chains tell the same story.

For chains that were not made by the engine: a judge flags a chain when it finds an error in at
least one step. A wrong final answer should come with a flag, a right one without; neither must,
since a chain may err and recover, or answer another question without a slip.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from chainwright.annotation.calibration import accuracy
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label

PANEL = "panel"


@dataclass
class ChainVerdicts:
    """Counts of (correct?, flagged?) per judge, and for the panel's labels."""

    cells: dict[str, Counter[tuple[bool, bool]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )

    def add(self, chain: Chain, labels: Sequence[Label]) -> None:
        """Adds a chain; one whose correctness is undecided is left out."""
        if chain.is_correct is None:
            return
        flagged = Counter({vote.judge: 0 for label in labels for vote in label.votes})
        for label in labels:
            flagged.update(v.judge for v in label.votes if v.label in ("error", "unfaithful"))
            flagged[PANEL] += label.panel_label in ("error", "unfaithful")
        for judge, errors in flagged.items():
            self.cells[judge][chain.is_correct, errors > 0] += 1

    def document(self) -> dict[str, Any]:
        """Per judge the four counts, and precision, recall and accuracy of the flag."""
        return {judge: _summary(cell) for judge, cell in sorted(self.cells.items())}


def _summary(cell: Counter[tuple[bool, bool]]) -> dict[str, Any]:
    wrong_flagged, wrong_clean = cell[False, True], cell[False, False]
    right_flagged, right_clean = cell[True, True], cell[True, False]
    total = sum(cell.values())
    flagged = wrong_flagged + right_flagged
    wrong = wrong_flagged + wrong_clean
    right = right_flagged + right_clean
    return {
        "chains": total,
        "wrong_flagged": wrong_flagged,
        "wrong_clean": wrong_clean,
        "right_flagged": right_flagged,
        "right_clean": right_clean,
        "precision": wrong_flagged / flagged if flagged else None,
        "recall": wrong_flagged / wrong if wrong else None,
        "specificity": right_clean / right if right else None,
        "accuracy": asdict(accuracy(wrong_flagged + right_clean, total)),
    }

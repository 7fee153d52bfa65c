"""Groundedness rates: how many questions of each source their context was found to answer."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from chainwright.stage import Tables


@dataclass
class GroundednessRates:
    """Counts over the blocks of a run; nothing where no question was put to the vote."""

    asked: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    votes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, tables: Tables) -> None:
        """Count one block, by its tables `candidates`, `problems` and `problem_votes`."""
        votes = tables.get("problem_votes", ())
        if not votes:
            return
        kept = {problem.problem_id for problem in tables.get("problems", ())}
        asked = {vote.problem_id for vote in votes}
        for problem in tables.get("candidates", ()):
            if problem.problem_id in asked:
                self.asked[problem.source] += 1
                self.kept[problem.source] += problem.problem_id in kept
        for vote in votes:
            self.votes[vote.judge][vote.label or vote.status] += 1

    def document(self) -> dict[str, Any]:
        """Per source `asked`, `kept` and their `rate`; per judge the votes by label or status."""
        if not self.asked:
            return {}
        sources = {
            source: {"asked": asked, "kept": self.kept[source], "rate": self.kept[source] / asked}
            for source, asked in self.asked.items()
        }
        votes = {judge: dict(counts.most_common()) for judge, counts in self.votes.items()}
        return {"by_source": sources, "votes": votes}

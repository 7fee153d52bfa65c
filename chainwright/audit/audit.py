"""Audit: every rule over every record of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from chainwright.audit.answer_rules import answer_findings
from chainwright.audit.arithmetic_rules import arithmetic_findings
from chainwright.audit.copy_rules import copy_findings
from chainwright.audit.duplicates import Duplicates
from chainwright.audit.finding import RULES, Finding
from chainwright.audit.label_rules import label_findings
from chainwright.audit.premise_rules import premise_findings
from chainwright.audit.record import AuditRecord

_ANSWER_RULES = frozenset(
    "correctness right_answer_differs wrong_answer_equal gold_answer answer_of_steps".split()
)
_OTHERS: tuple[Callable[[AuditRecord], Iterator[Finding]], ...] = (
    premise_findings,
    label_findings,
    copy_findings,
    arithmetic_findings,
)


class Audit:
    """The audit of one corpus; remembers what it has seen, to find duplicates.

    Args:
        rules: The rules that count; all by default. Answers are compared only where one of theirs
            does, since algebra is what takes time.

    Raises:
        ValueError: One of `rules` is none of `RULES`.
    """

    def __init__(self, rules: Collection[str] = ()) -> None:
        unknown = sorted(set(rules) - set(RULES))
        if unknown:
            raise ValueError(f"no rule {unknown[0]!r}; there are: {', '.join(RULES)}")
        self.rules = frozenset(rules or RULES)
        self._duplicates = Duplicates()

    def findings(self, record: AuditRecord) -> Iterator[Finding]:
        """The findings of the corpus's next record, those of one rule together."""
        for one in self._all(record):
            if one.rule in self.rules:
                yield one

    def _all(self, record: AuditRecord) -> Iterator[Finding]:
        for rule in _OTHERS:
            yield from rule(record)
        if self.rules & _ANSWER_RULES:
            yield from answer_findings(record)
        yield from self._duplicates.findings(record)

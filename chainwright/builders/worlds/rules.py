"""Rule books: facts, rules with exceptions, loose statements, and what people claim.

The book is closed: what neither stands in it nor follows from it is not established. Loose
statements ("some of those who …") establish nothing of anyone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from chainwright.schemas.words import FaithfulnessError

Fact = tuple[str, str]
"""Subject and predicate."""


@dataclass(frozen=True)
class Rule:
    """Who meets all `needs` and none of `unless` has `gives`.

    Attributes:
        limit: A measure and the amount from which on the rule applies; None = it has no limit.
    """

    needs: tuple[str, ...]
    gives: str
    unless: tuple[str, ...] = ()
    limit: tuple[str, int] | None = None


@dataclass(frozen=True)
class RuleClaim:
    """What a step states.

    `holds`: the subject has the predicate. `open`: that is not established. `said`: the subject, a
    speaker, claims that the predicate holds of whom the question is about, or with `value` false
    that it does not.
    """

    about: Literal["holds", "open", "said"]
    subject: str
    predicate: str
    value: bool = True


@dataclass(frozen=True)
class RuleBook:
    """What the passages of a problem say.

    Attributes:
        rules: In an order in which each rule comes after those that give what it asks for.
        loose: Pairs of predicates of which it is said that some who have the first have the second.
        said: By speaker whether the claim is that the asked predicate holds.
    """

    facts: frozenset[Fact]
    amounts: Mapping[Fact, int]
    rules: tuple[Rule, ...]
    loose: tuple[tuple[str, str], ...]
    said: Mapping[str, bool]

    def established(self) -> frozenset[Fact]:
        """All that holds, by one pass forward over the rules."""
        known = set(self.facts)
        subjects = {subject for subject, _ in (*self.facts, *self.amounts)}
        for rule in self.rules:
            for subject in subjects:
                if self._fires(rule, subject, known):
                    known.add((subject, rule.gives))
        return frozenset(known)

    def supports(self, claim: RuleClaim) -> bool:
        """Whether the book bears a claim out."""
        if claim.about == "said":
            return self.said.get(claim.subject) is claim.value
        holds = (claim.subject, claim.predicate) in self.established()
        return holds if claim.about == "holds" else not holds

    def assuming(self, claim: RuleClaim) -> "RuleBook":
        """The book in which a claim holds that does not hold here.

        What is claimed to be open is taken back along with the rules that give it.
        """
        match claim.about:
            case "holds":
                fact = (claim.subject, claim.predicate)
                return replace(self, facts=self.facts | {fact})
            case "said":
                return replace(self, said={**self.said, claim.subject: claim.value})
            case "open":
                facts = self.facts - {(claim.subject, claim.predicate)}
                rules = tuple(rule for rule in self.rules if rule.gives != claim.predicate)
                return replace(self, facts=facts, rules=rules)

    def is_a_case(self, category: FaithfulnessError, claim: RuleClaim) -> bool:
        """Whether a claim is wrong in the way the category means; see `docs/exact-context.md`."""
        if self.supports(claim) or (claim.about == "said") != (
            category == "wrong_argument_reading"
        ):
            return False
        known = self.established()
        subject, predicate = claim.subject, claim.predicate
        if claim.about == "open":
            fires = (
                self._fires(r, subject, set(known)) for r in self.rules if r.gives == predicate
            )
            return category == "rule_violation" and any(fires)
        match category:
            case "wrong_argument_reading":
                return subject in self.said
            case "reversed_reasoning":
                signs = {rule.gives for rule in self.rules if rule.needs == (predicate,)}
                back = {rule.needs for rule in self.rules if rule.gives == predicate}
                return any((subject, s) in known and (s,) not in back for s in signs)
            case "overreaching_claim":
                strict = {(rule.needs, rule.gives) for rule in self.rules}
                return any(
                    (subject, some) in known and ((some,), many) not in strict
                    for some, many in self.loose
                    if many == predicate
                )
            case "rule_violation":
                return any(
                    all((subject, need) in known for need in rule.needs)
                    and not self._fires(rule, subject, set(known))
                    for rule in self.rules
                    if rule.gives == predicate
                )
            case _:
                return False

    def _fires(self, rule: Rule, subject: str, known: set[Fact]) -> bool:
        if any((subject, need) not in known for need in rule.needs):
            return False
        if any((subject, bar) in known for bar in rule.unless):
            return False
        if rule.limit is None:
            return True
        measure, amount = rule.limit
        return self.amounts.get((subject, measure), 0) >= amount

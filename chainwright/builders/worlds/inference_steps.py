"""Steps of the inference track: read claims and facts, apply rules, leave open, give a verdict."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chainwright.builders.worlds.plan import Plant, Said
from chainwright.builders.worlds.rules import RuleBook, RuleClaim
from chainwright.builders.worlds.wording import listed, said_in, sentence
from chainwright.builders.worlds.words.inference import InferenceDomain, Limit, Loose, Phrase, Sign


@dataclass(frozen=True)
class Case:
    """What all steps of a problem share.

    Attributes:
        about: Whom the question is about.
        permit: What is in question.
        at: The passage of each predicate's rule, loose statement or fact, by `yes`.
    """

    domain: InferenceDomain
    book: RuleBook
    about: str
    permit: Phrase
    at: Mapping[str, int]
    rule_at: Mapping[str, int]
    claims_at: int

    def every(self, needs: Phrase, gives: Phrase) -> str:
        """A strict rule as a clause."""
        return f"every {self.domain.noun} {self.domain.who} {needs.yes} {gives.yes}"

    def all(self, needs: Phrase, gives: Phrase) -> str:
        """The same of several, without the word `all`."""
        return f"the {self.domain.nouns} {self.domain.who} {needs.many} {gives.many}"


@dataclass(frozen=True)
class ReadClaims:
    """What the speakers claim."""

    case: Case
    speakers: tuple[str, ...]
    style: int
    uses: tuple[int, ...] = ()
    rests_on_context: bool = True

    def say(self, given: Sequence[Any]) -> Said:
        """By speaker whether the claim is that the permit holds."""
        return self._said(dict(self.case.book.said))

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """One speaker's claim turned round, or those of two exchanged."""
        said = self.case.book.said
        if len(self.speakers) == 1:
            (speaker,) = self.speakers
            others = [said[other] for other in said if other != speaker]
            kind = "speaker_swapped" if (not said[speaker]) in others else "claim_turned"
            wrong = {**said, speaker: not said[speaker]}
        else:
            speaker, kind = self.speakers[0], "speakers_exchanged"
            wrong = {name: not value for name, value in said.items()}
        yield Plant(
            "wrong_argument_reading",
            kind,
            self._said(wrong),
            RuleClaim("said", speaker, self.case.permit.yes, wrong[speaker]),
            before=f"{speaker} {self._claims(said[speaker])} [{self.case.claims_at}]",
            after=f"{speaker} {self._claims(wrong[speaker])}",
        )

    def _said(self, said: Mapping[str, bool]) -> Said:
        clauses = [f"{speaker} {self._claims(said[speaker])}" for speaker in self.speakers]
        text = said_in(listed(clauses), (self.case.claims_at,), self.style)
        claims = tuple(
            RuleClaim("said", speaker, self.case.permit.yes, said[speaker])
            for speaker in self.speakers
        )
        return Said({speaker: said[speaker] for speaker in self.speakers}, text, claims)

    def _claims(self, holds: bool) -> str:
        return f"claims that {self.case.about} {phrase(self.case.permit, holds)}"


@dataclass(frozen=True)
class ReadFacts:
    """Facts of the one in question, as they stand in the passages."""

    case: Case
    predicates: tuple[Phrase, ...]
    style: int
    uses: tuple[int, ...] = ()
    rests_on_context: bool = True

    def say(self, given: Sequence[Any]) -> Said:
        """True: the facts hold."""
        clause = f"{self.case.about} {listed([one.yes for one in self.predicates])}"
        cites = sorted({self.case.at[one.yes] for one in self.predicates})
        claims = tuple(RuleClaim("holds", self.case.about, one.yes) for one in self.predicates)
        return Said(True, said_in(clause, cites, self.style), claims)

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """None: inventing or denying facts belongs to the other track."""
        yield from ()


@dataclass(frozen=True)
class ApplyRule:
    """A rule whose condition the one in question meets."""

    case: Case
    needs: Phrase
    gives: Phrase
    uses: tuple[int, ...]
    style: int
    rests_on_context: bool = True

    def say(self, given: Sequence[Any]) -> Said:
        """True: what the rule gives holds; worded as plants are that reverse or overreach."""
        case, needs, gives = self.case, self.needs, self.gives
        about, rule, at, facts = case.about, case.every(needs, gives), *self._places()
        text = (
            f"{about} {needs.yes} [{facts}], and by [{at}] {rule}; so {about} {gives.yes}",
            f"By [{at}], {rule}. Since {about} {needs.yes} [{facts}], it follows that {about} "
            f"{gives.yes}",
            f"{about} {needs.yes} [{facts}], and according to [{at}] all {case.all(needs, gives)}; "
            f"so {about} {gives.yes}",
            f"[{at}] tells us that {case.all(needs, gives)}. Since {about} {needs.yes} [{facts}], "
            f"{about} {gives.yes} too",
        )[self.style % 4]
        return Said(True, sentence(text), (RuleClaim("holds", about, gives.yes),))

    def _places(self) -> tuple[int, int]:
        return self.case.rule_at[self.gives.yes], self.case.at[self.needs.yes]

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """None: the rule is met and has no exception."""
        yield from ()


@dataclass(frozen=True)
class NotBackwards:
    """A sign is there, and its cause is not thereby shown."""

    case: Case
    pair: Sign
    style: int
    uses: tuple[int, ...] = ()
    rests_on_context: bool = True

    def say(self, given: Sequence[Any]) -> Said:
        """False: the cause is not established."""
        cause, sign = self.pair.cause, self.pair.sign
        about, rule = self.case.about, self.case.every(cause, sign)
        at, facts = self.case.rule_at[sign.yes], self.case.at[sign.yes]
        text = (
            f"{about} {sign.yes} [{facts}], but [{at}] only says that {rule}; the rule does not "
            f"run the other way, so it is not shown that {about} {cause.yes}."
        )
        return Said(False, sentence(text), (RuleClaim("open", about, cause.yes),))

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """The rule is run backwards."""
        cause, sign = self.pair.cause, self.pair.sign
        about, rule = self.case.about, self.case.every(cause, sign)
        at, facts = self.case.rule_at[sign.yes], self.case.at[sign.yes]
        text = (
            f"{about} {sign.yes} [{facts}], and by [{at}] {rule}; so {about} {cause.yes}.",
            f"By [{at}], {rule}. Since {about} {sign.yes} [{facts}], it follows that {about} "
            f"{cause.yes}.",
        )[self.style % 2]
        claim = RuleClaim("holds", about, cause.yes)
        yield Plant(
            "reversed_reasoning",
            "rule_reversed",
            Said(True, sentence(text), (claim,)),
            claim,
            before=f"[{at}] says that {rule}, not that {self.case.every(sign, cause)}",
            after=f"{about} {sign.yes}, so {about} {cause.yes}",
        )


@dataclass(frozen=True)
class LeftOpen:
    """What holds of some need not hold of this one."""

    case: Case
    pair: Loose
    quantity: str
    style: int
    uses: tuple[int, ...] = ()
    rests_on_context: bool = True

    def say(self, given: Sequence[Any]) -> Said:
        """False: it is not established."""
        about, some, many = self.case.about, self.pair.some, self.pair.many
        at, facts = self.case.rule_at[many.yes], self.case.at[some.yes]
        text = (
            f"{about} {some.yes} [{facts}], and [{at}] says that {self.stated}; that leaves open "
            f"whether {about} {many.yes}."
        )
        return Said(False, sentence(text), (RuleClaim("open", about, many.yes),))

    @property
    def stated(self) -> str:
        """The loose statement as a clause."""
        return loosely(self.case.domain, self.pair, self.quantity)

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """What is said of some is taken to hold of all."""
        about, some, many = self.case.about, self.pair.some, self.pair.many
        at, facts = self.case.rule_at[many.yes], self.case.at[some.yes]
        every = self.case.all(some, many)
        text = (
            f"{about} {some.yes} [{facts}], and according to [{at}] all {every}; so {about} "
            f"{many.yes}.",
            f"[{at}] tells us that {every}. Since {about} {some.yes} [{facts}], {about} "
            f"{many.yes} too.",
        )[self.style % 2]
        claim = RuleClaim("holds", about, many.yes)
        yield Plant(
            "overreaching_claim",
            "some_to_all",
            Said(True, sentence(text), (claim,)),
            claim,
            before=f"[{at}] says only that {self.stated}",
            after=f"all {every}, {about} included",
        )


@dataclass(frozen=True)
class HoldAgainstLimit:
    """An amount that reaches the limit of a rule, or does not."""

    case: Case
    limit: Limit
    bound: int
    amount: int
    style: int
    uses: tuple[int, ...] = ()
    rests_on_context: bool = True

    def say(self, given: Sequence[Any]) -> Said:
        """Whether the rule applies."""
        applies = self.amount >= self.bound
        return Said(applies, self._text(applies), (self._claim(applies),))

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """The rule is applied although its condition fails, or not applied although it holds."""
        about, result, applies = self.case.about, self.limit.result, self.amount < self.bound
        at = self.case.rule_at[result.yes]
        claim = self._claim(applies)
        yield Plant(
            "rule_violation",
            "condition_ignored" if applies else "rule_not_applied",
            Said(applies, self._text(applies), (claim,)),
            claim,
            before=f"the rule in [{at}] takes {self.bound} {self.limit.measure}, and {about} has "
            f"{self.amount}",
            after=f"{about} {phrase(result, applies)} as far as that rule goes",
        )

    def _text(self, applies: bool) -> str:
        """The step, rightly or wrongly, in the same words."""
        about, result = self.case.about, self.limit.result
        at, facts = self._places()
        has = f"{about} has {self.amount} {self.limit.measure} [{facts}]"
        if applies:
            texts = (
                f"{has}, so by the rule in [{at}] {about} {result.yes}",
                f"Under the rule in [{at}], {about} {result.yes}, for {has}",
                f"{has}, and the rule in [{at}] asks for {self.bound}; that reaches the mark, so "
                f"{about} {result.yes}",
            )
        else:
            texts = (
                f"{has}, which the rule in [{at}] does not yet count, so {about} {result.no} on "
                "this ground",
                f"The rule in [{at}] does not touch {about}: {has}, so {about} {result.no} on this "
                "ground",
                f"{has}, and the rule in [{at}] asks for {self.bound}; that is below the mark, so "
                f"{about} {result.no} on this ground",
            )
        return sentence(texts[self.style % 3])

    def _places(self) -> tuple[int, int]:
        return self.case.rule_at[self.limit.result.yes], self.case.at[self.limit.measure]

    def _claim(self, applies: bool) -> RuleClaim:
        return RuleClaim("holds" if applies else "open", self.case.about, self.limit.result.yes)


def phrase(one: Phrase, holds: bool) -> str:
    """A predicate, or its negation."""
    return one.yes if holds else one.no


def loosely(domain: InferenceDomain, pair: Loose, quantity: str) -> str:
    """A loose statement as a clause."""
    return f"{quantity} the {domain.nouns} {domain.who} {pair.some.many} {pair.many.many}"

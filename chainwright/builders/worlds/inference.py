"""Inference problems: a body of rules told in passages, and what people claim under it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from chainwright.builders.worlds.draws import Draw
from chainwright.builders.worlds.inference_decision import Decide, Verdict, right_one
from chainwright.builders.worlds.inference_passages import told
from chainwright.builders.worlds.inference_steps import (
    ApplyRule,
    Case,
    HoldAgainstLimit,
    LeftOpen,
    NotBackwards,
    ReadClaims,
    ReadFacts,
)
from chainwright.builders.worlds.made import Made, WorldKey
from chainwright.builders.worlds.plan import Step
from chainwright.builders.worlds.rules import Fact, Rule, RuleBook
from chainwright.builders.worlds.wording import sentence
from chainwright.builders.worlds.words.domains import INFERENCE_DOMAINS
from chainwright.builders.worlds.words.inference import (
    InferenceDomain,
    Limit,
    Loose,
    Phrase,
    Sign,
)

BARRED = "(barred)"
"""Predicate of whoever has the flaw and no exemption; no passage names it."""

LIMIT_IS_MET = 0.3
"""Share of the limits that the one in question reaches."""


@dataclass(frozen=True)
class Setting:
    """What a problem is about.

    Attributes:
        about, other: The one in question, and another who is told of.
        flaw: Bars the permit, and the roads lead to an exemption; None = they lead to a bar.
        roads: Ways to a bar or an exemption: a sign, a loose statement, a limit.
        bound, amount, others_amount: Of the limit.
        asked: The speakers whose claims the question is about, one or two.
    """

    domain: InferenceDomain
    about: str
    other: str
    test: Phrase
    standing: Phrase
    dues: Phrase
    permit: Phrase
    flaw: Phrase | None
    roads: tuple[Sign | Loose | Limit, ...]
    bound: int
    amount: int
    others_amount: int
    quantity: str
    said: dict[str, bool]
    asked: tuple[str, ...]

    @property
    def ends(self) -> tuple[Phrase, ...]:
        """What each road leads to."""
        return tuple(end_of(road) for road in self.roads)


def end_of(road: Sign | Loose | Limit) -> Phrase:
    """The bar or exemption a road leads to."""
    if isinstance(road, Sign):
        return road.cause
    return road.many if isinstance(road, Loose) else road.result


def inference_problem(key: WorldKey) -> Made:
    """The problem of a key."""
    draw = Draw(key)
    setting = _drawn_setting(draw)
    book = book_of(setting)
    text = told(setting, draw)
    case = Case(
        setting.domain, book, setting.about, setting.permit, text.at, text.rule_at, text.claims_at
    )
    return Made(
        key=key,
        domain=setting.domain.name,
        pattern="exemption" if setting.flaw else "bars",
        question=_question(setting, draw),
        passages=text.passages,
        options=tuple(sentence(one).rstrip(".") for one in setting.asked[:2])
        if len(setting.asked) > 1
        else (),
        answer=answer_under(setting, book),
        answer_kind="option" if len(setting.asked) > 1 else "text",
        steps=_Plan(case, setting, draw).all(),
        asked=setting,
        world=book,
        answer_in=lambda world: answer_under(setting, world),
    )


def book_of(setting: Setting) -> RuleBook:
    """The rule book of a setting: all that its passages say."""
    about, other = setting.about, setting.other
    facts: set[Fact] = {(about, setting.test.yes), (about, setting.dues.yes)}
    facts.add((other, setting.dues.yes))
    if setting.flaw:
        facts.add((about, setting.flaw.yes))
    rules = [Rule((setting.test.yes,), setting.standing.yes)]
    loose: list[tuple[str, str]] = []
    amounts: dict[Fact, int] = {}
    for road in setting.roads:
        if isinstance(road, Sign):
            facts |= {(about, road.sign.yes), (other, road.cause.yes)}
            rules.append(Rule((road.cause.yes,), road.sign.yes))
        elif isinstance(road, Loose):
            facts |= {(about, road.some.yes), (other, road.some.yes), (other, road.many.yes)}
            loose.append((road.some.yes, road.many.yes))
        else:
            amounts[about, road.measure] = setting.amount
            amounts[other, road.measure] = setting.others_amount
            rules.append(Rule((), road.result.yes, limit=(road.measure, setting.bound)))
    ends = tuple(end.yes for end in setting.ends)
    conditions = (setting.standing.yes, setting.dues.yes)
    if setting.flaw:
        rules.append(Rule((setting.flaw.yes,), BARRED, unless=ends))
        rules.append(Rule(conditions, setting.permit.yes, unless=(BARRED,)))
    else:
        rules.append(Rule(conditions, setting.permit.yes, unless=ends))
    return RuleBook(frozenset(facts), amounts, tuple(rules), tuple(loose), dict(setting.said))


def answer_under(setting: Setting, book: RuleBook) -> str:
    """The answer in a book, from what is established in it and what is claimed."""
    holds = (setting.about, setting.permit.yes) in book.established()
    if len(setting.asked) > 1:
        return right_one(setting.asked, book.said, holds)
    return "yes" if book.said[setting.asked[0]] is holds else "no"


def _drawn_setting(draw: Draw) -> Setting:
    domain = draw.choice(INFERENCE_DOMAINS)
    about, other = draw.some(domain.names, 2)
    flaw = draw.choice(domain.flaws) if draw.chance(0.5) else None
    pools: tuple[Sequence[Sign | Loose | Limit], ...] = (
        (domain.free_signs, domain.free_loose, domain.free_limits)
        if flaw
        else (domain.bar_signs, domain.bar_loose, domain.bar_limits)
    )
    roads = [draw.choice(pool) for pool in pools]
    if draw.chance(0.4):
        # the limit is what a rule can be broken at where there is no exception
        roads.pop(draw.below(3 if flaw else 2))
    limits = [road for road in roads if isinstance(road, Limit)]
    low, high = (limits[0].low, limits[0].high) if limits else (3, 3)
    bound = low + draw.below(high - low + 1)
    met = draw.chance(LIMIT_IS_MET)
    first, second = draw.some(domain.speakers, 2)
    said = {first: draw.chance(0.5)}
    two = draw.chance(0.35)
    if two or draw.chance(0.6):
        said[second] = not said[first]
    return Setting(
        domain=domain,
        about=about,
        other=other,
        test=draw.choice(domain.tests),
        standing=draw.choice(domain.standings),
        dues=draw.choice(domain.dues),
        permit=draw.choice(domain.permits),
        flaw=flaw,
        roads=tuple(draw.shuffled(roads)),
        bound=bound,
        amount=bound + draw.below(3) if met else max(2, bound - 1 - draw.below(2)),
        others_amount=bound + draw.below(4),
        quantity=draw.choice(("some of", "most of", "many of", "a few of")),
        said=said,
        asked=(first, second) if two else (first,),
    )


def _question(setting: Setting, draw: Draw) -> str:
    about = setting.about
    terms = draw.choice(
        (
            "Take as established only what these papers state or what follows from their rules.",
            "Only what the papers state, or what their rules yield, counts as established.",
        )
    )
    if len(setting.asked) > 1:
        one, two = setting.asked
        return f"{sentence(one).rstrip('.')} and {two} differ about {about}. {terms} Who is right?"
    (speaker,) = setting.asked
    return f"{terms} Is what {speaker} claims about {about} right?"


@dataclass
class _Plan:
    """The steps, with what is read first in a drawn order."""

    case: Case
    setting: Setting
    draw: Draw
    steps: list[Step] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def all(self) -> tuple[Step, ...]:
        case, setting = self.case, self.setting
        blocks: list[Callable[[], None]] = [self.claims, self.standing]
        if setting.flaw is not None:
            blocks.append(self.flaw)
        blocks += [self.road_block(place) for place in range(len(setting.roads))]
        for block in self.draw.shuffled(blocks):
            block()
        uses = [self.places["standing"], self.places["facts"]]
        uses += [self.places["flaw"]] if setting.flaw is not None else []
        uses += [self.places[f"road {place}"] for place in range(len(setting.roads))]
        style = self.draw.below(2)
        decided = self.add(
            Decide(
                case, setting.standing, setting.dues, setting.flaw, setting.ends, tuple(uses), style
            )
        )
        self.add(Verdict(case, setting.asked, (self.places["claims"], decided)))
        return tuple(self.steps)

    def add(self, step: Step, name: str = "") -> int:
        self.steps.append(step)
        place = len(self.steps) - 1
        if name:
            self.places[name] = place
        return place

    def claims(self) -> None:
        self.add(ReadClaims(self.case, self.setting.asked, self.draw.below(3)), "claims")

    def standing(self) -> None:
        setting = self.setting
        facts = ReadFacts(self.case, (setting.test, setting.dues), self.draw.below(3))
        place = self.add(facts, "facts")
        self.add(
            ApplyRule(self.case, setting.test, setting.standing, (place,), self.draw.below(4)),
            "standing",
        )

    def flaw(self) -> None:
        if self.setting.flaw is not None:
            self.add(ReadFacts(self.case, (self.setting.flaw,), self.draw.below(3)), "flaw")

    def road_block(self, place: int) -> Callable[[], None]:
        def add() -> None:
            self.add(self.road(self.setting.roads[place]), f"road {place}")

        return add

    def road(self, road: Sign | Loose | Limit) -> Any:
        case, setting, style = self.case, self.setting, self.draw.below(6)
        if isinstance(road, Sign):
            return NotBackwards(case, road, style)
        if isinstance(road, Loose):
            return LeftOpen(case, road, setting.quantity, style)
        return HoldAgainstLimit(case, road, setting.bound, setting.amount, style)

"""Passages of the inference track: the rules, the facts and the claims, told as papers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chainwright.builders.worlds.draws import Draw
from chainwright.builders.worlds.inference_steps import loosely, phrase
from chainwright.builders.worlds.wording import listed, sentence
from chainwright.builders.worlds.words.inference import Limit, Loose, Sign
from chainwright.schemas.problem import Passage

if TYPE_CHECKING:
    from chainwright.builders.worlds.inference import Setting


@dataclass
class Told:
    """The passages, and where things stand in them.

    Attributes:
        at: Passage of each fact of the one in question, by predicate or measure.
        rule_at: Passage of the rule or loose statement that is about a predicate.
        claims_at: Passage of the claims.
    """

    passages: tuple[Passage, ...] = ()
    at: dict[str, int] = field(default_factory=dict)
    rule_at: dict[str, int] = field(default_factory=dict)
    claims_at: int = 0


def told(setting: "Setting", draw: Draw) -> Told:
    """The passages of a setting: main rule, other rules, facts of one or both, claims."""
    out = Told()
    titles = setting.domain.titles
    texts = [(titles[0], _main_rule(setting, draw)), (titles[1], _other_rules(setting, draw))]
    for name in (setting.permit.yes,):
        out.rule_at[name] = 1
    out.rule_at[setting.standing.yes] = 2
    for road in setting.roads:
        key = road.sign if isinstance(road, Sign) else None
        end = road.many if isinstance(road, Loose) else None
        end = road.result if isinstance(road, Limit) else end
        out.rule_at[(key or end or setting.standing).yes] = 2
    persons = draw.shuffled((setting.about, setting.other))
    facts = {name: _facts(setting, name, draw) for name in persons}
    if draw.chance(0.5):
        texts.append((titles[2], " ".join(facts[name] for name in persons)))
        facts_at = 3
    else:
        names = [sentence(name).rstrip(".") for name in persons]
        texts += [
            (f"{titles[2]}: {name}", facts[person])
            for name, person in zip(names, persons, strict=True)
        ]
        facts_at = 3 + persons.index(setting.about)
    texts.append((titles[3], _claims(setting, draw)))
    out.claims_at = len(texts)
    for fact in _predicates(setting, setting.about):
        out.at[fact] = facts_at
    out.passages = tuple(
        Passage(ref=ref, title=title, text=text) for ref, (title, text) in enumerate(texts, 1)
    )
    return out


def _main_rule(setting: "Setting", draw: Draw) -> str:
    domain, permit = setting.domain, setting.permit
    noun, who = domain.noun, domain.who
    conditions = f"{setting.standing.yes} and {setting.dues.yes}"
    ends = listed([end.yes for end in setting.ends], "or")
    start = sentence(f"{_a(noun)} {who} {conditions} {permit.yes}").rstrip(".")
    if setting.flaw is None:
        texts = (
            f"{start}, unless that {noun} {ends}. In all other cases {_a(noun)} {permit.no}.",
            f"{start}. This does not go for {_a(noun)} {who} {ends}. Nobody and nothing else gains "
            f"this right: any other {noun} {permit.no}.",
        )
    else:
        texts = (
            f"{start}, except {_a(noun)} {who} {setting.flaw.yes}. Exempt from this exception is "
            f"{_a(noun)} {who} {ends}. In all other cases {_a(noun)} {permit.no}.",
            f"{start}, but not if that {noun} {setting.flaw.yes}. That bar does not touch "
            f"{_a(noun)} {who} {ends}. Any other {noun} {permit.no}.",
        )
    return draw.choice(texts)


def _other_rules(setting: "Setting", draw: Draw) -> str:
    domain = setting.domain
    noun, who = domain.noun, domain.who
    rules = [
        draw.choice(
            (
                f"Every {noun} {who} {setting.test.yes} {setting.standing.yes}.",
                f"{sentence(_a(noun)).rstrip('.')} {who} {setting.test.yes} "
                f"{setting.standing.yes}.",
            )
        )
    ]
    for road in setting.roads:
        if isinstance(road, Sign):
            rules.append(f"Every {noun} {who} {road.cause.yes} {road.sign.yes}.")
        elif isinstance(road, Loose):
            rules.append(sentence(loosely(domain, road, setting.quantity)))
        else:
            rules.append(
                sentence(
                    f"{_a(noun)} with {setting.bound} or more {road.measure} {road.result.yes}"
                )
            )
    return " ".join(draw.shuffled(rules))


def _predicates(setting: "Setting", name: str) -> dict[str, str]:
    """What is said of someone: predicate or measure, and the verb phrase."""
    about = name == setting.about
    out = {setting.dues.yes: setting.dues.yes}
    out[setting.test.yes] = setting.test.yes if about else setting.test.no
    if setting.flaw is not None:
        out[setting.flaw.yes] = phrase(setting.flaw, about)
    for road in setting.roads:
        if isinstance(road, Sign):
            one = road.sign if about else road.cause
            out[one.yes] = one.yes
        elif isinstance(road, Loose):
            out[road.some.yes] = road.some.yes
            if not about:
                out[road.many.yes] = road.many.yes
        else:
            amount = setting.amount if about else setting.others_amount
            out[road.measure] = f"has {amount} {road.measure}"
    return out


def _facts(setting: "Setting", name: str, draw: Draw) -> str:
    parts = draw.shuffled(list(_predicates(setting, name).values()))
    pairs: list[Sequence[str]] = [parts[at : at + 2] for at in range(0, len(parts), 2)]
    short = name.split(maxsplit=1)[0] if setting.domain.who == "who" else "it"
    names = [name] + [short] * (len(pairs) - 1)
    return " ".join(
        sentence(f"{who} {listed(pair)}") for who, pair in zip(names, pairs, strict=True)
    )


def _claims(setting: "Setting", draw: Draw) -> str:
    verbs = draw.shuffled(("claims", "is sure", "maintains"))
    lines = [
        sentence(f"{speaker} {verb} that {setting.about} {phrase(setting.permit, holds)}")
        for (speaker, holds), verb in zip(setting.said.items(), verbs, strict=False)
    ]
    if len(lines) == 1:
        rest = [one for one in setting.domain.speakers if one not in setting.said]
        holds = phrase(setting.permit, draw.chance(0.5))
        lines.append(sentence(f"{draw.choice(rest)} {verbs[1]} that {setting.other} {holds}"))
    return " ".join(draw.shuffled(lines))


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"

"""Grounding problems: a fact table told in passages, and a question over several of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chainwright.builders.worlds.draws import Draw
from chainwright.builders.worlds.facts import FactTable, Key, Pattern, Query, Value, Way, solve
from chainwright.builders.worlds.grounding_plans import plan_of
from chainwright.builders.worlds.grounding_steps import answer_text
from chainwright.builders.worlds.made import Made, WorldKey
from chainwright.builders.worlds.plan import DeadEndError
from chainwright.builders.worlds.questions import question_of
from chainwright.builders.worlds.telling import Frame
from chainwright.builders.worlds.wording import changed, sentence, shown
from chainwright.builders.worlds.words.domains import GROUNDING_DOMAINS
from chainwright.builders.worlds.words.grounding import (
    PERSONS,
    Flag,
    GroundingDomain,
    Kind,
    Number,
    Relation,
)
from chainwright.schemas.problem import Passage

MOST_PASSAGES = 6

_CAST: dict[Pattern, tuple[int, int, int, int]] = {
    # candidates, other items, persons told of, places told of
    "filter_best": (4, 1, 0, 0),
    "hop_flag": (1, 1, 2, 2),
    "hop_compare": (2, 1, 3, 0),
    "best_hop": (3, 0, 3, 0),
    "count": (3, 1, 4, 0),
    "gap": (2, 1, 3, 0),
}
_PATTERNS: tuple[Pattern, ...] = (
    *("filter_best", "filter_best", "hop_flag", "hop_flag", "count", "count"),
    *("hop_compare", "best_hop", "gap"),
)
"""Twice those with a yes or no of the passages in them, since only that can be negated."""


def grounding_problem(key: WorldKey) -> Made:
    """The problem of a key.

    Worlds whose question has no single answer are drawn again, so there is always a problem.
    """
    pattern = Draw(key).choice(_PATTERNS)
    attempt = 0
    while True:
        try:
            return _attempt(key, pattern, Draw(key, attempt))
        except DeadEndError:
            attempt += 1


def _attempt(key: WorldKey, pattern: Pattern, draw: Draw) -> Made:
    domain = draw.choice(GROUNDING_DOMAINS)
    cast = _drawn_cast(domain, pattern, draw)
    query = _drawn_query(domain, pattern, cast, draw)
    facts = _drawn_facts(domain, cast, draw)
    _drawn_silence(query, cast, facts, draw)
    table = FactTable(facts, _drawn_changes(domain, cast, query, facts, draw))
    answer = solve(table, query)
    if answer is None or not _worth_asking(table, query):
        raise DeadEndError("dull", "the question has an answer that takes no reasoning")
    passages, at, notes = _told(domain, cast, table, draw)
    frame = Frame(table, at, notes, cast.peers, " ".join(p.text for p in passages), str(key))
    return Made(
        key=key,
        domain=domain.name,
        pattern=pattern,
        question=question_of(domain, query, draw),
        passages=passages,
        options=(),
        answer=answer_text(answer),
        answer_kind="number" if pattern in ("count", "gap") else "text",
        steps=plan_of(frame, domain, query, draw),
        asked=query,
        world=table,
        answer_in=lambda world: answer_text(solve(world, query)),
    )


@dataclass
class _Cast:
    """The entities of a problem, and which relations are told of them."""

    candidates: list[str]
    items: list[str]
    persons: list[str]
    places: list[str]
    relations: dict[Kind, list[Relation]] = field(default_factory=dict)

    @property
    def peers(self) -> dict[str, list[str]]:
        """The entities of each relation."""
        of: dict[Kind, list[str]] = {
            "item": self.items,
            "person": self.persons,
            "place": self.places,
        }
        return {r.name: of[kind] for kind, relations in self.relations.items() for r in relations}


def _drawn_cast(domain: GroundingDomain, pattern: Pattern, draw: Draw) -> _Cast:
    candidates, others, persons, places = _CAST[pattern]
    if pattern == "filter_best":
        candidates -= draw.below(2)
    items = draw.some(domain.items, candidates + others)
    cast = _Cast(items[:candidates], items, draw.some(PERSONS, persons or len(items)), [])
    cast.places = draw.some(domain.places, max(places, len(cast.persons)))
    number, flag = draw.choice(domain.item_numbers), draw.choice(domain.item_flags)
    cast.relations["item"] = [domain.person, number, flag]
    if persons:
        told: list[Relation] = [domain.place, domain.person_number, domain.person_flag]
        cast.relations["person"] = told if pattern != "hop_flag" else told[:2]
    if places:
        cast.places = cast.places[:places]
        cast.relations["place"] = [draw.choice(domain.place_flags), domain.place_number]
    return cast


def _drawn_query(domain: GroundingDomain, pattern: Pattern, cast: _Cast, draw: Draw) -> Query:
    way: Way = draw.choice(("least", "most"))
    item = cast.relations["item"]
    flag, number = {
        "filter_best": (item[2].name, item[1].name),
        "hop_flag": (cast.relations.get("place", item)[0].name, ""),
        "hop_compare": ("", domain.person_number.name),
        "best_hop": ("", item[1].name),
        "count": (domain.person_flag.name, ""),
        "gap": ("", domain.person_number.name),
    }[pattern]
    return Query(
        pattern,
        tuple(cast.candidates),
        person=domain.person.name,
        place=domain.place.name,
        flag=flag,
        number=number,
        way=way,
    )


def _drawn_facts(domain: GroundingDomain, cast: _Cast, draw: Draw) -> dict[Key, Value]:
    facts: dict[Key, Value] = {}
    targets = {domain.person.name: cast.persons, domain.place.name: cast.places}
    for relations in cast.relations.values():
        for relation in relations:
            peers = cast.peers[relation.name]
            values: Sequence[Value]
            if isinstance(relation, Number):
                values = _apart(relation, len(peers), draw)
            elif isinstance(relation, Flag):
                values = [draw.chance(0.55) for _ in peers]
            else:
                pool = draw.shuffled(targets[relation.name])
                values = [pool[place % len(pool)] for place in range(len(peers))]
            for entity, value in zip(peers, values, strict=True):
                facts[entity, relation.name] = value
    return facts


def _drawn_silence(query: Query, cast: _Cast, facts: dict[Key, Value], draw: Draw) -> None:
    """Takes a flag out of some worlds in which what is not said counts as not so."""
    if query.pattern in ("filter_best", "count") and draw.chance(0.4):
        entities = cast.candidates if query.pattern == "filter_best" else cast.persons
        del facts[draw.choice(entities), query.flag]


def _apart(relation: Number, count: int, draw: Draw) -> list[int]:
    """Different numbers; times of day at full five minutes."""
    step = 5 if relation.clock else 1
    steps = (relation.high - relation.low) // step
    return [relation.low + step * place for place in draw.some(range(steps + 1), count)]


def _drawn_changes(
    domain: GroundingDomain, cast: _Cast, query: Query, facts: dict[Key, Value], draw: Draw
) -> dict[Key, Value]:
    """Later changes: one that may matter in half of the problems, and now and then another."""
    changes: dict[Key, Value] = {}
    asked = {query.person, query.place, query.flag, query.number}
    for matters, share in ((True, 0.5), (False, 0.3)):
        keys = [key for key in facts if (key[1] in asked) is matters and key not in changes]
        if not keys or not draw.chance(share):
            continue
        entity, name = draw.choice(keys)
        old = facts[entity, name]
        if isinstance(old, bool):
            changes[entity, name] = not old
        elif isinstance(old, int):
            relation = next(r for rs in cast.relations.values() for r in rs if r.name == name)
            taken = {value for (_, other), value in facts.items() if other == name}
            if isinstance(relation, Number):
                new = _apart(relation, len(taken) + 1, draw)
                changes[entity, name] = next(value for value in new if value not in taken)
        else:
            pool = cast.persons if name == domain.person.name else cast.places
            changes[entity, name] = draw.choice([one for one in pool if one != old])
    return changes


def _worth_asking(table: FactTable, query: Query) -> bool:
    """Whether the question takes what it seems to take, such as a filter that leaves something."""
    if query.pattern == "filter_best":
        flags = [table.value(name, query.flag) for name in query.candidates]
        return 1 < flags.count(True) < len(flags)
    if query.pattern == "count":
        return 0 < int(solve(table, query) or 0) < len(query.candidates)
    return True


def _told(
    domain: GroundingDomain, cast: _Cast, table: FactTable, draw: Draw
) -> tuple[tuple[Passage, ...], dict[Key, int], int]:
    """The passages in a drawn order, where each fact stands, and where later changes stand."""
    kinds: list[tuple[Kind, list[str]]] = [("item", cast.items)]
    kinds += [("person", cast.persons)] if "person" in cast.relations else []
    kinds += [("place", cast.places)] if "place" in cast.relations else []
    about: list[tuple[str, list[tuple[Kind, str]]]] = []
    count = sum(len(names) for _, names in kinds) + bool(table.changes)
    for kind, names in kinds:
        together = count > MOST_PASSAGES and kind == "item"
        if together:
            about.append((f"From the {domain.name}", [(kind, name) for name in names]))
        else:
            about += [(sentence(name).rstrip("."), [(kind, name)]) for name in names]
    passages: list[Passage] = []
    at: dict[Key, int] = {}
    for ref, (title, entities) in enumerate(draw.shuffled(about), start=1):
        told: list[str] = []
        for kind, name in entities:
            told += _sentences(domain, kind, name, cast.relations[kind], table, draw)
            at.update({key: ref for key in table.facts if key[0] == name})
        passages.append(Passage(ref=ref, title=title, text=" ".join(told)))
    if not table.changes:
        return tuple(passages), at, 0
    of = {relation.name: relation for rs in cast.relations.values() for relation in rs}
    notes = [
        sentence(changed(of[name], entity, value))
        for (entity, name), value in table.changes.items()
    ]
    ref = len(passages) + 1
    passages.append(Passage(ref=ref, title=domain.notes, text=" ".join(draw.shuffled(notes))))
    return tuple(passages), at, ref


def _sentences(
    domain: GroundingDomain,
    kind: Kind,
    name: str,
    relations: Sequence[Relation],
    table: FactTable,
    draw: Draw,
) -> list[str]:
    """What a passage says of one entity; after the first sentence by a short name."""
    frames: list[tuple[str, str]] = []
    for relation in relations:
        value = table.facts.get((name, relation.name))
        if value is None:
            continue
        if isinstance(relation, Flag):
            frames.append((f"{{e}} {relation.yes if value else relation.no}.", ""))
        else:
            frames.append((draw.choice(relation.said), shown(relation, value)))
    frames = draw.shuffled(frames)
    if kind == "item":
        frames.insert(1 + draw.below(len(frames)), (draw.choice(domain.asides), ""))
    short = {"item": domain.item_pronoun, "person": name.rsplit(maxsplit=1)[-1], "place": "it"}[
        kind
    ]
    return [
        sentence(text.format(e=short if place and text.startswith("{e}") else name, v=value))
        for place, (text, value) in enumerate(frames)
    ]

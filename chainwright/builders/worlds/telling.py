"""Telling: what the passages say of an entity, and all that might be said wrongly of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from chainwright.builders.worlds.draws import Draw
from chainwright.builders.worlds.facts import Claim, FactTable, Key, Value
from chainwright.builders.worlds.plan import DeadEndError, Plant, Said
from chainwright.builders.worlds.wording import changed, claim, marks, shown
from chainwright.builders.worlds.words.grounding import Flag, Number, Relation
from chainwright.schemas.words import GroundingError


@dataclass(frozen=True)
class Frame:
    """What all steps of a problem share.

    Attributes:
        table: What the passages say.
        at: The passage that states each fact.
        notes: The passage with later changes; 0 = there is none.
        peers: The entities of each relation.
        text: All passages, to tell an invented number by.
        key: Of the problem, for what is drawn.
    """

    table: FactTable
    at: Mapping[Key, int]
    notes: int
    peers: Mapping[str, Sequence[str]]
    text: str
    key: str


def tell(
    frame: Frame, relation: Relation, entity: str
) -> tuple[str, Value | None, tuple[int, ...], tuple[Claim, ...]]:
    """What the passages say of an entity: a clause, the value, the passages, the claims.

    Of a flag they may say nothing, and that is what is said then.

    Raises:
        DeadEndError: `no_fact` where they give no link or number, which no right chain meets.
    """
    key = (entity, relation.name)
    value = frame.table.value(*key)
    if value is None and isinstance(relation, Flag):
        told = f"none of the passages says {relation.asked.format(e=entity)}"
        return told, None, (), (Claim("silent", *key),)
    if value is None:
        raise DeadEndError("no_fact", f"no passage says {relation.asked.format(e=entity)}")
    if key not in frame.table.changes:
        return (
            claim(relation, entity, value),
            value,
            (frame.at[key],),
            (Claim("current", *key, value),),
        )
    old = frame.table.facts[key]
    told = f"{claim(relation, entity, old)} {marks((frame.at[key],))}, but by a later note "
    told += changed(relation, entity, value)
    claims = (Claim("base", *key, old), Claim("changed", *key, value))
    return told, value, (frame.notes,), claims


@dataclass(frozen=True)
class WrongTelling:
    """What might be said wrongly of an entity."""

    category: GroundingError
    kind: str
    entity: str
    told: str
    value: Value | None
    cites: tuple[int, ...]
    claims: tuple[Claim, ...]
    before: str
    after: str

    def plant(self, said: Said) -> Plant:
        """The plant, with the whole step as it is said."""
        return Plant(
            self.category, self.kind, said, self.claims[-1], before=self.before, after=self.after
        )


def wrong_tellings(frame: Frame, relation: Relation, entity: str) -> Iterator[WrongTelling]:
    """All ways to be unfaithful to what the passages say of an entity and relation."""
    key = (entity, relation.name)
    here, old = frame.table.value(*key), frame.table.facts.get(key)
    if here is None or old is None:
        yield from _invented_facts(frame, relation, entity)
        return
    right, at = claim(relation, entity, here), frame.at[key]
    asked = relation.asked.format(e=entity)
    if key in frame.table.changes:
        told = f"{claim(relation, entity, old)} {marks((at,))}, and no later note changes that"
        yield WrongTelling(
            "evidence_neglect",
            "change_denied",
            entity,
            told,
            old,
            (),
            (Claim("unchanged", *key, old),),
            before=f"passage [{frame.notes}] notes that {changed(relation, entity, here)}",
            after="no later note changes that",
        )
        return
    yield WrongTelling(
        "evidence_neglect",
        "evidence_denied",
        entity,
        "",
        None,
        (),
        (Claim("silent", *key),),
        before=f"passage [{at}] says that {right}",
        after=f"none of the passages says {asked}",
    )
    for value in _inventions(frame, relation, entity, here):
        change = changed(relation, entity, value)
        yield WrongTelling(
            "groundedness_violation",
            "change_invented",
            entity,
            f"{right} {marks((at,))}, but {'by a later note ' if frame.notes else ''}{change}",
            value,
            (frame.notes,) if frame.notes else (),
            (Claim("base", *key, here), Claim("changed", *key, value)),
            before=f"the passages say only that {right}",
            after=change,
        )
    if isinstance(relation, Flag):
        wrong = claim(relation, entity, not here)
        yield WrongTelling(
            "contradiction",
            "negated",
            entity,
            wrong,
            not here,
            (at,),
            (Claim("current", *key, not here),),
            before=f"passage [{at}] says that {right}",
            after=wrong,
        )
        return
    for other in frame.peers[relation.name]:
        its = frame.table.facts.get((other, relation.name))
        if its is None or its == here or (other, relation.name) in frame.table.changes:
            continue
        wrong = claim(relation, entity, its)
        yield WrongTelling(
            "confusion",
            "entity_swapped",
            entity,
            wrong,
            its,
            (frame.at[other, relation.name],),
            (Claim("current", *key, its),),
            before=f"passage [{frame.at[other, relation.name]}] says that of {other}, and {right} "
            f"[{at}]",
            after=wrong,
        )


def _invented_facts(frame: Frame, relation: Relation, entity: str) -> Iterator[WrongTelling]:
    """That a flag holds of which the passages are silent."""
    if isinstance(relation, Flag):
        wrong = claim(relation, entity, value=True)
        yield WrongTelling(
            "groundedness_violation",
            "fact_invented",
            entity,
            wrong,
            True,
            tuple({at for (name, _), at in frame.at.items() if name == entity}),
            (Claim("current", entity, relation.name, value=True),),
            before=f"none of the passages says {relation.asked.format(e=entity)}",
            after=wrong,
        )


def _inventions(frame: Frame, relation: Relation, entity: str, here: Value) -> list[Value]:
    """Values that an invented change may lead to: flipped, another entity, or a new number."""
    if isinstance(relation, Flag):
        return [not here]
    known = [value for (_, name), value in frame.table.facts.items() if name == relation.name]
    draw = Draw(frame.key, "invented", entity, relation.name)
    if not isinstance(relation, Number):
        return draw.shuffled(sorted({str(value) for value in known if value != here}))
    numbers = [int(value) for value in known]
    found: list[Value] = []
    for end, sign in ((min(numbers), -1), (max(numbers), 1)):
        apart = 1 + draw.below(max(2, (relation.high - relation.low) // 12))
        value = end + sign * apart
        if value > 0 and shown(relation, value) not in frame.text:
            found.append(value)
    return found

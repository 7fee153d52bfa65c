"""Last steps of the inference track: whether the permit holds, and who is right about it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chainwright.builders.worlds.inference_steps import Case, phrase
from chainwright.builders.worlds.plan import Plant, Said
from chainwright.builders.worlds.rules import RuleClaim
from chainwright.builders.worlds.wording import sentence
from chainwright.builders.worlds.words.inference import Phrase


@dataclass(frozen=True)
class Decide:
    """Whether the permit holds, by the rule that gives it.

    `uses` are the standing, the dues, then (where `flaw` is given) the flaw, then the roads to a
    bar, or with a flaw to an exemption, in the order of `roads`.
    """

    case: Case
    standing: Phrase
    dues: Phrase
    flaw: Phrase | None
    roads: tuple[Phrase, ...]
    uses: tuple[int, ...]
    style: int
    rests_on_context: bool = True

    def say(self, given: Sequence[Any]) -> Said:
        """Whether the permit holds."""
        open_roads = [
            road for road, taken in zip(self.roads, given[-len(self.roads) :], strict=True) if taken
        ]
        about, permit, at = self.case.about, self.case.permit, self.case.rule_at
        both = f"{about} {self.standing.yes} and {self.dues.yes}"
        where = f"[{at[permit.yes]}]"
        holds = bool(open_roads) == (self.flaw is not None)
        if self.flaw is None and holds and self.style % 2:
            why = f"{both}, which is what {where} asks for"
        elif self.flaw is None and holds:
            why = f"{both}, and none of the bars in {where} is shown to apply"
        elif self.flaw is None:
            why = f"{both}, but {about} {open_roads[0].yes}, which is a bar under {where}"
        elif holds:
            why = f"{about} {self.flaw.yes}, but {open_roads[0].yes} and so is exempt under {where}"
            why += f"; {both}"
        else:
            why = f"{both}, but {about} {self.flaw.yes} and no exemption in {where} is shown"
        claim = RuleClaim("holds" if holds else "open", about, permit.yes)
        return Said(holds, sentence(f"{why}; so {about} {phrase(permit, holds)}"), (claim,))

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """The exception that bars the permit is left out."""
        if self.flaw is None or any(given[3:]):
            return
        about, permit = self.case.about, self.case.permit
        where = f"[{self.case.rule_at[permit.yes]}]"
        text = (
            f"{about} {self.standing.yes} and {self.dues.yes}, which is what {where} asks for; so "
            f"{about} {permit.yes}."
        )
        claim = RuleClaim("holds", about, permit.yes)
        yield Plant(
            "rule_violation",
            "exception_dropped",
            Said(True, sentence(text), (claim,)),
            claim,
            before=f"{where} makes an exception of any {self.case.domain.noun} "
            f"{self.case.domain.who} {self.flaw.yes}, and {about} {self.flaw.yes}",
            after=f"{about} {permit.yes}, since nothing else is asked for",
            uses=self.uses[:2],
        )


@dataclass(frozen=True)
class Verdict:
    """Whether a claim is right, or which of two is."""

    case: Case
    speakers: tuple[str, ...]
    uses: tuple[int, ...]
    """The claims, and whether the permit holds."""
    rests_on_context: bool = False

    def say(self, given: Sequence[Any]) -> Said:
        """Yes or no, or the letter of the one who is right."""
        said, holds = given
        if len(self.speakers) == 1:
            right = said[self.speakers[0]] is holds
            word = "what" if right else "the opposite of what"
            answer = "yes" if right else "no"
            text = f"This is {word} {self.speakers[0]} claims, so the answer is {answer}."
            return Said(answer, text)
        letter = right_one(self.speakers, said, holds)
        speaker = self.speakers["AB".index(letter)]
        return Said(letter, f"This is what {speaker} claims, so the answer is {letter}.")

    def plants(self, given: Sequence[Any]) -> Iterator[Plant]:
        """None: what it says is of the steps alone."""
        yield from ()


def right_one(speakers: Sequence[str], said: Mapping[str, bool], holds: bool) -> str:
    """The letter of the speaker, of two who differ, whose claim is right."""
    return "A" if said[speakers[0]] is holds else "B"

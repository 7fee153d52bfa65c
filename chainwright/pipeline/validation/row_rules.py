"""Row rules: what the words of the design demand of one row beyond its schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chainwright.pipeline.validation.faults import Flaw, clip, shorten
from chainwright.schemas.chain import Chain
from chainwright.schemas.human import HumanLabel, HumanRecord
from chainwright.schemas.identity import short_id
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.perl import PerlRecord
from chainwright.schemas.problem import Problem
from chainwright.schemas.record import Record
from chainwright.schemas.release import ReleasedChain, ReleasedStep
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import CHAIN_ERRORS, lowest_tier

WRONG = ("error", "unfaithful")
"""Labels that have a category; those that say a step is right, or nothing, have none.

A vote may call a step unfaithful and leave the category open, as a judge may have no taxonomy.
"""


def rule_flaws(row: Record) -> Iterator[Flaw]:
    """What breaks a rule in a row that its schema accepts; nothing for tables without rules."""
    match row:
        case Problem():
            yield from _problem(row)
        case Chain():
            yield from _chain(row)
        case Vote() if row.task == "chain" or row.step == 0:
            yield from _chain_vote(row)
        case Vote() | ExactLabel() | HumanLabel():
            may_be_open = isinstance(row, Vote) and row.label == "unfaithful"
            yield from _category("category", row.label, row.category, may_be_open=may_be_open)
            yield from _premises("premises", row.step, row.premises)
        case HumanRecord() if row.step > 0:
            yield from _category("category", row.label, row.category)
            yield from _premises("premises", row.step, row.premises)
        case Label():
            yield from _label(row)
        case ReleasedChain():
            yield from _released(row)
        case PerlRecord():
            yield from _perl(row)
        case _:
            pass


def _problem(row: Problem) -> Iterator[Flaw]:
    passages = [passage.model_dump() for passage in row.context]
    expected = short_id("problem", row.source, row.question, passages, row.options)
    if row.problem_id != expected:
        yield Flaw("problem_id", row.problem_id, f"the hash of its content, {expected}")


def _chain(row: Chain) -> Iterator[Flaw]:
    expected = short_id(
        "chain", row.problem_id, row.origin, row.generator, row.steps, row.final_answer
    )
    if row.chain_id != expected:
        yield Flaw("chain_id", row.chain_id, f"the hash of its content, {expected}")
    if row.citations and len(row.citations) != len(row.steps):
        found = shorten(row.citations)
        yield Flaw("citations", found, f"none, or one entry for each of {len(row.steps)} steps")
    yield from _polarity(row)
    yield from _perturbed(row.perturbed_step, len(row.steps))


def _chain_vote(row: Vote) -> Iterator[Flaw]:
    """A vote on the whole chain stands at step 0, and no other vote does."""
    if row.task != "chain":
        yield Flaw("step", "0", f"a step from 1 on, since the task is {row.task}")
    if row.step != 0:
        yield Flaw("step", str(row.step), "0, since the task is chain")
    yield from _category("category", row.label, row.category)
    if row.category is not None and row.category not in CHAIN_ERRORS:
        yield Flaw("category", shorten(row.category), f"one of {', '.join(CHAIN_ERRORS)}")
    if row.premises is not None:
        yield Flaw("premises", shorten(row.premises), "null, since the task is chain")


def _label(row: Label) -> Iterator[Flaw]:
    # A panel may agree that a step is wrong and differ on how: then the category is open.
    yield from _category("category", row.label, row.category, may_be_open=True)
    yield from _category("panel_category", row.panel_label, row.panel_category, may_be_open=True)
    yield from _premises("premises", row.step, row.premises)
    yield from _premises("panel_premises", row.step, row.panel_premises)
    for at, vote in enumerate(row.votes):
        may_be_open = vote.label == "unfaithful"
        field = f"votes[{at}].category"
        yield from _category(field, vote.label, vote.category, may_be_open=may_be_open)


def _released(row: ReleasedChain) -> Iterator[Flaw]:
    for at, step in enumerate(row.steps):
        if step.step != at + 1:
            yield Flaw(f"steps[{at}].step", str(step.step), f"{at + 1}, its place in the chain")
        yield from _category(f"steps[{at}].category", step.label, step.category, may_be_open=True)
        yield from _premises(f"steps[{at}].premises", step.step, step.premises)
    first = _first_error(row.steps)
    if row.first_error != first:
        yield Flaw("first_error", shorten(row.first_error), f"{shorten(first)}, by the labels")
    tier = lowest_tier([step.tier for step in row.steps])
    if row.tier != tier:
        yield Flaw("tier", row.tier, f"{tier}, the lowest of its steps")
    yield from _polarity(row)
    yield from _perturbed(row.perturbed_step, len(row.steps))
    yield from _drawn(row)


def _drawn(row: ReleasedChain) -> Iterator[Flaw]:
    """Difficulty and odds are shares, and what was drawn had odds."""
    if row.difficulty is not None and not 0 <= row.difficulty <= 1:
        yield Flaw("difficulty", shorten(row.difficulty), "null, or a number from 0 to 1")
    odds = {"hard": row.hard_probability, "random": row.random_probability}
    for name, found in odds.items():
        field = f"{name}_probability"
        if found is not None and not 0 < found <= 1:
            yield Flaw(field, shorten(found), "null, or a number above 0 and at most 1")
        if found is None and name in row.test_slices:
            yield Flaw(field, "null", f"a number, since {name} is among test_slices")


def _perl(row: PerlRecord) -> Iterator[Flaw]:
    count = len(row.steps)
    premises = row.premise_annotation.steps
    errors = row.error_annotation.error_annotations.step_level
    numbers = [step.step_number for step in premises]
    yield from _numbering("premise_annotation.steps", numbers, range(count + 1))
    numbers = [step.step_number for step in errors]
    place = "error_annotation.error_annotations.step_level"
    yield from _numbering(place, numbers, range(1, count + 1))
    for at, step in enumerate(premises):
        cited = [premise[0] for premise in step.premises]
        # The entry of step 0 rests on the question's own statements, numbered 0 as well.
        field = f"premise_annotation.steps[{at}].premises"
        yield from _premises(field, max(step.step_number, 1), cited)
    for at, judged in enumerate(errors):
        if judged.has_error != bool(judged.errors):
            field = f"{place}[{at}].has_error"
            expected = f"{shorten(bool(judged.errors))}, since it lists {len(judged.errors)} errors"
            yield Flaw(field, shorten(judged.has_error), expected)


def _category(
    field: str,
    label: str | None,
    category: str | None,
    *,
    may_be_open: bool = False,
) -> Iterator[Flaw]:
    if label not in WRONG and category is not None:
        yield Flaw(field, shorten(category), f"null, since the label is {label or 'null'}")
    if label in WRONG and category is None and not may_be_open:
        yield Flaw(field, "null", f"a category, since the label is {label}")


def _premises(field: str, step: int, premises: Iterable[int] | None) -> Iterator[Flaw]:
    for at, premise in enumerate(premises or ()):
        if not 0 <= premise < step:
            expected = f"a step before step {step}, or 0 for the question"
            yield Flaw(f"{field}[{at}]", str(premise), expected)


def _polarity(row: Chain | ReleasedChain) -> Iterator[Flaw]:
    expected = {None: None, True: "positive", False: "negative"}[row.is_correct]
    if row.origin == "synthetic":
        expected = "synthetic_negative"
    if row.polarity != expected:
        why = (
            f"{shorten(expected)}, by origin {row.origin} and is_correct {shorten(row.is_correct)}"
        )
        yield Flaw("polarity", shorten(row.polarity), why)


def _perturbed(step: int | None, count: int) -> Iterator[Flaw]:
    if step is not None and not 1 <= step <= count:
        yield Flaw("perturbed_step", str(step), f"null, or a step from 1 to {count}")


def _first_error(steps: Sequence[ReleasedStep]) -> int | None:
    for step in steps:
        if step.label is None:
            return None
        if step.label in WRONG:
            return step.step
    return None


def _numbering(field: str, numbers: list[int], expected: range) -> Iterator[Flaw]:
    if numbers != list(expected):
        found = f"the numbers {', '.join(map(str, numbers)) or 'none'}"
        yield Flaw(field, clip(found), f"{expected.start} to {expected.stop - 1} in order")

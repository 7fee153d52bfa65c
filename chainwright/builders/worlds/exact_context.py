"""Exact context chains: faithfulness labels that hold by construction, from a made world.

The right chain follows the plan of its problem: every step is faithful. A synthetic negative has
one unfaithful step k of a known category; the steps that depend on k are derived anew from what it
says, so they are faithful to their premises and propagate its error; all others stay as they were
to the byte. Every negative is checked against the world before it counts.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from chainwright.builders.exact import ExactChain
from chainwright.builders.worked import Unreadable
from chainwright.builders.worlds.draws import Draw
from chainwright.builders.worlds.grounding import grounding_problem
from chainwright.builders.worlds.grounding_steps import answer_text
from chainwright.builders.worlds.inference import inference_problem
from chainwright.builders.worlds.made import VERSION, Made, WorldKey, find_key, key_line
from chainwright.builders.worlds.plan import DeadEndError, Plant, Said, premises_of, run
from chainwright.schemas.chain import Chain, Perturbation
from chainwright.schemas.label import ExactLabel
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import FAITHFULNESS_ERRORS, FaithfulnessError

ENGINE = "chainwright:worlds"


def made_problem(key: WorldKey) -> Made:
    """The problem of a key, with its world and plan.

    Raises:
        ValueError: for a key of another version of the generators.
    """
    if key.version != VERSION:
        raise ValueError(f"world {key} is of version {key.version}; this version is {VERSION}")
    return grounding_problem(key) if key.track == "grounding" else inference_problem(key)


def worked_text(made: Made) -> str:
    """The right chain as a solution, with the answer and the line that names the world."""
    steps = "\n".join(said.text for said in run(made.steps))
    return f"{steps}\n#### {made.answer}\n{key_line(made.key)}"


def context_reference(problem: Problem) -> ExactChain:
    """The right chain of a made problem: every step faithful.

    Raises:
        Unreadable: where the problem names no world (`no_world`), one of another version
            (`world_version`), or one that yields another problem (`world_mismatch`).
    """
    made = _world_of(problem)
    said = run(made.steps)
    return ExactChain(chain := _reference(problem, said), _labels(chain, premises_of(made.steps)))


def context_negatives(
    problem: Problem,
    *,
    seed: int = 0,
    count: int = 1,
    weights: Mapping[str, float] | None = None,
) -> list[ExactChain]:
    """Up to `count` verified synthetic negatives of a made problem.

    Which plant is tried first follows from the seed and the problem's id alone.

    Args:
        problem: one that a world made; see `chainwright.builders.worlds.made`.
        seed: of the order in which plants are tried.
        count: how many negatives are wanted; they differ in category where they can, else in step.
        weights: how often each category is tried first; 0 = never. Equal by default.

    Raises:
        Unreadable: as for `context_reference`, or where no plant yields a verified negative: then
            the reason is the one that most of the plants failed for.
    """
    made = _world_of(problem)
    right = run(made.steps)
    parent = _reference(problem, right)
    failures: Counter[str] = Counter()
    negatives: list[ExactChain] = []
    spare: list[ExactChain] = []
    taken: set[tuple[str, int]] = set()
    categories: set[str] = set()
    for candidate in _in_order(made, right, problem, seed, weights or {}):
        category, at = candidate.plant.category, candidate.at
        if len(negatives) == count:
            break
        if (category, at) in taken:
            continue
        try:
            negative = _negative(problem, made, right, candidate, parent)
        except (Unreadable, DeadEndError) as error:
            failures[error.reason] += 1
            continue
        (spare if category in categories else negatives).append(negative)
        categories.add(category)
        taken.add((category, at))
    negatives += spare[: count - len(negatives)]
    if not negatives:
        reason, times = failures.most_common(1)[0] if failures else ("no_fault_possible", 0)
        raise Unreadable(reason, f"{times} of {sum(failures.values())} plants failed for this")
    return negatives


@dataclass(frozen=True)
class _Candidate:
    """A plant and the place of the step it replaces."""

    at: int
    plant: Plant


def _world_of(problem: Problem) -> Made:
    key = find_key(problem.solution or "")
    if key is None:
        raise Unreadable("no_world", "the solution names no made world in its last line")
    if key.version != VERSION:
        raise Unreadable("world_version", f"world {key}; this version makes those of {VERSION}")
    made = made_problem(key)
    found = (problem.track, problem.question, problem.context, problem.options, problem.answer)
    if found != (key.track, made.question, [*made.passages], [*made.options], made.answer):
        raise Unreadable("world_mismatch", f"world {key} yields another problem than this one")
    return made


def _reference(problem: Problem, said: Sequence[Said]) -> Chain:
    return Chain.build(
        problem_id=problem.problem_id,
        origin="reference",
        generator=f"source:{problem.source}",
        steps=[one.text for one in said],
        citations=[one.citations for one in said],
        final_answer=problem.answer,
        is_correct=True,
    )


def _in_order(
    made: Made, right: Sequence[Said], problem: Problem, seed: int, weights: Mapping[str, float]
) -> Iterator[_Candidate]:
    """Plants in a seeded order: each category by its weight, its kinds of plant alike.

    Exponential keys give a weighted order without replacement (Efraimidis and Spirakis 2006).
    """
    candidates = [
        _Candidate(at, plant)
        for at, step in enumerate(made.steps)
        for plant in step.plants([right[used].value for used in step.uses])
    ]
    kinds = Counter((one.plant.category, one.plant.kind) for one in candidates)
    of_category = Counter(category for category, _ in kinds)
    keyed: list[tuple[float, int]] = []
    for place, one in enumerate(candidates):
        category, kind = one.plant.category, one.plant.kind
        weight = weights.get(category, 1.0)
        if weight > 0:
            draw = (1 + Draw(seed, problem.problem_id, place).below(2**53)) / 2**53
            share = weight / of_category[category] / kinds[category, kind]
            keyed.append((-math.log(draw) / share, place))
    yield from (candidates[place] for _, place in sorted(keyed))


def _negative(
    problem: Problem, made: Made, right: Sequence[Said], candidate: _Candidate, parent: Chain
) -> ExactChain:
    at, plant = candidate.at, candidate.plant
    said = run(made.steps, at, plant)
    premises = premises_of(made.steps, at, plant)
    answer = answer_text(said[-1].value)
    _verify(made, right, said, premises, candidate, answer)
    chain = Chain.build(
        problem_id=problem.problem_id,
        origin="synthetic",
        generator=ENGINE,
        steps=[one.text for one in said],
        citations=[one.citations for one in said],
        final_answer=answer,
        is_correct=False,
        parent_id=parent.chain_id,
        perturbed_step=at + 1,
        perturbation=Perturbation(
            error_type=plant.category, kind=plant.kind, before=plant.before, after=plant.after
        ),
    )
    return ExactChain(chain, _labels(chain, premises, at + 1, plant.category))


def _verify(
    made: Made,
    right: Sequence[Said],
    said: Sequence[Said],
    premises: Sequence[Sequence[int]],
    candidate: _Candidate,
    answer: str,
) -> None:
    """Checks against the world all that is promised about a negative."""
    plant, at = candidate.plant, candidate.at
    wrong = [claim for claim in plant.said.claims if not made.world.supports(claim)]
    if plant.wrong not in wrong:
        raise Unreadable("not_unfaithful", f"the world bears it out that {plant.after}")
    if plant.category not in FAITHFULNESS_ERRORS[made.key.track] or not all(
        made.world.is_a_case(plant.category, claim) for claim in wrong
    ):
        raise Unreadable("not_a_case", f"no case of {plant.category}: {plant.after}")
    assumed: Any = reduce(lambda world, claim: world.assuming(claim), wrong, made.world)
    reached = {at + 1}
    for number, (one, old) in enumerate(zip(said, right, strict=True), start=1):
        if reached.intersection(premises[number - 1]):
            reached.add(number)
        if (one.text != old.text) != (number in reached):
            raise Unreadable(
                "descendant_unchanged" if number in reached else "bystander_changed",
                f"step {number} reads {'as before' if number in reached else 'otherwise'}",
            )
        if number == at + 1:
            continue
        world = assumed if number in reached else made.world
        for claim in one.claims:
            if not world.supports(claim):
                raise Unreadable("not_carried_on", f"step {number} states {claim}")
    if answer == made.answer:
        raise Unreadable("answer_unchanged", f"the answer is still {answer}")
    expected = made.answer_in(assumed)
    if answer != expected:
        raise Unreadable("not_carried_on", f"the chain ends in {answer}, the world in {expected}")


def _labels(
    chain: Chain,
    premises: Sequence[list[int]],
    at: int | None = None,
    category: FaithfulnessError | None = None,
) -> list[ExactLabel]:
    """Unfaithful at the plant, faithful elsewhere; what rests on the plant propagates it."""
    labels: list[ExactLabel] = []
    wrong: set[int] = set()
    for step in range(1, len(chain.steps) + 1):
        native = step == at
        propagated = not native and bool(wrong.intersection(premises[step - 1]))
        if native or propagated:
            wrong.add(step)
        labels.append(
            ExactLabel(
                chain_id=chain.chain_id,
                step=step,
                label="unfaithful" if native else "faithful",
                category=category if native else None,
                premises=premises[step - 1],
                unresolved=[],
                propagated=propagated,
            )
        )
    return labels

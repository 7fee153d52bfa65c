"""Exact chains: labels that hold by construction, from a worked solution.

The reference chain's steps are all correct. A synthetic negative has one native error at step k,
accumulation errors at the steps that depend on k, and correct steps elsewhere, which stay as they
were to the byte. Every negative is read anew and checked before it counts.
"""

import hashlib
import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter

from chainwright.builders.faults import FAMILIES, faults_of
from chainwright.builders.recompute import Fault, Rewritten, carry_through, plausible
from chainwright.builders.solution_reader import read_solution
from chainwright.builders.worked import FromResult, Unreadable, Worked
from chainwright.notation.equations import find_equations
from chainwright.notation.marks import find_marks, holds, strip_marks
from chainwright.notation.numerals import decimal_text, find_numerals, render_like
from chainwright.schemas.chain import Chain, Perturbation
from chainwright.schemas.label import ExactLabel
from chainwright.schemas.problem import Problem

ENGINE = "chainwright:exact"
MOST_TRIES = 400
"""Faults tried per problem; a problem has some tens, so this bounds only hostile input."""


@dataclass(frozen=True)
class ExactChain:
    """A chain and its labels, one a step."""

    chain: Chain
    labels: list[ExactLabel]


def exact_reference(problem: Problem, *, marks: str = "keep") -> ExactChain:
    """The source's own solution as a positive chain whose labels are exact.

    Raises:
        Unreadable: where the solution is no complete graph of consistent computations.
    """
    worked = _worked(problem)
    chain = reference_chain(problem, worked.steps, worked.answer_text, marks=marks)
    premises = {step: worked.premises(step) for step in range(1, len(worked.steps) + 1)}
    return ExactChain(chain, _labels(worked, chain, premises, None, ""))


def reference_chain(
    problem: Problem, steps: Sequence[str], answer: str | None, *, marks: str = "keep"
) -> Chain:
    """The source's own solution as a positive chain."""
    return Chain.build(
        problem_id=problem.problem_id,
        origin="reference",
        generator=f"source:{problem.source}",
        steps=_shown(steps, marks),
        final_answer=problem.answer if problem.answer is not None else answer,
        is_correct=True,
    )


def exact_negatives(
    problem: Problem,
    *,
    seed: int = 0,
    count: int = 1,
    weights: Mapping[str, float] | None = None,
    marks: str = "keep",
) -> list[ExactChain]:
    """Up to `count` verified synthetic negatives of one problem.

    Which step breaks is drawn first, all steps alike, then the fault in it: so errors don't gather
    where faults pass their checks most easily. Both follow from the seed and the problem's id
    alone, so they are the same on every machine. Faults that keep whole numbers whole and amounts
    positive come first.

    Args:
        problem: with a solution in GSM8K's format.
        seed: of the order in which steps and faults are tried.
        count: how many negatives are wanted; they differ in step where they can, else in family.
        weights: how often each of FAMILIES is tried first in a step; 0 = never. Equal by default.
        marks: `keep` or `strip` the calculator marks in the steps.

    Raises:
        Unreadable: where no fault yields a verified negative; the reason is the one that most
            of the faults failed for.
    """
    worked = _worked(problem)
    parent = reference_chain(problem, worked.steps, worked.answer_text, marks=marks)
    failures: Counter[str] = Counter()
    made: dict[tuple[str, int], ExactChain] = {}
    spare: dict[tuple[str, int], ExactChain] = {}
    tries = iter(range(MOST_TRIES))
    steps = deque(_by_step(worked, problem, seed, weights or {}))
    while steps and len(made) < count:
        step, faults = steps.popleft()
        for (family, fault), _ in zip(faults, tries, strict=False):
            place = (family, step)
            if place in made:
                continue
            try:
                rewritten = carry_through(worked, fault)
                premises = _premises(worked, fault)
                _verify(worked, fault, rewritten, premises)
            except Unreadable as error:
                failures[error.reason] += 1
                continue
            negative = _negative(problem, worked, fault, rewritten, premises, parent, marks)
            if _is_told(negative, made):
                # without the marks, another operator and another result can read alike
                failures["unspoken_equation"] += 1
            elif plausible(worked, fault, rewritten):
                made[place] = negative
                steps.append((step, faults))
                break
            else:
                spare.setdefault(place, negative)
    for place, negative in spare.items():
        if len(made) < count and place not in made and not _is_told(negative, made):
            made[place] = negative
    if not made:
        reason, times = failures.most_common(1)[0] if failures else ("no_fault_possible", 0)
        raise Unreadable(reason, f"{times} of {sum(failures.values())} faults failed for this")
    return list(made.values())


def _is_told(negative: ExactChain, made: Mapping[tuple[str, int], ExactChain]) -> bool:
    """Whether another fault has led to this very text."""
    return any(negative.chain.chain_id == one.chain.chain_id for one in made.values())


def _worked(problem: Problem) -> Worked:
    if not problem.solution:
        raise Unreadable("no_solution", "the problem has no worked solution")
    return read_solution(problem.question, problem.solution)


def _by_step(
    worked: Worked, problem: Problem, seed: int, weights: Mapping[str, float]
) -> list[tuple[int, Iterator[tuple[str, Fault]]]]:
    """The steps in a seeded order, all alike, each with its faults in one of their own.

    Within a step each family counts by its weight, its kinds of fault alike. Exponential keys give
    a weighted order without replacement (Efraimidis and Spirakis 2006).
    """
    stated = find_numerals(problem.question)
    keyed: defaultdict[int, list[tuple[float, str, Fault]]] = defaultdict(list)
    for family in FAMILIES:
        weight = weights.get(family, 1.0)
        if weight <= 0:
            continue
        candidates = [
            (worked.computations[fault.computation].step, fault)
            for fault in faults_of(worked, stated, family)
        ]
        kinds = Counter((step, fault.kind) for step, fault in candidates)
        of_step = Counter(step for step, _ in kinds)
        for place, (step, fault) in enumerate(candidates):
            draw = _uniform(seed, problem.problem_id, family, place)
            share = weight / of_step[step] / kinds[step, fault.kind]
            keyed[step].append((-math.log(draw) / share, family, fault))
    steps = sorted(keyed, key=lambda step: _uniform(seed, problem.problem_id, "step", step))
    return [
        (step, ((family, fault) for _, family, fault in sorted(keyed[step], key=itemgetter(0))))
        for step in steps
    ]


def _uniform(*parts: object) -> float:
    """A number in (0, 1] that follows from the parts alone."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return (int.from_bytes(digest[:8]) + 1) / 2**64


def _premises(worked: Worked, fault: Fault) -> dict[int, list[int]]:
    """The premises of every step; at the fault's own step those of what it uses now."""
    premises = {step: worked.premises(step) for step in range(1, len(worked.steps) + 1)}
    at = worked.computations[fault.computation]
    if fault.operand is not None and fault.origin is not None:
        origins = list(at.operands)
        origins[fault.operand] = fault.origin
        others = [
            slot.origin
            for slot in worked.slots[at.step - 1]
            if slot.computation != fault.computation or slot.operand is None
        ]
        used: set[int] = set()
        for origin in origins + others:
            if isinstance(origin, FromResult):
                used.add(worked.computations[origin.computation].step)
            elif origin in origins:
                used.add(0)
        premises[at.step] = sorted(used - {at.step}) or [0]
    return premises


def _verify(
    worked: Worked, fault: Fault, rewritten: Rewritten, premises: Mapping[int, list[int]]
) -> None:
    """Reads the new text from scratch and checks all that was promised about it."""
    at = worked.computations[fault.computation].step
    reached = {at}
    for step in range(at + 1, len(worked.steps) + 1):
        if reached.intersection(premises[step]):
            reached.add(step)
    for step, (old, new) in enumerate(zip(worked.steps, rewritten.steps, strict=True), start=1):
        if (old != new) != (step in reached):
            raise Unreadable(
                "descendant_unchanged" if step in reached else "bystander_changed",
                f"step {step} depends on the fault and reads as before"
                if step in reached
                else f"step {step} does not depend on the fault and reads otherwise",
            )
        faulty = step == at and fault.stated is not None
        wrong = sum(not holds(mark) for mark in find_marks(new))
        wrong_marks_allowed = int(faulty and worked.computations[fault.computation].marked)
        if wrong != wrong_marks_allowed:
            raise Unreadable("inconsistent_after", f"step {step}: {wrong} marks do not hold: {new}")
        if not faulty and any(not e.holds for e in find_equations(new, marks=False)):
            raise Unreadable("inconsistent_after", f"step {step}: the prose does not add up: {new}")


def _negative(
    problem: Problem,
    worked: Worked,
    fault: Fault,
    rewritten: Rewritten,
    premises: Mapping[int, list[int]],
    parent: Chain,
    marks: str,
) -> ExactChain:
    at = worked.computations[fault.computation].step
    chain = Chain.build(
        problem_id=problem.problem_id,
        origin="synthetic",
        generator=ENGINE,
        steps=_shown(rewritten.steps, marks),
        final_answer=_answer_text(worked.answer_text, rewritten.answer),
        is_correct=False,
        parent_id=parent.chain_id,
        perturbed_step=at,
        perturbation=Perturbation(
            error_type=fault.error_type,
            kind=fault.kind,
            before=rewritten.before,
            after=rewritten.after,
        ),
    )
    return ExactChain(chain, _labels(worked, chain, premises, at, fault.error_type))


def _answer_text(before: str, answer: Fraction) -> str | None:
    """The new answer, with cents where the old one had cents."""
    old = find_numerals(before.replace(",", ""))
    return render_like(answer, old[-1]) if old else decimal_text(answer)


def _labels(
    worked: Worked,
    chain: Chain,
    premises: Mapping[int, list[int]],
    at: int | None,
    error_type: str,
) -> list[ExactLabel]:
    """Native at the fault, accumulation where a premise is not correct, correct elsewhere."""
    labels: list[ExactLabel] = []
    wrong: set[int] = set()
    for step in range(1, len(chain.steps) + 1):
        category = None
        if step == at:
            category = error_type
        elif wrong.intersection(premises[step]):
            category = "accumulation_error"
        if category:
            wrong.add(step)
        labels.append(
            ExactLabel(
                chain_id=chain.chain_id,
                step=step,
                label="error" if category else "correct",
                category=category,
                premises=premises[step],
                unresolved=worked.unresolved(step),
                ambiguous=worked.ambiguous(step),
                propagated=category == "accumulation_error",
            )
        )
    return labels


def _shown(steps: Sequence[str], marks: str) -> list[str]:
    return [strip_marks(step) for step in steps] if marks == "strip" else list(steps)

"""Synthetic negatives by a model: it breaks a step and carries the consequence on.

What a model claims to have done is checked by gates, since models repair what they were to break,
break more than one thing, or renumber. Unlike the exact engine's, these labels are not exact.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from chainwright.builders.generation import (
    SOLUTION,
    Generator,
    NoChain,
    WrittenSolution,
    read_solution_json,
)
from chainwright.builders.grading import is_right
from chainwright.llm.prompts import render
from chainwright.llm.request import Asker, Message, Request
from chainwright.llm.structured import ask_structured
from chainwright.notation.equations import find_equations
from chainwright.notation.latex import plain
from chainwright.notation.numerals import find_numerals
from chainwright.schemas.chain import Chain, Perturbation
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import ErrorType

PROMPT = "perturb"
DEFINITIONS: dict[ErrorType, str] = {
    "mathematical_error": "a calculation that comes out wrong: a slip in arithmetic, in algebra or "
    "in the use of a formula, while the step sets out to do the right thing.",
    "logical_inconsistency": "an inference that does not follow: the calculation is right, but it "
    "is done with the wrong quantity, the wrong operation or an unfounded assumption.",
}


@dataclass(frozen=True)
class Breakage:
    """Which step is to go wrong (1-based), and how."""

    step: int
    error_type: ErrorType


class GateFault(ValueError):
    """A gate that an answer failed; `reason` is a code, the message is for the model."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def draw_breakage(chain: Chain, error_types: Sequence[ErrorType], seed: int) -> Breakage:
    """Where and how a chain is to be broken: drawn by hash, the same on every machine."""
    digest = hashlib.sha256(f"{seed}\x1f{chain.chain_id}".encode()).digest()
    step = 1 + int.from_bytes(digest[:8]) % len(chain.steps)
    return Breakage(step, error_types[int.from_bytes(digest[8:16]) % len(error_types)])


def perturbation_request(
    generator: Generator, problem: Problem, chain: Chain, breakage: Breakage
) -> Request:
    """The request that asks for the broken version of a positive chain."""
    prompt = render(
        PROMPT,
        count=len(chain.steps),
        step=breakage.step,
        definition=DEFINITIONS[breakage.error_type],
        answer=problem.answer or chain.final_answer or "the right one",
        question=problem.question,
        steps=chain.steps,
    )
    return Request(
        model=generator.uri,
        messages=(Message("user", prompt),),
        schema=SOLUTION,
        temperature=generator.temperature,
        max_tokens=generator.max_tokens,
        seed=generator.seed,
    )


async def break_chain(
    asker: Asker, generator: Generator, problem: Problem, chain: Chain, breakage: Breakage
) -> Chain:
    """A positive chain with one step broken by a model and the consequence carried on.

    An answer that fails a gate is asked for once more, with the gate named.

    Raises:
        NoChain: with the gate it failed last (`step_count`, `prefix_changed`, `step_unchanged`,
            `not_carried_on`, `answer_unchanged`), or `refused`, `request_failed`, `malformed`.
        ModelUnavailable: when no request to this model can succeed.
    """
    failed: list[GateFault] = []

    async def check(written: WrittenSolution) -> None:
        try:
            await _check_gates(problem, chain, breakage, written)
        except GateFault as fault:
            failed.append(fault)
            raise

    request = perturbation_request(generator, problem, chain, breakage)
    structured = await ask_structured(asker, request, read_solution_json, check=check)
    if structured.value is None:
        reason = {"refused": "refused", "failed": "request_failed"}.get(structured.status)
        if reason is None:
            reason = failed[-1].reason if failed else "malformed"
        raise NoChain(reason, structured.fault or "")
    written = structured.value
    return Chain.build(
        problem_id=problem.problem_id,
        origin="synthetic",
        generator=generator.uri.model,
        # the steps before are the parent's own, to the byte
        steps=[*chain.steps[: breakage.step - 1], *written.steps[breakage.step - 1 :]],
        final_answer=written.final_answer,
        is_correct=False,
        parent_id=chain.chain_id,
        perturbed_step=breakage.step,
        perturbation=Perturbation(
            error_type=breakage.error_type,
            kind="written_by_model",
            before=chain.steps[breakage.step - 1],
            after=written.steps[breakage.step - 1],
        ),
    )


async def _check_gates(
    problem: Problem, chain: Chain, breakage: Breakage, written: WrittenSolution
) -> None:
    old, new, at = chain.steps, written.steps, breakage.step
    if len(new) != len(old):
        raise GateFault("step_count", f"there are {len(new)} steps, expected {len(old)}")
    for number in range(1, at):
        if new[number - 1].strip() != old[number - 1].strip():
            raise GateFault("prefix_changed", f"step {number} must be repeated exactly as it was")
    if _same(new[at - 1], old[at - 1]):
        raise GateFault("step_unchanged", f"step {at} reads as before; it must be wrong")
    later = _dependents(problem, old, at)
    if later and all(_same(new[number - 1], old[number - 1]) for number in later):
        named = ", ".join(map(str, later))
        raise GateFault(
            "not_carried_on", f"of the steps that rely on step {at} ({named}) none has changed"
        )
    if await is_right(problem, written.final_answer) is not False:
        raise GateFault(
            "answer_unchanged",
            f"the final answer `{written.final_answer}` must clearly differ from {problem.answer}",
        )


def _dependents(problem: Problem, steps: Sequence[str], at: int) -> list[int]:
    """The later steps that rely on step `at`: those that use a quantity it derives.

    Where it derives none that can be seen, any later step may rely on it.
    """
    given = {numeral.value for numeral in find_numerals(plain(problem.question))}
    derived = {equation.right.value for equation in find_equations(plain(steps[at - 1]))} - given
    later = range(at + 1, len(steps) + 1)
    users = [
        number
        for number in later
        if derived & {numeral.value for numeral in find_numerals(plain(steps[number - 1]))}
    ]
    return users or list(later)


def _same(left: str, right: str) -> bool:
    return " ".join(left.split()) == " ".join(right.split())

"""The program judges by name, and their opinions as votes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chainwright.annotation.programs import arithmetic, provenance, reference
from chainwright.annotation.programs.case import Case, Opinion, abstained
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.schemas.vote import Vote


@dataclass(frozen=True)
class Program:
    """A judge that is a function of the case alone."""

    judge: Callable[[Case], list[Opinion]]
    version: str
    gives_premises: bool = False
    sees_reference: bool = False


PROGRAMS: dict[str, Program] = {
    "arithmetic": Program(arithmetic.arithmetic, arithmetic.VERSION),
    "provenance": Program(provenance.provenance, provenance.VERSION, gives_premises=True),
    "reference": Program(reference.reference, reference.VERSION, sees_reference=True),
}


def program_votes(name: str, problem: Problem, chain: Chain) -> list[Vote]:
    """One `error` vote a step, and one `premises` vote a step from a judge that gives them.

    The programs check arithmetic: outside the track math they abstain.

    Raises:
        KeyError: for an unknown program.
    """
    program = PROGRAMS[name]
    if problem.track == "math":
        opinions = program.judge(_case(problem, chain, sees_reference=program.sees_reference))
    else:
        opinions = [abstained(f"programs judge no steps of the track {problem.track}")] * len(
            chain.steps
        )
    votes = [_error_vote(name, program, chain, step, o) for step, o in _numbered(opinions)]
    if program.gives_premises:
        votes += [_premise_vote(name, program, chain, step, o) for step, o in _numbered(opinions)]
    return votes


def _numbered(opinions: Sequence[Opinion]) -> list[tuple[int, Opinion]]:
    return list(enumerate(opinions, start=1))


def _case(problem: Problem, chain: Chain, *, sees_reference: bool) -> Case:
    question = "\n".join([problem.question, *(passage.text for passage in problem.context)])
    return Case(
        question=question,
        steps=tuple(chain.steps),
        final_answer=chain.final_answer,
        reference_solution=problem.solution if sees_reference else None,
        reference_answer=problem.answer if sees_reference else None,
    )


def _error_vote(name: str, program: Program, chain: Chain, step: int, opinion: Opinion) -> Vote:
    return Vote(
        chain_id=chain.chain_id,
        step=step,
        task="error",
        judge=f"program:{name}",
        prompt_version=program.version,
        label=opinion.label,
        category=opinion.category,
        premises=None,
        explanation=opinion.explanation,
        status=opinion.status,
        request_key=None,
    )


def _premise_vote(name: str, program: Program, chain: Chain, step: int, opinion: Opinion) -> Vote:
    given = opinion.premises is not None
    return Vote(
        chain_id=chain.chain_id,
        step=step,
        task="premises",
        judge=f"program:{name}",
        prompt_version=program.version,
        label=None,
        category=None,
        premises=list(opinion.premises) if opinion.premises is not None else None,
        explanation=None,
        status="ok" if given else "abstained",
        request_key=None,
    )

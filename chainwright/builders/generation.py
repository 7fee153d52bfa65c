"""Chains written by a model: a prompt, steps, a final answer, and whether it is the right one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from chainwright.builders.citations import citations_of
from chainwright.builders.context_prompts import (
    bare_answer,
    is_about_context,
    solving_prompt,
    stated_answer,
)
from chainwright.builders.final_answer import final_answer_of
from chainwright.builders.grading import answer_f1, is_right
from chainwright.builders.splitter import split_steps
from chainwright.llm.prompts import render
from chainwright.llm.request import Answer, Asker, Message, Request, Schema
from chainwright.llm.structured import CUT, Structured, ask_structured, with_more_room
from chainwright.llm.uri import ModelUri
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem

LONGEST_STEP = 20_000
MOST_STEPS = 200
PROMPTS = {"json": "solve", "text": "solve_text"}

SOLUTION = Schema(
    "solution",
    {
        "type": "object",
        "properties": {
            "steps": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "final_answer": {"type": "string"},
        },
        "required": ["steps", "final_answer"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True)
class Generator:
    """A model that writes chains, and how it is asked."""

    uri: ModelUri
    temperature: float | None = 0.0
    max_tokens: int | None = 2048
    seed: int | None = None
    """Of the first sample; each further one has the next. Null leaves it to the server."""
    format: Literal["json", "text"] = "json"
    """`text` asks for numbered steps in plain text, which very small models do better."""


@dataclass(frozen=True)
class WrittenSolution:
    """Steps and a final answer as a model gave them."""

    steps: list[str]
    final_answer: str | None


class NoChain(ValueError):
    """A model's answer that makes no chain; `reason` is a code for rejects."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def generation_request(generator: Generator, problem: Problem, sample: int) -> Request:
    """The request for the n-th chain of a problem."""
    context = "\n\n".join(
        f"[{passage.ref}] {passage.title}\n{passage.text}".strip() for passage in problem.context
    )
    options = "\n".join(
        f"{chr(ord('A') + place)}. {option}" for place, option in enumerate(problem.options)
    )
    name = PROMPTS[generator.format]
    if is_about_context(problem):
        prompt = solving_prompt(generator.format, problem)
    else:
        prompt = render(name, question=problem.question, context=context, options=options)
    return Request(
        model=generator.uri,
        messages=(Message("user", prompt),),
        schema=SOLUTION if generator.format == "json" else None,
        temperature=generator.temperature,
        max_tokens=generator.max_tokens,
        # a server that heeds one seed for all would give every sample the same text
        seed=None if generator.seed is None else generator.seed + sample,
        sample=sample,
    )


async def generate_chain(
    asker: Asker, generator: Generator, problem: Problem, sample: int = 0
) -> Chain:
    """The n-th chain of a problem by a model.

    An answer in free text is split into steps. The chain is positive or negative by its final
    answer, and undecided where the answer can't be read or the problem has none. Of a question
    about a context, the chain carries its citations.

    Raises:
        NoChain: `refused`, `request_failed`, `cut_off`, `malformed` or `no_steps`.
        ModelUnavailable: when no request to this model can succeed.
    """
    request = generation_request(generator, problem, sample)
    written = await _written(asker, request, problem)
    answer, citations = written.final_answer, None
    if is_about_context(problem):
        answer = bare_answer(answer)
        citations = citations_of(written.steps, len(problem.context))
    return Chain.build(
        problem_id=problem.problem_id,
        origin="model",
        generator=generator.uri.model,
        steps=written.steps,
        citations=citations,
        final_answer=answer,
        is_correct=await is_right(problem, answer),
        answer_f1=answer_f1(problem, answer),
    )


def read_solution_json(value: Any) -> WrittenSolution:
    """Steps and final answer from a model's JSON.

    Raises:
        ValueError: with a message that names the fault, for the model to read.
    """
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        raise ValueError(  # noqa: TRY004  -- the model reads it
            'expected an object with "steps", a list of texts, and "final_answer"'
        )
    steps = [_step(step, number) for number, step in enumerate(value["steps"], start=1)]
    steps = [step for step in steps if step]
    if not steps:
        raise ValueError('"steps" has no step with any text')
    if len(steps) > MOST_STEPS:
        raise ValueError(f'"steps" has {len(steps)} entries; at most {MOST_STEPS} are read')
    answer = value.get("final_answer")
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        answer = str(answer)
    if answer is not None and not isinstance(answer, str):
        raise ValueError('"final_answer" must be a text')
    return WrittenSolution(steps, (answer or "").strip() or None)


async def _written(asker: Asker, request: Request, problem: Problem) -> WrittenSolution:
    answer = await asker.ask(request)
    if request.schema is None and _is_cut(answer):
        cut, request = answer, with_more_room(request, answer)
        answer = await asker.ask(request)
        if _is_cut(answer) or answer.too_long:
            raise NoChain("cut_off", f"the answer ran out of room: {cut.text[-200:]}")
    if _is_free_text(answer):
        return _split(answer.text, problem)
    structured = await ask_structured(asker, request, read_solution_json, first=answer)
    if structured.status == "ok" and structured.value is not None:
        return structured.value
    raise NoChain(*_why(structured))


def _is_cut(answer: Answer) -> bool:
    return answer.status == "ok" and answer.finish_reason in CUT


def _is_free_text(answer: Answer) -> bool:
    whole = answer.status == "ok" and not _is_cut(answer)
    return whole and bool(answer.text.strip()) and '"steps"' not in answer.text


def _split(text: str, problem: Problem) -> WrittenSolution:
    steps = split_steps(text)
    if not steps:
        raise NoChain("no_steps", "the answer has no text to split into steps")
    if is_about_context(problem):
        return WrittenSolution(steps, stated_answer(text))
    return WrittenSolution(steps, final_answer_of(text, question=problem.question))


def _why(structured: Structured[WrittenSolution]) -> Sequence[str]:
    reason = {"refused": "refused", "failed": "request_failed"}.get(structured.status, "malformed")
    fault = structured.fault or ""
    if "ran out of room" in fault:
        reason = "cut_off"
    last = structured.texts[-1] if structured.texts else ""
    return reason, f"{fault}; the answer was: {last[:300]}"


def _step(value: Any, number: int) -> str:
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    if not isinstance(value, str):
        raise ValueError(f"step {number} is not a text")  # noqa: TRY004
    if len(value) > LONGEST_STEP:
        raise ValueError(f"step {number} has {len(value)} characters; at most {LONGEST_STEP}")
    return value.strip()

"""Variants of a problem: the same question with other numbers, verified by reading it anew.

A variant follows from the seed, the parent's id and its own number alone, and from the variants
before it, which it must differ from: the same on every machine, and more of them only append.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from chainwright.builders.variants.reading import Reading, read
from chainwright.builders.variants.rewriting import (
    answer_value,
    question_text,
    solution_text,
)
from chainwright.builders.variants.values import (
    Unfit,
    Values,
    drawn,
    stated_values,
    worked_out,
)
from chainwright.builders.worked import Unreadable
from chainwright.builders.worlds.draws import Draw
from chainwright.notation.numerals import decimal_text
from chainwright.schemas.problem import Problem

MOST_TRIES = 120
"""Draws for one variant before it is given up."""


def variants(problem: Problem, count: int, *, seed: int = 0) -> Iterator[Problem | Unreadable]:
    """`count` variants of a problem in order, or why there is none in the place of one.

    Args:
        problem: with a solution in GSM8K's format.
        count: how many are wanted.
        seed: of the draws.

    Yields:
        A problem with `variant_of` and `variant` (from 1), or an `Unreadable` whose reason is one
        of `read`, or `no_valid_draw`: every draw failed, for the reason that the detail counts.
    """
    try:
        if not problem.solution:
            raise Unreadable("no_solution", "the problem has no worked solution")  # noqa: TRY301
        reading = read(problem.question, problem.solution)
    except Unreadable as error:
        yield from (error for _ in range(count))
        return
    taken = {tuple(quantity.value for quantity in reading.quantities)}
    given_up: Unreadable | None = None
    for number in range(1, count + 1):
        if given_up is None:
            try:
                draw = Draw("variant", seed, problem.problem_id, number)
                yield _variant(problem, reading, draw, taken, number)
                continue
            except Unreadable as error:
                given_up = error
        yield given_up


def _variant(
    problem: Problem, reading: Reading, draw: Draw, taken: set[tuple[Fraction, ...]], number: int
) -> Problem:
    failures: Counter[str] = Counter()
    for attempt in range(MOST_TRIES):
        # all quantities at first; the fewer change, the likelier do divisions come out even
        quantities = drawn(reading, draw, max(0.0, 1.0 - attempt / MOST_TRIES))
        if quantities in taken:
            failures["drawn_before"] += 1
            continue
        try:
            values = worked_out(reading, quantities)
            question, solution = question_text(reading, values), solution_text(reading, values)
            _verify(reading, values, question, solution)
        except Unfit as unfit:
            failures[unfit.reason] += 1
            continue
        taken.add(quantities)
        return Problem.build(
            source=problem.source,
            split=problem.split,
            question=question,
            answer=decimal_text(answer_value(reading, values)),
            answer_kind=problem.answer_kind,
            solution=solution,
            licence=problem.licence,
            track=problem.track,
            origin_ref=problem.origin_ref,
            question_type=problem.question_type,
            variant_of=problem.problem_id,
            variant=number,
        )
    counted = ", ".join(f"{reason} {times}" for reason, times in failures.most_common())
    raise Unreadable("no_valid_draw", f"none of {MOST_TRIES} draws will do: {counted}")


def _verify(reading: Reading, values: Values, question: str, solution: str) -> None:
    """Reads the variant from scratch: the same graph, with the new values in it.

    Raises:
        Unfit: `read_back`.
    """
    try:
        anew = read(question, solution)
    except Unreadable:
        raise Unfit("read_back") from None
    stated = [computation.stated for computation in anew.worked.computations]
    if (
        anew.shape != reading.shape
        or [quantity.value for quantity in anew.quantities] != list(values.quantities)
        or stated != list(values.results)
        or anew.worked.answer != answer_value(reading, values)
        or [numeral.value for numeral, _ in anew.stated]
        != stated_values(reading, values.quantities)
    ):
        raise Unfit("read_back")

"""Worked problems for tests: hand-made ones, and a hypothesis strategy of valid ones."""

from fractions import Fraction

from hypothesis import strategies as st

from chainwright.schemas.problem import Problem

PLUMS = (
    "Nadia fills four baskets with 12 plums each. She gives half of them to a neighbour and sells "
    "the rest at $3 apiece. The stall costs her $10. How much is left?",
    "Nadia picks 4 * 12 = <<4*12=48>>48 plums.\n"
    "She gives away 48 / 2 = <<48/2=24>>24 plums.\n"
    "So 24 plums are left over, and she earns 24 * 3 = $<<24*3=72>>72.\n"
    "After paying for the stall she has 72 - 10 = $<<72-10=62>>62 left.\n"
    "#### 62",
)
HALL = (
    "A hall has 40 rows of 300 seats at $2.50 each. Cleaning takes 5 people 7 hours. What do the "
    "tickets of a full house bring in?",
    "There are 40 * 300 = <<40*300=12000>>12,000 seats.\n"
    "Cleaning takes 5 * 7 = <<5*7=35>>35 hours.\n"
    "The tickets bring in 12,000 * $2.50 = $<<12000*2.5=30000>>30,000.\n"
    "#### 30,000",
)


def problem(question: str, solution: str) -> Problem:
    """A problem in GSM8K's format."""
    answer = solution.rpartition("####")[2].strip().replace(",", "")
    return Problem.build(source="test", question=question, answer=answer, solution=solution)


@st.composite
def worked_problems(draw: st.DrawFn) -> Problem:
    """A problem of random arithmetic whose solution is right by construction.

    Each step takes two quantities, of the question or of earlier steps, and the last step's
    result is the answer. All quantities of the question differ.
    """
    given = draw(st.lists(st.integers(2, 400), min_size=3, max_size=6, unique=True))
    known = [Fraction(value) for value in given]
    lines = []
    for number in range(draw(st.integers(1, 6))):
        left, right = (draw(st.sampled_from(known)) for _ in range(2))
        if number:  # the newest result is used, so that chains grow long
            left = known[-1]
        sign = draw(st.sampled_from("+*-" if left > right else "+*"))
        value = {"+": left + right, "-": left - right, "*": left * right}[sign]
        if value > 10**9:
            sign, value = "+", left + right
        body = f"{left}{sign}{right}={value}"
        lines.append(f"That makes {left} {sign} {right} = <<{body}>>{value} things.")
        known.append(value)
    question = f"There are {', '.join(map(str, given))} things. How many in the end?"
    return problem(question, "\n".join([*lines, f"#### {known[-1]}"]))

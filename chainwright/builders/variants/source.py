"""Source: where a number in a solution comes from."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Kind = Literal["result", "quantity", "constant", "doubtful"]


@dataclass(frozen=True)
class Source:
    """What a number in the solution shows.

    `number` is the computation or the quantity; `form` how the quantity enters; `scale` as in
    `FromResult`.
    """

    kind: Kind
    number: int = -1
    form: str = ""
    scale: Fraction = Fraction(1)

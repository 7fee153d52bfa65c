"""A model judge: which model, by which methods, with which settings."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from chainwright.llm.uri import ModelUri, Provider
from chainwright.schemas.taxonomy import BUILT_IN, Category, Taxonomy
from chainwright.schemas.words import Track

ErrorMethod = Literal["full_context", "premise_conditioned", "one_pass"]
"""How a judge looks for errors (PERL, arXiv 2502.02362).

- full_context: one request a step, with the question and all earlier steps; the baseline.
- premise_conditioned: two requests a step; mathematical errors from the step alone, logical
  inconsistency from the question and the step's premises alone.
- one_pass: one request a chain, for every step's label and premises and for the chain as a whole.
"""

FaithfulnessMethod = Literal["all", "sbs", "bin", "critique"]
"""How a judge looks for unfaithful steps (GRACE, arXiv 2606.16151).

- all: one request a chain, for every step's label and category.
- sbs: one request a step, with the steps before it.
- bin: one request a chain, for the labels alone.
- critique: one request a chain, in free words: what critics do, whose votes no panel counts.
"""

PremiseMethod = Literal["per_step", "per_chain", "dyadic"]
"""How a judge looks for premises: one request a step, a chain, or a pair of steps."""

SCHEMA_FIRST: frozenset[Provider] = frozenset({"openai", "azure", "anthropic"})
"""Providers whose prompt cache takes the schema of an answer as the prompt's beginning."""

SCHEMA_STEPS = 8
"""A schema before the prompt names steps up to the next multiple of this."""

ERROR_METHODS: tuple[ErrorMethod, ...] = get_args(ErrorMethod)
PREMISE_METHODS: tuple[PremiseMethod, ...] = get_args(PremiseMethod)
FAITHFULNESS_METHODS: tuple[FaithfulnessMethod, ...] = get_args(FaithfulnessMethod)


@dataclass(frozen=True)
class ModelJudge:
    """A model with the methods by which it judges; null = does not judge that.

    Errors and premises are looked for in math chains, faithfulness in those on a context.

    Attributes:
        temperature: Null leaves it to the provider.
        max_tokens: Room of one answer; null leaves it to the provider.
        seed: Goes into each request, and decides in which order the judge reads the error types.
        share: Share of the problems whose chains it reads.
        taxonomies: The categories of unfaithful steps, by track.
        leads: Whether one request of a chain goes ahead of its others, to have their beginning
            cached; by the batch it would cost a batch, and so a day, of its own.

    Raises:
        ValueError: for a program, an unknown method, no method at all, a premise method beside
            `one_pass`, which finds premises itself, or faithfulness beside another method, which
            is a judge of its own.
    """

    uri: ModelUri
    error: ErrorMethod | None = None
    premises: PremiseMethod | None = None
    faithfulness: FaithfulnessMethod | None = None
    temperature: float | None = 0
    max_tokens: int | None = None
    seed: int = 0
    share: float = 1.0
    taxonomies: tuple[Taxonomy, ...] = BUILT_IN
    leads: bool = True

    def __post_init__(self) -> None:
        if self.uri.provider in ("program", "python"):
            raise ValueError(f"found `{self.uri}`, a program, expected a model")
        _check_method("error", self.error, ERROR_METHODS)
        _check_method("premises", self.premises, PREMISE_METHODS)
        _check_method("faithfulness", self.faithfulness, FAITHFULNESS_METHODS)
        if self.error is None and self.premises is None and self.faithfulness is None:
            raise ValueError(
                f"found no method for `{self.uri}`, expected error, premises or faithfulness"
            )
        if self.faithfulness is not None and (self.error or self.premises):
            raise ValueError(
                f"found faithfulness: {self.faithfulness} beside other methods for `{self.uri}`, "
                "expected a judge of its own"
            )
        if self.error == "one_pass" and self.premises is not None:
            raise ValueError(
                f"found premises: {self.premises} beside error: one_pass, expected one of them, "
                "since one_pass finds premises itself"
            )

    def reads(self, track: Track) -> bool:
        """Whether it judges the chains of a track."""
        return (track == "math") == (self.faithfulness is None)

    def categories(self, track: Track) -> list[Category]:
        """What an unfaithful step of a track may be called; empty where no taxonomy is for it."""
        return [
            category
            for taxonomy in self.taxonomies
            if taxonomy.track == track
            for category in taxonomy.categories
        ]

    @property
    def counts(self) -> bool:
        """Whether its votes make labels: it says what is wrong with steps, and reads all chains."""
        says = self.error is not None or self.faithfulness is not None
        return says and not self.observes

    @property
    def observes(self) -> bool:
        """Whether it reads a share alone: it is then compared with the truth, and never counted.

        Otherwise a step's tier would hang on whether its problem was drawn.
        """
        return self.share < 1

    @property
    def name(self) -> str:
        """What tells the judge apart in votes and panels: `PROVIDER:NAME#ERROR+PREMISES`.

        It depends on nothing but the model and its methods: not on where the model is served, not
        on settings, not on who else is in the panel. Two judges that differ in those alone have
        one name, so a panel can hold only one of them.

        >>> from chainwright.llm.uri import parse_model_uri
        >>> uri = parse_model_uri("compat:qwen@http://localhost:8000/v1")
        >>> ModelJudge(uri, "premise_conditioned", "dyadic").name
        'compat:qwen#premise_conditioned+dyadic'
        """
        parts = (self.error, self.premises, self.faithfulness)
        methods = "+".join(method for method in parts if method)
        return f"{self.uri.model}#{methods}"

    def shuffled(self, words: Iterable[str]) -> tuple[str, ...]:
        """The words in an order of this judge's own, always the same one for the same seed.

        Judges that read a list in one order share a bias towards its first entry.
        """
        return tuple(sorted(words, key=lambda word: _digest(f"{self.name}\n{self.seed}\n{word}")))

    def nameable(self, number: int, count: int, earlier: int | None = None) -> tuple[range, range]:
        """The steps, and the earlier steps, that the schema of an answer about one step allows.

        Where a server turns the schema into a grammar, these are the ones that fit, and a weak
        model is held to them. Where it puts the schema before the prompt, they are all steps of
        the chain and a few more: the schema then is the same for each step and for chains of
        nearly one length, and the prompt's prefix stays cached.

        Args:
            number: The step.
            count: Steps of the chain.
            earlier: The one earlier step in question; null = any.
        """
        if self.uri.provider in SCHEMA_FIRST:
            room = -(-count // SCHEMA_STEPS) * SCHEMA_STEPS
            return range(1, room + 1), range(room)
        low, high = (0, number) if earlier is None else (earlier, earlier + 1)
        return range(number, number + 1), range(low, high)


def _check_method(what: str, method: str | None, allowed: tuple[str, ...]) -> None:
    if method is not None and method not in allowed:
        raise ValueError(f"found {what}: `{method}`, expected one of {', '.join(allowed)}, or null")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

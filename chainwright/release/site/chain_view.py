"""Chain view: everything a run knows of one chain, joined from the rows of its block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from chainwright.release.redaction import public_model, public_row
from chainwright.release.rows import propagated_steps
from chainwright.release.tally import UNDECIDED
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import ExactLabel, Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.words import Tier, lowest_tier, step_label

TABLES = (
    *("problems", "chains", "exact", "votes", "labels"),
    *("human_labels", "critiques", "published"),
)
"""The tables that are read; of those that a run does not have there are no rows."""


class Voice(NamedTuple):
    """What one judge, person, critic or corpus says of a step."""

    by: str
    task: str
    """A judge's task, or `person`, `critique` or `published`."""
    status: str
    label: str | None
    category: str | None
    premises: list[int] | None
    why: str | None


@dataclass(frozen=True)
class ChainView:
    """One chain with its problem and what was said of its steps.

    Attributes:
        labels: By step; empty while the chain is not labelled.
        exact: By step; empty where nothing holds by construction.
        voices: By step; at 0 those on the chain as a whole.
    """

    problem: Problem
    chain: Chain
    labels: Mapping[int, Label]
    exact: Mapping[int, ExactLabel]
    voices: Mapping[int, Sequence[Voice]]

    @property
    def generator(self) -> str:
        """Who wrote the chain, without an address."""
        return public_model(self.chain.generator)

    @property
    def tier(self) -> Tier | None:
        """The chain's tier; None while its steps have no labels."""
        return lowest_tier([one.tier for one in self.labels.values()]) if self.labels else None

    def known(self, step: int) -> Label | ExactLabel | None:
        """The best there is of a step: its label, or the exact one that waits for a panel."""
        return self.labels.get(step) or self.exact.get(step)

    def outcomes(self) -> list[str | None]:
        """Each step in one word, as the release counts them; None where nothing is known yet."""
        return [self._outcome(step) for step in range(1, len(self.chain.steps) + 1)]

    def propagated(self) -> list[bool | None]:
        """Which steps go on from a wrong one; None where that is not known.

        By construction where the chain is exact, and from the labels where every step has one.
        """
        steps = range(1, len(self.chain.steps) + 1)
        if len(self.exact) == len(steps):
            return [self.exact[step].propagated for step in steps]
        if len(self.labels) == len(steps):
            return propagated_steps([self.labels[step] for step in steps])
        return [None] * len(steps)

    def _outcome(self, step: int) -> str | None:
        known = self.known(step)
        if known is None:
            return None
        return step_label(known.label, known.category) or known.label or UNDECIDED


def chain_views(tables: Mapping[str, Sequence[Any]]) -> Iterator[ChainView]:
    """The chains of one block: problem by problem, each broken chain after the one it came from.

    A chain whose problem is not in the block is passed over.

    Args:
        tables: Per name in `TABLES` the block's rows.
    """
    problems = {problem.problem_id: problem for problem in tables["problems"]}
    chains: dict[str, list[Chain]] = defaultdict(list)
    for chain in tables["chains"]:
        chains[chain.problem_id].append(chain)
    labels = _by_step(tables["labels"])
    exact = _by_step(tables["exact"])
    voices = _voices(tables)
    for problem_id, problem in problems.items():
        for chain in _in_order(chains[problem_id]):
            its = chain.chain_id
            yield ChainView(
                problem, chain, labels.get(its, {}), exact.get(its, {}), voices.get(its, {})
            )


def _in_order(chains: Iterable[Chain]) -> list[Chain]:
    """Chains of one problem, broken ones after their positives."""
    children: dict[str | None, list[Chain]] = defaultdict(list)
    chains = list(chains)
    here = {chain.chain_id for chain in chains}
    for chain in chains:
        children[chain.parent_id if chain.parent_id in here else None].append(chain)
    ordered: list[Chain] = []
    waiting = children[None][::-1]
    while waiting:
        chain = waiting.pop()
        ordered.append(chain)
        waiting.extend(children[chain.chain_id][::-1])
    return ordered


def _by_step(rows: Iterable[Any]) -> dict[str, dict[int, Any]]:
    found: dict[str, dict[int, Any]] = defaultdict(dict)
    for row in rows:
        found[row.chain_id][row.step] = row
    return found


def _voices(tables: Mapping[str, Sequence[Any]]) -> dict[str, dict[int, list[Voice]]]:
    found: dict[str, dict[int, list[Voice]]] = defaultdict(lambda: defaultdict(list))
    for chain_id, step, voice in (*_judges(tables["votes"]), *_others(tables)):
        found[chain_id][step].append(voice)
    return found


def _judges(votes: Iterable[Any]) -> Iterator[tuple[str, int, Voice]]:
    for vote in votes:
        # The request's key and the prompt's version say nothing to a reader.
        row = public_row(vote.model_dump(exclude={"request_key", "prompt_version"}))
        said = (row[key] for key in ("status", "label", "category", "premises", "explanation"))
        yield row["chain_id"], row["step"], Voice(row["judge"], row["task"], *said)


def _others(tables: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, int, Voice]]:
    for row in tables["human_labels"]:
        for one in row.answers:
            person = "adjudicator" if one.role == "adjudicator" else "annotator"
            told = Voice(person, "person", "ok", one.label, one.category, one.premises, None)
            yield row.chain_id, row.step, told
    for row in tables["critiques"]:
        why = f"{row.description} [{', '.join(row.tags)}]"
        critic = public_model(row.critic)
        yield row.chain_id, row.step, Voice(critic, "critique", "ok", None, None, None, why)
    for row in tables["published"]:
        said = (row.label, row.category, row.premises, row.explanation or row.verbatim)
        yield row.chain_id, row.step, Voice(row.source, "published", "ok", *said)

"""Sources: raw rows to problems, with the chains they bring along, sampled the same everywhere."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from chainwright.builders.answers import same_number
from chainwright.builders.existing_chains import chain_from_row
from chainwright.builders.fields import Refused
from chainwright.builders.labelled_rows import labelled_chain
from chainwright.builders.problem_rows import problem_from_row
from chainwright.builders.raw_rows import RawRow, RowFault, payload_of, printable
from chainwright.recipe_parts.source_kinds import MADE
from chainwright.recipe_parts.sources import QuestionType, Source
from chainwright.schemas.chain import Chain
from chainwright.schemas.identity import content_hash
from chainwright.schemas.problem import Problem
from chainwright.schemas.published import PublishedLabel
from chainwright.schemas.reject import Reject
from chainwright.stage import Batch

STAGE = "problems"


def problems_from_sources(
    sources: Iterable[tuple[Source, Iterable[RawRow | RowFault]]], seed: int
) -> Batch:
    """The problems of all sources in the recipe's order, each source in the order of its sample.

    A question that occurs again, in the same source or a later one, is a reject; the chains of
    its row are kept and belong to the problem that came first, unless the two rows disagree on the
    answer. Questions are compared with their context and options, after Unicode NFC and with all
    runs of blanks as one. A question left out by the sample still bars its duplicates, so that a
    larger limit takes nothing away.

    Args:
        seed: The recipe's seed, for sources without one of their own.

    Returns:
        A batch with the tables `problems` and `chains`. Every raw row and fault counts as taken
        for `problems`, and every pair of a raw row and a chain of its source for `chains`. Where
        there are labelled sources, the table `published` has what they say of the kept chains.
    """
    collected = _Collected()
    for source, rows in sources:
        found: list[Problem] = []
        for row in rows:
            problem = collected.take(row, source)
            if problem is not None:
                found.append(problem)
        own_seed = seed if source.seed is None else source.seed
        # made problems are as many as are wanted, in an order that a larger limit only extends
        made = source.path == MADE
        kept = (found, []) if made else sample(found, source.limit, own_seed, source.types_wanted)
        collected.keep(*kept, source)
    return collected.finished()


def problems_from_rows(rows: Iterable[RawRow | RowFault], source: Source, seed: int) -> Batch:
    """The problems of a single source; see `problems_from_sources`."""
    return problems_from_sources([(source, rows)], seed)


def sample(
    problems: Sequence[Problem],
    limit: int | None,
    seed: int,
    types: Sequence[QuestionType] = (),
) -> tuple[list[Problem], list[Problem]]:
    """The sampled problems and the rest, both by rank; without a limit all are sampled.

    The rank follows from seed and problem id alone: the order of the rows, the machine and the
    other problems have no part in it, and a larger limit only appends.

    Args:
        types: Types of question to be sampled in equal shares: each in turn gives its next
            problem, until it has none left or has reached its own limit.
    """
    ranked = sorted(problems, key=lambda problem: content_hash(seed, problem.problem_id))
    if types:
        ranked, beyond = _in_turn(ranked, types)
        return ranked[:limit], [*([] if limit is None else ranked[limit:]), *beyond]
    return ranked[:limit], [] if limit is None else ranked[limit:]


def _in_turn(
    ranked: Sequence[Problem], types: Sequence[QuestionType]
) -> tuple[list[Problem], list[Problem]]:
    """The problems with the types taking turns, and those beyond the limit of their type."""
    within: list[list[Problem]] = []
    beyond: list[Problem] = []
    for one in types:
        own = [problem for problem in ranked if problem.question_type == one.type]
        within.append(own[: one.limit])
        beyond += [] if one.limit is None else own[one.limit :]
    rounds = zip_longest(*within)
    return [problem for each in rounds for problem in each if problem is not None], beyond


@dataclass(frozen=True, slots=True)
class _First:
    """Where a question was met first, and what its answer is."""

    problem_id: str
    where: str
    answer: str | None


@dataclass
class _Collected:
    """What has been made of the rows so far."""

    batch: Batch = field(default_factory=Batch)
    firsts: dict[str, _First] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    chains: dict[str, Chain] = field(default_factory=dict)
    published: dict[str, list[PublishedLabel]] = field(default_factory=dict)

    def take(self, row: RawRow | RowFault, source: Source) -> Problem | None:
        """The problem of a row that is new and sound; the row's chains are collected on the way."""
        self.batch.taken["problems"] += 1
        where = printable(row.where)
        if isinstance(row, RowFault):
            payload = None if row.payload is None else printable(row.payload)
            self.refuse(source, where, row.reason, printable(row.detail), payload)
            return None
        is_labelled = source.kind == "labelled"
        self.batch.taken["chains"] += len(source.chains) + is_labelled
        try:
            problem = problem_from_row(row.row, source, row.where)
            first = self.earlier(problem)
        except Refused as refused:
            self.refuse(source, where, refused.reason, refused.detail, payload_of(row.row))
            for columns in source.chains:
                detail = f"the row's problem was rejected: {refused.reason}"
                self.reject("chains", f"{where} {columns.generator}", "problem_rejected", detail)
            if is_labelled:
                detail = f"the row's problem was rejected: {refused.reason}"
                self.reject("chains", where, "problem_rejected", detail)
            return None
        if first is not None:
            detail = f"the question stands at {first.where} already"
            self.refuse(source, where, "duplicate", detail, payload_of(row.row))
        problem_id = first.problem_id if first else problem.problem_id
        self.take_chains(row.row, source, where, problem, problem_id)
        if is_labelled:
            self.take_labelled(row, source, problem, problem_id)
        return None if first else problem

    def earlier(self, problem: Problem) -> _First | None:
        """Where the question was met before; None where it is new.

        Raises:
            Refused: where the answer is another one there.
        """
        passages = [[_folded(p.title), _folded(p.text)] for p in problem.context]
        options = [_folded(option) for option in problem.options]
        key = content_hash(_folded(problem.question), passages, options)
        first = self.firsts.get(key)
        if first is None:
            place = _First(problem.problem_id, problem.origin_ref, problem.answer)
            self.firsts[key] = place
        elif first.answer is not None and problem.answer is not None:
            equal = first.answer == problem.answer or same_number(first.answer, problem.answer)
            if not equal:
                raise Refused(
                    "conflicting_duplicate",
                    f"the question stands at {first.where} already, with the answer "
                    f"`{first.answer}` and not `{problem.answer}`",
                )
        return first

    def take_chains(
        self,
        row: Mapping[str, Any],
        source: Source,
        where: str,
        problem: Problem,
        problem_id: str,
    ) -> None:
        for columns in source.chains:
            item = f"{where} {columns.generator}"
            try:
                chain = chain_from_row(row, columns, problem, problem_id=problem_id)
            except Refused as refused:
                self.reject("chains", item, refused.reason, refused.detail, payload_of(row))
                continue
            self.take_chain(chain, item)

    def take_labelled(self, row: RawRow, source: Source, problem: Problem, problem_id: str) -> None:
        chain, labels = labelled_chain(row.row, source, row.where, problem, problem_id)
        if self.take_chain(chain, printable(row.where)):
            self.published[chain.chain_id] = labels

    def take_chain(self, chain: Chain, item: str) -> bool:
        """Whether the chain is a new one; if not, it is rejected."""
        if chain.chain_id in self.chains:
            detail = f"the same steps and answer as chain {chain.chain_id}"
            self.reject("chains", item, "duplicate_chain", detail)
            return False
        self.chains[chain.chain_id] = chain
        return True

    def keep(self, sampled: list[Problem], rest: list[Problem], source: Source) -> None:
        self.problems += sampled
        self.batch.refused.setdefault(source.known_as, Counter())
        for problem in rest:
            detail = f"{problem.origin_ref} is beyond {_limit(source, problem)}"
            self.refuse(source, problem.problem_id, "not_sampled", detail)

    def finished(self) -> Batch:
        """The batch, with the chains of the sampled problems in the problems' order."""
        places = {problem.problem_id: at for at, problem in enumerate(self.problems)}
        kept = [chain for chain in self.chains.values() if chain.problem_id in places]
        for chain in self.chains.values():
            if chain.problem_id not in places:
                detail = f"its problem {chain.problem_id} was not sampled"
                self.reject("chains", chain.chain_id, "not_sampled", detail)
        kept.sort(key=lambda chain: places[chain.problem_id])
        self.batch.rows = {"problems": [*self.problems], "chains": [*kept]}
        if self.published:
            labels = [one for chain in kept for one in self.published.get(chain.chain_id, ())]
            self.batch.rows["published"] = [*labels]
            self.batch.taken["published"] = len(labels)
        return self.batch

    def refuse(
        self, source: Source, item: str, reason: str, detail: str, payload: str | None = None
    ) -> None:
        """A row of the source that becomes no problem."""
        self.batch.refused.setdefault(source.known_as, Counter())[reason] += 1
        self.reject("problems", item, reason, detail, payload)

    def reject(
        self, table: str, item: str, reason: str, detail: str, payload: str | None = None
    ) -> None:
        self.batch.rejects.append(
            Reject(
                stage=STAGE, table=table, item=item, reason=reason, detail=detail, payload=payload
            )
        )


def _limit(source: Source, problem: Problem) -> str:
    own = [one.limit for one in source.types_wanted if one.type == problem.question_type]
    if not own or own[0] is None:
        return f"the limit of {source.limit}"
    whole = "" if source.limit is None else f", or the limit of {source.limit}"
    return f"the {own[0]} questions of type {problem.question_type}{whole}"


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())

"""Block writer: takes the blocks of a run, one at a time, to where the rows of a release go."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from chainwright.release.contamination import Contamination
from chainwright.release.dossier import Dossier
from chainwright.release.json_lines import JsonLines
from chainwright.release.near_duplicates import Sides
from chainwright.release.parquet import FULL, ParquetShards
from chainwright.release.perl import perl_fault, perl_record
from chainwright.release.perl_files import PerlFiles
from chainwright.release.redaction import public_row
from chainwright.release.rows import NO_DRAW, label_fault, released_chain
from chainwright.release.selection import Selection
from chainwright.release.selection_candidates import question_group
from chainwright.release.splits import Split, split_of
from chainwright.release.summary import Account
from chainwright.release.tally import Tally
from chainwright.release.withholding import SourceText, withheld_row
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Problem
from chainwright.schemas.record import Record
from chainwright.schemas.reject import Reject
from chainwright.schemas.release import ReleasedChain
from chainwright.schemas.withheld import PREFIX

if TYPE_CHECKING:
    from chainwright.recipe import Recipe
    from chainwright.stage import Tables

OnReject = Callable[[Reject], None]


class BlockWriter:
    """Takes the blocks of a run, one at a time, to where their rows go."""

    def __init__(
        self,
        recipe: Recipe,
        selection: Selection | None,
        shards: ParquetShards,
        perl: PerlFiles,
        tally: Tally,
        account: Account,
        on_reject: OnReject | None,
        dossier: Dossier,
        sides: Sides | None,
        contamination: Contamination,
        pairs: JsonLines,
    ) -> None:
        self._recipe = recipe
        self._selection = selection
        self._shards = shards
        self._perl = perl
        self._tally = tally
        self._account = account
        self._on_reject = on_reject
        self._dossier = dossier
        self._moved = sides.moved if sides else {}
        self._near_test = sides.dropped if sides else frozenset()
        self._contamination = contamination
        self._pairs = pairs
        self._withheld = {one.known_as for one in recipe.sources if one.withheld}
        self._written: Counter[tuple[str, Split]] = Counter()
        self._texts: dict[str, SourceText] = {}
        self._problems: dict[str, Problem] = {}
        """Those of the block, released or not."""

    def add(self, tables: Tables) -> None:
        """Write what a block holds, or reject it with a reason; all rows of a problem are in it."""
        self._texts = {}
        labels: dict[str, list[Label]] = defaultdict(list)
        for label in tables.get("labels", ()):
            labels[label.chain_id].append(label)
        problems: dict[str, Problem] = {}
        self._problems = {one.problem_id: one for one in tables.get("problems", ())}
        for problem in tables.get("problems", ()):
            if problem.problem_id in problems:
                self._reject("problems", problem.problem_id, "duplicate_id", "written already")
                continue
            left_out = self._left_out(problem)
            if left_out is None or left_out[0] == "contaminated":
                self._pairs.add(self._contamination.note(problem, self._split(problem)))
            if left_out is not None:
                self._reject("problems", problem.problem_id, *left_out)
                continue
            problems[problem.problem_id] = problem
            self._tally.add_problem(problem)
            withheld = problem.source in self._withheld
            if withheld:
                self._texts[problem.problem_id] = SourceText(problem.model_dump())
            self._dossier.add_problem(self._split(problem), problem, withheld=withheld)
            self._write("problems", self._split(problem), problem, problem.problem_id)
        splits: dict[str, Split] = {}
        owners: dict[str, str] = {}
        for chain in tables.get("chains", ()):
            owner = problems.get(chain.problem_id)
            if chain.chain_id in splits:
                self._reject(self._every_chain, chain.chain_id, "duplicate_id", "written already")
            elif self._release_chain(owner, chain, labels[chain.chain_id]):
                splits[chain.chain_id] = self._split(problems[chain.problem_id])
                owners[chain.chain_id] = chain.problem_id
        for config in ("votes", "labels"):
            for row in tables.get(config, ()):
                if row.chain_id in splits:
                    owner_id = owners[row.chain_id]
                    if config == "votes":
                        self._dossier.add_vote(row, withheld=owner_id in self._texts)
                    self._write(config, splits[row.chain_id], row, owner_id)
                else:
                    item = f"{row.chain_id} step {row.step}"
                    self._reject(config, item, "chain_not_released", "its chain is not released")

    def _release_chain(self, problem: Problem | None, chain: Chain, labels: list[Label]) -> bool:
        owner = self._problems.get(chain.problem_id)
        left_out = self._left_out(owner) if owner else None
        if left_out is not None:
            self._reject(self._every_chain, chain.chain_id, *left_out)
            return False
        if problem is None:
            detail = f"none is {chain.problem_id}"
            self._reject(self._every_chain, chain.chain_id, "no_problem", detail)
            return False
        fault = label_fault(chain, labels)
        if fault is not None:
            self._reject(self._every_chain, chain.chain_id, *fault)
            return False
        split = self._split(problem)
        draws = self._selection.draws if self._selection else {}
        row = released_chain(problem, chain, labels, draws.get(chain.chain_id, NO_DRAW))
        self._write(self._every_chain, split, row, problem.problem_id)
        if self._selection is not None:
            self._write_selected(self._selection, row)
        self._tally.add_chain(split, row, labels)
        self._dossier.add_chain(row, withheld=problem.problem_id in self._texts)
        if self._recipe.release.perl_json:
            self._write_perl(problem, chain, labels)
        return True

    def _write_selected(self, selection: Selection, row: ReleasedChain) -> None:
        side = selection.side_of(row.chain_id)
        if side is not None:
            self._write("chains", side, row, row.problem_id)
            return
        reason = selection.left_out[row.chain_id]
        self._reject("chains", row.chain_id, reason, "not selected; it is in the config full")

    def _write_perl(self, problem: Problem, chain: Chain, labels: list[Label]) -> None:
        fault = perl_fault(problem, chain, labels)
        if problem.problem_id in self._texts:
            fault = "withheld", "the text of its source is not passed on"
        if fault is not None or chain.polarity is None:
            self._reject("perl", chain.chain_id, *(fault or ("undecided_polarity", "")))
            return
        self._account.taken["perl"] += 1
        self._perl.add(problem.source, chain.polarity, perl_record(problem, chain, labels))

    def _write(self, config: str, split: Split, row: Record, problem_id: str) -> None:
        self._account.taken[config] += 1
        number = self._written[config, split]
        self._written[config, split] += 1
        public = public_row(row.model_dump())
        text = self._texts.get(problem_id)
        if text is None:
            self._shards.add(config, split, [public])
        else:
            kept = withheld_row(config, public, number, text)
            self._shards.add(f"{PREFIX}{config}", split, [kept])

    def _reject(self, table: str, item: str, reason: str, detail: str) -> None:
        self._account.taken[table] += 1
        self._account.rejects[table][reason] += 1
        if self._on_reject is not None:
            self._on_reject(
                Reject(
                    stage="release",
                    table=table,
                    item=item,
                    reason=reason,
                    detail=detail,
                    payload=None,
                )
            )

    def _left_out(self, problem: Problem) -> tuple[str, str] | None:
        """Why a problem is left out with its chains: reason and detail; None where it stays."""
        found = self._contamination.left_out(problem.problem_id)
        if found is not None:
            return "contaminated", found
        if problem.family in self._near_test:
            return "near_duplicate", "its question is nearly one of test"
        return None

    @property
    def _every_chain(self) -> str:
        """The config that takes every chain fit for release."""
        return "chains" if self._selection is None else FULL

    def _split(self, problem: Problem) -> Split:
        if self._selection is not None:
            parent = self._problems.get(problem.family)
            return self._selection.side_of_question(question_group(parent or problem))
        moved = self._moved.get(problem.family)
        return moved or side_by_hash(self._recipe, problem.family)


def side_by_hash(recipe: Recipe, problem_id: str) -> Split:
    """The side of a problem by the hash of its id, where nothing else decides."""
    return split_of(problem_id, recipe.release.test_fraction, recipe.seed)

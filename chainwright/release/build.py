"""Build: writes a whole release, block by block, in memory that does not grow with the run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.release.card import dataset_card
from chainwright.release.citation import citation
from chainwright.release.contamination import FILE as PAIRS
from chainwright.release.contamination import Contamination, TestItems
from chainwright.release.croissant import croissant
from chainwright.release.dataset_info import dataset_info
from chainwright.release.dossier import Dossier, ModelUse
from chainwright.release.folder import new_release
from chainwright.release.json_lines import JsonLines
from chainwright.release.licences import check_licences
from chainwright.release.manifest import (
    as_json,
    as_yaml,
    manifest_of,
    write_schemas,
    write_text,
)
from chainwright.release.near_duplicates import Questions, Sides, arrange
from chainwright.release.parquet import FULL, ParquetShards
from chainwright.release.perl import perl_fault, perl_record
from chainwright.release.perl_files import PerlFiles
from chainwright.release.rebuild_recipe import FILE as REBUILD
from chainwright.release.rebuild_recipe import rebuild_recipe, withheld_names
from chainwright.release.redaction import public_recipe, public_row
from chainwright.release.rows import NO_DRAW, label_fault, released_chain
from chainwright.release.selection import Selection
from chainwright.release.selection_candidates import question_group
from chainwright.release.selection_pass import selected
from chainwright.release.splits import Split, split_of
from chainwright.release.summary import (
    Account,
    ReleaseSummary,
    StageCounts,
    files_below,
    released_file,
)
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


def write_release(
    folder: Path,
    *,
    recipe: Recipe,
    blocks: Iterable[Tables],
    statistics: Mapping[str, Any],
    stages: Sequence[StageCounts],
    on_reject: OnReject | None = None,
    asked: Sequence[ModelUse] = (),
    test_sets: Sequence[TestItems] = (),
) -> ReleaseSummary:
    """Write a release: parquet files, PERL JSON, dataset card, recipe and manifest.

    Blocks are read once, in order, and dropped one by one; equal input gives equal bytes. Where
    near-duplicates are handled and not just counted, or contaminated problems dropped, problems
    are read once before. The
    release replaces a former one under the same name only when it is complete.

    Where the recipe asks for a selection, blocks are read twice, and a few hundred bytes a chain
    are kept in between. `chains` then holds what was selected and `full` every chain; all rows of
    a question are on the side on which its chains were selected.

    Rows that cannot enter are rejected with a reason and counted: problems and chains
    `duplicate_id`, `near_duplicate` and `contaminated`; chains `no_problem`, `no_labels`,
    `incomplete_labels` and `invalid_premises`; votes and labels `chain_not_released`, so that a
    chain_id always leads to a row of `chains` (or `full`); what a selection leaves out of
    `chains` has the reasons of `Selection`; and what does not enter PERL JSON those of
    `perl_fault`, and `withheld`. Rows of a source whose text may not be passed on are in
    configs of their own, without text (`chainwright.release.withholding`). A run without any
    chain fit for release gives a release without the config `chains`, whose card says so.
    Endpoints of models and absolute paths are left out everywhere
    (`chainwright.release.redaction`).

    Args:
        folder: Where the release goes; its parent is made if need be.
        recipe: The recipe as run.
        blocks: For each block its rows by table: `problems`, `chains`, `votes`, `labels`. All rows
            of a problem are in its block; a table that is absent has no rows. With a selection
            they must allow for being gone through twice.
        statistics: Statistics of the run as plain JSON values. `agreement`, `error_correlation`,
            `calibration`, `premises`, `chain_verdicts` and `graphs` are shown where present.
        stages: Counts of the stages before, in the order of the line.
        on_reject: Called with every reject as it occurs.
        asked: What was asked of models.
        test_sets: What the recipe's `release.decontaminate` names, as read.

    Raises:
        FileExistsError: `folder` holds something other than a release.
        TypeError: There is a selection to be made, and `blocks` can be gone through only once.
        LicenceRefusedError: Rows of restricted use would be given away more freely, and the recipe
            does not say that this is wanted.
        OSError: Writing failed; a former release is still in place.
    """
    with new_release(folder) as fresh:
        account, tally, dossier = Account(), Tally(), Dossier(asked)
        contamination = Contamination(test_sets, drop=recipe.release.contaminated == "drop")
        dossier.contamination = contamination.figures()
        if contamination.drop:
            blocks = list(blocks) if iter(blocks) is blocks else blocks
            for tables in blocks:
                for problem in tables.get("problems", ()):
                    contamination.look_ahead(problem)
        selection = selected(blocks, recipe, contamination.left_out)
        sides, questions = None, Questions()
        if recipe.release.near_duplicates != "report":
            blocks = list(blocks) if iter(blocks) is blocks else blocks
            sides = _sides(recipe, _questions(blocks, contamination))
        with (
            ParquetShards(fresh, shard_rows=recipe.release.shard_rows) as shards,
            PerlFiles(fresh) as perl,
            JsonLines(fresh / PAIRS) as pairs,
        ):
            block = _Block(
                recipe,
                selection,
                shards,
                perl,
                tally,
                account,
                on_reject,
                dossier,
                sides,
                contamination,
                pairs,
            )
            for tables in blocks:
                block.add(tables)
                if sides is None:
                    _note(questions, tables, contamination)
        dossier.near = (sides or _sides(recipe, questions)).found
        public = public_recipe(recipe)
        withheld = withheld_names(public)
        check_licences(
            {
                source: list(counts)
                for source, counts in tally.licences.items()
                if source not in withheld
            },
            recipe.release.licence,
            acknowledged=recipe.release.mixed_licences,
        )
        partial = account.summary(shards.counts(), perl.counts(), [], selection)
        write_text(fresh / "recipe.yaml", as_yaml(public))
        if withheld:
            write_text(fresh / REBUILD, as_yaml(rebuild_recipe(public)))
        write_schemas(fresh / "schema", partial)
        write_text(fresh / "CITATION.cff", as_yaml(citation(public, tally)))
        dossier.info = dataset_info(fresh)
        line = [*stages, partial.stage_counts()]
        write_text(
            fresh / "README.md",
            dataset_card(
                recipe=public,
                summary=partial,
                tally=tally,
                statistics=statistics,
                stages=line,
                dossier=dossier,
            ),
        )
        files = files_below(fresh)
        described = croissant(public, tally, dossier, files)
        write_text(fresh / "croissant.json", as_json(described))
        files.append(released_file(fresh / "croissant.json", fresh))
        files.sort(key=lambda one: one.path)
        summary = account.summary(partial.counts, partial.perl, files, selection)
        write_text(
            fresh / "manifest.json",
            as_json(manifest_of(public, summary, line, dossier)),
        )
    return summary


class _Block:
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

    def add(self, tables: Tables) -> None:
        self._texts = {}
        labels: dict[str, list[Label]] = defaultdict(list)
        for label in tables.get("labels", ()):
            labels[label.chain_id].append(label)
        problems: dict[str, Problem] = {}
        for problem in tables.get("problems", ()):
            if problem.problem_id in problems:
                self._reject("problems", problem.problem_id, "duplicate_id", "written already")
                continue
            left_out = self._left_out(problem.problem_id)
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
        left_out = self._left_out(chain.problem_id)
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

    def _left_out(self, problem_id: str) -> tuple[str, str] | None:
        """Why a problem is left out with its chains: reason and detail; None where it stays."""
        found = self._contamination.left_out(problem_id)
        if found is not None:
            return "contaminated", found
        if problem_id in self._near_test:
            return "near_duplicate", "its question is nearly one of test"
        return None

    @property
    def _every_chain(self) -> str:
        """The config that takes every chain fit for release."""
        return "chains" if self._selection is None else FULL

    def _split(self, problem: Problem) -> Split:
        if self._selection is not None:
            return self._selection.side_of_question(question_group(problem))
        moved = self._moved.get(problem.problem_id)
        return moved or _side(self._recipe, problem.problem_id)


def _side(recipe: Recipe, problem_id: str) -> Split:
    return split_of(problem_id, recipe.release.test_fraction, recipe.seed)


def _questions(blocks: Iterable[Tables], contamination: Contamination) -> Questions:
    questions = Questions()
    for tables in blocks:
        _note(questions, tables, contamination)
    return questions


def _note(questions: Questions, tables: Tables, contamination: Contamination) -> None:
    for problem in tables.get("problems", ()):
        if contamination.left_out(problem.problem_id) is None:
            questions.add(problem.problem_id, problem.question)


def _sides(recipe: Recipe, questions: Questions) -> Sides:
    def side(problem_id: str) -> Split:
        return _side(recipe, problem_id)

    return arrange(questions.groups(), side, recipe.release.near_duplicates)

"""Build: writes a whole release, block by block, in memory that does not grow with the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chainwright.release.block_writer import BlockWriter, OnReject, side_by_hash
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
from chainwright.release.parquet import ParquetShards
from chainwright.release.perl_files import PerlFiles
from chainwright.release.rebuild_recipe import FILE as REBUILD
from chainwright.release.rebuild_recipe import rebuild_recipe, withheld_names
from chainwright.release.redaction import public_recipe
from chainwright.release.selection_pass import selected
from chainwright.release.splits import Split
from chainwright.release.summary import (
    Account,
    ReleaseSummary,
    StageCounts,
    files_below,
    released_file,
)
from chainwright.release.tally import Tally

if TYPE_CHECKING:
    from chainwright.recipe import Recipe
    from chainwright.stage import Tables


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
            closing(JsonLines(fresh / PAIRS)) as pairs,
        ):
            block = BlockWriter(
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


def _questions(blocks: Iterable[Tables], contamination: Contamination) -> Questions:
    questions = Questions()
    for tables in blocks:
        _note(questions, tables, contamination)
    return questions


def _note(questions: Questions, tables: Tables, contamination: Contamination) -> None:
    for problem in tables.get("problems", ()):
        if contamination.left_out(problem.problem_id) is None:
            questions.add(problem.family, problem.question)


def _sides(recipe: Recipe, questions: Questions) -> Sides:
    def side(problem_id: str) -> Split:
        return side_by_hash(recipe, problem_id)

    return arrange(questions.groups(), side, recipe.release.near_duplicates)

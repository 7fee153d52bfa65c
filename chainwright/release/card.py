"""Card: the README of a release, every figure of it computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from chainwright import __version__
from chainwright.release.card_making import making, placed, program_lines, prompts_of
from chainwright.release.card_people import people_tables
from chainwright.release.card_sources import source_rows, what_is_asked
from chainwright.release.card_statistics import (
    agreement_rows,
    calibration_rows,
    documents,
    graph_rows,
    premise_rows,
    tier_intervals,
    verdict_rows,
    wrong_chains,
)
from chainwright.release.dossier import Dossier
from chainwright.release.fields import fields_of
from chainwright.release.markdown import cell, code, literal
from chainwright.release.metadata import card_metadata, title_of
from chainwright.release.parquet import ALL_CONFIGS, CONFIGS, FULL
from chainwright.release.rebuild_recipe import withheld_names
from chainwright.release.redaction import public_model
from chainwright.release.selection_tables import selection_tables
from chainwright.release.splits import SPLITS
from chainwright.release.summary import ReleaseSummary, StageCounts
from chainwright.release.tally import UNDECIDED, Tally, TrackTally, by_split
from chainwright.schemas.withheld import PREFIX
from chainwright.schemas.words import STEP_LABELS, TIERS, TRACKS

if TYPE_CHECKING:
    from jinja2 import Template

_OUTCOMES = (*STEP_LABELS, "faithful")
_TEMPLATE = Path(__file__).with_name("templates") / "README.md.j2"


def dataset_card(
    *,
    recipe: Mapping[str, Any],
    summary: ReleaseSummary,
    tally: Tally,
    statistics: Mapping[str, Any],
    stages: Sequence[StageCounts],
    dossier: Dossier | None = None,
) -> str:
    """The whole README: metadata and body.

    Sections whose figures are missing are left out. Whatever comes from data (names of sources,
    licences, categories, judges) is escaped for YAML and Markdown.

    Args:
        recipe: The recipe as published.
        summary: Counts of the release.
        tally: Counts over its rows.
        statistics: As for `write_release`.
        stages: Counts of every stage, the release itself last.
        dossier: What was gathered besides; nothing was, where it is left out.
    """
    import yaml

    given = {"dataset_info": dossier.info} if dossier and dossier.info else {}
    metadata = yaml.safe_dump(
        card_metadata(recipe, summary, tally) | given,
        sort_keys=False,
        allow_unicode=True,
        width=1_000,
    )
    context = _context(recipe, summary, tally, statistics, stages)
    context["dossier"] = (dossier or Dossier()).context(recipe, tally.tracks)
    body = _template().render(context)
    return f"---\n{metadata}---\n\n{body}"


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    # Every value passes through `cell`, which leaves alone only what is marked as safe already.
    environment = Environment(
        autoescape=True,
        finalize=cell,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))


def _context(
    recipe: Mapping[str, Any],
    summary: ReleaseSummary,
    tally: Tally,
    statistics: Mapping[str, Any],
    stages: Sequence[StageCounts],
) -> dict[str, Any]:
    splits = [split for split in SPLITS if any(split in one for one in summary.counts.values())]
    parts = _track_parts(tally, statistics, splits)
    everything = FULL if summary.selection is not None else "chains"
    return {
        "title": title_of(recipe),
        "name": code(recipe["name"]),
        "version": Markup(__version__),  # noqa: S704 - our own
        "splits": splits,
        "chains": summary.rows(everything),
        "first_config": Markup(next(iter(summary.counts), "chains")),  # noqa: S704 - our own
        "everything": code(everything),
        "everything_name": everything,
        "selection": selection_tables(summary.selection),
        "selected": summary.rows("chains"),
        "withheld": {
            config: sum(summary.counts[f"{PREFIX}{config}"].values())
            for config in (everything, "problems")
            if f"{PREFIX}{config}" in summary.counts
        },
        "withheld_sources": _listed(
            [one for one in tally.problems if one in withheld_names(recipe)]
        ),
        "problems": tally.problems.total(),
        "steps": tally.steps["outcome"].total(),
        "test_share": _share(recipe["release"].get("test_fraction")),
        "seed": Markup(int(recipe["seed"])),  # noqa: S704 - a number
        "counts": _count_rows(summary, splits),
        "stages": _stage_rows(stages),
        "fields": {
            code(config): _field_rows(record)
            for config, record in ALL_CONFIGS.items()
            if config in CONFIGS
            or (config.removeprefix(PREFIX) in CONFIGS and config in summary.counts)
        },
        "facets": [
            *(
                [_facet("Chains by track", "track", tally.chains["track"], splits, TRACKS)]
                if len(tally.tiers) > 1
                else []
            ),
            _facet("Chains by polarity", "polarity", tally.chains["polarity"], splits),
            _facet("Chains by origin", "origin", tally.chains["origin"], splits),
            _facet("Chains by generator", "generator", tally.chains["generator"], splits),
            _facet("Chains by verdict", "verdict", tally.chains["verdict"], splits),
            _facet(
                "Chains by place of the first error", "first error", tally.chains["place"], splits
            ),
            _facet("Steps by label", "label", tally.steps["outcome"], splits, _OUTCOMES),
            _facet("Steps by source of the label", "source", tally.steps["label_source"], splits),
        ],
        "tracks": parts,
        "people": people_tables(statistics.get("people") or {}),
        "measured": any(part["panel"] or part["calibration"]["accuracy"] for part in parts),
        "known": sorted(tally.tiers),
        "track_names": _listed([track for track in tally.tiers if track != "math"]),
        "sources": source_rows(recipe, tally),
        "follows": what_is_asked(recipe, tally),
        "making": making(recipe),
        "prompts": prompts_of(recipe),
        "perl": [(code(f"perl/{name}"), count) for name, count in summary.perl.items()],
        "perl_rejects": _reasons(summary.rejects.get("perl", {})),
        "exact_steps": tally.exact,
        "people_are": {"experts": literal("experts"), "crowd": literal("a crowd")}.get(
            recipe["release"].get("people")
        ),
        "human_steps": _total(tally, "label_source", "human"),
        "panel_steps": _total(tally, "label_source", "panel"),
        "placed": placed(tally),
        "undecided_steps": _total(tally, "outcome", UNDECIDED),
        "programs": program_lines(list(tally.judges)),
        "checkers": _listed([one for one in tally.judges if one.startswith("python:")]),
        "judges": len(tally.judges),
        "unlicensed": _listed([name for name, found in tally.licences.items() if None in found]),
        "resplit": _listed([name for name, found in tally.source_splits.items() if any(found)]),
        "reads_files": any(
            not source.get("path", "builtin:").startswith("builtin:")
            for source in recipe["sources"]
        ),
    }


def _share(fraction: float | None) -> Markup | None:
    """The test share asked for; None where a selection takes its place."""
    return None if fraction is None else Markup(f"{fraction:.4g}")  # noqa: S704 - a number


def _count_rows(summary: ReleaseSummary, splits: Sequence[str]) -> list[list[Any]]:
    return [
        [code(config), *(rows.get(split, 0) for split in splits), sum(rows.values())]
        for config, rows in summary.counts.items()
    ]


def _stage_rows(stages: Sequence[StageCounts]) -> list[list[Any]]:
    return [
        [
            code(one.stage),
            code(table),
            one.taken.get(table, 0),
            one.made.get(table, 0),
            sum(one.rejected.get(table, {}).values()),
            _reasons(one.rejected.get(table, {})),
        ]
        for one in stages
        for table in dict.fromkeys([*one.taken, *one.made, *one.rejected])
        if one.taken.get(table) or one.made.get(table) or one.rejected.get(table)
    ]


def _field_rows(record: type[Any]) -> list[list[Any]]:
    return [
        [
            code(field.name),
            field.type,
            Markup("; ").join(
                part
                for part in (
                    # Our own text, with code spans; only the table has to be kept whole.
                    Markup(field.meaning.replace("|", "\\|")),  # noqa: S704
                    Markup(", ").join(code(value) for value in field.values),
                )
                if part
            ),
        ]
        for field in fields_of(record)
    ]


def _facet(
    title: str, column: str, counts: Any, splits: Sequence[str], order: Sequence[str] = ()
) -> dict[str, Any]:
    rows = [[code(value), *numbers] for value, numbers in by_split(counts, splits, order)]
    return {"title": title, "header": [column, *splits, "total"], "rows": rows}


def _track_parts(
    tally: Tally, statistics: Mapping[str, Any], splits: Sequence[str]
) -> list[dict[str, Any]]:
    """What is measured apart for each track, whose judges and labels are its own."""
    given = documents(statistics)
    tracks = [track for track in TRACKS if track in tally.tiers or track in given]
    return [
        _track_part(track if len(tracks) > 1 else "", tally.tiers[track], given.get(track), splits)
        for track in tracks
    ]


def _track_part(
    track: str, tiers: TrackTally, given: Mapping[str, Any] | None, splits: Sequence[str]
) -> dict[str, Any]:
    """The parts of a card on one track; `track` is empty where there is no other."""
    known = given or {}
    calibration = known.get("calibration") or {}
    suffix = f", {track}" if track else ""
    return {
        "suffix": Markup(suffix),  # noqa: S704 - one of our own words
        "judged": tiers.judged or not tiers.steps,
        "tiers": [
            _facet(f"Steps by tier{suffix}", "tier", tiers.steps, splits, TIERS),
            _facet(f"Chains by tier{suffix}", "tier", tiers.chains, splits, TIERS),
        ],
        "panel": _panel_rows(tiers.panel, calibration),
        "agreement": agreement_rows(
            known.get("agreement") or {}, known.get("error_correlation") or {}
        ),
        "premises": premise_rows(known.get("premises") or {}),
        "verdicts": verdict_rows(known.get("chain_verdicts") or {}),
        "any_wrong": any(map(wrong_chains, (known.get("chain_verdicts") or {}).values())),
        "calibration": calibration_rows(calibration),
        "observers": _listed([public_model(one) for one in known.get("observers") or ()]),
        "graphs": graph_rows(known.get("graphs") or {}),
    }


def _panel_rows(
    panel: Mapping[tuple[str, str], int], calibration: Mapping[str, Any]
) -> list[list[Any]]:
    intervals = tier_intervals(calibration)
    rows: list[list[Any]] = []
    for tier in TIERS:
        right, wrong, undecided = (
            panel.get((tier, outcome), 0) for outcome in ("right", "wrong", UNDECIDED)
        )
        if right + wrong + undecided:
            share = right / (right + wrong) if right + wrong else None
            decided, interval = intervals.get(tier, (None, None))
            if decided != right + wrong:  # of a run that holds more than what was released
                interval = None
            total = right + wrong + undecided
            rows.append([code(tier), total, right, wrong, undecided, share, interval])
    return rows


def _reasons(reasons: Mapping[str, int]) -> Markup:
    return Markup(", ").join(
        Markup(f"{code(reason)} {count:,}")  # noqa: S704 - both parts are escaped
        for reason, count in sorted(reasons.items())
    )


def _total(tally: Tally, facet: str, value: str) -> int:
    return sum(count for (found, _), count in tally.steps[facet].items() if found == value)


def _listed(names: Sequence[str]) -> Markup:
    return Markup(", ").join(code(name) for name in sorted(names))

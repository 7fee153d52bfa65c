import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from chainwright.pipeline.build import build
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.report import StageReport, account_lines, accounts, stage_table
from chainwright.pipeline.screens.selection import unmet_quotas
from chainwright.pipeline.screens.statistics import print_statistics
from chainwright.pipeline.screens.status import print_status, run_status
from chainwright.pipeline.screens.summary import print_summary
from chainwright.pipeline.screens.terminal import console
from chainwright.pipeline.totals import TableTotals
from tests.pipeline.small_line import REFUSED, small_line, write_recipe, write_recipe_over

STATISTIC = {"value": 0.5, "low": 0.25, "high": 0.75, "n": 9, "reason": None}
UNDEFINED = {"value": None, "low": None, "high": None, "n": 0, "reason": "one_judge: needs two"}
CONFUSION = {
    "accuracy": {"value": 0.9, "low": 0.8, "high": 0.95, "correct": 9, "voted": 10},
    "coverage": 0.75,
}
STATISTICS: dict[str, Any] = {
    "counts": {
        "chains": 3,
        "steps": 9,
        "steps_by_label": {"correct": 7, "other": 2},
        "chains_by_tier": {"gold": 1, "silver": 2},
    },
    "calibration": {
        "judges": {"program:arithmetic": CONFUSION},
        "panel": CONFUSION,
        "by_tier": {"gold": CONFUSION["accuracy"]},
    },
    "agreement": {
        "unanimity": STATISTIC,
        "fleiss": UNDEFINED,
        "cohen": [{"first": "a", "second": "b", "statistic": STATISTIC}],
    },
    "error_correlation": {"mean": STATISTIC, "effective_votes": STATISTIC},
    "graphs": {
        "by_polarity": {
            "positive": {
                "chains": 3,
                "nodes": {"mean": 4.0, "median": 4.0, "min": 3.0, "max": 5.0},
                "edges": {"mean": None, "median": None, "min": None, "max": None},
            }
        }
    },
    "chain_verdicts": {"a": {"chains": 4, "precision": 0.125, "accuracy": {"value": 0.625}}},
    "premises": {"chains": 3, "f1": 0.875, "note": "a text", "parts": [1, 2]},
}


def printed(draw: Any, *values: Any) -> str:
    file = io.StringIO()
    draw(*values, console(file))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_every_part_of_the_statistics_is_shown() -> None:
    text = printed(print_statistics, STATISTICS)
    lines = words(text)
    assert ["labels", "and", "tiers:", "chains", "3,", "steps", "9"] in lines
    assert "steps by label: correct 7, other 2" in text
    assert "chains by tier: gold 1, silver 2" in text
    row = ["0.900", "0.800", "to", "0.950", "10"]
    assert ["program:arithmetic", *row, "0.750"] in lines
    assert ["panel", *row, "0.750"] in lines
    assert ["tier", "gold", *row] in lines
    assert ["unanimity", "0.500", "0.250", "to", "0.750", "9"] in lines
    assert ["Fleiss'", "kappa", "0", "one_judge"] in lines
    kappa = ["Cohen's", "kappa,", "a", "and", "b", "0.500", "0.250", "to", "0.750", "9"]
    assert kappa in lines
    assert ["effective", "votes", "0.500", "0.250", "to", "0.750", "9"] in lines
    assert ["positive", "3", "4.000"] in lines
    assert ["a", "4", "0.125", "0.625"] in lines
    assert "premises: chains 3, f1 0.875" in text


@pytest.mark.parametrize("missing", STATISTICS)
def test_a_part_that_is_missing_is_left_out(missing: str) -> None:
    rest = {name: part for name, part in STATISTICS.items() if name != missing}
    assert len(printed(print_statistics, rest)) < len(printed(print_statistics, STATISTICS))


def test_each_track_is_shown_under_its_name() -> None:
    other = {"counts": {"chains": 5, "steps": 8}, "agreement": {"unanimity": STATISTIC}}
    document = {"track": "math", **STATISTICS, "tracks": {"grounding": {"track": "g", **other}}}
    text = printed(print_statistics, document)
    first, second = text.split("track grounding")
    assert first.strip().startswith("track math")
    assert first.strip().removeprefix("track math").strip() == (
        printed(print_statistics, STATISTICS).strip()
    )
    assert second.strip() == printed(print_statistics, other).strip()
    assert "track" not in printed(print_statistics, {"track": "grounding", **other})


def test_quotas_that_were_not_met_are_told(tmp_path: Path) -> None:
    def share(part: str, wanted: int, **names: str | None) -> dict[str, Any]:
        split = "test" if part in ("hard", "random") else "train"
        given = {"split": split, "part": part, "track": "grounding", "category": None}
        return {**given, "generator": None, "wanted": wanted, "available": 3, "taken": 2, **names}

    folder = RunFolder(tmp_path)
    folder.release.mkdir()
    shares = [
        share("unfaithful", 5, category="confusion"),
        share("unfaithful", 4, category="confusion", generator="one"),
        share("unfaithful", 2, category="contradiction"),
        share("faithful", 3),
        share("hard", 9, generator="one"),
    ]
    manifest = folder.release / "manifest.json"
    manifest.write_text(json.dumps({"selection": shares}))
    assert unmet_quotas(folder) == [
        "train, grounding, unfaithful confusion: 2 of 5, 3 available, more than the quotas of its "
        "generators",
        "train, grounding, faithful: 2 of 3, 3 available",
        "test, grounding, hard one: 2 of 9, 3 available",
        "train: 1 quotas of a category and generator, in release/manifest.json",
    ]
    many = [share("hard", 9, generator=str(number)) for number in range(50)]
    manifest.write_text(json.dumps({"selection": many}))
    assert unmet_quotas(folder)[39:] == [
        "test, grounding, hard 39: 2 of 9, 3 available",
        "and 10 more",
    ]
    manifest.write_text("{}")
    assert unmet_quotas(folder) == []


def test_empty_statistics_print_nothing() -> None:
    assert printed(print_statistics, {}) == ""
    assert printed(print_statistics, {name: {} for name in STATISTICS}) == ""


def test_names_in_statistics_cannot_steer_the_terminal() -> None:
    text = printed(
        print_statistics,
        {
            "counts": {"chains": 1, "generators": {"\x1b[31m": 1}},
            "calibration": {"judges": {"\x1b[31m": CONFUSION}},
            "chain_verdicts": {"\x1b[31m": {"chains": 1}},
            "\x1b[31m": {"n": 1},
        },
    )
    assert text.count(r"\x1b[31m") == 4
    assert "\x1b" not in text


def a_stage(stage: str, *tables: TableTotals) -> StageReport:
    return StageReport(stage, 1, 1, 1, 0, 0.5, list(tables))


def test_accounts_sum_the_stages_that_make_a_tables_rows() -> None:
    chains = TableTotals("chains", 5, 3, {"refused": 2})
    totals = accounts(
        [a_stage("chains", chains), a_stage("negatives", chains), a_stage("release", chains)]
    )
    assert totals == [TableTotals("chains", 10, 6, {"refused": 4})]
    assert account_lines(totals)[0].plain == "chains: 10 in = 6 out + 4 rejected"


def test_accounts_that_do_not_add_up_say_so() -> None:
    lines = account_lines([TableTotals("chains", 5, 3, {"refused": 1})])
    assert lines[0].plain.endswith("DOES NOT ADD UP")


def test_the_stage_table_lists_reasons_and_leaves_out_empty_tables() -> None:
    stage = a_stage(
        "chains",
        TableTotals("chains", 5, 2, {"refused": 2, "odd": 1}),
        TableTotals("exact", 0, 0, {}),
    )
    text = printed(lambda table, screen: screen.print(table), stage_table([stage]))
    line = ["chains", "chains", "5", "2", "3", "(refused", "2,", "odd", "1)", "0.5", "s"]
    assert [*line, "1", "block", "run"] in words(text)
    assert "exact" not in text


def test_a_build_is_summed_up_for_people_and_as_json(tmp_path: Path) -> None:
    rows = [
        {"question": f"{REFUSED if n == 2 else 'ask'} {n}", "answer": "1", "solution": "Count."}
        for n in range(5)
    ]
    summary = build(write_recipe_over(tmp_path, rows), tmp_path, quiet=True, line=small_line())
    text = printed(print_summary, summary)
    assert "chains: 10 in = 9 out + 1 rejected" in text
    assert f"release: {tmp_path / 'small' / 'release'}" in text
    assert f"chainwright show {tmp_path / 'small'}" in text
    document = json.loads(json.dumps(summary.as_json(), allow_nan=False))
    chains = next(each for each in document["accounts"] if each["table"] == "chains")
    assert chains == {
        "table": "chains",
        "taken": 10,
        "made": 9,
        "rejected": {"refused": 1},
        "balanced": True,
    }
    assert [stage["stage"] for stage in document["stages"]][-1] == "release"
    assert document["statistics"]["bootstrap"] == 10


def test_the_release_can_be_loaded_as_the_summary_says(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    summary = build(write_recipe(tmp_path), tmp_path, quiet=True, line=small_line())
    assert summary.next[-1] == f'datasets.load_dataset("{summary.release}", "chains")'
    loaded = datasets.load_dataset(summary.release, "chains", cache_dir=str(tmp_path / "cache"))
    assert sum(loaded.num_rows.values()) == 14


def test_what_became_of_each_source_is_told(tmp_path: Path) -> None:
    twice = [{"question": "Which?", "answer": "1"}] * 2
    recipe = write_recipe_over(tmp_path, [*twice, "no JSON"])
    one = yaml.safe_load(recipe.read_text())
    two = [one["sources"][0] | {"columns": {"question": "question", "answer": "answer"}}]
    two = [two[0] | {"name": name} for name in ("first", "second")]
    recipe.write_text(yaml.safe_dump(one | {"sources": [*two, two[0] | {"name": "third"}]}))
    summary = build(recipe, tmp_path, quiet=True, line=small_line())
    lines = words(printed(print_summary, summary))
    assert ["first", "3", "1", "2", "(duplicate", "1,", "bad_json", "1)"] in lines
    assert ["third", "3", "0", "3", "(duplicate", "2,", "bad_json", "1)"] in lines
    assert summary.as_json()["sources"]["first"]["made"] == 1
    build(recipe, tmp_path, quiet=True, line=small_line())
    status = words(printed(print_status, run_status("small", tmp_path, line=small_line())))
    assert ["second", "3", "0", "3", "(duplicate", "2,", "bad_json", "1)"] in status


def test_a_release_of_problems_alone_is_loaded_as_such(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path, chains={"reference": False}, negatives={"exact": None})
    summary = build(recipe, tmp_path, quiet=True)
    assert summary.next[-1] == f'datasets.load_dataset("{summary.release}", "problems")'


def test_a_status_is_printed_with_what_is_out_of_date(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path)
    build(recipe, tmp_path, quiet=True, line=small_line())
    text = printed(print_status, run_status("small", tmp_path, line=small_line()))
    assert "run small: last build done, began 20" in text
    assert f"up to date with {recipe}, if" in text
    write_recipe(tmp_path, release={"title": "T"})
    text = printed(print_status, run_status("small", tmp_path, line=small_line()))
    assert "  release: 1 of 1 would run (settings)" in text

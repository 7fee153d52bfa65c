"""Card: its figures are those of the files, and no text can break it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from chainwright.recipe import Recipe
from chainwright.release.build import write_release
from chainwright.release.metadata import size_category
from chainwright.release.splits import SPLITS
from chainwright.release.summary import StageCounts
from chainwright.schemas.label import Label

Block = dict[str, list[Any]]
MakeRecipe = Callable[..., Recipe]
MakeBlock = Callable[[int], Block]
MakeCard = Callable[..., str]


def tables(card: str) -> dict[str, list[list[str]]]:
    """Rows of each table by the last line of text before it, code spans and commas stripped."""
    found: dict[str, list[list[str]]] = {}
    title = ""
    for line in card.splitlines():
        if line.startswith("|"):
            cells = [
                cell.strip().strip("`").replace(",", "") for cell in line.strip("|").split("|")
            ]
            found.setdefault(title, []).append(cells)
        elif line:
            title = line.strip("*# ").replace("`", "")
    return {title: rows[2:] for title, rows in found.items()}


def numbers(counter: Counter[tuple[str, str]]) -> list[list[str]]:
    """Rows of value, train, test, total."""
    values = {value for value, _ in counter}
    return sorted(
        [
            v,
            *map(
                str, (counter[v, "train"], counter[v, "test"], sum(counter[v, s] for s in SPLITS))
            ),
        ]
        for v in values
    )


@pytest.fixture
def release(tmp_path: Path, recipe: MakeRecipe, block: MakeBlock, labels: Any) -> Path:
    """Twelve problems with their chains, one chain with an undecided step among them."""
    blocks = [block(number) for number in range(12)]
    undecided = blocks[3]["chains"][0]
    blocks[3]["labels"][:3] = labels(undecided, "correct", None, "other")
    write_release(tmp_path / "release", recipe=recipe(), blocks=blocks, statistics={}, stages=[])
    return tmp_path / "release"


def rows_of(release: Path, config: str) -> Iterable[tuple[str, dict[str, Any]]]:
    for path in sorted((release / "data" / config).iterdir()):
        for row in pq.read_table(path).to_pylist():
            yield path.name.split("-")[0], row


def test_figures_are_those_of_the_parquet_files(release: Path) -> None:
    shown = tables((release / "README.md").read_text(encoding="utf-8"))
    chains = list(rows_of(release, "chains"))
    steps = [(split, step) for split, chain in chains for step in chain["steps"]]
    assert shown["Splits and counts"] == [
        [config, *(str(counts[split]) for split in ("train", "test")), str(counts.total())]
        for config in ("chains", "problems", "votes", "labels")
        for counts in [Counter(split for split, _ in rows_of(release, config))]
    ]
    for title, column in (
        ("Chains by polarity", "polarity"),
        ("Chains by origin", "origin"),
        ("Chains by generator", "generator"),
        ("Chains by tier", "tier"),
    ):
        expected = Counter((chain[column], split) for split, chain in chains)
        assert sorted(shown[title]) == numbers(expected), title
    labels = Counter(
        (step["category"] or step["label"] or "undecided", split) for split, step in steps
    )
    assert sorted(shown["Steps by label"]) == numbers(labels)
    tiers = Counter((step["tier"], split) for split, step in steps)
    assert sorted(shown["Steps by tier"]) == numbers(tiers)
    sources = Counter((step["label_source"], split) for split, step in steps)
    assert sorted(shown["Steps by source of the label"]) == numbers(sources)


def test_limits_name_what_is_undecided_exact_and_voted(release: Path) -> None:
    card = (release / "README.md").read_text(encoding="utf-8")
    assert "- 1 of 72 steps are undecided: their label is null." in card
    assert "- 69 of 72 steps carry labels that are exact by construction" in card
    assert "- 3 of 72 steps carry the label of a panel of judges" in card
    assert "gold is" not in card
    assert "**A tier is a pattern of votes and no promise of accuracy.**" in card
    assert "Left out, since the format has no place for them: `undecided_step` 1." in card


def test_the_panel_is_measured_on_exact_steps_by_tier(
    recipe: MakeRecipe, card_of: MakeCard, block: MakeBlock
) -> None:
    given = block(1)
    found: list[Label] = given["labels"]
    found[0] = found[0].model_copy(update={"panel_label": "error", "panel_category": "other"})
    found[1] = found[1].model_copy(
        update={"panel_label": None, "panel_category": None, "tier": "disputed"}
    )
    accuracy = {"value": 0.8, "low": 0.38, "high": 0.96, "correct": 4, "voted": 5}
    for by_tier, interval in (
        ({}, ""),
        ({"gold": accuracy}, "0.380 to 0.960"),
        ({"gold": {**accuracy, "voted": 6}}, ""),
    ):
        card = card_of(recipe(), [given], {"calibration": {"by_tier": by_tier}})
        (rows,) = (rows for title, rows in tables(card).items() if title.startswith("The panel's"))
        assert rows == [
            ["gold", "5", "4", "1", "0", "0.800", interval],
            ["disputed", "1", "0", "0", "1", "", ""],
        ]


@pytest.mark.parametrize(
    ("rows", "category"),
    [
        (0, "n<1K"),
        (999, "n<1K"),
        (1_000, "1K<n<10K"),
        (9_999, "1K<n<10K"),
        (10_000, "10K<n<100K"),
        (160_000, "100K<n<1M"),
        (999_999_999, "100M<n<1B"),
        (1_000_000_000, "n>1B"),
    ],
)
def test_size_categories_are_the_hubs(rows: int, category: str) -> None:
    assert size_category(rows) == category


def test_statistics_are_shown_as_they_are(
    recipe: MakeRecipe, card_of: MakeCard, block: MakeBlock, statistics: dict[str, Any]
) -> None:
    card = card_of(recipe(), [block(1)], statistics)
    assert "78 steps of 24 chains." in card
    assert "percentile bootstrap over chains, 200 resamples, confidence 0.95" in card
    for row in (
        "| Unanimity, all steps | 0.812 | 0.710 to 0.930 | 61 |  |",
        "| Fleiss' kappa |  |  | 0 | one\\_category: one category holds all votes |",
        "| Cohen's kappa of `program:arithmetic` and `compat:small` "
        "| 0.812 | 0.710 to 0.930 | 61 |  |",
        "| `compat:small` | 0.902 | 0.800 to 0.950 | 55 | 61 | 0.782 |",
        "| `compat:small` | `correct` | 41 | 43 | 0.900 | 0.950 | 0.925 |",
        "| `correct` | 39 | 2 | 17 |",
        "| Error correlation, mean of the pairs | 0.812 | 0.710 to 0.930 | 61 |  |",
        "| 24 | 0.510 | 0.520 | 0.530 |",
        "| `program:arithmetic` | 60 | 0 |  | 0.610 | 0.620 | 0.630 | 0.500 to 0.700 |",
        "| `positive` | `depth` | 4.250 | 4 | 2 | 9 |",
    ):
        assert row in card.splitlines(), row


@pytest.mark.parametrize(
    ("missing", "heading"),
    [
        ({"agreement", "error_correlation"}, "Agreement"),
        ({"calibration"}, "Calibration"),
        ({"premises"}, "Premises"),
        ({"chain_verdicts"}, "Step errors and wrong answers"),
        ({"graphs"}, "Premise graphs"),
    ],
)
def test_a_missing_statistic_has_no_section(
    recipe: MakeRecipe,
    card_of: MakeCard,
    block: MakeBlock,
    statistics: dict[str, Any],
    missing: set[str],
    heading: str,
) -> None:
    whole = card_of(recipe(), [block(1)], statistics)
    part = {key: value for key, value in statistics.items() if key not in missing}
    assert f"## {heading}\n" in whole
    assert f"## {heading}\n" not in card_of(recipe(), [block(1)], part)


def test_a_missing_coefficient_has_no_row(
    recipe: MakeRecipe, card_of: MakeCard, block: MakeBlock, statistics: dict[str, Any]
) -> None:
    card = card_of(recipe(), [block(1)], statistics)
    assert "Krippendorff" not in card
    assert "Gwet" not in card


def test_stages_are_shown_with_their_rejects(
    recipe: MakeRecipe, card_of: MakeCard, block: MakeBlock
) -> None:
    stage = StageCounts(
        "problems", {"problems": 1319}, {"problems": 1316}, {"problems": {"odd": 2, "no_mark": 1}}
    )
    card = card_of(recipe(), [block(1)], stages=[stage])
    row = "| `problems` | `problems` | 1,319 | 1,316 | 3 | `no_mark` 1, `odd` 2 |"
    assert row in card.splitlines()


def test_tracks_are_measured_apart(
    recipe: MakeRecipe,
    card_of: MakeCard,
    block: MakeBlock,
    problem: Callable[..., Any],
    chain: Callable[..., Any],
    label: Callable[..., Any],
    statistics: dict[str, Any],
) -> None:
    of = problem(2, track="grounding")
    one = chain(of, ["It is so [1]."])
    unread = label(one, 1, label="faithful", label_source="exact", tier="disputed", votes=[])
    other = {"problems": [of], "chains": [one], "labels": [unread]}
    document = {"track": "math", **statistics, "tracks": {"grounding": {**statistics}}}
    card = card_of(recipe(), [block(1), other], document)
    for heading in ("Calibration", "Premises", "Agreement", "Premise graphs"):
        for track in ("math", "grounding"):
            assert f"## {heading}, {track}\n" in card
        assert f"## {heading}\n" not in card
    shown = tables(card)
    assert shown["Steps by tier, math"] == [["gold", "6", "6"]]
    assert shown["Steps by tier, grounding"] == [["disputed", "1", "1"]]
    assert shown["Chains by track"] == [["math", "2", "2"], ["grounding", "1", "1"]]
    assert "No panel read these chains, grounding" in card
    assert "No panel read these chains, math" not in card
    assert "Outside math (here: `grounding`) a step is *faithful*" in card
    assert "- 6 of 7 steps carry labels that are exact by construction" in card
    assert "- 1 of 7 steps are of made problems" in card


def test_one_track_alone_has_no_name_in_the_headings(
    recipe: MakeRecipe, card_of: MakeCard, block: MakeBlock, statistics: dict[str, Any]
) -> None:
    card = card_of(recipe(), [block(1)], {"track": "math", **statistics})
    assert "## Agreement\n" in card
    assert "Chains by track" not in card
    assert "faithful*" not in card

"""Every figure of a built release's card, computed anew from its parquet files alone."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pyarrow.parquet as pq
import pytest

from chainwright.pipeline.build import build
from chainwright.release.personal_data import PERSONAL, personal_data
from tests.release.test_card import tables

JUDGES = ["program:arithmetic", "program:provenance", "program:reference"]
NATIVE = ["correct", "mathematical_error", "logical_inconsistency", "other"]
ALL = ["correct", "mathematical_error", "logical_inconsistency", "accumulation_error", "other"]
TIERS = ["gold", "silver", "disputed"]
SPLITS = ("train", "test")
RECIPE = f"""\
name: counted
seed: 5
sources:
  - {{kind: gsm8k, path: "builtin:quickstart", limit: 30, split: test, licence: MIT}}
  - kind: generic
    name: own
    path: own.jsonl
    answer_kind: number
    columns: {{question: ask, answer: answer}}
    chains: [{{generator: a-model, steps: steps, final_answer: says}}]
negatives:
  exact: {{per_problem: 1}}
annotation:
  bootstrap: 20
  judges: [{", ".join(JUDGES)}]
release:
  test_fraction: 0.4
  near_duplicates: report
"""
Tables = dict[str, list[list[str]]]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of worked solutions, exact negatives, and a model's chains, right and wrong."""
    folder = tmp_path_factory.mktemp("counted")
    own = [
        {
            "ask": f"Ada picks {number} pears and Ben picks 12 pears; ada@example.org counts them. "
            "How many pears are there?",
            "answer": str(number + 12),
            "steps": [f"Ada has {number} pears.", f"{number} + 12 = {number + 12 + number % 2}."],
            "says": str(number + 12 + number % 2),
        }
        for number in range(20, 28)
    ]
    (folder / "own.jsonl").write_text("\n".join(map(json.dumps, own)), encoding="utf-8")
    (folder / "counted.yaml").write_text(RECIPE, encoding="utf-8")
    return Path(build(folder / "counted.yaml", folder / "runs", quiet=True).release)


@pytest.fixture(scope="module")
def shown(release: Path) -> Tables:
    return tables((release / "README.md").read_text(encoding="utf-8"))


def rows(release: Path, config: str) -> list[dict[str, Any]]:
    """Rows of a config, each with its `side`."""
    return [
        {**row, "side": path.name.split("-")[0]}
        for path in sorted((release / "data" / config).glob("*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def spread(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.3f}"


def by_side(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Rows of value, train, test, total; sorted."""
    counts = Counter(pairs)
    return sorted(
        [
            value,
            *(str(counts[value, side]) for side in SPLITS),
            str(sum(counts[value, side] for side in SPLITS)),
        ]
        for value in {value for value, _ in counts}
    )


def word(label: str | None, category: str | None) -> str | None:
    return category or label


def native(said: str | None) -> str | None:
    return "correct" if said == "accumulation_error" else said


def votes_of(label: dict[str, Any]) -> list[str | None]:
    """The judges' valid native votes on a step, in their order."""
    said = {vote["judge"]: vote for vote in label["votes"]}
    return [
        native(word(said[judge]["label"], said[judge]["category"]))
        if judge in said and said[judge]["status"] == "ok"
        else None
        for judge in JUDGES
    ]


def panel_of(label: dict[str, Any]) -> str | None:
    return word(label["panel_label"], label["panel_category"])


def test_counts_and_distributions(release: Path, shown: Tables) -> None:
    chains, problems = rows(release, "chains"), rows(release, "problems")
    counts = {config: rows(release, config) for config in ("chains", "problems", "votes", "labels")}
    assert shown["Splits and counts"] == [
        [config, *(str(sum(r["side"] == side for r in found)) for side in SPLITS), str(len(found))]
        for config, found in counts.items()
    ]
    for title, column in (
        ("Chains by polarity", "polarity"),
        ("Chains by origin", "origin"),
        ("Chains by generator", "generator"),
        ("Chains by tier", "tier"),
    ):
        assert sorted(shown[title]) == by_side((r[column], r["side"]) for r in chains), title
    verdicts = [
        (
            "first error known"
            if row["first_error"] is not None
            else "undecided"
            if any(step["label"] is None for step in row["steps"])
            else "no error",
            row["side"],
        )
        for row in chains
    ]
    assert sorted(shown["Chains by verdict"]) == by_side(verdicts)
    erring = [row for row in chains if row["first_error"] is not None]
    place = {True: "last step", False: "a step between"}
    assert sorted(shown["Chains by place of the first error"]) == by_side(
        (
            "only step"
            if len(row["steps"]) == 1
            else "first step"
            if row["first_error"] == 1
            else place[row["first_error"] == len(row["steps"])],
            row["side"],
        )
        for row in erring
    )
    last = sum(row["first_error"] == len(row["steps"]) for row in erring) / len(erring)
    chance = fmean(1 / len(row["steps"]) for row in erring)
    told = f"{len(erring)} chains whose first error is known, {last:.1%} have it in their last step"
    card = (release / "README.md").read_text(encoding="utf-8")
    assert told in card
    assert f"as likely, it would be {chance:.1%}." in card
    steps = [(step, row["side"]) for row in chains for step in row["steps"]]
    for title, values in (
        (
            "Steps by label",
            [(word(s["label"], s["category"]) or "undecided", at) for s, at in steps],
        ),
        ("Steps by source of the label", [(s["label_source"], at) for s, at in steps]),
        ("Steps by tier", [(s["tier"], at) for s, at in steps]),
    ):
        assert sorted(shown[title]) == by_side(values), title
    card = (release / "README.md").read_text(encoding="utf-8")
    assert f"{len(problems)} problems, {len(chains)} chains, {len(steps)} steps." in card
    own = Counter(row["source"] for row in chains)
    licences = {row["source"]: row["licence"] or "not stated" for row in problems}
    places = {"gsm8k": "builtin:quickstart` of chainwright", "own": "file `own.jsonl"}
    assert shown["Sources and licences"] == [
        [source, places[source], licences[source], str(count), str(own[source])]
        for source, count in sorted(Counter(row["source"] for row in problems).items())
    ]
    splits = Counter((r["source"], r["split"] or "not stated", r["side"]) for r in problems)
    (overlap,) = (found for title, found in shown.items() if "Problems by the split of" in title)
    assert overlap == [
        [source, own_split, *(str(splits[source, own_split, side]) for side in SPLITS)]
        for source, own_split in sorted({key[:2] for key in splits})
    ]


def test_what_the_panel_is_worth_by_tier(release: Path, shown: Tables) -> None:
    exact = [row for row in rows(release, "labels") if row["label_source"] == "exact"]
    expected = []
    for tier in TIERS:
        of_tier = [row for row in exact if row["tier"] == tier and row["votes"]]
        decided = [row for row in of_tier if row["panel_label"] is not None]
        right = sum(panel_of(row) == word(row["label"], row["category"]) for row in decided)
        share = right / len(decided) if decided else None
        counts = [len(of_tier), right, len(decided) - right, len(of_tier) - len(decided)]
        if of_tier:
            expected.append([tier, *map(str, counts), number(share)])
    (found,) = (found for title, found in shown.items() if title.startswith("The panel's outcome"))
    assert [row[:-1] for row in found] == expected


def confusion(truth: Sequence[str], said: Sequence[str | None]) -> dict[str, Any]:
    voted = [(t, s) for t, s in zip(truth, said, strict=True) if s is not None]
    right = sum(t == s for t, s in voted)
    scores = {}
    for label in ALL:
        support = sum(t == label for t, _ in voted)
        predicted = sum(s == label for _, s in voted)
        hits = sum(t == s == label for t, s in voted)
        if support or predicted:
            scores[label] = [
                str(support),
                str(predicted),
                number(hits / predicted if predicted else None),
                number(hits / support if support else None),
                number(2 * hits / (support + predicted)),
            ]
    accuracy = [number(right / len(voted)), str(right), str(len(voted))]
    return {"accuracy": [*accuracy, number(len(voted) / len(truth))], "scores": scores}


def test_calibration(release: Path, shown: Tables) -> None:
    exact = [row for row in rows(release, "labels") if row["label_source"] == "exact"]
    truth = [word(row["label"], row["category"]) or "" for row in exact]
    votes = [votes_of(row) for row in exact]
    own = [native(one) or "" for one in truth]
    found = {j: confusion(own, [v[at] for v in votes]) for at, j in enumerate(JUDGES)}
    found["panel"] = confusion(truth, [panel_of(row) for row in exact])
    by_judge, by_label, matrix = (
        rows_
        for title, rows_ in shown.items()
        if title.startswith(("Judges and panel against", "Outcome of the panel"))
        for rows_ in ([rows_] if title.startswith("Outcome") else split_at(rows_, "judge"))
    )
    assert [[row[0], row[1], *row[3:]] for row in by_judge] == [
        [name, *one["accuracy"]] for name, one in found.items()
    ]
    assert by_label == [
        [name, label, *scores]
        for name, one in found.items()
        for label, scores in one["scores"].items()
    ]
    cells = Counter((t, panel_of(row) or "abstained") for t, row in zip(truth, exact, strict=True))
    assert matrix == [
        [label, *(str(cells[label, said]) for said in [*ALL, "abstained"])] for label in ALL
    ]


def split_at(found: list[list[str]], header: str) -> list[list[list[str]]]:
    """Two tables under one title: the second begins with its header and its rule."""
    at = next(place for place, row in enumerate(found) if row[0] == header)
    return [found[:at], found[at + 2 :]]


def test_agreement(release: Path, shown: Tables) -> None:
    units = [votes_of(row) for row in rows(release, "labels")]
    full = [unit for unit in units if None not in unit]
    valid = [[vote for vote in unit if vote is not None] for unit in units]
    paired = [unit for unit in valid if len(unit) > 1]
    expected: dict[str, tuple[float | None, int]] = {
        "Unanimity, all steps": (sum(len(set(u)) == 1 for u in full) / len(units), len(units)),
        "Unanimity, steps with every vote": (fmean(len(set(u)) == 1 for u in full), len(full)),
        "Fleiss' kappa": (fleiss([[v for v in u if v] for u in full]), len(full)),
        "Krippendorff's alpha": (alpha(paired), len(paired)),
        "Gwet's AC1": (ac1(paired, [unit for unit in valid if unit]), len(paired)),
    }
    for first, second in combinations(range(3), 2):
        both = [(u[first], u[second]) for u in units if None not in (u[first], u[second])]
        name = f"Cohen's kappa of `{JUDGES[first]}` and `{JUDGES[second]}`"
        expected[name.replace("`", "")] = (cohen(both), len(both))
    exact = [row for row in rows(release, "labels") if row["label_source"] == "exact"]
    wrong = [
        [
            None if v is None else v != native(word(row["label"], row["category"]))
            for v in votes_of(row)
        ]
        for row in exact
    ]
    pairs = [correlation(wrong, first, second) for first, second in combinations(range(3), 2)]
    many = sum(sum(one is not None for one in unit) > 1 for unit in wrong)
    mean = None if None in pairs else fmean(one for one in pairs if one is not None)
    expected["Error correlation, mean of the pairs"] = (mean, many)
    effective = None if mean is None else 3 / (1 + 2 * mean)
    expected["Effective number of votes"] = (effective, many)
    (found,) = (rows_ for title, rows_ in shown.items() if title.startswith("Votes are on a step"))
    told = {row[0].replace("`", ""): (row[1], row[3]) for row in found}
    assert told == {
        name.replace(",", ""): (number(value), str(n)) for name, (value, n) in expected.items()
    }
    card = (release / "README.md").read_text(encoding="utf-8")
    chains = len({row["chain_id"] for row in rows(release, "labels")})
    assert f"{len(units)} steps of {chains} chains." in card


def agreeing(unit: Sequence[str]) -> float:
    """Share of agreeing ordered pairs of a unit's votes."""
    counts = Counter(unit)
    return sum(n * (n - 1) for n in counts.values()) / (len(unit) * (len(unit) - 1))


def fleiss(units: list[list[str]]) -> float:
    observed = fmean(map(agreeing, units))
    pooled = Counter(vote for unit in units for vote in unit)
    chance = sum((n / pooled.total()) ** 2 for n in pooled.values())
    return (observed - chance) / (1 - chance)


def alpha(units: list[list[str]]) -> float:
    votes = Counter(vote for unit in units for vote in unit)
    total = votes.total()
    observed = sum(len(unit) * (1 - agreeing(unit)) for unit in units) / total
    expected = 1 - sum(n * (n - 1) for n in votes.values()) / (total * (total - 1))
    return 1 - observed / expected


def ac1(paired: list[list[str]], voted: list[list[str]]) -> float:
    observed = fmean(map(agreeing, paired))
    shares = [fmean(Counter(unit)[label] / len(unit) for unit in voted) for label in NATIVE]
    chance = sum(share * (1 - share) for share in shares) / (len(NATIVE) - 1)
    return (observed - chance) / (1 - chance)


def cohen(pairs: list[tuple[str | None, str | None]]) -> float:
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    observed = fmean(one == other for one, other in pairs)
    chance = sum(first[label] * second[label] for label in NATIVE) / len(pairs) ** 2
    return (observed - chance) / (1 - chance)


def correlation(wrong: list[list[bool | None]], first: int, second: int) -> float | None:
    both = [(u[first], u[second]) for u in wrong if None not in (u[first], u[second])]
    one, other = (fmean(bool(pair[side]) for pair in both) for side in (0, 1))
    spread = sqrt(one * (1 - one) * other * (1 - other))
    joint = fmean(bool(pair[0] and pair[1]) for pair in both)
    return (joint - one * other) / spread if spread else None


def test_premises_graphs_and_verdicts(release: Path, shown: Tables) -> None:
    labels: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(release, "labels"):
        labels[row["chain_id"]].append(row)
    for steps in labels.values():
        steps.sort(key=lambda step: int(step["step"]))
    scores = []
    for steps in labels.values():
        read = [one for one in steps if one["panel_premises"] is not None]
        if steps[0]["label_source"] == "exact" and read:
            true = {(p, one["step"]) for one in read for p in one["premises"]}
            said = {(p, one["step"]) for one in read for p in one["panel_premises"]}
            precision, recall = len(true & said) / len(said), len(true & said) / len(true)
            total = precision + recall
            scores.append((precision, recall, 2 * precision * recall / total if total else 0.0))
    (found,) = (rows_ for title, rows_ in shown.items() if title.startswith("The panel's premises"))
    means = [fmean(score[place] for score in scores) for place in range(3)]
    assert found == [[str(len(scores)), *map(number, means)]]

    chains = {row["chain_id"]: row for row in rows(release, "chains")}
    shapes: dict[str, list[dict[str, float]]] = defaultdict(list)
    for chain_id, steps in labels.items():
        shapes[chains[chain_id]["polarity"]].append(shape([one["premises"] for one in steps]))
    (found,) = (rows_ for title, rows_ in shown.items() if title.startswith("Of chains for which"))
    assert found == [
        [
            polarity,
            name,
            *(spread(of([one[name] for one in every])) for of in (fmean, median, min, max)),
        ]
        for polarity, every in sorted(shapes.items())
        for name in ("nodes", "edges", "depth", "width", "branching")
    ]

    judged = [
        (chains[one], steps) for one, steps in labels.items() if steps[0]["label_source"] != "exact"
    ]
    expected = []
    for judge in ["panel", *JUDGES]:
        cells = Counter(
            (
                chain["is_correct"],
                any(
                    one["panel_label"] == "error"
                    if judge == "panel"
                    else any(v["judge"] == judge and v["label"] == "error" for v in one["votes"])
                    for one in steps
                ),
            )
            for chain, steps in judged
            if chain["is_correct"] is not None
        )
        hit, miss, false, calm = (
            cells[key] for key in ((False, True), (False, False), (True, True), (True, False))
        )
        expected.append(
            [
                judge,
                str(cells.total()),
                str(hit + miss),
                number(hit / (hit + false) if hit + false and hit + miss else None),
                number(hit / (hit + miss) if hit + miss else None),
                number(calm / (calm + false) if calm + false else None),
                number((hit + calm) / cells.total()),
            ]
        )
    (found,) = (
        rows_ for title, rows_ in shown.items() if title.startswith("On chains whose labels")
    )
    assert [row[:-1] for row in found] == expected


def shape(premises: list[list[int]]) -> dict[str, float]:
    """Nodes, edges, depth, width and branching of a graph, by their definitions."""
    layer = [0]
    for named in premises:
        layer.append(max((layer[one] + 1 for one in named), default=0))
    edges = sum(len(set(named)) for named in premises)
    return {
        "nodes": len(layer),
        "edges": edges,
        "depth": max(layer) + 1,
        "width": max(Counter(layer).values()),
        "branching": edges / len(layer),
    }


def test_judges_texts_and_perl(release: Path, shown: Tables) -> None:
    votes = Counter((row["judge"], row["prompt_version"]) for row in rows(release, "votes"))
    (found,) = (
        rows_ for title, rows_ in shown.items() if title.startswith("A judge that names premises")
    )
    assert found == [[*key, str(count)] for key, count in sorted(votes.items())]
    texts = {
        "problems": [
            [r["question"], r["answer"], r["solution"]] for r in rows(release, "problems")
        ],
        "chains": [
            [r["final_answer"], *(step["text"] for step in r["steps"])]
            for r in rows(release, "chains")
        ],
        "votes": [[r["explanation"]] for r in rows(release, "votes")],
    }
    (found,) = (
        rows_ for title, rows_ in shown.items() if title.startswith("Nothing was collected")
    )
    assert found == [
        [
            kind,
            *(str(sum(kind in personal_data(one) for one in every)) for every in texts.values()),
            str(sum(personal_data(one).get(kind, 0) for every in texts.values() for one in every)),
        ]
        for kind in PERSONAL
    ]
    assert found[0][1:3] == ["8", "0"]
    (found,) = (rows_ for title, rows_ in shown.items() if title.startswith("The folder perl/"))
    assert found == [
        [path.relative_to(release).as_posix(), str(len(json.loads(path.read_text())))]
        for path in sorted((release / "perl").iterdir())
    ]


def test_no_table_is_left_unchecked(shown: Tables) -> None:
    """What is not computed above is no figure of the rows: stages, and the meaning of fields."""
    checked = (
        "Splits and counts", "Chains by", "Steps by", "The panel's outcome", "Judges and panel",
        "Outcome of the panel", "The panel's premises", "On chains whose labels", "Votes are on a",
        "Of chains for which", "A judge that names", "Questions here may be", "Nothing was",
        "The folder perl/", "Sources and licences",
    )  # fmt: skip
    rest = {title for title in shown if not title.startswith(checked)}
    assert rest == {
        "Every row that left the line is counted with its reason: in = out + rejected.",
        *("chains", "problems", "votes", "labels"),
    }

"""What the votes and labels of a run amount to: agreement, calibration, graphs, counts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chainwright.annotation.agreement import agreement, error_correlation
from chainwright.annotation.calibration import accuracy, confusion
from chainwright.annotation.chain_verdicts import ChainVerdicts
from chainwright.annotation.graph_statistics import (
    GraphStatistics,
    graph_statistics,
    summarise_graphs,
)
from chainwright.annotation.groundedness_rates import GroundednessRates
from chainwright.annotation.judges import error_panel
from chainwright.annotation.premise_scores import PremiseScores
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.words import STEP_LABELS, TIERS, lowest_tier, step_label
from chainwright.stage import Tables

if TYPE_CHECKING:
    from chainwright.recipe import Recipe

NATIVE_LABELS = tuple(label for label in STEP_LABELS if label != "accumulation_error")
"""What a judge's vote can say: a vote is about the step given its premises."""


def statistics(blocks: Iterable[Tables], recipe: "Recipe") -> dict[str, Any]:
    """The run's statistics as one JSON-ready document.

    Args:
        blocks: per block the tables `chains`, `labels` and `exact`, and where there are those
            `problems`, `candidates` and `problem_votes`; gone through once.
        recipe: for the panel, the seed and the number of bootstrap replicates.

    Returns:
        `counts`, `tiers`, `agreement` and `error_correlation` (of native votes),
        `calibration` (native votes of each judge, and the panel's labels after inheritance,
        against exact labels; also by tier), `premises` (panel against exact), `graphs` by
        polarity, `chain_verdicts` (step errors against known correctness of whole chains
        that are not exact), and `groundedness` by source. What can't be computed is absent or has
        a reason.
    """
    gathered = _Gathered(error_panel(recipe))
    for tables in blocks:
        gathered.add(tables)
    return gathered.document(recipe.annotation.bootstrap, recipe.seed)


@dataclass
class _Gathered:
    """Running sums and the vote codes; a few bytes a step."""

    judges: list[str]
    codes: list[list[int]] = field(default_factory=list)
    chain_of: list[int] = field(default_factory=list)
    truth: list[int] = field(default_factory=list)
    """Native exact label by code; -1 where the chain is not exact."""
    panel: list[tuple[str, str | None, str]] = field(default_factory=list)
    """Exact label, panel's label, tier: exact steps only."""
    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    graphs: dict[str, list[GraphStatistics]] = field(default_factory=lambda: defaultdict(list))
    premises: PremiseScores = field(default_factory=PremiseScores)
    verdicts: ChainVerdicts = field(default_factory=ChainVerdicts)
    grounded: GroundednessRates = field(default_factory=GroundednessRates)
    chains: int = 0

    def add(self, tables: Tables) -> None:
        self.grounded.add(tables)
        labels: dict[str, list[Label]] = defaultdict(list)
        for label in tables["labels"]:
            labels[label.chain_id].append(label)
        for chain in tables["chains"]:
            steps = sorted(labels[chain.chain_id], key=lambda label: label.step)
            if steps:
                self._add_chain(chain, steps)

    def _add_chain(self, chain: Chain, labels: Sequence[Label]) -> None:
        polarity = chain.polarity or "undecided"
        self.counts["chains_by_polarity"][polarity] += 1
        self.counts["chains_by_origin"][chain.origin] += 1
        self.counts["chains_by_tier"][lowest_tier([label.tier for label in labels])] += 1
        if chain.perturbation:
            self.counts["perturbations"][chain.perturbation.kind] += 1
        self.graphs[polarity].append(graph_statistics([label.premises for label in labels]))
        for label in labels:
            self._add_label(label)
        if labels[0].label_source != "exact":
            self.verdicts.add(chain, labels)
        else:
            self.premises.add(labels)
        self.chains += 1

    def _add_label(self, label: Label) -> None:
        word = step_label(label.label, label.category) or label.label or "undecided"
        self.counts["steps_by_label"][word] += 1
        self.counts["steps_by_source"][label.label_source] += 1
        self.counts["steps_by_tier"][label.tier] += 1
        if label.reason:
            self.counts["disputed_because"][label.reason] += 1
        self.codes.append([_code(step_label(v.label, v.category)) for v in label.votes])
        self.chain_of.append(self.chains)
        exact = label.label_source == "exact"
        truth = step_label(label.label, label.category) if exact else None
        self.truth.append(_code(_native(truth)))
        if exact and truth is not None:
            said = step_label(label.panel_label, label.panel_category)
            self.panel.append((truth, said, label.tier))

    def document(self, replicates: int, seed: int) -> dict[str, Any]:
        out: dict[str, Any] = {
            "counts": {
                "chains": self.chains,
                "steps": len(self.codes),
                **{name: dict(counter.most_common()) for name, counter in self.counts.items()},
            },
            "graphs": {
                "by_polarity": {
                    polarity: asdict(summarise_graphs(graphs))
                    for polarity, graphs in sorted(self.graphs.items())
                }
            },
        }
        if self.judges and self.codes:
            out |= self._of_votes(replicates, seed)
        if premises := self.premises.document():
            out["premises"] = premises
        if verdicts := self.verdicts.document():
            out["chain_verdicts"] = verdicts
        if grounded := self.grounded.document():
            out["groundedness"] = grounded
        return out

    def _of_votes(self, replicates: int, seed: int) -> dict[str, Any]:
        codes = np.array(self.codes, dtype=np.int8)
        chains = np.array(self.chain_of)
        truth = np.array(self.truth, dtype=np.int8)
        out: dict[str, Any] = {
            "agreement": asdict(
                agreement(
                    codes, chains, self.judges, NATIVE_LABELS, replicates=replicates, seed=seed
                )
            )
        }
        known = truth >= 0
        if known.any():
            if len(self.judges) > 1:
                out["error_correlation"] = asdict(
                    error_correlation(
                        codes[known],
                        truth[known],
                        chains[known],
                        self.judges,
                        replicates=replicates,
                        seed=seed,
                    )
                )
            out["calibration"] = self._calibration(codes[known], truth[known])
        return out

    def _calibration(self, codes: Any, truth: Any) -> dict[str, Any]:
        native = [NATIVE_LABELS[code] for code in truth]
        judges = {
            judge: asdict(
                confusion(
                    native,
                    [NATIVE_LABELS[code] if code >= 0 else None for code in codes[:, place]],
                    NATIVE_LABELS,
                )
            )
            for place, judge in enumerate(self.judges)
        }
        exact, said, _ = zip(*self.panel, strict=True)
        return {
            "judges": judges,
            "panel": asdict(confusion(exact, said, STEP_LABELS)),
            "by_tier": _by_tier(self.panel),
        }


def _by_tier(panel: Sequence[tuple[str, str | None, str]]) -> Mapping[str, Any]:
    """How often a tier's label is the exact one: gold is a pattern of votes, this its worth."""
    out: dict[str, Any] = {}
    for tier in TIERS:
        said = [label == truth for truth, label, its in panel if its == tier and label is not None]
        if said:
            out[tier] = asdict(accuracy(sum(said), len(said)))
    return out


def _native(label: str | None) -> str | None:
    """The label of a step given its premises: an inherited error is valid in itself."""
    return "correct" if label == "accumulation_error" else label


def _code(label: str | None) -> int:
    native = _native(label)
    return NATIVE_LABELS.index(native) if native in NATIVE_LABELS else -1

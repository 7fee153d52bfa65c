"""What the votes and labels of a run amount to: agreement, calibration, graphs, counts."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chainwright.annotation.aggregation.held_out import held_out
from chainwright.annotation.agreement import agreement, error_correlation
from chainwright.annotation.calibration import accuracy, confusion
from chainwright.annotation.chain_verdicts import ChainVerdicts
from chainwright.annotation.graph_statistics import (
    GraphStatistics,
    graph_statistics,
    summarise_graphs,
)
from chainwright.annotation.groundedness_rates import GroundednessRates
from chainwright.annotation.premise_scores import PremiseScores
from chainwright.annotation.scale import Scale, without_inheritance
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import Label
from chainwright.schemas.words import (
    TIERS,
    TRACKS,
    Track,
    lowest_tier,
    step_label,
)
from chainwright.stage import Tables

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


def statistics(blocks: Iterable[Tables], recipe: "Recipe") -> dict[str, Any]:
    """The run's statistics as one JSON-ready document.

    Args:
        blocks: per block the tables `problems`, `chains`, `labels`, `exact` and `votes`, and where
            there are those `candidates` and `problem_votes`; gone through once.
        recipe: for the panel, the seed and the number of bootstrap replicates.

    Returns:
        `track`, and for its chains `counts`, `agreement` and `error_correlation` (of native votes),
        `calibration` (native votes of each judge, and the panel's labels after inheritance,
        against exact labels; also by tier), `aggregation` (ways of adding votes up on held-out
        exact steps), `observers` (judges that no label counts),
        `premises` (panel against exact), `graphs` by polarity, and `chain_verdicts` (step errors
        against known correctness of whole chains that are not exact). What can't be computed is
        absent or has a reason. Where a run has chains of several tracks, the first of math,
        inference and grounding stands at the top, and the others' documents under `tracks`.
        `groundedness`, by source, is the whole run's.
    """
    how = recipe.annotation
    gathered = {
        track: _Gathered(Scale.of(recipe, track), how.aggregate, how.threshold) for track in TRACKS
    }
    grounded = GroundednessRates()
    for tables in blocks:
        grounded.add(tables)
        for track, part in _by_track(tables).items():
            gathered[track].add(part)
    documents = {
        track: {"track": track, **one.document(recipe.annotation.bootstrap, recipe.seed)}
        for track, one in gathered.items()
        if one.chains
    }
    if not documents:
        documents["math"] = gathered["math"].document(recipe.annotation.bootstrap, recipe.seed)
    first, *others = documents
    out = documents[first]
    if others:
        out["tracks"] = {track: documents[track] for track in others}
    if rates := grounded.document():
        out["groundedness"] = rates
    return out


def _by_track(tables: Tables) -> dict[Track, Tables]:
    """A block's chains, each with the track of its problem."""
    tracks: dict[str, Track] = {p.problem_id: p.track for p in tables["problems"]}
    chains: dict[Track, list[Any]] = defaultdict(list)
    for chain in tables["chains"]:
        chains[tracks[chain.problem_id]].append(chain)
    return {track: {**tables, "chains": found} for track, found in chains.items()}


@dataclass
class _Gathered:
    """Running sums and the vote codes; a few bytes a step."""

    scale: Scale
    aggregate: str = "majority"
    threshold: float = 0.5
    codes: "array[int]" = field(default_factory=lambda: array("b"))
    """Of the votes, step after step; arrays, since a list takes ten times the memory."""
    chain_of: "array[int]" = field(default_factory=lambda: array("l"))
    problem_of: "array[int]" = field(default_factory=lambda: array("l"))
    """Number of the step's problem: its chains stay together where judges are held out."""
    truth: "array[int]" = field(default_factory=lambda: array("b"))
    """Native exact label by code; -1 where the chain is not exact."""
    panel: "array[int]" = field(default_factory=lambda: array("l"))
    """Of exact steps only, as numbers: exact label, panel's label, tier."""
    outcomes: dict[tuple[str, str | None, str], int] = field(default_factory=dict)
    """What the numbers of `panel` stand for."""
    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    graphs: dict[str, list[GraphStatistics]] = field(default_factory=lambda: defaultdict(list))
    premises: PremiseScores = field(default_factory=PremiseScores)
    verdicts: ChainVerdicts = field(default_factory=ChainVerdicts)
    observed: dict[str, list[tuple[str, str | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Native exact label and vote of the observers; None where they abstained."""
    problems: dict[str, int] = field(default_factory=dict)
    chains: int = 0

    def add(self, tables: Tables) -> None:
        self._add_observed(tables)
        labels: dict[str, list[Label]] = defaultdict(list)
        for label in tables["labels"]:
            labels[label.chain_id].append(label)
        for chain in tables["chains"]:
            steps = sorted(labels[chain.chain_id], key=lambda label: label.step)
            if steps:
                self._add_chain(chain, steps)

    def _add_observed(self, tables: Tables) -> None:
        scale = self.scale
        if not scale.observers:
            return
        chains = {chain.chain_id for chain in tables["chains"]}
        truth = {
            (label.chain_id, label.step): without_inheritance(
                step_label(label.label, label.category)
            )
            for label in tables["exact"]
            if label.chain_id in chains
        }
        for vote in tables["votes"]:
            known = truth.get((vote.chain_id, vote.step))
            if known is not None and vote.task == scale.task and vote.judge in scale.observers:
                said = without_inheritance(scale.word(vote.label, vote.category))
                self.observed[vote.judge].append((known, said))

    def _add_chain(self, chain: Chain, labels: Sequence[Label]) -> None:
        polarity = chain.polarity or "undecided"
        self.counts["chains_by_polarity"][polarity] += 1
        self.counts["chains_by_origin"][chain.origin] += 1
        self.counts["chains_by_tier"][lowest_tier([label.tier for label in labels])] += 1
        if chain.perturbation:
            self.counts["perturbations"][chain.perturbation.kind] += 1
        # Where nobody named premises there is no graph to speak of.
        if any(label.premises or label.panel_premises is not None for label in labels):
            self.graphs[polarity].append(graph_statistics([label.premises for label in labels]))
        problem = self.problems.setdefault(chain.problem_id, len(self.problems))
        for label in labels:
            self._add_label(label)
            self.problem_of.append(problem)
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
        self.codes.extend(
            self.scale.code(self.scale.word(v.label, v.category)) for v in label.votes
        )
        self.chain_of.append(self.chains)
        exact = label.label_source == "exact"
        truth = step_label(label.label, label.category) if exact else None
        self.truth.append(self.scale.code(truth))
        if exact and truth in self.scale.labels:  # a taxonomy of the user's has other words
            said = self.scale.word(label.panel_label, label.panel_category)
            outcome = (truth, said, label.tier)
            self.panel.append(self.outcomes.setdefault(outcome, len(self.outcomes)))

    def document(self, replicates: int, seed: int) -> dict[str, Any]:
        out: dict[str, Any] = {
            "counts": {
                "chains": self.chains,
                "steps": len(self.chain_of),
                **{name: dict(counter.most_common()) for name, counter in self.counts.items()},
            },
            "graphs": {
                "by_polarity": {
                    polarity: asdict(summarise_graphs(graphs))
                    for polarity, graphs in sorted(self.graphs.items())
                }
            },
        }
        if self.scale.judges and self.codes:
            out |= self._of_votes(replicates, seed)
        if self.scale.observers:
            out["observers"] = list(self.scale.observers)
            judges = out.setdefault("calibration", {}).setdefault("judges", {})
            for judge, pairs in sorted(self.observed.items()):
                known, said = zip(*pairs, strict=True)
                judges[judge] = asdict(confusion(known, said, self.scale.native))
        if premises := self.premises.document():
            out["premises"] = premises
        if verdicts := self.verdicts.document():
            out["chain_verdicts"] = verdicts
        return out

    def _of_votes(self, replicates: int, seed: int) -> dict[str, Any]:
        judges = self.scale.judges
        codes = np.array(self.codes, dtype=np.int8).reshape(len(self.chain_of), -1)
        chains = np.array(self.chain_of)
        truth = np.array(self.truth, dtype=np.int8)
        out: dict[str, Any] = {
            "agreement": asdict(
                agreement(
                    codes, chains, judges, self.scale.native, replicates=replicates, seed=seed
                )
            )
        }
        known = truth >= 0
        if known.any():
            if len(judges) > 1:
                out["error_correlation"] = asdict(
                    error_correlation(
                        codes[known],
                        truth[known],
                        chains[known],
                        judges,
                        replicates=replicates,
                        seed=seed,
                    )
                )
            out["calibration"] = self._calibration(codes[known], truth[known])
            if len(judges) > 1 and (found := self._aggregation(codes, truth, replicates, seed)):
                out["aggregation"] = found
        return out

    def _aggregation(
        self, codes: Any, truth: Any, replicates: int, seed: int
    ) -> dict[str, Any] | None:
        found = held_out(
            codes,
            truth,
            np.array(self.problem_of),
            self.scale.native,
            threshold=self.threshold,
            replicates=replicates,
            seed=seed,
        )
        return {"used": self.aggregate, **asdict(found)} if found else None

    def _calibration(self, codes: Any, truth: Any) -> dict[str, Any]:
        words = self.scale.native
        native = [words[code] for code in truth]
        judges = {
            judge: asdict(
                confusion(
                    native,
                    [words[code] if code >= 0 else None for code in codes[:, place]],
                    words,
                )
            )
            for place, judge in enumerate(self.scale.judges)
        }
        kinds = list(self.outcomes)
        panel = [kinds[number] for number in self.panel]
        exact, said = [kind[0] for kind in panel], [kind[1] for kind in panel]
        return {
            "judges": judges,
            "panel": asdict(confusion(exact, said, self.scale.labels)),
            "by_tier": _by_tier(panel),
        }


def _by_tier(panel: Sequence[tuple[str, str | None, str]]) -> Mapping[str, Any]:
    """How often a tier's label is the exact one: gold is a pattern of votes, this its worth."""
    out: dict[str, Any] = {}
    for tier in TIERS:
        said = [label == truth for truth, label, its in panel if its == tier and label is not None]
        if said:
            out[tier] = asdict(accuracy(sum(said), len(said)))
    return out

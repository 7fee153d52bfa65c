"""The stage that weighs votes: one posterior a step, from the votes of the whole run."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chainwright.annotation.aggregation.confusion_model import calibrated, decide
from chainwright.annotation.aggregation.dawid_skene import dawid_skene
from chainwright.annotation.aggregation.held_out import Method, cross_fitted_posterior
from chainwright.annotation.judges import observers, panels
from chainwright.annotation.patterns import verdict
from chainwright.annotation.scale import Scale
from chainwright.schemas.posterior import Posterior
from chainwright.schemas.words import TRACKS, Track, step_label
from chainwright.stage import Batch, Stage, Tables

if TYPE_CHECKING:
    from chainwright.recipe import Recipe


@dataclass
class Ballots:
    """The votes of a track over a whole run, as codes; a few bytes a step.

    Attributes:
        truth: Native exact label by code; -1 where the step is not exact.
        problem: Number of the step's problem.
        steps: (chain, step) of each unit.
    """

    scale: Scale
    codes: list[list[int]] = field(default_factory=list)
    truth: list[int] = field(default_factory=list)
    problem: list[int] = field(default_factory=list)
    steps: list[tuple[str, int]] = field(default_factory=list)

    def arrays(self) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64]]:
        """Codes (units, judges), truth and problems (units,)."""
        shape = (len(self.codes), len(self.scale.judges))
        codes = np.array(self.codes, dtype=np.int8).reshape(shape)
        return codes, np.array(self.truth, dtype=np.int8), np.array(self.problem, dtype=np.int64)


def gather(blocks: Iterable[Tables], scales: dict[Track, Scale]) -> dict[Track, Ballots]:
    """The votes on all steps, by track; gone through once.

    Args:
        blocks: per block `problems`, `chains`, `votes` and `exact`.
    """
    gathered = {track: Ballots(scale) for track, scale in scales.items()}
    numbers: dict[str, int] = {}
    for tables in blocks:
        tracks: dict[str, Track] = {p.problem_id: p.track for p in tables["problems"]}
        votes: dict[str, dict[tuple[int, str, str], str | None]] = defaultdict(dict)
        for vote in tables["votes"]:
            if vote.status == "ok":
                word = _word(scales, vote)
                votes[vote.chain_id][vote.step, vote.task, vote.judge] = word
        exact = {
            (label.chain_id, label.step): step_label(label.label, label.category)
            for label in tables["exact"]
        }
        for chain in tables["chains"]:
            one = gathered[tracks[chain.problem_id]]
            cast, task = votes[chain.chain_id], one.scale.task
            number = numbers.setdefault(chain.problem_id, len(numbers))
            for step in range(1, len(chain.steps) + 1):
                one.codes.append(
                    [one.scale.code(cast.get((step, task, judge))) for judge in one.scale.judges]
                )
                one.truth.append(one.scale.code(exact.get((chain.chain_id, step))))
                one.problem.append(number)
                one.steps.append((chain.chain_id, step))
    return gathered


def posteriors(ballots: Ballots, method: Method, threshold: float, seed: int) -> list[Posterior]:
    """One row a step; none where the method has nothing to go by.

    Judges are weighed for exact steps without those steps' own fold of problems, so that what the
    panel is found to be worth on exact chains is not flattered.
    """
    codes, truth, problem = ballots.arrays()
    labels = len(ballots.scale.native)
    known: NDArray[np.bool_] = np.asarray(truth >= 0)
    if not (codes >= 0).any() or (method == "calibrated" and not known.any()):
        return []
    model = (
        calibrated(codes[known], truth[known], labels)
        if method == "calibrated"
        else dawid_skene(codes, labels).model
    )
    shares = model.posterior(codes)
    folded = (
        cross_fitted_posterior(codes, truth, problem, labels, method, seed=seed)
        if known.any()
        else None
    )
    if folded is not None:
        shares[known] = folded
    decided = decide(shares, threshold)
    highest = shares.max(axis=1)
    silent = np.all(codes < 0, axis=1)  # nobody voted: the prior alone labels nothing
    rows = []
    for place, (chain_id, step) in enumerate(ballots.steps):
        code = -1 if silent[place] else int(decided[place])
        label, category = verdict(ballots.scale.native[code]) if code >= 0 else (None, None)
        rows.append(
            Posterior(
                chain_id=chain_id,
                step=step,
                method="calibrated" if method == "calibrated" else "dawid_skene",
                label=label,
                category=category,
                probability=round(float(highest[place]), 6),
                held_out=bool(known[place]) and folded is not None,
            )
        )
    return rows


def _aggregate(recipe: "Recipe", blocks: Iterable[Tables]) -> Iterator[Batch]:
    """Goes through the blocks twice: once for the votes of all, once to make a batch of each."""
    part = recipe.annotation
    scales = {track: Scale.of(recipe, track) for track in TRACKS}
    by_chain: dict[str, list[Posterior]] = defaultdict(list)
    for ballots in gather(blocks, scales).values():
        for row in posteriors(ballots, part.aggregate, part.threshold, recipe.seed):
            by_chain[row.chain_id].append(row)
    for tables in blocks:
        batch = Batch(rows={"posteriors": []})
        for chain in tables["chains"]:
            batch.rows["posteriors"] += by_chain.get(chain.chain_id, [])
        batch.taken["posteriors"] = len(batch.rows["posteriors"])
        yield batch


def _word(scales: dict[Track, Scale], vote: Any) -> str | None:
    """A vote in one word, whatever its track's scale is."""
    scale = scales["math"] if vote.task == "error" else scales["inference"]
    return scale.word(vote.label, vote.category)


def _settings(recipe: "Recipe") -> Sequence[Any]:
    part = recipe.annotation
    return [part.aggregate, part.threshold, recipe.seed, panels(recipe), observers(recipe)]


AGGREGATION = Stage(
    name="aggregation",
    reads=("problems", "chains", "votes", "exact"),
    writes=("posteriors",),
    settings=_settings,
    process=None,
    sweep=_aggregate,
    whole=True,
    wing="chainwright.annotation",
    wanted=lambda recipe: recipe.annotation.aggregate != "majority",
)

"""Labels of a chain from its votes, and from the engine where they are exact."""

from collections.abc import Mapping, Sequence

from chainwright.annotation.accumulation import Judged, propagate
from chainwright.annotation.panel import Outcome, majority_premises, tally
from chainwright.schemas.chain import Chain
from chainwright.schemas.label import CastVote, ExactLabel, Label
from chainwright.schemas.vote import Vote


def label_chain(
    chain: Chain, votes: Sequence[Vote], exact: Sequence[ExactLabel], panel: Sequence[str]
) -> list[Label]:
    """One label a step.

    Args:
        chain: the chain; votes and exact labels of other chains are ignored.
        votes: in any order; they join by step and judge, never by position.
        exact: the chain's exact labels, or none.
        panel: the judges that were to vote; one that did not is `missing`.
    """
    errors = {(v.step, v.judge): v for v in votes if v.task == "error"}
    premises = _premises(votes)
    truth = {label.step: label for label in exact}
    cast = [
        [_cast(errors.get((step, judge)), judge) for judge in panel]
        for step in range(1, len(chain.steps) + 1)
    ]
    judged = [
        Judged(tally(ballots), majority_premises(premises.get(step, [])))
        for step, ballots in enumerate(cast, start=1)
    ]
    outcomes = propagate(judged)
    return [
        _label(chain, step, outcomes[step - 1], judged[step - 1], truth.get(step), cast[step - 1])
        for step in range(1, len(chain.steps) + 1)
    ]


def _premises(votes: Sequence[Vote]) -> Mapping[int, list[list[int]]]:
    sets: dict[int, list[list[int]]] = {}
    for vote in votes:
        if vote.task == "premises" and vote.status == "ok" and vote.premises is not None:
            sets.setdefault(vote.step, []).append(vote.premises)
    return sets


def _cast(vote: Vote | None, judge: str) -> CastVote:
    if vote is None:
        return CastVote(judge=judge, status="missing", label=None, category=None, explanation=None)
    return CastVote(
        judge=judge,
        status=vote.status,
        label=vote.label,
        category=vote.category,
        explanation=vote.explanation,
    )


def _label(
    chain: Chain,
    step: int,
    outcome: Outcome,
    judged: Judged,
    exact: ExactLabel | None,
    cast: list[CastVote],
) -> Label:
    panel_premises = list(judged.premises) if judged.premises is not None else None
    return Label(
        chain_id=chain.chain_id,
        step=step,
        label=exact.label if exact else outcome.label,
        category=exact.category if exact else outcome.category,
        premises=exact.premises if exact else panel_premises or [],
        label_source="exact" if exact else "panel",
        tier=outcome.tier,
        binary_tier=outcome.binary_tier,
        reason=outcome.reason,
        panel_label=outcome.label,
        panel_category=outcome.category,
        panel_premises=panel_premises,
        votes=cast,
    )

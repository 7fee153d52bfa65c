"""Labels of a chain: exact ones from the engine, else people's, else from its votes."""

from collections.abc import Sequence
from dataclasses import replace

from chainwright.annotation.accumulation import Judged, propagate
from chainwright.annotation.panel import Outcome, majority_premises, tally
from chainwright.schemas.chain import Chain
from chainwright.schemas.human import HumanLabel
from chainwright.schemas.label import CastVote, ExactLabel, Label
from chainwright.schemas.posterior import Posterior
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import LabelSource, Task


def label_chain(
    chain: Chain,
    votes: Sequence[Vote],
    exact: Sequence[ExactLabel],
    panel: Sequence[str],
    task: Task = "error",
    posteriors: Sequence[Posterior] = (),
    people: Sequence[HumanLabel] = (),
) -> list[Label]:
    """One label a step.

    Args:
        chain: the chain; votes and exact labels of other chains are ignored.
        votes: in any order; they join by step and judge, never by position. Premises count from
            every judge that gives any, votes on the task from the panel alone.
        exact: the chain's exact labels, or none.
        panel: the judges that were to vote; one that did not is `missing`.
        task: what the panel was asked: `error`, or `faithfulness`, where nothing is inherited.
        posteriors: what weighed votes come to, which replaces the majority's label; tiers stay.
        people: what people say of the chain's steps; an open label decides nothing.

    Raises:
        ValueError: for two votes of one judge on one step, such as those of two prompt versions.
    """
    verdicts = _keyed(chain, votes, task)
    premises: dict[int, list[list[int]]] = {}
    for (step, _), vote in _keyed(chain, votes, "premises").items():
        if vote.status == "ok" and vote.premises is not None:
            premises.setdefault(step, []).append(vote.premises)
    truth = {label.step: label for label in exact if label.chain_id == chain.chain_id}
    weighed = {one.step: one for one in posteriors if one.chain_id == chain.chain_id}
    human = {
        label.step: label
        for label in people
        if label.chain_id == chain.chain_id and label.label is not None
    }
    cast = [
        [_cast(verdicts.get((step, judge)), judge) for judge in panel]
        for step in range(1, len(chain.steps) + 1)
    ]
    judged = [
        Judged(
            _weighed(tally(ballots), weighed.get(step)), majority_premises(premises.get(step, []))
        )
        for step, ballots in enumerate(cast, start=1)
    ]
    outcomes = propagate(judged)
    return [
        _label(
            chain,
            step,
            outcomes[step - 1],
            judged[step - 1],
            truth.get(step) or human.get(step),
            cast[step - 1],
        )
        for step in range(1, len(chain.steps) + 1)
    ]


def _weighed(outcome: Outcome, posterior: Posterior | None) -> Outcome:
    """The outcome with the label that weighed votes come to, and the tiers that votes make."""
    if posterior is None:
        return outcome
    reason = outcome.reason or ("improbable" if posterior.label is None else None)
    return replace(outcome, label=posterior.label, category=posterior.category, reason=reason)


def _keyed(chain: Chain, votes: Sequence[Vote], task: Task) -> dict[tuple[int, str], Vote]:
    """The chain's votes in a task by step and judge."""
    keyed: dict[tuple[int, str], Vote] = {}
    for vote in votes:
        if vote.chain_id != chain.chain_id or vote.task != task:
            continue
        first = keyed.setdefault((vote.step, vote.judge), vote)
        if first is not vote:
            raise ValueError(
                f"`{vote.judge}` votes twice on step {vote.step} of {chain.chain_id} in the task "
                f"{task}, with prompt versions `{first.prompt_version}` and "
                f"`{vote.prompt_version}`; expected one vote"
            )
    return keyed


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
    known: ExactLabel | HumanLabel | None,
    cast: list[CastVote],
) -> Label:
    panel_premises = list(judged.premises) if judged.premises is not None else None
    premises = known.premises if known else None
    return Label(
        chain_id=chain.chain_id,
        step=step,
        label=known.label if known else outcome.label,
        category=known.category if known else outcome.category,
        premises=premises if premises is not None else panel_premises or [],
        label_source=_source(known),
        tier=outcome.tier,
        binary_tier=outcome.binary_tier,
        reason=outcome.reason,
        panel_label=outcome.label,
        panel_category=outcome.category,
        panel_premises=panel_premises,
        votes=cast,
    )


def _source(known: ExactLabel | HumanLabel | None) -> LabelSource:
    if known is None:
        return "panel"
    return "exact" if isinstance(known, ExactLabel) else "human"

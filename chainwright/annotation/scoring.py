"""Scoring: a judge's votes on a labelled chain, as the row that every metric is computed from."""

from __future__ import annotations

from collections.abc import Sequence

from chainwright.annotation.checkers.checker_votes import CheckerJudge
from chainwright.annotation.judges import Judge, judge_name
from chainwright.annotation.metrics.first_error import first_error
from chainwright.annotation.metrics.labelled import JudgedChain, LabelledChain
from chainwright.annotation.metrics.step_errors import inherited
from chainwright.annotation.models.judge import (
    ERROR_METHODS,
    FAITHFULNESS_METHODS,
    PREMISE_METHODS,
    ModelJudge,
)
from chainwright.llm.uri import ModelUri, parse_model_uri
from chainwright.schemas.taxonomy import BUILT_IN
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import SOUND, TASKS, step_label
from chainwright.spelling import nearest

UNCATEGORISED = {"error": "error", "unfaithful": "unfaithful"}


class JudgeFault(ValueError):
    """A judge that cannot be had; the message says what is wrong and what is allowed."""


def named_judges(text: str, *, seed: int = 0, max_tokens: int | None = 2048) -> list[Judge]:
    """The judges that `URI` or `URI#METHOD+METHOD` stands for.

    A bare model is two judges, as in a recipe: `one_pass` on math chains and `all` on those with a
    context. `premise_conditioned` alone is given the corpus's own premises (oracle premises);
    with a premise method it finds them itself.

    Raises:
        JudgeFault: for an unknown method, or methods that do not go together.
        ModelUriError: for a text that names no model and no program.
    """
    address, hash_sign, methods = text.partition("#")
    uri = parse_model_uri(address)
    if uri.provider in ("program", "python"):
        if hash_sign:
            raise JudgeFault(f"found `{text}`, expected `{address}`: a program has one method")
        return [uri.name if uri.provider == "program" else CheckerJudge(uri.name)]
    if not hash_sign:
        bare: list[Judge] = [
            ModelJudge(uri, error="one_pass", seed=seed, max_tokens=max_tokens),
            ModelJudge(uri, faithfulness="all", seed=seed, max_tokens=max_tokens),
        ]
        return bare
    return [_by_methods(text, uri, methods.split("+"), seed, max_tokens)]


def wants_gold_premises(judge: Judge) -> bool:
    """Whether a judge judges steps by premises that somebody has to give it."""
    return (
        isinstance(judge, ModelJudge)
        and judge.error == "premise_conditioned"
        and judge.premises is None
    )


def condition(judge: Judge) -> str:
    """What a judge sees of a chain when it looks for errors, in the papers' words."""
    if not isinstance(judge, ModelJudge):
        return "program"
    if judge.error == "premise_conditioned":
        return "oracle premises" if judge.premises is None else "model premises"
    words = {"full_context": "full context", "one_pass": "one pass", None: "premises alone"}
    return judge.faithfulness or words[judge.error]


def judged(
    labelled: LabelledChain, judge: Judge, votes: Sequence[Vote], failure: str | None = None
) -> JudgedChain:
    """The row of a judge on a chain; steps without a vote count as abstentions.

    Errors are inherited by the judge's own premises where it gave any on this chain, else by the
    corpus's, else not at all. On chains with a context nothing is inherited.
    """
    count = len(labelled.chain.steps)
    task = TASKS[labelled.problem.track]
    native: list[str | None] = [None] * count
    statuses = ["missing"] * count
    premises: list[list[int] | None] = [None] * count
    for vote in votes:
        if not 1 <= vote.step <= count:
            continue
        if vote.task == task:
            statuses[vote.step - 1] = vote.status
            if vote.status == "ok" and vote.label is not None:
                word = step_label(vote.label, vote.category)
                native[vote.step - 1] = word or UNCATEGORISED.get(vote.label)
        elif vote.task == "premises" and vote.status == "ok" and vote.premises is not None:
            premises[vote.step - 1] = sorted(set(vote.premises))
    own = any(one is not None for one in premises)
    gold = any(one is not None for one in labelled.premises)
    inherits_by = "none"
    if task == "error":
        inherits_by = "gold" if gold else "none"
        if own and not wants_gold_premises(judge):
            inherits_by = "own"
    basis: dict[str, Sequence[Sequence[int] | None]] = {
        "own": premises,
        "gold": labelled.premises,
        "none": [None] * count,
    }
    said = inherited(native, basis[inherits_by])
    return JudgedChain(
        judge=judge_name(judge),
        chain_id=labelled.chain.chain_id,
        source=labelled.source,
        polarity=labelled.polarity,
        track=labelled.problem.track,
        gold=list(labelled.labels),
        native=native,
        said=said,
        gold_premises=[None if p is None else list(p) for p in labelled.premises],
        premises=premises if own else None,
        gold_first=labelled.first_error,
        said_first=first_error([None if w is None else _plain(w) for w in native]),
        inherits_by=inherits_by,
        statuses=statuses,
        failure=failure,
    )


def _plain(word: str) -> str:
    return SOUND[0] if word in SOUND else word


def _by_methods(
    text: str, uri: ModelUri, words: Sequence[str], seed: int, max_tokens: int | None
) -> ModelJudge:
    faithful = tuple(method for method in FAITHFULNESS_METHODS if method != "critique")
    allowed = [*ERROR_METHODS, *PREMISE_METHODS, *faithful]
    for word in words:
        if word not in allowed:
            close = nearest(word, allowed)
            hint = f"; did you mean `{close}`?" if close else ""
            raise JudgeFault(
                f"found the method `{word}` in `{text}`, expected one of {', '.join(allowed)}{hint}"
            )
    errors = [method for method in ERROR_METHODS if method in words]
    premises = [method for method in PREMISE_METHODS if method in words]
    strategies = [method for method in faithful if method in words]
    most = max(len(errors), len(premises), len(strategies))
    if most > 1 or len(set(words)) < len(words):
        raise JudgeFault(
            f"found `{text}`, expected at most one way to look for errors and one for premises"
        )
    try:
        return ModelJudge(
            uri,
            error=errors[0] if errors else None,
            premises=premises[0] if premises else None,
            faithfulness=strategies[0] if strategies else None,
            seed=seed,
            max_tokens=max_tokens,
            taxonomies=BUILT_IN,
        )
    except ValueError as fault:
        raise JudgeFault(str(fault)) from fault

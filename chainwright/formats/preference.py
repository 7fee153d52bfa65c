"""DPO: a positive chain preferred to the synthetic negative that was made from it."""

from __future__ import annotations

from typing import Any

from chainwright.formats.trace import Trace, Unfit, question_text, solution_text


def dpo_row(trace: Trace) -> dict[str, Any]:
    """A synthetic negative as `rejected`, beside its positive as `chosen`, in TRL's columns.

    Raises:
        Unfit: `not_synthetic` for any other chain; `no_parent` where its positive is not there.
    """
    if trace.chain.parent_id is None:
        raise Unfit("not_synthetic", "a pair is made of a synthetic negative and its positive")
    if trace.parent is None:
        raise Unfit("no_parent", f"its positive {trace.chain.parent_id} is not there")
    return {
        "prompt": question_text(trace.problem),
        "chosen": solution_text(trace.parent),
        "rejected": solution_text(trace.chain),
    }

"""Model use: what a run asked of models, for its release to tell."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from chainwright.llm.ledger_queries import LedgerTotal, periods, totals
from chainwright.llm.ledger_reader import reading
from chainwright.release.dossier import ModelUse


def models_asked(ledger: Path) -> list[ModelUse]:
    """What each model was asked over a run's whole life, sorted; nothing where there is no ledger.

    A model at several addresses is one.

    Raises:
        LedgerError: The ledger cannot be read.
    """
    if not ledger.is_file():
        return []
    with reading(ledger) as connection:
        found = totals(connection)
        when = periods(connection)
    by_model: dict[tuple[str, str], list[LedgerTotal]] = defaultdict(list)
    for one in found:
        by_model[one.provider, one.model].append(one)
    return [
        ModelUse(
            model=f"{provider}:{model}",
            answers=sum(one.ok for one in every),
            refused=sum(one.refused for one in every),
            input_tokens=sum(one.usage.input_tokens for one in every),
            output_tokens=sum(one.usage.output_tokens for one in every),
            usd=round(sum(one.cost for one in every), 6),
            unpriced=sum(one.unpriced for one in every),
            first=when[provider, model][0][:10],
            last=when[provider, model][1][:10],
        )
        for (provider, model), every in sorted(by_model.items())
        if (provider, model) in when
    ]

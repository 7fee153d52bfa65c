"""Budgeting: the recipe's budget, held against what a run has spent and is about to spend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from chainwright.llm.budget import Amount, Limits
from chainwright.llm.ledger_file import LedgerError
from chainwright.llm.ledger_queries import spent, unpriced
from chainwright.llm.ledger_reader import reading
from chainwright.llm.prices import is_priced
from chainwright.llm.uri import ModelUri, parse_model_uri
from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.recipe_parts.models import named_models

if TYPE_CHECKING:
    from chainwright.pipeline.run_folder import RunFolder
    from chainwright.recipe import Recipe


class BudgetState(BaseModel):
    """A budget, and what was spent of it over the run's life."""

    model_config = ConfigDict(extra="ignore")

    limits: dict[str, float | int | None]
    spent: dict[str, float | int]
    unpriced: int = 0
    """Answers whose price is not known; the money spent leaves them out."""

    @property
    def in_words(self) -> str:
        """`1.2000 of 2.00 USD, 310 of 500 requests`, and what is not counted."""
        words = Limits(**_numbers(self.limits)).in_words(Amount(**_numbers(self.spent)))
        if self.unpriced and self.limits.get("usd") is not None:
            words += f" (without {self.unpriced:,} answers whose price is unknown)"
        return words


def limits_of(recipe: Recipe) -> Limits | None:
    """The recipe's budget; None where it has none."""
    return None if recipe.budget is None else Limits(**recipe.budget.model_dump())


def budget_state(recipe: Recipe, folder: RunFolder) -> BudgetState | None:
    """How much of the recipe's budget is spent, by the run's ledger; None where there is none.

    All that was ever asked in this run folder counts, whatever recipe asked it.

    Raises:
        RunStopped: when there is a ledger that cannot be read.
    """
    limits = limits_of(recipe)
    if limits is None:
        return None
    amount, unknown = Amount(), 0
    if folder.ledger.is_file():
        try:
            with reading(folder.ledger) as connection:
                amount, unknown = spent(connection), unpriced(connection)
        except LedgerError as error:
            raise RunStopped(str(error)) from error
    return BudgetState(limits=asdict(limits), spent=asdict(amount), unpriced=unknown)


def without_price(recipe: Recipe) -> list[ModelUri]:
    """The recipe's models whose price is not known, where its budget is in money."""
    if recipe.budget is None or recipe.budget.usd is None:
        return []
    return [model for model in models_of(recipe) if not is_priced(model)]


def check_prices(recipe: Recipe) -> None:
    """Make sure that a budget in money can be kept.

    Raises:
        InputMistake: when the price of a model is not known.
    """
    unknown = without_price(recipe)
    if unknown:
        raise InputMistake(no_price_for(unknown))


def no_price_for(models: Iterable[object]) -> str:
    """Why a budget in money cannot be kept, and what to do."""
    names = ", ".join(map(str, models))
    return (
        f"found `budget.usd` with {names}, whose price is not known, so that what it spends cannot "
        "be counted in money: limit `budget.tokens` or `budget.requests` instead"
    )


def models_of(recipe: Recipe) -> list[ModelUri]:
    """Every model that the recipe may ask, once, in its order."""
    parts = recipe.model_dump(exclude={"requests"})
    uris = dict.fromkeys(uri for _, uri in named_models(parts) if isinstance(uri, str))
    named = [parse_model_uri(uri) for uri in uris]
    return [model for model in named if model.provider not in ("program", "python")]


def outlook_in_words(state: BudgetState, need: Amount) -> str:
    """What a build would take, held against what is left; only in the units of the budget."""
    limits = Limits(**_numbers(state.limits))
    more = [
        words
        for limit, words in (
            (limits.usd, f"{need.usd:.4f} USD"),
            (limits.tokens, f"{need.tokens:,} tokens"),
            (limits.requests, f"{need.requests:,} requests"),
        )
        if limit is not None
    ]
    before = Amount(**_numbers(state.spent))
    passed = limits.passed_by(before + need)
    verdict = (
        f"that passes `budget.{passed}`, so it would stop on the way" if passed else "that fits"
    )
    return f"budget: {state.in_words} spent; this takes about {', '.join(more)} more: {verdict}"


def _numbers(values: dict[str, Any]) -> dict[str, Any]:
    return {key: values.get(key) for key in ("usd", "tokens", "requests") if key in values}

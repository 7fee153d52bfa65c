import pytest

from chainwright.llm.prices import cost, is_priced
from chainwright.llm.request import Usage
from chainwright.llm.uri import ModelUri

USAGE = Usage(input_tokens=1_000_000, cached_tokens=0, output_tokens=100_000)


@pytest.mark.parametrize(
    "model", [ModelUri("local", "smollm2"), ModelUri("program", "arithmetic")], ids=str
)
def test_models_on_this_machine_are_free(model: ModelUri) -> None:
    assert cost(model, USAGE) == 0.0


@pytest.mark.parametrize(
    "model",
    [
        ModelUri("openai", "no-such-model"),
        ModelUri("anthropic", "no-such-model"),
        ModelUri("compat", "qwen3:8b", "http://localhost:11434/v1"),
    ],
    ids=str,
)
def test_an_unknown_price_is_none(model: ModelUri) -> None:
    assert cost(model, USAGE) is None


@pytest.mark.parametrize(
    "model",
    [
        ModelUri("openai", "gpt-4o-mini"),
        ModelUri("anthropic", "claude-sonnet-4-5"),
        ModelUri("compat", "openai/gpt-4o-mini", "https://openrouter.ai/api/v1"),
    ],
    ids=str,
)
def test_a_known_price_grows_with_tokens_and_shrinks_with_the_cache(model: ModelUri) -> None:
    full = cost(model, USAGE)
    more = cost(model, Usage(1_000_000, 0, 200_000))
    cached = cost(model, Usage(1_000_000, 500_000, 100_000))
    assert full is not None
    assert more is not None
    assert cached is not None
    assert cached < full < more
    assert cost(model, Usage()) == 0.0


def test_what_is_written_to_a_cache_has_its_own_price() -> None:
    """Anthropic asks a quarter more for it, and a tenth for what is read; OpenAI nothing more."""
    claude = ModelUri("anthropic", "claude-sonnet-4-5")
    plain, written, read = (
        cost(claude, Usage(10_000, cached, 0, written))
        for cached, written in ((0, 0), (0, 10_000), (10_000, 0))
    )
    assert plain is not None
    assert written == pytest.approx(1.25 * plain)
    assert read == pytest.approx(0.1 * plain)
    mini = ModelUri("openai", "gpt-4o-mini")
    assert cost(mini, Usage(1000, 0, 0, 1000)) == cost(mini, Usage(1000, 0, 0, 0))


@pytest.mark.parametrize(
    "model",
    [ModelUri("openai", "gpt-4o-mini"), ModelUri("anthropic", "claude-sonnet-4-5")],
    ids=str,
)
def test_a_batch_costs_half(model: ModelUri) -> None:
    usage = Usage(100_000, 0, 10_000, 10_000)
    full = cost(model, usage)
    assert full is not None
    assert cost(model, usage, batch=True) == pytest.approx(full / 2)
    assert cost(ModelUri("local", "smollm2"), usage, batch=True) == 0.0
    assert cost(ModelUri("openai", "no-such-model"), usage, batch=True) is None


def test_a_price_is_known_or_not() -> None:
    assert is_priced(ModelUri("local", "smollm2"))
    assert is_priced(ModelUri("openai", "gpt-4o-mini"))
    assert not is_priced(ModelUri("compat", "m", "http://localhost:8000/v1"))


def test_a_price_that_was_looked_up() -> None:
    """$0.15 and $0.60 a million tokens, as OpenAI announced gpt-4o-mini."""
    assert cost(ModelUri("openai", "gpt-4o-mini"), USAGE) == pytest.approx(0.15 + 0.06)


@pytest.mark.parametrize(
    "model", [ModelUri("openai", "gpt-4o-mini"), ModelUri("anthropic", "claude-sonnet-5")], ids=str
)
def test_a_batch_costs_half_of_short_prompts_too(model: ModelUri) -> None:
    usage = Usage(1000, 0, 100)
    usual = cost(model, usage)
    assert usual
    assert cost(model, usage, batch=True) == pytest.approx(usual / 2)


def test_a_batch_costs_half_where_the_table_has_no_price_of_its_own() -> None:
    model, usage = ModelUri("azure", "gpt-4o-mini"), Usage(1000, 0, 100)
    assert cost(model, usage, batch=True) == pytest.approx((cost(model, usage) or 0) / 2)


def test_a_batch_of_an_unknown_model_has_no_price() -> None:
    assert cost(ModelUri("openai", "no-such-model"), Usage(1, 0, 1), batch=True) is None

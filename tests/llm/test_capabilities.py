import pytest

from chainwright.llm.capabilities import JsonMode, capabilities, note, unsent
from chainwright.llm.request import Request
from chainwright.llm.uri import parse_model_uri


@pytest.mark.parametrize(
    ("uri", "limit", "temperature", "mode"),
    [
        ("openai:gpt-4o", "max_completion_tokens", True, "json_schema"),
        ("openai:ft:gpt-4o-mini:lab::1", "max_completion_tokens", True, "json_schema"),
        ("openai:gpt-4.1-nano", "max_completion_tokens", True, "json_schema"),
        ("openai:gpt-4-turbo", "max_completion_tokens", True, "json_object"),
        ("openai:gpt-4", "max_completion_tokens", True, "text"),
        ("openai:o1-mini", "max_completion_tokens", False, "text"),
        ("openai:o3", "max_completion_tokens", False, "json_schema"),
        ("openai:gpt-5", "max_completion_tokens", False, "json_schema"),
        ("openai:gpt-5-chat-latest", "max_completion_tokens", True, "json_schema"),
        ("openai:gpt-5.2-chat-latest", "max_completion_tokens", False, "json_schema"),
        ("openai:gpt-6.2-astra", "max_completion_tokens", False, "json_schema"),
        ("azure:gpt-4o-eu", "max_completion_tokens", True, "json_schema"),
        ("azure:gpt-35-turbo", "max_completion_tokens", True, "json_object"),
        ("azure:judge", "max_completion_tokens", False, "json_schema"),
        ("openai:omni-next", "max_completion_tokens", False, "json_schema"),
        ("anthropic:claude-opus-4-8", "max_tokens", False, "json_schema"),
        ("compat:o3@http://localhost:1/v1", "max_tokens", True, "json_schema"),
        ("local:smollm2", "max_tokens", True, "json_schema"),
        ("program:arithmetic", "max_tokens", True, "json_schema"),
    ],
)
def test_the_table(uri: str, limit: str, temperature: bool, mode: JsonMode) -> None:
    able = capabilities(parse_model_uri(uri))
    assert (able.token_limit, able.temperature, able.json_mode) == (limit, temperature, mode)


def test_what_is_left_out_is_named() -> None:
    def left_out(uri: str) -> tuple[str, ...]:
        return unsent(Request(parse_model_uri(uri), (), temperature=0.0, seed=3))

    assert left_out("openai:o3") == ("temperature 0", "seed 3")
    assert left_out("openai:gpt-4o") == ()
    assert unsent(Request(parse_model_uri("openai:o3"), ())) == ()


@pytest.mark.parametrize(
    ("names", "api"),
    [
        ("o1-pro o1-pro-2025-03-19 o3-pro gpt-5-pro gpt-5.5-pro-2026-04-23", "responses"),
        ("gpt-5-codex gpt-5.1-codex-max codex-mini-latest gpt-5.1-codex-mini", "responses"),
        ("o3-deep-research o4-mini-deep-research-2025-06-26 computer-use-preview", "responses"),
        ("gpt-6-cyber gpt-6-rosalind gpt-6.2-astra-law gpt-rosalind-research", "responses"),
        ("o1 o3 o4-mini gpt-5 gpt-5-mini gpt-5.4-nano gpt-6.2-sol gpt-4o gpt-4.1 next-1", "chat"),
        ("ft:gpt-4.1-mini:lab:pro:1 gpt-5-prompt gpt-4o-search-preview", "chat"),
    ],
)
def test_the_protocol(names: str, api: str) -> None:
    for name in names.split():
        assert capabilities(parse_model_uri(f"openai:{name}")).api == api, name


def test_what_the_log_says_of_a_model() -> None:
    def said(uri: str, *left_out: str) -> str | None:
        return note(parse_model_uri(uri), left_out)

    assert said("openai:gpt-4o") is None
    assert said("openai:o3", "seed 1") == "seed 1 is not sent to openai:o3, which refuses it"
    unknown = "openai:next-1 is not known here: it is asked in the way that most models accept"
    assert said("openai:next-1") == unknown
    assert said("openai:next-1", "seed 1", "x") == f"{unknown}, so without seed 1, x"
    assert said("compat:next-1@http://h/v1") is None

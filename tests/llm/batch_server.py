"""A local HTTP server with the batches of both protocols, that holds, loses and shuffles them.

A batch is answered when `release` is called, or at once when nothing holds it. What becomes of a
request is decided by `outcome`; how the server itself fails, by `failing`.
"""

import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

from tests.llm.fault_server import Served, anthropic_message, chat

Outcome = Literal["expired", "cancelled", "missing"] | Served
"""Of one request: an answer (or an error with a status), or none."""

Way = Literal["reset", "reset_after", "cut"] | int
"""How the server fails: hangs up before or after the work, cuts its answer, or says a status."""


@dataclass
class Batch:
    """A batch that was submitted."""

    id: str
    protocol: Literal["openai", "anthropic"]
    requests: list[tuple[str, dict[str, Any]]]
    metadata: dict[str, str] = field(default_factory=dict)
    created: float = field(default_factory=time.time)
    ended: bool = False
    cancelled: bool = False
    refused: str | None = None
    looks: int = 0

    @property
    def keys(self) -> list[str]:
        return [key for key, _ in self.requests]


def answer(protocol: str, body: dict[str, Any], said: str) -> Served:
    """An answer in the protocol of a batch."""
    return chat(said) if protocol == "openai" else anthropic_message(said)


class BatchServer:
    """The server; `requests` has every request that was paid for, as often as it was.

    Attributes:
        hold: Whether new batches wait for `release`.
        outcome: What becomes of a request, by its key and body; an answer by default.
        failing: For a route such as `POST /batches` the ways to fail, used up one by one.
    """

    def __init__(self) -> None:
        self.batches: dict[str, Batch] = {}
        self.files: dict[str, bytes] = {}
        self.calls: Counter[str] = Counter()
        self.online: list[dict[str, Any]] = []
        self.hold = False
        self.say: Callable[[dict[str, Any]], str] = lambda body: "hello"
        self.outcome: Callable[[Batch, str, dict[str, Any]], Outcome] | None = None
        self.refuse: Callable[[Batch], str | None] = lambda batch: None
        self.failing: dict[str, list[Way]] = {}
        self.lock = threading.RLock()
        self._http = _Quiet(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def openai(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def anthropic(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def submitted(self) -> list[str]:
        """The keys of all requests of all batches that were begun."""
        began = [batch for batch in self.batches.values() if batch.refused is None]
        return [key for batch in began for key in batch.keys]

    def release(self) -> None:
        """What is held has ended."""
        with self.lock:
            self.hold = False
            for batch in self.batches.values():
                batch.ended = True

    def made(self, batch: Batch) -> Batch:
        batch.refused = self.refuse(batch)
        batch.ended = not self.hold or batch.refused is not None
        self.batches[batch.id] = batch
        return batch

    def outcomes(self, batch: Batch) -> list[tuple[str, Outcome]]:
        """What became of the requests, last ones first: nobody may rely on an order."""
        found: list[tuple[str, Outcome]] = []
        for key, body in reversed(batch.requests):
            outcome: Outcome = answer(batch.protocol, body, self.say(body))
            if self.outcome is not None:
                outcome = self.outcome(batch, key, body)
            found.append((key, "cancelled" if batch.cancelled else outcome))
        return found

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are no news."""


def _handler(server: BatchServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve("GET")

        def do_POST(self) -> None:
            self._serve("POST")

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

        def _serve(self, method: str) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            path = self.path.partition("?")[0].removeprefix("/v1")
            protocol = "anthropic" if path.startswith("/messages") else "openai"
            kinds = [
                part if not part.startswith(("batch_", "file-")) else "ID"
                for part in path.split("/")
            ]
            route = f"{method} {'/'.join(kinds)}"
            with server.lock:
                server.calls[route] += 1
                ways = server.failing.get(route)
                way = ways.pop(0) if ways else None
                if way == "reset":
                    self.close_connection = True
                    return
                if isinstance(way, int):
                    self._send(way, json.dumps({"error": {"message": "no"}}).encode())
                    return
                status, body = _route(server, protocol, method, path, raw, self.headers)
                if way == "reset_after":
                    self.close_connection = True
                    return
                self._send(status, body, cut=way == "cut")

        def _send(self, status: int, body: bytes, cut: bool = False) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if cut else body)
            self.close_connection = cut

    return Handler


def _route(
    server: BatchServer, protocol: str, method: str, path: str, raw: bytes, headers: Any
) -> tuple[int, bytes]:
    parts = path.strip("/").split("/")
    match [method, *parts]:
        case ["POST", "files"]:
            file = f"file-{uuid.uuid4().hex}"
            server.files[file] = _uploaded(raw, headers["Content-Type"])
            return 200, _json(
                {
                    "id": file,
                    "object": "file",
                    "bytes": len(raw),
                    "created_at": 0,
                    "filename": "f",
                    "purpose": "batch",
                    "status": "processed",
                }
            )
        case ["GET", "files", file, "content"]:
            return (200, server.files[file]) if file in server.files else (404, b"{}")
        case ["POST", "batches"]:
            asked = json.loads(raw)
            lines = [json.loads(line) for line in server.files[asked["input_file_id"]].splitlines()]
            assert all(line["url"] == asked["endpoint"] for line in lines)
            requests = [(line["custom_id"], line["body"]) for line in lines]
            batch = Batch(f"batch_{uuid.uuid4().hex}", "openai", requests, asked["metadata"])
            return 200, _json(_openai(server, server.made(batch)))
        case ["POST", "messages", "batches"]:
            requests = [(one["custom_id"], one["params"]) for one in json.loads(raw)["requests"]]
            batch = Batch(f"batch_{uuid.uuid4().hex}", "anthropic", requests)
            return 200, _json(_anthropic(server, server.made(batch)))
        case ["GET", "batches"] | ["GET", "messages", "batches"]:
            show = _openai if protocol == "openai" else _anthropic
            found = sorted(server.batches.values(), key=lambda batch: -batch.created)
            data = [show(server, batch) for batch in found if batch.protocol == protocol]
            return 200, _json({"object": "list", "data": data, "has_more": False})
        case ["POST", "chat", "completions"] | ["POST", "messages"]:
            body = json.loads(raw)
            server.online.append(body)
            return 200, _json(answer(protocol, body, server.say(body)).body)
        case ["GET" | "POST", *_, "batches", batch_id] | [
            "GET" | "POST",
            *_,
            "batches",
            batch_id,
            "cancel" | "results",
        ] if batch_id in server.batches:
            batch = server.batches[batch_id]
            if parts[-1] == "results":
                return 200, _lines(
                    _anthropic_line(*one) for one in server.outcomes(batch) if one[1] != "missing"
                )
            if parts[-1] == "cancel":
                batch.ended = batch.cancelled = True
            else:
                batch.looks += 1
            return 200, _json((_openai if protocol == "openai" else _anthropic)(server, batch))
    return 404, _json({"error": {"message": f"no {method} {path}"}})


def _uploaded(raw: bytes, content_type: str) -> bytes:
    """The file in a multipart form."""
    boundary = content_type.partition("boundary=")[2].encode()
    for part in raw.split(b"--" + boundary):
        head, _, content = part.partition(b"\r\n\r\n")
        if b'name="file"' in head:
            return content.removesuffix(b"\r\n")
    raise AssertionError("no file in the form")


def _openai(server: BatchServer, batch: Batch) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": batch.id,
        "object": "batch",
        "endpoint": "/v1/chat/completions",
        "completion_window": "24h",
        "input_file_id": "file-in",
        "created_at": int(batch.created),
        "metadata": batch.metadata,
        "status": "in_progress",
        "request_counts": {"total": len(batch.requests), "completed": 0, "failed": 0},
    }
    if batch.refused is not None:
        fault = {"code": batch.refused, "message": "it is too much"}
        return shown | {"status": "failed", "errors": {"object": "list", "data": [fault]}}
    if not batch.ended:
        return shown
    good: list[dict[str, Any]] = []
    bad: list[dict[str, Any]] = []
    for key, outcome in server.outcomes(batch):
        if outcome == "missing":
            continue
        line = _openai_line(key, outcome)
        is_good = isinstance(outcome, Served) and outcome.status == 200
        (good if is_good else bad).append(line)
    for name, lines in (("output", good), ("error", bad)):
        if lines:
            shown[f"{name}_file_id"] = f"file-{name}-{batch.id}"
            server.files[f"file-{name}-{batch.id}"] = _lines(lines)
    expired = any('"batch_expired"' in json.dumps(line) for line in bad)
    status = "cancelled" if batch.cancelled else "expired" if expired else "completed"
    counts = {"total": len(batch.requests), "completed": len(good), "failed": len(bad)}
    return shown | {"status": status, "request_counts": counts}


def _openai_line(key: str, outcome: Outcome) -> dict[str, Any]:
    line: dict[str, Any] = {"id": "x", "custom_id": key, "response": None, "error": None}
    if isinstance(outcome, Served):
        line["response"] = {"status_code": outcome.status, "body": outcome.body}
    else:
        line["error"] = {"code": f"batch_{outcome}", "message": f"it was {outcome}"}
    return line


def _anthropic(server: BatchServer, batch: Batch) -> dict[str, Any]:
    counts = Counter({"processing": 0, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0})
    for _, outcome in server.outcomes(batch) if batch.ended else []:
        counts[_anthropic_kind(outcome)] += 1
    counts["processing"] = len(batch.requests) - counts.total()
    moment = datetime.fromtimestamp(batch.created, UTC).isoformat()
    return {
        "id": batch.id,
        "type": "message_batch",
        "created_at": moment,
        "expires_at": moment,
        "processing_status": "ended" if batch.ended else "in_progress",
        "request_counts": counts,
        "results_url": f"{server.anthropic}/v1/messages/batches/{batch.id}/results"
        if batch.ended
        else None,
    }


def _anthropic_kind(outcome: Outcome) -> str:
    if isinstance(outcome, Served):
        return "succeeded" if outcome.status == 200 else "errored"
    return "canceled" if outcome == "cancelled" else "expired"


def _anthropic_line(key: str, outcome: Outcome) -> dict[str, Any]:
    result: dict[str, Any] = {"type": _anthropic_kind(outcome)}
    if isinstance(outcome, Served):
        if outcome.status == 200:
            result["message"] = outcome.body
        else:
            result["error"] = outcome.body
    return {"custom_id": key, "result": result}


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _lines(values: Any) -> bytes:
    return b"".join(_json(value) + b"\n" for value in values)

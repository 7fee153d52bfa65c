"""A local HTTP server that answers like a model's, and can be told to fail in most of the ways."""

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from types import TracebackType
from typing import Any, Literal, Self


@dataclass(frozen=True)
class Seen:
    """A request as it arrived; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Served:
    """What to do with a request."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    how: Literal["answer", "reset", "truncate", "hang", "drip"] = "answer"


Answering = Callable[[Seen], Served]


class FaultServer:
    """A server on loopback, in threads of its own.

    Each request takes the next step of the script; when there is none left, `default` answers.
    """

    def __init__(self, default: Answering | None = None, port: int = 0) -> None:
        self.seen: list[Seen] = []
        self.script: deque[Served | Answering] = deque()
        self.default: Answering = default or (lambda seen: chat("hello"))
        self.listed: Answering = lambda seen: Served(404, {})
        """Answers GET, which is how a server is asked for its models."""
        self.open: list[socket.socket] = []
        self.most_at_once = 0
        self.latency = 0.0
        self._at_once = 0
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._http = _Quiet(("127.0.0.1", port), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def take(self, seen: Seen) -> Served:
        with self._lock:
            self.seen.append(seen)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            step = self.script.popleft() if self.script else self.default
        if self.latency:
            time.sleep(self.latency)
        return step(seen) if callable(step) else step

    def gone(self) -> None:
        with self._lock:
            self._at_once -= 1

    def hang(self) -> None:
        self._ended.wait(30)

    def drip(self, wire: BufferedIOBase, raw: bytes) -> None:
        """One byte now and then, which no time-out without a byte ever notices."""
        with suppress(OSError):
            for byte in raw:
                wire.write(bytes([byte]))
                wire.flush()
                if self._ended.wait(0.02):
                    return

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._http.shutdown()
        for connection in self.open:  # those that are kept for further requests
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._http.server_close()
        self._thread.join()


def chat(text: str | None, finish: str = "stop", **message: Any) -> Served:
    """An answer of chat completions."""
    return Served(
        body={
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "message": {"role": "assistant", "content": text, **message},
                }
            ],
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "total_tokens": 120,
                "prompt_tokens_details": {"cached_tokens": 30},
            },
        }
    )


def anthropic_message(text: str, stop: str = "end_turn") -> Served:
    """An answer of Messages."""
    return Served(
        body={
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": text}],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 70, "cache_read_input_tokens": 30, "output_tokens": 20},
        }
    )


def fault(status: int, message: str = "no", code: str | None = None, **headers: str) -> Served:
    """An error as both protocols report it; whoever sees it may try again at once."""
    body = {"error": {"message": message, "code": code, "type": code}}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Served(status, body, {"retry-after-ms": "1", **names})


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left is what these tests are about."""


def _handler(server: FaultServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            server.open.append(self.connection)

        def do_GET(self) -> None:
            self._serve(server.listed(Seen(self.path, dict(self.headers), {})))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            served = server.take(Seen(self.path, headers, body))
            try:
                self._serve(served)
            finally:
                server.gone()

        def _serve(self, served: Served) -> None:
            if served.how == "hang":
                server.hang()
            if served.how in ("reset", "hang"):
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            raw = (
                served.body if isinstance(served.body, bytes) else json.dumps(served.body).encode()
            )
            self.send_response(served.status)
            for name, value in {"content-type": "application/json", **served.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            if served.how == "truncate":
                self.wfile.write(raw[: len(raw) // 2])
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            if served.how == "drip":
                server.drip(self.wfile, raw)
                return
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Handler

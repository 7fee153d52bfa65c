"""The server of the transport benchmark: answers chat completions after a constant time.

A process of its own, run by path. It parses just enough of HTTP to be no part of what is measured,
and prints its address when it listens. `GET /count` says how many completions were asked for, and
when the first of them came.
"""

import argparse
import asyncio
import json
import sys
import time

ANSWER = json.dumps(
    {
        "steps": [
            {"step": 1, "explanation": "48 / 2 is 24, as the step says.", "label": "correct"},
            {"step": 2, "explanation": "48 + 24 is 72, as the step says.", "label": "correct"},
        ]
    }
)
"""What the model says; the clients read it under a schema."""

QUESTION = b"Judge both steps"
"""What all questions hold, and the trial requests of some clients do not."""


def completion(content: str) -> bytes:
    """The body of a chat completion."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "logprobs": None,
        "message": {"role": "assistant", "content": content, "refusal": None},
    }
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "bench",
        "choices": [choice],
        "usage": {"prompt_tokens": 400, "completion_tokens": 60, "total_tokens": 460},
    }
    return json.dumps(body).encode()


BODY = completion(ANSWER)

TRIAL = completion('{"name": "Jason", "age": 25}')
"""The answer to curator's trial of structured output, which asks for a name and an age."""


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(description="Answer chat completions after a constant time.")
    parser.add_argument("--latency-ms", type=float, default=0.0)
    options = parser.parse_args()
    asyncio.run(serve(options.latency_ms / 1000))


async def serve(latency: float) -> None:
    """Listen on a free port of loopback; every answer comes `latency` seconds after its request."""
    loop = asyncio.get_running_loop()
    tally = Tally()
    server = await loop.create_server(lambda: Talk(tally, latency), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


class Tally:
    """How many completions were asked for, and when the first was (CLOCK_MONOTONIC, seconds)."""

    def __init__(self) -> None:
        self.count = 0
        self.first: float | None = None

    def add(self) -> None:
        """Count one."""
        if self.first is None:
            self.first = time.monotonic()
        self.count += 1


class Talk(asyncio.Protocol):
    """One connection. Requests have a length, and come one after the other."""

    def __init__(self, tally: Tally, latency: float) -> None:
        self._tally = tally
        self._latency = latency
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what is written to."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101  # TCP gives no other
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer whatever is complete."""
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._buffer[:end]).lower()
            _, found, after = head.partition(b"content-length:")
            size = int(after.split(b"\r\n", 1)[0]) if found else 0
            if len(self._buffer) < end + 4 + size:
                return
            asks = self._buffer.find(QUESTION, end + 4, end + 4 + size) >= 0
            del self._buffer[: end + 4 + size]
            self._answer(head, asks)

    def _answer(self, head: bytes, asks: bool) -> None:
        if head.startswith(b"get /count"):
            told = {"count": self._tally.count, "first": self._tally.first}
            self._write(json.dumps(told).encode())
        elif head.startswith(b"get"):
            self._write(b'{"object": "list", "data": []}')
        elif not asks:
            self._write(TRIAL)
        else:
            self._tally.add()
            if self._latency:
                asyncio.get_running_loop().call_later(self._latency, self._write, BODY)
            else:
                self._write(BODY)

    def _write(self, body: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: "
            self._transport.write(f"{head}{len(body)}\r\n\r\n".encode() + body)


if __name__ == "__main__":
    main()

"""Structured answers: what a model says, read into a value; asked again when it cannot be read.

The provider is asked for JSON first (`Request.schema`). What comes back is parsed, repaired where
that is safe, and validated by the caller's `read`. A fault is quoted to the model, which answers
again in the same conversation; when that does not help, the answer is `malformed` and all its raw
texts are kept.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from chainwright.llm.json_text import Kind, parse_json
from chainwright.llm.prompts import render
from chainwright.llm.request import Answer, Asker, Message, Request

T = TypeVar("T")

StructuredStatus = Literal["ok", "malformed", "refused", "failed"]

CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})
"""Finish reasons of answers that ran out of room."""

LONGEST_FAULT = 1000
"""Characters of a validator's message that a model is shown, and that a record keeps."""

FALLBACK_ROOM = 4096
"""Tokens given to the second try of a cut answer whose request and usage name no number."""


@dataclass(frozen=True)
class Structured(Generic[T]):
    """What came of a question whose answer has a shape.

    Attributes:
        value: What `read` made of the answer; None unless the status is `ok`.
        texts: The raw texts of all attempts, oldest first; the last one is the one read.
        keys: Their request keys in the ledger, in the same order.
        fault: Why there is no value; None when there is one.
    """

    status: StructuredStatus
    value: T | None
    texts: tuple[str, ...]
    keys: tuple[str, ...]
    fault: str | None = None


async def ask_structured(
    asker: Asker,
    request: Request,
    read: Callable[[Any], T],
    *,
    check: Callable[[T], Awaitable[None]] | None = None,
    first: Answer | None = None,
    reasks: int = 1,
    repair: bool = True,
) -> Structured[T]:
    """Ask, parse, validate, and ask again on a fault.

    An answer that ran out of room is asked for again with twice as much, once and in place of a
    quoted fault; it is never repaired, since a repair would pass off its head as the whole.

    Args:
        read: Makes a value of the parsed JSON; raises ValueError with a message that names the
            fault, because the model gets to read it.
        check: Looks at the value further, where that may take a while; raises like `read`.
        first: The answer to the request, where it was asked already; it is not asked again then.
        reasks: How often to ask again at most, with quoted faults and more room together.
        repair: Whether broken JSON may be mended.

    Returns:
        The status of the last attempt: `refused` or `failed` when that one was, else `malformed`
        when no answer could be read.

    Raises:
        ModelUnavailable: when the asker raises it.
    """
    texts: list[str] = []
    keys: list[str] = []
    widened = False
    fault = ""
    while True:
        answer, first = first or await asker.ask(request), None
        if widened and answer.too_long:
            # More room than there is; what counts is that the answer before ran out of it.
            return Structured("malformed", None, tuple(texts), tuple(keys), fault)
        texts.append(answer.text)
        keys.append(answer.key)
        if answer.status != "ok":
            fault = answer.error or answer.text or f"the model {answer.status} the request"
            return Structured(answer.status, None, tuple(texts), tuple(keys), _short(fault))
        cut = answer.finish_reason in CUT
        try:
            value = read(parse_json(answer.text, repair=repair and not cut, kind=_kind(request)))
            if check is not None:
                await check(value)
        except ValueError as error:
            fault = _cut_fault(answer) if cut else _short(str(error))
        else:
            return Structured("ok", value, tuple(texts), tuple(keys))
        if len(keys) > reasks or (cut and widened):
            return Structured("malformed", None, tuple(texts), tuple(keys), fault)
        widened = widened or cut
        request = with_more_room(request, answer) if cut else _quoting(request, answer, fault)


def with_more_room(request: Request, answer: Answer) -> Request:
    """The same question with twice the room, for an answer that ran out of it.

    What was cut off is of no use in the conversation.
    """
    room = request.max_tokens or answer.usage.output_tokens or FALLBACK_ROOM
    return replace(request, max_tokens=2 * room)


def _kind(request: Request) -> Kind | None:
    kinds: dict[Any, Kind] = {"object": "object", "array": "array"}
    return kinds.get(request.schema.schema.get("type")) if request.schema else None


def _short(fault: str) -> str:
    return fault if len(fault) <= LONGEST_FAULT else f"{fault[: LONGEST_FAULT - 1]}…"


def _cut_fault(answer: Answer) -> str:
    return f"the answer ran out of room (finish reason `{answer.finish_reason}`)"


def _quoting(request: Request, answer: Answer, fault: str) -> Request:
    # Some providers refuse an empty turn.
    said = answer.text if answer.text.strip() else "(no answer)"
    turns = (Message("assistant", said), Message("user", render("reask", fault=fault)))
    return replace(request, messages=(*request.messages, *turns))

"""JSON modes: which way of asking for JSON a server takes, found by trying and then remembered."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from chainwright.llm.capabilities import JsonMode, capabilities
from chainwright.llm.prompts import render
from chainwright.llm.providers.failure import HttpFault, http_fault
from chainwright.llm.providers.reply import Reply
from chainwright.llm.request import Message, Request, Schema
from chainwright.llm.uri import ModelUri

_ABOUT_FORMAT = re.compile(r"response_?format|output_?config|json|schema|grammar|structured")
_ABOUT_LENGTH = re.compile(
    r"context|too (?:long|large|many)|maximum.{0,20}(?:length|tokens)|max_tokens"
)


@dataclass
class JsonModes:
    """What is known of the models at one place: in which mode they answered, or refused to.

    Args:
        ladder: The modes that the protocol has, best first.
    """

    ladder: tuple[JsonMode, ...]
    _mode: dict[ModelUri, JsonMode] = field(default_factory=dict)
    _proven: set[tuple[ModelUri, JsonMode]] = field(default_factory=set)

    async def ask(
        self, request: Request, send: Callable[[Request, JsonMode], Awaitable[Reply]]
    ) -> Reply:
        """Send a request in the best mode that its model takes.

        A refusal of the mode itself (400 or 422) leads to the next one down, which is remembered
        once it has worked. Without a schema there is nothing to choose.

        Raises:
            Exception: what `send` raises, when it has nothing to do with the mode.
        """
        if request.schema is None:
            return await send(request, "text")
        modes = self._from(request.model)
        for mode, lower in zip(modes, (*modes[1:], None), strict=True):
            try:
                reply = await send(_in_words(request, request.schema, mode), mode)
            except Exception as error:
                fault = http_fault(error)
                if lower is None or fault is None or not self._is_refused(request, mode, fault):
                    raise
                continue
            if reply.status != "failed":
                # A mode that worked before was refused for this one schema only.
                if (request.model, modes[0]) not in self._proven:
                    self._mode[request.model] = mode
                self._proven.add((request.model, mode))
            return reply
        raise AssertionError("the ladder has no step")

    def _from(self, model: ModelUri) -> tuple[JsonMode, ...]:
        first = self._mode.get(model, capabilities(model).json_mode)
        while first not in self.ladder:
            first = "text"
        return self.ladder[self.ladder.index(first) :]

    def _is_refused(self, request: Request, mode: JsonMode, fault: HttpFault) -> bool:
        if fault.status not in (400, 422) or _ABOUT_LENGTH.search(fault.words):
            return False
        proven = (request.model, mode) in self._proven
        return not proven or _ABOUT_FORMAT.search(fault.words) is not None


def _in_words(request: Request, schema: Schema, mode: JsonMode) -> Request:
    """Where no server enforces the schema, the last turn of the user spells it out."""
    if mode == "json_schema":
        return request
    words = render("json_only", schema=json.dumps(schema.schema, ensure_ascii=False))
    messages = list(request.messages)
    for index in reversed(range(len(messages))):
        if messages[index].role == "user":
            content = f"{messages[index].content}\n\n{words}"
            messages[index] = replace(messages[index], content=content)
            break
    else:
        messages.append(Message("user", words))
    return replace(request, messages=tuple(messages))

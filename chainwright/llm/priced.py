"""Priced: the answer in a reply, as it is kept and handed on."""

from chainwright.llm.prices import cost
from chainwright.llm.providers.reply import Reply
from chainwright.llm.request import Answer
from chainwright.llm.uri import ModelUri


def priced(model: ModelUri, key: str, reply: Reply) -> Answer:
    """The answer in a reply; a failed one costs nothing."""
    in_batch = reply.batch is not None
    return Answer(
        key=key,
        status=reply.status,
        # Half a surrogate pair can come in JSON, and be stored nowhere.
        text=reply.text.encode(errors="replace").decode(),
        finish_reason=reply.finish_reason,
        usage=reply.usage,
        cost=cost(model, reply.usage, batch=in_batch) if reply.status != "failed" else None,
        error=reply.error,
        too_long=reply.fault == "too_long",
        batch=reply.batch,
    )

"""Request keys: the canonical form of a request, and the SHA-256 that the ledger knows it by."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from chainwright.llm.request import Request

FORM = 1
"""Version of the canonical form. Another form gives other keys: nothing old is then found."""


@dataclass(frozen=True)
class KeyedRequest:
    """A request as the ledger knows it.

    Attributes:
        key: 64 hex digits, the SHA-256 of the canonical form.
        canonical: The request as JSON: all that may change the answer, and no secret.
        base_url: Where it really goes: of the URI, of the environment, or the provider's own; null
            where the place says nothing about the model (`local`).
    """

    key: str
    canonical: str
    provider: str
    base_url: str | None
    model: str


def key_request(request: Request, base_url: str | None) -> KeyedRequest:
    """The canonical form and the key of a request that goes to a base URL.

    Fields stand in a fixed order and a schema in its own: a model fills in the properties in the
    order in which the schema names them, so another order is another request.
    """
    body: dict[str, Any] = {
        "form": FORM,
        "provider": request.model.provider,
        "base_url": base_url,
        "model": request.model.name,
        "messages": [
            {"role": message.role, "content": message.content} for message in request.messages
        ],
        "schema": request.schema
        and {"name": request.schema.name, "schema": dict(request.schema.schema)},
        # As a float, since 0 and 0.0 are the same setting.
        "temperature": None if request.temperature is None else float(request.temperature),
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "sample": request.sample,
    }
    canonical = json.dumps(body, separators=(",", ":"), allow_nan=False)
    key = hashlib.sha256(canonical.encode()).hexdigest()
    return KeyedRequest(key, canonical, request.model.provider, base_url, request.model.name)

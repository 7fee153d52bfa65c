"""Endpoints: where the requests to a model go."""

import os
from urllib.parse import urlsplit

from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import ModelUri, Provider

_PLACES: dict[Provider, tuple[str, str | None]] = {
    "openai": ("OPENAI_BASE_URL", "https://api.openai.com/v1"),
    "anthropic": ("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
    "azure": ("AZURE_OPENAI_ENDPOINT", None),
}


def endpoint(model: ModelUri) -> str | None:
    """The base URL of a model, without a slash at the end.

    The URI's own comes first; `openai:`, `anthropic:` and `azure:` follow the variables that their
    SDKs follow. None for `local:`, `program:` and `python:`, whose place says nothing about them.

    Raises:
        ModelUnavailable: for a variable that holds no address, or an address with a secret in it:
            this goes into the ledger. Also for an `azure:` model without any address.
    """
    if model.base_url is not None or model.provider not in _PLACES:
        return model.base_url
    name, own = _PLACES[model.provider]
    url = os.environ.get(name, "").strip().rstrip("/")
    if not url and own is None:
        raise ModelUnavailable(
            f"no address for {model}: write {model}@https://RESOURCE.openai.azure.com, "
            f"or set {name} in the environment"
        )
    if not url:
        return own
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ModelUnavailable(f"found `{url}` in {name}, expected http://… or https://…")
    if parts.username is not None or parts.query or parts.fragment:
        raise ModelUnavailable(
            f"the address in {name} has a user, password, query or fragment: "
            "leave it out, keys have variables of their own"
        )
    return url


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine, where no proxy should be asked for it."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")

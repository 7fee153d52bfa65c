"""Model URIs: how a recipe names a model, or a program that needs none."""

import re
from dataclasses import dataclass
from importlib.util import find_spec
from keyword import iskeyword
from typing import Literal, get_args
from urllib.parse import urlsplit

from chainwright.spelling import nearest

Provider = Literal["openai", "anthropic", "compat", "azure", "local", "program", "python"]

PROVIDERS: tuple[Provider, ...] = get_args(Provider)
PROGRAMS: tuple[str, ...] = ("arithmetic", "provenance", "reference")
"""The exact checkers that need no model."""

EXTRAS: dict[Provider, tuple[str, str]] = {"local": ("local", "xllamacpp")}
"""Providers that need an optional part: its name in brackets for pip, and its import name."""

FORMS: dict[Provider, str] = {
    "openai": "openai:NAME",
    "anthropic": "anthropic:NAME",
    "compat": "compat:NAME@http://HOST:PORT/v1",
    "azure": "azure:DEPLOYMENT, or azure:DEPLOYMENT@https://RESOURCE.openai.azure.com",
    "local": "local:NAME",
    "program": "program:NAME",
    "python": "python:PACKAGE.MODULE.FUNCTION",
}


@dataclass(frozen=True)
class ModelUri:
    """A model by provider and name; `str()` gives the URI back.

    Attributes:
        base_url: Where the model is served, without a slash at the end; null where the provider
            has one place, or the environment names it.
    """

    provider: Provider
    name: str
    base_url: str | None = None

    @property
    def model(self) -> str:
        """The model without the place where it is served: the same one on any machine."""
        return f"{self.provider}:{self.name}"

    def __str__(self) -> str:
        address = f"@{self.base_url}" if self.base_url else ""
        return f"{self.model}{address}"


class ModelUriError(ValueError):
    """A text that names no model.

    Attributes:
        found: The bad value, quoted, and what is wrong with it.
        expected: What is allowed.
        hint: The nearest spelling or the way out; null where there is none.
    """

    def __init__(self, found: str, expected: str, hint: str | None = None) -> None:
        super().__init__(found, expected, hint)
        self.found, self.expected, self.hint = found, expected, hint

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"found {self.found}, expected {self.expected}{hint}"


def parse_model_uri(uri: str, programs: tuple[str, ...] = PROGRAMS) -> ModelUri:
    """The model that a URI names.

    Args:
        programs: Names that `program:` may take.

    Raises:
        ModelUriError: for a missing or unknown provider, an unknown program, an empty name, a
            blank inside, an address where none belongs or none where one is needed, an address
            that carries a password, and a `python:` name that is no module with a function in it.

    >>> parse_model_uri("compat:qwen3:8b@http://localhost:11434/v1/")
    ModelUri(provider='compat', name='qwen3:8b', base_url='http://localhost:11434/v1')
    """
    provider, name = _provider(uri, programs)
    expected = FORMS[provider]
    if not name:
        raise ModelUriError(f"`{uri}` with no name behind the colon", expected)
    if re.search(r"\s", uri):
        raise ModelUriError(f"`{uri}` with a blank in it", f"{expected}, without blanks")
    if provider == "python":
        return ModelUri(provider, _dotted(uri, name))
    if provider == "program":
        if name not in programs:
            allowed = [f"program:{program}" for program in programs]
            close = nearest(uri, allowed)
            raise ModelUriError(f"`{uri}`", f"one of {', '.join(allowed)}", _did_you_mean(close))
        return ModelUri(provider, name)
    name, at, url = _split_address(name)
    if not at:
        if provider == "compat":
            raise ModelUriError(f"`{uri}` without an address", expected)
        return ModelUri(provider, name)
    if provider not in ("compat", "azure"):
        close = f"compat:{name}@{url}"
        raise ModelUriError(f"`{uri}` with an address", expected, _did_you_mean(close))
    return ModelUri(provider, name, _address(uri, url, expected))


def missing_extra(uri: ModelUri) -> str | None:
    """How to install what a model needs and this machine lacks; None where nothing is lacking."""
    if uri.provider not in EXTRAS:
        return None
    extra, module = EXTRAS[uri.provider]
    return None if find_spec(module) else f"pip install 'chainwright[{extra}]'"


def _provider(uri: str, programs: tuple[str, ...]) -> tuple[Provider, str]:
    word, colon, name = uri.partition(":")
    for provider in PROVIDERS:
        if colon and word == provider:
            return provider, name
    if word in ("http", "https"):
        hint = _did_you_mean(f"compat:NAME@{uri}")
    elif not colon and nearest(word, programs):
        hint = _did_you_mean(f"program:{nearest(word, programs)}")
    else:
        close = nearest(word, PROVIDERS) if colon else None
        hint = _did_you_mean(f"{close}:{name}" if close else None)
    what = f"the unknown provider `{word}` in `{uri}`" if colon else f"`{uri}` without a provider"
    raise ModelUriError(what, f"PROVIDER:NAME with a provider of {', '.join(PROVIDERS)}", hint)


def _dotted(uri: str, name: str) -> str:
    words = name.split(".")
    if len(words) > 1 and all(word.isidentifier() and not iskeyword(word) for word in words):
        return name
    hint = None
    if "/" in name or name.endswith(".py"):
        hint = "a module is named by its import name, not by its file"
    elif name.count(":") == 1:
        hint = _did_you_mean(f"python:{name.replace(':', '.')}")
    raise ModelUriError(f"`{uri}`", FORMS["python"], hint)


def _split_address(name: str) -> tuple[str, str, str]:
    """Split at the first @ that an address follows: names may hold one (`org/model@rev`)."""
    match = re.fullmatch(r"(?P<name>.+?)(?P<at>@)(?P<url>[A-Za-z][A-Za-z0-9+.-]*://.*)", name)
    return (match["name"], match["at"], match["url"]) if match else (name, "", "")


def _address(uri: str, url: str, expected: str) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ModelUriError(f"`{uri}` with a broken address ({error})", expected) from error
    if parts.username is not None or parts.query or parts.fragment:
        # A recipe is copied into the run folder and often published, so it must hold no secret.
        shown = f"{uri.partition(':')[0]}:…@{host or '…'}"
        what = f"`{shown}` with a user, password, query or fragment in its address"
        raise ModelUriError(what, expected, "keys belong in the environment, never in a recipe")
    if parts.scheme not in ("http", "https") or not host:
        raise ModelUriError(f"the address `{url}` in `{uri}`", expected)
    return url.rstrip("/")


def _did_you_mean(word: str | None) -> str | None:
    return f"did you mean `{word}`?" if word else None

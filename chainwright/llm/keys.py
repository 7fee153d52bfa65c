"""API keys: read from the environment when a model is first asked, and shown nowhere."""

import os
import re

from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import Provider

NAMES: dict[Provider, str] = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "azure": "AZURE_OPENAI_API_KEY",
    "compat": "CHAINWRIGHT_API_KEY",
}
"""The variable that holds a provider's key. No other provider's key is ever sent to `compat:`."""

NO_KEY = "none"
"""What servers without keys are sent, since the SDK must send something."""

SHORTEST_SECRET = 6
"""Characters from which a value counts as a secret; a shorter one would hide plain words."""

_SECRET_VARIABLE = re.compile(r"(?:API_?KEY|ADMIN_KEY|TOKEN|SECRET|PASSWORD)$")
_KEY_LOOKS = re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|AIza)[-_][\w*.\-]{6,}|(?<=Bearer )\S{6,}")


def api_key(provider: Provider) -> str:
    """The key of a provider.

    Raises:
        ModelUnavailable: when the variable is not set, or holds what no header can carry.
    """
    name = NAMES[provider]
    key = os.environ.get(name, "").strip()
    if not key:
        if provider == "compat":
            return NO_KEY
        raise ModelUnavailable(f"no key for {provider}: models: set {name} in the environment")
    if not re.fullmatch(r"[!-~]+", key):
        raise ModelUnavailable(
            f"the key in {name} holds a blank or a character that no key has: copy it again"
        )
    return key


def redact(text: str) -> str:
    """An error message without keys: those of the environment, and what looks like one."""
    for name, value in own_secrets().items():
        text = conceal(text, value, f"[{name}]")
    return _KEY_LOOKS.sub("[key]", text)


def own_secrets() -> dict[str, str]:
    """The values of the environment that are secret by their variable's name, by that name."""
    return {
        name: secret
        for name, value in os.environ.items()
        if _SECRET_VARIABLE.search(name) and len(secret := value.strip()) >= SHORTEST_SECRET
    }


def conceal(text: str, secret: str, instead: str = "[key]") -> str:
    """A text without one secret, such as an answer that repeats the key it was asked with."""
    if len(secret) < SHORTEST_SECRET or secret not in text:
        return text
    return text.replace(secret, instead)

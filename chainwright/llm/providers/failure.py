"""Failures: what an exception of an SDK means for the request, and for the run.

Both SDKs raise errors of the same shape: a status code and a body, or a cause in the transport.
"""

import re
from dataclasses import dataclass
from typing import Any

from chainwright.llm.keys import NAMES, redact
from chainwright.llm.providers.reply import Reply
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import ModelUri

LONGEST_ERROR = 500


@dataclass(frozen=True)
class HttpFault:
    """A status code with what the server said, as one line without keys.

    Attributes:
        words: Message, code and type in lower case, to search in.
    """

    status: int
    message: str
    words: str
    attempts: int


def http_fault(error: Exception) -> HttpFault | None:
    """The fault that a server reported; None when the error has no status code."""
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return None
    return fault_of_body(status, getattr(error, "body", None), str(error), attempts_of(error))


def fault_of_body(status: int, body: object, otherwise: str = "", attempts: int = 1) -> HttpFault:
    """The fault that the body of an answer reports, in any of the usual shapes."""
    inner: Any = body
    if isinstance(inner, dict) and isinstance(inner.get("error"), dict | str):
        inner = inner["error"]
    codes = ""
    if isinstance(inner, dict):
        codes = f"{inner.get('code') or ''} {inner.get('type') or ''}"
        inner = inner.get("message") or inner.get("detail") or inner
    message = one_line(str(inner or otherwise))
    return HttpFault(status, message, f"{message} {codes}".lower(), attempts)


def failed(model: ModelUri, place: str, error: Exception) -> Reply:
    """The reply that stands for an SDK's error.

    Args:
        place: The address that was asked, for the message.

    Raises:
        ModelUnavailable: when the error would meet every request to this model.
    """
    fault = http_fault(error)
    if fault is not None:
        return failed_by_server(model, place, fault)
    causes = _names(error)
    attempts = attempts_of(error)
    if "ConnectError" in causes or "ConnectTimeout" in causes:
        raise ModelUnavailable(
            f"cannot connect to {place} for {model} (tried {attempts} times): "
            "is the server running, and is the address right?"
        )
    if any("Timeout" in name for name in causes):
        return Reply("failed", attempts=attempts, error=f"time-out: {place} did not answer")
    why = one_line(str(error.__cause__ or error)) or causes[0]
    return Reply("failed", attempts=attempts, error=f"no answer from {place}: {why}")


def failed_by_server(model: ModelUri, place: str, fault: HttpFault) -> Reply:
    """The reply that stands for a fault which the server reported.

    Raises:
        ModelUnavailable: for a refused key, an account without money and an unknown model.
    """
    said = f"{fault.status}: {fault.message}"
    if _REFUSAL.search(fault.words) and fault.status in (400, 403):
        return Reply("refused", fault.message, "refused by the server", attempts=fault.attempts)
    if fault.status in (401, 403):
        name = NAMES.get(model.provider)
        check = f"check {name}" if name else "check its access rights"
        raise ModelUnavailable(f"{place} refused the key for {model} ({said}): {check}")
    if fault.status == 402 or _NO_MONEY.search(fault.words):
        raise ModelUnavailable(f"no credit left at {place} for {model} ({said})")
    if fault.status == 404 or (fault.status == 400 and _NO_MODEL.search(fault.words)):
        raise ModelUnavailable(
            f"{place} knows no model `{model.name}` ({said}): check the name of {model}"
            + (
                " and its address, which most often ends in /v1"
                if model.provider == "compat"
                else ""
            )
        )
    return Reply("failed", attempts=fault.attempts, error=f"{place} answered {said}")


_REFUSAL = re.compile(
    r"content_filter|content_policy|content management policy|moderation|flagged|invalid_prompt"
)
_NO_MONEY = re.compile(r"insufficient_quota|credit balance|insufficient.credits|billing_hard_limit")
_NO_MODEL = re.compile(
    r"model_not_found|not a valid model|model .{0,80}(?:does not exist|not found)|unknown model"
)


def attempts_of(outcome: object) -> int:
    """HTTP requests that an SDK made before it got an answer, or before its error."""
    request = getattr(outcome, "request", None)
    count = request.headers.get("x-stainless-retry-count", "0") if request is not None else "0"
    return int(count) + 1 if count.isdigit() else 1


def one_line(text: str) -> str:
    """A message on one line, without keys, cut to `LONGEST_ERROR` characters."""
    line = redact(" ".join(text.split()))
    return line if len(line) <= LONGEST_ERROR else f"{line[: LONGEST_ERROR - 1]}…"


def _names(error: BaseException) -> list[str]:
    """Class names of an error and of its chain of causes, the innermost last."""
    names: list[str] = []
    seen: BaseException | None = error
    while seen is not None and len(names) < 20:
        names.append(type(seen).__name__)
        seen = seen.__cause__ or seen.__context__
    return names

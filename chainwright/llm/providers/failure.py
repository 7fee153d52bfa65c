"""Failures: what an exception of an SDK means for the request, and for the run.

Both SDKs raise errors of the same shape: a status code and a body, or a cause in the transport.
"""

import math
import re
import time
from dataclasses import dataclass, replace
from email.utils import mktime_tz, parsedate_tz
from typing import TYPE_CHECKING, Any

from chainwright.llm.keys import NAMES, redact
from chainwright.llm.providers.reply import Fault, Reply
from chainwright.llm.request import ModelUnavailable
from chainwright.llm.uri import ModelUri

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_ERROR = 500


@dataclass(frozen=True)
class HttpFault:
    """A status code with what the server said, as one line without keys.

    Attributes:
        words: Message, code and type in lower case, to search in.
        retry_after: Seconds that the server asked to wait; null where it named none.
        passes: Whether the server says that the fault will pass; null where it does not say.
    """

    status: int
    message: str
    words: str
    attempts: int
    retry_after: float | None = None
    passes: bool | None = None


def http_fault(error: Exception) -> HttpFault | None:
    """The fault that a server reported; None when the error has no status code."""
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return None
    found = fault_of_body(status, getattr(error, "body", None), str(error), attempts_of(error))
    headers = getattr(getattr(error, "response", None), "headers", {})
    passes = {"true": True, "false": False}.get(headers.get("x-should-retry", ""))
    return replace(found, retry_after=retry_after(headers), passes=passes)


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
        said = f"cannot connect to {place} for {model}"
        return Reply("failed", attempts=attempts, error=said, fault="away")
    if any("Timeout" in name for name in causes):
        said = f"time-out: {place} did not answer"
    else:
        said = f"no answer from {place}: {one_line(str(error.__cause__ or error)) or causes[0]}"
    return Reply("failed", attempts=attempts, error=said, fault="server")


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
    kind = _kind(fault)
    error = f"{place} answered {said}"
    if kind == "too_long":
        error = f"longer than the context of {model}: {error}"
    return Reply(
        "failed",
        attempts=fault.attempts,
        error=error,
        fault=kind,
        retry_after=fault.retry_after,
    )


def retry_after(headers: "Mapping[str, str]") -> float | None:
    """Seconds that a server asks to wait: in milliseconds, in seconds, or until a date.

    None where it names none, or nothing that can be read.

    >>> retry_after({"retry-after": "7"})
    7.0
    """
    for name, each in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / each
        except ValueError:
            continue
        return None if math.isnan(seconds) else max(0.0, seconds)
    date = parsedate_tz(headers.get("retry-after", ""))
    if date is None:
        return None
    try:
        return max(0.0, mktime_tz(date) - time.time())
    except (ValueError, OverflowError):
        return None


def _kind(fault: HttpFault) -> Fault:
    """What a status and the words beside it mean for the request."""
    if fault.status in (400, 413, 422, 500) and _TOO_LONG.search(fault.words):
        return "too_long"
    if fault.status == 429 and _NEVER.search(fault.words):
        return "request"
    if fault.status == 429 or (fault.status in (503, 529) and fault.retry_after is not None):
        return "busy"
    passing = fault.status in (200, 408, 409) or fault.status >= 500
    return "server" if (passing if fault.passes is None else fault.passes) else "request"


_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|size|window|limit)"
    r"|prompt is too long|input is too long|too many (?:input )?tokens|maximum.{0,20}input tokens"
)
_NEVER = re.compile(r"request too large")
"""A single request that is above the limit of a minute: it will never be within it."""
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

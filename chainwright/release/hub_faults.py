"""Hub faults: what the Hub or the way to it refused, in one line that says what to do."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chainwright.llm.keys import redact

if TYPE_CHECKING:
    from huggingface_hub.errors import HfHubHTTPError

_AGAIN = "what was sent is kept, and the same command goes on from there"
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+@")


class HubRefused(ValueError):
    """The Hub said no, or is none; another argument, token or endpoint is needed."""


class HubInterrupted(ConnectionError):
    """The exchange broke off or has to wait; the same command goes on from there."""


@contextmanager
def plainly(repo: str, doing: str, endpoint: str) -> Iterator[None]:
    """Turns what the client raises into one line each.

    The client names its own functions and the addresses it asked, some of which are signed; neither
    is shown. What a server says is shown without anything that looks like a key.

    Args:
        repo: ORG/NAME.
        doing: What was being done, as in `sending files`.
        endpoint: Address of the Hub.

    Raises:
        HubRefused: for what the user can put right.
        HubInterrupted: for what another try may cure.
    """
    import httpx2
    from huggingface_hub.errors import (
        HfHubHTTPError,
        LocalTokenNotFoundError,
        OfflineModeIsEnabled,
    )

    try:
        yield
    except (HubRefused, HubInterrupted):
        raise
    except Exception as error:
        told = public_endpoint(endpoint)
        for cause in _causes(error):
            if isinstance(cause, LocalTokenNotFoundError):
                raise HubRefused(
                    f"{doing}: no token; set HF_TOKEN in the environment, or log in with "
                    "`hf auth login` (a token with write access: https://hf.co/settings/tokens)"
                ) from error
            if isinstance(cause, HfHubHTTPError):
                raise _of_status(cause, repo, doing, told) from error
            if isinstance(cause, OfflineModeIsEnabled):
                raise HubRefused(f"{doing}: HF_HUB_OFFLINE is set; unset it to go on") from error
            if isinstance(cause, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
                raise HubRefused(f"{doing}: {told} is no address; correct HF_ENDPOINT") from error
            if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
                raise HubInterrupted(
                    f"{doing}: no Hub can be reached at {told}; check the network and HF_ENDPOINT, "
                    "then run the same command again"
                ) from error
            if isinstance(cause, httpx2.TransportError):
                raise HubInterrupted(
                    f"{doing}: the connection to {told} was lost; {_AGAIN}"
                ) from error
            if isinstance(cause, json.JSONDecodeError):
                raise HubRefused(
                    f"{doing}: what answers at {told} is no Hub; correct HF_ENDPOINT"
                ) from error
        if isinstance(error, ValueError | KeyError):
            raise HubRefused(f"{doing}: {_one_line(str(error))}") from error
        raise


def public_endpoint(endpoint: str) -> str:
    """An endpoint's address without a user's name or password in it."""
    return _USER_INFO.sub("", endpoint)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it was raised for: a failed upload hides what failed in its cause."""
    cause: BaseException | None = error
    for _ in range(6):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def _of_status(error: HfHubHTTPError, repo: str, doing: str, endpoint: str) -> Exception:
    from huggingface_hub.errors import (
        GatedRepoError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    status = error.response.status_code
    owner = repo.partition("/")[0]
    said = _said(error)
    if isinstance(error, RevisionNotFoundError):
        return HubRefused(f"{doing}: {repo} has no such revision; give a tag, branch or commit")
    if isinstance(error, GatedRepoError):
        return HubRefused(
            f"{doing}: {repo} is gated; ask for access on its page at {endpoint}/datasets/{repo}"
        )
    if status == 401 and not isinstance(error, RepositoryNotFoundError):
        return HubRefused(
            f"{doing}: the Hub does not know the token{_token_place()}; make a new one"
        )
    if status in (401, 404):
        return HubRefused(
            f"{doing}: {endpoint} shows no dataset {repo} to this token (HTTP {status}); check the "
            "name, the token's rights and HF_ENDPOINT"
        )
    if status == 403:
        return HubRefused(
            f"{doing}: the token{_token_place()} may not do that in {repo} (HTTP 403{said}); use "
            f"one with write access to {owner}, or another ORG"
        )
    if status in (409, 412):
        return HubInterrupted(
            f"{doing}: {repo} was changed by someone else meanwhile (HTTP {status}{said}); {_AGAIN}"
        )
    if status == 429:
        wait = error.response.headers.get("retry-after", "")
        wait = f"{wait} seconds" if wait.isdigit() else "a few minutes"
        return HubInterrupted(
            f"{doing}: too many requests for the Hub (HTTP 429); wait {wait}: {_AGAIN}"
        )
    if status >= 500:
        return HubInterrupted(f"{doing}: the Hub failed (HTTP {status}{said}); {_AGAIN}")
    return HubRefused(f"{doing}: the Hub refused it (HTTP {status}{said})")


def _token_place() -> str:
    return " in HF_TOKEN" if os.environ.get("HF_TOKEN") else " of `hf auth login`"


def _said(error: HfHubHTTPError) -> str:
    return f": {said}" if (said := _one_line(error.server_message or "")) else ""


def _one_line(text: str) -> str:
    line = " ".join(redact(text).split())
    return line if len(line) <= 300 else line[:299] + "…"

"""Transport: the HTTP client under the SDKs, over aiohttp where it is installed.

httpx2's own pool looks through all its connections for every request; aiohttp's does not, and its
parser is compiled. The SDKs offer such a transport too, but each reports a connection that broke
in the middle differently, one of them as one that was never made.
"""

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.request import getproxies

import httpx2

from chainwright.llm.endpoint import is_loopback
from chainwright.llm.providers.reply import Patience

if TYPE_CHECKING:
    import ssl

    import aiohttp

KEEP_ALIVE = 4.0
"""Seconds that an idle connection is kept: less than servers keep theirs (5 and more)."""


def http_client(url: str, patience: Patience, connections: int) -> httpx2.AsyncClient:
    """A client for one address, for use inside one event loop.

    Proxies and certificates of the environment count, except for an address on this machine. Where
    there is a proxy, or no aiohttp, httpx2's own transport is used: it knows every kind of proxy.

    Args:
        connections: The most at once.
    """
    timeout = httpx2.Timeout(patience.timeout, connect=patience.connect_timeout)
    limits = httpx2.Limits(
        max_connections=connections,
        max_keepalive_connections=connections,
        keepalive_expiry=KEEP_ALIVE,
    )
    trust_env = not is_loopback(url)
    proxied = trust_env and bool(set(getproxies()) - {"no"})
    if proxied or not find_spec("aiohttp"):
        return httpx2.AsyncClient(
            timeout=timeout, limits=limits, follow_redirects=True, trust_env=trust_env
        )
    certificates = httpx2.create_ssl_context(trust_env=trust_env) if url[:5] == "https" else True
    return _ShortWay(AiohttpTransport(connections, certificates), timeout, trust_env)


def json_bytes(body: dict[str, Any]) -> bytes:
    """A request's body as it is sent.

    Raises:
        ValueError: for what JSON cannot hold, such as half a surrogate pair.
    """
    compact = (",", ":")
    return json.dumps(body, ensure_ascii=False, separators=compact, allow_nan=False).encode()


class _ShortWay(httpx2.AsyncClient):
    """Sends straight through its transport what the SDK has complete.

    Without this, each request is put together twice, and its address read three times.
    """

    def __init__(
        self, transport: "AiohttpTransport", timeout: httpx2.Timeout, trust_env: bool
    ) -> None:
        super().__init__(
            transport=transport, timeout=timeout, follow_redirects=True, trust_env=trust_env
        )
        self._straight = transport
        self._urls: dict[str, httpx2.URL] = {}
        self._accepted = self.headers["accept-encoding"]

    def build_request(self, method: str, url: httpx2.URL | str, **given: Any) -> httpx2.Request:
        """A request; by the short way when it has what a question to a model has, and no more."""
        content, headers, timeout = (given.get(name) for name in _TAKEN)
        rest = any(value for name, value in given.items() if name not in _TAKEN)
        if rest or not isinstance(content, bytes) or not isinstance(headers, list | httpx2.Headers):
            return super().build_request(method, url, **given)
        sent = headers if isinstance(headers, list) else headers.multi_items()
        return httpx2.Request(
            method,
            self._read(str(url)),
            headers=[("accept-encoding", self._accepted), *sent],
            content=content,
            extensions={"timeout": httpx2.Timeout(timeout).as_dict()},
        )

    async def send(self, request: httpx2.Request, **given: Any) -> httpx2.Response:
        """The answer to a request; another way round where it is a redirection."""
        response = await self._straight.handle_async_request(request)
        if response.has_redirect_location:
            return await super().send(request, **given)
        return response

    def _read(self, url: str) -> httpx2.URL:
        address = self._urls.get(url)
        if address is None:
            if len(self._urls) >= MOST_URLS:
                self._urls.clear()
            address = self._urls[url] = httpx2.URL(url)
        return address


_TAKEN = ("content", "headers", "timeout")

MOST_URLS = 1000
"""Addresses that are kept as they were read."""


class AiohttpTransport(httpx2.AsyncBaseTransport):
    """Sends httpx2's requests through an aiohttp session, and reads their answers whole.

    What aiohttp raises becomes the error of httpx2 that means the same: `ConnectError` and
    `ConnectTimeout` where no connection came about, so that nothing was sent.

    Args:
        connections: The most at once.
        certificates: What servers are checked with; True takes those of the system.
    """

    def __init__(self, connections: int, certificates: "ssl.SSLContext | bool" = True) -> None:
        self._connections = connections
        self._certificates = certificates
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer to a request."""
        from aiohttp import ClientError, ClientTimeout

        session = self._session or self._open()
        allowed: dict[str, float | None] = request.extensions.get("timeout", {})
        body = await request.aread()
        try:
            async with session.request(
                request.method,
                str(request.url),
                headers=[
                    (name.decode("latin-1"), value.decode("latin-1"))
                    for name, value in request.headers.raw
                ],
                data=body or None,
                allow_redirects=False,
                timeout=ClientTimeout(
                    sock_connect=allowed.get("connect"), sock_read=allowed.get("read")
                ),
            ) as response:
                content = await response.read()
        except (ClientError, TimeoutError, OSError) as error:
            raise _as_httpx(error, request) from error
        return httpx2.Response(
            response.status, headers=response.raw_headers, content=content, request=request
        )

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> "aiohttp.ClientSession":
        import aiohttp

        connector = aiohttp.TCPConnector(
            limit=self._connections, keepalive_timeout=KEEP_ALIVE, ssl=self._certificates
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),  # httpx2 keeps them
            auto_decompress=False,  # httpx2 does it, by the headers that it passes on
            trust_env=False,
        )
        return self._session


def _as_httpx(error: Exception, request: httpx2.Request) -> httpx2.TransportError:
    import aiohttp

    kinds: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
        (aiohttp.ConnectionTimeoutError, httpx2.ConnectTimeout),
        (TimeoutError, httpx2.ReadTimeout),
        (aiohttp.ClientConnectorError, httpx2.ConnectError),
        (aiohttp.InvalidURL, httpx2.UnsupportedProtocol),
        (aiohttp.ClientPayloadError, httpx2.ReadError),
        (aiohttp.ClientConnectionError, httpx2.ReadError),
        (OSError, httpx2.ReadError),
    )
    what: Any = next(
        (meant for kind, meant in kinds if isinstance(error, kind)), httpx2.RemoteProtocolError
    )
    meant: httpx2.TransportError = what(str(error) or type(error).__name__, request=request)
    return meant

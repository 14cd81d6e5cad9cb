"""The HTTP client of the SDKs: aiohttp's connections, and a limit on the size of a body.

Why aiohttp: `benchmarks/transport.py` (figures in docs/performance.md). At 200 requests in flight the SDK's default
pool takes more than twice the processor time per call, because httpx2 checks all its connections whenever a request
begins or ends. From a few hundred calls a second this process is the bottleneck.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx2
from openai import DefaultAioHttpClient, OpenAIError

if TYPE_CHECKING or issubclass(DefaultAioHttpClient, httpx2.AsyncClient):
    _Client = DefaultAioHttpClient
else:  # before its version 3, the SDK has aiohttp's connections for another client only
    _Client = httpx2.AsyncClient
    for name in ("openai", "httpcore2"):  # at DEBUG they log the headers of answers, where an endpoint may repeat a key
        logging.getLogger(name).setLevel(logging.INFO)

MOST_CONNECTIONS = 10_000
"""Connections of one client: as many as there can be sessions; the connection limit decides below that."""
LARGEST_BODY = 32 * 2**20
"""Bytes of a body, decompressed: thousands of times the length of an answer."""
_CONNECT_TIMEOUT = 10.0
"""In seconds; a working provider takes a fraction of a second."""


class BodyTooLargeError(OpenAIError):
    """A body is larger than `LARGEST_BODY`; an SDK error, which the SDK does not wrap."""


class BoundedClient(_Client):
    """Reads every body up to `LARGEST_BODY`, whatever its headers say and whatever it decompresses to."""

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request and read the answer.

        Raises:
            BodyTooLargeError: the body is larger than `LARGEST_BODY`.
            httpx2.HTTPError: the connection broke, or the answer is not HTTP.
        """
        # The whole call has a limit that knows of stalls (`evolif.models.stalls`); timers of the transport do not.
        request.extensions = {**request.extensions, "timeout": {**_NO_LIMIT, "connect": self.timeout.connect}}
        try:
            response = await super().send(request, stream=True, **options)
            try:
                return await _read(response)
            finally:
                await response.aclose()
        except httpx2.ConnectTimeout as error:
            # The transport raises this for every broken connection; only some of them took too long.
            if isinstance(error.__cause__, TimeoutError):
                raise
            raise httpx2.RemoteProtocolError(type(error.__cause__).__name__, request=request) from error.__cause__
        except aiohttp.ClientError as error:
            raise httpx2.RemoteProtocolError(type(error).__name__, request=request) from error


async def _read(response: httpx2.Response) -> httpx2.Response:
    if _is_framed(response.headers):
        await response.aread()
        return response
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise BodyTooLargeError(f"the body is larger than {LARGEST_BODY} bytes")
    headers = [(k, v) for k, v in response.headers.multi_items() if k not in _FRAMING]
    return httpx2.Response(response.status_code, headers=headers, content=bytes(body), request=response.request)


_NO_LIMIT: Mapping[str, float | None] = {"read": None, "write": None, "pool": None}
_FRAMING = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def _is_framed(headers: httpx2.Headers) -> bool:
    """Whether the headers bound the body: it is not encoded, and its length is given."""
    length = headers.get("content-length", "")
    return length.isdecimal() and len(length) < 12 and int(length) <= LARGEST_BODY and "content-encoding" not in headers


def make_http_client(*, timeout: float, trust_env: bool = True) -> BoundedClient:
    """A client without connections yet.

    It follows no redirects, so that key and conversation go only where the user said.

    Args:
        timeout: Seconds of a request; connecting gets ten of them at most. The rest is limited by the caller.
        trust_env: Whether the environment's proxies are used.
    """
    return BoundedClient(
        timeout=httpx2.Timeout(timeout, connect=min(timeout, _CONNECT_TIMEOUT)),
        limits=httpx2.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=None),
        trust_env=trust_env,
        follow_redirects=False,
    )

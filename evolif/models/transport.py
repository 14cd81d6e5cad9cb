"""The HTTP client below the SDKs: aiohttp's connections, and no body larger than an answer can be.

Why aiohttp: `benchmarks/transport.py` (figures in docs/performance.md). At 200 requests in flight the SDK's default
pool takes more than twice the processor time per call, because httpx2 looks at all its connections whenever a request
begins or ends, which grows with what is in flight; shards only divide that. From a few hundred calls a second on this
process is the bottleneck, so what it saves is speed.
"""

from __future__ import annotations

from typing import Any

import aiohttp
import httpx2
from openai import DefaultAioHttpClient, OpenAIError

MOST_CONNECTIONS = 1000
"""Connections of one client; the connection limit stays far below."""
LARGEST_BODY = 32 * 2**20
"""Bytes of an answer, decompressed: thousands of times what a model says."""
_CONNECT = 10.0
"""Seconds in which a connection must stand; a provider that is there takes a fraction of one."""


class BodyTooLargeError(OpenAIError):
    """A body had no end in sight; of the SDK's own kind, so that the SDK hands it on as it is."""


class BoundedClient(DefaultAioHttpClient):
    """Reads every body itself, up to a size, whatever its headers promise and whatever it decompresses to."""

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """Send a request and read the answer.

        Raises:
            BodyTooLargeError: the body is larger than `LARGEST_BODY`.
            httpx2.HTTPError: the connection broke, or what came is no HTTP.
        """
        try:
            response = await super().send(request, stream=True, **options)
            try:
                return await _read(response)
            finally:
                await response.aclose()
        except httpx2.ConnectTimeout as error:
            # The transport says so of every broken connection; only some of them took too long.
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
            raise BodyTooLargeError(f"a body of more than {LARGEST_BODY} bytes")
    headers = [(k, v) for k, v in response.headers.multi_items() if k not in _FRAMING]
    return httpx2.Response(response.status_code, headers=headers, content=bytes(body), request=response.request)


_FRAMING = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def _is_framed(headers: httpx2.Headers) -> bool:
    """Whether the protocol itself bounds the body: a plain one of a length told beforehand."""
    length = headers.get("content-length", "")
    return length.isdecimal() and len(length) < 12 and int(length) <= LARGEST_BODY and "content-encoding" not in headers


def make_http_client(*, timeout: float, trust_env: bool = True) -> BoundedClient:
    """Make a client; nothing is connected yet.

    It follows no redirects: key and conversation go where the user said and nowhere else.

    Args:
        timeout: Seconds without a byte after which a request is given up.
        trust_env: Whether the environment's proxies are used.
    """
    return BoundedClient(
        timeout=httpx2.Timeout(timeout, connect=min(timeout, _CONNECT)),
        limits=httpx2.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=None),
        trust_env=trust_env,
        follow_redirects=False,
    )

"""Faults of an endpoint as errors of this program, and careful reading of JSON.

Errors are created here and raised by the caller outside its `except` block: an SDK exception left as `__context__`
would carry the provider's whole answer, and the key if the provider echoes it, into every logged traceback.
"""

from __future__ import annotations

import json
import math
import re
import socket
import ssl
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import PureWindowsPath
from typing import Any

from evolif.errors import AccessError, ContextOverflowError, ModelError, WithheldError
from evolif.models.endpoint import redact
from evolif.models.refusals import RefusedPart, why_refused
from evolif.models.refused_parameters import refused_parameter, way_out
from evolif.util.resource_limits import exhausted

_WRONG_KEY = re.compile(
    r"(?i)api[_ ]key[_ ](not valid|(is )?(invalid|expired))|(invalid|incorrect|expired)[_ ]api[_ ]?key|no api[_ ]key"
)
_NO_CREDIT = re.compile(
    r"(?i)insufficient[_ ](quota|balance|credit|funds)|billing_(hard_limit_reached|not_active)"
    r"|credit balance is too low"
)
_PARAMETER = re.compile(r"(?i)parameter|response_format|schema")
_RETRYABLE = {408, 409, 425, 429}
_PUSHED_BACK = {408, 429, 503, 504, 529}
_ERROR_KEYS = frozenset(
    "error errors message msg code type detail details reason reasons status title innererror metadata raw".split()
)
"""Keys of an error's body that say what is wrong. Others may repeat the conversation, which proves nothing."""
_LONGEST_EVIDENCE = 16_000
"""Characters of it that are read."""


@dataclass(frozen=True, slots=True)
class EndpointErrors:
    """Makes the errors of one endpoint; the key is stored only to remove it from messages, and no repr contains it."""

    name: str
    """`provider/name`."""
    host: str
    key: str = field(repr=False)
    key_env: str | None = None
    """The variable the key came from."""
    hidden: tuple[str, ...] = field(default=(), repr=False)
    """Parts of the address that may be secret."""
    given: Collection[str] = ()
    """Parameters of requests that the user gives beside the flags."""

    def timeout(self, seconds: float, error: BaseException | None = None) -> ModelError:
        """No answer came in time; `error` says what did not, if that is known."""
        limit = f"{seconds:g} s (--timeout)"
        text = f"{self.name}: {self.host} did not answer within {limit}; allow it more time, or try again later."
        sent, short = _was_sent(error), f"no answer within {limit}"
        return ModelError(text, retryable=True, pushed_back=True, may_cost=sent, short=short)

    def malformed(self, what: str) -> ModelError:
        """The answer is not a completion; servers recover from this, so it is retryable."""
        text = redact(what, self.key, *self.hidden)
        words = f"{self.name}: {self.host} returned no usable completion ({text})."
        return ModelError(words, retryable=True, may_cost=True, short="no usable completion")

    def withheld(self, *, may_cost: bool = False) -> WithheldError:
        """The provider's content filter refused; what it refuses after reading it may cost."""
        text = f"{self.name}: the provider's content filter refused this conversation."
        return WithheldError(text, may_cost=may_cost)

    def not_sent(self, error: BaseException) -> ModelError:
        """The SDK did not make the request."""
        return ModelError(f"{self.name}: the request could not be made: {redact(str(error), self.key, *self.hidden)}")

    def unreachable(self, error: BaseException) -> ModelError:
        """The connection failed or broke."""
        own = exhausted(error)
        if own is not None:  # fewer requests at a time may help, as with an endpoint that pushes back
            return ModelError(f"{self.name}: {own}", retryable=True, pushed_back=True)
        what, retryable = _describe_broken(error)
        advice = "is it running?" if retryable else "retrying will not help."
        text = f"{self.name}: {self.host} could not be reached ({what}); {advice}"
        return ModelError(text, retryable=retryable, may_cost=_was_sent(error), short=what)

    def refused(
        self,
        status: int,
        body: object,
        *,
        wait: float | None = None,
        answered: bool = False,
        sent: Collection[str] = (),
        before: Collection[str] = (),
    ) -> ModelError:
        """The endpoint answered with a status from 300 on.

        Args:
            status: Of the answer.
            body: Its JSON, or its text; what of the conversation is refused is told by JSON only.
            wait: Seconds that the endpoint asks to wait.
            answered: Whether this model has answered before, so that its name and key are right.
            sent: The parameters of the request, see `refused_parameter`.
            before: Those that were refused in an earlier form of it.
        """
        evidence, message = (
            " ".join(_error_texts(body, 6))[:_LONGEST_EVIDENCE],
            redact(_message(body), self.key, *self.hidden),
        )
        refusal = why_refused(status, body)
        if refusal is RefusedPart.LENGTH:
            return ContextOverflowError(f"{self.name}: the conversation no longer fits the context: {message}")
        if refusal is RefusedPart.CONTENT:
            return self.withheld()
        text = f"{self.name}: {self.host} answered {status}: {message}"
        advice = self._blocking(status, evidence, answered)
        if advice:
            return AccessError(f"{text}; {advice}.")
        parameter = refused_parameter(status, body, sent)
        if parameter is not None:
            words = f"{text.rstrip('.')}; {way_out(parameter, self.given, before)}."
            return ModelError(words, parameter="" if parameter.value_only else parameter.name)
        if status in _RETRYABLE or status >= 500:
            later = "try again later" if wait is None else f"retry after {wait:.0f} s"
            pushed = status in _PUSHED_BACK
            short = f"status {status}"
            return ModelError(f"{text}; {later}.", retryable=True, pushed_back=pushed, retry_after=wait, short=short)
        advice = self._access_advice(status) or "retrying will not help"
        return ModelError(f"{text}; {advice}.")

    def _blocking(self, status: int, evidence: str, answered: bool) -> str:
        """What must be corrected before any request can succeed; empty if the fault concerns only this request."""
        if status == 402 or _NO_CREDIT.search(evidence):
            return "the account has no credit left"
        if status == 401 or (status in {400, 403} and _WRONG_KEY.search(evidence)):
            return self._access_advice(401)
        # Once a model has answered, other faults concern single requests, as do gateway errors about parameters.
        return "" if answered or _PARAMETER.search(evidence) else self._access_advice(status)

    def _access_advice(self, status: int) -> str:
        if status == 404:
            return "check the model's name and base_url"
        if status not in {401, 403}:
            return ""
        if self.key_env:
            return f"check the key in {self.key_env}"
        return f"give the environment variable that holds the key: {self.name.partition('/')[0]}/NAME?key_env=MY_KEY"


def _describe_broken(error: BaseException) -> tuple[str, bool]:
    """What broke a connection, in words, and whether a repeat may succeed."""
    chain = list(_causes(error))
    for kind, words in _CONNECTION_FAULTS:
        if any(isinstance(link, kind) for link in chain):
            return words, kind is not ssl.SSLCertVerificationError
    return type(chain[-1]).__name__, True


_CONNECTION_FAULTS: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "unknown host name"),
    (ssl.SSLCertVerificationError, "untrusted certificate"),
    (ConnectionRefusedError, "connection refused"),
    (ConnectionResetError, "connection reset"),
)


_NOT_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout", "ClientConnectorError"})
"""What clients call the faults of a connection before a request is sent."""


def _was_sent(error: BaseException | None) -> bool:
    """Whether the request may have reached the endpoint before this happened."""
    refused = (socket.gaierror, ssl.SSLCertVerificationError, ConnectionRefusedError)
    return not any(isinstance(link, refused) or type(link).__name__ in _NOT_SENT for link in _causes(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    link = error
    for _ in range(10):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__


def _message(body: Any) -> str:
    for key in ("error", "message", "detail"):
        body = body.get(key, body) if isinstance(body, dict) else body
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str) if body else "no text"


def _error_texts(body: object, depth: int) -> Iterator[str]:
    """Strings of an error's body under the keys that say what is wrong."""
    if isinstance(body, str):
        yield body[:_LONGEST_EVIDENCE]
    elif depth and isinstance(body, Mapping):
        for key, value in body.items():
            if str(key).lower() in _ERROR_KEYS:
                yield from _error_texts(value, depth - 1)
    elif depth and isinstance(body, list):
        for value in body[:20]:
            yield from _error_texts(value, depth - 1)


_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)s")


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds an answer asks to wait, by `retry-after-ms` or by `Retry-After` in seconds or as a date.

    Args:
        headers: Of the answer; names are in lower case, or the mapping ignores case.
        now: What a date is compared with; this machine's time if None.

    Returns:
        At least 0; None if there is no such header, or none that can be read.
    """
    exact = _number(headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    return seconds if seconds is not None or text is None else _until(text, now or datetime.now(UTC))


def duration(text: object) -> float | None:
    """Seconds of a protobuf duration such as `12.5s`."""
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    return float(match[1]) if match else None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None and len(text) < 40 else math.nan
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _until(text: str, now: datetime) -> float | None:
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    # A date without a zone is in GMT, as all dates of the protocol are.
    return max(0.0, ((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds())


def json_object(body: str | bytes, errors: EndpointErrors) -> dict[str, Any]:
    """The JSON object of an answer's body.

    Raises:
        ModelError: it is not one (retryable).
    """
    try:
        data: object = json.loads(body)
    except (ValueError, RecursionError):  # bad UTF-8 is a ValueError
        data = None
    if not isinstance(data, dict):
        raise errors.malformed("the body is not a JSON object")
    return data


def mapping(value: object) -> Mapping[str, Any]:
    """A JSON object; empty for other values."""
    return value if isinstance(value, Mapping) else {}


def clean_text(value: object) -> str:
    """A text without lone surrogates, which JSON can carry but no file can; empty for other values."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def served_by(value: object) -> str:
    """The name that a server gives its model; of a path, as some servers give, its last part alone."""
    name = clean_text(value)
    path = PureWindowsPath(name)  # it knows the signs of all systems
    return (path.name or name) if path.root or path.drive or name.startswith(("~", ".")) else name

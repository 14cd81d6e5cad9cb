"""How long an endpoint asks to be left alone: `retry-after-ms`, `Retry-After` in seconds or as a date."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)s")


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Read the wait out of an answer's headers.

    Args:
        headers: The answer's, with names in lower case or of a mapping that does not care.
        now: The time that a date is compared with; this machine's where None.

    Returns:
        Seconds from now, at least 0; None where nothing was asked, or nothing that can be read.
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
    # A date without a zone is Greenwich's, as all dates of the protocol are.
    return max(0.0, ((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds())

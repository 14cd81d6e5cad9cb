"""From a Gemini answer as received to a `Reply`; the plain JSON is read, and nothing of it is believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evolif.domain import Usage
from evolif.models._base import Reply
from evolif.models._faults import Speaker
from evolif.models._json import clean_text, count, mapping
from evolif.models._retry_after import duration

_FILTERED = frozenset(
    "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII ESCALATION MODEL_ARMOR"
    " IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION".split()
)
"""Reasons to finish that are the content filter's and not the model's."""
_CUT = frozenset({"MAX_TOKENS", "CONTINUATION"})
_FINISHED = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED", ""}) | _CUT
"""Reasons with which an answer of no text is the model's own."""


def read_google_reply(data: object, speaker: Speaker) -> Reply:
    """Read the JSON of `generateContent`.

    Raises:
        WithheldError: the content filter stopped the request or the answer.
        ModelError: there is no answer in it (retryable).
    """
    body = mapping(data)
    if mapping(body.get("promptFeedback")).get("blockReason"):
        raise speaker.withheld()
    candidates = body.get("candidates")
    candidate = mapping(candidates[0]) if isinstance(candidates, list) and candidates else {}
    if not candidate:
        raise speaker.malformed(clean_text(mapping(body.get("error")).get("message")) or "no candidates")
    finish = clean_text(candidate.get("finishReason"))
    if finish in _FILTERED:
        raise speaker.withheld()
    text, thoughts = _parts(mapping(candidate.get("content")).get("parts"))
    if not text and finish not in _FINISHED:
        raise speaker.malformed(f"no text, and it ended with {finish}")
    return Reply(
        text=text,
        reasoning=thoughts,
        truncated=finish in _CUT,
        usage=_usage(mapping(body.get("usageMetadata"))),
        served_by=clean_text(body.get("modelVersion")),
    )


def retry_info(body: object) -> float | None:
    """Seconds of the `RetryInfo` in an error's details, if there is one."""
    details = mapping(mapping(body).get("error")).get("details")
    for detail in details if isinstance(details, list) else ():
        kind = mapping(detail).get("@type")
        if isinstance(kind, str) and kind.endswith("google.rpc.RetryInfo"):
            return duration(mapping(detail).get("retryDelay"))
    return None


def _parts(parts: object) -> tuple[str, str]:
    """(answer, thoughts)."""
    said: dict[bool, list[str]] = {False: [], True: []}
    for part in parts if isinstance(parts, list) else ():
        said[mapping(part).get("thought") is True].append(clean_text(mapping(part).get("text")))
    return "".join(said[False]), "".join(said[True])


def _usage(usage: Mapping[str, Any]) -> Usage:
    # Thoughts are paid for like any other output but counted apart.
    return Usage(
        count(usage.get("promptTokenCount")),
        count(usage.get("candidatesTokenCount")) + count(usage.get("thoughtsTokenCount")),
    )

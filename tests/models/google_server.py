"""The Gemini API's REST protocol, as far as a conversation needs it: what it answers and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .server import Answer, Seen, Server, serving

USAGE = {"promptTokenCount": 7, "candidatesTokenCount": 3, "thoughtsTokenCount": 5, "totalTokenCount": 15}


def candidate(*parts: dict[str, object], finish: str = "STOP", **more: object) -> dict[str, Any]:
    """A whole answer of one candidate."""
    content = {"parts": list(parts), "role": "model"} if parts else {"role": "model"}
    found = {"content": content, "finishReason": finish, "index": 0, **more}
    return {"candidates": [found], "usageMetadata": USAGE, "modelVersion": "tiny-001", "responseId": "r1"}


def says(text: str, finish: str = "STOP") -> Answer:
    return Answer(candidate({"text": text}, finish=finish))


def blocked(reason: str = "SAFETY") -> Answer:
    return Answer({"promptFeedback": {"blockReason": reason}, "usageMetadata": USAGE, "modelVersion": "tiny-001"})


def refuses(status: int, code: str, message: str, *details: dict[str, object], echo_key: bool = False) -> Answer:
    body = {"error": {"code": status, "message": message, "status": code, "details": list(details)}}
    return Answer(body, status, echo_key=echo_key)


def retry_in(delay: str) -> dict[str, object]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


@contextmanager
def gemini(*answers: Answer) -> Iterator[Server]:
    """Serve the answers in turn, but refuse what the API refuses."""
    with serving(*answers, answering=_objection) as server:
        server.url = server.url.removesuffix("/v1")
        yield server


def _objection(seen: Seen) -> Answer | None:
    if seen.path != "/v1/models/tiny:generateContent":
        return refuses(404, "NOT_FOUND", f"{seen.path} is not found for API version v1")
    if not seen.headers.get("x-goog-api-key"):
        return refuses(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers")
    known = {"contents", "systemInstruction", "generationConfig"}
    for content in [*seen.body.get("contents", [{}]), seen.body.get("systemInstruction", {"parts": [{"text": "x"}]})]:
        parts = [part.get("text") or part.get("inlineData") for part in content.get("parts", [])]
        if content.get("role", "user") not in {"user", "model"} or not parts or not all(parts):
            return refuses(
                400, "INVALID_ARGUMENT", "* GenerateContentRequest.contents: contents.parts must not be empty."
            )
    if not set(seen.body) <= known:
        return refuses(400, "INVALID_ARGUMENT", f"Unknown name {sorted(set(seen.body) - known)}: Cannot find field.")
    return None

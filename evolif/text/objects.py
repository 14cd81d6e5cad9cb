"""The JSON objects in a model's reply to a question of our own, which may quote hostile text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_MOST_OBJECTS = 16


def reply_objects(reply: str, key: str) -> list[Mapping[str, Any]]:
    """The top-level JSON objects of a reply that have a key, in order.

    An object that cannot be parsed is not searched, since it could contain a quotation.

    Args:
        reply: As received; the caller limits its length.
        key: Which objects count, in small letters; keys are read in small letters.

    Raises:
        ValueError: an object cannot be parsed, or there are too many; the message says so of “the reply”.
    """
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_refuse_duplicates, parse_constant=_refuse_constant)
    found: list[Any] = []
    at = reply.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            return [item for item in found if isinstance(item, dict) and key in item]
        try:
            item, end = decoder.raw_decode(reply, at)
        except (ValueError, RecursionError):
            raise ValueError("the reply contains JSON that cannot be parsed") from None
        found.append(item)
        at = reply.find("{", end)
    raise ValueError("the reply contains too many objects")


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    item = {key.lower(): value for key, value in pairs}
    if len(item) != len(pairs):
        raise ValueError("a key occurs twice")
    return item


def _refuse_constant(constant: str) -> float:
    raise ValueError(f"{constant} is no number of JSON")

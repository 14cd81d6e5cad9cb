"""Chat-model clients behind one small async protocol; providers are imported when one of theirs is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolif._lazy import lazy
from evolif.models._base import DEFAULT_RETRIES, ChatModel, ChatRequest, Reply, Sampling
from evolif.models._names import ModelName, parse_model_name
from evolif.models._open import address_of, open_model

if TYPE_CHECKING:
    from evolif.models._asked import Asked
    from evolif.models._cached import CachedModel, RequestCache, default_cache_folder, open_cache
    from evolif.models._limited import LimitedModel, with_limits

__all__ = [
    "DEFAULT_RETRIES",
    "Asked",
    "CachedModel",
    "ChatModel",
    "ChatRequest",
    "LimitedModel",
    "ModelName",
    "Reply",
    "RequestCache",
    "Sampling",
    "address_of",
    "default_cache_folder",
    "open_cache",
    "open_model",
    "parse_model_name",
    "with_limits",
]

_LATE = {
    "Asked": "_asked",
    "CachedModel": "_cached",
    "LimitedModel": "_limited",
    "RequestCache": "_cached",
    "default_cache_folder": "_cached",
    "open_cache": "_cached",
    "with_limits": "_limited",
}
"""What needs asyncio or more, and where it is."""

__getattr__ = lazy(__name__, _LATE)

"""Chat models behind one small async protocol; a provider's client library is imported when it is first opened."""

from evolif.models.base import DEFAULT_RETRIES, ChatModel, ChatRequest, Reply, Sampling
from evolif.models.cache import CachedModel, RequestCache, open_cache
from evolif.models.endpoint import ModelName, parse_model_name, strip_credentials
from evolif.models.limits import LimitedModel, with_limits
from evolif.models.open import address_of, open_model
from evolif.models.structured import StructuredModel
from evolif.models.weights import CATALOGUE, fetch, weight_path

__all__ = [
    "CATALOGUE",
    "DEFAULT_RETRIES",
    "CachedModel",
    "ChatModel",
    "ChatRequest",
    "LimitedModel",
    "ModelName",
    "Reply",
    "RequestCache",
    "Sampling",
    "StructuredModel",
    "address_of",
    "fetch",
    "open_cache",
    "open_model",
    "parse_model_name",
    "strip_credentials",
    "weight_path",
    "with_limits",
]

"""Chat-model clients behind one small async protocol; providers are imported when one of theirs is opened."""

from evolif.models._asked import Asked
from evolif.models._base import ChatModel, ChatRequest, Reply, Sampling
from evolif.models._limited import LimitedModel, with_limits
from evolif.models._names import ModelName, parse_model_name
from evolif.models._open import address_of, open_model

__all__ = [
    "Asked",
    "ChatModel",
    "ChatRequest",
    "LimitedModel",
    "ModelName",
    "Reply",
    "Sampling",
    "address_of",
    "open_model",
    "parse_model_name",
    "with_limits",
]

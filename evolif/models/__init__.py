"""Chat models behind one small async protocol; a provider's client library is imported when it is first opened."""

from evolif.models.base import DEFAULT_RETRIES, ChatModel, ChatRequest, ModelRef, Reply, Sampling, as_list, spec_of
from evolif.models.cache import ModelCache, RequestCache, excerpt, open_cache
from evolif.models.endpoint import ModelName, address_digest, missing_key, parse_model_name, plain_name, shown_address
from evolif.models.managed import ManagedModel, Slot, managed
from evolif.models.open import (
    ModelOptions,
    address_of,
    is_local,
    open_model,
    resolve_model,
    stored_name,
    takes_base_url,
    weights_of,
)
from evolif.models.parameters import Parameters, read_parameters
from evolif.models.providers import providers
from evolif.models.schema_calls import SchemaCalls
from evolif.models.sim import SimModel, skill_of, unknown_player
from evolif.models.waits import LONGEST_WAIT, RetryPolicy, Waiting
from evolif.models.weights import CATALOGUE, fetch, find_weights, weight_path

__all__ = [
    "CATALOGUE",
    "DEFAULT_RETRIES",
    "LONGEST_WAIT",
    "ChatModel",
    "ChatRequest",
    "ManagedModel",
    "ModelCache",
    "ModelName",
    "ModelOptions",
    "ModelRef",
    "Parameters",
    "Reply",
    "RequestCache",
    "RetryPolicy",
    "Sampling",
    "SchemaCalls",
    "SimModel",
    "Slot",
    "Waiting",
    "address_digest",
    "address_of",
    "as_list",
    "excerpt",
    "fetch",
    "find_weights",
    "is_local",
    "managed",
    "missing_key",
    "open_cache",
    "open_model",
    "parse_model_name",
    "plain_name",
    "providers",
    "read_parameters",
    "resolve_model",
    "shown_address",
    "skill_of",
    "spec_of",
    "stored_name",
    "takes_base_url",
    "unknown_player",
    "weight_path",
    "weights_of",
]

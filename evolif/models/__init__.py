"""Chat models behind one small async protocol; a provider's client library is imported when it is first opened."""

from evolif.models.base import DEFAULT_RETRIES, ChatModel, ChatRequest, ModelRef, Reply, Sampling, as_list, spec_of
from evolif.models.cache import ModelCache, RequestCache, open_cache
from evolif.models.endpoint import parse_model_name, plain_name, shown_address
from evolif.models.managed import ManagedModel, managed
from evolif.models.open import ModelOptions, address_of, open_model, resolve_model, stored_name
from evolif.models.parameters import Parameters, read_parameters
from evolif.models.schema_calls import SchemaCalls
from evolif.models.sim import SimModel, skill_of, unknown_player
from evolif.models.waits import LONGEST_WAIT, Waiting
from evolif.models.weights import weight_path

__all__ = [
    "DEFAULT_RETRIES",
    "LONGEST_WAIT",
    "ChatModel",
    "ChatRequest",
    "ManagedModel",
    "ModelCache",
    "ModelOptions",
    "ModelRef",
    "Parameters",
    "Reply",
    "RequestCache",
    "Sampling",
    "SchemaCalls",
    "SimModel",
    "Waiting",
    "address_of",
    "as_list",
    "managed",
    "open_cache",
    "open_model",
    "parse_model_name",
    "plain_name",
    "read_parameters",
    "resolve_model",
    "shown_address",
    "skill_of",
    "spec_of",
    "stored_name",
    "unknown_player",
    "weight_path",
]

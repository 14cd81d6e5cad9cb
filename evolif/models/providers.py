"""Services and servers that speak OpenAI's protocol: where each is, and which variable holds its key.

They are data, `seeds/providers.yaml`; any other one is reached as `openai/NAME?base_url=…&key_env=…`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from evolif.util.resources import data_path, load_data
from evolif.util.suggestions import nearest

OWN = ("openai", "google", "local", "sim")
"""Providers with a client of their own."""


class Provider(BaseModel):
    """A service or server.

    Attributes:
        title: What people call it.
        base_url: Its address.
        key_env: The variable of its key; None if it needs none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Annotated[str, Field(min_length=1)]
    base_url: Annotated[str, Field(pattern=r"^https?://")]
    key_env: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")] | None = None


@lru_cache(maxsize=1)
def providers() -> Mapping[str, Provider]:
    """The known ones, by the word before the slash of a model's name."""
    return TypeAdapter(dict[str, Provider]).validate_python(load_data(data_path("seeds", "providers.yaml")))


def nearest_provider(name: str) -> str | None:
    """The provider that was probably meant; None if nothing is near."""
    return nearest(name, (*OWN, *providers()))

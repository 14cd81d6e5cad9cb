"""Services and servers that speak OpenAI's protocol: where each is, and which variable holds its key.

They are data, `seeds/providers.yaml`; any other one is reached as `openai/NAME?base_url=…&key_env=…`. The address of
some contains what differs between users, such as a resource, a region or a project: it comes from the environment, from
the variables that the service's own tools read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from evolif.errors import UsageError
from evolif.util.resources import data_path, load_data
from evolif.util.suggestions import nearest

OWN = ("openai", "google", "local", "sim")
"""Providers with a client of their own."""

_Variable = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")]
_Url = Annotated[str, Field(pattern=r"^(https?://|\{endpoint\}/)")]
_ENDPOINT = "endpoint"
"""The place of a whole address with its scheme; every other place is a word in one."""
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")


class Place(BaseModel):
    """A part of an address that the environment says.

    Attributes:
        variables: The variables that may hold it; the first one that does counts.
        such_as: An example of its value.
        usual: The value that stands in the provider's `base_url` already; without it a variable has to be set.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    variables: Annotated[tuple[_Variable, ...], Field(min_length=1)]
    such_as: Annotated[str, Field(min_length=1)]
    usual: str | None = None


class Provider(BaseModel):
    """A service or server.

    Attributes:
        title: What people call it.
        base_url: Its address; `{region}` and the like are its places.
        regional_url: Its address where a place with a usual value has another one.
        places: What the environment says of the address.
        key_env: The variable of its key; None if it needs none.
        key_header: The header of its key; a bearer token in `Authorization` if None.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Annotated[str, Field(min_length=1)]
    base_url: _Url
    regional_url: _Url | None = None
    places: Mapping[str, Place] = Field(default_factory=dict)
    key_env: _Variable | None = None
    key_header: Annotated[str, Field(pattern=r"^[a-z-]+$")] | None = None

    def address(self, name: str, environment: Mapping[str, str]) -> str:
        """Where it is.

        Args:
            name: `provider/name` of the model that is asked, for messages.
            environment: Of this process.

        Raises:
            UsageError: a variable of its address is missing, or holds what cannot stand there.
        """
        values = {place: _value(self, name, place, environment) for place in self.places}
        regional = any(values[place] != spec.usual for place, spec in self.places.items() if spec.usual is not None)
        url = self.regional_url if regional and self.regional_url is not None else self.base_url
        return url.format_map(values)


def _value(provider: Provider, name: str, place: str, environment: Mapping[str, str]) -> str:
    spec = provider.places[place]
    for variable in spec.variables:
        value = environment.get(variable, "").strip()
        if value:
            return _checked(value, place, variable, spec.such_as)
    if spec.usual is not None:
        return spec.usual
    key = "" if provider.key_env is None else f"&key_env={provider.key_env}"
    what = "address" if place == _ENDPOINT else place
    raise UsageError(
        f"{name} needs the {what} of your {provider.title}: set {' or '.join(spec.variables)}, such as "
        f"{spec.such_as}, or give the whole address, {name}?base_url=URL{key}"
    )


def _checked(value: str, place: str, variable: str, such_as: str) -> str:
    if place != _ENDPOINT:
        if not _WORD.fullmatch(value):
            raise UsageError(f"{variable} must be a word of letters, digits, '-' and '_', such as {such_as}")
        return value
    whole = value if "://" in value else f"https://{value}"
    try:
        parts = urlsplit(whole)
        proper = bool(parts.hostname) and parts.scheme in {"http", "https"} and parts.port != 0
    except ValueError:
        proper = False
    # The value is not repeated: it may hold a key.
    if not proper or parts.username is not None or parts.query or parts.fragment or not whole.isprintable():
        raise UsageError(f"{variable} must be an address without user, key and query, such as {such_as}")
    if " " in whole or "{" in whole:
        raise UsageError(f"{variable} must be an address, such as {such_as}")
    return f"{parts.scheme}://{parts.netloc}"


@lru_cache(maxsize=1)
def providers() -> Mapping[str, Provider]:
    """The known ones, by the word before the slash of a model's name."""
    return TypeAdapter(dict[str, Provider]).validate_python(load_data(data_path("seeds", "providers.yaml")))


def placed_by_environment(provider: str) -> bool:
    """Whether the environment says a part of a provider's address.

    Args:
        provider: The word before the slash of a model's name.
    """
    return provider in providers() and bool(providers()[provider].places)


def nearest_provider(name: str) -> str | None:
    """The provider that was probably meant; None if nothing is near."""
    return nearest(name, (*OWN, *providers()))

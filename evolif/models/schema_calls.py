"""Calls for an answer of a given form; some servers support no schema, some models no temperature or longest answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evolif.errors import AccessError, ContextOverflowError, ModelError, WithheldError
from evolif.models.base import ChatModel, ChatRequest, Reply, Sampling
from evolif.models.refused_parameters import LIMITS


@dataclass(frozen=True, slots=True)
class _CallOptions:
    schema: bool
    temperature: float | None

    def has(self, parameter: str) -> bool:
        """Whether calls with these options send a parameter."""
        return (self.schema and parameter == "response_format") or (
            self.temperature is not None and parameter == "temperature"
        )


_CALL_OPTIONS = tuple(_CallOptions(schema, temperature) for temperature in (0.0, None) for schema in (True, False))
"""In the order of attempts."""


class SchemaCalls:
    """Asks a model at temperature 0 by a JSON schema, or as far as its server goes along with that.

    Args:
        model: The client.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._options: dict[bool, _CallOptions] = {}
        """The first options that the server accepted, with a schema and without."""
        self._refused: set[str] = set()
        """Parameters that the server refuses by name: no further call sends them."""
        self._unlimited = False
        """Whether the server refuses every key of the longest answer."""
        self._access_error: AccessError | None = None

    @property
    def name(self) -> str:
        """`provider/name`."""
        return self._model.name

    async def complete(
        self, request: ChatRequest, max_tokens: int, schema: Mapping[str, Any] | None
    ) -> tuple[Reply, float | None]:
        """A reply and the temperature of the call.

        Args:
            request: What is asked; its sampling and its schema are set here.
            max_tokens: The longest reply.
            schema: The form of the answer; None for any.

        Raises:
            ModelError: the call failed; where the server refused every set of options, its first refusal.
        """
        if self._access_error is not None:
            raise self._access_error
        known = self._options.get(schema is not None)
        try:
            if known is not None:
                return await self._call(known, request, max_tokens, schema), known.temperature
            return await self._find_options(request, max_tokens, schema)
        except AccessError as fault:
            self._access_error = fault  # every further call would fail in the same way
            raise

    async def _find_options(
        self, request: ChatRequest, max_tokens: int, schema: Mapping[str, Any] | None
    ) -> tuple[Reply, float | None]:
        """Call with one set of options after another until the server accepts one."""
        refusals: list[ModelError] = []
        for options in (one for one in _CALL_OPTIONS if schema is not None or not one.schema):
            if any(options.has(parameter) for parameter in self._refused):
                continue
            try:
                reply = await self._call(options, request, max_tokens, schema)
            except (AccessError, ContextOverflowError, WithheldError):
                raise
            except ModelError as fault:
                if fault.retryable:
                    raise
                refusals.append(fault)
                if options.has(fault.parameter):
                    self._refused.add(fault.parameter)
                continue
            self._options[schema is not None] = options
            return reply, options.temperature
        raise refusals[0]

    async def _call(
        self, options: _CallOptions, request: ChatRequest, max_tokens: int, schema: Mapping[str, Any] | None
    ) -> Reply:
        shaped = replace(request, schema=schema if options.schema else None)
        try:
            return await self._model.complete(replace(shaped, sampling=self._sampling(options, max_tokens)))
        except ModelError as fault:
            if fault.parameter not in LIMITS or self._unlimited:
                raise
            self._unlimited = True
        return await self._model.complete(replace(shaped, sampling=self._sampling(options, max_tokens)))

    def _sampling(self, options: _CallOptions, max_tokens: int) -> Sampling:
        return Sampling(options.temperature, None if self._unlimited else max_tokens)

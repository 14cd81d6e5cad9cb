"""Synthesizers and the checker model opened by their names.

A name is `template`, `provider/name` of a chat model, or a bare word: a plug-in's entry point. A benchmark keeps names
only; where a model is reached, with which key and from which file is this machine's business and is told anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal

from evolif.errors import UsageError
from evolif.instructions.folder import Benchmark
from evolif.instructions.source import SynthesizerPool, TurnMade
from evolif.models import (
    DEFAULT_RETRIES,
    ChatModel,
    ManagedModel,
    ModelName,
    Sampling,
    StructuredModel,
    managed,
    open_model,
    parse_model_name,
)
from evolif.synthesis import (
    TEMPLATE,
    Agent,
    CheckQuery,
    Share,
    Synthesizer,
    load_plugin,
    parse_share,
    synthesis_settings,
)

AuthorRole = Literal["synthesizer", "checker"]


@dataclass(frozen=True, slots=True)
class Options:
    """How models are reached and asked; None leaves a value to the provider."""

    base_url: str | None = None
    """Endpoint of the models that name none."""
    max_retries: int = DEFAULT_RETRIES
    timeout: float | None = None
    """Seconds for one request."""
    temperature: float | None = None
    max_tokens: int | None = None
    """Longest answer; a local model's is bounded in any case."""
    max_connections: int | None = None
    """Dialogues side by side per synthesizer; as many as the endpoint stands where None, 1 of a local model."""
    seed: int = 0
    """For plug-ins."""
    wrap: Callable[[ManagedModel, AuthorRole], ChatModel] = lambda model, _: model
    """Put around each client, for example to have its calls counted."""
    check: CheckQuery | None = None
    """The rules; `evolif.synthesis.check_query` where None."""


@dataclass(frozen=True, slots=True)
class OpenedNames:
    """Opened synthesizers, and the names that a benchmark keeps."""

    synthesizers: tuple[str, ...]
    """`NAME` or `NAME=WEIGHT`, without endpoint, key or path."""
    checker: str | None
    wording: SynthesizerPool


@dataclass(slots=True)
class _Opener:
    """Opens models and remembers them, so that they can be closed together."""

    options: Options
    opened: list[StructuredModel] = field(default_factory=list)
    connections: dict[str, int] = field(default_factory=dict)

    def model(self, spec: str, role: AuthorRole = "synthesizer") -> StructuredModel:
        options, name = self.options, parse_model_name(spec)
        if name.provider == "sim":
            raise UsageError(f"{name} does not chat and can word nothing; name a chat model, or template")
        client = open_model(spec, base_url=options.base_url, max_retries=options.max_retries, timeout=options.timeout)
        client = managed(client, options.max_connections)
        asked = StructuredModel(
            options.wrap(client, role),
            self._sampling(name),
            stored_name(name),
            structured=name.provider != "local",
        )
        self.connections[asked.name] = asked.connections
        self.opened.append(asked)
        return asked

    def _sampling(self, name: ModelName) -> Sampling:
        temperature, longest = self.options.temperature, self.options.max_tokens
        if name.provider == "local":  # nothing else ends what a small model has begun
            settings = synthesis_settings()
            longest = settings.local_tokens if longest is None else longest
            temperature = settings.local_temperature if temperature is None else temperature
        return Sampling(temperature, longest)

    def synthesizer(self, spec: str, checker: StructuredModel | None) -> Synthesizer | None:
        if spec == TEMPLATE:
            return None
        if "/" not in spec:
            return load_plugin(spec, self.options.seed, self.options.check)
        return Agent(self.model(spec), check=self.options.check, checker=checker)

    async def close(self) -> None:
        await asyncio.gather(*(asked.aclose() for asked in self.opened), return_exceptions=True)


def stored_name(name: ModelName) -> str:
    """A model's name as a benchmark keeps it: a local file without its folder."""
    return f"local/{PurePath(name.name).name}" if name.provider == "local" else name.label


def open_named(
    synthesizers: Sequence[str],
    checker: str | None = None,
    options: Options | None = None,
    observe: Callable[[TurnMade], None] | None = None,
) -> OpenedNames:
    """Open what a new benchmark is to be worded by; nothing is asked yet.

    Args:
        synthesizers: `template`, `provider/name?base_url=…&key_env=…` or a plug-in, each with `=WEIGHT` if need be.
        checker: A model's name; none where None or `none`.
        options: How models are reached and asked.
        observe: Told of every turn that was made.

    Raises:
        UsageError: an unknown name, a missing key or file, a name given twice.
    """
    opener = _Opener(options or Options())
    checked = checker is not None and checker != "none"
    if checked and all(parse_share(spec).name == TEMPLATE for spec in synthesizers):
        raise UsageError("a checker checks what chat models word; the template says exactly the change and needs none")
    second = opener.model(checker, "checker") if checked and checker is not None else None
    shares, opened = [], dict[str, Synthesizer | None]()
    for spec in synthesizers:
        share = parse_share(spec)
        synthesizer = opener.synthesizer(share.name, second)
        name = synthesizer.name if synthesizer is not None else TEMPLATE
        if name in opened:
            raise UsageError(f"the synthesizer {name} is named twice; give it a weight instead: {name}=2")
        opened[name] = synthesizer
        shares.append(str(Share(name, share.weight)))
    wording = SynthesizerPool(opened, dict(opener.connections), observe or (lambda _: None), opener.close)
    return OpenedNames(tuple(shares), second.name if second is not None else None, wording)


def open_asked(spec: str, options: Options | None = None) -> StructuredModel:
    """A chat model as the agent asks it, e.g. for `evolif.synthesis.agent.regenerate`; the caller closes it.

    Args:
        spec: `provider/name?base_url=…&key_env=…`.
        options: How it is reached and asked; a local model's answers are short and sober unless told otherwise.

    Raises:
        UsageError: an unknown name, a missing key or file.
    """
    return _Opener(options or Options()).model(spec)


def open_stored(
    bench: Benchmark,
    wanted: Sequence[str],
    synthesizers: Sequence[str] = (),
    checker: str | None = None,
    options: Options | None = None,
    observe: Callable[[TurnMade], None] | None = None,
) -> SynthesizerPool:
    """Open those synthesizers of a benchmark that have turns to make.

    Args:
        bench: The benchmark.
        wanted: Names of its synthesizers, as `Benchmark.missing` gives them.
        synthesizers: Where they are reached on this machine: names as for `open_named`, each matched to the stored
            name. `template` alone has the template stand in for all of them.
        checker: The same for the checker model.
        options: How models are reached and asked.
        observe: Told of every turn that was made.

    Raises:
        UsageError: a name that is not the benchmark's, a missing key or file.
    """
    if not wanted or list(synthesizers) == [TEMPLATE]:
        return SynthesizerPool(dict.fromkeys(wanted))
    spec = bench.header.spec
    told = _matched(synthesizers, [parse_share(name).name for name in spec.synthesizers], "words")
    checkers = _matched([checker] if checker else [], [spec.checker] if spec.checker else [], "checks")
    opener = _Opener(options or Options())
    try:
        second = None
        if spec.checker is not None:
            second = opener.model(checkers.get(spec.checker, spec.checker), "checker")
        opened = {name: opener.synthesizer(told.get(name, name), second) for name in wanted}
    except UsageError as fault:
        raise UsageError(
            f"{fault} It is needed because turns of {bench.path} are missing that {', '.join(wanted)} words; "
            "have the template word them by --synthesizer template, or stay within those that are there"
        ) from None
    return SynthesizerPool(opened, dict(opener.connections), observe or (lambda _: None), opener.close)


def _matched(given: Sequence[str], kept: Sequence[str], does: str) -> dict[str, str]:
    """The names as given, by the names that a benchmark keeps."""
    matched: dict[str, str] = {}
    for spec in given:
        bare = parse_share(spec).name
        name = stored_name(parse_model_name(bare)) if "/" in bare else bare
        if name not in kept:
            raise UsageError(f"{name} {does} nothing in this benchmark; it has {', '.join(kept) or 'none'}")
        matched[name] = bare
    return matched

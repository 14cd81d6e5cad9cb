"""Open the models that write a benchmark's queries.

A synthesizer is `template`, a chat model (`provider/name` or a `ChatModel` object), or a plug-in named by a bare word.
A benchmark stores names only: endpoints, keys and paths are specific to this machine and must be passed on each call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evolif.errors import UsageError
from evolif.models import ChatModel, ManagedModel, ModelOptions, ModelRef, Sampling, resolve_model, stored_name
from evolif.models.open import is_local
from evolif.scenarios.instructions.folder import InstructionBenchmark
from evolif.scenarios.instructions.source import SynthesizerPool, TurnMade
from evolif.scenarios.instructions.structured import StructuredModel
from evolif.scenarios.instructions.synthesis import TEMPLATE, Agent, Synthesizer, SynthesizerShare, parse_share
from evolif.scenarios.instructions.synthesis.agent import AuthorRole, load_plugin
from evolif.scenarios.instructions.synthesis.prompts import synthesis_settings

Author = ModelRef | Synthesizer
"""A synthesizer: a name, a chat model, or an already open synthesizer."""
ModelWrapper = Callable[[ManagedModel, AuthorRole], ChatModel]
"""Wraps each client, for example to count its calls."""


@dataclass(frozen=True, slots=True)
class OpenedSynthesizers:
    """Open synthesizers, and the names that a benchmark stores for them."""

    shares: tuple[SynthesizerShare, ...]
    checker: str | None
    wording: SynthesizerPool


@dataclass(slots=True)
class _Opener:
    """Opens models and tracks them, so that they can be closed together."""

    options: ModelOptions
    wrap: ModelWrapper = lambda model, _: model
    opened: list[StructuredModel] = field(default_factory=list)
    connections: dict[str, int] = field(default_factory=dict)

    def model(self, model: ModelRef, role: AuthorRole = "synthesizer") -> StructuredModel:
        name = stored_name(model)
        if name.startswith("sim/"):
            raise UsageError(f"{name} is a simulated model and cannot write queries; name a chat model or template")
        settings = synthesis_settings()
        structured = StructuredModel(
            self.wrap(resolve_model(model, self.options), role),
            # A small local model may not stop on its own.
            self.options.sampling(model, local=Sampling(settings.local_temperature, settings.local_tokens)),
            name,
            structured=not is_local(model),
        )
        self.connections[name] = structured.connections
        if isinstance(model, str):
            self.opened.append(structured)
        return structured

    def synthesizer(self, author: Author, checker: StructuredModel | None) -> Synthesizer | None:
        if author == TEMPLATE:
            return None
        if isinstance(author, str) and "/" not in author:
            return load_plugin(author, self.options.seed)
        if isinstance(author, Synthesizer):
            self.connections[author.name] = self.options.max_connections or 1
            return author
        return Agent(self.model(author), checker=checker)

    def pool(
        self, synthesizers: dict[str, Synthesizer | None], observe: Callable[[TurnMade], None] | None
    ) -> SynthesizerPool:
        return SynthesizerPool(synthesizers, dict(self.connections), observe or (lambda _: None), self.close)

    async def close(self) -> None:
        await asyncio.gather(*(model.aclose() for model in self.opened), return_exceptions=True)


def open_synthesizers(
    synthesizers: Sequence[Author | tuple[Author, int]],
    checker: ModelRef | None = None,
    options: ModelOptions | None = None,
    observe: Callable[[TurnMade], None] | None = None,
) -> OpenedSynthesizers:
    """Open the synthesizers of a new benchmark; no request is made yet.

    Args:
        synthesizers: `template`, `provider/name?base_url=…&key_env=…` or a plug-in, each with an optional `=WEIGHT`;
            or objects, alone or paired with a weight, which the caller closes.
        checker: A chat model or its name; none if None or `none`.
        options: How models are reached and sampled.
        observe: Called for every turn that was made.

    Raises:
        UsageError: an unknown name, a missing key or file.
    """
    opener = _Opener(options or ModelOptions())
    if checker == "none":
        checker = None
    authors = [_weighted(spec) for spec in synthesizers]
    if checker is not None and all(author == TEMPLATE for author, _ in authors):
        raise UsageError("a checker is only useful with chat models; the template needs none")
    checking = opener.model(checker, "checker") if checker is not None else None
    shares = []
    opened: dict[str, Synthesizer | None] = {}
    for author, weight in authors:
        synthesizer = opener.synthesizer(author, checking)
        name = synthesizer.name if synthesizer is not None else TEMPLATE
        opened[name] = synthesizer
        shares.append(SynthesizerShare(name, weight))
    checker_name = checking.name if checking is not None else None
    return OpenedSynthesizers(tuple(shares), checker_name, opener.pool(opened, observe))


def _weighted(spec: Author | tuple[Author, int]) -> tuple[Author, int]:
    if isinstance(spec, str):
        share = parse_share(spec)
        return share.name, share.weight
    author, weight = spec if isinstance(spec, tuple) else (spec, 1)
    name = author if isinstance(author, str) else author.name
    return author, parse_share(f"{name}={weight}").weight


def reopen_synthesizers(
    bench: InstructionBenchmark,
    names: Sequence[str],
    synthesizers: Sequence[Author] = (),
    checker: ModelRef | None = None,
    options: ModelOptions | None = None,
    observe: Callable[[TurnMade], None] | None = None,
    wrap: ModelWrapper = lambda model, _: model,
) -> SynthesizerPool:
    """Open the synthesizers of a benchmark that have missing turns.

    Args:
        bench: The benchmark.
        names: Names of its synthesizers, as `InstructionBenchmark.missing` returns them.
        synthesizers: How to reach them on this machine, as for `open_synthesizers`, each matched to the stored name.
            `template` alone replaces all of them with the template.
        checker: The same for the checker model.
        options: How models are reached and sampled.
        observe: Called for every turn that was made.
        wrap: Wraps each client.

    Raises:
        UsageError: a name unknown to the benchmark, a missing key or file.
    """
    if not names or list(synthesizers) == [TEMPLATE]:
        return SynthesizerPool(dict.fromkeys(names))
    spec = bench.header.spec
    stored = [parse_share(name).name for name in spec.synthesizers]
    authors = [_weighted(author)[0] for author in synthesizers]
    given = {_stored_name(author, stored, "synthesizer"): author for author in authors}
    if checker:
        _stored_name(checker, [spec.checker] if spec.checker else [], "checker")
    opener = _Opener(options or ModelOptions(), wrap)
    try:
        checking = None
        if spec.checker is not None:
            checking = opener.model(checker or spec.checker, "checker")
        opened = {name: opener.synthesizer(given.get(name, name), checking) for name in names}
    except UsageError as fault:
        raise UsageError(
            f"{fault} {bench.path} has missing turns that {', '.join(names)} must write. "
            "Say where one is with --synthesizer PROVIDER/NAME?base_url=URL&key_env=VARIABLE, use --synthesizer "
            "template, or stay within the turns on disk"
        ) from None
    return opener.pool(opened, observe)


def _stored_name(author: Author, stored: Sequence[str], role: str) -> str:
    """The name that a benchmark stores for an author."""
    if isinstance(author, Synthesizer):
        name = author.name
    elif isinstance(author, str) and "/" not in author:
        name = author
    else:
        name = stored_name(author)
    if name not in stored:
        raise UsageError(f"{name} is not a {role} of this benchmark; it has {', '.join(stored) or 'none'}")
    return name


def open_author(model: ModelRef, options: ModelOptions | None = None) -> StructuredModel:
    """A chat model configured to write queries, for the `Agent` of `synthesis`; the caller closes it.

    Args:
        model: `provider/name?base_url=…&key_env=…`, or a chat model.
        options: How it is reached and sampled; a local model's answers are short and have a low temperature by default.

    Raises:
        UsageError: an unknown name, a missing key or file.
    """
    return _Opener(options or ModelOptions()).model(model)

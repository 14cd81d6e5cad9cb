"""What is to be played: the settings of a run, and its sessions in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evolif._errors import UsageError
from evolif.benchmark import Benchmark
from evolif.protocol._events import SessionKey
from evolif.protocol._opened import describe_judge, endpoint_of, names_of
from evolif.protocol._settings import RunSettings
from evolif.text import READING_RULES_VERSION

_Number = TypeVar("_Number", int, int | None)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller of `evaluate` asked for; None leaves a value to the benchmark's profile or to the provider."""

    models: Sequence[str]
    base_url: str | None
    judges: Sequence[str]
    judge_rule: str
    patience: int | None
    max_turns: int | None
    limit: int | None
    epochs: int
    system_prompt: bool
    temperature: float | None
    max_tokens: int | None
    seed: int


def plan(benchmark: Benchmark, wish: Wish) -> RunSettings:
    """The settings of a run.

    Raises:
        UsageError: a number out of range, a broken name, a benchmark without dialogues.
    """
    defaults = benchmark.header.spec.profile.protocol
    judge, judge_endpoints = describe_judge(wish.judges, wish.judge_rule)
    dialogues = tuple(benchmark.dialogues()[: at_least_one("limit", wish.limit)])
    settings = RunSettings(
        benchmark=benchmark.identity,
        profile=benchmark.header.spec.profile.name,
        models=names_of(wish.models),
        endpoints=tuple(endpoint_of(spec, wish.base_url) for spec in wish.models),
        judge=judge,
        judge_endpoints=judge_endpoints,
        patience=at_least_one("patience", defaults.patience if wish.patience is None else wish.patience),
        max_turns=at_least_one("max-turns", defaults.max_turns if wish.max_turns is None else wish.max_turns),
        dialogues=dialogues,
        epochs=at_least_one("epochs", wish.epochs),
        system_prompt=wish.system_prompt,
        temperature=wish.temperature,
        max_tokens=at_least_one("max-tokens", wish.max_tokens),
        seed=wish.seed,
        reading_rules=READING_RULES_VERSION,
    )
    if not dialogues:
        raise UsageError(f"{benchmark.path} has no dialogues; make them with `evolif generate`")
    return settings


def sessions_of(settings: RunSettings, model: str) -> Iterator[SessionKey]:
    """A model's sessions in the order they are begun: dialogue by dialogue, each with all its epochs.

    So what has been played of a run is a prefix of the dialogues, and a figure over whole ones favours nobody.
    """
    for dialogue in settings.dialogues:
        for epoch in range(1, settings.epochs + 1):
            yield SessionKey(model, dialogue, epoch)


def at_least_one(name: str, value: _Number) -> _Number:
    """The value of a flag.

    Raises:
        UsageError: it is below 1.
    """
    if value is not None and value < 1:
        raise UsageError(f"--{name} must be at least 1")
    return value

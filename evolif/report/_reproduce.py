"""The commands that make a run again, from what it knows of itself: no key, no address with credentials, no folder."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit

from evolif.metrics import DEFAULT_RESAMPLES
from evolif.money import judge_models
from evolif.protocol import Run, RunSettings

if TYPE_CHECKING:
    from evolif.benchmark import Benchmark

_PACKAGED = ("paper", "objective", "extended")
_RULE = re.compile(r"[a-z_]{1,20}=[0-9.e-]{1,20}")


@dataclass(frozen=True, slots=True)
class Step:
    """One command, quoted for a shell, and what a reader must put in by hand (empty: nothing)."""

    command: str
    note: str = ""


def reproduce(
    run: Run, *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES, benchmark: Benchmark | None = None
) -> tuple[Step, ...]:
    """The commands generate, evaluate and report of a run.

    Args:
        run: The run.
        seed: Of the report's bootstrap.
        resamples: Of the report's bootstrap.
        benchmark: The run's benchmark, where it is at hand; its seed, turns and synthesizers stand there and not in
            the run.
    """
    settings = run.settings
    name = run.path.resolve().name or "RUN"
    report = ["evolif", "report", name, "--seed", str(seed), "--resamples", str(resamples)]
    return (
        _generate(settings, benchmark),
        _evaluate(run, name),
        Step(shlex.join(report)),
    )


def _generate(settings: RunSettings, benchmark: Benchmark | None) -> Step:
    words = ["evolif", "generate", "BENCH", "--profile", settings.profile]
    notes = [] if settings.profile in _PACKAGED else ["the profile is a file of its makers"]
    if benchmark is None:
        words += ["--dialogues", str(max(settings.dialogues, default=1)), "--seed", "SEED"]
        notes.append(
            f"SEED stands in the benchmark's benchmark.json, with what else it was made with (its identity is "
            f"{settings.benchmark}); or name the folder by --bench"
        )
        return Step(_quoted(words), "; ".join(notes))
    spec = benchmark.header.spec
    words += ["--dialogues", str(spec.dialogues), "--turns", str(spec.turns), "--seed", str(spec.seed)]
    if spec.synthesizers != ("template",):
        words += _repeated("--synthesizer", spec.synthesizers)
        notes.append("a chat model's wording comes out differently every time: share the benchmark's folder")
    if spec.checker is not None:
        words += ["--checker", spec.checker]
    notes.append("with the topics and personas of its folder, where they were one's own")
    return Step(_quoted(words), "; ".join(notes))


def _evaluate(run: Run, name: str) -> Step:
    settings = run.settings
    words = ["evolif", "evaluate", "BENCH"]
    words += _repeated("--model", (_asked_at(model, settings.endpoint(model)) for model in settings.models))
    words += list(_judging(settings))
    words += ["--patience", str(settings.patience), "--max-turns", str(settings.max_turns)]
    words += ["--limit", str(len(settings.dialogues))]
    if settings.epochs > 1:
        words += ["--epochs", str(settings.epochs)]
    if not settings.system_prompt:
        words.append("--no-system-prompt")
    for flag, value in (("--temperature", settings.temperature), ("--max-tokens", settings.max_tokens)):
        if value is not None:
            words += [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    words += ["--seed", str(settings.seed)]
    early = run.early_end()
    if early is not None and _RULE.fullmatch(early.rule):
        words += ["--stop-when", early.rule]
    elsewhere = any(settings.endpoints) or any(settings.judge_endpoints)
    note = "where an endpoint of its own wants a key, name the key's variable by &key_env=" if elsewhere else ""
    return Step(_quoted([*words, "--out", name]), note)


def _judging(settings: RunSettings) -> Iterator[str]:
    """The judge's flags, out of the name that the run keeps of it."""
    panel = judge_models(settings)
    if not panel:
        yield from ("--judge", settings.judge)
        return
    for model, endpoint in zip(panel, settings.judge_endpoints, strict=False):
        yield from ("--judge", _asked_at(model, endpoint))
    if len(panel) > 1:
        yield from ("--judge-rule", settings.judge.partition(" of ")[0])


def _asked_at(model: str, endpoint: str) -> str:
    if not endpoint:
        return model
    # Runs keep addresses without user and key; one that was written by another hand is not trusted to.
    parts = urlsplit(endpoint)
    bare = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    return f"{model}?base_url={quote(bare, safe=':/[]')}"


def _repeated(flag: str, values: Iterator[str] | tuple[str, ...]) -> list[str]:
    return [word for value in values for word in (flag, value)]


def _quoted(words: list[str]) -> str:
    return shlex.join(words)

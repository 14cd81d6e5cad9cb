"""The commands that reproduce a run. They contain no key, no address and no path."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evolif.budget import judge_models
from evolif.models import Parameters, plain_name
from evolif.models.providers import placed_by_environment
from evolif.models.weights import find_weights
from evolif.runner import EarlyEnd, RunSettings
from evolif.runner.chosen import flag_for
from evolif.runner.provenance import Origin
from evolif.scenario import Benchmark, Scenario

_ADDRESS = "base_url=URL"
_FILL_IN = (
    "for each URL give the address that the model is asked at, which no report holds; if it needs a key, add "
    "&key_env=VARIABLE"
)
_RULE = re.compile(r"[a-z_]{1,20}=[0-9.e-]{1,20}")


@dataclass(frozen=True, slots=True)
class Step:
    """A command, quoted for a shell, and what the reader must fill in by hand (empty: nothing)."""

    command: str
    note: str = ""


def generate_step(
    scenario: Scenario, settings: RunSettings, benchmark: Benchmark | None, origin: Origin | None = None
) -> Step:
    """How the benchmark of a run was made.

    Args:
        scenario: Of the run.
        settings: Of the run.
        benchmark: None if it is not at hand.
        origin: What the run stores about it; None in runs of earlier versions.
    """
    if benchmark is None and origin is not None:
        return Step(_generate(origin.words), "; ".join(origin.notes))
    words, notes = scenario.presentation.command(benchmark, settings.profile, settings.dialogues)
    if benchmark is None:
        notes = [
            *notes,
            f"SEED and the other options are in the benchmark's benchmark.json (identity {settings.benchmark}); to "
            "fill them in here, pass the benchmark's folder with --bench",
        ]
    return Step(_generate(words), "; ".join(notes))


def _generate(words: Iterable[str]) -> str:
    return shlex.join(["evolif", "generate", "BENCH", *words])


def evaluate_step(settings: RunSettings, early: EarlyEnd | None, name: str) -> Step:
    """How a run was made; `name` is its folder, without its path."""
    words = ["evolif", "evaluate", "BENCH"]
    words += _repeated("--model", (_target_argument(settings, model) for model in settings.models))
    words += _judge_arguments(settings)
    if settings.relevance:
        words += ["--relevance", settings.relevance.partition(" ")[0]]
        words += ["--relevance-counts"] if settings.relevance_counts else []
    words += _play_arguments(settings)
    if settings.patience is not None:
        words += ["--patience", str(settings.patience)]
    words += ["--max-turns", str(settings.max_turns)]
    words += flag_for(settings.dialogues)
    if settings.epochs > 1:
        words += ["--epochs", str(settings.epochs)]
    if not settings.system_prompt:
        words.append("--no-system-prompt")
    for flag, value in (("--temperature", settings.temperature), ("--max-tokens", settings.max_tokens)):
        if value is not None:
            words += [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    words += ["--seed", str(settings.seed)]
    if early is not None and _RULE.fullmatch(early.rule):
        words += ["--stop-when", early.rule]
        words += ["--stop-method", "sequence"] if early.method == "sequence" else []
    notes = [_FILL_IN] if any(_ADDRESS in word for word in words) else []
    notes += _file_notes(settings)
    notes += [
        f"{model} was asked with {json.dumps(stored, ensure_ascii=False)} from a file: give --model-args FILE with that"
        for model, stored in settings.parameters.items()
        if plain_name(model) == model or "?" in model or not Parameters.from_stored(stored).query()[1]
    ]
    return Step(shlex.join([*words, "--out", name]), "; ".join(notes))


def _file_notes(settings: RunSettings) -> Iterator[str]:
    """Which models were files, whose folders no report holds."""
    named = (*settings.models, *judge_models(settings), settings.partner, settings.context_model)
    for model in dict.fromkeys(named):
        if model.startswith("local/") and find_weights(model.removeprefix("local/")) is None:
            digest = settings.weights.get(model, "")
            told = f", whose SHA-256 begins with {digest}" if digest else ""
            yield f"{model} is a file: give its path as local/PATH{told}"


def _play_arguments(settings: RunSettings) -> Iterator[str]:
    """What instruction following with the whole conversation as context does not need."""
    if settings.partner:
        yield from ("--partner", _model_argument(settings.partner, settings.other_endpoints.get("partner", "")))
    if settings.context != RunSettings.model_fields["context"].default:
        yield from ("--context", settings.context)
    if settings.context_model:
        yield from (
            "--context-model",
            _model_argument(settings.context_model, settings.other_endpoints.get("context", "")),
        )
    if settings.feedback != "none":
        yield from ("--feedback", settings.feedback)
    for key, value in settings.options.items():
        yield from ("--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}")


def _judge_arguments(settings: RunSettings) -> Iterator[str]:
    panel = judge_models(settings)
    if not panel:
        yield from ("--judge", settings.judge)
        return
    for model, endpoint in zip(panel, settings.judge_endpoints, strict=False):
        yield from ("--judge", _model_argument(model, endpoint))
    if len(panel) > 1:
        yield from ("--judge-rule", settings.judge.partition(" of ")[0])


def _target_argument(settings: RunSettings, model: str) -> str:
    """A model under test with its parameters and its label."""
    plain = plain_name(model)
    own, address = model.removeprefix(plain), _address(model, settings.endpoint(model))
    if not own.startswith(" ("):  # parameters from a file would change its label if they stood in its name
        return _with_query(plain, [own.removeprefix("?"), address])
    stored = Parameters.from_stored(settings.parameters.get(model, {})).query()[0]
    return _with_query(plain, [stored, f"as={own[2:-1]}", address])


def _model_argument(model: str, endpoint: str) -> str:
    plain, _, query = model.partition("?") if plain_name(model) != model else (model, "", "")
    return _with_query(plain, [query, _address(model, endpoint)])


def _address(model: str, endpoint: str) -> str:
    """What a name says of its endpoint: nothing where the environment says it."""
    return "" if not endpoint or placed_by_environment(model.partition("/")[0]) else _ADDRESS


def _with_query(name: str, parts: Iterable[str]) -> str:
    query = "&".join(filter(None, parts))
    return f"{name}?{query}" if query else name


def _repeated(flag: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (flag, value)]

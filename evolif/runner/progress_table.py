"""How far a run is: in a few words, and as a table for notebooks; read from counts, not from sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from evolif.runner.settings import RunSettings
from evolif.text import plural
from evolif.text.notebook import html_table
from evolif.types import Ending

_ENDED = ("finished", "censored", "withheld")
_FIGURES = "Figures: evolif.metrics_frame(run), or evolif report on the command line."


Endings = Mapping[tuple[str, Ending | None, str], int]
"""How many sessions per model, ending and cause."""


def progress_of(settings: RunSettings, endings: Endings) -> str:
    """Models, dialogues, sessions that have ended, and those still to play."""
    counts = _counts(settings, endings)
    total = len(settings.dialogues) * settings.epochs * len(settings.models)
    ended = sum(one[ending] for one in counts.values() for ending in _ENDED)
    left = sum(one["left"] for one in counts.values())
    named = ", ".join(settings.models[:3]) + ", …" * (len(settings.models) > 3)
    told = [
        f"{plural(len(settings.models), 'model')} ({named})",
        plural(len(settings.dialogues), "dialogue"),
        f"{ended} of {plural(total, 'session')} ended",
    ]
    return ", ".join([*told, *([f"{left} still to play"] if left else [])])


def run_table(settings: RunSettings, endings: Endings, title: str) -> str:
    """A row per model: how its sessions ended, and how many are left."""
    heads = ("model", "finished", "cut", "withheld", "suspended or to play", "not started")
    counts = _counts(settings, endings)
    rows = [
        [model, *(f"{counts[model][key]:,}" for key in ("finished", "censored", "withheld", "left", "unbegun"))]
        for model in settings.models
    ]
    told = [f"scenario {settings.scenario}"]
    told += [f"patience {settings.patience}"] if settings.patience is not None else []
    told += [f"cap {settings.cap}", f"judge {settings.judge}", plural(len(settings.dialogues), "dialogue")]
    told += [plural(settings.epochs, "epoch")] if settings.epochs > 1 else []
    return html_table(title, heads, rows, [f"{', '.join(told)}.", _FIGURES])


def _counts(settings: RunSettings, endings: Endings) -> Mapping[str, Counter[str]]:
    """Per model its sessions by ending; `left` are those to play, `unbegun` those that a budget or a rule prevented."""
    found = {model: Counter[str]() for model in settings.models}
    for (model, ending, cause), number in endings.items():
        if model not in found:
            continue
        key = ending if ending in _ENDED else "unbegun" if ending is None and cause else "left"
        found[model][key] += number
    for one in found.values():
        known = sum(one.values())
        one["left"] += max(0, len(settings.dialogues) * settings.epochs - known)
    return found

"""Where two runs' settings differ, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evolif.protocol._settings import EXTENT, RunSettings

_PROVIDERS_OWN = "the provider's own"


def different_fields(old: RunSettings, new: RunSettings) -> list[str]:
    """The settings in which two runs differ, their extent left out."""
    mine, theirs = old.model_dump(exclude=set(EXTENT)), new.model_dump(exclude=set(EXTENT))
    return [field for field in mine if mine[field] != theirs[field]]


def moved_models(old: RunSettings, new: RunSettings) -> list[str]:
    """Models of both runs that are asked at another address."""
    both = [model for model in new.models if model in old.models]
    return [model for model in both if old.endpoint(model) != new.endpoint(model)]


def differences(old: RunSettings, new: RunSettings) -> list[str]:
    """What differs, each as a clause: “the patience was 3 and is now 2”. Growth is no difference."""
    told = [_clause(field, getattr(old, field), getattr(new, field)) for field in different_fields(old, new)]
    told += [
        f"{model} was asked at {old.endpoint(model) or _PROVIDERS_OWN + ' address'} and would now be asked at "
        f"{new.endpoint(model) or _PROVIDERS_OWN + ' address'}"
        for model in moved_models(old, new)
    ]
    return told


def growth(old: RunSettings, new: RunSettings) -> str:
    """By what a run grows, in words; empty where it does not."""
    both = old.grown(new)
    parts = [
        _more(len(both.models) - len(old.models), "model"),
        _more(len(both.dialogues) - len(old.dialogues), "dialogue"),
        _more(both.epochs - old.epochs, "epoch"),
    ]
    return ", ".join(part for part in parts if part)


def _more(number: int, what: str) -> str:
    return f"{number} more {what}{'s' * (number > 1)}" if number else ""


def _clause(field: str, old: Any, new: Any) -> str:
    if field == "reading_rules":
        return f"its answers were read by the reading rules {old}, and this version has the rules {new}"
    if field == "benchmark":
        return "the benchmark is another one (its specification, topics or personas)"
    subject, show = _WORDS[field]
    return f"{subject} was {show(old)} and is now {show(new)}"


def _shown(value: Any) -> str:
    return _PROVIDERS_OWN if value is None else str(value)


def _switch(value: Any) -> str:
    return "on" if value else "off"


def _addresses(value: Any) -> str:
    return ", ".join(address or f"{_PROVIDERS_OWN} address" for address in value) or "none"


_WORDS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "profile": ("the profile", _shown),
    "judge": ("the judge", _shown),
    "judge_endpoints": ("the judge's address", _addresses),
    "patience": ("the patience", _shown),
    "max_turns": ("the cap (--max-turns)", _shown),
    "system_prompt": ("the system prompt", _switch),
    "context": ("the context strategy", _shown),
    "temperature": ("the temperature", _shown),
    "max_tokens": ("the longest answer (--max-tokens)", _shown),
    "seed": ("the seed", _shown),
}

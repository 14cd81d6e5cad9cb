"""Scenarios as if packages had brought them."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Any

import pytest

Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Has plug-ins of scenarios be there: names, and places in `quiz_scenario`."""
    real = importlib.metadata.entry_points

    def use(**places: str) -> None:
        group = "evolif.scenarios"
        points = [EntryPoint(name, f"quiz_scenario:{place}", group) for name, place in places.items()]

        def entry_points(**which: Any) -> Any:
            return points if which == {"group": group} else real(**which)

        monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)

    return use


@pytest.fixture
def quiz(install: Install) -> None:
    install(quiz="Quiz")

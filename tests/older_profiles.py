"""Profiles as they were before people had a life, for tests that look at dialogues which no life decides."""

from __future__ import annotations

from pathlib import Path

PROFILES = Path(__file__).parent / "golden" / "profiles"
BEFORE_PERSONS = str(PROFILES / "objective.yaml")

"""What a run without a terminal says while it waits."""

from __future__ import annotations

from typing import get_args

import pytest

from evolif.cli.progress import watching
from evolif.runner import CallsInFlight, StillWaiting
from evolif.types import Role


def test_every_role_that_makes_calls_is_awaited_by_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    roles: list[Role] = [role for role in get_args(Role) if role != "runner"]
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    with watching("plain", ["a/b"], 1) as watcher:
        monkeypatch.setattr("time.monotonic", lambda: 140.0)
        watcher(StillWaiting(tuple(CallsInFlight(role, f"a/{role}", 2, 40.0) for role in roles)))
    said = capsys.readouterr().err
    assert "2 partner's answers from a/partner (40 s)" in said and "2 notes from a/context (40 s)" in said
    assert all(f" from a/{role} (40 s)" in said for role in roles)

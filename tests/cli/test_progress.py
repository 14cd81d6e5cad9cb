"""What a run without a terminal says while it waits."""

from __future__ import annotations

import time
from typing import get_args

import pytest

from evolif.cli.progress import watching
from evolif.models import Waiting
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


def test_who_waits_why_and_until_when_is_said_at_once_and_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_800_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    with watching("plain", ["a/b"], 1) as watcher:
        for past in (0, 10, 20):
            now = 1_800_000_000.0 + past
            watcher(StillWaiting((), (("a/b", Waiting(12, 90.0 - past, "its endpoint asked for that")),)))
        assert capsys.readouterr().err == f"a/b: 12 calls wait until {_clock(90)} (its endpoint asked for that)\n"
        now += 100
        watcher(StillWaiting((), (("a/b", Waiting(1, 100_000.0, "the pause before a repeat")),)))
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now + 100_000))
    assert capsys.readouterr().err == f"a/b: 1 call waits until {moment} (the pause before a repeat)\n"


def _clock(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(1_800_000_000.0 + seconds))

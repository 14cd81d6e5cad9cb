"""Every scenario that rules judge has a floor for free; code that breaks, or never ends, costs only the floor."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evolif.judging import Judgement
from evolif.types import Verdict

Run = Callable[..., Result]


@pytest.fixture
def faults() -> Iterator[dict[str, Any]]:
    """Method of the plug-in `faulty` to its fault; empty at first."""
    import faulty

    yield faulty.FAULTS
    faulty.FAULTS.clear()


@pytest.fixture
def whole(run: Run) -> Path:
    """A run of the plug-in while it is well."""
    run("generate", "bench", "--scenario", "faulty", "--dialogues", 3, "--seed", 1, "--set", "turns=3")
    run("evaluate", "bench", "-m", "sim/hasty", "--out", "whole")
    return Path("whole")


def report(run: Run, name: Path | str) -> tuple[str, dict[str, Any]]:
    shown = run("report", name, "--resamples", 20).stdout
    return " ".join(shown.split()), json.loads(run("report", name, "--resamples", 20, "--json", "-").stdout)


def test_a_plugin_has_a_floor_for_free(run: Run, whole: Path) -> None:
    shown, told = report(run, whole)
    # Each query names what an answer has to mention.
    assert "Floor: the best of five answers that follow nothing, “echo”, reaches CSR 100.0 %" in shown
    assert "CSR is not corrected for it: the ceiling is not above it." in shown
    found = told["runs"][0]["floor"]
    assert found["responder"] == "echo" and found["responders"]["yes"]["csr"] == 0
    assert 0 < found["responders"]["repeat"]["csr"] < 1


async def _verdict(given: Any, value: Any) -> Judgement:
    judgement: Judgement = await given
    return replace(judgement, verdicts=(Verdict("fog", value, "", ""),))


async def _no_judgement(given: Any) -> Any:
    given.close()
    return "fine"


async def _leave(given: Any) -> Any:
    given.close()
    raise SystemExit(7)


BROKEN = {
    "raises": ("score", ZeroDivisionError("oh"), "the plug-in of the scenario faulty failed (ZeroDivisionError: oh)"),
    "environment": ("environment", ZeroDivisionError("oh"), "faulty failed (ZeroDivisionError: oh)"),
    "heard": ("heard", ZeroDivisionError("oh"), "faulty failed (ZeroDivisionError: oh)"),
    "asks": ("asks_a_judge", ZeroDivisionError("oh"), "faulty failed (ZeroDivisionError: oh)"),
    "closes": ("aclose", ZeroDivisionError("oh"), "faulty failed (ZeroDivisionError: oh)"),
    "no judgement": ("score", _no_judgement, "faulty failed (AttributeError"),
    "a number": ("score", lambda given: _verdict(given, 0.5), "a verdict on fog is 0.5, not True, False or None"),
    "leaves": ("score", _leave, "SystemExit: 7"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", BROKEN)
def test_what_breaks_costs_the_floor_alone(run: Run, whole: Path, faults: dict[str, Any], case: str) -> None:
    method, fault, sentence = BROKEN[case]
    faults[method] = fault
    shown, told = report(run, whole)
    assert "The floor of answers that follow nothing could not be computed: " in shown and sentence in shown
    assert "ceiling 100 % over" in shown and "Weighted share" not in shown
    assert sentence in told["runs"][0]["floor"]["unavailable"]
    assert told["models"][0]["csr_corrected"] == {"value": None, "low": None, "high": None}


@pytest.mark.slow
def test_what_never_ends_is_left_behind(
    run: Run, whole: Path, faults: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from evolif.runner import floor

    monkeypatch.setattr(floor, "_SECONDS", 0.2)
    faults["score"] = lambda given: (given.close(), time.sleep(5))
    started = time.monotonic()
    shown = " ".join(run("report", whole, "--resamples", 20).stdout.split())
    assert "could not be computed: judging answers that follow nothing took longer than 0 s" in shown
    assert time.monotonic() - started < 4


def test_what_a_judge_decides_is_not_replayed(run: Run, whole: Path, faults: dict[str, Any]) -> None:
    faults["asks_a_judge"] = lambda given: True
    shown, told = report(run, whole)
    assert "Floor" not in shown and told["runs"][0]["floor"] is None and "ceiling 100 % over" in shown


def test_what_depends_on_answers_is_not_replayed(run: Run) -> None:
    run("generate", "games", "--scenario", "guess", "--dialogues", 2, "--seed", 4)
    run("evaluate", "games", "-m", "sim/halver", "--out", "run")
    shown, told = report(run, "run")
    assert "Floor" not in shown and told["runs"][0]["floor"] is None

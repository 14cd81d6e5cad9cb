"""Desks over a benchmark, with checkers and models of the tests' own."""

from __future__ import annotations

from pathlib import Path

from evolif.review import BenchmarkQueue
from evolif.review.decisions import Request
from evolif.review.turns import Regenerated
from evolif.scenarios.instructions import InstructionBenchmark
from evolif.scenarios.instructions.turns import Finding, Turn

FLAGGED = "Please make it BAD words long."
KEY = "1/3"


def check(turn: Turn, query: str) -> list[Finding]:
    """Objects to the word BAD, wherever it stands."""
    at = query.find("BAD")
    return [] if at < 0 else [Finding("length", "wants 30 words", ((at, at + 3),))]


def regenerate(turn: Turn, model: str, notes: str) -> Regenerated:
    return Regenerated(f"{model} minds {notes or 'nothing'}.", f"{model}-1", attempts=2)


def desk(path: Path, reviewer: str = "ada", **more: object) -> BenchmarkQueue:
    wired = {"checker": check, "regenerate": regenerate, **more}
    return BenchmarkQueue(InstructionBenchmark(path), reviewer, **wired)


def ask(desk: BenchmarkQueue, decision: str, key: str = KEY, **more: object) -> Request:
    return Request(key, decision, desk.seen(key), **more)


def decide(desk: BenchmarkQueue, decision: str, key: str = KEY, **more: object):
    return desk.decide(ask(desk, decision, key, **more))

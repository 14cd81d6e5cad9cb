"""A scenario of two seats with scores and without patience, and a run of it written down by hand."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from evolif.judging import Judgement
from evolif.metrics import MetricTable
from evolif.runner import Run, RunSettings, RunStore, SessionKey, load_run
from evolif.runner.records import AnsweredTurn, EndEntry, TurnEntry
from evolif.scenario import Benchmark, Environment, Presentation, Rows, Scenario, Services
from evolif.text import READING_RULES_VERSION
from evolif.types import End, Exchange, Label, Message, Prompt, Score, Seat, Session, Spent, Usage, Verdict

SECRET = "the keeper hid the lamp"
SYSTEM = "You sit at a table and keep your card to yourself."
MODEL, PARTNER = "sim/keeper", "sim/guest"


class TalkOptions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    tokens: int = 50


class TalkTable(Environment):
    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        return End("finished", "over", "the talk is over")

    def heard(self, prompt: Prompt, answer: str) -> str:
        return answer.partition("|")[0]

    async def score(self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Any = None) -> Judgement:
        return Judgement(())


def _points(session: Session) -> tuple[float, ...]:
    scores = [score.value or 0.0 for turn in session.turns for score in turn.scores]
    return sum(scores), len(scores)


POINTS = MetricTable(("points", "scored"), _points, {"points": ("points", "scored")}, units={"points": "count"})


class TalkPages(Presentation):
    requirement = "rule"

    def facts(self, prompt: Prompt) -> tuple[tuple[str, str], ...]:
        return ("", "round <1>"), *((name, str(value)) for name, value in prompt.labels.items())


class TalkRows(Rows):
    def keys(self, prompt: Prompt) -> tuple[str, ...]:
        return (prompt.payload["secret"],)


class Talk(Scenario):
    name = "talk"
    title = "talk at a table"
    seats: tuple[Seat, ...] = ("target", "partner")
    play = TalkOptions
    rows: Rows = TalkRows()

    @property
    def presentation(self) -> Presentation:
        return TalkPages(self)

    def table(self, options: Mapping[str, Any]) -> MetricTable:
        return POINTS

    def environment(self, bench: Benchmark | None, play: BaseModel, services: Services) -> Environment:
        return TalkTable()


class LabelledRows(TalkRows):
    def row(self, prompt: Prompt) -> dict[str, Any]:
        return {
            "answer": "no", "board": {"lamp": [1, None]}, "mixed": prompt.turn if prompt.turn > 1 else "first",
            "share": prompt.turn / 2 if prompt.turn > 1 else 1, "large": 2**70, "open": True, "query": prompt.query,
        }  # fmt: skip


class LabelledTalk(Talk):
    """Its columns are nested, of several types, and named as those of every run."""

    rows = LabelledRows()


class BrokenPages(TalkPages):
    def facts(self, prompt: Prompt) -> tuple[tuple[str, str], ...]:
        raise ZeroDivisionError("oh")


class BrokenRows(TalkRows):
    def row(self, prompt: Prompt) -> dict[str, Any]:
        return {"board": {1, 2}}


class BrokenTalk(Talk):
    rows = BrokenRows()

    @property
    def presentation(self) -> Presentation:
        return BrokenPages(self)


def install(monkeypatch: pytest.MonkeyPatch, scenario: type[Scenario] = Talk) -> None:
    """Have a class be the plug-in `talk`."""
    real = importlib.metadata.entry_points
    points = [EntryPoint("talk", f"{scenario.__module__}:{scenario.__name__}", "evolif.scenarios")]

    def entry_points(**which: Any) -> Any:
        return points if which == {"group": "evolif.scenarios"} else real(**which)

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)


def make_talk(path: Path, dialogues: int = 3, answers: Mapping[int, str] = {}, **settings: Any) -> Run:
    """A run of one model, opened for reading: in each dialogue two turns of it, and one of its partner between them.

    Args:
        path: Its folder.
        dialogues: How many.
        answers: Texts by turn, over those that are usual.
        settings: Over the usual ones.
    """
    told = {
        "benchmark": "fedcba9876543210",
        "scenario": "talk",
        "models": (MODEL,),
        "partner": PARTNER,
        "options": {"tokens": 9},
        "patience": None,
        "max_turns": 2,
        "dialogues": tuple(range(1, dialogues + 1)),
        "reading_rules": READING_RULES_VERSION,
        **settings,
    }
    store = RunStore.create(path, RunSettings(**told))
    store.enrol(SessionKey(MODEL, dialogue, 1) for dialogue in told["dialogues"])
    for dialogue in told["dialogues"]:
        number = store.state(SessionKey(MODEL, dialogue, 1)).id
        store.write([_turn(number, dialogue, turn, answers) for turn in (1, 2, 3)])
        store.write([EndEntry(number, "finished", "over", "the talk is over")])
    store.close()
    return load_run(path)


_ANSWERS = {1: "a bright thing|I mean the lamp", 2: "is it <b>fire</b>?", 3: "warm|still the lamp"}


def _turn(session: int, dialogue: int, turn: int, answers: Mapping[int, str]) -> TurnEntry:
    labels: dict[str, Label] = {"instance": f"i{dialogue}", "card": dialogue}
    partner = turn == 2
    asked = (Message("user", f"Question {turn}"),)
    if turn == 1:
        asked = (Message("system", SYSTEM), Message("assistant", "An earlier word."), *asked)
    prompt = Prompt(
        dialogue,
        turn,
        asked,
        seat="partner" if partner else "target",
        payload={"secret": SECRET},
        labels=labels,
        fixed=turn == 1,
        digest=f"{dialogue}-{turn}",
    )
    judgement = (
        Judgement(())
        if partner
        else Judgement(
            (Verdict("short", turn == 1, "few words", "few words"),),
            scores=(Score("points", turn / 2, "much", "some"), Score("style", None)),
        )
    )
    spent = Spent("partner", PARTNER, Usage(3, 2)) if partner else Spent("target", MODEL, Usage(10, 5))
    return TurnEntry(session, prompt, AnsweredTurn(answers.get(turn, _ANSWERS[turn])), judgement, (spent,))

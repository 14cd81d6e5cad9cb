"""Runs by hand: verdicts written as words, without a benchmark, a model or a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from evolif.report import RunAnalysis
from evolif.runner import Integrity, Run, RunSettings
from evolif.runner.findings import Findings
from evolif.types import Ending, JudgedTurn, Message, Prompt, Session, Verdict

GROUPS = ("case", "digits", "length", "format", "style")
PARAMS: Mapping[str, Mapping[str, Any]] = {group: {} for group in GROUPS}
PATIENCE = 3


@dataclass
class HandRun:
    """What `RunAnalysis` asks of a run."""

    settings: RunSettings
    made: Mapping[str, Sequence[str]]
    path: Path = Path("run")
    sources: tuple[str, ...] = ("template",)
    wordings: tuple[str, ...] = ("Hey, gimme a poem, ok?", "Would you kindly compose a poem?")
    follows_from_version: bool = False
    store: Any = field(init=False)

    def __post_init__(self) -> None:
        self.store = self
        self.findings = Findings(self.path, is_frozen=True)

    @property
    def models(self) -> tuple[str, ...]:
        return self.settings.models

    def used_turns(self) -> list[tuple[int, int, str]]:
        return []

    def sessions(self, model: str | None = None, *, lazily: bool = False) -> list[Session]:
        return [session(name, number, word) for name, words in self.made.items() for number, word in words_of(words)
                if model in (None, name)]  # fmt: skip

    def prompts(self) -> list[Prompt]:
        asked: dict[tuple[int, int], Prompt] = {}
        for one in self.sessions():
            for turn in one.turns:
                asked[one.dialogue, turn.turn] = Prompt(
                    one.dialogue,
                    turn.turn,
                    (Message("user", self.wordings[one.dialogue % len(self.wordings)]),),
                    payload={
                        "constraints": [{"group": v.group, "params": PARAMS[v.group]} for v in turn.verdicts],
                        "witness": None,
                    },
                    labels={
                        **turn.labels,
                        "topic": "t",
                        "operation": "add",
                        "source": self.sources[one.dialogue % len(self.sources)],
                        "register": ("formal", "casual")[one.dialogue % 2],
                    },
                )
        return list(asked.values())

    def integrity(self, *, afresh: bool = False) -> Integrity:
        return Integrity(0, 0)

    def early_end(self) -> None:
        return None

    def costs(self) -> list[Any]:
        return []

    def suspended(self) -> int:
        return 0

    def unbegun(self) -> dict[str, int]:
        return {}

    def empty_answers(self) -> dict[tuple[str, int], int]:
        return {}


def words_of(words: Sequence[str]) -> list[tuple[int, str]]:
    return list(enumerate(words, start=1))


def session(model: str, dialogue: int, word: str) -> Session:
    """A word has a figure a turn, the number of satisfied constraints of five: 5 is a good turn, `555000` ends it.

    `55!` is suspended after its second turn.
    """
    turns = tuple(
        JudgedTurn(
            turn=number,
            verdicts=tuple(Verdict(g, place < int(sign), "", "") for place, g in enumerate(GROUPS)),
            labels={"depth": number, "move": "new" if number == 1 else "continue"},
        )
        for number, sign in enumerate(word.rstrip("!"), start=1)
    )
    failed = len(word) - len(word.rstrip("01234"))
    ending: Ending = "suspended" if word.endswith("!") else "finished" if failed >= PATIENCE else "censored"
    return Session(model, dialogue, 0, PATIENCE, ending, turns=turns)


@pytest.fixture(scope="session")
def analysed() -> Callable[..., RunAnalysis]:
    """An analysis of words: model to a word for each dialogue; settings of the run and `sources` by keyword."""

    def make(made: Mapping[str, Sequence[str]], **others: Any) -> RunAnalysis:
        run = {key: others.pop(key) for key in ("path", "sources", "wordings") if key in others}
        settings = RunSettings(
            benchmark="b", profile="paper", models=tuple(made), patience=PATIENCE, max_turns=20,
            dialogues=tuple(range(1, 1 + max((len(words) for words in made.values()), default=0))), reading_rules=1,
        ).model_copy(update=others)  # fmt: skip
        return RunAnalysis(cast(Run, HandRun(settings, made, **run)), resamples=50)

    return make


HOSTILE = (r"x/$\frac{1}{0}$", "<script>alert(1)</script>", "a\u202eb\x00c\nd", "y" * 300)


@pytest.fixture(scope="session")
def hostile() -> tuple[str, ...]:
    return HOSTILE

"""A scenario of a few lines, as a plug-in would bring it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evolif.benchmark import BenchmarkFolder
from evolif.scenario import Scenario


class QuizOptions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    questions: Annotated[int, Field(ge=1, description="Questions per dialogue.")] = 3
    topics: Annotated[tuple[str, ...], Field(description="What is asked about.")] = ("rivers", "lakes")
    level: Annotated[Literal["easy", "hard"], Field(description="How hard.")] = "easy"
    spare: int | None = None


class QuizFolder(BenchmarkFolder):
    @property
    def variant(self) -> str:
        return str(self.spec.level)


class Quiz(Scenario):
    name = "quiz"
    title = "questions about waters"
    spec = QuizOptions

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = print
    ) -> QuizFolder:
        options = QuizOptions.model_validate(spec.model_dump())

        def lines(dialogue: int) -> Iterator[dict[str, Any]]:
            rng = Random(f"{seed}/{dialogue}")
            for turn in range(1, options.questions + 1):
                yield {"turn": turn, "question": f"Höher? {rng.choice(options.topics)} {rng.random()}"}

        return QuizFolder.make(out, self, spec, lines, dialogues=dialogues, seed=seed, notify=notify)

    def open(self, path: Path, notify: Callable[[str], None] = print) -> QuizFolder:
        return QuizFolder(path, self, notify)


class LaterQuiz(Quiz):
    version = 2


class RaisingQuiz(Quiz):
    def open(self, path: Path, notify: Callable[[str], None] = print) -> QuizFolder:
        raise ZeroDivisionError("oh")

    def generate(self, *given: Any, **others: Any) -> QuizFolder:
        raise ZeroDivisionError("oh")


class Untitled(Scenario):
    name = "untitled"

"""A scenario of a few lines, as a plug-in would bring it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evolif.benchmark import BenchmarkFolder
from evolif.benchmark.assets import read_image, store_image
from evolif.judging import Judgement
from evolif.scenario import Environment, Scenario, Services
from evolif.types import End, Exchange, Image, Message, Prompt, Verdict


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


PIXEL = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55")


class Wall(Environment):
    """Shows a picture a turn; everything said is right."""

    def __init__(self, bench: Any) -> None:
        self.bench = bench

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        lines = self.bench.lines(dialogue)
        if len(past) == len(lines):
            return End("finished", "over", "every picture was shown")
        picture = read_image(self.bench.path, lines[len(past)]["picture"])
        first = () if past else (Message("user", "Two pictures follow.", (picture,)),)
        return Prompt(dialogue, len(past) + 1, (*first, Message("user", "What is it?", (picture,))))

    async def score(self, prompt: Prompt, answer: str, past: Sequence[Exchange], stored: Any = None) -> Judgement:
        return Judgement((Verdict("said", bool(answer), "something", answer),))


class Gallery(Scenario):
    name = "gallery"
    title = "pictures on a wall"

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = print
    ) -> BenchmarkFolder:
        def lines(dialogue: int) -> Iterator[dict[str, Any]]:
            for turn in range(3):
                yield {"picture": store_image(out, Image(PIXEL + bytes([dialogue, turn % 2]), "image/png"))}

        return BenchmarkFolder.make(out, self, spec, lines, dialogues=dialogues, seed=seed, notify=notify)

    def open(self, path: Path, notify: Callable[[str], None] = print) -> BenchmarkFolder:
        return BenchmarkFolder(path, self, notify)

    def environment(self, bench: Any, play: BaseModel, services: Services) -> Wall:
        return Wall(bench)

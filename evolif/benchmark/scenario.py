"""Scenarios whose dialogues are complete when they are made: the lines of a folder, asked one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel

from evolif.benchmark.folder import BenchmarkFolder
from evolif.errors import UsageError
from evolif.scenario import Benchmark, Environment, Scenario, Services, changed_options
from evolif.types import End, Exchange, Message, Prompt


def _ignore(sentence: str) -> None:
    pass


def _argument(value: Any) -> str | None:
    """The value of an option after `--set KEY=`; None if it cannot stand there."""
    if isinstance(value, list):
        texts = [_argument(one) for one in value]
        # Commas part the values of a list.
        return ",".join(map(str, texts)) if texts and not any(text is None or "," in text for text in texts) else None
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (str, int, float)) else None


class FolderEnvironment(Environment):
    """Asks the lines of a folder in order. Inherit from it to score the answers.

    Args:
        bench: The folder; None where prompts come from the run.
        play: Options of the run.
        services: What the run offers.
    """

    def __init__(self, bench: BenchmarkFolder | None, play: Any, services: Services) -> None:
        self.bench = bench
        self.play = play
        self.services = services

    async def prompt(self, dialogue: int, past: Sequence[Exchange]) -> Prompt | End:
        """The next line, until there is none."""
        lines = [] if self.bench is None else self.bench.lines(dialogue)
        if len(past) >= len(lines):
            return End("finished", "end", "the dialogue is complete")
        return self.asked(dialogue, len(past) + 1, lines[len(past)])

    def asked(self, dialogue: int, turn: int, line: Mapping[str, Any]) -> Prompt:
        """The prompt of a line: its `query` is asked, its `labels` are those of the turn, the rest is the payload."""
        payload = {key: value for key, value in line.items() if key not in ("query", "labels")}
        return Prompt(dialogue, turn, (Message("user", line["query"]),), payload=payload, labels=line.get("labels", {}))


class FolderScenario(Scenario):
    """A scenario of lines in a folder: says what the lines are, and how they are played."""

    folder: ClassVar[type[BenchmarkFolder]] = BenchmarkFolder
    """Opens its benchmarks."""
    played_by: ClassVar[type[FolderEnvironment]]
    """Plays them; unless `environment` is overridden."""

    def lines(self, spec: Any, dialogue: int, seed: int) -> Iterable[Mapping[str, Any]]:
        """The lines of a dialogue, one per turn: JSON values that depend on these arguments only.

        Args:
            spec: Options of `generate`.
            dialogue: From 1.
            seed: Of the benchmark.
        """
        raise UsageError(f"the scenario {self.name} has no method `lines`, and so no dialogues to generate")

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = _ignore
    ) -> BenchmarkFolder:
        """Make the folder, or complete it."""

        def lines(dialogue: int) -> Iterable[Mapping[str, Any]]:
            return self.lines(spec, dialogue, seed)

        return self.folder.make(out, self, spec, lines, dialogues=dialogues, seed=seed, notify=notify)

    def open(self, path: Path, notify: Callable[[str], None] = _ignore) -> BenchmarkFolder:
        """Open the folder."""
        return self.folder(path, self, notify)

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """With the seed and the options of the folder."""
        if not isinstance(bench, BenchmarkFolder):
            return super().command(bench, variant, dialogues)
        changed = changed_options(bench.spec)
        told = {key: text for key, value in changed.items() if (text := _argument(value)) is not None}
        words = ["--scenario", self.name, "--dialogues", str(len(bench.dialogues())), "--seed", str(bench.seed)]
        words += [word for key, text in told.items() for word in ("--set", f"{key}={text}")]
        untold = [key for key in changed if key not in told]
        return words, [f"with {', '.join(untold)} of its benchmark.json"] if untold else []

    def environment(self, bench: Benchmark | None, play: BaseModel, services: Services) -> Environment:
        """Play the folder by `played_by`."""
        if not (bench is None or isinstance(bench, BenchmarkFolder)):
            raise UsageError(f"{bench.path} was not opened by the scenario {self.name}")
        return self.played_by(bench, play, services)

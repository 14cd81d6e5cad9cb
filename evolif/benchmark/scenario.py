"""Scenarios whose dialogues are complete when they are made: the lines of a folder, asked one after another.

Both classes are generic, so that a type checker knows the options and the folder: `FolderScenario[Spec, Play, Folder]`
and `FolderEnvironment[Play, Folder]`. Without types they take any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, cast

from pydantic import BaseModel
from typing_extensions import TypeVar  # `typing` has defaults of type variables from Python 3.13 on

from evolif.benchmark.folder import BenchmarkFolder
from evolif.errors import UsageError
from evolif.scenario import Benchmark, Environment, Lengths, Presentation, Scenario, Services, changed_options
from evolif.types import End, Exchange, Message, Prompt

Spec = TypeVar("Spec", bound=BaseModel, default=Any)
"""Options of `generate`."""
Play = TypeVar("Play", bound=BaseModel, default=Any)
"""Options of `evaluate`."""
Folder = TypeVar("Folder", bound=BenchmarkFolder, default=BenchmarkFolder)
"""What opens a benchmark."""
_SAMPLED_DIALOGUES = 20


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


class FolderEnvironment(Environment, Generic[Play, Folder]):
    """Asks the lines of a folder in order. Inherit from it to score the answers.

    Args:
        bench: The folder; None where prompts come from the run.
        play: Options of the run.
        services: What the run offers.
    """

    def __init__(self, bench: Folder | None, play: Play, services: Services) -> None:
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


class FolderPresentation(Presentation):
    """How reports and pages show a scenario of lines in a folder. Inherit from it to change a part."""

    def command(
        self, bench: Benchmark | None, variant: str, dialogues: Sequence[int]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """With the seed and the options of the folder."""
        if not isinstance(bench, BenchmarkFolder):
            return super().command(bench, variant, dialogues)
        changed = changed_options(bench.spec)
        told = {key: text for key, value in changed.items() if (text := _argument(value)) is not None}
        words = [
            "--scenario",
            self.scenario.name,
            "--dialogues",
            str(len(bench.dialogues())),
            "--seed",
            str(bench.seed),
        ]
        words += [word for key, text in told.items() for word in ("--set", f"{key}={text}")]
        untold = [key for key in changed if key not in told]
        return words, [f"with {', '.join(untold)} of its benchmark.json"] if untold else []


class FolderScenario(Scenario, Generic[Spec, Play, Folder]):
    """A scenario of lines in a folder: says what the lines are, and how they are played.

    The types are those of `spec`, `play` and `folder`, which methods get from `made_with`, `played_with` and `opened`.

    Example:
        ```python
        class Chess(FolderScenario[ChessOptions, ChessPlay, BenchmarkFolder]):
            name, title, spec, play, played_by = "chess", "games of chess", ChessOptions, ChessPlay, ChessBoard

            def lines(self, spec: ChessOptions, dialogue: int, seed: int) -> list[dict[str, str]]:
                return [{"query": opening} for opening in spec.openings]
        ```
    """

    folder: ClassVar[type[BenchmarkFolder]] = BenchmarkFolder
    """Opens its benchmarks."""
    played_by: ClassVar[type[FolderEnvironment[Any, Any]]]
    """Plays them; unless `environment` is overridden."""
    _presentation = FolderPresentation

    def made_with(self, spec: BaseModel) -> Spec:
        """Options of `generate` as an instance of `spec`.

        Raises:
            ValidationError: they are not options of this scenario.
        """
        return cast(Spec, _as_model(self.spec, spec))

    def played_with(self, play: BaseModel) -> Play:
        """Options of `evaluate` as an instance of `play`.

        Raises:
            ValidationError: they are not options of this scenario.
        """
        return cast(Play, _as_model(self.play, play))

    def opened(self, bench: Benchmark) -> Folder:
        """A benchmark as an instance of `folder`.

        Raises:
            UsageError: this scenario did not open it.
        """
        if not isinstance(bench, self.folder):
            raise UsageError(f"{bench.path} was not opened by the scenario {self.name}")
        return cast(Folder, bench)

    def sampled(self, bench: Folder) -> list[int]:
        """The dialogues from which averages of a benchmark are estimated: the first 20."""
        return bench.dialogues()[:_SAMPLED_DIALOGUES]

    def expected(self, bench: Benchmark, play: BaseModel) -> Lengths:
        """As `lengths` says; nothing is known of a benchmark without dialogues."""
        folder = self.opened(bench)
        dialogues = self.sampled(folder)
        return self.lengths(folder, self.played_with(play), dialogues) if dialogues else Lengths()

    def lengths(self, bench: Folder, play: Play, dialogues: Sequence[int]) -> Lengths:
        """What a session is expected to need, estimated from some dialogues, at least one."""
        return Lengths()

    def lines(self, spec: Spec, dialogue: int, seed: int) -> Iterable[Mapping[str, Any]]:
        """The lines of a dialogue, one per turn: JSON values that depend on these arguments only.

        Args:
            spec: Options of `generate`.
            dialogue: From 1.
            seed: Of the benchmark.
        """
        raise UsageError(f"the scenario {self.name} has no method `lines`, and so no dialogues to generate")

    def generate(
        self, out: Path, spec: BaseModel, *, dialogues: int, seed: int, notify: Callable[[str], None] = _ignore
    ) -> Folder:
        """Make the folder, or complete it."""
        options = self.made_with(spec)

        def lines(dialogue: int) -> Iterable[Mapping[str, Any]]:
            return self.lines(options, dialogue, seed)

        made = self.folder.make(out, self, spec, lines, dialogues=dialogues, seed=seed, notify=notify)
        return cast(Folder, made)

    def open(self, path: Path, notify: Callable[[str], None] = _ignore) -> Folder:
        """Open the folder."""
        return cast(Folder, self.folder(path, self, notify))

    def environment(self, bench: Benchmark | None, play: BaseModel, services: Services) -> Environment:
        """Play the folder by `played_by`."""
        return self.played_by(None if bench is None else self.opened(bench), self.played_with(play), services)


def _as_model(model: type[BaseModel], options: BaseModel) -> BaseModel:
    """Options as an instance of a model; fields that are not stored (`exclude=True`) keep their values."""
    return options if isinstance(options, model) else model.model_validate(dict(options))

"""Dialogues as samples of Inspect: for our own tasks, and for tasks that users write around them.

Imported by Inspect only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from inspect_ai.dataset import MemoryDataset, Sample

from evolif.benchmark import open_benchmark
from evolif.errors import EvolifError, UsageError
from evolif.inspect.benches import made_bench, opened_bench, parted, told
from evolif.inspect.messages import to_inspect
from evolif.runner.shutdown import run_to_end
from evolif.scenario import Benchmark, Environment, Scenario, Services, get_scenario, options_of
from evolif.scenarios.instructions import InstructionBenchmark
from evolif.types import End, Exchange, Message, Prompt

TURNS = "turns"
"""In a sample's metadata: what the user says, turn by turn, where that does not depend on the answers."""
BENCH = "bench"
"""In a sample's metadata: which benchmark it is of."""


@dataclass(frozen=True, slots=True)
class SampleBench:
    """The benchmark that a sample is of."""

    path: str
    identity: str
    """As the data set was made; empty if that is not known."""
    max_turns: int | None
    """The most turns that the data set gives; None where dialogues end by themselves, or nothing is known."""

    @classmethod
    def of(cls, metadata: Mapping[str, Any], path: str | None) -> SampleBench:
        """What a sample says of it.

        Args:
            metadata: The sample's.
            path: The folder, where it is said otherwise.

        Raises:
            UsageError: nobody says it.
        """
        stored = metadata.get(BENCH) or {}
        where = path or stored.get("path")
        if not where:
            raise UsageError(
                "the sample does not say which benchmark it is of; make it with evolif_dataset, or say bench=FOLDER"
            )
        return cls(str(where), str(stored.get("identity", "")), stored.get("max_turns"))

    def open(self) -> Benchmark:
        """Open it.

        Raises:
            UsageError: it is not there, or no longer the one that the samples were made of.
        """
        opened = open_benchmark(Path(self.path))
        if self.identity and opened.identity != self.identity:
            raise UsageError(
                f"{self.path} is not the benchmark of these samples: it is {opened.identity}, not {self.identity}"
            )
        return opened


def number_of(state: Any) -> int:
    """Which dialogue a sample is.

    Args:
        state: A `TaskState`.

    Raises:
        UsageError: it is none.
    """
    given = state.metadata.get("dialogue", state.sample_id)
    if not str(given).isdecimal():
        raise UsageError(f"the sample {given} is no dialogue: its id, or `dialogue` in its metadata, must be a number")
    return int(given)


def first_samples(scenario: Scenario, bench: Benchmark) -> list[Any]:
    """A sample for each dialogue, with its first prompt, and what it is about: those of our own tasks.

    Args:
        scenario: The benchmark's.
        bench: The benchmark.
    """
    environment = scenario.environment(bench, scenario.play(), Services())

    async def first(dialogue: int) -> str:
        try:
            prompt = await environment.prompt(dialogue, ())
        except EvolifError:  # it has to be written first
            return scenario.title
        return scenario.title if isinstance(prompt, End) else prompt.query

    async def sample(dialogue: int) -> Any:
        about = {"dialogue": dialogue, **scenario.about(bench, dialogue)}
        return Sample(input=await first(dialogue), id=dialogue, target=_target(scenario, about), metadata=about)

    async def all_first() -> list[Any]:
        return [await sample(dialogue) for dialogue in bench.dialogues()]

    return run_to_end(all_first())


def _target(scenario: Scenario, about: Mapping[str, Any]) -> str:
    return ", ".join(about.get("groups", ())) or f"every {scenario.presentation.requirement}"


def evolif_dataset(
    bench: str | Path | None = None,
    *,
    scenario: str = "",
    seed: int = 0,
    dialogues: int | None = None,
    max_turns: int | None = None,
    system_prompt: bool = True,
    **options: Any,
) -> Any:
    """The dialogues of a benchmark as samples, for tasks of your own.

    The input of a sample is the system text and what the user says first. Where nothing that the user says depends on
    the answers, the metadata have all of it as `turns`, a text for each turn, for solvers that hold the conversation
    themselves; no answer key is among it. Elsewhere `evolif_solver` holds it.

    Args:
        bench: The folder of a benchmark; without it, one is made in your cache folder.
        scenario: Which kind is made; by default instruction following.
        seed: The same seed makes the same dialogues.
        dialogues: How many are made; by default as many as `evolif generate` makes.
        max_turns: How many turns the dialogues have at most, for solver and scorer, too; more than the benchmark has
            are made. By default those that are written.
        system_prompt: Whether the input begins with the system text.
        options: Options of `evolif generate`, such as `profile` and `turns`, and of `evolif evaluate --set`.

    Returns:
        An `inspect_ai.dataset.MemoryDataset` with a sample for each dialogue, whose id is its number.

    Raises:
        PrerequisiteError: the benchmark cannot be opened or made; one sentence.

    Example:
        ```python
        Task(dataset=evolif_dataset(seed=7, dialogues=20, turns=10), solver=evolif_solver(), scorer=evolif_scorer())
        ```
    """
    with told():
        if max_turns is not None and max_turns < 1:
            raise UsageError(f"max_turns must be at least 1, not {max_turns}")
        opened, kind, played = _opened(bench, scenario, seed, dialogues, options)
        play = options_of(kind.play, played, kind.name)
        most = kind.defaults(opened, play).max_turns
        script = _Script(kind, opened, kind.environment(opened, play, Services()), max_turns, most, system_prompt)
        samples = run_to_end(script.samples())
    return MemoryDataset(samples, name=f"{kind.name} {opened.identity}")


def _opened(
    bench: str | Path | None, scenario: str, seed: int, dialogues: int | None, options: Mapping[str, Any]
) -> tuple[Benchmark, Scenario, dict[str, Any]]:
    """The benchmark, its scenario, and the options that it is played with."""
    if bench is None:
        kind = get_scenario(scenario or "instructions")
        made, played = parted(kind, options, has_bench=False)
        return made_bench(kind, made, dialogues, seed), kind, played
    opened = opened_bench(Path(bench), scenario) if scenario else open_benchmark(Path(bench))
    kind = get_scenario(opened.scenario)
    return opened, kind, parted(kind, options, has_bench=True)[1]


class _Script:
    """What is said in the dialogues of a benchmark, whatever is answered.

    Args:
        scenario: The benchmark's.
        bench: The benchmark.
        environment: It, opened for play.
        asked: The most turns; None for those that are written.
        most: The most turns where nothing is said and nothing is written beforehand.
        system_prompt: Whether the system text is said.
    """

    def __init__(
        self,
        scenario: Scenario,
        bench: Benchmark,
        environment: Environment,
        asked: int | None,
        most: int,
        system_prompt: bool,
    ) -> None:
        self._scenario = scenario
        self._bench = bench
        self._environment = environment
        self._asked = asked
        self._most = most
        self._has_system = system_prompt

    async def samples(self) -> list[Any]:
        """A sample for each dialogue."""
        try:
            return [await self._sample(dialogue) for dialogue in self._bench.dialogues()]
        finally:
            await self._environment.aclose()

    async def _sample(self, dialogue: int) -> Any:
        about = {"dialogue": dialogue, **self._scenario.about(self._bench, dialogue)}
        of = {"path": str(self._bench.path.resolve()), "identity": self._bench.identity}
        prompts, ending = await self._prompts(dialogue)
        if ending != "open":
            about[TURNS] = [prompt.query for prompt in prompts]
            about[BENCH] = of | ({"max_turns": len(prompts)} if ending == "cut" else {})
        else:
            about[BENCH] = of
        opening = self._opening(dialogue, prompts)
        return Sample(input=opening, id=dialogue, target=_target(self._scenario, about), metadata=about)

    def _opening(self, dialogue: int, prompts: Sequence[Prompt]) -> Any:
        """The first messages; the title where another seat begins."""
        if not prompts:
            return self._scenario.title
        system = self._environment.system(dialogue, "target") if self._has_system else ""
        before = [Message("system", system)] if system else []
        return [to_inspect(message) for message in (*before, *prompts[0].messages)]

    async def _prompts(self, dialogue: int) -> tuple[list[Prompt], Literal["whole", "cut", "open"]]:
        """The prompts as far as they are the same whatever is answered, and whether that is the dialogue.

        `open` is one of which answers decide, or whose turns are more than a text of the user's.
        """
        prompts: list[Prompt] = []
        past: list[Exchange] = []
        for _ in range(self._number(dialogue)):
            prompt = await self._environment.prompt(dialogue, past)
            if isinstance(prompt, End):
                return prompts, "whole" if prompts else "open"
            if prompt.seat != "target" or (prompts and not _is_scripted(prompt)):
                return prompts, "open"
            if not prompt.fixed or self._environment.given(prompt) is not None:
                return [*prompts, prompt][:1], "open"
            prompts.append(prompt)
            past.append(Exchange(prompt, "", ""))
        return prompts, "cut" if prompts else "open"

    def _number(self, dialogue: int) -> int:
        if self._asked is not None:
            return self._asked
        return len(self._bench.turns(dialogue)) if isinstance(self._bench, InstructionBenchmark) else self._most


def _is_scripted(prompt: Prompt) -> bool:
    """Whether its text says all of it."""
    return len(prompt.messages) == 1 and not prompt.messages[0].images

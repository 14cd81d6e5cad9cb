"""What is asked of an export of training data, and the conversations that it is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from evolif.benchmark import open_benchmark
from evolif.errors import UsageError
from evolif.exchange.rows import has_witness, keys_of
from evolif.metrics.rewards import REWARD_KINDS, RewardKind, reward_of, turn_rewards
from evolif.runner import Run, load_run
from evolif.runner.histories import Histories, SeenAnswer, open_histories
from evolif.runner.settings import different_fields
from evolif.scenario import Benchmark, get_scenario
from evolif.types import Session
from evolif.util.suggestions import did_you_mean

TURN_REWARDS: tuple[RewardKind, ...] = ("dense", "turn")
"""What a single answer can be chosen by; `session` rewards whole conversations."""
_JUDGED_BY = ("judge", "reading_rules", "own_code", "relevance", "relevance_counts", "options", "cap_counts")
"""Settings in which runs must agree, or the same answer could have two rewards."""


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How training data is made from runs.

    Raises:
        UsageError: an unknown reward, or a bound outside 0 to 1.
    """

    bench: Path | str | None = None
    """The benchmark, for the system texts that runs do not store; None leaves them out."""
    also: tuple[Path | str, ...] = ()
    """More runs on the same benchmark."""
    reward: str = "dense"
    """What answers are chosen by: `dense` or `turn`."""
    min_reward: float | None = None
    """The least reward of an answer that is to be imitated, from 0 to 1; None for any."""
    min_margin: float | None = None
    """How much more reward a chosen answer has at least than the rejected one; None for any difference."""
    samples: Path | str | None = None
    """A folder with more answers of single turns, see `evolif.runner.samples`."""

    def __post_init__(self) -> None:
        if self.reward not in TURN_REWARDS:
            hint = (
                "rewards whole conversations, and answers are chosen one by one"
                if self.reward == "session"
                else f"is unknown{did_you_mean(self.reward, TURN_REWARDS)}"
            )
            raise UsageError(f"the reward {self.reward} {hint}; use {' or '.join(TURN_REWARDS)}")
        for name, bound in (("min-reward", self.min_reward), ("min-margin", self.min_margin)):
            if bound is not None and not 0 <= bound <= 1:
                raise UsageError(f"--{name} {bound:g} is not between 0 and 1, as rewards are")
        if self.samples is not None and self.bench is None:
            raise UsageError("--samples needs --bench BENCH: what a turn was asked after begins with its system text")

    @property
    def kind(self) -> RewardKind:
        """The reward, as the others name it."""
        return next(kind for kind in TURN_REWARDS if kind == self.reward)


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """An answer of a conversation, with its rewards."""

    seen: SeenAnswer
    rewards: Mapping[RewardKind, float | None]
    """By kind, from 0 to 1; None where nothing was judged."""
    barred: str = ""
    """Why training data may not have it, in a few words; empty if it may."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session as the model under test saw it."""

    number: int
    """Of the session in its run's file."""
    session: Session
    turns: tuple[SaidTurn, ...]
    """Those of the model under test."""
    rewards: Mapping[RewardKind, float | None]
    """Of the whole session, by kind."""


ANSWER_KEY, WITHHELD, PICTURES = "answer key", "withheld", "pictures"


class Conversations:
    """The conversations of a run.

    Args:
        run: The run.
        histories: What was seen in its sessions.
        keys: Its answer keys by dialogue; None to read them from the run.
        rewarded: What of a session rewards its turns.
    """

    def __init__(
        self,
        run: Run,
        histories: Histories,
        keys: Mapping[int, set[str]] | None = None,
        rewarded: Callable[[Session], Session] = lambda session: session,
    ) -> None:
        self.run = run
        self.histories = histories
        self.keys = keys_of(run) if keys is None else keys
        self._rewarded = rewarded
        self._read = get_scenario(run.settings.scenario).rewarded

    def __iter__(self) -> Iterator[Conversation]:
        for model in self.run.models:
            for number, session in self.run.store.sessions(model, unbegun=False):
                yield self.of(number, session)

    def of(self, number: int, session: Session) -> Conversation:
        """The conversation of a session.

        Args:
            number: Of the session in the run's file.
            session: With its judged turns.
        """
        seen = self.histories.answers(session.dialogue, self.run.store.turns(number))
        rewarded = self._rewarded(session)
        by_kind = {kind: turn_rewards(rewarded, kind, self._read) for kind in REWARD_KINDS}
        turns = tuple(
            SaidTurn(
                one,
                {kind: rewards[place] if place < len(rewards) else None for kind, rewards in by_kind.items()},
                self._barred(session.dialogue, one),
            )
            for place, one in enumerate(seen)
        )
        whole = {kind: reward_of(rewarded, kind, self._read) for kind in REWARD_KINDS}
        return Conversation(number, session, turns, whole)

    def _barred(self, dialogue: int, seen: SeenAnswer) -> str:
        if seen.record.withheld:
            return WITHHELD
        if any(message.images for message in seen.messages):
            return PICTURES
        return ANSWER_KEY if has_witness(seen.record.answer, self.keys.get(dialogue, set())) else ""


@dataclass(frozen=True, slots=True)
class TrainingSource:
    """The runs that training data is made from, opened."""

    benchmark: Benchmark | None
    """None where system texts are left out."""
    runs: Sequence[Conversations]


def open_training(run: Run, options: TrainingOptions, stack: ExitStack) -> TrainingSource:
    """Open the benchmark and the other runs.

    Args:
        run: The first run.
        options: What else there is.
        stack: Closes what is opened.

    Raises:
        UsageError: another benchmark, or runs that were judged in different ways.
    """
    runs = [run]
    for path in map(Path, options.also):
        if path.resolve() in {one.path.resolve() for one in runs}:
            raise UsageError(f"{path} is named more than once; its conversations would count double")
        other = load_run(path, read_only=True)
        stack.callback(other.close)
        _refuse_other(run, other)
        runs.append(other)
    benchmark = None if options.bench is None else open_played(Path(options.bench), run)
    opened = [Conversations(one, open_histories(one.settings, benchmark)) for one in runs]
    return TrainingSource(benchmark, opened)


def open_played(path: Path, run: Run) -> Benchmark:
    """Open the benchmark that a run played.

    Raises:
        UsageError: it is another one.
    """
    benchmark = open_benchmark(path)
    if benchmark.identity != run.settings.benchmark:
        raise UsageError(
            f"{path} is not the benchmark of {run.path}: its identity is {benchmark.identity}, and the run's is "
            f"{run.settings.benchmark}; name the one that was evaluated"
        )
    return benchmark


def _refuse_other(first: Run, other: Run) -> None:
    """Refuse a run on another benchmark, or one whose rewards mean something else."""
    different = different_fields(first.settings, other.settings)
    if "benchmark" in different or "scenario" in different:
        raise UsageError(f"{other.path} is a run on another benchmark than {first.path}; export it for itself")
    judged = [name for name in _JUDGED_BY if name in different]
    if judged:
        raise UsageError(
            f"{other.path} and {first.path} were judged in different ways ({', '.join(judged)}), so their rewards do "
            "not compare; export them apart, or judge one again with evolif rejudge"
        )

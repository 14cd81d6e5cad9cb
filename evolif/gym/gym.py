"""A benchmark opened for training: a policy plays its dialogues, and every turn has a reward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from evolif.config import EvalConfig
from evolif.errors import UsageError
from evolif.gym.rollout import Rollout, rollout_of
from evolif.metrics.rewards import REWARD_KINDS, RewardKind
from evolif.models import ChatModel
from evolif.runner import RunSettings
from evolif.runner.playing import PlayedSession, Player, Watch, unwatched
from evolif.scenario import Benchmark, get_scenario
from evolif.types import Message
from evolif.util.resources import complaint
from evolif.util.suggestions import did_you_mean


class Gym:
    """Plays the dialogues of a benchmark by a policy, many at once.

    Prompts, partner and verdicts are those of `evolif evaluate`; rules judge, and what needs a judge is not judged. In
    games, the partner is the scripted one. Patience is off unless it is given: a policy would otherwise learn to be
    spared its later turns.

    Args:
        bench: The benchmark, of any scenario.
        patience: Failed turns in a row that end a dialogue; None for none.
        max_turns: The most turns of the policy in a dialogue; the benchmark's cap if None. Scripts grow on demand.
        relevant: Whether an answer must be about its task, as one more requirement; for scenarios that can tell by
            rules.
        system_prompt: Whether the policy is told what the scenario tells models before anything else.
        options: Of the scenario's play, as `evolif evaluate --set` takes them.

    Raises:
        UsageError: the benchmark cannot be played so.

    Example:
        ```python
        gym = Gym(evolif.load_benchmark("my-bench"), max_turns=4)
        rollouts = await asyncio.gather(*(gym.rollout(policy, dialogue) for dialogue in gym.dialogues))
        ```
    """

    def __init__(
        self,
        bench: Benchmark,
        *,
        patience: int | None = None,
        max_turns: int | None = None,
        relevant: bool = False,
        system_prompt: bool = True,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.bench = bench
        self.identity = bench.identity
        """Of the benchmark; working it out reads files, which would cost more than a turn."""
        try:
            config = EvalConfig(
                models=("policy/model",),
                patience=patience,
                max_turns=max_turns,
                relevance="lexical" if relevant else "none",
                relevance_counts=relevant,
                system_prompt=system_prompt,
                options=tuple(f"{name}={value}" for name, value in (options or {}).items()),
            )
        except ValidationError as fault:
            raise UsageError(complaint(fault, "the gym")) from None
        self._player = Player(bench, config, has_patience=patience is not None)
        scenario = get_scenario(bench.scenario)
        self._read = scenario.rewarded
        self._player.headline()  # a benchmark that cannot be played so is refused here, before a policy is loaded
        unjudged = scenario.unjudged(bench)
        if unjudged is not None and unjudged.turns >= 1:
            raise UsageError(
                f"{bench.path}: rules judge nothing in it ({', '.join(unjudged.groups)} need a judge), so it has no "
                "rewards; take a benchmark that rules can judge"
            )

    @property
    def dialogues(self) -> list[int]:
        """The numbers of the dialogues, in order."""
        return self.bench.dialogues()

    def settings(self, policy: ChatModel) -> RunSettings:
        """The settings that a run of this policy would have."""
        return self._player.settings(policy)

    async def opening(self, dialogue: int) -> tuple[Message, ...]:
        """What a policy is sent first: the system text, if there is one, and the first prompt.

        Args:
            dialogue: Which one.

        Raises:
            ArgumentError: the policy does not speak first in it.
            UsageError: something is missing that its prompts need.
        """
        return await self._player.opening(dialogue)

    async def rollout(self, policy: ChatModel, dialogue: int, epoch: int = 1, watch: Watch = unwatched) -> Rollout:
        """Play one dialogue.

        Args:
            policy: Answers; several of its calls may be under way at once.
            dialogue: Which one.
            epoch: The repetition, from 1; sampling seeds differ with it.
            watch: Told after each turn.

        Raises:
            Exception: what a call of the policy raised.
            UsageError: the dialogue cannot be played.
        """
        return self.of(await self._player.play(policy, dialogue, epoch, watch))

    def of(self, played: PlayedSession) -> Rollout:
        """What was played, as a rollout; for those who watch one under way."""
        return rollout_of(played, self.bench.scenario, self.identity, self._read)


def reward_kind(name: str) -> RewardKind:
    """The reward of that name.

    Raises:
        UsageError: there is none.
    """
    for kind in REWARD_KINDS:
        if kind == name:
            return kind
    raise UsageError(f"there is no reward {name}; choose {', '.join(REWARD_KINDS)}{did_you_mean(name, REWARD_KINDS)}")

"""A dialogue that a policy played, as JSON: what it was shown, what it said, how that was judged, and what it earns."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from evolif.errors import UsageError
from evolif.metrics.rewards import REWARD_KINDS, ReadScores, RewardKind, reward_of, turn_rewards
from evolif.runner.playing import PlayedSession, PlayedTurn
from evolif.types import Ending, JudgedTurn, Message
from evolif.util.resources import complaint


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RolloutMessage(_Part):
    """A message as chat templates read it."""

    role: Literal["system", "user", "assistant"]
    content: str
    images: tuple[str, ...] = ()
    """The SHA-256 of each picture; the pictures themselves stay with the benchmark."""


class RolloutVerdict(_Part):
    """What became of one requirement."""

    group: str
    satisfied: bool | None
    """None if nobody could judge it."""
    expected: str
    found: str


class RolloutTurn(_Part):
    """One turn of the policy."""

    turn: int
    """From 1, over all seats."""
    shown: tuple[RolloutMessage, ...]
    """New since the policy last spoke."""
    answer: str
    truncated: bool
    """Whether the answer stopped at its longest length."""
    verdicts: tuple[RolloutVerdict, ...]
    rewards: dict[RewardKind, float | None]
    """None where nothing was judged."""


class Rollout(_Part):
    """A dialogue that a policy played.

    Example:
        ```python
        rollout = await gym.rollout(policy, dialogue=1)
        weights = [reward or 0.0 for reward in rollout.rewards("dense")]
        assert Rollout.from_json(rollout.to_json()) == rollout
        ```
    """

    scenario: str
    benchmark: str
    """Its identity."""
    dialogue: int
    epoch: int
    """The repetition, from 1: rollouts of one group differ in nothing else."""
    system: str
    """What the policy was told before anything else; empty for nothing."""
    turns: tuple[RolloutTurn, ...]
    ending: Ending | None
    """None if it was stopped in the middle."""
    cause: str
    """Why it ended, in one or two words: `patience`, `cap`, …"""
    reward_by: dict[RewardKind, float | None]
    """What the whole dialogue earns; None if nothing in it was judged."""

    def reward(self, kind: RewardKind) -> float | None:
        """What the whole dialogue earns, from 0 to 1; None if nothing in it was judged.

        Args:
            kind: Which reward.
        """
        return self.reward_by[kind]

    def rewards(self, kind: RewardKind) -> tuple[float | None, ...]:
        """What each turn earns, from 0 to 1; None where nothing was judged.

        Args:
            kind: Which reward.
        """
        return tuple(turn.rewards[kind] for turn in self.turns)

    @property
    def messages(self) -> tuple[RolloutMessage, ...]:
        """The whole conversation as the policy had it, in the order in which it was said.

        In games every prompt tells the history again, and the policy was shown the last one only.
        """
        told = [RolloutMessage(role="system", content=self.system)] if self.system else []
        for turn in self.turns:
            told += [*turn.shown, RolloutMessage(role="assistant", content=turn.answer)]
        return tuple(told)

    def to_json(self) -> str:
        """One line of JSON."""
        return self.model_dump_json()

    @classmethod
    def from_json(cls, text: str) -> Rollout:
        """The rollout that `to_json` wrote.

        Raises:
            UsageError: it is none.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as fault:
            raise UsageError(complaint(fault, "a rollout")) from None


def rollout_of(played: PlayedSession, scenario: str, benchmark: str, read: ReadScores) -> Rollout:
    """A played dialogue as a rollout.

    Args:
        played: As the runner gives it.
        scenario: Its name.
        benchmark: The identity.
        read: How the scenario's scores reward a turn without verdicts.
    """
    session = played.session
    by_kind = {kind: turn_rewards(session, kind, read) for kind in REWARD_KINDS}
    own = [turn for turn in session.turns if turn.seat == "target"]
    turns = tuple(
        _turn(said, judged, {kind: rewards[place] for kind, rewards in by_kind.items()})
        for place, (said, judged) in enumerate(zip(played.turns, own, strict=False))  # the last may not be judged yet
    )
    return Rollout(
        scenario=scenario,
        benchmark=benchmark,
        dialogue=session.dialogue,
        epoch=session.epoch,
        system=played.system,
        turns=turns,
        ending=session.ending,
        cause=session.cause,
        reward_by={kind: reward_of(session, kind, read) for kind in REWARD_KINDS},
    )


def _turn(said: PlayedTurn, judged: JudgedTurn, rewards: dict[RewardKind, float | None]) -> RolloutTurn:
    verdicts = tuple(
        RolloutVerdict(group=one.group, satisfied=one.satisfied, expected=one.expected, found=one.found)
        for one in judged.verdicts
    )
    return RolloutTurn(
        turn=said.turn,
        shown=tuple(map(_message, said.shown)),
        answer=said.answer,
        truncated=said.truncated,
        verdicts=verdicts,
        rewards=rewards,
    )


def _message(message: Message) -> RolloutMessage:
    pictures = tuple(image.digest for image in message.images)
    return RolloutMessage(role=message.role, content=message.content, images=pictures)

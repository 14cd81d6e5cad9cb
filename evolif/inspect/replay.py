"""A conversation that is there already, judged: the session is played again, with its answers for the model's.

So prompts, patience, cap and verdicts are those of a run, and what the user has said is held against them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolif.errors import UsageError
from evolif.inspect.playing import TaskPlayer, TaskSession
from evolif.models import ChatRequest, Reply
from evolif.runner.playing import PlayedSession
from evolif.text import clip, plain
from evolif.types import Message, Session

_CONNECTIONS = 256
_SHOWN = 60
"""Characters of a message in a sentence."""
_UNSCORED = ", so nothing of it is scored"


class MismatchError(UsageError):
    """The conversation is not that of the dialogue, or ends before it; the sentence says in which turn."""


class _ScriptOverError(Exception):
    """All that the data set gave was said, and the session would go on."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What the user says, and what is answered before the user speaks again."""

    asked: Any
    """The user's message."""
    answers: tuple[Any, ...]
    """The messages of the assistant."""


def rounds(messages: Sequence[Any]) -> list[_Said]:
    """A conversation by messages of the user; what precedes the first one, and what tools say, is nobody's turn.

    Args:
        messages: Messages of Inspect.
    """
    found: list[tuple[Any, list[Any]]] = []
    for message in messages:
        if message.role == "user":
            found.append((message, []))
        elif message.role == "assistant" and found:
            found[-1][1].append(message)
    return [_Said(asked, tuple(answers)) for asked, answers in found]


class Replay:
    """The seat of the model under test, taken by a conversation; implements `ChatModel`.

    Args:
        name: The model that was asked.
        messages: The conversation, messages of Inspect.
        dialogue: Which dialogue it should be.
        script: How many turns the data set gave; None if that is open.
    """

    connections = _CONNECTIONS

    def __init__(self, name: str, messages: Sequence[Any], dialogue: int, script: int | None) -> None:
        self.name = name
        self.output: Any = None
        self._dialogue = dialogue
        self._script = script
        self._rounds = rounds(messages)
        self._place = 0
        self._known = 0
        self.so_far: PlayedSession | None = None

    def watch(self, played: TaskSession) -> None:
        """Take note of what was played."""
        self.so_far = played.played

    async def complete(self, request: ChatRequest) -> Reply:
        """The answer to the prompt, if the conversation has it there.

        Raises:
            MismatchError: it has something else, or nothing.
        """
        prompt = request.prompt
        if prompt is None or prompt.seat != "target":
            raise UsageError("a conversation answers for the model under test only; leave partner=self out")
        self._pass_given()
        answer = self._answer(prompt.messages, prompt.turn)
        self._known += 1
        return Reply(answer)

    def _pass_given(self) -> None:
        """Turns whose answers the scenario has, so that nobody was asked; the conversation has them, too."""
        turns = () if self.so_far is None else self.so_far.turns
        for turn in turns[self._known :]:
            self._answer(turn.shown, turn.turn)
            self._known += 1

    def _answer(self, shown: Sequence[Message], turn: int) -> str:
        """What is answered to the messages of a turn."""
        answers: tuple[Any, ...] = ()
        for message in shown:
            if message.role == "user":
                answers = self._round(message, turn)
        if not answers:
            raise MismatchError(
                f"turn {turn} of dialogue {self._dialogue} has no answer in the conversation{_UNSCORED}"
            )
        return str(answers[-1].text)

    def _round(self, message: Message, turn: int) -> tuple[Any, ...]:
        """What follows on a message of the user, which must be the next of the conversation."""
        if self._place == len(self._rounds):
            if self._script is not None and self._place >= self._script:
                raise _ScriptOverError
            raise MismatchError(
                f"the conversation ends before turn {turn} of dialogue {self._dialogue}, which goes on{_UNSCORED}"
            )
        found = self._rounds[self._place]
        self._place += 1
        if found.asked.text != message.content:
            said, asked = clip(plain(found.asked.text), _SHOWN), clip(plain(message.content), _SHOWN)
            raise MismatchError(
                f"turn {turn} of dialogue {self._dialogue} differs: the user says “{said}” where the dialogue has "
                f"“{asked}”{_UNSCORED}"
            )
        return found.answers

    async def aclose(self) -> None:
        """There is nothing to close."""


async def replayed(player: TaskPlayer, replay: Replay, dialogue: int, epoch: int) -> Session:
    """The session of a conversation.

    Args:
        player: Plays the dialogues of its benchmark.
        replay: The conversation.
        dialogue: Which dialogue it is.
        epoch: Which repetition.

    Raises:
        MismatchError: it is another conversation, or only the beginning of it.
        UsageError: the session cannot be played.
    """
    try:
        return (await player.play(replay, dialogue, epoch, replay.watch)).session
    except _ScriptOverError:
        assert replay.so_far is not None, "a script has a turn"
        return replace(replay.so_far.session, ending="censored", cause="benchmark", reason="the script ends here")

"""Plays a dialogue against a model: who answers which turn, and what later turns are shown of it (paper, §3.2).

On-policy, a model sees its own answers in the history. Off-policy, it sees the references instead, so every turn is
asked under the same history, whatever was answered before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from evolif.errors import ArgumentError, EvolifError
from evolif.scenarios.recorded.schema import Dialog, Turn
from evolif.types import Message

Policy = Literal["on", "off", "dialogue"]
"""What the history holds of an evaluated turn; `dialogue`: as the dialogue's `use_reference_history` says."""
Answer = Callable[[tuple[Message, ...]], Awaitable[str]]
"""Gives the answer to the messages so far."""


class Interrupted(EvolifError):
    """A fault ended a dialogue; the fault is the cause.

    Args:
        dialog: The turns up to the fault, with their answers.
        turn: The id of the turn that got none.
        reason: What happened.
    """

    def __init__(self, dialog: Dialog, turn: int | None = None, reason: str = "") -> None:
        super().__init__(dialog, turn, reason)
        self.dialog = dialog
        self.turn = turn
        self.reason = reason

    def __str__(self) -> str:
        place = f"dialogue {self.dialog.dialog_id}" + ("" if self.turn is None else f", turn {self.turn}")
        return f"{place}: no answer" + (f" ({self.reason})" if self.reason else "")


def is_off_policy(dialog: Dialog, policy: Policy = "dialogue") -> bool:
    """Whether the history of a dialogue holds references rather than answers."""
    return dialog.dialog_eval_config.use_reference_history if policy == "dialogue" else policy == "off"


def continued_with(turn: Turn, answer: str, *, off_policy: bool) -> str:
    """What the history holds after an evaluated turn.

    Args:
        turn: As it stands in the dialogue, before it was answered.
        answer: The model's.
        off_policy: Whether the first reference, or else the turn's own content, stands for the answer.
    """
    if not off_policy:
        return answer
    return turn.references[0] if turn.references else turn.text


def require_references(dialog: Dialog) -> None:
    """Check that a dialogue can be played off-policy.

    Raises:
        ArgumentError: an evaluated turn has neither reference nor content, and a later turn is evaluated.
    """
    evaluated = [turn for turn in dialog.dialog_turns if turn.evaluated]
    for turn in evaluated[:-1]:
        if not turn.references and turn.content is None:
            raise ArgumentError(
                f"dialogue {dialog.dialog_id}, turn {turn.turn_id}: later turns cannot be played off-policy, since it "
                "has neither a reference nor content; add a reference, or play the dialogue on-policy"
            )


async def play(dialog: Dialog, answer: Answer, *, policy: Policy = "dialogue") -> Dialog:
    """Have every evaluated turn of a dialogue answered.

    Args:
        dialog: It is not changed.
        answer: Awaited with the messages before each evaluated turn, in order.
        policy: What the messages hold of evaluated turns.

    Returns:
        A copy with the answers as the contents of evaluated turns.

    Raises:
        ArgumentError: as for `require_references`, before the first call.
        Interrupted: a call failed; holds the turns before it.
    """
    off_policy = is_off_policy(dialog, policy)
    if off_policy:
        require_references(dialog)
    messages: list[Message] = []
    turns: list[Turn] = []
    for turn in dialog.dialog_turns:
        if turn.evaluated:
            try:
                text = await answer(tuple(messages))
            except Exception as fault:
                raise Interrupted(dialog.with_turns(turns), turn.turn_id, str(fault)) from fault
            turns.append(turn.model_copy(update={"content": text}, deep=True))
            messages.append(Message("assistant", continued_with(turn, text, off_policy=off_policy)))
        else:
            turns.append(turn.model_copy(deep=True))
            messages.append(Message(turn.role, turn.text))
    return dialog.with_turns(turns)

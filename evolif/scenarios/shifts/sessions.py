"""Stored sessions of topic-shift dialogues, as reports read them: goals, decisions, what the last call was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolif.contexts import Forest
from evolif.scenario import ModelsView, ModelView, TurnView
from evolif.scenarios.shifts.checking import check_answer, rules_of
from evolif.scenarios.shifts.decisions import MoveScore, move_forest, score_moves
from evolif.scenarios.shifts.dialogue import Returns
from evolif.scenarios.shifts.lines import dialogue_of_prompts
from evolif.scenarios.shifts.reader import answer_from
from evolif.scenarios.shifts.recall import node_recall
from evolif.scenarios.shifts.results import GoalOutcome, outcomes_of
from evolif.types import Message, Prompt, Session

Heard = Callable[[Prompt, str], str]
"""From a prompt and its answer to what later calls show of the answer."""


@dataclass(frozen=True, slots=True)
class PlayedDialogue:
    """One session that came to the final answer.

    Attributes:
        number: Of the dialogue.
        goals: What became of each.
        has_gold: Whether the dialogue was generated; imported ones have no gold, and nothing of what follows.
        sources: How many distinct turns its goals come from.
        present: How many of its goals are values to be there.
        returns: Of each turn, how it returns; None if it does not.
        moves: Each turn compared with the gold; empty if the strategy decides nothing.
        recall: As `node_recall` gives it; None without gold.
        ceiling: The share of the goals that `sim/reader` satisfies with what the last call was sent; None without gold.
    """

    number: int
    goals: tuple[GoalOutcome, ...]
    has_gold: bool = False
    sources: int = 0
    present: int = 0
    returns: tuple[Returns | None, ...] = ()
    moves: tuple[MoveScore, ...] = ()
    recall: Mapping[str, float | None] | None = None
    ceiling: float | None = None

    @property
    def share(self) -> float | None:
        """The share of its goals that are satisfied, of those that were judged."""
        judged = [goal.satisfied for goal in self.goals if goal.satisfied is not None]
        return sum(judged) / len(judged) if judged else None


def play_of(session: Session, records: Sequence[TurnView], heard: Heard) -> PlayedDialogue | None:
    """Read a stored session.

    Args:
        session: Finished or censored.
        records: Its turns (`evolif.runner.TurnRecord`).
        heard: Of the run's environment.

    Returns:
        None if it has no final answer.
    """
    if not records:
        return None
    goals = outcomes_of(records[-1].judged)
    if not goals:
        return None
    dialogue = dialogue_of_prompts(record.prompt for record in records)
    if dialogue is None:
        return PlayedDialogue(session.dialogue, tuple(goals))
    decisions = [None if record.built is None else record.built.decision for record in records]
    moves = score_moves(dialogue, decisions) if any(decisions) else []
    shown = shown_last(records)
    messages = list(messages_last(records, shown, heard))
    final = records[-1].prompt
    read = check_answer(dialogue, answer_from(messages, final), rules=rules_of(final.payload))
    return PlayedDialogue(
        session.dialogue,
        tuple(goals),
        has_gold=True,
        sources=len({turn for goal in dialogue.checkpoints for turn in goal["provenance"]}),
        present=sum(goal.get("polarity", "present") == "present" for goal in dialogue.checkpoints),
        returns=tuple(turn.returns for turn in dialogue.turns),
        moves=tuple(moves),
        recall=node_recall(dialogue, shown, messages),
        ceiling=sum(goal["satisfied"] for goal in read) / len(read) if read else None,
    )


def shown_last(records: Sequence[TurnView]) -> Mapping[int, str]:
    """How the last call showed the earlier rounds; under `full` it showed all of them."""
    built = records[-1].built
    if built is None:
        return dict.fromkeys(range(1, len(records)), "full")
    return built.shown


def messages_last(records: Sequence[TurnView], shown: Mapping[int, str], heard: Heard) -> Iterable[Message]:
    """What the last call was sent, as far as its strategy is known, without the scenario's system text.

    Summaries are notes of the strategies `tree` and `summary`, at the turns that made them.
    """
    lines: dict[str, Any] = {}
    for name in ("summaries", "condensed"):  # a condensed line takes the place of the longer one
        for record in records:
            noted = record.notes.get(name)
            lines |= noted if isinstance(noted, Mapping) else {}
    opening = _opening(records, {number: str(lines.get(str(number), "")) for number in shown})
    if opening:
        yield Message("system", opening)
    for number, record in enumerate(records[:-1], 1):
        if shown.get(number) == "full":
            yield from record.prompt.messages
            yield Message("assistant", heard(record.prompt, record.answer))
    yield from records[-1].prompt.messages


def _opening(records: Sequence[TurnView], lines: Mapping[int, str]) -> str:
    """The summaries of the last call in their order, which for topic trees is not that of time."""
    built = records[-1].built
    if built is None or built.decision is None:
        summarised = () if built is None else (number for number, how in built.shown.items() if how == "summary")
        return "\n".join(lines[number] for number in summarised if lines[number])
    forest = Forest()
    for number, record in enumerate(records[:-1], 1):
        move_forest(forest, None if record.built is None else record.built.decision)
        forest.add("", "", lines.get(number) or None)
    move_forest(forest, built.decision)
    return forest.opening()


def plays_of(board: ModelsView) -> dict[str, list[PlayedDialogue]]:
    """The sessions in the figures, by the names of models side by side."""
    return {name: plays_of_model(model) for name, model in zip(board.heads, board.models, strict=True)}


def plays_of_model(model: ModelView) -> list[PlayedDialogue]:
    """The sessions of one model that came to the final answer; read once a report."""
    return model.cached("shifts", lambda: list(_read(model)))


def _whole(prompt: Prompt, answer: str) -> str:
    """What later calls show of an answer in this scenario: all of it."""
    return answer


def _read(model: ModelView) -> Iterator[PlayedDialogue]:
    early = model.of.early_end
    for session, records in model.of.run.transcripts(model.name):
        if session.ending in ("finished", "censored") and (early is None or session.dialogue in early.dialogues):
            play = play_of(session, records, _whole)
            if play is not None:
                yield play

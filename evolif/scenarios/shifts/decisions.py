"""How far the decisions of a context strategy agree with the gold of a dialogue (Context-Agent, topic trees)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolif.contexts import Forest
from evolif.errors import ArgumentError
from evolif.scenarios.shifts.dialogue import ShiftDialogue, ShiftTurn
from evolif.text import plural

Decision = Mapping[str, Any] | None
"""As `Context.decision` gives it: `topic` and `branch`; None for going on."""


@dataclass(frozen=True, slots=True)
class MoveScore:
    """What became of one turn, compared with its gold.

    Attributes:
        turn: From 1.
        topic: Whether a tree was created exactly if the gold says so, and the active tree began with the turn's topic;
            None for the first turn, where nothing is to be decided.
        fork: Of an alternative, whether a branch was created at the turn that the gold names; None for other turns.
        extra_branch: Whether a branch was created where the gold has none.
        arrived: Of a return, whether it led to the gold branch of the gold topic; None for other turns.
    """

    turn: int
    topic: bool | None
    fork: bool | None
    extra_branch: bool
    arrived: bool | None


def score_moves(dialogue: ShiftDialogue, decisions: Sequence[Decision]) -> list[MoveScore]:
    """Compare each decision of a strategy with the gold of its turn.

    Args:
        dialogue: With the gold of every turn.
        decisions: One for each turn. None goes on, and so does one that no forest accepts.

    Raises:
        ArgumentError: there is not one decision for each turn.
    """
    if len(decisions) != len(dialogue.turns):
        raise ArgumentError(
            f"there are {plural(len(decisions), 'decision')} for {plural(len(dialogue.turns), 'turn')}; give "
            "one for each turn"
        )
    forest = Forest()
    opened: set[int] = set()
    scores = []
    for turn, decision in zip(dialogue.turns, decisions, strict=True):
        taken = move_forest(forest, decision)
        scores.append(_score(dialogue, turn, taken, forest.path(), is_new=turn.topic not in opened))
        opened.add(turn.topic)
        forest.add(turn.query, "")
    return scores


def decision_scores(dialogue: ShiftDialogue, decisions: Sequence[Decision]) -> dict[str, float | int | None]:
    """Summarise how far the decisions of a strategy agree with the gold of a dialogue.

    Args:
        dialogue: With the gold of every turn.
        decisions: One for each turn, as `Context.decision` gave them; None goes on.

    Returns:
        `topic_accuracy`, `fork_accuracy`, `return_accuracy`, `return_named` and `return_implicit` from 0 to 1, None
        where the dialogue has nothing of the kind; `extra_branches`, a count.

    Raises:
        ArgumentError: there is not one decision for each turn.
    """
    scores = score_moves(dialogue, decisions)
    returns = [(turn.returns, score.arrived) for turn, score in zip(dialogue.turns, scores, strict=True)]
    return {
        "topic_accuracy": _share([score.topic for score in scores]),
        "fork_accuracy": _share([score.fork for score in scores]),
        "extra_branches": sum(score.extra_branch for score in scores),
        "return_accuracy": _share([arrived for _, arrived in returns]),
        "return_named": _share([arrived for how, arrived in returns if how == "named"]),
        "return_implicit": _share([arrived for how, arrived in returns if how == "implicit"]),
    }


def misplaced(turns: Sequence[ShiftTurn], decisions: Sequence[Decision]) -> dict[int, str]:
    """The turns that the decisions of a strategy put where they do not belong, each with what is right.

    Args:
        turns: With their gold, from the first on.
        decisions: One for each turn.

    Raises:
        ArgumentError: there is not one decision for each turn.
    """
    dialogue = ShiftDialogue("", tuple(turns), (), "")
    scores = score_moves(dialogue, decisions)
    found = {turn.turn: _what_is_right(turn, score, turns) for turn, score in zip(turns, scores, strict=True)}
    return {number: told for number, told in found.items() if told}


def _what_is_right(turn: ShiftTurn, score: MoveScore, turns: Sequence[ShiftTurn]) -> str:
    """Where a turn belongs, if it is not there; empty if it is."""
    opened = next(one.turn for one in turns if one.topic == turn.topic)
    if score.topic is False:
        return "opens a topic" if opened == turn.turn else f"belongs to the topic of turn {opened}"
    if score.fork is False:
        return f"branches off from turn {turn.fork}"
    if score.arrived is False:
        return f"belongs to branch {turn.branch} of the topic of turn {opened}"
    return "opens no branch" if score.extra_branch else ""


def move_forest(forest: Forest, decision: Decision) -> Mapping[str, Any]:
    """Move as decided; a decision that is invalid goes on, as the strategy itself does."""
    given = decision if isinstance(decision, Mapping) else {}
    try:
        return forest.move(given.get("topic"), given.get("branch"))
    except ArgumentError:
        return forest.move()


def _score(
    dialogue: ShiftDialogue, turn: ShiftTurn, taken: Mapping[str, Any], path: Sequence[int], *, is_new: bool
) -> MoveScore:
    """Compare a move with the gold.

    Args:
        dialogue: The turn's.
        turn: The turn.
        taken: The decision as it took effect.
        path: From the root to the current node after the move, before the turn's own node exists.
        is_new: Whether the turn opens its topic.
    """
    created = taken["topic"]["action"] == "CREATE_TOPIC"
    root = dialogue.turns[path[0] - 1] if path else turn
    current = dialogue.turns[path[-1] - 1] if path else None
    forks = taken["branch"] is not None and taken["branch"]["action"] == "CREATE_BRANCH"
    is_alternative = turn.move == "alternative"
    there = current is not None and (current.topic, current.branch) == (turn.topic, turn.branch)
    return MoveScore(
        turn=turn.turn,
        topic=None if turn.turn == 1 else created == is_new and root.topic == turn.topic,
        fork=forks and path[-1] == turn.fork if is_alternative else None,
        extra_branch=forks and not is_alternative,
        arrived=there if turn.returns is not None else None,
    )


def _share(outcomes: Sequence[bool | None]) -> float | None:
    counted = [outcome for outcome in outcomes if outcome is not None]
    return sum(counted) / len(counted) if counted else None

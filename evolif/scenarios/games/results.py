"""Results of games as scores of turns, and the figures that follow from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evolif.metrics import MetricTable
from evolif.scenarios.games.ending import Heard, Ruling
from evolif.scenarios.games.player_view import View
from evolif.types import JudgedTurn, Score, Session

TOKENS, CORRECT, EARLY, TURN_SHARE, TOKEN_SHARE = "tokens", "correct", "early", "turn_share", "token_share"
_TERMS = ("correct", "games", "early", "early_correct", "turn_share", "token_share", "cut", "spoken")


def _terms(session: Session) -> tuple[float, ...]:
    """What one dialogue adds; one without a result adds nothing."""
    last = _result(session)
    if last is None:
        return (0.0,) * len(_TERMS)
    own = {score.name: score.value or 0.0 for score in last.scores}
    cut = sum("truncated" in score.found.split(",") for turn in session.turns for score in turn.scores[:1])
    early = own[EARLY]
    return own[CORRECT], 1, early, early * own[CORRECT], own[TURN_SHARE], own[TOKEN_SHARE], cut, len(session.turns)


def _result(session: Session) -> JudgedTurn | None:
    """The turn that ended the game; None if it did not end."""
    last = session.turns[-1] if session.turns else None
    return last if last is not None and any(score.name == CORRECT for score in last.scores) else None


TABLE = MetricTable(
    _TERMS,
    _terms,
    {
        "accuracy": ("correct", "games"),
        "early": ("early", "games"),
        "early_accuracy": ("early_correct", "early"),
        "turn_share": ("turn_share", "games"),
        "token_share": ("token_share", "games"),
        "cut": ("cut", "spoken"),
    },
    kept="games/1",
    labels={
        "accuracy": "Accuracy",
        "early": "Answered early",
        "early_accuracy": "Accuracy of early answers",
        "turn_share": "Turns used",
        "token_share": "Tokens used",
        "cut": "Turns cut",
    },
    meanings={
        "accuracy": "games with the right answer",
        "early": "games answered before the last turn",
        "early_accuracy": "right answers among these",
        "turn_share": "share of the turns that were used",
        "token_share": "share of the tokens that were used",
        "cut": "turns that were longer than allowed",
    },
    beside=frozenset({"early", "early_accuracy", "turn_share", "token_share", "cut"}),
    cluster="instance",
)
"""The figures of games. All dialogues of an instance, whatever their turns, belong together."""


def scores_of(view: View, heard: Heard, ruling: Ruling, before: int, total: int) -> tuple[Score, ...]:
    """The scores of one turn: its tokens, and at the end the result.

    Args:
        view: Whose turn it was.
        heard: What was heard.
        ruling: What it did to the game.
        before: Tokens of all turns before.
        total: Tokens that the dialogue may have.
    """
    scores = [Score(TOKENS, heard.tokens, found=",".join(ruling.flags))]
    if ruling.final is not None:
        reason = ruling.final["reason"]
        scores += [
            Score(CORRECT, float(reason == "correct"), found=reason),  # exports hold scores, so not the key
            Score(EARLY, float(not view.is_final)),
            Score(TURN_SHARE, view.turn / view.turns),
            Score(TOKEN_SHARE, (before + heard.tokens) / total),
        ]
    return tuple(scores)


def outcomes_of(sessions: Iterable[Session]) -> list[dict[str, Any]]:
    """What tables of accuracy need of the dialogues that have a result, in the form that `play` returns.

    Args:
        sessions: Of one model in one run.
    """
    found: list[dict[str, Any]] = []
    for session in sessions:
        last = _result(session)
        if last is None:
            continue
        labels = last.labels
        [correct] = [score for score in last.scores if score.name == CORRECT]
        found.append(
            {
                "instance": {"game": labels["game"], "number": labels["instance"]},
                "turns": [],
                "final": {"reason": correct.found},
                "turn_budget": labels["turn_budget"],
                "pair": [],
                "modality": labels["modality"],
            }
        )
    return found

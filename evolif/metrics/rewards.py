"""Rewards of turns and of whole dialogues, for training on what is measured.

- `dense`: a turn earns the share of its judged requirements that hold, a dialogue the mean over its judged turns. It
  sees progress on hard turns, and almost all of a turn is almost as good as all.
- `turn`: a turn earns 1 if all of them hold, else 0, a dialogue the mean over its judged turns. It is what a user would
  accept, and it says nothing while every turn fails.
- `session`: a turn earns 1/N if all of them hold, else 0, a dialogue the number of good turns over N, which is how many
  turns it has by its script. Turns that are not reached because patience ran out earn nothing.

With `dense` and `turn` a policy that ends a dialogue early is spared its later turns, which are harder. So train
without patience, or use `session`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum
from typing import Literal, get_args

from evolif.metrics.process import ended_by_itself, walk_patience
from evolif.metrics.terms import credit_of
from evolif.types import JudgedTurn, Score, Session

RewardKind = Literal["dense", "turn", "session"]
REWARD_KINDS: tuple[RewardKind, ...] = get_args(RewardKind)
ReadScores = Callable[[Sequence[Score]], Sequence[float]]
"""What of a turn's scores rewards it where nothing has a verdict, from 0 to 1 each; see `Scenario.rewarded`."""


def no_scores(scores: Sequence[Score]) -> Sequence[float]:
    """For scenarios whose scores reward nothing."""
    return ()


def turn_rewards(session: Session, kind: RewardKind, read: ReadScores = no_scores) -> tuple[float | None, ...]:
    """What each turn of the model under test earns.

    Args:
        session: The dialogue as it was played.
        kind: Which reward.
        read: How the scenario's scores reward a turn without verdicts.

    Returns:
        One from 0 to 1 for each turn, in order; None for a turn in which nothing was judged. With `session` their sum
        is the reward of the dialogue.

    Example:
        >>> good, bad = (Verdict("words", holds, "", "") for holds in (True, False))
        >>> turns = JudgedTurn(1, (good, bad)), JudgedTurn(2, (good,))
        >>> played = Session("m", 1, 1, None, "censored", turns=turns, cause="cap", cap=4)
        >>> [turn_rewards(played, kind) for kind in REWARD_KINDS]
        [(0.5, 1.0), (0.0, 1.0), (0.0, 0.25)]
    """
    shares = _shares(session, read)
    if kind == "dense":
        return tuple([None if share is None else share.credit for share in shares])
    goods = [None if share is None else share.all_hold for share in shares]
    if kind == "turn":
        return tuple([None if good is None else float(good) for good in goods])
    counted = walk_patience(goods, session.patience).turns
    requests = requests_of(session, sum(good is not None for good in goods))
    return tuple(
        [None if good is None else float(good and place < counted) / requests for place, good in enumerate(goods)]
    )


def reward_of(session: Session, kind: RewardKind, read: ReadScores = no_scores) -> float | None:
    """What a whole dialogue earns, from 0 to 1; None if nothing in it was judged.

    Args:
        session: The dialogue as it was played.
        kind: Which reward.
        read: How the scenario's scores reward a turn without verdicts.
    """
    found = [reward for reward in turn_rewards(session, kind, read) if reward is not None]
    if not found:
        return None
    return fsum(found) if kind == "session" else fsum(found) / len(found)


def requests_of(session: Session, judged: int) -> int:
    """N: the judged turns that a dialogue has by its script; at least those that were played, and 1.

    Args:
        session: The dialogue as it was played.
        judged: How many of its turns were judged.
    """
    if ended_by_itself(session) or session.cap is None:
        return max(1, judged)
    return max(1, judged, session.cap)


class _Share:
    """How much of a turn holds."""

    __slots__ = ("all_hold", "credit")

    def __init__(self, parts: Sequence[float], credit: float | None) -> None:
        self.all_hold = all(part == 1 for part in parts)
        self.credit = fsum(parts) / len(parts) if credit is None else credit


def _shares(session: Session, read: ReadScores) -> list[_Share | None]:
    """Of each turn of the model under test; what its partner's answer brings belongs to the turn before it."""
    found: list[_Share | None] = []
    for turn in session.turns:
        share = _share(turn, read)
        if turn.seat == "target":
            found.append(share)
        elif share is not None and found and found[-1] is None:
            found[-1] = share
    return found


def _share(turn: JudgedTurn, read: ReadScores) -> _Share | None:
    """None where nothing was judged."""
    parts = [float(holds) for holds in turn.judged] or list(read(turn.scores))
    return _Share(parts, credit_of(turn)) if parts else None

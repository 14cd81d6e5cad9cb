"""Figures of games: accuracy against turns, the odds of guess-and-check, and tables of accuracy and of proposals.

A *dialogue* is what `play` returns, as plain JSON: `instance`, `turns`, `final`, `turn_budget`, `pair`, `modality`. One
without a result (no `final`, or no reason in it) was broken off and counts nowhere.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias, TypedDict

from evolif.errors import ArgumentError
from evolif.metrics import MetricTable, Row, pair_test
from evolif.metrics.intervals import ratio_interval
from evolif.metrics.pairs import PairTest
from evolif.metrics.statistics import Interval
from evolif.scenarios.games.arguments import items_of, whole
from evolif.scenarios.games.proposals import answer_proposal
from evolif.scenarios.games.reading import parse_chess

Dialogue: TypeAlias = Mapping[str, Any]
Sums: TypeAlias = Mapping[str, Row]
"""The name of an instance to its right answers and its dialogues."""
CEILING = 1.0
"""What a player who sees both parts reaches: each instance carries a proof."""
_ROUNDING = 1e-12
_ACCURACY = MetricTable(("right", "dialogues"), lambda session: (0.0, 0.0), {"accuracy": ("right", "dialogues")})
"""Rows are made of dialogues here; nothing asks it for sessions."""


class Isotoken(TypedDict):
    """Accuracy against turns, all with the same budget of tokens.

    Attributes:
        gain: Accuracy at the most turns minus that at the fewest.
        best_turns: Where it is highest; the fewest where tied.
        monotone_non_decreasing: Whether more turns never lower it.
    """

    gain: float
    best_turns: int
    monotone_non_decreasing: bool


class AccuracyRow(TypedDict):
    """The accuracy of one pair in one game at one turn budget.

    Attributes:
        game: Its name.
        modality: Whether pictures or texts were shown; None if the dialogues do not say.
        pair: Both players, the first to speak first.
        turn_budget: The turns allowed.
        n: Dialogues with a result.
        accuracy: The share of them whose answer is correct.
        low: The lower end of its 95 % interval over instances; None with fewer than six of them.
        high: Its upper end.
        floor: Mean accuracy of the best guess from one part; None if an instance does not say.
        ceiling: Accuracy with both parts.
        normalised: (accuracy - floor) / (ceiling - floor); None if that is undefined.
        chance: Mean accuracy of a blind guess; None if an instance does not say.
    """

    game: str
    modality: str | None
    pair: Any
    turn_budget: int
    n: int
    accuracy: float
    low: float | None
    high: float | None
    floor: float | None
    ceiling: float
    normalised: float | None
    chance: float | None


class GainRow(TypedDict):
    """What turns gain one pair in one game, over the instances played at the fewest and at the most turns.

    Attributes:
        game: Its name.
        modality: As in `AccuracyRow`.
        pair: As in `AccuracyRow`.
        fewest: The smallest turn budget.
        most: The largest.
        instances: Played at both.
        gain: Accuracy at the most turns minus that at the fewest, over them; None without any.
        low: The lower end of its 95 % interval, paired over instances (`pair_test`); None with fewer than six of them.
        high: Its upper end.
    """

    game: str
    modality: str | None
    pair: Any
    fewest: int
    most: int
    instances: int
    gain: float | None
    low: float | None
    high: float | None


class ProposalRow(TypedDict):
    """How one pair proposes answers in chess at one turn budget.

    Attributes:
        pair: As in `AccuracyRow`.
        turn_budget: The turns allowed.
        per_turn: The share of turns with a proposal, of those that are not final and do not answer; None without any.
        per_dialogue: Proposals in a dialogue, on average.
        accepted_right: The share of right proposals that the partner's next turn gives as its answer; None without any.
        accepted_wrong: That of wrong ones.
        accuracy_of_accepted: The share of accepted proposals that are right; None without any.
    """

    pair: Any
    turn_budget: int
    per_turn: float | None
    per_dialogue: float
    accepted_right: float | None
    accepted_wrong: float | None
    accuracy_of_accepted: float | None


def isotoken(accuracy_by_turns: Mapping[int, float] | Mapping[str, float]) -> Isotoken:
    """Summarise accuracy against turns.

    Args:
        accuracy_by_turns: By turn budget, as a number or as its digits.

    Raises:
        ArgumentError: no mapping, no turn budget, one that is no whole number of at least 1 or stands there twice, or
            an accuracy that is no finite number.
    """
    by_turns: dict[int, float] = {}
    if not isinstance(accuracy_by_turns, Mapping):
        raise ArgumentError("accuracy is no mapping; give one from turn budgets to accuracies")
    for key, accuracy in accuracy_by_turns.items():
        turns = int(key) if isinstance(key, str) and key.isdecimal() and len(key) <= 9 else key
        turns = whole("a turn budget", turns, 1)
        if turns in by_turns:
            raise ArgumentError(f"there are two accuracies at {turns} turns; give one")
        if isinstance(accuracy, bool) or not isinstance(accuracy, int | float) or not math.isfinite(accuracy):
            raise ArgumentError(f"the accuracy at {turns} turns is {accuracy!r}; give a number")
        by_turns[turns] = accuracy
    if not by_turns:
        raise ArgumentError("there is no accuracy to summarise; give one for each turn budget")
    order = sorted(by_turns)
    values = [by_turns[turns] for turns in order]
    return {
        "gain": values[-1] - values[0],
        "best_turns": order[values.index(max(values))],
        "monotone_non_decreasing": all(after >= before - _ROUNDING for before, after in pairwise(values)),
    }


def guess_and_check(n: int, turns: int) -> float:
    """The odds of two players who propose rows that were not yet proposed, and select one that the other has.

    Args:
        n: Rows of each table; at least 1.
        turns: Of the dialogue; at least 1, odd or even.

    Returns:
        1 - (1 - h/n)² with h = min(n, ⌊turns/2⌋): each player tries h rows. The limit of tokens is ignored.

    Raises:
        ArgumentError: an argument is out of range.
    """
    tried = min(whole("n", n, 1), whole("turns", turns, 1) // 2)
    return tried * (2 * n - tried) / (n * n)


def accuracy_table(dialogues: Iterable[Dialogue]) -> list[AccuracyRow]:
    """Compute the accuracy of each group: game, modality, pair in order, turn budget.

    Args:
        dialogues: Of any games; the right answers are those whose reason is `correct`. All of one instance (its
            epochs) count as one in the interval.

    Returns:
        One row a group that has a dialogue with a result, in the order of these four.

    Raises:
        ArgumentError: something else than a dialogue.
    """
    rows: list[AccuracyRow] = []
    for own in dialogue_groups(dialogues, ("game", "modality", "pair", "turn_budget")):
        accuracy = sum(map(is_correct, own)) / len(own)
        low, high = accuracy_interval(own) or (None, None)
        floor = _mean_of("floor", own)
        normalised = None if floor is None or floor >= CEILING else (accuracy - floor) / (CEILING - floor)
        rows.append(
            {
                "game": _of(own[0], "game"),
                "modality": _of(own[0], "modality"),
                "pair": _of(own[0], "pair"),
                "turn_budget": _of(own[0], "turn_budget"),
                "n": len(own),
                "accuracy": accuracy,
                "low": low,
                "high": high,
                "floor": floor,
                "ceiling": CEILING,
                "normalised": normalised,
                "chance": _mean_of("chance", own),
            }
        )
    return rows


def accuracy_interval(dialogues: Iterable[Dialogue]) -> Interval | None:
    """The 95 % interval of accuracy over instances: all dialogues of an instance, whatever their turns, are one.

    Args:
        dialogues: Of one game and pair, with a result each.

    Returns:
        Its ends; None with fewer than six instances.
    """
    sums = instance_sums(dialogues).values()
    return ratio_interval([right for right, _ in sums], [of for _, of in sums], rate=True)


def instance_sums(dialogues: Iterable[Dialogue]) -> Sums:
    """The right answers and the dialogues of each instance, in the order of their names.

    Args:
        dialogues: Of one game, with a result each.
    """
    found: dict[str, list[bool]] = {}
    for dialogue in dialogues:
        found.setdefault(instance_name(dialogue), []).append(is_correct(dialogue))
    return {name: (float(sum(found[name])), float(len(found[name]))) for name in sorted(found)}


def accuracy_test(after: Sequence[Row], before: Sequence[Row]) -> tuple[float | None, PairTest]:
    """The accuracy of the one minus that of the other, and the test of this difference.

    Args:
        after: Right answers and dialogues of each instance.
        before: The other ones of the same instances.

    Returns:
        The difference is None without an instance.
    """
    values = [_ACCURACY.value(_ACCURACY.total(rows), "accuracy") for rows in (after, before)]
    if values[0] is None or values[1] is None:
        return None, PairTest()
    return values[0] - values[1], pair_test(_ACCURACY, after, before, "accuracy")


def gain_table(dialogues: Iterable[Dialogue]) -> list[GainRow]:
    """Compute what turns gain each pair, with an interval paired over instances.

    Args:
        dialogues: Of any games; those of the same instance and turn budget are added up.

    Returns:
        One row for each game, modality and pair that was played at several turn budgets.

    Raises:
        ArgumentError: something else than a dialogue.
    """
    rows: list[GainRow] = []
    for own in dialogue_groups(dialogues, ("game", "modality", "pair")):
        budgets = sorted({_of(dialogue, "turn_budget") for dialogue in own})
        if len(budgets) > 1:
            rows.append(_gain(own, budgets[0], budgets[-1]))
    return rows


def proposal_table(dialogues: Iterable[Dialogue]) -> list[ProposalRow]:
    """Count the answers that are proposed in chess, and what becomes of them.

    They count on turns that are not final and do not answer. A proposal of both boards is one, but neither right nor
    wrong, and cannot be accepted.

    Args:
        dialogues: Those of other games are left out.

    Returns:
        One row for each pair in order and turn budget.

    Raises:
        ArgumentError: something else than a dialogue.
    """
    chess = (dialogue for dialogue in items_of(dialogues, "dialogues") if _of(dialogue, "game") == "chess")
    return [_proposals(own) for own in dialogue_groups(chess, ("pair", "turn_budget"))]


def proposals_in(dialogue: Dialogue) -> tuple[int, int]:
    """How many turns of a dialogue about chess propose an answer, and of how many that might."""
    turns = list(_talk(dialogue))
    return sum(turn is not None for turn in turns), len(turns)


def dialogue_groups(dialogues: Iterable[Dialogue], names: Sequence[str]) -> list[list[Dialogue]]:
    """Dialogues with a result that agree in what is named, in the order of it."""
    groups: dict[str, list[Dialogue]] = {}
    order: dict[str, tuple[Any, ...]] = {}
    for dialogue in items_of(dialogues, "dialogues"):
        if not _reason(dialogue):
            continue
        # As JSON, because a pair is a list, which no dictionary takes as a key.
        values = {name: _of(dialogue, name) for name in names}
        key = json.dumps(values)
        groups.setdefault(key, []).append(dialogue)
        order[key] = tuple(value if name == "turn_budget" else json.dumps(value) for name, value in values.items())
    return [groups[key] for key in sorted(groups, key=lambda key: order[key])]


def _of(dialogue: Dialogue, name: str) -> Any:
    """What a dialogue, or its instance, says under a name."""
    try:
        if name == "modality":
            return dialogue.get(name)
        value = dialogue["instance"][name] if name == "game" else dialogue[name]
    except (KeyError, TypeError, AttributeError):
        raise ArgumentError(f"this is no dialogue of a game: it has no {name}; give what `play` returns") from None
    return whole(name, value, 1) if name == "turn_budget" else value


def _reason(dialogue: Dialogue) -> str | None:
    """Why a dialogue ended; None if it was broken off."""
    final = _of(dialogue, "final")
    reason: str | None = final.get("reason") if isinstance(final, Mapping) else None
    return reason


def instance_name(dialogue: Dialogue) -> str:
    """What tells the instance of a dialogue from others of its game: its seed, its settings and its number."""
    instance = dialogue["instance"]
    return json.dumps([instance.get(part) for part in ("seed", "settings", "number")], sort_keys=True)


def is_correct(dialogue: Dialogue) -> bool:
    """Whether a dialogue ended with the right answer."""
    return _reason(dialogue) == "correct"


def _mean_of(name: str, dialogues: Sequence[Dialogue]) -> float | None:
    values = [dialogue["instance"].get(name) for dialogue in dialogues]
    return None if None in values else math.fsum(values) / len(values)


def _gain(dialogues: Sequence[Dialogue], fewest: int, most: int) -> GainRow:
    before, after = (
        instance_sums(dialogue for dialogue in dialogues if _of(dialogue, "turn_budget") == turns)
        for turns in (fewest, most)
    )
    both = [name for name in before if name in after]
    gain, test = accuracy_test([after[name] for name in both], [before[name] for name in both])
    low, high = test.interval or (None, None)
    return {
        "game": _of(dialogues[0], "game"),
        "modality": _of(dialogues[0], "modality"),
        "pair": _of(dialogues[0], "pair"),
        "fewest": fewest,
        "most": most,
        "instances": len(both),
        "gain": gain,
        "low": low,
        "high": high,
    }


def _proposals(dialogues: Sequence[Dialogue]) -> ProposalRow:
    turns = [turn for dialogue in dialogues for turn in _talk(dialogue)]
    made = [turn for turn in turns if turn is not None]
    judged = {right: [accepted for ok, accepted in made if ok is right] for right in (True, False)}
    accepted = sum(map(sum, judged.values()))
    return {
        "pair": _of(dialogues[0], "pair"),
        "turn_budget": _of(dialogues[0], "turn_budget"),
        "per_turn": _share(len(made), len(turns)),
        "per_dialogue": len(made) / len(dialogues),
        "accepted_right": _share(sum(judged[True]), len(judged[True])),
        "accepted_wrong": _share(sum(judged[False]), len(judged[False])),
        "accuracy_of_accepted": _share(sum(judged[True]), accepted),
    }


def _share(part: int, of: int) -> float | None:
    return part / of if of else None


def _talk(dialogue: Dialogue) -> Iterator[tuple[bool | None, bool] | None]:
    """For each turn that is not final and does not answer: is its proposal right, and accepted? None without one."""
    texts = [_of(turn, "text") for turn in _of(dialogue, "turns")]
    for at, text in enumerate(texts[: _of(dialogue, "turn_budget") - 1]):
        if parse_chess(text) is not None:
            continue
        proposal = answer_proposal(text)
        if proposal is None:
            yield None
        elif proposal == "both":
            yield None, False
        else:
            # What one calls mine the other calls yours.
            partners = "YOURS" if proposal == "mine" else "MINE"
            reply = parse_chess(texts[at + 1]) if at + 1 < len(texts) else None
            yield _of(dialogue["instance"], "answer")[at % 2] == proposal.upper(), reply == partners

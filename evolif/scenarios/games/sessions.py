"""The dialogues of models side by side, as reports on games read them, and what a page shows of their instances."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolif.errors import ArgumentError, UsageError
from evolif.scenario import Exhibit
from evolif.scenarios.games.ending import answer_text
from evolif.scenarios.games.figures import instance_sums
from evolif.scenarios.games.instance import private_image, private_text
from evolif.scenarios.games.prompts import PICTURES, modality_of
from evolif.scenarios.games.stored import Played, Reference
from evolif.scenarios.games.sycophancy import sycophancy_of

_MEMO = "games"


@dataclass(frozen=True, slots=True)
class GameColumn:
    """What one model played in one run.

    Attributes:
        name: Of the column, unlike any other's.
        model: Of the model.
        played: Its dialogues that have a result.
        held: Whether answers before the last turn were refused.
        reference: `none` for games; what the model saw where it answered at once.
        sycophancy: What a judge found, by the turns allowed, as `sycophancy_of` has it; empty without a judge.
    """

    name: str
    model: str
    played: tuple[Played, ...]
    held: bool = False
    reference: Reference = "none"
    sycophancy: Mapping[int, Counter[str]] = field(default_factory=dict)

    @property
    def budgets(self) -> dict[int, list[Played]]:
        """The dialogues by the turns allowed, fewest first."""
        found: defaultdict[int, list[Played]] = defaultdict(list)
        for one in self.played:
            found[one["turn_budget"]].append(one)
        return dict(sorted(found.items()))

    @property
    def instances(self) -> int:
        """How many instances these are; all numbers of turns and all epochs of one are one."""
        return len(instance_sums(self.played))


def columns_of(board: Any, read: Callable[[Any], Iterable[Played]]) -> list[GameColumn]:
    """A column for each of the models side by side that has a dialogue with a result.

    Args:
        board: The models (`evolif.report.ComparableRuns`).
        read: From a model (`evolif.report.ModelAnalysis`) to its dialogues.
    """
    found = [(head, model, games_of(model, read)) for head, model in zip(board.heads, board.models, strict=True)]
    shown = [(head, model, played) for head, model, played in found if played]
    short = [_named(model.name, played[0]) for _, model, played in shown]
    names = [name if short.count(name) == 1 else _named(head, played[0])
             for name, (head, _, played) in zip(short, shown, strict=True)]  # fmt: skip
    return [
        GameColumn(
            name, model.name, played, played[0]["hold_answers"], played[0]["reference"], sycophancy_of(model.counted)
        )
        for name, (_, model, played) in zip(names, shown, strict=True)
    ]


def _named(name: str, one: Played) -> str:
    """With what sets the run apart; that takes the place of the run's name."""
    if one["reference"] != "none":
        return f"{name}, from {'one part' if one['reference'] == 'floor' else 'both parts'}"
    return f"{name}, held" if one["hold_answers"] else name


def games_of(model: Any, read: Callable[[Any], Iterable[Played]]) -> tuple[Played, ...]:
    """The dialogues of a model that have a result; read once a report."""
    if _MEMO not in model.memo:
        model.memo[_MEMO] = tuple(one for one in read(model) if one["final"] is not None)
    found: tuple[Played, ...] = model.memo[_MEMO]
    return found


def instance_exhibits(instance: Mapping[str, Any]) -> tuple[Exhibit, ...]:
    """What each player of an instance sees, with the right answer; nothing of what is no instance."""
    try:
        return tuple(_seen(instance, player) for player in (0, 1))
    except (ArgumentError, KeyError, IndexError, TypeError):  # an edited run
        return ()


def _seen(instance: Mapping[str, Any], player: int) -> Exhibit:
    answer = instance["answer"][player]
    note = "May not answer." if answer is None else f"Right answer: {answer_text(instance['game'], answer)}"
    public = instance.get("public")
    question = public.get("question") if isinstance(public, Mapping) else None
    if question:
        note = f"Question: {question} {note}"
    title = f"Player {player + 1} sees"
    if modality_of(instance) == PICTURES:
        try:
            found = private_image(instance, player)
        except UsageError as fault:
            note = f"{note} Pictures are not drawn: {fault}"
        else:
            pictures: Sequence[bytes] = [found] if isinstance(found, bytes) else list(found)
            labels = tuple(f"Image {at}" for at in range(len(pictures))) if len(pictures) > 1 else ("The image",)
            return Exhibit(title, "", tuple(pictures), labels, note)
    return Exhibit(title, private_text(instance, player).rstrip(), note=note)

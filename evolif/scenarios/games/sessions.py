"""The dialogues of models side by side, as reports on games read them, and what a page shows of their instances."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from evolif.errors import ArgumentError, UsageError
from evolif.scenario import Exhibit, ModelsView, ModelView, StoredRun
from evolif.scenarios.games.ending import answer_text
from evolif.scenarios.games.figures import instance_sums
from evolif.scenarios.games.instance import private_image, private_text
from evolif.scenarios.games.options import GamePlay
from evolif.scenarios.games.prompts import PICTURES, modality_of
from evolif.scenarios.games.stored import Played, Reference, dialogue_of
from evolif.scenarios.games.sycophancy import sycophancy_of
from evolif.scenarios.games.tokens import RegexTokenizer, SubwordTokenizer, Tokenizer


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


def played(run: StoredRun, model: str, dialogues: Collection[int] | None = None) -> Iterator[Played]:
    """The dialogues of a model in a run, with both private parts, every text, flag and token.

    Args:
        run: A run of this scenario.
        model: One of its models.
        dialogues: The numbers of those to read; None for all.

    Raises:
        UsageError: the tokens were counted by something that is not installed.
    """
    play = GamePlay.model_validate(run.settings.options)
    counts = tokenizer_of(play.tokenizer)
    partner = model if run.settings.partner == "self" else run.settings.partner
    pair = [model, partner] if play.player == 0 or play.reference != "none" else [partner, model]
    for session, records in run.transcripts(model):
        if dialogues is not None and session.dialogue not in dialogues:
            continue
        answers = [(record.prompt, record.answer) for record in records]
        found = dialogue_of(answers, pair, counts, hold_answers=play.hold_answers)
        if found is not None:
            yield found


@lru_cache(maxsize=2)
def tokenizer_of(name: str) -> Tokenizer:
    """What counts tokens, by the option `tokenizer`."""
    return SubwordTokenizer() if name == "subword" else RegexTokenizer()


def columns_of(board: ModelsView) -> list[GameColumn]:
    """A column for each of the models side by side that has a dialogue with a result."""
    found = [(head, model, games_of(model)) for head, model in zip(board.heads, board.models, strict=True)]
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


def games_of(model: ModelView) -> tuple[Played, ...]:
    """The dialogues of a model that are in its figures and have a result; read once a report."""

    def read() -> tuple[Played, ...]:
        dialogues = {session.dialogue for session in model.counted}
        return tuple(one for one in played(model.of.run, model.name, dialogues) if one["final"] is not None)

    return model.cached("games", read)


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

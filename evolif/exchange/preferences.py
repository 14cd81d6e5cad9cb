"""The format `preferences`: pairs of answers to exactly the same conversation, of which one earned more.

Answers compare where everything that the model saw is the same, byte for byte. So they are answers to first turns, of
different models and epochs, and to later turns where histories happen to be equal or where a turn was asked several
times. Of the answers to one conversation the best and the worst are a pair.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evolif.errors import UsageError
from evolif.exchange.columns import arrow
from evolif.exchange.export_source import Exported, ExportSource
from evolif.exchange.hub import Hub
from evolif.exchange.messages import messages_of, messages_type, refuse_witnesses, system_notes
from evolif.exchange.rows import Row
from evolif.exchange.shards import Shards, writing_shards
from evolif.exchange.training import (
    ANSWER_KEY,
    Conversation,
    Conversations,
    SaidTurn,
    TrainingOptions,
    TrainingSource,
    open_training,
)
from evolif.exchange.training_card import split_notes, split_of, systems_of, training_card
from evolif.runner import Run
from evolif.runner.histories import SeenAnswer
from evolif.runner.samples import open_samples, own_turns, seen_by
from evolif.text import plural
from evolif.types import Message
from evolif.util.files import new_path

PREFERENCES = "preferences"
_ROWS_ARE = (
    "One row per conversation that was answered in different ways: `prompt` is what the models saw, whole and the same "
    "for both, `chosen` the answer that earned most and `rejected` the one that earned least. `margin` is the "
    "difference of their rewards, which are from 0 to 1."
)
_HELD = 8
"""Sessions whose conversations are kept in memory."""


class _Place(NamedTuple):
    """Where an answer is."""

    source: int
    """Of the sources that are read, from 0."""
    session: int
    """Its number in the file."""
    turn: int
    model: str


@dataclass(slots=True)
class _Spread:
    """The best and the worst answer to one conversation."""

    seen: _Place
    """Where the conversation is."""
    best: tuple[float, _Place]
    worst: tuple[float, _Place]

    def add(self, reward: float, place: _Place) -> None:
        """Compare another answer; of equal ones the first stays."""
        if reward > self.best[0]:
            self.best = (reward, place)
        if reward < self.worst[0]:
            self.worst = (reward, place)

    @property
    def margin(self) -> float:
        """How much more the best earned."""
        return self.best[0] - self.worst[0]


@dataclass(slots=True)
class _Answers:
    """Reads answers of runs, and further ones, again by place."""

    sources: list[Conversations]
    _held: OrderedDict[tuple[int, int], dict[int, SeenAnswer]] = field(default_factory=OrderedDict)

    def at(self, place: _Place) -> SeenAnswer:
        """An answer; what was seen before it is right only for an answer of a run."""
        key = (place.source, place.session)
        if key in self._held:
            self._held.move_to_end(key)
        else:
            source = self.sources[place.source]
            records = source.run.store.turns(place.session)
            seen = source.histories.answers(records[0].prompt.dialogue, records)
            self._held[key] = {one.record.turn: one for one in seen}
            if len(self._held) > _HELD:
                self._held.popitem(last=False)
        return self._held[key][place.turn]


def write_preferences(source: ExportSource, out: Path, hub: Hub | None) -> Exported:
    """Write pairs of answers to a folder that `datasets.load_dataset` reads.

    Raises:
        UsageError: witnesses are asked for, contexts are not stored, there is no pair, or pyarrow is missing.
    """
    refuse_witnesses(source.with_witness)
    options = source.training or TrainingOptions()
    run = source.content
    assert isinstance(run, Run), "the exporter has checked it"
    with ExitStack() as stack, new_path(out, is_folder=True) as folder:
        opened = open_training(run, options, stack)
        for one in opened.runs:
            _refuse_shortened(one.run)
        found = _Search(options)
        found.read(opened)
        if options.samples is not None:
            samples = stack.enter_context(closing(open_samples(Path(options.samples), run)))
            found.read_samples(samples, opened.runs[0])
        split = split_of(source)
        schema = schema_of_preferences({"evolif.canary": source.canary})
        with writing_shards(folder, schema, split or "train") as shards:
            found.write(shards, {"canary": source.canary, "split": split or None, "reward": options.reward})
        source.count = shards.rows
        if not shards.rows:
            raise UsageError(found.nothing(run))
        (folder / "README.md").write_text(
            training_card(source, opened, shards, _ROWS_ARE, found.lines()), encoding="utf-8"
        )
        notes = (*found.lines(), *split_notes(source), *system_notes(systems_of(opened)))
    return source.exported(out, PREFERENCES, unit="pair", notes=notes)


def _refuse_shortened(run: Run) -> None:
    """Refuse a run of which it is not known what its calls were shown."""
    if run.settings.context != "full":
        raise UsageError(
            f"{run.path} was played with --context {run.settings.context}, and what its calls were shown is not "
            "stored; pairs need the same history, so export runs with --context full"
        )


class _Search:
    """Finds the best and the worst answer to each conversation.

    Args:
        options: What a pair has to be like.
    """

    def __init__(self, options: TrainingOptions) -> None:
        self._options = options
        self._seen: dict[bytes, _Place] = {}
        """Where each conversation is."""
        self._spreads: dict[bytes, _Spread] = {}
        self._answers = _Answers([])
        self._compared = self._keys = self._pairs = 0

    def read(self, opened: TrainingSource) -> None:
        """Compare the answers of the runs."""
        for conversations in opened.runs:
            self._answers.sources.append(conversations)
            for conversation in conversations:
                for turn in conversation.turns:
                    place = self._place(conversation, turn)
                    self._seen.setdefault(turn.seen.key, place)
                    self._add(turn, place, turn.seen.key)
                    if turn.barred:
                        break  # the conversations of later turns contain it

    def _place(self, conversation: Conversation, turn: SaidTurn) -> _Place:
        source = len(self._answers.sources) - 1
        return _Place(source, conversation.number, turn.seen.record.turn, conversation.session.model)

    def read_samples(self, samples: Run, of: Conversations) -> None:
        """Compare further answers of single turns.

        Args:
            samples: Their store.
            of: The run that the turns are from.
        """
        further = Conversations(samples, of.histories, of.keys, own_turns)
        self._answers.sources.append(further)
        for conversation in further:
            for turn in conversation.turns:
                key = seen_by(turn.seen.record)
                if key is not None and key in self._seen:
                    self._add(turn, self._place(conversation, turn), key)

    def _add(self, turn: SaidTurn, place: _Place, key: bytes) -> None:
        """Compare an answer with the others to what it saw.

        Args:
            turn: The answer.
            place: Where it is.
            key: Of what was seen.
        """
        self._keys += turn.barred == ANSWER_KEY
        reward = turn.rewards[self._options.kind]
        if turn.barred or reward is None:
            return
        self._compared += 1
        if key in self._spreads:
            self._spreads[key].add(reward, place)
        else:
            self._spreads[key] = _Spread(self._seen[key], (reward, place), (reward, place))

    def write(self, shards: Shards, shared: Mapping[str, Any]) -> None:
        """Write a row for each pair."""
        for row in self._rows():
            shards.add({**row, **shared}, sum(len(message["content"]) for message in row["prompt"]))
        self._pairs = shards.rows

    def _rows(self) -> Iterator[Row]:
        least, margin = self._options.min_reward, self._options.min_margin
        for spread in self._spreads.values():
            if spread.margin <= 0 or (margin is not None and spread.margin < margin):
                continue
            if least is not None and spread.best[0] < least:
                continue
            row = self._row(spread)
            if row["chosen"] != row["rejected"]:  # a judge may find one text good and bad
                yield row

    def _row(self, spread: _Spread) -> Row:
        seen = self._answers.at(spread.seen)
        settings = self._answers.sources[spread.seen.source].run.settings
        row: Row = {
            "benchmark": settings.benchmark,
            "scenario": settings.scenario,
            "dialogue": seen.record.prompt.dialogue,
            "turn": seen.record.turn,
            "prompt": messages_of(seen.messages),
            "margin": spread.margin,
        }
        for side, (reward, place) in (("chosen", spread.best), ("rejected", spread.worst)):
            row |= {
                side: messages_of((Message("assistant", self._answers.at(place).record.answer),)),
                f"{side}_reward": reward,
                f"{side}_model": place.model,
            }
        return row

    def lines(self) -> list[str]:
        """What was compared, and what was left out."""
        told = [f"{plural(self._compared, 'answer')} to {plural(len(self._spreads), 'conversation')} were compared."]
        if self._keys:
            told.append(
                f"{plural(self._keys, 'answer')} left out, with what came after in the conversation: each contains an "
                "answer key, as those of simulated models do."
            )
        return told

    def nothing(self, run: Run) -> str:
        """Why there is no pair."""
        compared, conversations = self._compared, len(self._spreads)
        if self._keys > compared:
            mend = "simulated models answer with answer keys, so export a run of a model that writes for itself"
        elif compared == conversations and self._options.samples is None:
            mend = "have a turn answered several times: --epochs in evaluate, --also RUN, or --samples K"
        else:
            mend = "have more answers (--epochs, --samples K), or lower --min-margin and --min-reward"
        keys = f", and {plural(self._keys, 'answer')} with an answer key did not count" if self._keys else ""
        return (
            f"there is no pair in {run.path}: {plural(compared, 'answer')} to {plural(conversations, 'conversation')} "
            f"were compared{keys}; {mend}"
        )


def schema_of_preferences(metadata: Mapping[str, str]) -> Any:
    """The Arrow schema of the rows."""
    pa = arrow()
    text, number, real, messages = pa.string(), pa.int64(), pa.float64(), messages_type()
    columns = {
        **dict.fromkeys(("canary", "benchmark", "scenario", "split"), text),
        **dict.fromkeys(("dialogue", "turn"), number),
        **dict.fromkeys(("prompt", "chosen", "rejected"), messages),
        "margin": real,
        "reward": text,
        **dict.fromkeys(("chosen_reward", "rejected_reward"), real),
        **dict.fromkeys(("chosen_model", "rejected_model"), text),
    }
    return pa.schema(list(columns.items())).with_metadata(dict(metadata))

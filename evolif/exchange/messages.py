"""The format `messages`: a row for each conversation, in the shape that chat templates and trainers read.

A row is the last call of a session as the model under test saw it, with its answer. It ends before the first answer
that training data may not have: one that contains an answer key, or one that earned less than is asked for.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolif.errors import UsageError
from evolif.exchange.columns import arrow
from evolif.exchange.export_source import Exported, ExportSource
from evolif.exchange.hub import Hub
from evolif.exchange.rows import Row
from evolif.exchange.shards import writing_shards
from evolif.exchange.training import (
    ANSWER_KEY,
    PICTURES,
    WITHHELD,
    Conversation,
    Conversations,
    SaidTurn,
    TrainingOptions,
    open_training,
)
from evolif.exchange.training_card import context_lines, split_notes, split_of, systems_of, training_card
from evolif.metrics.rewards import REWARD_KINDS
from evolif.runner import Run
from evolif.runner.records import storable
from evolif.scenario import get_scenario
from evolif.text import plural
from evolif.types import Message
from evolif.util.files import new_path

MESSAGES = "messages"
NO_WITNESSES = (
    "witnesses are no training data: they are words in an order that satisfies rules, not answers that anyone should "
    "imitate"
)
LOW_REWARD = "low reward"

_CUT_BEFORE = {
    ANSWER_KEY: "an answer that contains an answer key, as those of simulated models do",
    WITHHELD: "an answer that was left out of the export which the run was imported from",
    PICTURES: "a turn with pictures, which runs do not store",
    LOW_REWARD: "an answer that earned less than the least reward",
}
_ROWS_ARE = (
    "One row per conversation: what a model was shown at the last turn that the row has, and its answer. `turns` has "
    "what each answer earned. `message` is the place of the answer in `messages`, from 0; it is null where the "
    "conversation goes on with something else, such as a shortened answer. `rewards` of a row are those of the whole "
    "session, also where the row ends earlier (`cut` says why)."
)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a row has of a conversation."""

    turns: tuple[SaidTurn, ...]
    cut: str
    """Why there is no more; empty if there is."""


def write_messages(source: ExportSource, out: Path, hub: Hub | None) -> Exported:
    """Write a run's conversations to a folder that `datasets.load_dataset` reads.

    Raises:
        UsageError: witnesses are asked for, nothing is left, or pyarrow is missing.
    """
    refuse_witnesses(source.with_witness)
    options = source.training or TrainingOptions()
    if options.min_margin is not None or options.samples is not None:
        raise UsageError("--min-margin and --samples are for pairs of answers; use --format preferences")
    run = source.content
    assert isinstance(run, Run), "the exporter has checked it"
    cuts: Counter[str] = Counter()
    gone = 0
    with ExitStack() as stack, new_path(out, is_folder=True) as folder:
        opened = open_training(run, options, stack)
        split = split_of(source)
        with writing_shards(folder, schema_of_messages({"evolif.canary": source.canary}), split or "train") as shards:
            for conversations in opened.runs:
                for conversation in conversations:
                    kept = _kept(conversation, options)
                    cuts[kept.cut] += bool(kept.cut)
                    if kept.turns:
                        row = _row(conversations, conversation, kept)
                        row |= {"canary": source.canary, "split": split or None}
                        shards.add(row, sum(len(message["content"]) for message in row["messages"]))
                    else:
                        gone += 1
        source.count = shards.rows
        lines = [
            f"{plural(number, 'conversation ends', 'conversations end')} before {_CUT_BEFORE[cut]}."
            for cut, number in cuts.items()
            if cut
        ]
        if gone:
            lines.append(
                f"{plural(gone, 'conversation is', 'conversations are')} left out, since nothing remains of "
                f"{'it' if gone == 1 else 'them'}."
            )
        if not shards.rows:
            raise UsageError(f"no conversation of {run.path} is left: {' '.join(lines) or 'it has no answers.'}"[:-1])
        told = [*context_lines(opened), *([" ".join(lines)] if lines else [])]
        (folder / "README.md").write_text(training_card(source, opened, shards, _ROWS_ARE, told), encoding="utf-8")
        notes = (*lines, *split_notes(source), *system_notes(systems_of(opened)))
    return source.exported(out, MESSAGES, unit="conversation", notes=notes)


def refuse_witnesses(with_witness: bool) -> None:
    """Refuse to make training data of answer keys.

    Raises:
        UsageError: they are asked for.
    """
    if with_witness:
        raise UsageError(f"{NO_WITNESSES}; leave out --with-witness")


def system_notes(systems: str) -> list[str]:
    """What to tell about missing system texts."""
    if systems != "missing":
        return []
    return ["System texts are missing, since runs do not store them; add --bench BENCH to have them."]


def _kept(conversation: Conversation, options: TrainingOptions) -> _Kept:
    """The turns before the first one that may not be in the row; with a least reward, up to the last judged one."""
    turns, cut = list(conversation.turns), ""
    for place, turn in enumerate(turns):
        cut = turn.barred or ("" if _is_enough(turn, options) else LOW_REWARD)
        if cut:
            turns = turns[:place]
            break
    if options.min_reward is not None:
        while turns and turns[-1].rewards["dense"] is None:
            turns.pop()
    return _Kept(tuple(turns), cut)


def _is_enough(turn: SaidTurn, options: TrainingOptions) -> bool:
    reward = turn.rewards[options.kind]
    return options.min_reward is None or reward is None or reward >= options.min_reward


def _row(conversations: Conversations, conversation: Conversation, kept: _Kept) -> Row:
    settings, session = conversations.run.settings, conversation.session
    last = kept.turns[-1].seen
    hide_expected = get_scenario(settings.scenario).rows.expected_is_key
    return {
        "benchmark": settings.benchmark,
        "scenario": settings.scenario,
        "model": session.model,
        "dialogue": session.dialogue,
        "epoch": session.epoch,
        "ending": session.ending,
        "cause": session.cause,
        "messages": messages_of((*last.messages, Message("assistant", last.record.answer))),
        "rewards": dict(conversation.rewards),
        "cut": kept.cut,
        "turns": [
            _turn(turn, last.places.get(turn.seen.record.turn), hide_expected=hide_expected) for turn in kept.turns[:-1]
        ]
        + [_turn(kept.turns[-1], len(last.messages), hide_expected=hide_expected)],
    }


def messages_of(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    """Messages as trainers read them: role and content."""
    return [{"role": message.role, "content": storable(message.content)} for message in messages]


def _turn(turn: SaidTurn, message: int | None, *, hide_expected: bool) -> Row:
    record = turn.seen.record
    return {
        "turn": record.turn,
        "message": message,
        "rewards": dict(turn.rewards),
        "verdicts": [
            {
                "group": verdict.group,
                "satisfied": verdict.satisfied,
                "expected": "" if hide_expected else verdict.expected,
                "found": verdict.found,
            }
            for verdict in record.verdicts
        ],
        "scores": [{"name": score.name, "value": score.value} for score in record.scores],
        "labels": json.dumps(dict(record.prompt.labels), ensure_ascii=False, separators=(",", ":")),
        "truncated": record.truncated,
        "reasoning": record.reasoning or None,
    }


def messages_type() -> Any:
    """The Arrow type of messages."""
    pa = arrow()
    return pa.list_(pa.struct({"role": pa.string(), "content": pa.string()}))


def schema_of_messages(metadata: Mapping[str, str]) -> Any:
    """The Arrow schema of the rows, the same for every run."""
    pa = arrow()
    text, number, truth = pa.string(), pa.int64(), pa.bool_()
    rewards = pa.struct({kind: pa.float64() for kind in REWARD_KINDS})
    turn = {
        "turn": number,
        "message": number,
        "rewards": rewards,
        "verdicts": pa.list_(pa.struct({"group": text, "satisfied": truth, "expected": text, "found": text})),
        "scores": pa.list_(pa.struct({"name": text, "value": pa.float64()})),
        "labels": text,
        "truncated": truth,
        "reasoning": text,
    }
    columns = {
        **dict.fromkeys(("canary", "benchmark", "scenario", "split", "model"), text),
        **dict.fromkeys(("dialogue", "epoch"), number),
        **dict.fromkeys(("ending", "cause"), text),
        "messages": messages_type(),
        "rewards": rewards,
        "cut": text,
        "turns": pa.list_(pa.struct(turn)),
    }
    return pa.schema(list(columns.items())).with_metadata(dict(metadata))

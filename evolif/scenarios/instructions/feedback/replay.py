"""Where a dialogue with reactions stands: worked out from the answers given so far, and from nothing else.

A session's turns are heard one after the other, each once: what was worked out of a past is kept until it has grown.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import get_args

from evolif.errors import InternalError, UsageError
from evolif.scenarios.instructions.feedback.bank import RemarkMode, Tone
from evolif.scenarios.instructions.feedback.misses import WITHHELD, Asked, Hearing, Miss, listen, rule_verdicts
from evolif.scenarios.instructions.feedback.wording import Remark, Speaker
from evolif.scenarios.instructions.turns import Instruction, Turn
from evolif.text import read_apart
from evolif.types import Exchange, Verdict
from evolif.util.rng import Purpose, Stream
from evolif.util.suggestions import did_you_mean

MODES: tuple[RemarkMode, ...] = get_args(RemarkMode)
_MOST_PASTS = 2048
"""Pasts of which is kept where their dialogues stand; every session under way needs one."""
_MOST_VERDICTS = 256
"""Answers of which the verdicts are kept until the next prompt is asked."""
_THANKED = 3
"""One in so many mended turns is thanked for."""
_LAST_CHANCE = 1
_USUAL_PATIENCE = 4
"""Sets the tone of sessions that have no patience."""

TurnOf = Callable[[int], Awaitable[Turn | None]]
"""Hands out the turns of one dialogue by number; None behind its end."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is asked next."""

    turn: Turn
    """Whose instruction holds."""
    repair: int = 0
    """Which repair of it this is; 0 for the turn itself."""
    remark: Remark | None = None
    """What is said of the answer before."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a person has noticed of a dialogue so far."""

    step: Step | None = None
    """What was asked last; None at the beginning."""
    hearing: Hearing = field(default_factory=lambda: Hearing(None))
    """What was noticed of the answer to it."""
    streak: int = 0
    """Failed answers in a row; those of which nothing can be judged are passed over."""
    mended: bool = False
    """Whether the last answer put right what was remarked on."""
    asked: Asked = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    """Lines of the bank that were heard."""


class Reactions:
    """Decides what is asked next in dialogues whose person reacts to answers.

    Args:
        mode: Whether a remark precedes the next turn, or a repair comes before it.
        patience: Failed turns in a row that end a session; None if it has no patience.
        seed: Of the benchmark.
        rules: The edition of the reading rules.

    Raises:
        UsageError: there is no such mode.
    """

    def __init__(self, mode: str, patience: int | None, seed: int, rules: int) -> None:
        if mode not in MODES:
            near = did_you_mean(mode, ("none", *MODES))
            raise UsageError(f"unknown --feedback “{mode}”{near}; use none, remark or repair")
        self._mode: RemarkMode = "repair" if mode == "repair" else "remark"
        self._patience = patience
        self._seed = seed
        self._rules = rules
        self._kept: OrderedDict[int, tuple[Standing, Step | None]] = OrderedDict()
        """By the fingerprint of a past, where its dialogue stands and what is asked next."""
        self._verdicts: OrderedDict[tuple[str, str], tuple[Verdict, ...]] = OrderedDict()

    def note(self, digest: str, answer: str, verdicts: Sequence[Verdict]) -> None:
        """Keep verdicts of rules that have just been worked out, so that they are not worked out again.

        Args:
            digest: Of the prompt.
            answer: Which they are about.
            verdicts: Those of `rule_verdicts`.
        """
        self._verdicts[digest, answer] = tuple(verdicts)
        if len(self._verdicts) > _MOST_VERDICTS:
            self._verdicts.popitem(last=False)

    async def next(self, dialogue: int, past: Sequence[Exchange], turn_of: TurnOf) -> Step | None:
        """What is asked after what was said; the same past gets the same, and None where the turns end.

        Args:
            dialogue: Its number.
            past: Everything said so far, oldest first.
            turn_of: Its turns.
        """
        key = _fingerprint(dialogue, past)
        if key in self._kept:
            return self._kept[key][1]
        known = self._kept.get(_fingerprint(dialogue, past[:-1])) if past else None
        if known is not None:
            (standing, step), heard = known, len(past) - 1
        else:
            standing, heard = Standing(), 0
            step = await self._ask(standing, dialogue, 1, turn_of)
        for number, exchange in enumerate(past[heard:], heard + 1):
            if step is None:
                raise InternalError(f"dialogue {dialogue} has answers behind its end")
            standing = await self._hear(standing, step, exchange)
            step = await self._ask(standing, dialogue, number + 1, turn_of)
        self._kept[key] = standing, step
        if len(self._kept) > _MOST_PASTS:
            self._kept.popitem(last=False)
        return step

    async def _hear(self, before: Standing, step: Step, exchange: Exchange) -> Standing:
        """Where a dialogue stands after an answer."""
        turn = step.turn
        asked = before.asked if step.repair else _with_asked(before.asked, turn)
        verdicts = await self._verdicts_on(turn.constraints, exchange)
        hearing = listen(turn.constraints, verdicts, exchange, turn.topic.id, asked)
        is_told = step.remark is not None and step.remark.kind != "thanks"
        stays = before.step is not None and before.step.turn.topic.id == turn.topic.id
        return Standing(
            step,
            hearing,
            before.streak if hearing.failed is None else before.streak + 1 if hearing.failed else 0,
            is_told and stays and hearing.failed is False,
            asked,
            before.used if step.remark is None else before.used | {step.remark.key},
        )

    async def _verdicts_on(self, constraints: Instruction, exchange: Exchange) -> tuple[Verdict, ...]:
        noted = self._verdicts.pop((exchange.prompt.digest, exchange.answer), ())
        return noted or await self._check(constraints, exchange.answer)

    async def _check(self, constraints: Instruction, answer: str) -> tuple[Verdict, ...]:
        return await read_apart(answer, lambda: rule_verdicts(constraints, answer, self._rules))

    async def _ask(self, standing: Standing, dialogue: int, number: int, turn_of: TurnOf) -> Step | None:
        """What is asked where a dialogue stands, in its turn of that number."""
        last = standing.step
        if last is not None and self._repairs(standing, last):
            remark = self._repair(standing, last, dialogue, number)
            if remark is not None:
                return Step(last.turn, last.repair + 1, remark)
        turn = await turn_of(1 if last is None else last.turn.turn + 1)
        if turn is None or last is None:
            return None if turn is None else Step(turn)
        return Step(turn, 0, self._remark(standing, last.turn, turn, number))

    def _repairs(self, standing: Standing, last: Step) -> bool:
        """Whether the same is asked again: something is wrong, and patience is left."""
        is_out = self._patience is not None and last.repair + 1 >= self._patience
        return self._mode == "repair" and bool(standing.hearing.failed) and not is_out

    def _repair(self, standing: Standing, last: Step, dialogue: int, number: int) -> Remark | None:
        stream = Stream(self._seed, Purpose.REMARKS, dialogue, number)
        speaker = Speaker(last.turn.persona, "repair", self._tone(last.repair + 1), standing.used, stream)
        return _said_of(standing.hearing, standing.hearing.misses, speaker)

    def _remark(self, standing: Standing, before: Turn, turn: Turn, number: int) -> Remark | None:
        """What precedes a turn: a remark about the answer before, or now and then a word of thanks."""
        says_misses = self._mode == "remark" and bool(standing.hearing.failed)
        if not (says_misses or standing.mended):
            return None
        stream = Stream(self._seed, Purpose.REMARKS, turn.dialogue, number)
        moves_on = turn.topic.id != before.topic.id
        speaker = Speaker(
            turn.persona, "remark", "short" if moves_on else self._tone(standing.streak), standing.used, stream
        )
        if not says_misses:
            return speaker.thanks() if not stream.below(_THANKED) else None
        given_up = frozenset[str]() if moves_on else _given_up(before, turn)
        kept = [miss for miss in standing.hearing.misses if miss.constraint.group not in given_up]
        remark = _said_of(standing.hearing, kept, speaker)
        return speaker.moving_on(remark, number) if remark is not None and turn.move == "new" else remark

    def _tone(self, failures: int) -> Tone:
        """The tone after so many failures in a row: calm at first, curt before the last chance, short between."""
        if failures <= 1:
            return "calm"
        left = (_USUAL_PATIENCE if self._patience is None else self._patience) - failures
        return "curt" if left <= _LAST_CHANCE else "short"


def _fingerprint(dialogue: int, past: Sequence[Exchange]) -> int:
    """Tells pasts of this process apart by all that is heard of them, and keeps none of it in memory."""
    heard = [(one.prompt.digest, one.answer, one.truncated, bool(one.notes.get(WITHHELD))) for one in past]
    return hash((dialogue, *heard))


def _said_of(hearing: Hearing, misses: Sequence[Miss], speaker: Speaker) -> Remark | None:
    """A remark about an answer: that it cannot be read, or on the first of the misses that there are words for."""
    if hearing.trouble is not None:
        return speaker.trouble(hearing.trouble)
    telling = (miss for miss in misses if speaker.mode == "repair" or not miss.is_hollow)
    return next((remark for remark in map(speaker.miss, telling) if remark is not None), None)


def _given_up(before: Turn, turn: Turn) -> frozenset[str]:
    """The groups whose constraints a turn of the same topic takes back or gives another value.

    Nobody complains in the same breath about what is lifted, or about 5 bullets and then asks for 8.
    """
    if turn.act == "replace_all":
        return frozenset(constraint.group for constraint in before.constraints)
    return frozenset(op.group for op in turn.operations if op.before is not None)


def _with_asked(asked: Asked, turn: Turn) -> Asked:
    """When each constraint was last asked for, after one more turn."""
    new = {
        (turn.topic.id, operation.group): (turn.turn, place)
        for place, operation in enumerate(turn.operations, 1)
        if operation.after is not None
    }
    return {**asked, **new} if new else asked

"""Between script and words: which plan says a turn's change, why the person wants it, and what stands around it.

A decision is a pure function of the seed, the dialogue and the script's turns so far: the same whether a dialogue is
made at once, extended or resumed. A dialogue never uses a plan twice, nor the same opening within eight turns. Over a
set use is even without any shared state: every list has one seeded order, and each dialogue starts at a place of its
own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from zlib import crc32

from evolif.scenarios.instructions.constraints import Change, get_group
from evolif.scenarios.instructions.partition import ALL_WORDINGS, Wordings
from evolif.scenarios.instructions.synthesis.draw import Draw, DrawMemory, Motive
from evolif.scenarios.instructions.synthesis.motives import reason_for
from evolif.scenarios.instructions.synthesis.phrases import Reason, small_talk
from evolif.scenarios.instructions.synthesis.plans import (
    ANSWER,
    DOWN,
    POLITE,
    REASONED,
    TASK,
    UP,
    GroupPlans,
    Plan,
    beginning_of,
    load_plans,
    named_old,
)
from evolif.scenarios.instructions.synthesis.style import TypingStyle
from evolif.scenarios.instructions.turns import Persona, ScriptTurn, Turn
from evolif.util.rng import Purpose, Stream

_CHANGES_TOPIC = 0.55
"""Share of new topics that are announced; the others simply begin."""
_REASON_FIRST = 0.35
"""How often a reason stands before the demand, where it can: a stranger understands it better behind."""
_UNLIKED = 0.3
"""How often a plan is taken whose length or reference the persona does not prefer."""
_BRINGS_REASON = 0.25
"""How often a plan with a reason in it is taken by a person who has reasons of their own, which sound less made up."""
_GIVEN, _PLANNED = 0.58, 0.35
"""Where persons are to fit: the part of the style's share that gives a reason, and how often of those the plan does."""
_CLIPPED = 5
"""Plans shorter than this read like a form behind a task that is told in whole sentences."""
_FEW_WORDS = 4
"""Plans up to this length get one sentence beside them: more would bury them."""
_MANY_WORDS = 16
"""Plans from this length on say enough by themselves, so they get no reason."""
_ORDER = re.compile(
    r"(?:please|kindly|could|can|would|will|may|might|do|don't|use|give|write|put|keep|make|start|begin|open|end|"
    r"finish|close|answer|reply|say|tell|let|work|include|leave|avoid|stick|set|show|"
    r"i'd|i want|i need|i would like|i should)\b",
    re.IGNORECASE,
)
"""How a demand begins that can stand before its task; a fragment would hang in the air there."""
_INTERJECTION = re.compile(
    r"(?:scratch|wait|ok|okay|oh|ooh|hmm|no|actually|one more|change of|on second|on reflection|right|well|and|also|"
    r"hey|so|sorry|same again|again|new round|new idea|let me be|forgive|another|i forgot|forgot|"
    r"i should(?:'ve| have)|turns out|it turns out|one thing|just one|a small|now then|ah|not|thinking|"
    r"here's one|little)\b",
    re.IGNORECASE,
)
"""How a demand begins that opens the message by itself."""
_ADDITIONS = {"brisk": 1, "casual": 2, "neutral": 2, "formal": 2, "warm": 2}
"""Sentences around a demand, at most: opener, reason, closer, thanks."""
_STOCK = 1
"""How many of them come from stock, the reason apart: the demand drowns in more; warm people say one more."""
_POINTING = re.compile(
    r"\b(?:it|its|this|that|these|those|them|they|one|ones|there|here|same|again|though|also|too|and|but|so|then|"
    r"answer|all|whole|everything|ok|oh)\b",
    re.IGNORECASE,
)
"""Words that point back, so that a demand with them cannot stand before its task."""


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """What a turn will say, before it is put into the persona's style."""

    act: str
    change: Change
    plan: Plan
    named: str = ""
    """The noun phrase for what is given up, if the plan names it."""
    opening: str = ""
    """The first sentence; {topic} stands for the topic that the person returns to."""
    reason: Reason | None = None
    reason_first: bool = False
    front: bool = False
    """The demand stands before the task."""
    closer: str = ""
    thanks: str = ""
    filler: str = ""
    hedge: str = ""
    please: bool = False
    emoji: str = ""
    slip: int = 0
    """Above 0: where the typing slip goes."""


class Planner:
    """Decides on the turns of a set of dialogues.

    Args:
        seed: Of the wording.
        persons: Whether words and reasons are to fit who asks (`Profile.persons`).
        wordings: What may be said.
    """

    def __init__(self, seed: int, *, persons: bool = False, wordings: Wordings = ALL_WORDINGS) -> None:
        self._seed = seed
        self._persons = persons
        self._wordings = wordings
        self._orders: dict[tuple[str, int], list[int]] = {}
        self._fitting: dict[tuple[str, str, str, str], tuple[Plan, ...]] = {}

    def decide(self, turn: ScriptTurn | Turn, persona: Persona, memory: DrawMemory) -> PlannedTurn | None:
        """The decision on a turn, which the memory then holds; None if there is no plan for it."""
        memory.turns = turn.turn
        if len(turn.operations) != 1 or turn.act in ("replace_all", "carry"):
            return None
        operation = turn.operation
        plans = load_plans(operation.group)
        if plans is None:
            return None
        change = get_group(operation.group).change(operation.before, operation.after)
        stream = Stream(self._seed, Purpose.PLAN, turn.dialogue, turn.turn)
        said = (self._persons, self._wordings)
        draw = Draw(self.order, turn.dialogue, turn.topic, persona, stream, memory, *said)
        if self._persons:
            draw.motive = _motive(draw)
        for act in _acts(turn, change):
            plan = self._plan(plans, act, change, draw, names_topic=turn.move == "backtrack" and act != "back")
            if plan is not None:
                return _around(turn, act, change, plan, plans, draw)
        return None

    def _plan(self, plans: GroupPlans, act: str, change: Change, draw: Draw, *, names_topic: bool) -> Plan | None:
        """The plan; behind a sentence that names the topic a whole one, which does not start with an interjection."""
        register = draw.persona.register
        key = (plans.group, act, change.shape, register)
        fitting = self._fitting.get(key)
        if fitting is None:
            every = tuple(self._wordings.of(plans.of(act, change.shape)))
            own = tuple(plan for plan in every if register in plan.registers) or every
            fitting = tuple(plan for plan in own if not self._persons or plan.fits_person(register)) or own
            self._fitting[key] = fitting
        can_name = bool(plans.old.get(change.old_shape))

        def fits(plan: Plan) -> bool:
            return (
                plans.fits_size(plan, change.size)
                and not (UP in plan.tags and change.step <= 0)
                and not (DOWN in plan.tags and change.step >= 0)
                and not (ANSWER in plan.tags and act == "state")
                and ("old" not in plan.slots or can_name)
            )

        def suits(plan: Plan) -> bool:
            goes_on = not names_topic or (plan.length >= _CLIPPED and _may_follow(plan))
            return goes_on and fits(plan) and _may_bring(plan, draw) and draw.in_tone(plan.text)

        has_own = not draw.persons and bool(draw.own_reasons())

        def likes(plan: Plan) -> bool:
            if has_own and REASONED in plan.tags and not draw.says(_BRINGS_REASON):
                return False
            if draw.motive == "plan" and REASONED not in plan.tags:
                return False
            return _likes(draw.style, plan, act) or draw.says(_UNLIKED)

        used, begun = draw.memory.used, draw.memory.beginnings
        kind = "/".join(key)
        for accepted in (
            lambda plan: suits(plan) and plan.key not in used and plan.beginning not in begun and likes(plan),
            lambda plan: suits(plan) and plan.key not in used and plan.beginning not in begun,
            lambda plan: suits(plan) and plan.key not in used,
            suits,
            fits,
        ):
            plan = draw.next(kind, fitting, accepted)
            if plan is not None:
                used.add(plan.key)
                return plan
        return None

    def order(self, kind: str, size: int) -> list[int]:
        """The order in which the set goes through a list."""
        found = self._orders.get((kind, size))
        if found is None:
            numbers = range(size)
            found = Stream(self._seed, Purpose.PLAN, crc32(kind.encode()), 0, 0).sample(numbers, size)
            self._orders[kind, size] = found
        return found


def _motive(draw: Draw) -> Motive:
    """Whether and how the turn gives a reason."""
    if not draw.says(draw.style.reason * _GIVEN):
        return "none"
    return "plan" if draw.says(_PLANNED) else "line"


def _may_bring(plan: Plan, draw: Draw) -> bool:
    """Whether the turn may give the reason that a plan brings, if it brings one."""
    return not draw.persons or draw.motive == "plan" or REASONED not in plan.tags


def _acts(turn: ScriptTurn | Turn, change: Change) -> tuple[str, ...]:
    """The acts whose plans say the change, the best one first."""
    if turn.move == "new":
        return ("state",)
    if change.act == "add" and turn.move == "backtrack":
        return ("back", "add")
    return (change.act,)


def _may_follow(plan: Plan) -> bool:
    """Whether a sentence can stand before a demand: “Scratch that” would take it back, and “Ok” would start twice."""
    return _INTERJECTION.match(plan.text) is None


def _may_precede(act: str, plan: Plan) -> bool:
    """Whether a reason can stand before the demand; before the topic is named, nobody knows what it is about."""
    return act != "back" and _may_follow(plan)


def _can_lead(plan: Plan) -> bool:
    """Whether a demand can stand before its task: a whole sentence that asks for something and points at nothing."""
    return TASK not in plan.tags and _ORDER.match(plan.text) is not None and not _POINTING.search(plan.text)


def _likes(style: TypingStyle, plan: Plan, act: str) -> bool:
    """Whether a plan is of the length that the persona prefers, and refers to the old as it prefers."""
    if act == "state" and plan.length < _CLIPPED:
        return False
    if style.length == "short" and plan.length > 9:
        return False
    if style.length == "long" and plan.length < 12:
        return False
    if style.refer == "any" or act not in ("adjust", "replace", "lift"):
        return True
    return (plan.reference in ("name", "value")) == (style.refer == "name")


def _around(
    turn: ScriptTurn | Turn, act: str, change: Change, plan: Plan, plans: GroupPlans, draw: Draw
) -> PlannedTurn:
    """What stands around the plan."""
    style, register = draw.style, draw.persona.register
    room = _ADDITIONS.get(register, 2) if plan.length > _FEW_WORDS else 1
    named = (
        draw.next(f"old/{plans.group}/{change.old_shape}", named_old(plans, change, plan, draw.wordings), parts=True)
        if "old" in plan.slots
        else None
    )
    draw.said |= plan.echoes
    opening = _opening(turn, act, plan, draw) if turn.move != "continue" or _may_follow(plan) else ""
    room -= bool(opening) and turn.move == "continue"
    stock = _STOCK + (register == "warm") - (bool(opening) and turn.move != "backtrack")
    draw.memory.beginnings.append(beginning_of(opening) if opening else plan.beginning)
    front = act == "state" and _can_lead(plan) and draw.says(style.front)
    alone = not front and TASK not in plan.tags
    bare = alone and REASONED not in plan.tags and plan.length < _MANY_WORDS
    reason = reason_for(plans.group, act, change, draw) if room > 0 and bare and draw.gives_line() else None
    room -= reason is not None
    reason_first = reason is not None and not reason.follows and _may_precede(act, plan) and draw.says(_REASON_FIRST)
    end = _End(draw, plan, changes=act != "state", after_reason=reason is not None and not reason_first)
    closer, thanks = end.drawn() if alone and min(room, stock) > 0 else ("", "")
    filler = ""
    first = not reason_first and not (opening and turn.move == "continue")
    talk = small_talk(register)
    if not front and first and draw.says(style.filler):
        filler = draw.words(f"fillers/{register}", talk.fillers, style.fillers)
    smiles = change.shape != "emoji" and not draw.grave
    return PlannedTurn(
        act=act,
        change=change,
        plan=plan,
        named=named or "",
        opening=opening,
        reason=reason,
        reason_first=reason_first,
        front=front,
        closer=closer,
        thanks=thanks,
        filler=filler,
        hedge=draw.words(f"hedges/{register}", talk.hedges, style.hedges) if draw.says(style.hedge) else "",
        please=POLITE not in plan.tags and draw.says(style.please),
        emoji=draw.words("emojis", (), style.emojis) if smiles and draw.says(style.emoji) else "",
        slip=1 + draw.stream.below(1000) if style.slips and draw.says(style.slips) else 0,
    )


@dataclass(frozen=True, slots=True)
class _End:
    """What a message ends with, behind the demand."""

    draw: Draw
    plan: Plan
    changes: bool
    """Something is there already that can stay."""
    after_reason: bool
    """A reason stands between, so that only thanks may follow."""

    def drawn(self) -> tuple[str, str]:
        """A closer and thanks: one of them, or neither."""
        draw, style, register = self.draw, self.draw.style, self.draw.persona.register
        talk, closer = small_talk(register), ""
        if not self.after_reason and draw.says(style.closer):
            stock = (*talk.closers, *talk.staying) if self.changes else talk.closers
            asks = self.plan.text.endswith("?")
            closer = draw.words(f"closers/{register}/{self.changes}", stock, style.closers, asks=not asks)
        if closer or not draw.says(style.thanks):
            return closer, ""
        return "", draw.words(f"thanks/{register}", talk.thanks, style.thanking)


def _opening(turn: ScriptTurn | Turn, act: str, plan: Plan, draw: Draw) -> str:
    """The first words: a greeting, a change of topic, a return, an opener, or nothing."""
    style, register = draw.style, draw.persona.register
    talk = small_talk(register)
    if turn.turn == 1:
        return draw.words(f"first/{register}", talk.first, style.greetings) if draw.says(style.greeting) else ""
    if turn.move == "new":
        return draw.words(f"new/{register}", talk.new, (), opens=True) if draw.says(_CHANGES_TOPIC) else ""
    if turn.move == "backtrack":
        asks = "?" not in plan.text  # two questions in a row read like a form
        return "" if act == "back" else draw.words(f"back/{register}", talk.back, (), opens=True, asks=asks)
    if not draw.says(style.opener):
        return ""
    return draw.words(f"openers/{register}", talk.openers, style.openers, opens=True)

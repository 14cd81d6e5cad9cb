"""Short wording: a turn with one operation or several, in a few words, as people type what they want of an answer.

Most demands are plain orders or fragments, some hang on the task, few are sentences or complaints; what is replaced is
not said again. Where persons are to fit (`Profile.persons`) one in ten of the demands that somebody would give a reason
for has one behind it, written for this kind of demand. The choice is a pure function of the seed, the dialogue and its
turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from evolif.scenarios.instructions.constraints import get_group
from evolif.scenarios.instructions.partition import ALL_WORDINGS, Wordings
from evolif.scenarios.instructions.synthesis.draw import DrawMemory
from evolif.scenarios.instructions.synthesis.plans import (
    EVERYBODY,
    QUESTION,
    SEAL,
    TEXT,
    UNSEAL,
    Plan,
    capitalised,
    seal,
)
from evolif.scenarios.instructions.synthesis.render import styled
from evolif.scenarios.instructions.synthesis.short_plans import (
    DropPlans,
    ShortPlans,
    fill_short,
    load_drop_plans,
    load_short_plans,
)
from evolif.scenarios.instructions.synthesis.short_values import ShortForm, short_form
from evolif.scenarios.instructions.synthesis.style import style_of
from evolif.scenarios.instructions.synthesis.tone import is_grave
from evolif.scenarios.instructions.turns import Operation, Params, Persona, ScriptTurn, Turn
from evolif.util.rng import Purpose, Stream

_KINDS = (("do", 40), ("bit", 25), ("hung", 20), ("say", 10), ("gripe", 5))
"""How a demand is worded, by weight."""
_IN_WORDS = 45
"""Percent of numbers up to ten that are written as words."""
_TO, _INSTEAD = 30, 40
"""Percent of changes of a value that name nothing but the value, and of others that say “instead”."""
_ALWAYS = 100
_WORD_GROUPS = ("existence", "forbidden")
"""Groups of which a change may only add or take away words, so that it is said where all are replaced."""
_PLEASE = 10
_FRAGMENTS = 60
"""Percent of two or three demands that are fragments in one row."""
_REMINDED = 45
"""Percent of returns on which one of the demands in force is said again, where there is one."""
_REMINDABLE = frozenset(
    "length bullets language person emoji hashtags punctuation emphasis sentences digits case".split()
)
"""Groups whose demands are named in a word or two."""
_AMOUNTS = frozenset({"between", "least", "most", "about"})
_RESET_WITH = 30
"""Percent of resets that hold the new demands in the same sentence."""
_ASIDE = re.compile(r"\b(?:please|pls|kindly|instead|now|too|either|also)\b", re.IGNORECASE)
_DANGLING = re.compile(r"(?:with(?:out)?|[a-z]{1,20}ing)\b", re.IGNORECASE)
"""Fragments that hang on something said before; alone, only brisk people type them."""
_STOPS = ".?!…:"
_REASON = 10
"""Percent of turns with one demand that has reasons in which one is given."""
_SALT = 0x5348_4F52_54


@dataclass(frozen=True, slots=True)
class ShortDemand:
    """What a turn asks of one group."""

    kind: str
    """How it is worded: `do`, `bit`, `hung`, `say`, `gripe`, `to`, `free`."""
    text: str
    """With values sealed; a fragment has no final mark."""
    lifts: bool = False
    """Whether it drops a constraint."""


class ShortWords:
    """Words turns in short demands.

    Args:
        seed: Of the wording.
        persons: Whether words and reasons are to fit who asks (`Profile.persons`).
        wordings: What may be said.
    """

    def __init__(self, seed: int, *, persons: bool = False, wordings: Wordings = ALL_WORDINGS) -> None:
        self._seed = seed
        self._persons = persons
        self._wordings = wordings

    def say(self, turn: ScriptTurn | Turn, persona: Persona, memory: DrawMemory) -> str | None:
        """The query of a turn, whose plans the memory then holds; None if a constraint has no short words."""
        memory.turns = turn.turn
        stream = Stream(self._seed, Purpose.PLAN, turn.dialogue, turn.turn, _SALT)
        voice = ShortVoice(stream, persona.register, memory, self._persons, self._wordings)
        text = _turn_text(turn, voice)
        if text is None:
            return None
        if self._persons and (reason := short_reason(turn, voice)):
            text = f"{text} {reason}"
        return styled(text, style_of(persona))


@dataclass(frozen=True, slots=True)
class ShortVoice:
    """Whose words are drawn, and from what."""

    stream: Stream
    register: str
    memory: DrawMemory
    persons: bool = False
    """Whether words and reasons are to fit who asks."""
    wordings: Wordings = ALL_WORDINGS

    def says(self, percent: int) -> bool:
        """True in so many cases of a hundred."""
        return self.stream.below(100) < percent

    def typed(self, plans: Sequence[Plan]) -> list[Plan]:
        """The plans that the person types; where persons are to fit, that may be none."""
        if self.persons:
            return [plan for plan in plans if plan.fits_person(self.register)]
        return [plan for plan in plans if self.register in plan.registers] or list(plans)

    def plan(self, plans: Sequence[Plan], *, name: bool = False) -> Plan | None:
        """A plan that the person types, one that the dialogue has not used if there is one; a name is anybody's."""
        # A name is no sentence, and many kinds of constraints have just one.
        plans = self.wordings.some_of(plans) if name else self.wordings.of(plans)
        own = list(plans) if name and self.persons else self.typed(plans)
        fresh = [plan for plan in own if plan.key not in self.memory.used]
        if not own:
            return None
        chosen = self.stream.choice(fresh or own)
        self.memory.used.add(chosen.key)
        if not name:
            self.wordings.note(chosen)
        return chosen

    def in_turn(self) -> Iterator[ShortVoice]:
        """Who says it: this person; where the side of the partition has no words, in those of others, then in any."""
        yield self
        if self.wordings.side is not None:
            yield replace(self, register="neutral")
            yield replace(self, wordings=self.wordings.all)


def _turn_text(turn: ScriptTurn | Turn, voice: ShortVoice) -> str | None:
    operations, drops = turn.operations, load_drop_plans()
    if turn.act == "carry":
        return _carried(turn.topic.prompt, drops, voice)
    if turn.act == "replace_all":
        text = replaced_all(operations, voice)
        return text if text is None or turn.move == "continue" else _behind_topic(text, turn, drops, voice)
    demands = [demand_of(operation, voice, turn, alone=len(operations) == 1) for operation in operations]
    if any(demand is None for demand in demands):
        return None
    told = [demand for demand in demands if demand is not None]
    if turn.move == "new":
        return _beside_task(turn.topic.prompt, told, voice)
    if turn.move == "backtrack":
        reminder = _reminder(turn, drops, voice) if voice.persons and voice.says(_REMINDED) else ""
        return _behind_topic(f"{reminder}{sentence_of(told, voice)}", turn, drops, voice)
    if len(told) == 1 and told[0].kind == "hung":
        again = voice.plan(drops.again)
        assert again is not None  # a packaged list
        return f"{again.text}, {_inner(told[0].text)}."
    return sentence_of(told, voice)


def replaced_all(operations: Sequence[Operation], voice: ShortVoice) -> str | None:
    """What says that all earlier demands are off, and what is asked from now on.

    Args:
        operations: Of the turn; what goes is not listed.
        voice: Whose words.

    Returns:
        Sentences; None where a constraint has no short words.
    """
    new = [Operation("add", op.group, None, op.after) for op in operations if op.after is not None]
    demands = [demand_of(operation, voice, None, alone=False) for operation in new]
    if any(demand is None for demand in demands):
        return None
    drops, told = load_drop_plans(), [demand for demand in demands if demand is not None]
    if told and voice.says(_RESET_WITH):
        plan = voice.plan(drops.reset_with)
        assert plan is not None  # a packaged list
        return plan.text.replace("{now}", _inner(sentence_of(told, voice)))
    plan = voice.plan(drops.reset)
    assert plan is not None  # a packaged list
    return f"{plan.text} {sentence_of(told, voice)}" if told else plan.text


def demand_of(
    operation: Operation, voice: ShortVoice, turn: ScriptTurn | Turn | None, *, alone: bool = True
) -> ShortDemand | None:
    """What one operation asks for.

    Args:
        operation: The operation.
        voice: Whose words.
        turn: The turn; None where nothing was answered before.
        alone: Whether the turn asks for nothing else, so that it may be a complaint or hang on the task.

    Returns:
        The demand; None where the group has no short words for it.
    """
    plans = load_short_plans(operation.group)
    if plans is None:
        return None
    in_words = voice.says(_IN_WORDS)
    if operation.after is None:
        assert operation.before is not None  # an operation has one of the two
        return _lift(plans, operation.before, voice, in_words=in_words, alone=alone)
    answered = turn is not None and turn.move == "continue"
    part = part_of(operation)
    form = short_form(operation.group, part.params, in_words=in_words)
    if form is None:
        return None
    kind = _kind(voice, alone=alone, answered=answered, fresh=turn is not None and turn.move == "new")
    if part.released:
        kind = "free"
    replaced = operation.kind == "modify" and not part.partial
    if replaced and (operation.group in _WORD_GROUPS or (voice.persons and _is_unclear(operation, form))):
        return _said(plans, form, kind if kind in ("do", "bit") else "do", voice, instead=_ALWAYS)
    if not part.released and operation.kind == "modify" and _same_shape(operation, form) and voice.says(_TO):
        kind = "to"
    return _said(plans, form, kind, voice, instead=_INSTEAD if replaced and not form.tails else 0)


@dataclass(frozen=True, slots=True)
class PartChange:
    """What a modification changes, where it leaves the rest."""

    params: Params
    partial: bool = False
    released: bool = False


def part_of(operation: Operation) -> PartChange:
    """What has to be said of a new or changed constraint: of lists of words, the words that come or go."""
    before, after = operation.before, operation.after
    assert after is not None  # a removal has no part
    if before is None or operation.group not in ("existence", "forbidden"):
        return PartChange(after)
    old, new = _words(before), _words(after)
    if any("any_of" in params for params in (before, after)):
        return PartChange(after)
    gone = [word for word in old if word not in new]
    come = [word for word in new if old.get(word) != new[word]]
    if (gone and come) or not (gone or come):
        return PartChange(after)
    words = gone or come
    if operation.group == "forbidden":
        return PartChange({"keywords": words}, True, bool(gone))
    held = before if gone else after
    key = "counts" if "counts" in held else "at_least"
    return PartChange({key: {word: held[key][word] for word in words}}, True, bool(gone))


def _words(params: Params) -> dict[str, int]:
    if "keywords" in params:
        return dict.fromkeys(params["keywords"], 0)
    return {**params.get("counts", {}), **params.get("at_least", {})}


def _same_shape(operation: Operation, form: ShortForm) -> bool:
    assert operation.before is not None  # a modification has it
    old = short_form(operation.group, operation.before)
    return old is not None and old.shape == form.shape


def _is_unclear(operation: Operation, form: ShortForm) -> bool:
    """Whether the new value might come on top of the old one, so that it is said that it takes its place."""
    return operation.group == "labels" or not _same_shape(operation, form)


def _kind(voice: ShortVoice, *, alone: bool, answered: bool, fresh: bool) -> str:
    weights = [
        (kind, weight)
        for kind, weight in _KINDS
        if (kind != "gripe" or (alone and answered)) and (kind != "hung" or (alone and (answered or fresh)))
    ]
    return voice.stream.weighted(weights)


def _said(plans: ShortPlans, form: ShortForm, kind: str, voice: ShortVoice, *, instead: int) -> ShortDemand | None:
    """A demand of a kind, or of the nearest that there is; `instead` is how often of a hundred it says that word."""
    kinds: tuple[str, ...] = (kind, "do", "bit", "say")
    if voice.wordings.side is not None and (kind == "free" or instead == _ALWAYS):
        # Of words that a side lacks: an order would ask for what is to go, and a sentence cannot say “instead”.
        kinds = (kind,) if kind == "free" else ("do", "bit")
    for speaker in voice.in_turn():
        for wanted in kinds:
            options = plans.of(form.shape, wanted)
            if wanted == "bit" and voice.persons and voice.register != "brisk":
                options = tuple(plan for plan in options if not _DANGLING.match(plan.text))
            plan = speaker.plan(options)
            if plan is not None:
                return _worded(plan, plans, form, wanted, speaker, instead=instead)
    return None


def _worded(
    plan: Plan, plans: ShortPlans, form: ShortForm, kind: str, voice: ShortVoice, *, instead: int
) -> ShortDemand:
    """A demand by a plan, with what is added to it."""
    text = fill_short(plan, form.slots)
    if instead == _ALWAYS and form.tails and kind in ("do", "bit"):
        text, instead = _with_tail(text, " instead"), 0
    for tail in form.tails:
        text = _with_tail(text, voice.stream.choice(voice.wordings.some_of(plans.tails[tail])))
    fits = kind in ("do", "bit") and (instead == _ALWAYS or not _ASIDE.search(text))
    if instead and fits and voice.says(instead):
        text = _with_tail(text, " instead")
    elif kind in ("do", "bit") and not _ASIDE.search(text) and voice.says(_PLEASE):
        quoted = text.rstrip(f".{UNSEAL}")[-1:] in '”"`'
        text = _with_tail(text, " please" if kind == "bit" and not quoted else ", please")
    return ShortDemand(kind, text)


def _with_tail(text: str, tail: str) -> str:
    """The text with a tail before its final mark."""
    return f"{text[:-1]}{tail}{text[-1]}" if text[-1:] in _STOPS else f"{text}{tail}"


def _lift(plans: ShortPlans, before: Params, voice: ShortVoice, *, in_words: bool, alone: bool) -> ShortDemand | None:
    form = short_form(plans.group, before, in_words=in_words)
    name = voice.plan(plans.of(form.shape, "names"), name=True) if form is not None else None
    if form is None or name is None:
        return None
    drops = load_drop_plans().lift
    kind = voice.stream.weighted([(kind, weight) for kind, weight in _KINDS if alone or kind in ("do", "say")])
    plan = voice.plan(drops[kind]) or voice.plan(drops["do"])
    assert plan is not None  # a packaged list
    told = fill_short(name, form.slots)
    text = plan.text.replace("{name}", told).replace("{Name}", capitalised(told))
    return ShortDemand(kind, text, lifts=True)


def short_reason(turn: ScriptTurn | Turn, voice: ShortVoice) -> str:
    """Why the person wants what a turn asks for, as a sentence.

    Args:
        turn: The turn.
        voice: Whose words; its memory then holds the reason.

    Returns:
        The sentence; empty where nobody would give a reason, or this one does not.
    """
    if len(turn.operations) != 1 or turn.act == "replace_all" or turn.operation.after is None:
        return ""
    operation = turn.operation
    plans, part = load_short_plans(operation.group), part_of(operation)
    form = short_form(operation.group, part.params) if not part.released else None
    lines = plans.reasons.get(form.shape, ()) if plans is not None and form is not None else ()
    if not lines or _eases(operation) or not voice.says(_REASON):
        return ""
    typed = (line for line in voice.typed(voice.wordings.of(lines)) if line.text not in voice.memory.used)
    fresh = [line for line in typed if _stands_beside(line, turn)]
    if not fresh:
        return ""
    text = voice.stream.choice(fresh).text
    voice.memory.used.add(text)
    voice.wordings.note(text)
    return text


def _stands_beside(line: Plan, turn: ScriptTurn | Turn) -> bool:
    """Whether a reason suits the task: beside a grave one only what everybody would say, no whim."""
    unsuited = QUESTION if _WRITES.search(turn.topic.prompt) else TEXT
    return unsuited not in line.tags and (EVERYBODY in line.tags or not is_grave(turn.topic))


def _eases(operation: Operation) -> bool:
    """Whether a limit gets looser: the reason for it is none for that."""
    before, after = operation.before, operation.after
    if before is None or after is None or before.get("relation") != after.get("relation"):
        return False
    step = get_group(operation.group).change(before, after).step
    return step == {"at_most": 1, "at_least": -1}.get(str(after.get("relation")))


_WRITES = re.compile(
    r"\b(?:write|draft|compose|letter|email|message|speech|toast|poem|sonnet|limerick|story|tale|scene|dialogue|monologue|"
    r"invitation|announcement|notice|caption|lyrics|song|pitch|voice of|improvise|play|invent|you are)\b",
    re.IGNORECASE,
)
"""What tasks say that ask for a text, which others read."""


def sentence_of(demands: Sequence[ShortDemand], voice: ShortVoice) -> str:
    """One demand as a sentence; two or three as fragments in a row, joined orders, or sentences."""
    if len(demands) == 1:
        return _ended(capitalised(demands[0].text))
    texts = [demand.text for demand in demands]
    if any(_stops(text) for text in texts[:-1]) or any(demand.lifts for demand in demands[:-1]):
        return " ".join(_ended(capitalised(text)) for text in texts)
    if all(demand.kind == "bit" for demand in demands):
        return _ended(capitalised(_row(texts, ", ")))
    if all(demand.kind in ("do", "bit") for demand in demands) and voice.says(_FRAGMENTS):
        joint = " and " if demands[-1].kind == "do" and not _clipped(demands[0].text) else ", "
        return _ended(capitalised(_row([_inner(_clip(text)) for text in texts], joint)))
    return " ".join(_ended(capitalised(text)) for text in texts)


def _stops(text: str) -> bool:
    """Whether a quoted value at the end of a text, stop included, looks like the end of the sentence."""
    return text.rstrip(f".{UNSEAL}").rstrip('”"`')[-1:] in ".?!" and text.rstrip(f".{UNSEAL}")[-1:] in '”"`'


def _row(texts: Sequence[str], joint: str) -> str:
    inner = [texts[0], *map(_inner, texts[1:])]
    return ", ".join(inner[:-1]) + joint + inner[-1] if len(inner) > 1 else inner[0]


def _clip(text: str) -> str:
    return text[:-1] if text.endswith(".") else text


def _clipped(text: str) -> bool:
    """Whether a text is more than one clause, so that “and” behind it would be misread."""
    return "," in text or " and " in text


def _inner(text: str) -> str:
    """The text as it stands inside a sentence."""
    first = text[:2]
    keep = text[:1] == SEAL or first.isupper() or first in ("I ", "I'") or not text[:1].isupper()
    return text if keep else f"{text[0].lower()}{text[1:]}"


def _ended(text: str) -> str:
    bare = text.rstrip(UNSEAL)
    ends = bare[-1:] in _STOPS or (bare[-1:] in '”"`' and bare[:-1].rstrip(UNSEAL)[-1:] in ".?!…")
    return text if ends else f"{text}."


def _beside_task(task: str, demands: Sequence[ShortDemand], voice: ShortVoice) -> str:
    """A new task with what is asked of it."""
    plain = task[:-1] if task.endswith(".") else task
    if len(demands) == 1 and demands[0].kind == "hung" and "\n" not in task and plain[-1:].isalnum():
        joint = voice.stream.choice((", ", " - ", ", "))
        joint = " " if demands[0].text.startswith(("and ", "but ")) else joint
        return f"{seal(plain)}{joint}{_inner(demands[0].text)}."
    space = "\n\n" if "\n" in task else " "
    whole = task if task.rstrip()[-1:] in _STOPS or "\n" in task else f"{task}."
    return f"{seal(whole)}{space}{sentence_of(demands, voice)}"


def _reminder(turn: ScriptTurn | Turn, drops: DropPlans, voice: ShortVoice) -> str:
    """One of the demands that hold as before, said again in short; empty where none has words for it."""
    kept = [one for one in turn.constraints if one.group in _REMINDABLE and one.group not in turn.changed]
    for constraint in voice.stream.sample(kept, len(kept)):
        plans, form = load_short_plans(constraint.group), short_form(constraint.group, constraint.params)
        plain = form is not None and form.shape not in _AMOUNTS
        bits = plans.of(form.shape, "bit", voice.register) if plans is not None and form is not None and plain else ()
        plan, said = voice.plan(bits), voice.plan(drops.still)
        if plan is not None and said is not None and form is not None and not form.tails:
            return f"{said.text.replace('{now}', _inner(_clip(fill_short(plan, form.slots))))} "
    return ""


def _carried(task: str, drops: DropPlans, voice: ShortVoice) -> str:
    """A new task for which the demands of the one before hold, too."""
    plan = voice.plan(drops.carry)
    assert plan is not None  # a packaged list
    return _beside_task(task, [ShortDemand("say", plan.text)], voice)


def _behind_topic(said: str, turn: ScriptTurn | Turn, drops: DropPlans, voice: ShortVoice) -> str:
    """A return to a topic, then what is asked."""
    topic = turn.topic.title or f"what I asked for earlier (“{turn.topic.prompt}”)"
    plan = voice.plan(drops.back)
    assert plan is not None  # a packaged list
    opening = plan.text.replace("{Topic}", seal(capitalised(topic))).replace("{topic}", seal(topic))
    return f"{opening} {_inner(said) if opening.endswith(':') else said}"

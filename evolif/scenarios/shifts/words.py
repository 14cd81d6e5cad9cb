"""The words of a dialogue with shifting topics: what the user types, and the replies of a fixed transcript."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from evolif.errors import InternalError
from evolif.scenarios.shifts.details import TaskDetails, load_details
from evolif.scenarios.shifts.dialogue import Act, ShiftTurn
from evolif.scenarios.shifts.outline import Beat
from evolif.scenarios.shifts.script import Script
from evolif.scenarios.shifts.task_words import Answered, SlotWords, TaskWords, load_words, sentences_of
from evolif.scenarios.shifts.tasks import Hold, Slot, TaskType, filled, grams, kept, own_words, plain
from evolif.util.resources import data_path, load_data
from evolif.util.rng import Stream

_FEW = 3
"""So few sentences are all equally likely."""
_QUESTIONS = 2
"""Of a hundred wishes, those that are put as a question; side questions make up for the rest."""
_LED = 5
"""Of ten side questions, those that say that they are one."""
_LEAST_REPLY = 30
"""Words of the shortest reply."""
_SHORTEST, _SPREAD = 58, 45
"""Words of the shortest reply that gets no more details, and by how many the longest has more."""
_MORE = re.compile(r"\b(?:also|another|as well|too|further|either|yet another)\b", re.IGNORECASE)
"""Words that only fit a list that has an item already."""


@cache
def generic(hold: Hold) -> Mapping[str, tuple[str, ...]]:
    """The sentences that fit any topic, by what they are for, and `questions` and `replies` of digressions."""
    folder = data_path("seeds", "shifts")
    data: dict[str, list[str]] = {}
    for name in ("sentences", "digressions", "answered"):
        data |= load_data(folder / f"{name}.yaml")
    return {name: kept(options, hold) for name, options in data.items()}


@cache
def sentences_beside(name: str, task: str, hold: Hold) -> tuple[str, ...]:
    """The sentences for any topic that share no word with a task, as far as there are any."""
    options = generic(hold)[name]
    return tuple(s for s in options if grams(s).isdisjoint(own_words(task))) or options


@dataclass(slots=True)
class _Topic:
    """A topic as far as it was talked about."""

    task: TaskType
    words: TaskWords
    details: TaskDetails
    continued: Mapping[str, tuple[str, ...]]
    """What continues the answer to each question."""
    touched: list[str] = field(default_factory=list)
    """Keys of slots, what was discussed last at the end."""

    def touch(self, key: str) -> None:
        """Note that a slot is discussed."""
        self.touched = [*(one for one in self.touched if one != key), key]

    def slots(self) -> list[Slot]:
        """What was discussed, the latest first, then the rest."""
        rest = [slot for slot in self.task.slots if slot.key not in self.touched]
        known = {slot.key: slot for slot in self.task.slots}
        return [known[key] for key in reversed(self.touched)] + rest


@dataclass(frozen=True, slots=True)
class _Part:
    """What a reply says about one thing, and what it may add to that."""

    text: str
    more: tuple[str, ...]


@dataclass(slots=True)
class ShiftWriter:
    """Writes the turns of one dialogue; no sentence is said twice while there are others.

    A reply says what becomes of each value that the user has just named, or answers the question.
    """

    stream: Stream
    script: Script
    hold: Hold
    said: set[str] = field(default_factory=set)
    replied: set[str] = field(default_factory=set)
    """Sentences of replies."""
    listed: set[str] = field(default_factory=set)
    """Keys of lists that have an item already."""
    alternatives: int = 0
    """How many were tried so far."""
    branch_name: str = ""
    values: frozenset[str] = frozenset()
    """The values of all wishes, which no detail may give away or speak of by chance."""

    def turns(self) -> tuple[ShiftTurn, ...]:
        """All turns of the dialogue; the last reply is left to whoever knows the result."""
        script = self.script
        self.branch_name = self.stream.choice(_BRANCH_NAMES)
        tasks = [script.main, *script.others]
        topics = [None if number is None else _topic(tasks[number]) for number in script.outline.topics]
        self.values = frozenset(
            plain(form)
            for beat, acts in zip(script.outline.beats, script.acts, strict=True)
            for act in acts
            for value in (act.value, act.old)
            if value is not None and not isinstance(value, bool)
            for form in (str(value), tasks[script.outline.topics[beat.topic] or 0].slot(act.slot).say(value))
        )
        main = topics[0]
        turns: list[ShiftTurn] = []
        here = [main] if main is not None else []
        for number, (beat, acts) in enumerate(zip(script.outline.beats, script.acts, strict=True), 1):
            topic = topics[beat.topic]
            if topic is None:
                query, answer = self._aside(here)
                asked, reply = [Act("ask", "")], answer
            else:
                here = [topic, *(one for one in here if one is not topic)]
                query, asked, reply = self._exchange(beat, topic, acts)
            details = (*acts, *asked)
            turns.append(
                ShiftTurn(number, beat.move, beat.topic, beat.branch, beat.fork, query, reply, details, beat.returns)
            )
        return tuple(turns)

    def _exchange(self, beat: Beat, topic: _Topic, acts: Sequence[Act]) -> tuple[str, list[Act], str]:
        """A turn about a topic: what the user says, what is asked, and the reply."""
        if beat.move == "final":
            return self._final(beat, topic.task), [], ""
        said, parts, asked = self._lead(beat, topic)
        for act in acts:
            said.append(self._wish(topic, act, beat))
            parts.append(_Part(self._taken_up(topic, act), self._details(topic, act)))
            topic.touch(act.slot)
        if not acts and not asked:
            slot, (question, answer) = self._question(beat, topic)
            said.append(question)
            details = self._from_anywhere(topic.details.slots[slot.key].of(None))
            parts.append(_Part(answer, (*topic.continued[question], *details)))
            asked.append(Act("ask", slot.key))
            topic.touch(slot.key)
        changes = any(act.name in ("refine", "cancel", "withdraw") for act in acts)
        kind = "unchanged" if changes else "compared" if beat.old is not None else "listed" if acts else ""
        return " ".join(said), asked, self._reply(parts, topic.task, kind)

    def _lead(self, beat: Beat, topic: _Topic) -> tuple[list[str], list[_Part], list[Act]]:
        """How a turn begins that opens a topic or comes back to one, what answers that, and what it asks."""
        task, main = topic.task, self.script.main.id
        if beat.move in ("open", "topic"):
            leads = beat.move == "topic" and self.stream.below(2)
            lead = [self._pick(sentences_beside("new_topics", main, self.hold))] if leads else []
            return [*lead, self._pick(task.openings)], [], []
        if beat.turns_back:
            return [filled(self._generic("branch_ways_back").replace("{branch}", self._branch(beat)))], [], []
        if beat.returns == "named":
            return [self._pick(sentences_beside("ways_back", main, self.hold)).replace("{title}", task.title)], [], []
        if beat.returns == "implicit":
            question = self._pick(task.implicit)
            part = _Part(dict(topic.words.implicit)[question], topic.continued[question])
            return [question], [part], [Act("ask", "")]
        if beat.old is not None:
            self.alternatives += 1
            if self.alternatives > 1:
                return [self._generic("more_alternatives")], [], []
        return [], [], []

    def _aside(self, here: Sequence[_Topic]) -> Answered:
        """A side question that what was just discussed brings to mind."""
        taken = own_words(self.script.main.id)
        for topic in here:
            for slot in topic.slots():
                for question, answer in topic.words.slots[slot.key].asides:
                    if question not in self.said and grams(question).isdisjoint(taken):
                        self.said.add(question)
                        return self._led(question), self._reply(
                            [_Part(answer, topic.continued[question])], topic.task, ""
                        )
        raise InternalError(f"{self.script.main.id} has too few side questions; please report this")

    def _led(self, question: str) -> str:
        if self.stream.below(10) >= _LED:
            return question
        return self._pick(sentences_beside("side_leads", self.script.main.id, self.hold)) + lowered(question)

    def _question(self, beat: Beat, topic: _Topic) -> tuple[Slot, Answered]:
        """A question about what was discussed last; on a branch that is not chosen, about what makes it one."""
        slots = topic.slots()
        if beat.topic == 0 and not beat.room:
            slots.sort(key=lambda slot: not slot.fork)
        found = [(slot, one) for slot in slots for one in topic.words.slots[slot.key].asks if one[0] in slot.ask]
        slot, answered = next((one for one in found if one[1][0] not in self.said), found[0])
        self.said.add(answered[0])
        return slot, answered

    def _wish(self, topic: _Topic, act: Act, beat: Beat) -> str:
        """The sentence of an act."""
        slot = topic.task.slot(act.slot)
        alternative = beat.old is not None and act.name == "set" and slot is self.script.fork
        options = slot.sentences("alternative" if alternative else act.name, act.value)
        if act.name == "refine":
            unfit = topic.words.slots[slot.key].unfit(rises=_rises(act))
            options = tuple(s for s in options if s not in unfit) or options
            options = tuple(s for s in options if "{old}" in s) or options  # people say what they no longer want
        if act.name == "add" and act.slot not in self.listed:
            options = tuple(s for s in options if not _MORE.search(s)) or options
        if act.value is not None and slot.say(act.value).endswith("s"):
            options = tuple(s for s in options if not s.startswith("There's {value}")) or options
        asks = self.stream.below(100) < _QUESTIONS
        fresh = [s for s in options if s not in self.said] or options
        fitting = [s for s in fresh if ("?" in s) == asks] or fresh
        template = self._pick(sorted(fitting, key=len)[: max(_FEW, len(fitting) // 2)])
        return filled(
            template, "" if act.value is None else slot.say(act.value), "" if act.old is None else slot.say(act.old)
        )

    def _taken_up(self, topic: _Topic, act: Act) -> str:
        """What the assistant makes of an act."""
        slot, words = topic.task.slot(act.slot), topic.words.slots[act.slot]
        if act.name == "set" and slot is self.script.fork and act.old is not None:
            text = words.alternative
        elif act.name == "add":
            fresh = [one for one in words.added if one not in self.said] or words.added
            first = act.slot not in self.listed
            text = self._pick([s for s in fresh if not (first and _MORE.search(sentences_of(s)[0]))] or fresh)
            self.listed.add(act.slot)
        else:
            text = _reply_to(act, words)
        return filled(
            text, "" if act.value is None else slot.say(act.value), "" if act.old is None else slot.say(act.old)
        )

    def _details(self, topic: _Topic, act: Act) -> tuple[str, ...]:
        """What may be added to what is made of an act."""
        own = topic.details.slots[act.slot]
        if act.name in ("cancel", "withdraw"):
            return own.dropped
        if act.name == "set" and act.old is not None and act.slot == self.script.fork.key:
            return self._from_anywhere(own.compared) + self._from_anywhere(own.of(act.value))
        return self._from_anywhere(own.of(act.value))

    def _from_anywhere(self, sentences: tuple[str, ...]) -> tuple[str, ...]:
        """The sentences, from another one on in each dialogue: each may come first."""
        start = self.stream.below(max(1, len(sentences)))
        return sentences[start:] + sentences[:start]

    def _reply(self, parts: Sequence[_Part], task: TaskType, kind: str) -> str:
        """What is said of each part, and details in turn until the reply is as long as one usually is.

        No sentence is said a second time while there are others, but the one that says what becomes of a value.

        Args:
            parts: What is said about each thing that the user said.
            task: The type of the topic.
            kind: The sentences for any topic that close a reply for which too few details are left.
        """
        split = [sentences_of(part.text) for part in parts]
        chosen = [[one[0], *(s for s in one[1:] if s not in self.replied)] for one in split]
        enough = _SHORTEST + self.stream.below(_SPREAD)
        self.replied.update(sentence for own in chosen for sentence in own)
        left = [[s for s in part.more if s not in self.replied and grams(s).isdisjoint(self.values)] for part in parts]
        while _words(chosen) < enough and any(left):
            for own, more in zip(chosen, left, strict=True):
                if more and _words(chosen) < enough:
                    own.append(more.pop(0))
                    self.replied.add(own[-1])
        while _words(chosen) < _LEAST_REPLY:
            chosen.append([self._about(task, kind) if kind else self._again(parts, chosen)])
        return " ".join(sentence for own in chosen for sentence in own)

    def _about(self, task: TaskType, name: str) -> str:
        """A sentence for any topic that names this one."""
        return self._generic(name).replace("{title}", task.title).replace("{deliverable}", task.deliverable)

    def _again(self, parts: Sequence[_Part], chosen: Sequence[Sequence[str]]) -> str:
        """A sentence of an answer that was said before, where nothing else is left to say."""
        here = {sentence for own in chosen for sentence in own}
        known = [s for part in parts for s in (*sentences_of(part.text), *part.more)]
        return next((s for s in known if s not in here), known[0])

    def _final(self, beat: Beat, task: TaskType) -> str:
        lead = self._generic("closing_returns" if beat.leaves else "final_stays").replace("{title}", task.title)
        request = self._generic("closing_switches" if beat.turns_back else "closing_requests")
        if beat.leaves:  # the lead has named the topic
            request = request.replace(" for {title}", "")
        request = request.replace("{deliverable}", task.deliverable).replace("{title}", task.title)
        keys = self._generic("closing_keys").replace("{keys}", ", ".join(task.keys))
        return " ".join((lead, request.replace("{branch}", self._branch(beat)), keys))

    def _branch(self, beat: Beat) -> str:
        return self.branch_name.replace("{value}", self.script.fork.say(self.script.versions[beat.version]))

    def _generic(self, name: str) -> str:
        return self._pick(sentences_beside(name, self.script.main.id, self.hold))

    def _pick(self, options: Sequence[str]) -> str:
        """A sentence that was not said before, if there is one; people prefer the shorter of two."""
        fresh = [s for s in options if s not in self.said] or options
        found = self.stream.choice(fresh)
        if len(fresh) > _FEW:
            found = min(found, self.stream.choice(fresh), key=len)
        self.said.add(found)
        return found


_BRANCH_NAMES = ("the {value} version", "the {value} option")
"""Those of `branch_names` in seeds/shifts/sentences.yaml that fit every value."""


def lowered(question: str) -> str:
    """A question after a comma or colon: it begins with a small letter."""
    return question[0].lower() + question[1:]


def _words(sentences: Sequence[Sequence[str]]) -> int:
    return sum(len(sentence.split()) for own in sentences for sentence in own)


def _rises(act: Act) -> bool:
    """Whether the new value is larger, or later, than the old one."""
    if isinstance(act.value, str) or isinstance(act.old, str):
        return str(act.value) > str(act.old)
    return float(act.value or 0) > float(act.old or 0)


def _topic(task: TaskType) -> _Topic:
    words = load_words(task.id)
    if words is None:
        raise InternalError(f"nothing is said about {task.id}; please report this")
    details = load_details(task.id)
    return _Topic(task, words, details, details.continued(words))


def _reply_to(act: Act, words: SlotWords) -> str:
    found = {"refine": words.changed, "cancel": words.cancelled, "withdraw": words.dropped}.get(act.name) or words.set
    return found if isinstance(found, str) else found[act.value is True]

"""The words of dialogues of the first edition, which stored benchmarks have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evolif.scenarios.shifts.dialogue import Act, ShiftTurn
from evolif.scenarios.shifts.outline import MOST_ACTS, Beat
from evolif.scenarios.shifts.script import Script
from evolif.scenarios.shifts.tasks import Hold, Slot, TaskType, filled
from evolif.scenarios.shifts.words import generic, sentences_beside
from evolif.util.rng import Stream

_FEW = 3
"""So few sentences are all equally likely."""
_OPENLY = 6
"""Of ten refinements, those that name the old value where there is a sentence that does."""
_QUESTIONS = 5
"""Of a hundred wishes, those that are put as a question; side questions make up for the rest."""
_SMALLTALK = 20
"""Of a hundred openings and returns, those that are a question."""
_ACKS = 6
"""Of ten replies to a wish, those that take it up."""
_LENGTHS = (32, 45, 55, 62, 70, 75, 78, 80, 84, 90, 97, 105, 120, 145, 175)
"""Words that a reply aims at."""
_MANY = 1 << 60
_LEAST_REPLY, _MOST_REPLY = 30, 200
_SMALL = re.compile(
    r"(?:A|Actually|After|All|Alternatively|An|Another|Any|Are|As|Because|Before|Can|Change|"
    r"Children|Could|Customers|Did|Do|Does|Drop|Each|Every|Everyone|Everything|For|Forget|"
    r"Friends|From|Give|Have|How|If|Ignore|In|Is|It|Its|Kids|Leave|Let|Live|Make|Managers|"
    r"Maybe|Most|Move|Must|My|Never|Nobody|No|Not|Nothing|On|Our|Partners|People|Please|Put|"
    r"Remove|Sadly|Scrap|Scratch|Send|Set|Shall|Should|Since|Skip|So|Some|Somebody|Something|Sorry|Strike|"
    r"Suppose|Swap|Switch|Take|That|The|There|They|This|To|Until|Use|Users|We|Were|What|When|"
    r"Where|Whether|Which|Who|Why|Will|With|Without|Would|You|Your|"
    r"And|Authentication|Autoscaling|Bad|Batch|Breakfast|Colours|Compost|Correction|Developers|Dinner|"
    r"Doors|Emojis|Errors|Exams|Film|Finance|Flaky|Hadn|Head|Labelling|Lessons|Long|Maintenance|May|"
    r"Memory|Mocking|Multiplayer|New|Noise|Pagination|Port|Prep|Retries|Reviews|Route|School|Scratch|"
    r"Shall|Small|Time|Training|Type)\b"
)
"""Words that begin with a capital only because they begin a sentence."""


@dataclass(slots=True)
class FirstWriter:
    """Writes the turns of one dialogue; no sentence is said twice while there are others."""

    stream: Stream
    script: Script
    hold: Hold
    said: set[str] = field(default_factory=set)
    branch_name: str = ""

    def turns(self) -> tuple[ShiftTurn, ...]:
        """All turns of the dialogue."""
        script = self.script
        self.branch_name = self.stream.choice(generic(self.hold)["branch_names"])
        tasks: list[TaskType | None] = []
        for topic in script.outline.topics:
            tasks.append(None if topic is None else [script.main, *script.others][topic])
        turns: list[ShiftTurn] = []
        here = script.main
        for number, (beat, acts) in enumerate(zip(script.outline.beats, script.acts, strict=True), 1):
            task = tasks[beat.topic]
            if task is None:
                query, asked = self._aside(here), [Act("ask", "")]
                reply = self._reply("", sentences_beside("replies", script.main.id, self.hold))
            else:
                here = task
                query, asked = self._query(beat, task, acts)
                ack = self._ack(task, acts[0]) if acts and self.stream.below(10) < _ACKS else ""
                reply = self._reply(ack, task.replies)
            turns.append(
                ShiftTurn(
                    number, beat.move, beat.topic, beat.branch, beat.fork, query, reply, (*acts, *asked), beat.returns
                )
            )
        return tuple(turns)

    def _pick(self, options: Sequence[str]) -> str:
        """A sentence that was not said before, if there is one; people prefer the shorter of two."""
        fresh = [s for s in options if s not in self.said] or options
        found = self.stream.choice(fresh)
        if len(fresh) > _FEW:
            found = min(found, self.stream.choice(fresh), key=len)
        self.said.add(found)
        return found

    def _tell(self, options: Sequence[str], questions: int, but: str = "") -> str:
        """A sentence that is a question in so many of a hundred draws, as far as there are both kinds.

        Args:
            options: Those to choose from.
            questions: Of a hundred draws.
            but: Words that it does not begin with, as far as there are others.
        """
        asks = self.stream.below(100) < questions
        fresh = [s for s in options if s not in self.said and not (but and s.startswith(but))] or options
        return self._pick([s for s in fresh if ("?" in s) == asks] or fresh)

    def _generic(self, name: str) -> str:
        return self._pick(sentences_beside(name, self.script.main.id, self.hold))

    def _aside(self, here: TaskType) -> str:
        near = here.digressions
        if near and self.stream.below(2):
            return self._pick(near)
        question = self._generic("questions")
        return self._generic("aside_leads") + lowered(question) if self.stream.below(10) < 4 else question

    def _query(self, beat: Beat, task: TaskType, acts: list[Act]) -> tuple[str, list[Act]]:
        if beat.move == "final":
            return self._final(beat, task), []
        parts = self._lead(beat, task)
        parts += self._wishes(beat, task, acts)
        asked: list[Act] = []
        bare = not acts and beat.returns != "implicit"
        if bare or (len(acts) == 1 and beat.move == "continue" and not self.stream.below(12)):
            parts += self._smalltalk(task, asked)
        if beat.returns == "implicit" and not acts and not asked and parts[0].endswith("?"):
            asked.append(Act("ask", ""))
        return " ".join(parts), asked[: MOST_ACTS - len(acts)]

    def _lead(self, beat: Beat, task: TaskType) -> list[str]:
        """How a turn begins that opens a topic or comes back to one."""
        if beat.move in ("open", "topic"):
            lead = beat.move == "topic" and self.stream.below(2)
            return [self._tell(sentences_beside("topic_leads", self.script.main.id, self.hold), 0)] * bool(lead) + [
                self._tell(task.openings, _SMALLTALK)
            ]
        if beat.turns_back:
            return [filled(self._generic("branch_returns").replace("{branch}", self._branch(beat)))]
        if beat.returns == "named":
            return [
                self._tell(sentences_beside("named_returns", self.script.main.id, self.hold), _SMALLTALK).replace(
                    "{title}", task.title
                )
            ]
        return [self._tell(task.implicit, _SMALLTALK)] if beat.returns == "implicit" else []

    def _branch(self, beat: Beat) -> str:
        return self.branch_name.replace("{value}", self.script.fork.say(self.script.versions[beat.version]))

    def _wishes(self, beat: Beat, task: TaskType, acts: list[Act]) -> list[str]:
        """The sentences of acts; a second one may hang on to the first."""
        parts: list[str] = []
        for act in acts:
            sentence = self._wish(task.slot(act.slot), act, beat, parts[-1].split()[0] if parts else "")
            if parts and self.stream.below(10) < 3:
                sentence = self._generic("connectors") + lowered(sentence)
            parts.append(sentence)
        return parts

    def _wish(self, slot: Slot, act: Act, beat: Beat, but: str) -> str:
        alternative = beat.old is not None and act.name == "set" and slot is self.script.fork
        options = slot.sentences("alternative" if alternative else act.name, act.value)
        if act.name == "refine":
            openly = self.stream.below(10) < _OPENLY
            options = tuple(s for s in options if ("{old}" in s) == openly) or options
        template = self._tell(options, _QUESTIONS, but)
        return filled(
            template, "" if act.value is None else slot.say(act.value), "" if act.old is None else slot.say(act.old)
        )

    def _smalltalk(self, task: TaskType, asked: list[Act]) -> list[str]:
        """A question or a remark without any value."""
        chance = self.stream.below(10)
        if chance < 6:
            return [self._pick(task.remarks)]
        if chance < 8:
            slot = self.stream.choice(task.slots)
            if slot.ask:
                asked.append(Act("ask", slot.key))
                return [self._pick(slot.ask)]
        asked.append(Act("ask", ""))
        return [self._pick(task.questions)]

    def _final(self, beat: Beat, task: TaskType) -> str:
        lead = self._generic("final_returns" if beat.leaves else "final_stays").replace("{title}", task.title)
        request = self._generic("final_switches" if beat.turns_back else "final_requests")
        request = request.replace("{deliverable}", task.deliverable).replace("{title}", task.title)
        keys = self._generic("final_keys").replace("{keys}", ", ".join(task.keys))
        return " ".join((lead, request.replace("{branch}", self._branch(beat)), keys))

    def _reply(self, ack: str, sentences: tuple[str, ...]) -> str:
        """A neutral reply, which may begin by taking up what the user has just said."""
        aim = self.stream.choice(_LENGTHS)
        parts = [ack] if ack else []
        words = len(ack.split())
        for sentence in self._in_any_order(sentences):
            length = len(sentence.split())
            if words >= _LEAST_REPLY and (words + length // 2 > aim or words + length > _MOST_REPLY):
                break
            parts.append(sentence)
            words += length
        return " ".join(parts)

    def _in_any_order(self, sentences: tuple[str, ...]) -> Iterator[str]:
        """The sentences in random order; one draw is enough for many, as replies are most of what is drawn."""
        left = list(sentences)
        drawn = 0
        while left:
            drawn = drawn if drawn >= len(left) else self.stream.below(_MANY)
            drawn, at = divmod(drawn, len(left))
            left[at], left[-1] = left[-1], left[at]
            yield left.pop()

    def _ack(self, task: TaskType, act: Act) -> str:
        slot = task.slot(act.slot)
        if slot.type == "yes_no" or act.value is None:
            return self._generic("plain_acks")
        return filled(self._generic("drops" if act.name == "cancel" else "acks"), slot.say(act.value))


def lowered(sentence: str) -> str:
    """A sentence that follows a colon or comma: its first letter is small, unless it begins with a name or with I."""
    return sentence[0].lower() + sentence[1:] if _SMALL.match(sentence) else sentence

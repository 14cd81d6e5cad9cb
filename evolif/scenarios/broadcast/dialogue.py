"""Dialogues: the turns of a match, each with its message, checklist, key and witness.

A dialogue is `{system, turns, task, sport, number, settings}`, plain JSON. A turn is `{number, period, kind, message,
judged, checklist, gates, key, witness, distance, names, subtask, question, evidence, reading}`, in instruction
following also `intent`. `kind` is one of `S K Q A I L T H M`, or `C` (small talk); `evidence` is None, or `{turns,
tokens}`: what lies between the message with the evidence and the question, counted in messages and in words and marks;
`reading` is the version of the rules by which replies are read.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from evolif.errors import InternalError
from evolif.scenarios.broadcast.acrostic import spelled
from evolif.scenarios.broadcast.arguments import one_of, whole
from evolif.scenarios.broadcast.checklist import checklist_of, intent_of
from evolif.scenarios.broadcast.clock import BASKETBALL, HOCKEY, parse_clock, sport_of
from evolif.scenarios.broadcast.layout import (
    INTERLUDES,
    PARTS,
    TASKS,
    DialogueSettings,
    LayoutTurn,
    layout_of,
    settings_of,
)
from evolif.scenarios.broadcast.match import EDITION, Match, simulate
from evolif.scenarios.broadcast.messages import (
    TickerBlock,
    break_block,
    message,
    pause_block,
    people_lines,
    row_of,
    rows_block,
)
from evolif.scenarios.broadcast.problems import problem
from evolif.scenarios.broadcast.question import Question
from evolif.scenarios.broadcast.questions import break_questions
from evolif.scenarios.broadcast.reading import READING_VERSION
from evolif.scenarios.broadcast.scoring import score_reply
from evolif.scenarios.broadcast.small_talk import SHORTEST, small_talk
from evolif.scenarios.broadcast.witness import witness
from evolif.scenarios.broadcast.wording import Voice, system_prompt
from evolif.util.rng import Purpose, Stream

Turn = dict[str, Any]
"""As the head of this module says."""

_QUESTIONS, _VOICE, _TEAMS = 1, 2, 3
"""Which streams of a match are for what."""
_PROBLEMS: Final = {sport: sport.periods * INTERLUDES for sport in (BASKETBALL, HOCKEY)}
_MOST_QUESTIONS: Final = 3
"""Of a break."""
_SPARE: Final = 0.01
"""Seconds; rows are a tenth apart."""
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_SUBTASKS: Final[Mapping[str, str]] = {
    "S": "score",
    "A": "anchored event",
    "I": "interval events",
    "L": "changes of the lead",
    "T": "impact",
    "H": "impact",
    "M": "problem",
    "C": "small talk",
}
_FORMAT_SUBTASKS: Final[Mapping[str, str]] = {"S": "prompted format", "K": "fixed format", "Q": "prompted format"}


def match_of(task: str, sport: str, number: int, *, seed: int, series: str = "", match_edition: int = EDITION) -> Match:
    """The match of a dialogue; no two tasks share one.

    Args:
        task: `IF`, `CR`, `IR` or `TS`.
        sport: `basketball` or `hockey`.
        number: Which match of the task, from 0.
        seed: Of the series; at least 0.
        series: A text that names the series.
        match_edition: Of the simulator.

    Raises:
        ArgumentError: there is no such task or sport, or a value is out of range.
    """
    one_of("task", task, TASKS)
    named = f"{task}/{series}" if series else task
    return simulate(sport, number, seed=seed, series=named, match_edition=match_edition)


def dialogue(task: str, sport: str, number: int, *, seed: int, **settings: Any) -> dict[str, Any]:
    """Make one dialogue: a pure function.

    Args:
        task: `IF` instruction following, `CR` context retrieval, `IR` information reasoning, `TS` task switching.
        sport: `basketball` or `hockey`.
        number: Which one of the task, from 0. Variants of one number have the same match and the same questions.
        seed: Of the series; at least 0.
        **settings: As `DialogueSettings` describes them.

    Returns:
        `{system, turns, task, sport, number, settings}`, the same on any machine.

    Raises:
        ArgumentError: there is no such task, sport or setting, or a value is out of range.
        InternalError: a judged turn has a witness that does not satisfy its checklist; this is a fault of the program.
    """
    chosen = settings_of(one_of("task", task, TASKS), sport_of(sport), settings)
    seed = whole("seed", seed, 0)
    match = match_of(task, sport, number, seed=seed, series=chosen.series, match_edition=chosen.match_edition)
    author = _Author(task, match, chosen, seed)
    return {
        "system": system_prompt(match, task, chosen.chain_of_thought),
        "turns": author.turns(),
        "task": task,
        "sport": sport,
        "number": number,
        "settings": chosen.model_dump(mode="json"),
    }


class _Author:
    """Writes the turns of one dialogue."""

    def __init__(self, task: str, match: Match, settings: DialogueSettings, seed: int) -> None:
        self._task = task
        self._match = match
        self._settings = settings
        self._seed = seed
        self._sport = sport_of(match["sport"])
        self._parts = settings.chunks or PARTS
        self._key = (seed, Purpose.BROADCAST, _series(task, match["sport"], settings.series), match["number"])
        self._names = {name: match[name] for name in ("sport", "teams", "roster")}
        self._voice = Voice(match, (*self._key, _VOICE))
        self._events: list[list[dict[str, Any]]] = [[] for _ in range(self._sport.periods)]
        for event in match["events"]:
            self._events[event["period"] - 1].append(event)
        self._score = dict.fromkeys(match["teams"], 0)
        self._brought: dict[int, list[tuple[int, int]]] = {period + 1: [] for period in range(self._sport.periods)}
        """By period: how many rows had come after a turn, and the turn's number."""
        self._tokens = [0]
        """Of all messages before a turn, by its number - 1."""
        self._asked: dict[int, list[Question]] = {}
        self._scores_asked = 0

    def turns(self) -> list[Turn]:
        """All turns, in order."""
        slots = layout_of(self._task, self._sport, self._settings, [len(events) for events in self._events])
        self._draw_questions(slots)
        turns = []
        for number, slot in enumerate(slots, 1):
            turn = self._turn(slot, number)
            self._tokens.append(self._tokens[-1] + len(_TOKEN.findall(turn["message"])))
            turns.append(turn)
        return turns

    def _draw_questions(self, slots: Sequence[LayoutTurn]) -> None:
        """Draw the questions of all breaks; a break's do not depend on when they are asked."""
        breaks = {slot.asked[0]: slot.period for slot in slots if slot.asked}
        only_first = self._settings.ask_after is not None
        taken: list[Question] = []
        for period, asked_after in sorted(breaks.items()):
            self._asked[period] = break_questions(
                self._match,
                asked_after if only_first else period,
                self._task,
                Stream(*self._key, _QUESTIONS, period),
                about=1 if only_first else None,
                pair=self._settings.pair,
                taken=taken,
            )
            taken += self._asked[period]

    def _turn(self, slot: LayoutTurn, number: int) -> Turn:
        """One turn; turns are made in order."""
        new = [event for period, start, stop in slot.rows for event in self._events[period - 1][start:stop]]
        for period, _, stop in slot.rows:
            self._brought[period].append((stop, number))
        for event in new:
            if event["pts"]:
                self._score[event["team"]] += event["pts"]
        drawn = self._asked[slot.asked[0]][slot.asked[1]] if slot.asked else None
        kind = drawn.kind if drawn else slot.kind
        question, key, words = self._asks(slot, kind, drawn, new)
        if slot.summary:
            question = {**question, "summary": True}
        turn: Turn = {
            "number": number,
            "period": slot.period,
            "kind": kind,
            "message": message(self._match["teams"], self._blocks(slot), words),
            "judged": slot.judged,
            "checklist": [],
            "gates": [],
            "key": key,
            "witness": "",
            "distance": None,
            "names": self._names,
            "subtask": self._subtask(kind, slot),
            "question": question,
            "evidence": None,
            "reading": READING_VERSION,
        }
        if self._task == "IF":
            turn["intent"] = intent_of(kind)
        if drawn and drawn.evidence_period is not None:
            turn["distance"] = slot.period - drawn.evidence_period
            turn["evidence"] = self._evidence(drawn, number)
        return self._checked(turn)

    def _asks(
        self, slot: LayoutTurn, kind: str, drawn: Question | None, new: Sequence[Mapping[str, Any]]
    ) -> tuple[dict[str, Any], Any, str]:
        """The question of a turn as data, its key, and the friend's words."""
        if drawn and slot.asked:
            about, place = slot.asked
            words = self._voice.question(kind, drawn.question, (about - 1) * _MOST_QUESTIONS + place)
            if place == 0 and (about == 1 or not self._settings.whole):
                words = f"{self._voice.break_words(slot.period == self._sport.periods)} {words}"
            return drawn.question, drawn.key, words
        if kind in ("M", "C"):
            return self._interlude(slot, kind)
        chat = self._voice.chat(new, len(self._tokens))
        if kind == "K":
            first = Stream(*self._key, _TEAMS).below(2)
            team = self._match["teams"][(first + slot.place) % 2]
            question = {"team": team, "seq": spelled(team)}
            return question, question["seq"], f"{chat} {self._voice.sentence(team, slot.place)}".lstrip()
        self._scores_asked += 1
        return {}, dict(self._score), f"{chat} {self._voice.score(self._scores_asked, self._task == 'IF')}".lstrip()

    def _interlude(self, slot: LayoutTurn, kind: str) -> tuple[dict[str, Any], Any, str]:
        """A problem, or small talk as long as the problem would be."""
        earlier = 0 if self._sport is BASKETBALL else _PROBLEMS[BASKETBALL]
        number = self._match["number"] * sum(_PROBLEMS.values()) + earlier + slot.place
        drawn = problem(number, seed=self._seed)
        words = self._voice.problem(drawn["text"], drawn["options"], slot.place)
        if kind == "C":
            return {}, None, small_talk(number, max(len(words), SHORTEST), seed=self._seed)
        return {"text": drawn["text"], "options": drawn["options"]}, drawn["letter"], words

    def _blocks(self, slot: LayoutTurn) -> list[TickerBlock]:
        """What the ticker says in a turn."""
        if not slot.rows:
            if slot.asked:
                return [break_block(self._sport, slot.period)]
            return [pause_block(self._sport, slot.period, slot.part, self._parts)]
        return [
            rows_block(
                self._sport,
                period,
                slot.part,
                self._parts,
                [row_of(event) for event in self._events[period - 1][start:stop]],
                people_lines(self._match, period, first=start == 0),
            )
            for period, start, stop in slot.rows
        ]

    def _subtask(self, kind: str, slot: LayoutTurn) -> str:
        """What a turn is counted under."""
        if self._task == "IF":
            return "inferred format" if slot.summary else _FORMAT_SUBTASKS[kind]
        if self._task == "TS" and kind not in ("M", "C"):
            return "in-context query"
        return _SUBTASKS[kind]

    def _evidence(self, drawn: Question, number: int) -> dict[str, int] | None:
        """What lies between the message with the last evidence and the question."""
        if drawn.evidence_moment is None:
            return None
        period, clock = drawn.evidence_moment
        times = [event["t"] for event in self._events[period - 1]]
        row = bisect_right(times, parse_clock(clock, self._sport.name) + _SPARE)
        brought = next(turn for stop, turn in self._brought[period] if stop >= row)
        return {"turns": number - brought - 1, "tokens": self._tokens[number - 1] - self._tokens[brought]}

    def _checked(self, turn: Turn) -> Turn:
        """A turn with checklist and witness; the score of a turn that is not judged has a witness, too."""
        if turn["judged"]:
            turn["checklist"], turn["gates"] = checklist_of(
                self._task,
                turn["kind"],
                turn["question"],
                turn["key"],
                self._names,
                turn["number"],
                intent=turn.get("intent"),
                period=turn["period"],
                summary="summary" in turn["question"],
            )
        if turn["kind"] != "C":
            turn["witness"] = witness(turn)
        if turn["judged"] and score_reply(turn, turn["witness"])["score"] < 1:
            raise InternalError(
                f"turn {turn['number']} ({turn['kind']}) of match {self._match['number']} of {self._task} in "
                f"{self._sport.name} (seed {self._seed}) has a witness that its checklist refuses"
            )
        return turn


def _series(task: str, sport: str, series: str) -> int:
    """What names a series of dialogues in the keys of its streams."""
    named = json.dumps(["dialogue", task, sport, series])
    return int.from_bytes(blake2b(named.encode(), digest_size=8).digest(), "big")

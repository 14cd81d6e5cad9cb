"""The floor of a run, worked out while its answers are waited for, and stored with it; and the ceiling that is stored.

Answers that follow nothing are judged on each turn that is asked, in moments in which the event loop has nothing else
to do. What is stored says for which turns and rules it holds; for any others a report replays the floor itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple
from functools import partial
from itertools import chain
from typing import Any

from evolif._version import __version__
from evolif.metrics import Ceiling, Figures, Floor
from evolif.metrics.replay import PERFECT, Miss
from evolif.metrics.terms import SessionTerms, StoredTurns
from evolif.runner.floor import Replay, floor_of, open_judging
from evolif.runner.records import StoreEntry, TurnEntry, with_digest
from evolif.runner.settings import RunSettings
from evolif.runner.store import RunStore, StoreWriter
from evolif.types import JudgedTurn, Prompt, Session, Verdict

NOTE = "floor"
CEILING = "ceiling"
"""The keys of the notes in a run's file."""
_IDLE = 0.001
"""Seconds that one round of an idle event loop takes at most."""
_STEP = 0.002
"""Seconds of work between two looks at the loop."""
_REST = 0.005
"""Seconds until the next look at a loop that was busy."""
LONGEST = 10.0
"""Seconds that the rest may take when the last session has ended, so that a slow plug-in holds up no run."""


class FloorWork:
    """Works out the floor of a run as it is played.

    Args:
        settings: Of the run.
    """

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._environment = self._opened = open_judging(settings)
        self._replays: dict[int, Replay] = {}
        self._waiting: dict[tuple[int, int], Prompt] = {}
        """Turns that were asked and not judged yet, by dialogue and turn."""
        self._seen: dict[tuple[int, int], str] = {}
        """Turns that were asked, with their digests."""
        self._news = asyncio.Event()

    def asked(self, prompts: Iterable[Prompt]) -> None:
        """Note turns; those that are known already are not judged again."""
        for prompt in prompts:
            place = (prompt.dialogue, prompt.turn)
            if self._environment is None or place in self._seen:
                continue
            if prompt.seat != "target" or not prompt.fixed or self._environment.asks_a_judge(prompt):
                self._give_up()
                return
            self._seen[place] = with_digest(prompt).digest
            self._waiting[place] = prompt
            self._news.set()

    def writing(self, write: StoreWriter) -> StoreWriter:
        """A writer of a run's entries that notes the turns in them."""

        async def writes(*entries: StoreEntry) -> None:
            await write(*entries)
            self.asked(entry.prompt for entry in entries if isinstance(entry, TurnEntry))

        return writes

    async def work(self) -> None:
        """Judge what was asked whenever the loop is idle, until cancelled."""
        loop = asyncio.get_running_loop()
        while self._environment is not None:
            await self._news.wait()
            looked = loop.time()
            await asyncio.sleep(0)
            if loop.time() - looked > _IDLE:
                await asyncio.sleep(_REST)
                continue
            began = loop.time()
            while loop.time() - began < _STEP and await self.judge_next():
                pass

    async def finish(self, store: RunStore) -> None:
        """Judge what is left, and store the floor, unless that takes too long."""
        loop = asyncio.get_running_loop()
        until = loop.time() + LONGEST
        while loop.time() < until and await self.judge_next():
            pass
        store.note(NOTE, self.found())

    def found(self) -> str:
        """The note to store; empty if not everything is judged, or there is no floor."""
        if self._environment is None or self._waiting or not self._seen:
            return ""
        found = floor_of((self._replays[number] for number in sorted(self._replays)), self._settings.patience)
        return "" if found is None else dump_floor(found, self._settings, self._seen)

    async def judge_next(self) -> bool:
        """Judge one turn that follows what was judged of its dialogue; False if there is none."""
        for place in self._waiting:
            replay = self._replays.get(place[0])
            if place[1] == (1 if replay is None else replay.turns + 1):
                break
        else:
            self._news.clear()
            return False
        if self._environment is None:
            return False
        replay = self._replays.setdefault(place[0], Replay(self._environment, self._settings))
        try:
            await replay.add(self._waiting.pop(place))
        except Exception:  # the report will say what is wrong
            self._give_up()
        return True

    def _give_up(self) -> None:
        self._environment = None
        self._waiting.clear()
        self._news.set()

    async def aclose(self) -> None:
        """Release what judges, whether or not it came to the end."""
        if self._opened is not None:
            await self._opened.aclose()


def stored_floor(store: RunStore, prompts: Iterable[Prompt] | None = None) -> Floor | None:
    """The floor that was stored for exactly these turns, by this version's rules; None if it has to be replayed.

    Args:
        store: Of the run.
        prompts: Its turns; all that it asked if None.
    """
    # What was found of the run's own bytes by this version holds for all its turns.
    found_now = store.findings.noted(NOTE) if prompts is None else ""
    text = found_now or store.noted(NOTE)
    if not text:
        return None
    try:
        data = json.loads(text)
        if not found_now and data["key"] != turns_key(store.settings, digests_of(store, prompts)):
            return None
        found = {name: Figures(**one) for name, one in data["responders"].items()}
        if not _sound(found, data):
            return None
        return Floor(data["responder"], found, data["turns"], _StoredSessions(data["sessions"], store.settings))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # it was edited
        return None


def digests_of(store: RunStore, prompts: Iterable[Prompt] | None) -> dict[tuple[int, int], str]:
    """The digests of turns, by dialogue and turn; of all that the run asked if None are given."""
    if prompts is None:
        return store.digests()
    return {(prompt.dialogue, prompt.turn): prompt.digest for prompt in prompts}


def sound_figures(found: Figures) -> bool:
    """Whether all stored figures are numbers."""
    return all(
        value is None or (isinstance(value, float | int) and math.isfinite(value)) for value in found.values.values()
    )


def _sound(found: dict[str, Figures], data: dict[str, Any]) -> bool:
    """Whether the figures are numbers, those of the best are there, and the sessions can be read."""
    sessions = all(map(sound_session, chain.from_iterable(data["sessions"].values())))
    numbers = all(map(sound_figures, found.values()))
    same = data["sessions"].keys() == found.keys()
    return sessions and numbers and same and data["responder"] in found and isinstance(data["turns"], int)


def sound_session(stored: Any) -> bool:
    """Whether a session can be read from its stored outcomes."""
    dialogue, letters, ending = stored
    return isinstance(dialogue, int) and set(letters) <= _HEARD.keys() and (ending is None or isinstance(ending, str))


def dump_floor(found: Floor, settings: RunSettings, seen: Mapping[tuple[int, int], str]) -> str:
    """The note to store of a floor.

    Args:
        found: Over turns that the run asked.
        settings: Of the run.
        seen: The digests of these turns, by dialogue and turn.
    """
    key = turns_key(settings, seen)
    responders = {name: asdict(one) for name, one in found.responders.items()}
    sessions = {name: [outcomes_of(one) for one in own] for name, own in found.sessions.items()}
    told = {"key": key, "responder": found.responder, "turns": found.turns, "responders": responders}
    return json.dumps({**told, "sessions": sessions})


_TOLD = {True: "1", False: "0", None: "?"}
_HEARD = {letter: outcome for outcome, letter in _TOLD.items()}


def outcomes_of(session: Session) -> tuple[int, str, str | None]:
    """Dialogue, a letter a turn, ending: what comparing a model with the floor needs of it."""
    letters = "".join(_TOLD[all(turn.judged) if turn.judged else None] for turn in session.turns)
    return session.dialogue, letters, session.ending


def turns_of(letters: str) -> StoredTurns:
    """The turns of stored outcomes: one bare verdict each."""
    outcomes = tuple([_OUTCOMES[letter] for letter in letters])
    number = len(letters)
    terms = SessionTerms(outcomes, (), number, outcomes.count(()), number, number > 0, is_plain=True)
    return StoredTurns(terms, partial(_read, letters))


def _read(letters: str) -> tuple[JudgedTurn, ...]:
    return tuple(
        JudgedTurn(number, (Verdict("", _HEARD[letter], "", ""),)) for number, letter in enumerate(letters, start=1)
    )


_OUTCOMES: Mapping[str, tuple[bool, ...]] = {"1": (True,), "0": (False,), "?": ()}


class _StoredSessions(Mapping[str, Sequence[Session]]):
    """Sessions of responders as stored; only a comparison with a model needs them, and of one responder alone."""

    def __init__(self, stored: Mapping[str, Sequence[Any]], settings: RunSettings) -> None:
        self._stored = stored
        self._settings = settings
        self._made: dict[str, Sequence[Session]] = {}

    def __getitem__(self, responder: str) -> Sequence[Session]:
        if responder not in self._made:
            patience, cap = self._settings.patience, self._settings.max_turns
            self._made[responder] = tuple(
                Session(responder, dialogue, 1, patience, ending, turns=turns_of(letters), cap=cap)
                for dialogue, letters, ending in self._stored[responder]
            )
        return self._made[responder]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)


def dump_ceiling(found: Ceiling, settings: RunSettings, seen: Mapping[tuple[int, int], str]) -> str:
    """The note to store of a ceiling.

    Args:
        found: Over all turns that the run asked.
        settings: Of the run.
        seen: The digests of these turns, by dialogue and turn.
    """
    told = {"key": turns_key(settings, seen), "metrics": asdict(found.metrics), "turns": found.turns}
    told |= {"sessions": [outcomes_of(one) for one in found.sessions], "misses": list(map(astuple, found.misses))}
    return json.dumps({**told, "without_witness": found.without_witness, "failing": found.failing})


def stored_ceiling(store: RunStore) -> Ceiling | None:
    """The ceiling that was stored for all turns of the run; None if it has to be replayed.

    Its sessions have one bare verdict for each turn.
    """
    found_now = store.findings.noted(CEILING)
    text = found_now or store.noted(CEILING)
    if not text:
        return None
    try:
        data = json.loads(text)
        if not found_now and data["key"] != turns_key(store.settings, store.digests()):
            return None
        metrics, patience = Figures(**data["metrics"]), store.settings.patience
        turns, without_witness, failing = data["turns"], data["without_witness"], data["failing"]
        if not (sound_figures(metrics) and all(isinstance(one, int) for one in (turns, without_witness, failing))):
            return None
        if not all(map(sound_session, data["sessions"])):
            return None
        sessions = tuple(
            Session(PERFECT, dialogue, 0, patience, ending, turns=turns_of(letters))
            for dialogue, letters, ending in data["sessions"]
        )
        misses = tuple(Miss(int(dialogue), int(turn), tuple(groups)) for dialogue, turn, groups in data["misses"])
        return Ceiling(metrics, sessions, turns, without_witness, failing, misses)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # it was edited
        return None


def turns_key(settings: RunSettings, seen: Mapping[tuple[int, int], str]) -> str:
    """What floor and ceiling depend on: the turns, the rules, and how long a session lasts."""
    rules = [__version__, settings.reading_rules, settings.scenario, settings.patience, settings.max_turns]
    rules += [dict(settings.options), settings.relevance, settings.relevance_counts, dict(settings.own_code)]
    told = json.dumps(rules, sort_keys=True, default=str)
    turns = "\n".join(f"{dialogue} {turn} {digest}" for (dialogue, turn), digest in sorted(seen.items()))
    return hashlib.sha256(f"{told}\n{turns}".encode()).hexdigest()[:32]

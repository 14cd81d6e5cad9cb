"""The floor of a run, worked out while its answers are waited for, and stored with it.

Answers that follow nothing are judged on each turn that is asked, in moments in which the event loop has nothing else
to do. What is stored says for which turns and rules it holds; for any others a report replays the floor itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from evolif._version import __version__
from evolif.metrics import Figures, Floor
from evolif.runner.floor import Replay, floor_of, open_judging
from evolif.runner.records import StoreEntry, TurnEntry, with_digest
from evolif.runner.settings import RunSettings
from evolif.runner.store import RunStore, StoreWriter
from evolif.types import JudgedTurn, Prompt, Session, Verdict

NOTE = "floor"
"""The key of the note in a run's file."""
_IDLE = 0.001
"""Seconds that one round of an idle event loop takes at most."""
_STEP = 0.002
"""Seconds of work between two looks at the loop."""
_REST = 0.005
"""Seconds until the next look at a loop that was busy."""
_LONGEST = 10.0
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
            while loop.time() - began < _STEP and await self._judge_next():
                pass

    async def finish(self, store: RunStore) -> None:
        """Judge what is left, and store the floor, unless that takes too long."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _LONGEST
        while loop.time() < until and await self._judge_next():
            pass
        if self._environment is None or self._waiting or not self._seen:
            return
        found = floor_of((self._replays[number] for number in sorted(self._replays)), self._settings.patience)
        if found is not None:
            store.note(NOTE, _dump(found, _key(self._settings, self._seen)))

    async def _judge_next(self) -> bool:
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


def stored_floor(store: RunStore, prompts: Iterable[Prompt]) -> Floor | None:
    """The floor that was stored for exactly these turns, by this version's rules; None if it has to be replayed.

    Args:
        store: Of the run.
        prompts: All that it asked.
    """
    text = store.noted(NOTE)
    if not text:
        return None
    seen = {(prompt.dialogue, prompt.turn): prompt.digest for prompt in prompts}
    try:
        data = json.loads(text)
        if data["key"] != _key(store.settings, seen):
            return None
        found = {name: Figures(**one) for name, one in data["responders"].items()}
        sessions = {
            name: tuple(_session(name, one, store.settings) for one in own) for name, own in data["sessions"].items()
        }
        return Floor(data["responder"], found, data["turns"], sessions) if _sound(found, data) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # it was edited
        return None


def _sound(found: dict[str, Figures], data: dict[str, object]) -> bool:
    """Whether the figures are numbers, and those of the best are there."""
    values = [value for one in found.values() for value in one.values.values() if value is not None]
    numbers = all(isinstance(value, float | int) and math.isfinite(value) for value in values)
    return numbers and data["responder"] in found and isinstance(data["turns"], int)


def _dump(found: Floor, key: str) -> str:
    responders = {name: asdict(one) for name, one in found.responders.items()}
    sessions = {name: [_outcomes(one) for one in own] for name, own in found.sessions.items()}
    told = {"key": key, "responder": found.responder, "turns": found.turns, "responders": responders}
    return json.dumps({**told, "sessions": sessions})


_TOLD = {True: "1", False: "0", None: "?"}
_HEARD = {letter: outcome for outcome, letter in _TOLD.items()}


def _outcomes(session: Session) -> tuple[int, str, str | None]:
    """Dialogue, a letter a turn, ending: what comparing a model with the floor needs of it."""
    letters = "".join(_TOLD[all(turn.judged) if turn.judged else None] for turn in session.turns)
    return session.dialogue, letters, session.ending


def _session(responder: str, stored: Sequence[Any], settings: RunSettings) -> Session:
    dialogue, letters, ending = stored
    turns = tuple(
        JudgedTurn(number, (Verdict("", _HEARD[letter], "", ""),)) for number, letter in enumerate(letters, start=1)
    )
    return Session(responder, int(dialogue), 1, settings.patience, ending, turns=turns, cap=settings.max_turns)


def _key(settings: RunSettings, seen: dict[tuple[int, int], str]) -> str:
    """What the floor depends on: the turns, the rules, and how long a session lasts."""
    rules = [__version__, settings.reading_rules, settings.scenario, settings.patience, settings.max_turns]
    rules += [dict(settings.options), settings.relevance, settings.relevance_counts, dict(settings.own_code)]
    told = json.dumps(rules, sort_keys=True, default=str)
    turns = "\n".join(f"{dialogue} {turn} {digest}" for (dialogue, turn), digest in sorted(seen.items()))
    return hashlib.sha256(f"{told}\n{turns}".encode()).hexdigest()[:32]

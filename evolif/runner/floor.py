"""Replay answers that follow nothing on the turns of a run; no model is called."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from threading import Thread

from evolif.errors import EvolifError, UsageError
from evolif.judging import Judgement
from evolif.metrics import Floor, floor
from evolif.metrics.floor import TRIVIAL
from evolif.runner.session import step
from evolif.runner.settings import RunSettings
from evolif.scenario import Environment, Scenario, Services, blaming, get_scenario, options_of
from evolif.types import Ending, Exchange, JudgedTurn, Prompt, Session, Verdict

_SECONDS = 10.0
"""Time that judging may take, whatever the size of the run."""
_SECONDS_PER_DIALOGUE = 0.05
"""Time that it may take in addition; rules of this package need about 2 ms."""


def replay_floor(settings: RunSettings, prompts: Iterable[Prompt]) -> Floor | None:
    """The floor over the asked turns; see `evolif.metrics.floor`.

    None if answers cannot be replayed, because what is asked depends on earlier answers, a partner speaks, or a judge
    is needed; and if no verdict is reached. Code of a plug-in runs in a thread that nobody waits for too long.

    Args:
        settings: Of the run.
        prompts: Those that it asked, each turn once, in any order.

    Raises:
        UsageError: the scenario is not installed, or judging fails or takes too long.
    """
    asked = sorted(prompts, key=lambda prompt: (prompt.dialogue, prompt.turn))
    if not asked or any(prompt.seat != "target" or not prompt.fixed for prompt in asked):
        return None
    dialogues = [list(turns) for _, turns in groupby(asked, key=lambda prompt: prompt.dialogue)]
    return _within(_Deadline(_SECONDS + _SECONDS_PER_DIALOGUE * len(dialogues)), settings, dialogues)


class _Deadline:
    """When judging has to be over.

    Args:
        seconds: From now.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Go on if it has not passed.

        Raises:
            UsageError: it has.
        """
        if time.monotonic() >= self._end:
            raise self.passed()

    def passed(self) -> UsageError:
        """What to raise when it has passed."""
        return UsageError(f"judging answers that follow nothing took longer than {self.seconds:.0f} s")


def _within(deadline: _Deadline, settings: RunSettings, dialogues: Sequence[Sequence[Prompt]]) -> Floor | None:
    """The floor, worked out in a thread of its own.

    Raises:
        UsageError: instead of any error, even one by which code means to end the process; or it takes too long.
    """
    found: list[Floor | None] = []
    faults: list[BaseException] = []

    def work() -> None:
        try:
            found.append(asyncio.run(_replay(settings, dialogues, deadline)))
        except BaseException as fault:
            faults.append(fault)

    # Not asyncio.run here: code that never gives way could not be left behind, and a notebook runs a loop already.
    thread = Thread(target=work, name="floor", daemon=True)
    thread.start()
    thread.join(deadline.seconds)
    if found:
        return found[0]
    if not faults:
        raise deadline.passed()
    fault = faults[0]
    raise UsageError(str(fault) if isinstance(fault, EvolifError) else f"{type(fault).__name__}: {fault}") from None


async def _replay(settings: RunSettings, dialogues: Sequence[Sequence[Prompt]], deadline: _Deadline) -> Floor | None:
    scenario = get_scenario(settings.scenario)
    with blaming(scenario):
        environment = _environment(scenario, settings)
        try:
            if any(environment.asks_a_judge(prompt) for turns in dialogues for prompt in turns):
                return None
            replays = [Replay(environment, settings) for _ in dialogues]
            for replay, turns in zip(replays, dialogues, strict=True):
                for prompt in turns:
                    deadline.check()
                    await replay.add(prompt)
            return floor_of(replays, settings.patience)
        finally:
            await environment.aclose()


def _environment(scenario: Scenario, settings: RunSettings) -> Environment:
    options = options_of(scenario.play, settings.options, scenario.name)
    rules = settings.reading_rules
    services = Services(relevance=settings.gate, reading_rules=rules, feedback=settings.feedback)
    return scenario.environment(None, options, services)


def open_judging(settings: RunSettings) -> Environment | None:
    """What judges answers in a replay, by rules alone; None if the scenario cannot be opened so."""
    try:
        return _environment(get_scenario(settings.scenario), settings)
    except Exception:  # a plug-in's: whoever asks for the floor is told
        return None


class Replay:
    """The responders that follow nothing in one dialogue, turn by turn, each until its patience is exhausted.

    Args:
        environment: Judges; it must ask no judge.
        settings: Of the run.
    """

    def __init__(self, environment: Environment, settings: RunSettings) -> None:
        self._environment = environment
        self._patience, self._cap = settings.patience, settings.max_turns
        self._first: Prompt | None = None
        self._sides = {name: _Side(self._patience) for name in TRIVIAL}
        self.turns = 0
        """Turns that were asked."""

    async def add(self, prompt: Prompt) -> None:
        """Have the next turn answered and judged."""
        self.turns += 1
        self._first = first = self._first or prompt
        for name, side in self._sides.items():
            if side.left == 0:
                continue
            answer = TRIVIAL[name](prompt, first)
            judgement = await self._environment.score(prompt, answer, tuple(side.past))
            turn = JudgedTurn(prompt.turn, _verdicts(judgement), prompt.labels, tuple(judgement.scores))
            side.turns.append(turn)
            side.left = step(side.left, self._patience, turn.judged)
            if side.left != 0:
                side.past.append(Exchange(prompt, answer, self._environment.heard(prompt, answer)))

    def session(self, responder: str) -> Session:
        """The session of one responder."""
        side = self._sides[responder]
        ending: Ending = "finished" if side.left == 0 else "censored"
        dialogue = 0 if self._first is None else self._first.dialogue
        return Session(responder, dialogue, 1, self._patience, ending, turns=tuple(side.turns), cap=self._cap)


@dataclass(slots=True)
class _Side:
    """One responder in one dialogue."""

    left: int | None
    """Patience that is left."""
    past: list[Exchange] = field(default_factory=list)
    turns: list[JudgedTurn] = field(default_factory=list)


def floor_of(replays: Iterable[Replay], patience: int | None) -> Floor | None:
    """The floor of what was replayed, in the order of the dialogues; None if no verdict was reached."""
    played = list(replays)
    sessions = {name: [replay.session(name) for replay in played] for name in TRIVIAL}
    return floor(sessions, patience, sum(replay.turns for replay in played))


def _verdicts(judgement: Judgement) -> tuple[Verdict, ...]:
    """The verdicts of a judgement that may come from a plug-in.

    Raises:
        TypeError: one of them is neither yes, no nor undecided.
    """
    verdicts = tuple(judgement.verdicts)
    for verdict in verdicts:
        if not (verdict.satisfied is None or isinstance(verdict.satisfied, bool)):
            raise TypeError(f"a verdict on {verdict.group} is {verdict.satisfied!r}, not True, False or None")
    return verdicts

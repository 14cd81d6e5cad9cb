"""What the sessions of a run say of sessions to come: how long they may last, and how many tokens they may take.

A few sessions say little about lengths, but all their turns say how often turns fail, and patience makes lengths of
that. So it is drawn how often turns fail, what the run's sessions then come to, and what their calls take; the spread
of the draws is the forecast's range.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, log

from evolif.budget.survival import TurnSurvival, own_turns, shifted, survival_of_failing, survival_of_sessions
from evolif.metrics.terms import outcomes_of
from evolif.runner import Run, TurnRecord
from evolif.runner.bounds import ASSUMED_ANSWER
from evolif.types import Session, Usage

DRAWS = 400
"""Runs that are drawn for a range."""
_FEWEST_DRAWS, _MOST_SESSIONS = 50, 40_000
"""So many sessions say in a few draws what they say in many; they are not looked at more often than that in all."""
_STEADY = 2.0
"""Turns that the rate of all turns counts as, beside those after a failed turn and those after a followed one."""
_WORTH = 0.7
"""What a judged turn counts as: turns of a dialogue are alike, and dialogues differ."""
_DRIFT = 0.02
"""Standard deviation of what each turn adds to the log odds of failing, which a few sessions cannot tell."""
_MOST_LENGTHS = 200
"""Sessions whose lengths are drawn; the mean of more hardly differs."""
_SPREAD, _SPREADS = 0.8, 5.0
"""Standard deviation of the logarithm of a session's mean answer, and how many sessions that guess counts as."""


@dataclass(frozen=True, slots=True)
class SessionTokens:
    """Mean tokens of the calls of one session."""

    prompts: tuple[float, ...]
    """For turns 1, 2, …; later prompts keep growing at the same rate."""
    answer: float
    """With reasoning."""
    kept: float | None = None
    """What of an answer later prompts repeat; None for all of it."""
    cached: float = 0.0
    """The share of prompts from the provider's cache."""
    reasoning: float = 0.0
    """The share of answers that is reasoning."""
    image: float = 0.0
    """The share of prompts that stands for images."""

    def prompt(self, turn: int) -> float:
        """Tokens sent for a turn."""
        known = self.prompts
        if turn <= len(known):
            return known[turn - 1]
        kept = self.answer if self.kept is None else self.kept
        step = (known[-1] - known[0]) / (len(known) - 1) if len(known) > 1 else known[0] + kept
        return known[-1] + max(0.0, step) * (turn - len(known))

    def usage(self, prompts: float, answers: float) -> Usage:
        """So many tokens in all, with their shares of the cache, of reasoning and of images."""
        asked, written = round(prompts), round(answers)
        parts = (round(asked * self.cached), round(written * self.reasoning), round(asked * self.image))
        return Usage(asked, written, *parts)


@dataclass(frozen=True, slots=True)
class Basis:
    """One estimate for a model."""

    survival: TurnSurvival
    tokens: SessionTokens

    @property
    def prompt_tokens(self) -> float:
        """Mean tokens of all prompts of a session."""
        return sum(share * self.tokens.prompt(turn) for turn, share in enumerate(self.survival.alive, 1))


class Evidence:
    """What the sessions of one or more models in a run say.

    Args:
        run: The run.
        models: Of which models; those that the run has.
        most: Tokens that no answer exceeds.
    """

    def __init__(self, run: Run, models: Iterable[str], most: int = ASSUMED_ANSWER) -> None:
        self.sessions: list[Session] = []
        calls: list[list[Usage]] = []
        for model in models:
            for session, records in run.transcripts(model):
                if own_turns(session):
                    self.sessions.append(session)
                    calls.append([record.usage for record in of_target(records)])
        self._failures = _failures(self.sessions)
        self._prompts = _prompts_by_turn(calls)
        self._sums = [_sums_of(own) for own in calls]
        written = [[usage.completion_tokens for usage in own if usage.completion_tokens] for own in calls]
        self._log_answers = [log(sum(tokens) / len(tokens)) for tokens in written if tokens]
        self._most = max([most, *(token for tokens in written for token in tokens)])

    @property
    def longest(self) -> int:
        """Turns of the longest session; 0 for none."""
        return max(map(own_turns, self.sessions), default=0)

    @property
    def has_tokens(self) -> bool:
        """Whether the endpoint reported any."""
        return bool(self._prompts)

    def draws(
        self, sessions: int, cap: int, patience: int | None, turns: float | None, assumed: SessionTokens, seed: int
    ) -> Iterator[Basis]:
        """Draw what so many further sessions may come to.

        Args:
            sessions: How many.
            cap: The most turns of the model under test.
            patience: Failed turns in a row that end a session; None if none do.
            turns: Mean turns of a dialogue that patience does not end; None if only the cap ends it.
            assumed: Tokens if the endpoint reported none.
            seed: Of the draws.
        """
        chance = random.Random(seed)
        for _ in range(max(_FEWEST_DRAWS, min(DRAWS, _MOST_SESSIONS // len(self.sessions)))):
            weights = self._weights(chance)
            curve = self._curve(chance, weights, cap, patience).within(turns, after=self.longest)
            tokens = self._tokens(chance, weights, sessions) if self.has_tokens else assumed
            yield Basis(_of_so_many(chance, curve, sessions), tokens)

    def _weights(self, chance: random.Random) -> list[float]:
        """A draw of the Bayesian bootstrap: how much each session counts."""
        drawn = [chance.expovariate(1) for _ in self.sessions]
        return [weight * len(drawn) / sum(drawn) for weight in drawn]

    def _curve(self, chance: random.Random, weights: Sequence[float], cap: int, patience: int | None) -> TurnSurvival:
        failed, counted, judged = self._failures
        if patience is None or not sum(counted):
            curve = survival_of_sessions(self.sessions, cap, weights)
            assert curve is not None, "a session without turns is left out"
            return curve
        every = (sum(failed) + 0.5) / (sum(counted) + 1)
        once, again = (
            chance.betavariate(
                _WORTH * failed[state] + _STEADY * every,
                _WORTH * (counted[state] - failed[state]) + _STEADY * (1 - every),
            )
            for state in (0, 1)
        )
        drift = chance.gauss(0, _DRIFT)
        # The rates are those of the middle of the sessions that were seen.
        middle = sum(map(own_turns, self.sessions)) / len(self.sessions) / 2
        first, later = shifted(once, -drift * middle), shifted(again, -drift * middle)
        return survival_of_failing(first, later, patience=patience, cap=cap, judged=judged, drift=drift)

    def _answer(self, chance: random.Random, sessions: int) -> float:
        """A draw of the mean answer in so many further sessions.

        What makes answers long belongs to the dialogue, so the turns of a session are one observation; and few of them
        seldom show the longest, which the mean of many depends on.
        """
        seen = self._log_answers
        if not seen:
            return 0.0
        mean, freedom = sum(seen) / len(seen), _SPREADS + len(seen) - 1
        squares = _SPREADS * _SPREAD**2 + sum((one - mean) ** 2 for one in seen)
        spread = (squares / (2 * chance.gammavariate(freedom / 2, 1))) ** 0.5
        middle = chance.gauss(mean, spread / len(seen) ** 0.5)
        number = min(max(1, sessions), _MOST_LENGTHS)
        return sum(min(self._most, exp(chance.gauss(middle, spread))) for _ in range(number)) / number

    def _tokens(self, chance: random.Random, weights: Sequence[float], sessions: int) -> SessionTokens:
        prompts = [
            sum(weights[number] * tokens for number, tokens in known) / sum(weights[number] for number, _ in known)
            for known in self._prompts
        ]
        calls, asked, written, cached, reasoned, image = (
            sum(weight * value for weight, value in zip(weights, column, strict=True))
            for column in zip(*self._sums, strict=True)
        )
        answer, seen = self._answer(chance, sessions), written / calls
        reasoning = reasoned / written if written else 0.0
        grown = (prompts[-1] - prompts[0]) / (len(prompts) - 1) if len(prompts) > 1 else 0.0
        # Later prompts repeat the answers without their reasoning, so they are longer by what these are.
        more = (answer / seen - 1) * min(grown, seen * (1 - reasoning)) if seen else 0.0
        return SessionTokens(
            tuple(tokens + more * turn for turn, tokens in enumerate(prompts)),
            answer,
            kept=answer * (1 - reasoning),
            cached=cached / asked,
            reasoning=reasoning,
            image=image / asked,
        )


def _prompts_by_turn(calls: Sequence[Sequence[Usage]]) -> list[list[tuple[int, int]]]:
    """For each turn that has any, the sessions by their number and the tokens of their prompts."""
    found: list[list[tuple[int, int]]] = []
    for turn in range(max(map(len, calls), default=0)):
        there = [(n, own[turn].prompt_tokens) for n, own in enumerate(calls) if turn < len(own)]
        known = [(number, tokens) for number, tokens in there if tokens]
        if not known:
            break
        found.append(known)
    return found


def _sums_of(calls: Sequence[Usage]) -> tuple[int, int, int, int, int, int]:
    """The calls of a session whose tokens are known, and what these were."""
    known = [usage for usage in calls if usage.prompt_tokens]
    whole = sum(known, Usage())
    parts = (whole.cached_tokens, whole.reasoning_tokens, whole.image_tokens)
    return len(known), whole.prompt_tokens, whole.completion_tokens, *parts


def of_target(records: Iterable[TurnRecord]) -> Iterator[TurnRecord]:
    """The turns of the model under test."""
    return (record for record in records if record.prompt.seat == "target")


def _failures(sessions: Iterable[Session]) -> tuple[list[int], list[int], float]:
    """How many turns failed, of how many, after a followed turn and after a failed one; and what share was judged."""
    failed, counted, turns = [0, 0], [0, 0], 0
    for session in sessions:
        after = 0
        for judged in outcomes_of(session):
            turns += 1
            if judged:
                now = int(not all(judged))
                counted[after] += 1
                failed[after] += now
                after = now
    return failed, counted, sum(counted) / turns if turns else 1.0


def _of_so_many(chance: random.Random, curve: TurnSurvival, sessions: int) -> TurnSurvival:
    """The shares of so many sessions that reach each turn, drawn from those of all."""
    number = min(sessions, _MOST_LENGTHS)
    if not number:
        return curve
    falling = [-share for share in curve.alive]
    reached = [0] * (len(falling) + 1)
    for _ in range(number):
        reached[min(len(falling), bisect_left(falling, -chance.random()))] += 1
    # `reached[n]` sessions have n turns; those that reach a turn have at least so many.
    at_least = list(accumulate(reversed(reached)))[::-1]
    return TurnSurvival(tuple(at_least[turn] / number for turn in range(1, len(falling) + 1)))

"""What a run may be expected to come to, without asking anybody."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evolif.budget.prices import Quotes, judge_models
from evolif.constraints import get_group
from evolif.errors import UsageError
from evolif.instructions import Benchmark
from evolif.runner import SYSTEM_PROMPT, Run, RunSettings
from evolif.types import Session, Turn, Usage

# Tokens of a conversation, turn by turn: as an earlier run had them, or as may be assumed of a benchmark's words.

ASSUMED_TOKENS = 300
"""Of an answer, where no earlier run tells."""
JUDGE_PROMPT, JUDGE_REPLY = 700, 80
"""Tokens of a judge's call beside the answer it is about."""
CHARACTERS = 4
"""Per token, in English."""
_LOOKED_AT = 20
"""Dialogues whose stored turns are looked at."""


@dataclass(frozen=True, slots=True)
class SessionTokens:
    """Mean tokens of the calls of one session."""

    prompts: tuple[float, ...]
    """Of the calls for turn 1, 2, …; further ones grow as the last ones did."""
    answer: float

    def prompt(self, turn: int) -> float:
        """Tokens sent for a turn."""
        known = self.prompts
        if turn <= len(known):
            return known[turn - 1]
        step = (known[-1] - known[0]) / (len(known) - 1) if len(known) > 1 else known[0] + self.answer
        return known[-1] + max(0.0, step) * (turn - len(known))


def assumed_profile(benchmark: Benchmark, *, system_prompt: bool, max_tokens: int | None) -> SessionTokens:
    """The benchmark's queries at four characters a token, and answers of an assumed length."""
    queries = [len(turn.query) / CHARACTERS for turn in some_turns(benchmark)]
    query = fmean(queries) if queries else 80.0
    head = len(SYSTEM_PROMPT) / CHARACTERS if system_prompt else 0.0
    answer = float(min(ASSUMED_TOKENS, max_tokens or ASSUMED_TOKENS))
    return SessionTokens((head + query, head + 2 * query + answer), answer)


def profile_of_run(run: Run, models: Iterable[str]) -> SessionTokens | None:
    """What the calls of these models came to; None where no tokens were told."""
    prompts: defaultdict[int, list[int]] = defaultdict(list)
    answers: list[int] = []
    for model in models:
        for _, records in run.transcripts(model):
            for record in records:
                if record.usage.prompt_tokens:
                    prompts[record.turn].append(record.usage.prompt_tokens)
                    answers.append(record.usage.completion_tokens)
    known: list[float] = []
    while prompts[len(known) + 1]:
        known.append(fmean(prompts[len(known) + 1]))
    return SessionTokens(tuple(known), fmean(answers)) if known else None


def subjective_per_turn(benchmark: Benchmark) -> float:
    """Constraints of a turn that only a judge can tell, on the average."""
    counts = [sum(get_group(c.group).subjective for c in turn.constraints) for turn in some_turns(benchmark)]
    return fmean(counts) if counts else 0.0


def some_turns(benchmark: Benchmark) -> list[Turn]:
    """The stored turns of the first dialogues."""
    return [turn for dialogue in benchmark.dialogues()[:_LOOKED_AT] for turn in benchmark.turns(dialogue)]


# How many sessions are still asked at each turn: out of an earlier run, or after the paper's mean lengths.

PAPER_LENGTHS = (7.86, 19.32)
"""EDR length of the weakest and of the best model of the EvolIF paper (arXiv 2511.03508, Table 2, patience 3)."""
PAPER_PATIENCE = 3


@dataclass(frozen=True, slots=True)
class TurnSurvival:
    """Share of the sessions that are asked turn 1, 2, … up to the cap."""

    alive: tuple[float, ...]

    @property
    def turns(self) -> float:
        """Turns of a session, on the average."""
        return sum(self.alive)

    def reaching(self, turn: int, sessions: int) -> float:
        """Chance that at least one of so many sessions is asked a turn, as if they did not depend on each other."""
        return 1 - (1 - self.alive[turn - 1]) ** sessions


def survival_of_mean(turns: float, patience: int, cap: int) -> TurnSurvival:
    """All sessions live as long as their patience does; beyond it, each further turn has the same chance.

    Args:
        turns: The mean length, without any cap.
        patience: Turns that every session has.
        cap: The most turns.
    """
    beyond = max(0.0, turns - patience)
    chance = beyond / (beyond + 1)
    return TurnSurvival(tuple(chance ** max(0, turn - patience) for turn in range(1, cap + 1)))


def survival_of_sessions(sessions: Sequence[Session], cap: int) -> TurnSurvival | None:
    """Kaplan-Meier over an earlier run; beyond its own turns with the mean hazard. None without any turn in it."""
    lengths = [(len(s.turns), s.ending == "finished") for s in sessions if s.turns]
    played = sum(length for length, _ in lengths)
    if not played:
        return None
    hazard = sum(finished for _, finished in lengths) / played
    alive, now = [], 1.0
    for turn in range(1, cap + 1):
        alive.append(now)
        at_risk = sum(length >= turn for length, _ in lengths)
        ended = sum(length == turn and finished for length, finished in lengths)
        now *= 1 - (ended / at_risk if at_risk else hazard)
    return TurnSurvival(tuple(alive))


@dataclass(frozen=True, slots=True)
class Expected:
    """Calls and tokens of one role and model, at a low and at a high guess, which may be the same."""

    role: str
    model: str
    calls: tuple[float, float]
    usage: tuple[Usage, Usage] | None
    """None where nothing is known of it."""
    usd: tuple[float, float] | None
    """None where the price or the tokens are unknown."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Everything that is expected, and what it stands on."""

    expected: tuple[Expected, ...]
    grounds: str
    """A sentence."""

    @property
    def usd(self) -> tuple[float, float]:
        """US dollars of all whose price is known."""
        known = [one.usd for one in self.expected if one.usd is not None]
        return sum(low for low, _ in known), sum(high for _, high in known)


@dataclass(frozen=True, slots=True)
class _Basis:
    survival: TurnSurvival
    profile: SessionTokens


def forecast(benchmark: Benchmark, settings: RunSettings, quotes: Quotes, like: Run | None = None) -> Forecast:
    """What a run may be expected to come to from its start.

    Args:
        benchmark: Its stored turns tell how long queries are.
        settings: The run's.
        quotes: Its prices.
        like: An earlier run, whose survival and tokens are taken; the paper's lengths where None.

    Raises:
        UsageError: the earlier run has no turn.
    """
    assumed = assumed_profile(benchmark, system_prompt=settings.system_prompt, max_tokens=settings.max_tokens)
    if like is None:
        curves = [survival_of_mean(turns, PAPER_PATIENCE, settings.max_turns) for turns in PAPER_LENGTHS]
        both = [_Basis(curve, assumed) for curve in curves]
        bases = dict.fromkeys(settings.models, both)
        low, high = PAPER_LENGTHS
        grounds = (
            f"Sessions of {low} to {high} turns on the average, the paper's EDR length of its weakest and its best "
            f"model (arXiv 2511.03508, Table 2, patience {PAPER_PATIENCE}, another benchmark); answers of "
            f"{assumed.answer:.0f} tokens assumed. Name a run of yours by --like for better figures."
        )
    else:
        bases = {model: [_like(like, model, settings.max_turns, assumed)] for model in settings.models}
        guessed = [model for model, (basis,) in bases.items() if basis.profile is assumed]
        grounds = f"Survival and tokens as in {like.path}"
        if like.settings.patience != settings.patience:
            grounds += f", which had patience {like.settings.patience}"
        if guessed:
            grounds += f"; it tells no tokens for {', '.join(guessed)}, so answers of {assumed.answer:.0f} are assumed"
        grounds += "."
    expected = [_targets(settings, quotes, model, basis) for model, basis in bases.items()]
    expected += _judges(benchmark, settings, quotes, bases)
    expected += _authors(benchmark, settings, bases)
    return Forecast(tuple(expected), grounds)


def _like(run: Run, model: str, cap: int, assumed: SessionTokens) -> _Basis:
    models = [model] if model in run.models else list(run.models)
    survival = survival_of_sessions([s for name in models for s in run.sessions(name)], cap)
    if survival is None:
        raise UsageError(f"{run.path} has no turn of {' or '.join(models)} yet; name another run by --like")
    return _Basis(survival, profile_of_run(run, models) or assumed)


def _targets(settings: RunSettings, quotes: Quotes, model: str, bases: Sequence[_Basis]) -> Expected:
    sessions = len(settings.dialogues) * settings.epochs
    calls = [sessions * basis.survival.turns for basis in bases]
    prompts = [sessions * sum(a * b.profile.prompt(t) for t, a in enumerate(b.survival.alive, 1)) for b in bases]
    usages = [
        Usage(round(prompt), round(number * basis.profile.answer))
        for prompt, number, basis in zip(prompts, calls, bases, strict=True)
    ]
    if model.startswith("sim/"):
        usages = [Usage()] * len(bases)
    return _expected(quotes, "target", model, calls, usages)


def _judges(
    benchmark: Benchmark, settings: RunSettings, quotes: Quotes, bases: Mapping[str, Sequence[_Basis]]
) -> list[Expected]:
    members = judge_models(settings)
    asked = subjective_per_turn(benchmark) if members else 0.0
    if not asked:
        return []
    sessions = len(settings.dialogues) * settings.epochs
    columns = list(zip(*bases.values(), strict=True))
    calls = [sessions * asked * sum(b.survival.turns for b in column) for column in columns]
    prompts = [
        sessions * asked * sum(b.survival.turns * (JUDGE_PROMPT + b.profile.answer) for b in column)
        for column in columns
    ]
    usages = [Usage(round(p), round(n * JUDGE_REPLY)) for p, n in zip(prompts, calls, strict=True)]
    return [_expected(quotes, "judge", member, calls, usages) for member in members]


def _authors(benchmark: Benchmark, settings: RunSettings, bases: Mapping[str, Sequence[_Basis]]) -> list[Expected]:
    """Calls that word missing turns: one a turn at least; what they come to is not foretold."""
    missing = benchmark.missing(settings.max_turns, settings.dialogues)
    calls: dict[str, list[float]] = {}
    for dialogue in settings.dialogues if missing else ():
        author = benchmark.author(dialogue)
        if author not in missing or "/" not in author:
            continue
        there = len(benchmark.turns(dialogue))
        sums = calls.setdefault(author, [0.0] * len(next(iter(bases.values()))))
        for position, column in enumerate(zip(*bases.values(), strict=True)):
            for turn in range(there + 1, settings.max_turns + 1):
                nobody = 1.0
                for basis in column:
                    nobody *= 1 - basis.survival.reaching(turn, settings.epochs)
                sums[position] += 1 - nobody
    return [Expected("synthesizer", name, (sums[0], sums[-1]), None, None) for name, sums in calls.items()]


def _expected(quotes: Quotes, role: str, model: str, calls: Sequence[float], usages: Sequence[Usage]) -> Expected:
    costs = [quotes.cost(role, model, usage) for usage in usages]
    low, high = costs[0], costs[-1]
    usd = None if low is None or high is None else (low, high)
    return Expected(role, model, (calls[0], calls[-1]), (usages[0], usages[-1]), usd)


# What judging a run's answers again may cost: the answers are there, so calls can be counted and not guessed.


def forecast_rejudging(run: Run, settings: RunSettings, quotes: Quotes) -> Forecast:
    """The most that judging again comes to.

    Args:
        run: The run whose answers are judged.
        settings: Of the new run.
        quotes: Its prices.
    """
    subjective = {
        (facts.dialogue, facts.turn): sum(get_group(c.group).subjective for c in facts.constraints)
        for facts in run.facts()
    }
    calls, answers, turns = 0, 0.0, 0
    for model in run.models:
        for session, records in run.transcripts(model):
            for record in records:
                asked = subjective[session.dialogue, record.turn] if record.answer.strip() else 0
                turns += 1
                calls += asked
                answers += asked * len(record.answer) / CHARACTERS
    usage = Usage(round(calls * JUDGE_PROMPT + answers), calls * JUDGE_REPLY)
    expected = []
    for judge in judge_models(settings):
        cost = quotes.cost("judge", judge, usage)
        usd = None if cost is None else (cost, cost)
        expected.append(Expected("judge", judge, (calls, calls), (usage, usage), usd))
    grounds = (
        f"{turns} answers with {calls} subjective constraints, {JUDGE_PROMPT} tokens beside each answer and "
        f"{JUDGE_REPLY} back assumed. It is less where scores are known for the same text, and where a stricter judge "
        "ends sessions earlier; more where a reply cannot be read and is asked for again."
    )
    return Forecast(tuple(expected), grounds)

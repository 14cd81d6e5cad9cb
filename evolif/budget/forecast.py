"""A forecast of what a run will cost: calls, tokens and US dollars, before any call is made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from statistics import fmean

from evolif.budget.prices import Quotes, judge_models
from evolif.constraints import get_group
from evolif.errors import UsageError
from evolif.instructions import Benchmark, Requirements, requirements_of
from evolif.runner import SYSTEM_PROMPT, Run, RunSettings
from evolif.turns import Turn
from evolif.types import Session, Usage

ASSUMED_TOKENS = 300
"""Assumed tokens of an answer without an earlier run."""
JUDGE_PROMPT, JUDGE_REPLY = 700, 80
"""Tokens of a judge's call, excluding the answer it judges."""
CHARACTERS = 4
"""Characters per token, in English."""
PAPER_LENGTHS = (7.86, 19.32)
"""EDR length of the weakest and of the best model of the EvolIF paper (arXiv 2511.03508, Table 2, patience 3)."""
PAPER_PATIENCE = 3
_SAMPLED_DIALOGUES = 20
"""Dialogues whose stored turns are sampled."""


@dataclass(frozen=True, slots=True)
class TurnSurvival:
    """The share of sessions that reach turn 1, 2, … up to the cap."""

    alive: tuple[float, ...]

    @property
    def turns(self) -> float:
        """Mean turns of a session."""
        return sum(self.alive)

    def reaching(self, turn: int, sessions: int) -> float:
        """The chance that at least one of several independent sessions reaches a turn."""
        return 1 - (1 - self.alive[turn - 1]) ** sessions


def survival_of_mean(turns: float, patience: int, cap: int) -> TurnSurvival:
    """Survival for a given mean session length: no session ends within its patience, then the hazard is constant.

    Args:
        turns: The mean length, without a cap.
        patience: Turns that every session has.
        cap: The maximum number of turns.
    """
    beyond = max(0.0, turns - patience)
    chance = beyond / (beyond + 1)
    return TurnSurvival(tuple(chance ** max(0, turn - patience) for turn in range(1, cap + 1)))


def survival_of_sessions(sessions: Sequence[Session], cap: int) -> TurnSurvival | None:
    """The Kaplan-Meier estimate of an earlier run, continued at its mean hazard; None if it has no turn."""
    lengths = [(len(s.turns), s.ending == "finished") for s in sessions if s.turns]
    played = sum(length for length, _ in lengths)
    if not played:
        return None
    hazard = sum(finished for _, finished in lengths) / played
    alive, share = [], 1.0
    for turn in range(1, cap + 1):
        alive.append(share)
        at_risk = sum(length >= turn for length, _ in lengths)
        ended = sum(length == turn and finished for length, finished in lengths)
        share *= 1 - (ended / at_risk if at_risk else hazard)
    return TurnSurvival(tuple(alive))


@dataclass(frozen=True, slots=True)
class SessionTokens:
    """Mean tokens of the calls of one session."""

    prompts: tuple[float, ...]
    """For turns 1, 2, …; later prompts keep growing at the same rate."""
    answer: float

    def prompt(self, turn: int) -> float:
        """Tokens sent for a turn."""
        known = self.prompts
        if turn <= len(known):
            return known[turn - 1]
        step = (known[-1] - known[0]) / (len(known) - 1) if len(known) > 1 else known[0] + self.answer
        return known[-1] + max(0.0, step) * (turn - len(known))


@dataclass(frozen=True, slots=True)
class Expected:
    """Calls and tokens of one role and model as (low, high) estimates, which may be equal."""

    role: str
    model: str
    calls: tuple[float, float]
    usage: tuple[Usage, Usage] | None
    """None if the tokens cannot be estimated."""
    usd: tuple[float, float] | None
    """None if the price or the tokens are unknown."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expected cost of a run, and the basis of the estimate."""

    expected: tuple[Expected, ...]
    grounds: str
    """A sentence."""

    @property
    def usd(self) -> tuple[float, float]:
        """US dollars (low, high) of everything with a known price."""
        known = [one.usd for one in self.expected if one.usd is not None]
        return sum(low for low, _ in known), sum(high for _, high in known)


@dataclass(frozen=True, slots=True)
class _Basis:
    """The basis of one estimate for a model."""

    survival: TurnSurvival
    tokens: SessionTokens

    @property
    def prompt_tokens(self) -> float:
        """Mean tokens of all prompts of a session."""
        return sum(share * self.tokens.prompt(turn) for turn, share in enumerate(self.survival.alive, 1))


_Bases = Mapping[str, Sequence[_Basis]]
"""The estimates per model, from low to high."""


def forecast(benchmark: Benchmark, settings: RunSettings, quotes: Quotes, like: Run | None = None) -> Forecast:
    """Estimate what a run will cost from start to end.

    Args:
        benchmark: Its stored turns provide query lengths.
        settings: The run's settings.
        quotes: Its prices.
        like: An earlier run that provides survival and tokens; None uses the paper's lengths.

    Raises:
        UsageError: the earlier run has no turn.
    """
    assumed = _assumed_tokens(benchmark, settings)
    if like is None:
        curves = [survival_of_mean(turns, PAPER_PATIENCE, settings.max_turns) for turns in PAPER_LENGTHS]
        both = [_Basis(curve, assumed) for curve in curves]
        bases: _Bases = dict.fromkeys(settings.models, both)
        low, high = PAPER_LENGTHS
        grounds = (
            f"Assumes sessions of {low} to {high} turns on average (the EDR length of the paper's weakest and best "
            f"model: arXiv 2511.03508, Table 2, patience {PAPER_PATIENCE}, another benchmark) and answers of "
            f"{assumed.answer:.0f} tokens. Use --like RUN for a better estimate."
        )
    else:
        bases = {model: [_earlier_basis(like, model, settings.max_turns, assumed)] for model in settings.models}
        guessed = [model for model, (basis,) in bases.items() if basis.tokens is assumed]
        grounds = f"Survival and tokens as in {like.path}"
        if like.settings.patience != settings.patience:
            grounds += f", which had patience {like.settings.patience}"
        if guessed:
            unknown = ", ".join(guessed)
            grounds += f"; it has no token counts for {unknown}, so answers of {assumed.answer:.0f} tokens are assumed"
        grounds += "."
    expected = [_targets(settings, quotes, model, basis) for model, basis in bases.items()]
    expected += _judges(benchmark, settings, quotes, bases)
    expected += _authors(benchmark, settings, bases)
    return Forecast(tuple(expected), grounds)


def _assumed_tokens(benchmark: Benchmark, settings: RunSettings) -> SessionTokens:
    """The lengths of the benchmark's queries, and answers of an assumed length."""
    queries = [len(turn.query) / CHARACTERS for turn in _sampled_turns(benchmark)]
    query = fmean(queries) if queries else 80.0
    system_prompt = len(SYSTEM_PROMPT) / CHARACTERS if settings.system_prompt else 0.0
    answer = float(min(ASSUMED_TOKENS, settings.max_tokens or ASSUMED_TOKENS))
    return SessionTokens((system_prompt + query, system_prompt + 2 * query + answer), answer)


def _sampled_turns(benchmark: Benchmark) -> list[Turn]:
    return [turn for dialogue in benchmark.dialogues()[:_SAMPLED_DIALOGUES] for turn in benchmark.turns(dialogue)]


def _earlier_basis(run: Run, model: str, cap: int, assumed: SessionTokens) -> _Basis:
    models = [model] if model in run.models else list(run.models)
    survival = survival_of_sessions([s for name in models for s in run.sessions(name)], cap)
    if survival is None:
        raise UsageError(f"{run.path} has no turn of {' or '.join(models)} yet; choose another run with --like")
    return _Basis(survival, _tokens_of_run(run, models) or assumed)


def _tokens_of_run(run: Run, models: Iterable[str]) -> SessionTokens | None:
    """Mean tokens per call; None if the endpoint reported none."""
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


def _targets(settings: RunSettings, quotes: Quotes, model: str, bases: Sequence[_Basis]) -> Expected:
    sessions = len(settings.dialogues) * settings.epochs
    calls = [sessions * basis.survival.turns for basis in bases]
    usages = [
        Usage(round(sessions * basis.prompt_tokens), round(number * basis.tokens.answer))
        for number, basis in zip(calls, bases, strict=True)
    ]
    if model.startswith("sim/"):
        usages = [Usage()] * len(bases)
    return _expected(quotes, "target", model, calls, usages)


def _judges(benchmark: Benchmark, settings: RunSettings, quotes: Quotes, bases: _Bases) -> list[Expected]:
    judges = judge_models(settings)
    counts = [_count_subjective(turn) for turn in _sampled_turns(benchmark)] if judges else []
    subjective = fmean(counts) if counts else 0.0
    if not subjective:
        return []
    judged = len(settings.dialogues) * settings.epochs * subjective
    calls, usages = [], []
    for column in zip(*bases.values(), strict=True):
        number = judged * sum(b.survival.turns for b in column)
        prompts = judged * sum(b.survival.turns * (JUDGE_PROMPT + b.tokens.answer) for b in column)
        calls.append(number)
        usages.append(Usage(round(prompts), round(number * JUDGE_REPLY)))
    return [_expected(quotes, "judge", judge, calls, usages) for judge in judges]


def _count_subjective(turn: Turn | Requirements) -> int:
    """Constraints that only a judge can check."""
    return sum(get_group(c.group).subjective for c in turn.constraints)


def _authors(benchmark: Benchmark, settings: RunSettings, bases: _Bases) -> list[Expected]:
    """Calls that generate missing queries, at least one per turn; their tokens are not estimated."""
    missing = benchmark.missing(settings.max_turns, settings.dialogues)
    columns = list(zip(*bases.values(), strict=True))
    calls: dict[str, list[float]] = {}
    for dialogue in settings.dialogues if missing else ():
        author = benchmark.author(dialogue)
        if author not in missing or "/" not in author:
            continue
        stored = len(benchmark.turns(dialogue))
        sums = calls.setdefault(author, [0.0] * len(columns))
        for position, column in enumerate(columns):
            for turn in range(stored + 1, settings.max_turns + 1):
                sums[position] += 1 - prod(1 - basis.survival.reaching(turn, settings.epochs) for basis in column)
    return [Expected("synthesizer", name, (sums[0], sums[-1]), None, None) for name, sums in calls.items()]


def _expected(quotes: Quotes, role: str, model: str, calls: Sequence[float], usages: Sequence[Usage]) -> Expected:
    low, high = quotes.cost(role, model, usages[0]), quotes.cost(role, model, usages[-1])
    usd = None if low is None or high is None else (low, high)
    return Expected(role, model, (calls[0], calls[-1]), (usages[0], usages[-1]), usd)


def forecast_rejudging(run: Run, settings: RunSettings, quotes: Quotes) -> Forecast:
    """Estimate the most that judging a run's stored answers again will cost; calls are counted exactly.

    Args:
        run: The run whose answers are judged.
        settings: Settings of the new run.
        quotes: Its prices.
    """
    subjective = {(facts.dialogue, facts.turn): _count_subjective(requirements_of(facts)) for facts in run.prompts()}
    calls, answer_tokens, turns = 0, 0.0, 0
    for model in run.models:
        for session, records in run.transcripts(model):
            for record in records:
                number = subjective[session.dialogue, record.turn] if record.answer.strip() else 0
                turns += 1
                calls += number
                answer_tokens += number * len(record.answer) / CHARACTERS
    usage = Usage(round(calls * JUDGE_PROMPT + answer_tokens), calls * JUDGE_REPLY)
    expected = [_expected(quotes, "judge", judge, [calls], [usage]) for judge in judge_models(settings)]
    grounds = (
        f"{turns} answers with {calls} subjective constraints, assuming {JUDGE_PROMPT} prompt tokens besides each "
        f"answer and replies of {JUDGE_REPLY} tokens. It costs less if scores for the same text are cached or a "
        "stricter judge ends sessions earlier, and more if unreadable replies are requested again."
    )
    return Forecast(tuple(expected), grounds)

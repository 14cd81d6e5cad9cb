"""What a run may be expected to come to, without asking anybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evolif._errors import UsageError
from evolif.benchmark import Benchmark
from evolif.domain import Usage
from evolif.money._profile import (
    JUDGE_PROMPT,
    JUDGE_REPLY,
    Profile,
    assumed_profile,
    profile_of_run,
    subjective_per_turn,
)
from evolif.money._quotes import Quotes, judge_models
from evolif.money._survival import (
    PAPER_LENGTHS,
    PAPER_PATIENCE,
    Survival,
    survival_of_mean,
    survival_of_sessions,
)
from evolif.protocol import Run, RunSettings


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
    survival: Survival
    profile: Profile


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


def _like(run: Run, model: str, cap: int, assumed: Profile) -> _Basis:
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

"""A forecast of what a run will cost: calls, tokens and US dollars, before any call is made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, prod
from statistics import fmean

from evolif.budget.prices import Quotes, judge_models, partner_model
from evolif.errors import UsageError
from evolif.runner import Run, RunSettings, TurnRecord
from evolif.runner.warnings import judging_gap
from evolif.scenario import CHARACTERS_PER_TOKEN, Author, Benchmark, Lengths, get_scenario, options_of
from evolif.types import Session, Usage

ASSUMED_TOKENS = 300
"""Assumed tokens of an answer without an earlier run."""
JUDGE_PROMPT, JUDGE_REPLY = 700, 80
"""Tokens of a judge's call, excluding the answer it judges."""
PAPER_LENGTHS = (7.86, 19.32)
"""EDR length of the weakest and of the best model of the EvolIF paper (arXiv 2511.03508, Table 2, patience 3)."""
PAPER_PATIENCE = 3


@dataclass(frozen=True, slots=True)
class TurnSurvival:
    """The share of sessions that reach turn 1, 2, … up to the cap."""

    alive: tuple[float, ...]

    @property
    def turns(self) -> float:
        """Mean turns of a session."""
        return sum(self.alive)

    def within(self, turns: float | None, *, after: int = 0) -> TurnSurvival:
        """Survival in dialogues of so many turns on average; what it says of the turns up to `after` stands."""
        if turns is None:
            return self
        there = enumerate(self.alive)
        return TurnSurvival(tuple(s if i < after else min(s, max(0.0, turns - i)) for i, s in there))

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
    lengths = [(turns, s.ending == "finished") for s in sessions if (turns := _own_turns(s))]
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


def _own_turns(session: Session) -> int:
    """Turns of the model under test."""
    return sum(turn.seat == "target" for turn in session.turns)


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
        benchmark: What its scenario expects of it.
        settings: The run's settings.
        quotes: Its prices.
        like: An earlier run that provides survival and tokens; None assumes them.

    Raises:
        UsageError: the earlier run has no turn, or is of another scenario; a plug-in failed.
    """
    scenario = get_scenario(settings.scenario)
    play = options_of(scenario.play, settings.options, scenario.name)
    lengths = scenario.expected(benchmark, play)
    authors = scenario.authors(benchmark, settings.most_turns, settings.dialogues)
    gap = judging_gap(benchmark, settings)
    cap = settings.max_turns if gap is None else ceil(gap.turns)
    if like is None:
        decides = settings.patience is not None and settings.cut == "during"
        bases, grounds = _assume(settings, cap, lengths, decides)
    else:
        bases, grounds = _learn(settings, cap, lengths, like)
    known = "full" if like is None else like.settings.context
    if settings.context != known:
        grounds += f" Prompts are estimated as with the context {known}."
    reacted = "none" if like is None else like.settings.feedback
    if settings.feedback != reacted:
        grounds += f" Lengths are estimated as with --feedback {reacted}."
    if settings.context_model:
        grounds += f" Calls of the context strategy's model {settings.context_model} are not estimated."
    expected = [
        *_targets(settings, quotes, bases),
        *_partners(settings, quotes, bases, lengths.partner_calls, _partner_answer(lengths, like)),
        *_judges(settings, quotes, bases, lengths.judge_calls + _judges_relevance(settings)),
        *_authors(authors, settings, cap, bases),
    ]
    return Forecast(tuple(expected), grounds)


def _assume(settings: RunSettings, cap: int, lengths: Lengths, patience_decides: bool) -> tuple[_Bases, str]:
    """The estimates without an earlier run, and what they assume."""
    assumed = _assumed_tokens(lengths, settings)
    if patience_decides:
        curves = [survival_of_mean(turns, PAPER_PATIENCE, cap) for turns in PAPER_LENGTHS]
        low, high = PAPER_LENGTHS
        sessions = (
            f"{low} to {high} turns on average (the EDR length of the paper's weakest and best model: arXiv "
            f"2511.03508, Table 2, patience {PAPER_PATIENCE}, another benchmark)"
        )
    else:
        curves = [TurnSurvival((1.0,) * cap)]
        turns = f"{curves[0].within(lengths.turns).turns:.3g}"
        sessions = f"{turns} turn{'s' * (turns != '1')}"
    both = [_Basis(curve.within(lengths.turns), assumed) for curve in curves]
    grounds = (
        f"Assumes sessions of {sessions} and answers of {assumed.answer:.0f} tokens. Use --like RUN for a better "
        "estimate."
    )
    return dict.fromkeys(settings.models, both), grounds


def _learn(settings: RunSettings, cap: int, lengths: Lengths, like: Run) -> tuple[_Bases, str]:
    """The estimates from an earlier run, and where they differ from it."""
    if like.settings.scenario != settings.scenario:
        raise UsageError(
            f"{like.path} is a run of the scenario {like.settings.scenario}, not of {settings.scenario}; choose "
            "another run with --like"
        )
    assumed = _assumed_tokens(lengths, settings)
    bases = {model: [_earlier_basis(like, model, cap, lengths, assumed)] for model in settings.models}
    grounds = f"Survival and tokens as in {like.path}"
    patience = like.settings.patience
    if patience != settings.patience:
        grounds += ", which had no patience" if patience is None else f", which had patience {patience}"
    guessed = [model for model, (basis,) in bases.items() if basis.tokens is assumed]
    if guessed:
        unknown = ", ".join(guessed)
        grounds += f"; it has no token counts for {unknown}, so answers of {assumed.answer:.0f} tokens are assumed"
    return bases, f"{grounds}."


def _assumed_tokens(lengths: Lengths, settings: RunSettings) -> SessionTokens:
    """The lengths of the benchmark's prompts, and answers of an assumed length."""
    prompt = lengths.prompt_tokens
    system = lengths.system_tokens if settings.system_prompt else 0.0
    answer = ASSUMED_TOKENS if lengths.answer_tokens is None else lengths.answer_tokens
    answer = float(min(answer, settings.max_tokens or answer))
    return SessionTokens((system + prompt, system + 2 * prompt + answer), answer)


def _earlier_basis(run: Run, model: str, cap: int, lengths: Lengths, assumed: SessionTokens) -> _Basis:
    models = [model] if model in run.models else list(run.models)
    sessions = [session for name in models for session in run.sessions(name)]
    survival = survival_of_sessions(sessions, cap)
    if survival is None:
        raise UsageError(f"{run.path} has no turn of {' or '.join(models)} yet; choose another run with --like")
    survival = survival.within(lengths.turns, after=max(map(_own_turns, sessions)))
    return _Basis(survival, _tokens_of_run(run, models) or assumed)


def _tokens_of_run(run: Run, models: Iterable[str]) -> SessionTokens | None:
    """Mean tokens per call; None if the endpoint reported none."""
    prompts: defaultdict[int, list[int]] = defaultdict(list)
    answers: list[int] = []
    for model in models:
        for _, records in run.transcripts(model):
            for turn, record in enumerate(_of_target(records), 1):
                if record.usage.prompt_tokens:
                    prompts[turn].append(record.usage.prompt_tokens)
                    answers.append(record.usage.completion_tokens)
    known: list[float] = []
    while prompts[len(known) + 1]:
        known.append(fmean(prompts[len(known) + 1]))
    return SessionTokens(tuple(known), fmean(answers)) if known else None


def _of_target(records: Iterable[TurnRecord]) -> Iterator[TurnRecord]:
    return (record for record in records if record.prompt.seat == "target")


def _targets(settings: RunSettings, quotes: Quotes, bases: _Bases) -> Iterator[Expected]:
    sessions = _sessions(settings)
    for model, estimates in bases.items():
        calls = [sessions * basis.survival.turns for basis in estimates]
        usages = [
            Usage(round(sessions * basis.prompt_tokens), round(number * basis.tokens.answer))
            for number, basis in zip(calls, estimates, strict=True)
        ]
        yield _expected(quotes, "target", model, calls, usages)


def _partner_answer(lengths: Lengths, like: Run | None) -> float:
    """Mean tokens of what a partner says: as it was counted, or as much as a prompt."""
    spent = [one for one in like.costs() if one.role == "partner"] if like is not None else []
    counted = sum(one.usage.completion_tokens for one in spent)
    return counted / sum(one.calls - one.unknown for one in spent) if counted else lengths.prompt_tokens


def _partners(
    settings: RunSettings, quotes: Quotes, bases: _Bases, calls_per_turn: float, answer: float
) -> Iterator[Expected]:
    """A partner's call is taken to send as much as the other side's call of the same turn."""
    partners: defaultdict[str, list[Sequence[_Basis]]] = defaultdict(list)
    for model, basis in bases.items():
        partners[partner_model(settings, model)].append(basis)
    played = _sessions(settings) * calls_per_turn
    for partner, estimates in partners.items():
        if not partner or not played:
            continue
        columns = list(zip(*estimates, strict=True))
        calls = [played * sum(basis.survival.turns for basis in column) for column in columns]
        usages = [
            Usage(round(played * sum(b.prompt_tokens for b in column)), round(number * answer))
            for number, column in zip(calls, columns, strict=True)
        ]
        yield _expected(quotes, "partner", partner, calls, usages)


def _judges_relevance(settings: RunSettings) -> bool:
    """Whether the judge is asked about relevance too, once a turn."""
    return settings.gate is not None and settings.gate.by == "judge"


def _judges(settings: RunSettings, quotes: Quotes, bases: _Bases, calls_per_turn: float) -> Iterator[Expected]:
    judged = _sessions(settings) * calls_per_turn
    if not judged:
        return
    calls, usages = [], []
    for column in zip(*bases.values(), strict=True):
        number = judged * sum(b.survival.turns for b in column)
        prompts = judged * sum(b.survival.turns * (JUDGE_PROMPT + b.tokens.answer) for b in column)
        calls.append(number)
        usages.append(Usage(round(prompts), round(number * JUDGE_REPLY)))
    for judge in judge_models(settings):
        yield _expected(quotes, "judge", judge, calls, usages)


def _authors(authors: Iterable[Author], settings: RunSettings, cap: int, bases: _Bases) -> Iterator[Expected]:
    """At least a call per missing turn that any session reaches; tokens are not estimated."""
    columns = list(zip(*bases.values(), strict=True))
    for author in authors:
        calls = [0.0] * len(columns)
        for position, column in enumerate(columns):
            for written in author.written:
                for turn in range(written + 1, cap + 1):
                    calls[position] += 1 - prod(1 - basis.survival.reaching(turn, settings.epochs) for basis in column)
        if author.written:
            yield Expected(author.role, author.model, (calls[0], calls[-1]), None, None)


def _sessions(settings: RunSettings) -> int:
    """Per model."""
    return len(settings.dialogues) * settings.epochs


def _expected(quotes: Quotes, role: str, model: str, calls: Sequence[float], usages: Sequence[Usage]) -> Expected:
    if model.startswith("sim/"):
        usages = [Usage()] * len(usages)
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
    scenario = get_scenario(settings.scenario)
    calls, answer_tokens, turns, on_dialogues = 0, 0.0, 0, 0
    for model in run.models:
        for _, records in run.transcripts(model):
            whole = scenario.judges_dialogues(settings.options) if records else 0
            calls += whole
            on_dialogues += whole
            answer_tokens += whole * sum(len(record.answer) for record in records) / CHARACTERS_PER_TOKEN
            for record in _of_target(records):
                asked = len(scenario.criteria(record.prompt)) + _judges_relevance(settings)
                number = asked if record.answer.strip() else 0
                turns += 1
                calls += number
                answer_tokens += number * len(record.answer) / CHARACTERS_PER_TOKEN
    usage = Usage(round(calls * JUDGE_PROMPT + answer_tokens), calls * JUDGE_REPLY)
    expected = [_expected(quotes, "judge", judge, [calls], [usage]) for judge in judge_models(settings)]
    besides = " or questions about relevance" * _judges_relevance(settings)
    besides += " or questions about whole dialogues" * bool(on_dialogues)
    word = scenario.presentation.requirement
    grounds = (
        f"{turns} answers with {calls} subjective {word}s{besides}, assuming {JUDGE_PROMPT} prompt "
        f"tokens besides each answer and replies of {JUDGE_REPLY} tokens. It costs less if scores for the same text "
        "are cached or a stricter judge ends sessions earlier, and more if unreadable replies are requested again."
    )
    return Forecast(tuple(expected), grounds)

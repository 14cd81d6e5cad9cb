"""A forecast of what a run will cost: calls, tokens and US dollars, as ranges.

Without an earlier run the range is as wide as what is not known: from the weakest model's sessions and short answers to
sessions that all reach the cap with long answers and reasoning. After a pilot or an earlier run it is where the totals
of most of the runs lie that are drawn from its evidence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from math import ceil, prod

from evolif.budget.evidence import Basis, Evidence, SessionTokens, of_target
from evolif.budget.prices import Quotes, judge_models, partner_model
from evolif.budget.survival import TurnSurvival, survival_of_mean
from evolif.errors import UsageError
from evolif.runner import Run, RunSettings
from evolif.runner.bounds import ASSUMED_ANSWER
from evolif.runner.samples import Task
from evolif.runner.warnings import judging_gap
from evolif.scenario import CHARACTERS_PER_TOKEN, Author, Benchmark, Lengths, get_scenario, options_of
from evolif.text import plural
from evolif.types import Spent, Usage

ASSUMED_TOKENS = 300
"""Assumed tokens of an answer where an earlier run did not count them."""
ASSUMED_ANSWERS = (150, 1000)
"""Assumed tokens of short and of long answers without an earlier run."""
ASSUMED_REASONING = 2000
"""Assumed tokens of reasoning beside a long answer."""
JUDGE_PROMPT, JUDGE_REPLY = 700, 80
"""Tokens of a judge's call, excluding the answer it judges."""
PAPER_LENGTH = 7.86
"""EDR length of the weakest model of the EvolIF paper (arXiv 2511.03508, Table 2, patience 3)."""
PAPER_PATIENCE = 3
TAIL = 0.04
"""The share of drawn runs below a range, and of those above it."""
_MOST_COLUMNS = 20
"""Draws that the calls of models which write prompts are worked out from."""


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
    """A sentence or more."""
    usd: tuple[float, float]
    """US dollars (low, high) of everything with a known price; narrower than the sum of the parts, which do not all
    turn out high at once."""
    tokens: tuple[int, int]
    """Tokens (low, high) of everything whose tokens are estimated."""

    @property
    def is_priced(self) -> bool:
        """Whether the price of everything is known."""
        return all(one.usd is not None for one in self.expected)


_Bases = Mapping[str, Sequence[Basis]]
"""The estimates per model: a low and a high one, or one per drawn run."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What one role and model comes to in each estimate."""

    role: str
    model: str
    calls: Sequence[float]
    usages: Sequence[Usage] | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is estimated.

    Attributes:
        settings: Of the run.
        lengths: What the scenario expects.
        sessions: How many are still to be played, per model.
        like: The run that the estimates are from; None for none.
    """

    settings: RunSettings
    lengths: Lengths
    sessions: Mapping[str, int]
    like: Run | None


def forecast(
    benchmark: Benchmark, settings: RunSettings, quotes: Quotes, like: Run | None = None, *, begun: bool = False
) -> Forecast:
    """Estimate what a run will cost from start to end.

    Args:
        benchmark: What its scenario expects of it.
        settings: The run's settings.
        quotes: Its prices.
        like: A run that provides lengths and tokens; None assumes them.
        begun: Whether `like` is the run itself, of which only the rest is estimated.

    Raises:
        UsageError: the earlier run has no turn, or is of another scenario; a plug-in failed.
    """
    scenario = get_scenario(settings.scenario)
    play = options_of(scenario.play, settings.options, scenario.name)
    lengths = scenario.expected(benchmark, play)
    authors = scenario.authors(benchmark, settings.most_turns, settings.dialogues)
    gap = judging_gap(benchmark, settings)
    cap = settings.max_turns if gap is None else ceil(gap.turns)
    plan = _Plan(settings, lengths, _sessions_left(settings, like if begun else None), like)
    if like is None:
        bases, grounds = _assume(settings, cap, lengths)
    else:
        bases, grounds = _learn(plan, like, cap, begun=begun)
    parts = [*_targets(plan, bases), *_partners(plan, bases), *_judges(plan, bases), *_contexts(plan, bases)]
    if begun and like is not None:
        parts = _with_spent(parts, like.costs())
    parts += _authors(authors, settings, cap, bases)
    return _forecast(parts, quotes, grounds + _differences(settings, like, parts))


def _sessions_left(settings: RunSettings, begun: Run | None) -> dict[str, int]:
    every = len(settings.dialogues) * settings.epochs
    return {model: every - (0 if begun is None else len(begun.store.ended(model))) for model in settings.models}


def _assume(settings: RunSettings, cap: int, lengths: Lengths) -> tuple[_Bases, str]:
    """The estimates without an earlier run, and what they assume."""
    patience_decides = settings.patience is not None and settings.cut == "during"
    whole = TurnSurvival((1.0,) * cap)
    short = survival_of_mean(PAPER_LENGTH, PAPER_PATIENCE, cap) if patience_decides else whole
    curves = [curve.within(lengths.turns) for curve in (short, whole)]
    tokens = [_assumed_tokens(lengths, settings, is_long=is_long) for is_long in (False, True)]
    low, high = (f"{curve.turns:.3g}" for curve in curves)
    if patience_decides and low != high:
        sessions = (
            f"sessions of {low} turns (as long as the paper's weakest model's: arXiv 2511.03508, Table 2, EDR length "
            f"{PAPER_LENGTH}, patience {PAPER_PATIENCE}, another benchmark) to {high} turns (all at the cap)"
        )
    else:
        sessions = f"sessions of {high} turn{'s' * (high != '1')}"
    first, last = (round(one.answer if one.kept is None else one.kept) for one in tokens)
    answers = f"{first}" if first == last else f"{first} to {last:,}"
    reasoning = round(tokens[-1].answer) - last
    answers += f" tokens{f' and up to {reasoning:,} of reasoning' if reasoning else ''}"
    bounded = "" if settings.max_tokens else " --max-tokens N bounds answers and reasoning."
    grounds = (
        f"Assumes {sessions}, and answers of {answers}. A much narrower range: --pilot 3 plays three dialogues of this "
        f"run, which stay in it, and --like RUN takes an earlier run.{bounded}"
    )
    bases = [Basis(curve, one) for curve, one in zip(curves, tokens, strict=True)]
    return dict.fromkeys(settings.models, bases), grounds


def _assumed_tokens(lengths: Lengths, settings: RunSettings, *, is_long: bool | None = None) -> SessionTokens:
    """The lengths of the benchmark's prompts, and answers of an assumed length: short, long or, by default, between."""
    prompt = lengths.prompt_tokens
    system = lengths.system_tokens if settings.system_prompt else 0.0
    usual = ASSUMED_TOKENS if is_long is None else ASSUMED_ANSWERS[is_long]
    most = settings.max_tokens
    kept = float(usual if lengths.answer_tokens is None else lengths.answer_tokens)
    answer = kept + (ASSUMED_REASONING if is_long else 0)
    if most is not None:
        kept, answer = min(kept, most), min(answer, most)
    prompts = (system + prompt, system + 2 * prompt + kept)
    return SessionTokens(prompts, answer, kept, reasoning=(answer - kept) / answer if answer else 0.0)


def _learn(plan: _Plan, like: Run, cap: int, *, begun: bool) -> tuple[_Bases, str]:
    """The estimates from an earlier run, or from a pilot, and where they differ from it."""
    settings, lengths = plan.settings, plan.lengths
    if like.settings.scenario != settings.scenario:
        raise UsageError(
            f"{like.path} is a run of the scenario {like.settings.scenario}, not of {settings.scenario}; choose "
            "another run with --like"
        )
    assumed = _assumed_tokens(lengths, settings)
    patience = settings.patience if settings.cut == "during" else None
    bases, guessed, played = {}, [], 0
    for number, model in enumerate(settings.models):
        models = [model] if model in like.models else list(like.models)
        evidence = Evidence(like, models, settings.max_tokens or ASSUMED_ANSWER)
        if not evidence.sessions:
            way_out = "find out why, and run the same command again" if begun else "choose another run with --like"
            raise UsageError(f"{like.path} has no turn of {' or '.join(models)} yet; {way_out}")
        played += len(evidence.sessions)
        seed = settings.seed * len(settings.models) + number
        bases[model] = list(evidence.draws(plan.sessions[model], cap, patience, lengths.turns, assumed, seed))
        guessed += [] if evidence.has_tokens or model.startswith("sim/") else [model]
    whose = f"{plural(played, 'session')} {'that this run has played' if begun else f'of {like.path}'}"
    grounds = (
        f"From {whose}: how often turns fail, how prompts grow, and the tokens of answers, reasoning included. The "
        f"range holds {100 * (1 - 2 * TAIL):.0f} % of the runs that are drawn from them; more sessions narrow it."
    )
    if patience is not None and like.settings.patience != settings.patience:
        before = like.settings.patience
        had = "no patience" if before is None else f"patience {before}"
        grounds += f" That run had {had}."
    if guessed:
        grounds += (
            f" It has no token counts for {', '.join(guessed)}, so answers of {assumed.answer:.0f} tokens are assumed."
        )
    return bases, grounds


def _differences(settings: RunSettings, like: Run | None, parts: Iterable[_Part]) -> str:
    """Where the run differs from what its estimates are from."""
    more = ""
    known = "full" if like is None else like.settings.context
    if settings.context != known:
        more += f" Prompts are estimated as with the context {known}."
    reacted = "none" if like is None else like.settings.feedback
    if settings.feedback != reacted:
        more += f" Lengths are estimated as with --feedback {reacted}."
    if settings.context_model and not any(part.role == "context" for part in parts):
        more += f" Calls of the context strategy's model {settings.context_model} are not estimated."
    return more


# What each role comes to.


def _targets(plan: _Plan, bases: _Bases) -> Iterator[_Part]:
    for model, estimates in bases.items():
        number = plan.sessions[model]
        calls = [number * basis.survival.turns for basis in estimates]
        usages = [
            basis.tokens.usage(number * basis.prompt_tokens, called * basis.tokens.answer)
            for called, basis in zip(calls, estimates, strict=True)
        ]
        yield _Part("target", model, calls, usages)


@dataclass(frozen=True, slots=True)
class _Counted:
    """What the calls of a role came to in an earlier run, per turn of the models under test."""

    calls: float
    usage: tuple[float, float]
    """Tokens of a call: prompt and answer."""
    prompts: float
    """Tokens of its prompts by those of the models under test."""


def _counted(like: Run | None, role: str, model: str = "") -> _Counted | None:
    """The calls of a role, and of a model if it is named; None if there is no run, or if it did not count them."""
    if like is None:
        return None
    costs = like.costs()
    spent = [one for one in costs if one.role == role and model in ("", one.model)]
    known = sum(one.calls - one.unknown for one in spent)
    targets = [one for one in costs if one.role == "target"]
    turns, asked = sum(one.calls for one in targets), sum(one.usage.prompt_tokens for one in targets)
    usage = sum((one.usage for one in spent), Usage())
    if not known or not usage.tokens or not turns:
        return None
    per_call = usage.prompt_tokens / known, usage.completion_tokens / known
    return _Counted(sum(one.calls for one in spent) / turns, per_call, usage.prompt_tokens / asked if asked else 1.0)


def _partners(plan: _Plan, bases: _Bases) -> Iterator[_Part]:
    """A partner's call is taken to send as much as the other side's call of the same turn."""
    partners: defaultdict[str, list[str]] = defaultdict(list)
    for model in bases:
        partners[partner_model(plan.settings, model)].append(model)
    for partner, models in partners.items():
        if not partner or not plan.lengths.partner_calls:
            continue
        counted = _counted(plan.like, "partner")
        share = 1.0 if counted is None else counted.prompts / plan.lengths.partner_calls
        answer = plan.lengths.prompt_tokens if counted is None else counted.usage[1]
        calls, prompts = [], []
        for column in zip(*(bases[model] for model in models), strict=True):
            played = [plan.sessions[model] * plan.lengths.partner_calls for model in models]
            calls.append(sum(n * b.survival.turns for n, b in zip(played, column, strict=True)))
            prompts.append(share * sum(n * b.prompt_tokens for n, b in zip(played, column, strict=True)))
        usages = [Usage(round(asked), round(n * answer)) for n, asked in zip(calls, prompts, strict=True)]
        yield _Part("partner", partner, calls, usages)


def _judges_relevance(settings: RunSettings) -> bool:
    """Whether the judge is asked about relevance too, once a turn."""
    return settings.gate is not None and settings.gate.by == "judge"


def _judges(plan: _Plan, bases: _Bases) -> Iterator[_Part]:
    assumed = plan.lengths.judge_calls + _judges_relevance(plan.settings)
    for judge in judge_models(plan.settings):
        counted = _counted(plan.like, "judge", judge)
        calls_per_turn = assumed if counted is None else counted.calls
        calls, usages = [], []
        for column in zip(*bases.values(), strict=True):
            numbers = [
                calls_per_turn * n * b.survival.turns for n, b in zip(plan.sessions.values(), column, strict=True)
            ]
            number = sum(numbers)
            if counted is None:
                asked = sum(n * (JUDGE_PROMPT + b.tokens.answer) for n, b in zip(numbers, column, strict=True))
                reply = float(JUDGE_REPLY)
            else:
                asked, reply = number * counted.usage[0], counted.usage[1]
            calls.append(number)
            usages.append(Usage(round(asked), round(number * reply)))
        if calls_per_turn:
            yield _Part("judge", judge, calls, usages)


def _contexts(plan: _Plan, bases: _Bases) -> Iterator[_Part]:
    """Calls of a context strategy's model, which only a run with the same strategy tells."""
    model = plan.settings.context_model
    if not model or plan.like is None or plan.like.settings.context != plan.settings.context:
        return
    counted = _counted(plan.like, "context", model)
    if counted is None:
        return
    calls = [
        counted.calls * sum(n * b.survival.turns for n, b in zip(plan.sessions.values(), column, strict=True))
        for column in zip(*bases.values(), strict=True)
    ]
    asked, reply = counted.usage
    yield _Part("context", model, calls, [Usage(round(n * asked), round(n * reply)) for n in calls])


def _authors(authors: Iterable[Author], settings: RunSettings, cap: int, bases: _Bases) -> Iterator[_Part]:
    """At least a call per missing turn that any session reaches; tokens are not estimated."""
    columns = list(zip(*bases.values(), strict=True))
    columns = columns[:: max(1, len(columns) // _MOST_COLUMNS)]
    for author in authors:
        calls = [0.0] * len(columns)
        for position, column in enumerate(columns):
            for written in author.written:
                for turn in range(written + 1, cap + 1):
                    calls[position] += 1 - prod(1 - basis.survival.reaching(turn, settings.epochs) for basis in column)
        if author.written:
            yield _Part(author.role, author.model, calls, None)


def _with_spent(parts: Sequence[_Part], spent: Iterable[Spent]) -> list[_Part]:
    """What is estimated and what was spent already, together."""
    before: dict[tuple[str, str], Spent] = {(one.role, one.model): one for one in spent}
    whole = []
    for part in parts:
        one = before.pop((part.role, part.model), None)
        if one is not None and part.usages is not None:
            calls, usage = one.calls, one.usage
            part = replace(part, calls=[n + calls for n in part.calls], usages=[u + usage for u in part.usages])
        whole.append(part)
    return [*whole, *(_Part(role, model, [one.calls], [one.usage]) for (role, model), one in before.items())]


# The ranges.


def _forecast(parts: Sequence[_Part], quotes: Quotes, grounds: str) -> Forecast:
    expected, dollars, tokens = [], [], []
    for part in parts:
        usages = [Usage()] * len(part.calls) if part.model.startswith("sim/") else part.usages
        calls = _range(part.calls)
        if usages is None:
            expected.append(Expected(part.role, part.model, calls, None, None))
            continue
        known = [quotes.cost(part.role, part.model, usage) for usage in usages]
        usd = [cost for cost in known if cost is not None]
        whole = len(usd) == len(known)
        dollars += [usd] if whole else []
        tokens.append([float(usage.tokens) for usage in usages])
        expected.append(Expected(part.role, part.model, calls, _usage_range(usages), _range(usd) if whole else None))
    low, high = _range(_totals(tokens))
    return Forecast(tuple(expected), grounds, _range(_totals(dollars)), (round(low), round(high)))


def _totals(columns: Sequence[Sequence[float]]) -> list[float]:
    """The sum of all parts in each estimate; a part with a single one is the same in all."""
    return [sum(column) for column in _aligned(columns)] or [0.0]


def _aligned(columns: Sequence[Sequence[float]]) -> Iterator[tuple[float, ...]]:
    longest = max(map(len, columns), default=0)
    yield from zip_longest(
        *(values if len(values) > 1 else list(values) * longest for values in columns), fillvalue=0.0
    )


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Where most values lie; all of a few."""
    ordered = sorted(values)
    outside = int(TAIL * len(ordered))
    return ordered[outside], ordered[-1 - outside]


def _usage_range(usages: Sequence[Usage]) -> tuple[Usage, Usage]:
    asked, written = _range([u.prompt_tokens for u in usages]), _range([u.completion_tokens for u in usages])
    reasoning = _range([u.reasoning_tokens for u in usages])
    low, high = (
        Usage(round(asked[end]), round(written[end]), reasoning_tokens=round(reasoning[end])) for end in (0, 1)
    )
    return low, high


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
            for record in of_target(records):
                asked = len(scenario.criteria(record.prompt)) + _judges_relevance(settings)
                number = asked if record.answer.strip() else 0
                turns += 1
                calls += number
                answer_tokens += number * len(record.answer) / CHARACTERS_PER_TOKEN
    usage = Usage(round(calls * JUDGE_PROMPT + answer_tokens), calls * JUDGE_REPLY)
    parts = [_Part("judge", judge, [calls], [usage]) for judge in judge_models(settings)]
    besides = " or questions about relevance" * _judges_relevance(settings)
    besides += " or questions about whole dialogues" * bool(on_dialogues)
    word = scenario.presentation.requirement
    grounds = (
        f"{turns} answers with {calls} subjective {word}s{besides}, assuming {JUDGE_PROMPT} prompt "
        f"tokens besides each answer and replies of {JUDGE_REPLY} tokens. It costs less if scores for the same text "
        "are cached or a stricter judge ends sessions earlier, and more if unreadable replies are requested again."
    )
    return _forecast(parts, quotes, grounds)


def forecast_sampling(run: Run, settings: RunSettings, quotes: Quotes, tasks: Iterable[Task]) -> Forecast:
    """Estimate what more answers to the turns of a run will cost, from what the run's own answers to them used.

    Args:
        run: The run.
        settings: Of the store of samples.
        quotes: Its prices.
        tasks: What is to be asked.
    """
    scenario, asked, judged = get_scenario(settings.scenario), Counter[str](), 0
    usages: defaultdict[str, Usage] = defaultdict(Usage)
    answer_tokens = 0.0
    for number, again in groupby(sorted(tasks, key=lambda task: task.number), key=lambda task: task.number):
        records = {record.turn: record for record in run.store.turns(number)}
        for task in again:
            for record in (records[turn] for turn in task.turns):
                calls = len(scenario.criteria(record.prompt)) + _judges_relevance(settings)
                asked[task.key.model] += 1
                usages[task.key.model] += record.usage
                judged += calls
                answer_tokens += calls * len(record.answer) / CHARACTERS_PER_TOKEN
    parts = [
        _Part("target", model, [calls], [usages[model]] if usages[model] != Usage() else None)
        for model, calls in asked.items()
    ]
    usage = Usage(round(judged * JUDGE_PROMPT + answer_tokens), judged * JUDGE_REPLY)
    parts += [_Part("judge", judge, [judged], [usage]) for judge in judge_models(settings)]
    grounds = "Each answer is assumed to use as many tokens as the run's own answer to the same turn did."
    return _forecast(parts, quotes, grounds)

"""The sentences of a report, shared by terminal and page: settings, costs, what is left out, the ceiling."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from evolif.budget import PriceTable, Quotes, load_prices, quotes_of
from evolif.budget.foretold import foretold, is_over
from evolif.contexts import tokenizer_name
from evolif.errors import EvolifError, UsageError
from evolif.judge_audit import judge_audit_lines
from evolif.metrics import AT_N, TOO_FEW, Ceiling, Interval, described, expected_length, patience_left
from evolif.metrics.patience import FARTHEST, length_beyond
from evolif.report.analysis import ModelAnalysis, ModelSummary, RunAnalysis
from evolif.report.outcomes import outcome_lines
from evolif.runner import Run, RunSettings, Spent
from evolif.scenario import DEFAULT_SCENARIO, Scenario, answer_keys, get_scenario
from evolif.text import plain, plural
from evolif.types import Usage


def spent_lines(run: Run, prices: PriceTable | None = None) -> list[str]:
    """Calls, tokens and money of a run; nothing if no tokens were spent."""
    spent = [one for one in run.costs() if one.usage.tokens or one.unknown]
    if not spent:
        return []
    quotes = quotes_of(run.settings, prices or load_prices())
    lines = [f"Spent on {one.role} {plain(one.model)}: {_spent(one, quotes)}." for one in spent]
    total, whole = quotes.total(spent)
    if len(spent) > 1:
        missing = [] if whole else [" plus calls without a known price"]
        missing += [" plus calls of unknown usage"] * any(one.unknown for one in spent)
        lines.append(f"Total spent: {dollars(total)}{''.join(missing)}.")
    return [*lines, *filter(None, (forecast_line(run, quotes), prices_line(spent, quotes)))]


def forecast_line(run: Run, quotes: Quotes) -> str:
    """What a pilot forecast of the run, beside what it has cost; empty if there was no such forecast."""
    told = foretold(run)
    if told is None:
        return ""
    spent = run.costs()
    total, whole = quotes.total(spent)
    if told.is_priced and whole:
        (low, high), cost = map(dollars, told.usd), dollars(total)
    else:
        (low, high), cost = (
            (f"{n:,}" for n in told.tokens),
            plural(sum(s.usage.tokens for s in spent), "token", spec=","),
        )
    so_far = "it cost" if is_over(run) else "so far it has cost"
    cost += " plus calls of unknown usage" * any(one.unknown for one in spent)
    return f"Forecast from a pilot of {plural(told.pilot, 'dialogue')}: {low} to {high}; {so_far} {cost}."


def prices_line(spent: Iterable[Spent], quotes: Quotes) -> str:
    """When and where the prices were read that costs are worked out with; empty if nothing has any."""
    told = []
    for one in spent:
        price = quotes.price(one.role, one.model)
        if price is not None and price.highest:
            source = f", {plain(price.source)}" if price.source else ""
            told.append(f"{plain(one.model)} as of {price.date}{source}")
    return f"Prices: {'; '.join(dict.fromkeys(told))}." if told else ""


def _spent(one: Spent, quotes: Quotes) -> str:
    usage, known = one.usage, one.calls - one.unknown
    parts = []
    if known:
        money = dollars(quotes.cost(one.role, one.model, usage))
        parts.append(
            f"{plural(known, 'call', spec=',')}, {usage.prompt_tokens:,} + "
            f"{plural(usage.completion_tokens, 'token', spec=',')}{token_parts(usage)}, {money}"
        )
    if one.unknown:
        parts.append(unknown_usage(one, quotes))
    return " plus ".join(parts)


def token_parts(usage: Usage) -> str:
    """What tokens were, in brackets, as far as the endpoint said; empty if it did not."""
    named = ((usage.cached_tokens, "cached"), (usage.image_tokens, "for images"), (usage.reasoning_tokens, "reasoning"))
    told = ", ".join(f"{number:,} {what}" for number, what in named if number)
    return f" ({told})" if told else ""


def unknown_usage(one: Spent, quotes: Quotes) -> str:
    """How many calls have an unknown usage, and the most they may have used."""
    calls = plural(one.unknown, "call", spec=",")
    money = dollars(quotes.highest(one.role, one.model, one.bound))
    return f"{calls} of unknown usage (at most {plural(one.bound, 'token', spec=',')}, {money})"


def dollars(amount: float | None) -> str:
    """An amount of money, or that the price is unknown."""
    if amount is None:
        return "price unknown"
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.4f}"


_MISSES = 3
"""Maximum number of listed turns without a good witness."""


def settings_line(run: Run, *, context: str | None = None, feedback: str | None = None) -> str:
    """The settings of the run.

    Args:
        run: The run.
        context: What stands for its context strategy, where the line is about runs with several.
        feedback: What stands for how the person reacts, where the line is about runs that differ in it.
    """
    settings = run.settings
    told = [f"scenario {settings.scenario}"] if settings.scenario != DEFAULT_SCENARIO else []
    told += [f"profile {settings.profile}"] if settings.profile else []
    told += [f"patience {settings.patience}"] if settings.patience is not None else []
    told += [f"cap {settings.cap}", f"judge {settings.judge}"]
    told += [f"partner {settings.partner}"] if settings.partner else []
    if context is not None or settings.context != "full":
        told.append(context or f"context {settings.context}")
    told += [f"{key} {value}" for key, value in settings.options.items()]
    told += [feedback or f"feedback {settings.feedback}"] if feedback or settings.feedback != "none" else []
    told += [f"relevance {settings.relevance}{relevance_counted(settings)}"] if settings.relevance else []
    told += [] if settings.system_prompt else ["no system prompt"]
    told += [] if settings.temperature is None else [f"temperature {settings.temperature:g}"]
    line = ", ".join(told)
    return f"{line[0].upper()}{line[1:]}; in brackets 95 % intervals over dialogues."


REPAIRS = (
    "Repairs are turns like any other: they cost patience and count for the cap, and REC counts those that mend as "
    "recoveries."
)
"""What runs with `--feedback repair` count."""


def untold_line(run: Run) -> str:
    """That the models were not told what exactly is counted; empty if they were."""
    if not run.settings.untold:
        return ""
    return (
        "Not told what counts: this benchmark says in the system prompt alone what exactly its requirements count, and "
        "the models did not get it."
    )


def relevance_counted(settings: RunSettings) -> str:
    """That the relevance gate is in the figures, as a clause; empty if it stands apart."""
    return ", counted in CSR, ISR and patience" if settings.relevance_counts else ""


def unfinished_line(run: Run) -> str:
    """How many sessions have not ended; empty if all have."""
    suspended = run.suspended()
    if not suspended:
        return ""
    total = len(run.settings.dialogues) * run.settings.epochs * len(run.models)
    return (
        f"Not finished: {suspended} of {plural(total, 'session')} {'is' if suspended == 1 else 'are'} suspended or "
        "still to be played; run the same evaluate command again to resume "
        f"{'it' if suspended == 1 else 'them'}. Until then the metrics may favour short sessions."
    )


def integrity_lines(analysis: RunAnalysis) -> Iterator[str]:
    """What of the run was edited after it was written, or could be unseen; and what judging it again found."""
    found, again = analysis.integrity, analysis.verification
    if found.edited:
        yield f"Edited: {analysis.name} was edited after it was written, and the figures show the edits: {found.named}."
    if found.not_sealed:
        yield (
            f"Not sealed: {found.not_sealed} of {plural(found.sealed + found.not_sealed, 'turn')} of "
            f"{analysis.name} {'was' if found.not_sealed == 1 else 'were'} stored "
            "by an earlier version of evolif; edits of them cannot be seen."
        )
    if again is None:
        return
    judged = (
        f"{plural(again.checked, 'verdict or score', 'verdicts and scores')} of {plural(again.turns, 'turn')} of "
        f"{analysis.name} {'was' if again.checked == 1 else 'were'} judged again by rules"
    )
    if again.differ:
        yield f"Not verified: {judged}, and {len(again.differ)} differ: {again.named}."
    else:
        yield f"Verified: {judged}, and all agree."
    if again.left_out:
        yield (
            "Not judged again, because only a judge can: "
            f"{plural(again.left_out, 'verdict or score', 'verdicts and scores')} of {analysis.name}."
        )


def remarks(run: Run, summaries: Sequence[ModelSummary], heads: Sequence[str]) -> Iterator[str]:
    """Remarks that a reader of the table needs, one sentence each."""
    yield from outcome_lines(run)
    yield from fact_lines(run, summaries, heads)
    yield from filter(None, [blank_line(summaries, heads)])
    if run.settings.feedback == "repair":
        yield REPAIRS
    yield from undefined_lines(heads, summaries)
    yield from _exhaustion_lines(heads, summaries, run.settings.max_turns)
    yield from filter(None, [few_line(summaries)])
    for cause, number in run.unbegun().items():
        yield f"Sessions not started because of a {cause} (in no metric): {number}."
    for head, summary in zip(heads, summaries, strict=True):
        ends = (summary.bounds.failed.edr_len, summary.bounds.succeeded.edr_len) if summary.bounds else ()
        if ends and None not in ends:
            yield f"{head}: if those sessions had continued, EDR len would be between {ends[0]:.1f} and {ends[1]:.1f}."


def fact_lines(
    run: Run, summaries: Sequence[ModelSummary], heads: Sequence[str], *, decisive: bool = False
) -> Iterator[str]:
    """How many sessions, turns or verdicts of each model are left out, or are not what they seem.

    Args:
        run: The run.
        summaries: Of its models.
        heads: Their names.
        decisive: Only what a reader of a few figures needs.
    """
    word = get_scenario(run.settings.scenario).presentation.requirement.capitalize()
    counted = "counted towards the cap, " * (run.settings.cap_counts == "turns")
    facts: list[tuple[str, Callable[[ModelSummary], int], bool]] = [
        (
            f"Sessions still going at the cap of {run.settings.max_turns}, so lengths are lower bounds",
            lambda s: s.at_cap,
            True,
        ),
        (
            "Sessions stopped by the context, a budget or the end of their dialogue, so lengths are lower bounds",
            lambda s: s.counts.censored - s.at_cap,
            True,
        ),
        ("Sessions suspended (not in the table)", lambda s: s.counts.suspended + s.counts.running, False),
        ("Sessions withheld by a content filter (not in the table)", lambda s: s.counts.withheld, True),
        (
            f"Turns with nothing judged ({counted}in no metric)",
            # Without any verdict there is nothing to judge: the scenario has scores alone.
            lambda s: s.counts.not_judged_turns if s.groups or s.counts.not_judged_constraints else 0,
            True,
        ),
        (f"{word}s not judged (judge: {run.settings.judge})", lambda s: s.counts.not_judged_constraints, True),
        ("Empty answers, judged like any others", lambda s: s.empty_answers, True),
        ("Answers not judged for relevance, left out of its rate", lambda s: s.relevance_not_judged or 0, True),
        (
            "Sessions without a failed turn to recover from, left out of REC",
            lambda s: s.metrics.left_out.get("rec", 0),
            False,
        ),
    ]
    for fact, count, decides in facts:
        counts = [f"{head} {count(summary)}" for head, summary in zip(heads, summaries, strict=True) if count(summary)]
        if counts and (decides or not decisive):
            yield f"{fact}: {', '.join(counts)}."


def blank_line(summaries: Sequence[ModelSummary], heads: Sequence[str]) -> str:
    """Models of which nothing was judged, so that their lengths say nothing; empty if there are none."""
    pairs = zip(heads, summaries, strict=True)
    blank = [head for head, s in pairs if s.counts.not_judged_turns and s.metrics.value("edr_len") == 0]
    return f"No turn was judged, so lengths of 0 say nothing about the model: {', '.join(blank)}." if blank else ""


def few_line(summaries: Iterable[ModelSummary]) -> str:
    """Why metrics have no interval; empty if all that have a value have one."""
    bare = (
        value is not None and one.intervals.get(name) is None
        for one in summaries
        for name, value in one.metrics.by_name().items()
    )
    return TOO_FEW if any(bare) else ""


def saturated_line(head: str, summary: ModelSummary, cap: int) -> str:
    """That the cap bounds EDR len; empty if at most a quarter of the sessions reach it."""
    if not summary.saturated or summary.metrics.value("exhaustion_rate") is None:
        return ""
    share = 100 * summary.at_cap / summary.metrics.dialogues
    return (
        f"{head}: EDR len is bounded by the cap of {cap} for {share:.0f} % of sessions: read ISR@{cap} and the "
        f"exhaustion rate. Nothing is measured beyond turn {cap}; ten dialogues of the profile escalating with "
        "--max-turns 120 would show what comes later."
    )


def _exhaustion_lines(heads: Sequence[str], summaries: Sequence[ModelSummary], cap: int) -> Iterator[str]:
    yield from filter(None, (saturated_line(*pair, cap) for pair in zip(heads, summaries, strict=True)))
    told = []
    for head, summary in zip(heads, summaries, strict=True):
        rate, interval = summary.metrics.value("exhaustion_rate"), summary.intervals.get("exhaustion_rate")
        if rate is None:
            continue
        exhausted = sum(patience_left(record) == 0 for record in summary.counts.records)
        told.append(f"{head} {_length(rate, interval, cap, exhausted)}")
    if told:
        yield (
            "Expected length under a constant hazard, in judged turns (one over the exhaustion rate, extrapolated): "
            f"{', '.join(told)}."
        )


def _length(rate: float, interval: Interval | None, cap: int, exhausted: int) -> str:
    found = expected_length(rate, interval, cap=cap, exhausted=exhausted)
    if found.value is None:
        beyond = length_beyond(rate, found, cap)
        why = f"patience ran out in {plural(exhausted, 'session')}" if exhausted else "patience never ran out"
        return f"{'unknown' if beyond is None else f'over {beyond}'} ({why})"
    if found.low is None:
        return f"{found.value:.1f}"
    most = FARTHEST * cap
    high = f"over {most}" if found.high is None or found.high > most else f"{found.high:.1f}"
    return f"{found.value:.1f} [{found.low:.1f}–{high}]"


_WHY = {"rec": "no bad turn", "pooled_rec": "no bad turn", AT_N: "no session was played to its last turn"}
"""Why a metric has no value."""


def undefined_lines(
    heads: Sequence[str], summaries: Sequence[ModelSummary], chosen: Collection[str] = ()
) -> Iterator[str]:
    """Which metrics have no value, and why; of all or of those that are chosen."""
    for head, summary in zip(heads, summaries, strict=True):
        bare: dict[str, list[str]] = {}
        if summary.metrics.dialogues:
            for name, metric in described(summary.tables).items():
                if summary.metrics.value(name) is None and (not chosen or name in chosen):
                    bare.setdefault(_WHY.get(name, "nothing counts for it"), []).append(metric.label)
        for why, labels in bare.items():
            yield f"{head}: {', '.join(labels)} undefined: {why}."


def ceiling_line(found: Ceiling | None, scenario: Scenario) -> str:
    """What a perfect responder would have reached on the turns asked; empty if the scenario has no answer keys."""
    if found is None:
        return ""
    key = scenario.presentation.answer_key
    if not found.turns:
        return "A perfect responder: no turn was asked yet, so there is no ceiling yet."
    if found.is_unknown:
        return (
            f"A perfect responder: none of the {found.turns} asked turns has a {key} (an imported benchmark, or "
            "a run made by an older version), so the ceiling is unknown."
        )
    over = f"over {found.turns} asked turns"
    if not any(turn.judged for session in found.sessions for turn in session.turns):
        return f"A perfect responder: rules check nothing {over}, so there is no ceiling."
    if not found.misses:
        word = scenario.presentation.requirement
        return f"A perfect responder would satisfy every rule-checked {word}: ceiling 100 % {over}."
    reached = ", ".join(
        f"{name.upper()} {100 * value:.1f} %"
        for name in ("isr", "csr", "rob")
        if (value := found.metrics.value(name)) is not None
    )
    wrong = [
        f"{number} {what}"
        for number, what in (
            (found.without_witness, f"without a {key}"),
            (found.failing, f"with a {key} that the rules reject"),
        )
        if number
    ]
    named = "; ".join(
        f"dialogue {miss.dialogue} turn {miss.turn} ({', '.join(miss.groups) or f'no {key}'})"
        for miss in found.misses[:_MISSES]
    )
    more = f"; and {len(found.misses) - _MISSES} more" if len(found.misses) > _MISSES else ""
    return (
        f"A perfect responder with the benchmark's {answer_keys(scenario)} would not reach 100 %: ceiling {reached} "
        f"{over}; {' and '.join(wrong)}: {named}{more}. Whatever has no {key} counts as failed, so this is a lower "
        "bound."
    )


def audit_lines(analysis: RunAnalysis) -> Iterator[str]:
    """How far people agreed with the judge, per group; nothing if nobody scored an answer."""
    try:
        yield from judge_audit_lines(analysis.judge_audit)
    except UsageError as fault:
        yield f"The judge audit is not available: {fault}"


NO_TOKENIZER = "Context tokens are not counted: that needs the extra contexts (pip install 'evolif[contexts]')."
NOT_COUNTED = "Context tokens were not counted while the run was played, and cannot be counted now."
NO_SYSTEM = "The system text is not included, since runs do not store it; --bench BENCH adds it."


def context_line(heads: Sequence[str], models: Sequence[ModelAnalysis]) -> str:
    """The context tokens of all models, in a sentence or two."""
    name = tokenizer_name()
    if name is None:
        return NO_TOKENIZER
    try:
        sizes = [(head, model.context_size) for head, model in zip(heads, models, strict=True)]
    except UsageError as fault:
        return f"Context tokens could not be counted: {fault}"
    counted = [(head, size) for head, size in sizes if size is not None]
    if not counted:
        return NOT_COUNTED
    listed = ", ".join(f"{head} {size.mean:,.0f}" for head, size in counted)
    lacking = any(not size.has_system for _, size in counted)
    more = f" {NO_SYSTEM}" if lacking else ""
    return f"Mean context tokens a turn, without the query, by the tokenizer {name}: {listed}.{more}"


def notice(settings: Iterable[RunSettings]) -> str:
    """What the scenarios of some runs say over every report, each once; usually empty."""
    scenarios = dict.fromkeys(one.scenario for one in settings)
    return " ".join(dict.fromkeys(filter(None, (get_scenario(name).presentation.notice for name in scenarios))))


def own_fault(scenario: Scenario, what: str, fault: Exception) -> str:
    """Why a scenario could not add to a report, in a sentence."""
    why = str(fault) if isinstance(fault, EvolifError) else f"{type(fault).__name__}: {fault}"
    return f"The scenario {scenario.name} cannot make {what}: {why}"

"""Tables of context strategies: the score beside tokens and own cost, and what each strategy gains and saves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from evolif.contexts import tokenizer_name
from evolif.errors import UsageError
from evolif.metrics import Interval
from evolif.report.analysis import ModelAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.context_size import ContextClass, ContextSize, TokenMean
from evolif.report.contexts import (
    CLASSES,
    EFFECTS,
    TABLE,
    ContextEffect,
    Percent,
    class_scores,
    context_effects,
    context_sizes,
    score_of,
    shows_contexts,
)
from evolif.report.tables import metric_cell, plain_names
from evolif.report.wording import NO_SYSTEM, NO_TOKENIZER, NOT_COUNTED
from evolif.scenario import Grid, TableCell, TableRow
from evolif.text import plural


def context_grids(runs: ComparableRuns) -> Iterator[Grid]:
    """The tables of strategies; none if there is only `full`, and the scenario is not about contexts."""
    if not shows_contexts(runs):
        return
    try:
        yield _contexts(runs)
        effects = context_effects(runs)
    except UsageError as fault:
        yield Grid(TABLE, _TITLE, "", (), (), f"Context tokens could not be counted: {fault}")
        return
    if effects:
        yield from _effect_grids(runs, effects)


_TITLE = "Context strategies: score, tokens a turn, and own cost"


def _contexts(runs: ComparableRuns) -> Grid:
    sizes = context_sizes(runs)
    known = [size for size in sizes if size is not None]
    if not known:
        return Grid(TABLE, _TITLE, "", (), (), NO_TOKENIZER if tokenizer_name() is None else NOT_COUNTED)
    has_own = any(size.own.tokens for size in known)
    columns = [
        {} if size is None else dict([*_score_rows(runs, model, size), *_token_rows(size, has_own=has_own)])
        for model, size in zip(runs.models, sizes, strict=True)
    ]
    # A run that was ended early may lack a class of rounds, so the longest column gives the order.
    names = dict.fromkeys(name for column in sorted(columns, key=len, reverse=True) for name in column)
    rows = tuple((name, tuple(column.get(name, TableCell()) for column in columns)) for name in names)
    note = (
        "Context: tokens that a call is shown besides its query, mean over turns (ACT), by the tokenizer "
        f"{known[0].tokenizer}. Own: prompts and answers of the strategy's own calls, in the same tokens."
    )
    if not all(size.has_system for size in known):
        note += f" {NO_SYSTEM}"
    scored = score_of(runs)
    spoken = plain_names([] if scored is None else scored[1:2])
    return Grid(TABLE, _TITLE, "a turn", runs.heads, rows, note, plain=spoken)


def _score_rows(runs: ComparableRuns, model: ModelAnalysis, size: ContextSize) -> Iterator[tuple[str, TableCell]]:
    """The score, overall and by class."""
    scored = score_of(runs)
    if scored is None:
        return
    metric, summary = scored[1], model.summary
    yield metric.head, metric_cell(metric, summary.metrics.value(metric.name), summary.intervals.get(metric.name))
    for rounds, one in class_scores(model, size, scored).items():
        yield f"{metric.head}, {plural(rounds, 'round')}", metric_cell(metric, one.value, one.interval)


def _token_rows(size: ContextSize, *, has_own: bool) -> Iterator[tuple[str, TableCell]]:
    """Tokens a turn, overall and by class, and the strategy's own cost."""
    everything, own, turns = size.all, size.own, size.turns
    yield "context tokens", _tokens_cell(everything.context)
    for rounds, found in size.by_rounds.items():
        yield f"context, {plural(rounds, 'round')}", _tokens_cell(found.context)
    yield "own prompt + answer", TableCell(f"{own.prompt_tokens / turns:,.0f} + {own.completion_tokens / turns:,.0f}")
    yield "context + own", _tokens_cell(everything.total)
    for rounds, found in size.by_rounds.items() if has_own else ():
        yield f"context + own, {plural(rounds, 'round')}", _tokens_cell(found.total)
    yield "own calls", TableCell(f"{own.calls / turns:.2f}")
    yield "texts embedded", TableCell(f"{own.embedded / turns:.2f}")
    yield "own seconds", TableCell(f"{own.seconds / turns:.3f}")
    yield "fallbacks in all", TableCell(f"{own.fallbacks:,}", f"in {plural(turns, 'turn', spec=',')}")


def _tokens_cell(found: TokenMean) -> TableCell:
    ends = "" if found.interval is None else f"[{found.interval[0]:,.0f}–{found.interval[1]:,.0f}]"
    return TableCell(f"{found.value:,.0f}", ends)


def _effect_grids(runs: ComparableRuns, effects: Sequence[ContextEffect]) -> Iterator[Grid]:
    """Gains and savings over all dialogues, and by the number of rounds."""
    scored = score_of(runs)
    label = scored[1].label if scored else "score"
    references = list(dict.fromkeys(one.reference for one in effects))
    whole = [one for one in effects if one.rounds is None]
    classes = [one for one in effects if one.rounds is not None]
    counts = sorted({one.dialogues for one in whole})
    note = (
        f"Gain: strategy ÷ {'reference' if len(references) > 1 else references[0]} − 1; a loss is negative. Drop: the "
        f"same of tokens a turn{', where classes of rounds count alike' if classes else ''}; a saving is negative. "
        f"Paired over {' to '.join(dict.fromkeys((f'{counts[0]:,}', f'{counts[-1]:,}')))} dialogues; in brackets 95 % "
        "bootstrap intervals over them."
    )
    # The model is named where there are several.
    several = len({model.name for model in runs.models}) > 1
    bases = dict.fromkeys(one.rpartition(", ")[2] for one in references) if several else references
    title = f"What the strategies do to {label} and context tokens, in % of {' and '.join(bases)}"
    has_own = any(one.total_drop != one.drop for one in effects)
    heads = (f"{label} gain", "context drop", *(("drop with own",) if has_own else ()))

    def rows(own: Sequence[ContextEffect]) -> tuple[TableRow, ...]:
        return tuple(
            (
                _effect_name(one, several=several),
                tuple(map(_percent_cell, (one.gain, one.drop, one.total_drop)))[: len(heads)],
            )
            for one in own
        )

    yield Grid(EFFECTS, title, "strategy", heads, rows(whole), note)
    if classes:
        yield Grid(CLASSES, "The same by the number of rounds", "strategy", heads, rows(classes))


def _effect_name(one: ContextEffect, *, several: bool) -> str:
    name = one.name if several else one.name.rpartition(", ")[2]
    return name if one.rounds is None else f"{name}, {plural(one.rounds, 'round')}"


def _percent_cell(found: Percent) -> TableCell:
    if found.value is None:
        return TableCell()
    ends = "" if found.interval is None else f"[{_signed(found.interval[0])}, {_signed(found.interval[1])}]"
    return TableCell(_signed(found.value), ends)


def _signed(value: float) -> str:
    text = f"{value:+.1f}"
    return text[1:] if not text.strip("+-0.") else text


def size_object(size: ContextSize | None) -> dict[str, Any] | None:
    """Context tokens and own cost of a model for machines."""
    if size is None:
        return None
    everything = size.all
    return {
        "mean": everything.context.value,
        **_ends(everything.context.interval),
        "turns": size.turns,
        "tokenizer": size.tokenizer,
        "has_system": size.has_system,
        "total": _mean_object(everything.total),
        "own": asdict(size.own),
        "by_rounds": {str(rounds): _class_object(found) for rounds, found in size.by_rounds.items()},
    }


def _class_object(found: ContextClass) -> dict[str, Any]:
    return {"turns": found.turns, **_mean_object(found.context), "total": _mean_object(found.total)}


def _mean_object(found: TokenMean) -> dict[str, Any]:
    return {"mean": found.value, **_ends(found.interval)}


def _ends(interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {"low": low, "high": high}


def effects_object(runs: ComparableRuns) -> list[dict[str, Any]]:
    """What the strategies gain and save, in per cent, for machines; empty with one strategy.

    Raises:
        UsageError: the tokens could not be counted.
    """
    return [
        {
            "model": one.name,
            "reference": one.reference,
            "rounds": one.rounds,
            "dialogues": one.dialogues,
            **{
                name: {"value": found.value, **_ends(found.interval)}
                for name, found in (("gain", one.gain), ("drop", one.drop), ("total_drop", one.total_drop))
            },
        }
        for one in context_effects(runs)
    ]

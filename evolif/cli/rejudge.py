"""`evolif rejudge`: the answers of a run under another judge, or by another edition of the reading rules."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli.console import say, show
from evolif.cli.dry_run import expected_lines, say_unpriced
from evolif.cli.ending import budget_lines, end, suspended_lines
from evolif.cli.evaluate import SUSPENDED, open_budget, open_cache, refuse_tiny_budget
from evolif.cli.options import Display, JsonFlag, Only, Resamples, Seed
from evolif.config import EvalConfig
from evolif.errors import UsageError
from evolif.text import plural
from evolif.types import DEFAULT_RESAMPLES

if TYPE_CHECKING:
    from evolif.budget import PriceTable
    from evolif.judging import JudgeComparison
    from evolif.runner import Run
    from evolif.runner.verify import Verification

_TAKEN = Only(
    (
        "max_retries",
        "timeout",
        "wait",
        "budget_usd",
        "budget_tokens",
        "prices",
        "dry_run",
        "cache",
        "cache_dir",
        "explain_cache",
    )
)


def rejudge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder; it is only read.")],
    *,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JUDGE", help="The new judge: PROVIDER/NAME, lexical or none; repeat the flag for a panel."
        ),
    ] = None,
    rules: Annotated[
        int | None,
        typer.Option(
            envvar="EVOLIF_REJUDGE_RULES",
            metavar="1|2",
            help="Instead of a judge: list the verdicts that another edition of the reading rules changes.",
        ),
    ] = None,
    as_json: JsonFlag = False,
    judge_rule: Annotated[
        str, typer.Option(metavar="mean|majority|median", help="How a panel reaches a verdict.")
    ] = "mean",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            envvar="EVOLIF_REJUDGE_OUT",
            metavar="RUN2",
            help="The new run's folder; RUN-rejudged by default. Without it, --rules writes nothing.",
        ),
    ] = None,
    config: Annotated[EvalConfig, _TAKEN],
    seed: Seed = 0,
    resamples: Resamples = DEFAULT_RESAMPLES,
    display: Display = "auto",
) -> None:
    """Judge a run's answers again with another judge, into a new run; the models under test are not called.

    A session ends earlier if the new judge is stricter, and is still going at its last answer where it would go on.
    The same command continues an interrupted rejudging. With --rules no judge is called: it lists dialogue, turn and
    group of each verdict that the other rules change, what it was and becomes, and what is found. Exit code 3: verdicts
    are missing because of an outside fault, or because the old run itself was interrupted.
    """
    from evolif.budget import judge_models, load_prices, quotes_of
    from evolif.budget.forecast import forecast_rejudging
    from evolif.cli.progress import choose, watching
    from evolif.runner import load_run
    from evolif.runner.rejudge import rejudge as judge_again
    from evolif.runner.rejudge import rejudged

    if rules is not None or not judge:
        _reread(run, judge, rules, out, as_json=as_json)
        return
    if as_json:
        raise UsageError("--json needs --rules; evolif report --json RUN2 tells the figures of a rejudged run")
    shown, prices = choose(display), load_prices(config.prices)
    with closing(load_run(run)) as old:
        settings = rejudged(old.store, judge, judge_rule)
        quotes = quotes_of(settings, prices)
        if config.dry_run:
            show(["At most, from the first answer:"])
            told = forecast_rejudging(old, settings, quotes)
            show(expected_lines(told))
            say_unpriced(told, quotes)
            return
        folder = out or run.with_name(f"{run.resolve().name}-rejudged")
        budget = open_budget(config, quotes, (("judge", name) for name in judge_models(settings)), folder)
        sessions = len(old.settings.dialogues) * old.settings.epochs
        with watching(shown, list(old.models), sessions) as watcher:
            new = judge_again(
                run,
                judge,
                folder,
                judge_rule=judge_rule,
                max_retries=config.max_retries,
                timeout=config.timeout,
                wait=config.wait,
                cache=open_cache(config),
                gate=budget,
                observe=watcher,
                notify=say,
                on_stop=watcher.stopping,
            )
        with closing(new):
            refuse_tiny_budget(new, budget, mend="")
            _report(old, new, seed, resamples, prices)


def _reread(run: Path, judge: list[str] | None, rules: int | None, out: Path | None, *, as_json: bool) -> None:
    """List what another edition of the reading rules changes, and write it into a new run if one is named."""
    from evolif.runner import load_run
    from evolif.runner.rejudge import rejudge as judge_again
    from evolif.runner.rejudge import reread
    from evolif.runner.verify import verify

    if rules is None or judge:
        raise UsageError("evolif rejudge needs --judge JUDGE or --rules 1|2, and not both; see evolif rejudge --help")
    with closing(load_run(run, read_only=True)) as old:
        becomes = reread(old.store, rules).reading_rules
        old.store.refuse_edits()
        found = verify(old, becomes)
        was = old.settings.reading_rules
    if as_json:
        typer.echo(json.dumps(_changes(found, was, becomes), ensure_ascii=False))
    else:
        show(_change_lines(found, was, becomes))
    if out is not None:
        judge_again(run, None, out, rules=rules).close()
        show([f"Written: {out}. Read it with: evolif report {out}"] if not as_json else [])


def _changes(found: Verification, was: int, becomes: int) -> dict[str, Any]:
    return {
        "rules": {"was": was, "becomes": becomes},
        "turns": found.turns,
        "verdicts": found.checked,
        "left_out": found.left_out,
        "changed": len(found.differ),
        "groups": dict(sorted(Counter(one.name for one in found.differ).items())),
        "changes": [
            {
                "model": one.model,
                "dialogue": one.dialogue,
                "epoch": one.epoch,
                "turn": one.turn,
                "group": one.name,
                "was": one.stored,
                "becomes": one.now,
                "found": one.found,
            }
            for one in found.differ
        ],
    }


def _change_lines(found: Verification, was: int, becomes: int) -> Iterator[str]:
    for one in found.differ:
        epoch = f", epoch {one.epoch}" if one.epoch != 1 else ""
        where = f"{one.model}, dialogue {one.dialogue}{epoch}, turn {one.turn}, {one.name}"
        yield f"{where}: was {one.stored}, becomes {one.now}" + (f" (found: {one.found})" if one.found else "")
    groups = Counter(one.name for one in found.differ)
    told = f" ({', '.join(f'{name} {number}' for name, number in sorted(groups.items()))})" if groups else ""
    number = len(found.differ)
    yield (
        f"By reading rules {becomes} instead of {was}, {number} of {plural(found.checked, 'verdict')} in "
        f"{plural(found.turns, 'turn')} {'changes' if number == 1 else 'change'}{told}."
    )
    if found.left_out:
        yield f"{plural(found.left_out, 'verdict')} of the judge {'stays' if found.left_out == 1 else 'stay'}."


def _report(old: Run, new: Run, seed: int, resamples: int, prices: PriceTable) -> None:
    from evolif.runner.rejudge import agreement
    from evolif.scenario import get_scenario

    word = get_scenario(old.settings.scenario).presentation.requirement
    both = shlex.join(map(str, (old.path, new.path)))
    end(
        new,
        prices,
        seed=seed,
        resamples=resamples,
        outcome=compared(agreement(old, new), old.settings.judge, word),
        faults=[*budget_lines(new), *suspended_lines(new, "run the same command to judge the rest")],
        more=[f"evolif compare {both} --ablation judge    # what the judge changes"] * (len(new.models) == 1),
        nothing="No session could be judged to its end, so there are no figures yet.",
    )
    if new.suspended():
        raise typer.Exit(SUSPENDED)


def compared(counts: JudgeComparison, judge: str, requirement: str) -> Iterator[str]:
    """How the new judge compares with the old one, one sentence per fact; `requirement` is what each is about."""
    shared, differ = counts.shared.total(), counts.differ.total()
    if shared:
        groups = (f"{group} {counts.differ[group]} of {counts.shared[group]}" for group in sorted(counts.shared))
        yield (
            f"Against the old judge ({judge}): {differ} of {plural(shared, 'verdict')} on the same answers differ "
            f"({100 * differ / shared:.0f} %; {', '.join(groups)})."
        )
    if counts.one_sided:
        have = plural(counts.one_sided, f"{requirement} has", f"{requirement}s have")
        yield f"{have} a verdict from only one of the two judges."
    if counts.scores:
        yield (
            f"{counts.near} of {plural(counts.scores, 'score')} {'is' if counts.near == 1 else 'are'} between "
            "6 and 7, where one point decides."
        )
    if counts.kept:
        yield f"{counts.kept} of {plural(counts.scores, 'score')} came from the cache and cost nothing."

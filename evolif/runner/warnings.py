"""What a user is told before the first call of a run: what it leaves unjudged or unsaid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evolif.errors import UsageError
from evolif.runner.settings import RunSettings, has_panel
from evolif.scenario import Benchmark, Defaults, Unjudged, get_scenario, options_of


def notes_before(benchmark: Benchmark, settings: RunSettings) -> Iterator[str]:
    """What the figures of a run will lack, a note each.

    Raises:
        UsageError: a plug-in failed.
    """
    defaults = _defaults(benchmark, settings)
    if defaults.unscored:
        yield f"Of this benchmark, {defaults.unscored}."
    yield from defaults.notes
    if note := gap_note(benchmark, settings):
        yield note
    if settings.untold:
        scenario = get_scenario(settings.scenario)
        word = scenario.presentation.requirement
        yield (
            f"This benchmark says in the system prompt alone what exactly its {word}s count, and this "
            f"run leaves it out, so models will have to guess. {scenario.untold(benchmark)}".rstrip()
        )


def refuse_unscored(benchmark: Benchmark, settings: RunSettings) -> None:
    """Check that a run scores every answer that it pays for.

    Raises:
        UsageError: it does not; says how many, and what to do.
    """
    clause = _defaults(benchmark, settings).unscored
    if clause:
        raise UsageError(f"{benchmark.path}: {clause}, or play them all the same with --unscored")


def _defaults(benchmark: Benchmark, settings: RunSettings) -> Defaults:
    scenario = get_scenario(settings.scenario)
    return scenario.defaults(benchmark, options_of(scenario.play, settings.options, scenario.name))


@dataclass(frozen=True, slots=True)
class JudgingGap:
    """What a run's judge leaves out, and how far its sessions can get.

    Attributes:
        left_out: What of the benchmark needs a judge that the run does not have.
        turns: Turns of the model under test, on average, in a session that only the cap ends.
        judged: The judged ones among them, which is what EDR len counts.
    """

    left_out: Unjudged
    turns: float
    judged: float


def judging_gap(benchmark: Benchmark, settings: RunSettings) -> JudgingGap | None:
    """What a run leaves unjudged; None if it has a panel of judges, or if rules check everything.

    Raises:
        UsageError: a plug-in failed.
    """
    if has_panel(settings.judge):
        return None
    left_out = get_scenario(settings.scenario).unjudged(benchmark)
    if left_out is None:
        return None
    kept = 1 - left_out.turns
    turns = float(settings.max_turns)
    if settings.cap_counts == "judged":
        turns = min(settings.most_turns, turns / kept) if kept else settings.most_turns
    return JudgingGap(left_out, turns, turns * kept)


def gap_note(benchmark: Benchmark, settings: RunSettings) -> str:
    """The sentences for a run that leaves something unjudged; empty if it leaves nothing.

    Raises:
        UsageError: a plug-in failed.
    """
    gap = judging_gap(benchmark, settings)
    if gap is None:
        return ""
    left_out, word, cap = gap.left_out, get_scenario(settings.scenario).presentation.requirement, settings.max_turns
    why = "No judge is named" if settings.judge == "none" else f"The judge {settings.judge} affects no figure"
    told = (
        f"{why}, so {_listed(left_out.groups)} will not be judged: about {_share(left_out.requirements)} of the {word}s"
    )
    mend = "To judge everything, name a model with --judge."
    if not left_out.turns:
        return f"{told}. {mend}"
    if settings.patience is None:
        return f"{told}, and all there is in about {_share(left_out.turns)} of the turns, which get no score. {mend}"
    told += f", and all there is in about {_share(left_out.turns)} of the turns. "
    if settings.cap_counts == "turns":
        told += f"This run was started when such turns used up the cap of {cap}; "
    else:
        told += f"Such turns do not use up the cap of {cap}, and a session has at most {settings.most_turns} turns; "
    return f"{told}EDR len can reach {_length(gap.judged)} judged turns. {mend}"


def _listed(groups: tuple[str, ...]) -> str:
    *others, last = groups
    return f"{', '.join(others)} and {last}" if others else last


def _share(share: float) -> str:
    return f"{100 * share:.0f} %"


def _length(turns: float) -> str:
    return f"{turns:.1f}".removesuffix(".0")

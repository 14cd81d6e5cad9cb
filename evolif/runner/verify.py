"""Judge the answers of a run again by rules, and name what was stored differently; no model is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evolif.errors import UsageError
from evolif.judging import Judgement
from evolif.runner.records import TurnRecord
from evolif.runner.run import Run
from evolif.runner.shutdown import run_to_end
from evolif.scenario import Environment, Services, get_scenario, options_of
from evolif.text import EDITIONS, known_editions
from evolif.types import Exchange, Session

_NAMED = 3
"""Maximum number of differences listed in a sentence."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A stored verdict or score that rules do not find."""

    model: str
    dialogue: int
    epoch: int
    turn: int
    name: str
    """The verdict's group, or the score's name."""
    stored: str
    now: str
    found: str = ""
    """What was found now."""

    def __str__(self) -> str:
        epoch = f", epoch {self.epoch}" if self.epoch != 1 else ""
        where = f"{self.model}, dialogue {self.dialogue}{epoch}, turn {self.turn}"
        return f"{where}, {self.name}: stored as {self.stored}, by the rules {self.now}"


@dataclass(slots=True)
class Verification:
    """What judging a run again by rules found."""

    turns: int = 0
    """Judged turns that were judged again."""
    checked: int = 0
    """Verdicts and scores that were compared."""
    left_out: int = 0
    """Verdicts and scores that only a judge can reach."""
    differ: list[Mismatch] = field(default_factory=list)

    @property
    def named(self) -> str:
        """What differs, as a clause: the first differences, and how many more there are."""
        more = f"; and {len(self.differ) - _NAMED} more" if len(self.differ) > _NAMED else ""
        return "; ".join(map(str, self.differ[:_NAMED])) + more


def verify(run: Run, rules: int | None = None) -> Verification:
    """Judge all stored answers again by the rules of the run's scenario.

    Args:
        run: The run; only read.
        rules: The edition of the reading rules; the run's own if None.

    Raises:
        UsageError: this version does not have the edition, or the scenario is not installed.
    """
    settings = run.settings
    if rules is None and settings.reading_rules not in EDITIONS:
        raise UsageError(
            f"the answers of {run.path} were read by reading rules {settings.reading_rules}, but this version has the "
            f"rules {known_editions()}, so verdicts may differ; verify it with the version of evolif that made it"
        )
    scenario = get_scenario(settings.scenario)
    options = options_of(scenario.play, settings.options, scenario.name)
    edition = rules or settings.reading_rules
    services = Services(relevance=settings.gate, reading_rules=edition, feedback=settings.feedback)
    environment = scenario.environment(None, options, services)
    found = Verification()

    async def main() -> None:
        for model in run.models:
            for session, records in run.transcripts(model):
                await _verify(environment, session, records, found)

    run_to_end(main())
    return found


async def _verify(
    environment: Environment, session: Session, records: Sequence[TurnRecord], found: Verification
) -> None:
    past: list[Exchange] = []
    for record in records:
        stored, prompt, answer = record.judgement, record.prompt, record.answer
        try:
            now = None if stored is None or record.withheld else await environment.score(prompt, answer, tuple(past))
            past.append(record.exchange(environment.heard(prompt, answer)))
        except Exception as fault:  # an edited payload, or a scenario that needs more than what is stored
            rows = [("verdicts", "judged", f"not judged ({type(fault).__name__})", "")]
            past.append(record.exchange(answer))
        else:
            if stored is None or now is None:
                continue
            rows = list(_compare(stored, now, found))
        found.turns += 1
        place = (session.model, session.dialogue, session.epoch, record.turn)
        found.differ += [Mismatch(*place, *row) for row in rows]


def _compare(stored: Judgement, now: Judgement, found: Verification) -> Iterator[tuple[str, str, str, str]]:
    """Name, stored value and present value of what differs, and what was found now."""
    pairs = {"verdicts": (_verdicts(stored), _verdicts(now)), "scores": (_scores(stored), _scores(now))}
    for kind, (before, after) in pairs.items():
        if kind == "scores" and 0 < len(before) - len(after) <= len(stored.records):
            # Without a judge, a scenario may not have the last ones at all.
            found.left_out += sum(value is not None for _, value in before[len(after) :])
            before = before[: len(after)]
        names = [[name for name, _ in values] for values in (before, after)]
        if names[0] != names[1]:
            yield kind, ", ".join(names[0]) or "none", ", ".join(names[1]) or "none", ""
            continue
        found_now = [one.found for one in (now.verdicts if kind == "verdicts" else now.scores)]
        for (name, old), (_, new), what in zip(before, after, found_now, strict=True):
            if new is None:
                found.left_out += old is not None
                continue
            found.checked += 1
            if old != new:
                yield name, _told(old), _told(new), what


def _verdicts(judgement: Judgement) -> list[tuple[str, float | None]]:
    return [(verdict.group, verdict.satisfied) for verdict in judgement.verdicts]


def _scores(judgement: Judgement) -> list[tuple[str, float | None]]:
    return [(score.name, score.value) for score in judgement.scores]


def _told(value: float | None) -> str:
    if value is None:
        return "not judged"
    return ("satisfied" if value else "failed") if isinstance(value, bool) else f"{value:g}"

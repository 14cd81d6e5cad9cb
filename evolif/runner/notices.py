"""What a user is told before the first call of a run."""

from __future__ import annotations

from collections.abc import Iterator

from evolif.runner.settings import RunSettings
from evolif.runner.unjudged import gap_note
from evolif.scenario import Benchmark, get_scenario


def notes_before(benchmark: Benchmark, settings: RunSettings) -> Iterator[str]:
    """What the figures of a run will lack, a note each.

    Raises:
        UsageError: a plug-in failed.
    """
    if note := gap_note(benchmark, settings):
        yield note
    if settings.untold:
        scenario = get_scenario(settings.scenario)
        yield (
            f"This benchmark says in the system prompt alone what exactly its {scenario.requirement}s count, and this "
            f"run leaves it out, so models will have to guess. {scenario.untold(benchmark)}".rstrip()
        )

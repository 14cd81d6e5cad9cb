"""What every prompt of a run is read for: floor, ceiling and kinds of dialogues; known, or kept for the next report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from evolif.metrics import Breakdown, Ceiling, Floor, Key
from evolif.metrics.breakdown import dialogue_keys
from evolif.metrics.replay import ceiling
from evolif.runner import Run
from evolif.runner.floor import replay_floor
from evolif.runner.floor_work import CEILING, NOTE, dump_ceiling, dump_floor, stored_ceiling, stored_floor
from evolif.scenario import Scenario
from evolif.types import Prompt


class Lazily(Iterable[Prompt]):
    """Prompts that are read when somebody goes through them."""

    def __init__(self, read: Callable[[], Iterable[Prompt]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Prompt]:
        return iter(self._read())


def replayed_ceiling(run: Run, scenario: Scenario, prompts: Iterable[Prompt], *, afresh: bool) -> Ceiling | None:
    """What a perfect responder would reach over the turns asked; None if the scenario has no answer keys.

    Args:
        run: The run.
        scenario: Its own.
        prompts: All that it asked, each turn once.
        afresh: Replay it even where it is known.

    Raises:
        UsageError: A checker needs a package that is not installed.
    """
    known = None if afresh else stored_ceiling(run.store)
    if known is not None:
        return known
    settings, asked = run.settings, list(prompts)
    found = ceiling(
        asked,
        settings.patience,
        lambda prompt: scenario.perfect_by(prompt, settings.reading_rules),
        lambda prompt: bool(scenario.rows.keys(prompt)),
    )
    if asked and not found.turns:
        return None
    if not afresh and run.store.follows_from_version:
        run.store.findings.note({CEILING: dump_ceiling(found, settings, run.store.digests())})
    return found


def replayed_floor(run: Run, prompts: Iterable[Prompt], *, afresh: bool) -> Floor | None:
    """What answers that follow nothing would reach over the turns asked; None if they cannot be replayed.

    Args:
        run: The run.
        prompts: All that it asked, each turn once.
        afresh: Replay it even where it is known.

    Raises:
        UsageError: They could not be judged.
    """
    known = None if afresh else stored_floor(run.store)
    if known is not None:
        return known
    found = replay_floor(run.settings, prompts)
    if found is not None and not afresh and run.store.follows_from_version:
        run.store.findings.note({NOTE: dump_floor(found, run.settings, run.store.digests())})
    return found


def kinds_of(run: Run, prompts: Iterable[Prompt], by: Breakdown) -> Mapping[int, Key]:
    """The kind of each dialogue of a run, see `evolif.metrics.breakdown.dialogue_keys`.

    Args:
        run: The run.
        prompts: All that it asked, each turn once.
        by: What classifies a dialogue.
    """
    name = f"kinds {by.kept}"
    if by.kept and (text := run.store.findings.noted(name)):
        with suppress(ValueError, TypeError):
            return {int(dialogue): key for dialogue, key in json.loads(text) if isinstance(key, str | int)}
    found = dialogue_keys(prompts, by)
    if by.kept and run.store.follows_from_version:
        run.store.findings.note({name: json.dumps(list(found.items()))})
    return found

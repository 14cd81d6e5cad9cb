"""How many judged turns a session could have had: the cap of its run, or less where its dialogue is shorter."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable

from evolif.runner.settings import RunSettings

_WHOLE = (
    "SELECT dialogue, min(id) FROM session WHERE (ending = 'finished' AND cause NOT IN ('', 'patience'))"
    " OR (ending = 'censored' AND cause = 'benchmark') GROUP BY dialogue"
)


def _is_whole(ending: str | None, cause: str) -> bool:
    """Whether a session came to the end of its dialogue, so that it knows the length itself."""
    return (ending == "finished" and cause not in ("", "patience")) or (ending == "censored" and cause == "benchmark")


def most_judged(settings: RunSettings, not_judged: int) -> int:
    """The most judged turns that the cap leaves a session; turns without a judgement may take the place of others.

    Args:
        settings: Of its run.
        not_judged: How many turns it had in which nothing was judged.
    """
    if settings.cap_counts == "judged":
        return settings.max_turns
    return settings.max_turns - not_judged


class PlayedLengths:
    """The lengths of a run's dialogues, as far as some session of the run played them to the end.

    Args:
        settings: Of the run.
        connection: To its file.
        judged: How many judged turns a session has, by its number.
        ends: Dialogue, ending and cause of each session that is asked about.
    """

    def __init__(
        self,
        settings: RunSettings,
        connection: sqlite3.Connection,
        judged: Callable[[int], int],
        ends: Iterable[tuple[int, str | None, str]],
    ) -> None:
        self._settings = settings
        # Sessions that came to the end know the length themselves, and without patience none matters.
        early = {dialogue for dialogue, ending, cause in ends if not _is_whole(ending, cause)}
        wanted = set() if settings.patience is None else early
        found = connection.execute(_WHOLE).fetchall() if wanted else []
        self._known = {dialogue: judged(number) for dialogue, number in found if dialogue in wanted}

    def cap(self, dialogue: int, not_judged: int) -> int:
        """The most judged turns that a session could have; turns without a judgement may take the place of others.

        Args:
            dialogue: Its number.
            not_judged: How many turns it had in which nothing was judged.
        """
        most = most_judged(self._settings, not_judged)
        return min(most, self._known.get(dialogue, most))

"""Transcripts as HTML, one at a time: each goes to a file of its own at once, and none is held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from evolif.protocol import Run
from evolif.report.page._environment import environment
from evolif.report.page._session_view import SessionHead, faults_of, intentions, session_head, turn_views

_SMALL = 20_000
"""Bytes of a transcript that is never passed over for its size."""


class Spool:
    """A folder of transcripts that are not pages yet.

    Args:
        folder: Exists; whoever made it removes it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.heads: list[SessionHead] = []
        self.sizes: list[int] = []
        """Bytes of each transcript, in the order of `heads`."""

    def add(self, number: int, run: Run) -> None:
        """Render every session of a run in which something was said or went wrong.

        Args:
            number: Of the run, from 0.
            run: Read session by session.
        """
        template = environment().get_template("transcript.html")
        known, faults = intentions(run), faults_of(run)
        for model in run.models:
            for session, records in run.transcripts(model):
                here = faults.get((model, session.dialogue), ())
                if not records and not here and session.ending is None:
                    continue  # kept from beginning by a budget or a stop rule: there is nothing to show
                head = session_head(len(self.heads) + 1, number, session, records, here)
                turns = turn_views(session, records, known)
                data = template.render(head=head, turns=turns, patience=session.patience).encode()
                self._file(head.number).write_bytes(data)
                self.heads.append(head)
                self.sizes.append(len(data))

    def read(self, number: int) -> str:
        """The transcript of a session, by its number (from 1)."""
        return self._file(number).read_text(encoding="utf-8")

    def fitting(self, order: Sequence[int], most: int, room: int) -> set[int]:
        """As many transcripts from the beginning of an order as there is room for.

        One that would take more than a tenth of the room is passed over; otherwise the first for which there is no room
        ends it: to go on with shorter ones would favour sessions that failed early.

        Args:
            order: Numbers of sessions.
            most: How many at most.
            room: Bytes.
        """
        outsized = room // 10
        taken: set[int] = set()
        for number in order:
            size = self.sizes[number - 1]
            if size > outsized and size > _SMALL:
                continue
            room -= size
            if room < 0 or len(taken) == most:
                break
            taken.add(number)
        return taken

    def _file(self, number: int) -> Path:
        return self._folder / f"{number}.part"

    def __iter__(self) -> Iterator[SessionHead]:
        return iter(self.heads)

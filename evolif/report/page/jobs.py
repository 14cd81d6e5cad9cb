"""What other processes do for a page of too many sessions, while its own computes figures.

`python -m evolif.report.page.jobs FOLDER` does the job that the folder names. As `transcript_cache`, it is a plain
program and not a fork. The page can do without: what nobody did, it does itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from evolif.errors import EvolifError
from evolif.report.page.selection import Selected, Selection, render_selection
from evolif.report.page.shards import ShardRoom
from evolif.report.page.transcript_cache import TranscriptCache, start_worker
from evolif.runner import Run, load_run

_JOB, _SELECTION = "job.json", "selection.json"
MOST_WORKERS = 8
"""Processes besides the page's own; more would wait for the disk."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is wanted of the transcripts of runs.

    Attributes:
        runs: In order; other processes read them from disk.
        models: Per run those that are wanted; all of them if None.
        seed: Of what is drawn.
        room: Bytes for the transcripts of chosen dialogues; None: all transcripts are wanted, in shards.
    """

    runs: Sequence[Run]
    models: Sequence[frozenset[str] | None]
    seed: int
    room: int | None

    def selection(self, folder: Path) -> Selection:
        """Choose dialogues and render them here."""
        assert self.room is not None
        return render_selection(self.runs, self.models, self.seed, self.room, folder)


@contextmanager
def working(job: Job, folder: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start other processes on a job, as many as there are processors; they end with the page.

    Args:
        job: Theirs.
        folder: An empty one, for what they make.

    Yields:
        The processes; none where none can be started.
    """
    told = {
        "runs": [str(run.path.resolve()) for run in job.runs],
        "models": [None if own is None else sorted(own) for own in job.models],
        "seed": job.seed,
        "room": job.room,
    }
    (folder / _JOB).write_text(json.dumps(told), encoding="utf-8")
    others = min(MOST_WORKERS, (os.cpu_count() or 1) - 1)
    number = others if job.room is None else min(others, 1)  # a selection is rendered by one
    workers: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(number):
            worker = start_worker(__name__, [str(folder)])
            workers += [worker] if worker is not None else []
        yield workers
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def selection_of(job: Job, folder: Path, workers: Sequence[subprocess.Popen[bytes]]) -> Selection:
    """The chosen dialogues with their transcripts, once they are rendered."""
    if not workers or workers[0].wait() != 0:
        return job.selection(folder)  # raises what the worker failed on, if anything
    told = json.loads((folder / _SELECTION).read_text(encoding="utf-8"))
    selected = tuple(Selected(**{**one, "numbers": tuple(one["numbers"])}) for one in told["selected"])
    return Selection(selected, TranscriptCache.load(folder), told["dialogues"], told["sessions"])


def shards_of(job: Job, folder: Path, workers: Sequence[subprocess.Popen[bytes]]) -> ShardRoom:
    """All transcripts in shards; this process renders what the others have not taken, and then waits for them."""
    room = ShardRoom(folder, job.runs, job.models)
    room.work()
    for worker in workers:
        worker.wait()
    return room


def main(folder: Path) -> None:
    """Do the job of a folder."""
    told = json.loads((folder / _JOB).read_text(encoding="utf-8"))
    models = [None if own is None else frozenset(own) for own in told["models"]]
    with ExitStack() as opened:
        runs = [opened.enter_context(closing(load_run(path, read_only=True))) for path in told["runs"]]
        job = Job(runs, models, told["seed"], told["room"])
        if job.room is None:
            ShardRoom(folder, runs, models).work()
            return
        made = job.selection(folder)
    made.transcripts.save()
    listed = {
        "selected": [asdict(one) for one in made.selected],
        "dialogues": made.dialogues,
        "sessions": made.sessions,
    }
    (folder / _SELECTION).write_text(json.dumps(listed), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except (EvolifError, OSError):
        sys.exit(1)

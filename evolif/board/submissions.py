"""Runs that others hand in to a board: checked, and taken whole or not at all.

A run that is handed in is hostile input. It is looked at in a copy of its one file (`evolif.board.run_file`), and that
copy, not what was handed in, is what the board gets.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from evolif.benchmark import open_benchmark
from evolif.board.build import build_board
from evolif.board.checks import Examined, Standards, examine
from evolif.board.files import DATA, PAGE, RUNS, runs_of, write_board
from evolif.board.run_file import LEFT_BESIDE, RefusedFileError, faults_of_folder, faults_of_use, opened_copy
from evolif.board.transcripts import FOLDER, TranscriptPages
from evolif.errors import InputError, OutsideError, UsageError
from evolif.runner import Run
from evolif.runner.settings import differences
from evolif.runner.store_file import FILE_NAME
from evolif.util.files import workshop
from evolif.util.opened import open_file, read_file

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_NOT_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_WHAT_NAMES_ARE = "1 to 80 letters, digits, dots, dashes and underscores, the first of them a letter or a digit"
_KEPT_EMPTY = frozenset({".gitkeep", ".gitignore"})
"""What repositories keep an empty folder with."""
_MOST_DATA = 64 << 20
"""Bytes of a board's JSON, of which the title is kept."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What came of a run that was handed in."""

    examined: Examined
    folder: Path
    """Where it is on the board, or would have been."""
    was_there: bool = False
    """Whether the board had every turn of it before."""

    @property
    def page(self) -> Path:
        """Of the board."""
        return self.folder.parent.parent / PAGE

    @property
    def is_taken(self) -> bool:
        """Whether it is on the board now."""
        return not self.examined.findings


@dataclass(frozen=True, slots=True)
class Rules:
    """How runs are checked.

    Attributes:
        benchmarks: Folders of the benchmarks that the board is about; empty for those of the runs on it.
        verify: Whether answers are judged again by rules.
        new_column: Whether a run may have settings that no run on the board has.
    """

    benchmarks: Sequence[Path] = field(default=())
    verify: bool = True
    new_column: bool = False

    def standards(self, accepted: Sequence[Run]) -> Standards:
        """What a run is held to beside these ones.

        Raises:
            UsageError: a folder is no benchmark.
        """
        opened = [open_benchmark(path) for path in self.benchmarks]
        return Standards(accepted, opened, self.verify, self.new_column)


def add_run(run: Path, board: Path, *, name: str = "", rules: Rules | None = None) -> Submission:
    """Check a run, and if nothing is found put a copy of it on a board, whose page and data are then built again.

    A run on the board that has the same name is replaced if the new one has all its turns: it was continued.

    Args:
        run: Its folder; only read.
        board: The board's folder; made with the first run that is taken.
        name: What the run is called there; made of its model and its benchmark if empty.
        rules: How it is checked.

    Raises:
        UsageError: it is no run, or the name cannot be one of a folder.
        OutsideError: the disk.

    Example:
        ```python
        from pathlib import Path

        from evolif.board.submissions import add_run

        made = add_run(Path("run"), Path("board"))
        for finding in made.examined.findings:
            print(finding.check, finding.sentence)
        ```
    """
    if name and not _NAME.fullmatch(name):
        raise UsageError(f"--name “{name}” is no name for a run on a board; use {_WHAT_NAMES_ARE}")
    if (board / RUNS).is_symlink():
        raise UsageError(f"{board / RUNS} is a link; put the folder in its place")
    if used := faults_of_use(run):
        return _refused(run, board / RUNS / (name or run.resolve().name), used)
    with ExitStack() as stack:
        try:
            opened, copy = stack.enter_context(opened_copy(run))
        except RefusedFileError as fault:
            return _refused(run, board / RUNS / (name or run.resolve().name), [str(fault)])
        target = board / RUNS / (name or default_name(opened))
        accepted = [stack.enter_context(opened_copy(path))[0] for path in _on_board(board) if path.name != target.name]
        found = examine(opened, target.name, (rules or Rules()).standards(accepted))
        was_there = _continues(opened, target, found)
        _name_folder(found, copy.parent, run)
        if not found.findings:
            opened.close()
            _place(copy, target, board, is_known=was_there)
        return Submission(found, target, was_there)


def check_board(
    board: Path, *, names: Sequence[str] = (), base: Path | None = None, rules: Rules | None = None
) -> list[Examined]:
    """Check runs that lie on a board, as a pull request adds them; nothing is written.

    With `base` a run is compared with those of the board before, with `names` with all other runs of the board. Else
    its settings and its benchmark are free, as a board may have many columns.

    Args:
        board: The board's folder.
        names: The runs to check; all if empty.
        base: The board's folder as it was before: then only what was added or changed is checked, and a changed run
            has to have all turns that it had.
        rules: How they are checked.

    Returns:
        What was found, by name.

    Raises:
        UsageError: there is no such run, or a folder is no benchmark.
        OutsideError: the disk.
    """
    runs = board / RUNS
    if runs.is_symlink() or not runs.is_dir():
        raise UsageError(f"{board} is no board: it has no folder {RUNS}; add a run with evolif board add")
    there = sorted(entry.name for entry in runs.iterdir() if entry.name not in _KEPT_EMPTY)
    before = {} if base is None else {path.name: path for path in _on_board(base)}
    unknown = [name for name in names if name not in there]
    if unknown:
        raise UsageError(f"{runs} has no run “{unknown[0]}”; it has {', '.join(there) or 'none'}")
    wanted = list(names) or [name for name in there if name not in before or not _same_file(runs / name, before[name])]
    found = [
        _examine_in_place(runs / name, _peers(runs, name, there, names, before), before.get(name), rules or Rules())
        for name in wanted
    ]
    return [*found, *(_removed(name) for name in sorted(before.keys() - set(there)))]


def default_name(run: Run) -> str:
    """What a run is called on a board: its model, how many more there are, and the beginning of its benchmark."""
    models = run.models
    more = f"-and-{len(models) - 1}-more" if len(models) > 1 else ""
    model = _NOT_NAME.sub("-", models[0]).strip("-._") or "run"
    return f"{model[:40]}{more}-{_NOT_NAME.sub('-', run.settings.benchmark)[:8]}"


def _refused(run: Path, target: Path, sentences: Sequence[str]) -> Submission:
    found = Examined(target.name)
    found.refuse("file", sentences)
    return Submission(found, target)


def _on_board(board: Path) -> list[Path]:
    """The runs of a board; none where there is no board yet."""
    try:
        return runs_of(board)
    except UsageError:
        return []


def _name_folder(found: Examined, copy: Path, run: Path) -> None:
    """Have findings name the run that was handed in, not its copy."""
    sentences = [(one.check, one.sentence.replace(str(copy), str(run))) for one in found.findings]
    found.findings.clear()
    for check, sentence in sentences:
        found.refuse(check, [sentence])


# What a run on the board has to have in common with the one that takes its place.


def _continues(run: Run, target: Path, found: Examined) -> bool:
    """Whether the board has every turn of the run; a finding if its name belongs to a run that it does not continue."""
    if not os.path.lexists(target):
        return False
    mend = "choose another name with --name"
    if faults := faults_of_folder(target):
        found.refuse("names", [f"{target} is there, but {fault}" for fault in faults])
        return False
    with opened_copy(target) as (old, _):
        other = differences(old.settings, run.settings)
        before, now = _turns(old), _turns(run)
        same = before == now and old.store.endings() == run.store.endings()
    if other:
        found.refuse("names", [f"{target.name} is on the board with other settings: {'; '.join(other)}; {mend}"])
    elif missing := before.keys() - now.keys():
        found.refuse("names", [f"{target.name} is on the board with {len(missing)} turns that this run lacks; {mend}"])
    elif changed := [key for key in before if before[key] != now[key]]:
        model, dialogue, _, turn = changed[0]
        what = f"{len(changed)} other turns (the first: {model}, dialogue {dialogue}, turn {turn})"
        found.refuse("names", [f"{target.name} is on the board with {what}; {mend}"])
    return same and not other


def _turns(run: Run) -> dict[tuple[str, int, int, int], int]:
    """A hash of what was asked, answered and judged in each turn."""
    return {
        (model, session.dialogue, session.epoch, record.turn): hash(
            (record.prompt.digest, record.answer, tuple((one.group, one.satisfied) for one in record.verdicts))
        )
        for model in run.models
        for session, records in run.transcripts(model)
        for record in records
    }


# What lies on a board.


def _same_file(folder: Path, before: Path) -> bool:
    """Whether a run has the bytes that it had, and nothing beside them."""
    try:
        if faults_of_folder(folder):
            return False
        return _digest(folder / FILE_NAME) == _digest(before / FILE_NAME)
    except (InputError, OSError):
        return False


def _digest(file: Path) -> bytes:
    with open_file(file) as opened:
        found = hashlib.sha256()
        while piece := opened.read(1 << 20):
            found.update(piece)
    return found.digest()


def _peers(runs: Path, name: str, there: Sequence[str], names: Sequence[str], before: dict[str, Path]) -> list[Path]:
    """The runs that one is compared with."""
    if before:
        return [path for other, path in before.items() if other != name]
    if not names:
        return []
    return [runs / other for other in there if other not in names and not faults_of_folder(runs / other)]


def _examine_in_place(folder: Path, peers: Sequence[Path], before: Path | None, rules: Rules) -> Examined:
    found = Examined(folder.name)
    if not _NAME.fullmatch(folder.name):
        found.refuse("names", [f"“{folder.name}” is no name for a run; use {_WHAT_NAMES_ARE}"])
    found.refuse("file", faults_of_folder(folder))
    if found.findings:
        return found
    with ExitStack() as stack:
        accepted = [stack.enter_context(opened_copy(path))[0] for path in peers]
        standards = rules.standards(accepted)
        try:
            opened, copy = stack.enter_context(opened_copy(folder))
        except UsageError as fault:
            found.refuse("file", [str(fault)])
            return found
        found = examine(opened, folder.name, standards)
        if before is not None:
            _continues(opened, before, found)
        _name_folder(found, copy.parent, folder)
    return found


def _removed(name: str) -> Examined:
    found = Examined(name)
    found.refuse("file", ["it was on the board and is gone; put it back, or have who keeps the board remove it"])
    return found


# Taking a run.


def _place(copy: Path, target: Path, board: Path, *, is_known: bool) -> None:
    """Put a looked-through file on the board, and build page and data again; if that fails, the board is as before.

    Raises:
        OutsideError: the disk.
    """
    try:
        with workshop(board / "submission") as room:
            if is_known:
                _build(board)
                return
            made = room / target.name
            made.mkdir()
            shutil.copyfile(copy, made / FILE_NAME)
            _close_file(made / FILE_NAME)
            shutil.copystat(copy, made / FILE_NAME)
            target.parent.mkdir(exist_ok=True)
            with _or_as_before(target, room):
                if target.exists():
                    os.replace(made / FILE_NAME, target / FILE_NAME)
                else:
                    os.replace(made, target)
                _build(board)
    except OSError as fault:
        raise OutsideError(f"{target} cannot be written ({fault.strerror or fault})") from None


@contextmanager
def _or_as_before(target: Path, room: Path) -> Iterator[None]:
    """Put a run back as it was, or remove a new one, if what follows fails."""
    kept = room / "before"
    if target.exists():
        shutil.copyfile(target / FILE_NAME, kept)
        for left in LEFT_BESIDE:
            (target / left).unlink(missing_ok=True)
    try:
        yield
    except BaseException:
        if kept.exists():
            os.replace(kept, target / FILE_NAME)
        else:
            shutil.rmtree(target, ignore_errors=True)
        raise


def _close_file(file: Path) -> None:
    """Have the file need no other beside it, so that reading it leaves none in a repository."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA journal_mode=DELETE")


def _build(board: Path) -> None:
    """Build page and data, and transcripts if the board has any."""
    folder = board / FOLDER
    pages = TranscriptPages(board) if folder.is_dir() and not folder.is_symlink() else None
    write_board(build_board(runs_of(board), title=_title(board), pages=pages, afresh=True), board)
    if pages is not None:
        pages.remove_others()


def _title(board: Path) -> str:
    """The head of the page as it was; empty for a new board."""
    try:
        title = json.loads(read_file(board / DATA, _MOST_DATA)).get("title", "")
    except (OSError, InputError, ValueError, AttributeError, RecursionError):
        return ""
    return title if isinstance(title, str) else ""

"""Join runs of one benchmark and settings, such as parts of a run that several machines have played.

The joined run is made beside its place and then moved there, so that it is there as a whole or not at all. Its bytes
depend on what the parts hold, and neither on their names nor on the order in which they are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from evolif.errors import UsageError
from evolif.runner.records import STOP_RULE, EarlyEnd
from evolif.runner.run import SAMPLES_OF, Run, load_run
from evolif.runner.settings import RunSettings, differences_between, sessions_of
from evolif.runner.shard_file import NotBegunError, Shard, open_shard
from evolif.runner.shard_folder import SHARDS
from evolif.runner.shards import absorb_opened
from evolif.runner.store import RunStore
from evolif.runner.store_file import FILE_NAME
from evolif.scenario import get_scenario
from evolif.util.files import new_path, workshop
from evolif.util.opened import refuse_links

_SPARSE, _FEW = 1000, 1_000_000
"""Sessions that joined settings may name for each one in the files, and however few are in these. Machines that share a
run leave few out; a file that was made to fill a disk names more."""
_MERGED = "merged"
"""The note of a joined run: what it was made from, so that the same command finds it done."""


@dataclass(frozen=True, slots=True)
class Part:
    """A run that was merged, and how much it holds."""

    root: Path
    sessions: int
    """Those that have a turn."""
    turns: int


@dataclass(frozen=True, slots=True)
class Merged:
    """What runs were joined to.

    Attributes:
        path: The joined run's folder.
        parts: The runs, in the order in which they were joined.
        sessions: How many sessions of the joined run have a turn.
        turns: How many turns it has.
        is_new: False if it was there already, made from the same runs.
    """

    path: Path
    parts: Sequence[Part]
    sessions: int
    turns: int
    is_new: bool

    @property
    def in_several(self) -> int:
        """How many sessions of the parts are in one of the others, too."""
        return max(0, sum(part.sessions for part in self.parts) - self.sessions)


def merge(shards: Iterable[Path | str], out: Path | str) -> Run:
    """Join runs of one benchmark and settings into a new run.

    They may differ in models, dialogues and epochs, so that several machines can each play a part. All answers keep
    their seals, which are checked. A session that is in several of them counts as it is in the one that has most turns
    of it; what was paid is counted once.

    Args:
        shards: The runs' folders, in any order; they are only read.
        out: The new run's folder. Made from the same runs before, it stays as it is.

    Returns:
        The new run, opened for reading. `evaluate` continues it like any other.

    Raises:
        UsageError: runs of other settings, with different answers of a session, or being evaluated; a file that was
            edited or is no run; a folder that holds something else.
        OutsideError: the disk.

    Example:
        ```python
        run = evolif.merge(["from-a", "from-b"], "whole")
        ```
    """
    merge_runs([Path(shard) for shard in shards], Path(out))
    return load_run(out)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A run to be joined."""

    shard: Shard
    part: Part
    notes: Mapping[str, str]
    enrolled: int
    """Its sessions, also those that never began."""
    digest: str
    """Of its sessions and costs."""

    @property
    def root(self) -> Path:
        """Its folder."""
        return self.shard.root

    @property
    def settings(self) -> RunSettings:
        """Its settings."""
        return self.shard.settings

    @property
    def order(self) -> tuple[object, ...]:
        """Where it comes among the others; prompts come as the latest version stored them."""
        told = self.settings
        return -int(self.notes["schema"]), told.dialogues, told.models, told.epochs, self.digest


def merge_runs(shards: Sequence[Path], out: Path) -> Merged:
    """`merge`, telling what became of each run; its arguments and errors."""
    with ExitStack() as opened:
        parts = _parts(shards, out, opened)
        settings = _joined(parts)
        made_from = sha256("\n".join(sorted(part.digest for part in parts)).encode()).hexdigest()
        is_new = not _is_made(out, made_from)
        if is_new:
            with new_path(out, is_folder=True) as room:
                _make(parts, settings, room, made_from)
        else:
            with suppress(OSError, UsageError), workshop(out):
                pass  # which removes what a merge that was killed has left beside it
        with open_shard(out) as made:
            whole = _held(made)
        return Merged(out, [part.part for part in parts], whole.sessions, whole.turns, is_new)


def _held(shard: Shard) -> Part:
    [(sessions, turns)] = shard.rows("SELECT count(DISTINCT session), count(*) FROM turn")
    return Part(shard.root, sessions, turns)


def _is_made(out: Path, made_from: str) -> bool:
    """Whether the run is there already.

    Raises:
        UsageError: another run is.
    """
    if not RunStore.begun(out):
        return False
    with closing(RunStore.open(out, migrate=False)) as store:
        if store.noted(_MERGED) == made_from:
            return True
    raise UsageError(f"{out} holds a run already, which was not made from exactly these; choose another folder")


def _parts(shards: Sequence[Path], out: Path, opened: ExitStack) -> list[_Opened]:
    """The runs in the order in which they are joined.

    Args:
        shards: Their folders.
        out: The folder of the new run.
        opened: Gets their files and locks.

    Raises:
        UsageError: one of them cannot be joined with the others.
    """
    roots = list({root.resolve(): root for root in shards}.values())
    if not roots:
        raise UsageError("there is no run to merge; name the folders of the runs")
    if any(root.resolve() == out.resolve() for root in roots):
        raise UsageError(f"{out} is one of the runs that are merged; name a new folder")
    parts = []
    for root in roots:
        opened.enter_context(_unused(root))
        parts.append(_part(opened.enter_context(open_shard(root))))
        refuse_links(root, (), (SHARDS,))
        # What processes of a Ray cluster have played for a run that was killed before it took it over.
        for left in sorted((root / SHARDS).glob(f"*/{FILE_NAME}")):
            opened.enter_context(_unused(left.parent))
            with suppress(NotBegunError):
                parts.append(_part(opened.enter_context(open_shard(left.parent))))
    parts.sort(key=lambda part: part.order)
    for place, part in enumerate(parts):
        for before in parts[:place]:
            names = str(before.root), str(part.root)
            different = differences_between(before.settings, part.settings, names)
            if different:
                raise UsageError(f"{names[0]} and {names[1]} are no parts of one run: {'; '.join(different)}")
    return parts


@contextmanager
def _unused(root: Path) -> Iterator[None]:
    """Keep a run from being evaluated: calls under way would count as lost, and be made again.

    Raises:
        UsageError: it is being evaluated at the moment.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(root / ".lock", timeout=0)
    if (root / ".lock").is_file():
        try:
            lock.acquire()
        except Timeout:
            raise UsageError(f"{root} is being evaluated by another process; wait for it to finish") from None
        except OSError:  # on a medium where nobody can evaluate, either
            pass
    try:
        yield
    finally:
        lock.release()


def _part(shard: Shard) -> _Opened:
    """What has to be known of a run before it is joined.

    Raises:
        UsageError: it is none that can be joined.
    """
    if shard.noted(SAMPLES_OF):
        raise UsageError(f"{shard.root} holds more answers to single turns of a run and is none itself; leave it out")
    if next(shard.rows("SELECT 1 FROM session WHERE cause = ? LIMIT 1", (STOP_RULE,)), None) is not None:
        raise UsageError(
            f"{shard.root} was ended early{_rule(shard)}, so its figures hold for the dialogues that the rule chose; "
            "evaluate it to its end without the rule, or leave it out"
        )
    notes = {key: shard.noted(key) for key in ("outline", "origin", "played", "schema")}
    [(enrolled,)] = shard.rows("SELECT count(*) FROM session")
    return _Opened(shard, _held(shard), notes, enrolled, _digest(shard))


def _rule(shard: Shard) -> str:
    try:
        return f" by --stop-when {EarlyEnd.load(shard.noted('early end')).rule}"
    except (ValueError, LookupError, TypeError):
        return ""


def _digest(shard: Shard) -> str:
    """Tells two states of runs apart; the last seal of a session stands for its turns."""
    told = sha256(shard.settings.model_dump_json().encode())
    for query in _TELLING:
        for row in shard.rows(query):
            told.update(f"{row!r}\n".encode(errors="replace"))
    return told.hexdigest()


_TELLING = (
    "SELECT key, value FROM run WHERE key IN ('outline', 'origin', 'played') ORDER BY key",
    "SELECT model, dialogue, epoch, ending, cause, reason, seal,"
    " (SELECT max(turn) FROM turn WHERE session = session.id),"
    " (SELECT coalesce(seal, seconds) FROM turn WHERE session = session.id ORDER BY turn DESC LIMIT 1)"
    " FROM session ORDER BY model, dialogue, epoch",
    "SELECT role, model, count(*), total(calls), total(prompt_tokens), total(completion_tokens) FROM call"
    " GROUP BY role, model ORDER BY role, model",
    "SELECT kind, message, count(*) FROM fault GROUP BY kind, message ORDER BY kind, message",
)


def _joined(parts: Sequence[_Opened]) -> RunSettings:
    """The settings of all parts together; models stand in the order of their places."""
    joined = parts[0].settings
    for part in parts[1:]:
        joined = joined.grown(part.settings)
    places: dict[str, int] = {}
    for part in parts:
        for place, model in enumerate(part.settings.models):
            places[model] = min(place, places.get(model, place))
    models = sorted(places, key=lambda model: (places[model], model))
    named = len(models) * len(joined.dialogues) * joined.epochs
    if named > max(_FEW, _SPARSE * sum(part.enrolled for part in parts)):
        most = max(parts, key=lambda part: (part.settings.epochs, len(part.settings.models)))
        raise UsageError(f"{most.root} has settings of {named:,} sessions, which its file does not have; leave it out")
    own_code = next((part.settings.own_code for part in parts if part.settings.own_code), {})
    endpoints = tuple(map(joined.endpoint, models))
    return joined.model_copy(update={"models": tuple(models), "endpoints": endpoints, "own_code": own_code})


def _make(parts: Sequence[_Opened], settings: RunSettings, room: Path, made_from: str) -> None:
    """Make the joined run in an empty folder."""
    with closing(RunStore.create(room, settings)) as store:
        for model in settings.models:
            store.enrol(sessions_of(settings, model))
        for part in parts:
            absorb_opened(store, part.shard)
        store.keep_terms()
        store.note_outline(_outline(parts))
        # That of the longest benchmark: it may have been extended since it was copied.
        store.note_origin(max((max(part.settings.dialogues, default=0), part.notes["origin"]) for part in parts)[1])
        store.note_played(max(filter(None, (_moment(part.notes["played"]) for part in parts)), default=None))
        store.note(_MERGED, made_from)


def _outline(parts: Sequence[_Opened]) -> str:
    """What the scenario says of the dialogues of all parts.

    Raises:
        UsageError: the text of a part was edited, or the scenario is not installed.
    """
    outlines = list(dict.fromkeys(part.notes["outline"] for part in parts if part.notes["outline"]))
    if len(outlines) < 2:
        return "".join(outlines)
    try:
        return get_scenario(parts[0].settings.scenario).joined_outline(outlines)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        roots = " and ".join(str(part.root) for part in parts)
        raise UsageError(
            f"what {roots} say of their dialogues cannot be read; restore their files from copies"
        ) from None


def _moment(text: str) -> datetime | None:
    """When a run was played; None if it does not say, or was edited."""
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo is not None else None
    return None

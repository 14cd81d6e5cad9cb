"""What can be audited: a benchmark of our own, one of the authors' files, or a folder of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evolif._errors import InputError, UsageError
from evolif._json_lines import read_json_lines
from evolif.audit._foreign import read_foreign
from evolif.audit._queries import audited_query
from evolif.audit._turns import TurnToAudit
from evolif.benchmark import load_benchmark, read_turns
from evolif.domain import Turn


def read_source(path: Path, progress: Callable[[int, int], None] | None = None) -> Iterator[TurnToAudit]:
    """The turns of everything at `path`, file by file.

    Raises:
        UsageError: there is nothing to audit.
        InputError: a file or a line that cannot be read.
    """
    readers = _readers(path)
    for done, read in enumerate(readers, 1):
        yield from read()
        if progress is not None:
            progress(done, len(readers))


def _readers(path: Path) -> list[Callable[[], Iterator[TurnToAudit]]]:
    if not path.exists():
        raise UsageError(f"{path} does not exist; name a benchmark's folder or a .jsonl file")
    if path.is_dir() and (path / "benchmark.json").exists():
        benchmark = load_benchmark(path)
        files = [(number, path / "dialogues" / f"{number:04d}.jsonl") for number in benchmark.dialogues()]
        return [_bind(_own, file, f"dialogues/{file.name}", number) for number, file in files]
    files_in = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files_in:
        raise UsageError(f"{path} holds neither a benchmark.json nor a .jsonl file; name another folder")
    return [_bind(_one_file, file, file.name) for file in files_in]


def _bind(read: Callable[..., Iterator[TurnToAudit]], *arguments: Any) -> Callable[[], Iterator[TurnToAudit]]:
    return lambda: read(*arguments)


def _one_file(path: Path, name: str) -> Iterator[TurnToAudit]:
    first = next(iter(read_json_lines(path)), None)
    if first is None:
        raise InputError("holds no turn", path=path)
    own = isinstance(first[1], dict) and "constraints" in first[1] and "instructions" not in first[1]
    return _own(path, name, None) if own else read_foreign(path, name)


def _own(path: Path, name: str, dialogue: int | None) -> Iterator[TurnToAudit]:
    stored = (_descriptions(data) for _, data in read_json_lines(path))
    # The lines were read as objects with constraints by the time their descriptions are asked for.
    for turn, descriptions in zip(read_turns(path, dialogue), stored, strict=True):
        yield _to_audit(turn, name, descriptions)


def _to_audit(turn: Turn, name: str, descriptions: tuple[str, ...]) -> TurnToAudit:
    return TurnToAudit(
        file=name,
        dialogue=turn.dialogue,
        turn=turn.turn,
        topic=turn.topic.id,
        move=turn.move,
        operation=turn.operation.kind,
        constraints=turn.constraints,
        descriptions=descriptions,
        keywords=turn.topic.keywords,
        witness=turn.witness,
        query=audited_query(turn),
    )


def _descriptions(data: Any) -> tuple[str, ...]:
    found = (constraint.get("description") for constraint in data["constraints"])
    return tuple(text if isinstance(text, str) else "" for text in found)

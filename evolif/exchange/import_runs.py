"""Import of exported sessions as a run, which reports and metrics read like any other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evolif.errors import ArgumentError, InputError
from evolif.runner import EarlyEnd, RunSettings, RunStore, SessionKey
from evolif.runner.records import WITHHELD, AnsweredTurn, EndEntry, StoreEntry, TurnEntry, with_digest
from evolif.scenarios.instructions.turns import NAME as INSTRUCTIONS
from evolif.scenarios.recorded import read_dialogs, read_results, results_folders, sessions_of
from evolif.scenarios.recorded.folder import GENERATED
from evolif.scenarios.recorded.results import Results
from evolif.scenarios.recorded.sessions import PlayedSession, is_session
from evolif.text import FIRST_RULES
from evolif.types import Prompt
from evolif.util.files import new_path
from evolif.util.resources import complaint


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """The result of an import.

    Attributes:
        path: The run.
        models: Its models.
        sessions: How many there are.
        turns: Answered turns.
        withheld: How many of the answers the export had left out.
    """

    path: Path
    models: tuple[str, ...]
    sessions: int
    turns: int
    withheld: int


def exported_sessions(path: Path | str) -> list[Results]:
    """The results in a folder if their dialogues are sessions of evolif; none if they are others.

    Raises:
        InputError: A file is broken, or only some of the dialogues are sessions.
    """
    folders = [folder / GENERATED for folder in results_folders(path) if (folder / GENERATED).is_dir()]
    kinds = {is_session(dialog) for folder in folders for dialog in read_dialogs(folder)}
    if kinds == {True, False}:
        raise InputError("only some of its dialogues are sessions of evolif; keep one kind in a folder", path=path)
    return read_results(path) if True in kinds else []


def import_run(results: Sequence[Results], out: Path | str) -> ImportedRun:
    """Make a run of exported sessions.

    Args:
        results: As `exported_sessions` returns them.
        out: The folder to create.

    Raises:
        UsageError: `out` already exists.
        InputError: The sessions are not of one run, or a dialogue does not fit its records; names the file.
        OutsideError: The disk failed.
    """
    target = Path(out)
    sessions = [session for one in results for session in _sessions(one)]
    settings = _settings(results, sessions)
    with new_path(target, is_folder=True) as folder, closing(RunStore.create(folder, settings)) as store:
        unbegun = _unbegun(sessions)
        store.enrol([*map(_key, sessions), *unbegun])
        store.write(EndEntry(store.state(key).id, None, cause) for key, cause in unbegun.items())
        store.note_outline(_outline(sessions[0]))
        early = next((session.more.early_end for session in sessions if session.more.early_end is not None), None)
        if early is not None:
            store.note_early_end(EarlyEnd(**{**early.model_dump(), "dialogues": tuple(early.dialogues)}))
        prompts: dict[tuple[int, int], Prompt] = {}
        for session in sessions:
            store.write(_entries(session, store.state(_key(session)).id, prompts, results[0].path))
    turns = [turn for session in sessions for turn in session.turns]
    return ImportedRun(target, settings.models, len(sessions), len(turns), sum(turn.withheld for turn in turns))


def _sessions(results: Results) -> Iterator[PlayedSession]:
    """The sessions of a model, each read on its own, so that an error names its file."""
    by_dialog: dict[Any, list[Any]] = {}
    for record in results.records:
        by_dialog.setdefault(record["dialog_id"], []).append(record)
    for dialog in results.dialogs:
        try:
            yield from sessions_of([dialog], by_dialog.get(dialog.dialog_id, ()))
        except ArgumentError as fault:
            raise InputError(str(fault), path=results.path / GENERATED / f"{dialog.dialog_id}.json") from None


def _settings(results: Sequence[Results], sessions: Sequence[PlayedSession]) -> RunSettings:
    """The settings of the run that all sessions are from."""
    first, path = sessions[0], results[0].path
    for session in sessions:
        one, other = session.info, first.info
        if (one.benchmark, one.settings, one.patience, session.more.settings, session.system) != (
            other.benchmark,
            other.settings,
            other.patience,
            first.more.settings,
            first.system,
        ):
            raise InputError(
                f"dialogue {one.dialogue} of {one.model} is from another run than dialogue {other.dialogue} of "
                f"{other.model}; import each run on its own",
                path=path,
            )
    twice = [key for key, number in Counter(map(_key, sessions)).items() if number > 1]
    if twice:
        key = twice[0]
        raise InputError(
            f"dialogue {key.dialogue}, epoch {key.epoch} of {key.model} is there twice; keep one of them", path=path
        )
    keys = [*map(_key, sessions), *_unbegun(sessions)]
    known: dict[str, Any] = {
        "max_turns": max(1, *(len(session.turns) for session in sessions)),
        "reading_rules": FIRST_RULES,  # of files that do not say it
        "system_prompt": first.has_system,
        **first.more.settings,
        "benchmark": first.info.benchmark,
        "patience": first.info.patience,
        "models": tuple(dict.fromkeys(session.info.model for session in sessions)),
        "dialogues": tuple(sorted({key.dialogue for key in keys})),
        "epochs": max(key.epoch for key in keys),
    }
    try:
        settings = RunSettings.model_validate(known)
    except ValidationError as fault:
        raise InputError(f"the settings of its run cannot be used: {complaint(fault, 'settings')}", path=path) from None
    if settings.scenario != INSTRUCTIONS:
        raise InputError(
            f"a run of the scenario {settings.scenario}; only instruction following is imported", path=path
        )
    return settings


def _key(session: PlayedSession) -> SessionKey:
    return SessionKey(session.info.model, session.info.dialogue, session.info.epoch)


def _unbegun(sessions: Sequence[PlayedSession]) -> dict[SessionKey, str]:
    """The sessions that never began, and why; one that is there began."""
    begun = set(map(_key, sessions))
    found = {
        SessionKey(session.info.model, one.dialogue, one.epoch): one.cause
        for session in sessions
        for one in session.more.unbegun
    }
    return {key: cause for key, cause in found.items() if key not in begun}


def _outline(first: PlayedSession) -> str:
    """The system prompt, and the hash of the settings with the addresses that an export leaves out."""
    outline = {"system": first.system, "imported": first.info.settings}
    return json.dumps({name: value for name, value in outline.items() if value is not None}, ensure_ascii=False)


def _entries(
    session: PlayedSession, number: int, prompts: dict[tuple[int, int], Prompt], path: Path
) -> Iterator[StoreEntry]:
    """What the store gets of a session; of each turn all sessions have to ask the same."""
    for turn in session.turns:
        prompt = with_digest(turn.prompt)
        key = (prompt.dialogue, prompt.turn)
        if prompt.fixed and prompts.setdefault(key, prompt) != prompt:
            raise InputError(
                f"turn {prompt.turn} of dialogue {prompt.dialogue} is not the same in all sessions; export the run "
                "again",
                path=path,
            )
        answer = AnsweredTurn(turn.answer, "", turn.truncated, turn.served_by, turn.seconds)
        asked = prompts[key] if prompt.fixed else prompt
        yield TurnEntry(number, asked, answer, turn.judgement, notes={WITHHELD: True} if turn.withheld else {})
    info = session.info
    if info.ending is not None:
        yield EndEntry(number, info.ending, session.more.cause, info.reason)

"""Runs of recorded dialogues: the dialogues that a run stores, with a model's answers in them, and its records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from evolif.errors import UsageError
from evolif.runner import Run, TurnRecord
from evolif.scenario import StoredRun
from evolif.scenarios.recorded.prompts import outline_of
from evolif.scenarios.recorded.schema import Dialog, Turn
from evolif.scenarios.recorded.scoring import session_records
from evolif.types import Session

RECORDED = "recorded"
"""The scenario."""
_OF_SESSION = ("evolif", "evolif_session")
"""Notes of a dialogue that was a session of evolif: with other answers it is that session no longer."""


def stored_dialogs(dialogs: Iterable[tuple[int, Dialog]]) -> str:
    """Dialogues as a run stores them (`Run.outline`): each different turn once, since many may share a history.

    Args:
        dialogs: With their numbers in the benchmark.
    """
    places: dict[str, int] = {}
    told = {}
    for number, dialog in dialogs:
        written = dialog.written()
        texts = (json.dumps(turn) for turn in written["dialog_turns"])
        told[number] = {**written, "dialog_turns": [places.setdefault(text, len(places)) for text in texts]}
    return json.dumps({"turns": [json.loads(text) for text in places], "dialogs": told})


def joined_dialogs(texts: Iterable[str]) -> str:
    """What `stored_dialogs` would have written of all the dialogues together, by their numbers."""
    places: dict[str, int] = {}
    told: dict[int, dict[str, Any]] = {}
    for data in map(json.loads, texts):
        turns = [json.dumps(turn) for turn in data["turns"]]
        for number, dialog in data["dialogs"].items():
            own = [turns[place] for place in dialog["dialog_turns"]]
            told[int(number)] = {**dialog, "dialog_turns": own}
    for number in sorted(told):
        texts_of = told[number]["dialog_turns"]
        told[number]["dialog_turns"] = [places.setdefault(text, len(places)) for text in texts_of]
    return json.dumps({"turns": [json.loads(text) for text in places], "dialogs": {n: told[n] for n in sorted(told)}})


class StoredDialogs:
    """The dialogues of a run by their number in the benchmark.

    Args:
        run: Of recorded dialogues.
    """

    def __init__(self, run: StoredRun) -> None:
        data = json.loads(run.outline() or "{}")
        self._turns: list[dict[str, Any]] = data.get("turns", [])
        self._dialogs: dict[int, dict[str, Any]] = {int(n): dialog for n, dialog in data.get("dialogs", {}).items()}

    def __contains__(self, number: object) -> bool:
        return number in self._dialogs

    @cached_property
    def _evaluated(self) -> frozenset[int]:
        """The places of turns that are evaluated."""
        return frozenset(place for place, turn in enumerate(self._turns) if _is_evaluated(turn))

    def outline(self, number: int) -> dict[str, Any]:
        """What has to be known of a dialogue to tell its records, see `outline_of`."""
        return outline_of(self._built(number, only_evaluated=True))

    def dialog(self, number: int) -> Dialog:
        """A dialogue as it came."""
        return self._built(number, only_evaluated=False)

    def _built(self, number: int, *, only_evaluated: bool) -> Dialog:
        stored = self._dialogs[number]
        places = [place for place in stored["dialog_turns"] if not only_evaluated or place in self._evaluated]
        return Dialog.model_validate({**stored, "dialog_turns": [self._turns[place] for place in places]})


def _is_evaluated(turn: dict[str, Any]) -> bool:
    config = turn.get("eval_config") or {}
    return bool(config.get("do_eval"))


def recorded_dialogs(run: Run, model: str) -> list[Dialog]:
    """The dialogues of a model's sessions, with its answers as the contents of evaluated turns.

    A turn that it has not answered keeps its content. With several epochs the ids run from 0, since each session is a
    dialogue of its own.

    Args:
        run: Of recorded dialogues.
        model: One of its models.

    Raises:
        UsageError: The run has no such model.
    """
    stored = StoredDialogs(run)
    return [
        _answered(stored.dialog(session.dialogue), turns, number)
        for number, session, turns in _transcripts(run, model)
        if session.dialogue in stored
    ]


def recorded_records(run: Run, model: str) -> list[dict[str, Any]]:
    """The records of a model's sessions, in the order and with the ids of `recorded_dialogs`.

    Args:
        run: Of recorded dialogues.
        model: One of its models.

    Raises:
        UsageError: The run has no such model.
    """
    stored = StoredDialogs(run)
    return [
        record
        for number, session, turns in _transcripts(run, model)
        if session.dialogue in stored
        for record in session_records(stored.outline(session.dialogue), session, number, turns)
    ]


def _transcripts(run: Run, model: str) -> Iterable[tuple[int | None, Session, list[TurnRecord]]]:
    """The sessions in the order of dialogues and epochs, each with the id of its dialogue; None for its own."""
    if model not in run.models:
        raise UsageError(f"{run.path} has no model {model}; it has {', '.join(run.models)}")
    found = sorted(run.transcripts(model), key=lambda pair: (pair[0].dialogue, pair[0].epoch))
    for number, (session, turns) in enumerate(found):
        yield None if run.settings.epochs == 1 else number, session, turns


def _answered(dialog: Dialog, answers: Iterable[TurnRecord], number: int | None) -> Dialog:
    texts = [answer.answer for answer in answers]
    turns: list[Turn] = []
    for turn in dialog.dialog_turns:
        answered = turn.evaluated and texts
        turns.append(turn.model_copy(update={"content": texts.pop(0)}) if answered else turn)
    changed = dialog.with_turns(turns)
    for key in _OF_SESSION:
        changed.dialog_raw_info.pop(key, None)
    return changed if number is None else changed.model_copy(update={"dialog_id": number})

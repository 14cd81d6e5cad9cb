"""The run on disk."""

from evolif.protocol.store._early import STOP_RULE, EarlyEnd
from evolif.protocol.store._entries import (
    AnsweredTurn,
    AskedTurn,
    CostEntry,
    EndEntry,
    Entry,
    FaultEntry,
    TurnEntry,
    VerdictEntry,
)
from evolif.protocol.store._files import FILE_NAME
from evolif.protocol.store._fork import Shared, fork
from evolif.protocol.store._journal import Journal, Keep, StoreError
from evolif.protocol.store._rows import SessionState, TurnRecord
from evolif.protocol.store._sqlite import RunStore

__all__ = [
    "FILE_NAME",
    "STOP_RULE",
    "AnsweredTurn",
    "AskedTurn",
    "CostEntry",
    "EarlyEnd",
    "EndEntry",
    "Entry",
    "FaultEntry",
    "Journal",
    "Keep",
    "RunStore",
    "SessionState",
    "Shared",
    "StoreError",
    "TurnEntry",
    "TurnRecord",
    "VerdictEntry",
    "fork",
]

"""The run on disk."""

from evolif.protocol.store._rows import TurnRecord
from evolif.protocol.store._sqlite import FILE_NAME, RunStore

__all__ = ["FILE_NAME", "RunStore", "TurnRecord"]

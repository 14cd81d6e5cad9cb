"""From what failed to how a session ends (protocol page, How a session ends). A fault never touches patience."""

from __future__ import annotations

from evolif._errors import (
    AccessError,
    ContextOverflowError,
    EvolifError,
    InternalError,
    ModelError,
    WithheldError,
)
from evolif.domain import Ending
from evolif.protocol._events import Role


class Over(Exception):
    """A session goes no further now.

    Args:
        ending: How it ended; None where it was kept from beginning.
        cause: One or two words, see `SessionEnded`.
        reason: A sentence.
        blame: Who failed, where a fault is to be kept.
        fault: What failed.
    """

    def __init__(
        self,
        ending: Ending | None,
        cause: str,
        reason: str,
        blame: Role | None = None,
        fault: Exception | None = None,
    ) -> None:
        super().__init__(reason)
        self.ending = ending
        self.cause = cause
        self.reason = reason
        self.blame = blame
        self.fault = fault

    @property
    def bars(self) -> bool:
        """Whether every further call of the one who failed would fail the same."""
        return isinstance(self.fault, AccessError) or isinstance(getattr(self.fault, "__cause__", None), AccessError)


def over_of(fault: Exception, role: Role, model: str) -> Over:
    """How a session ends that met a fault.

    Args:
        fault: What was raised.
        role: Who was at it.
        model: The model under test.
    """
    if role == "target":
        if isinstance(fault, ContextOverflowError):
            return Over("censored", "context", str(fault), role, fault)
        if isinstance(fault, WithheldError):
            return Over("withheld", "content filter", str(fault), role, fault)
    if isinstance(fault, EvolifError):
        return Over("suspended", _cause(fault, role), str(fault), role, fault)
    # Its text is not repeated: nobody has taken keys out of it.
    if role == "target":
        return Over("suspended", "provider", f"{model}: its client failed unexpectedly ({type(fault).__name__})", role)
    return Over("suspended", "internal", f"an unforeseen {type(fault).__name__} of this program", role)


def _cause(fault: EvolifError, role: Role) -> str:
    if isinstance(fault, InternalError):
        return "internal"
    if isinstance(fault, ModelError):
        if role != "target":
            return role
        return "access" if isinstance(fault, AccessError) else "provider"
    return "benchmark" if role == "synthesizer" else "internal"

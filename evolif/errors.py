"""Errors a caller may meet, one small tree.

    EvolifError
    ├── UsageError          exit 2: wrong flag, unknown model or profile, missing key, settings that differ
    │   └── InputError      exit 2: a file or a line of it that cannot be read; names file, line and mend
    ├── OutsideError        exit 3: what lies outside this program: provider, network, disk
    │   └── ModelError      exit 3: a model endpoint failed and retrying did not help
    │       ├── AccessError            nothing of this model can be asked: wrong key, no credit, unknown name
    │       ├── JudgeError             a verdict that is needed could not be had: the session is suspended
    │       ├── ContextOverflowError   the conversation no longer fits the model's context: the session is censored
    │       └── WithheldError          the provider's content filter refused: the session is withheld
    └── InternalError       exit 3: a checker or builder broke its own promise; please report it

A weak answer is never an error: it is a verdict. A checker that breaks is `InternalError`, never a failed constraint.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


class EvolifError(Exception):
    """Root of the tree; `str()` is one sentence a user can act on."""

    exit_code = 3


class UsageError(EvolifError):
    """The command or call is wrong as it stands."""

    exit_code = 2


class InputError(UsageError):
    """A file cannot be used; the sentence names the file, the line and the mend."""

    def __init__(self, message: str, *, path: Path | str | None = None, line: int | None = None) -> None:
        where = "" if path is None else f"{path}" if line is None else f"{path}, line {line}"
        super().__init__(f"{where}: {message}" if where else message)
        self.path = path
        self.line = line


class OutsideError(EvolifError):
    """Something outside this program failed."""


class ModelError(OutsideError):
    """A model endpoint failed.

    Args:
        message: The sentence, without keys.
        retryable: Whether the same call may pass later.
        pushed_back: Whether it was asked more than it wants or manages (429, 503, no answer in time).
        retry_after: Seconds it wants to be left alone for, where it said so.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        pushed_back: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.pushed_back = pushed_back
        self.retry_after = retry_after


class AccessError(ModelError):
    """The endpoint lets this key and model do nothing, so that every further call would fail the same: ask no more."""


class JudgeError(ModelError):
    """A judge could not be asked, so a verdict is missing; the answer it was about is paid for and is to be kept.

    Args:
        message: What happened, without secrets.
        retryable: Whether the same call may pass later.
        spent: What had been paid for the turn's verdicts by then: (prompt tokens, completion tokens) per judge model.
    """

    def __init__(
        self, message: str, *, retryable: bool = False, spent: Mapping[str, tuple[int, int]] | None = None
    ) -> None:
        super().__init__(message, retryable=retryable)
        self.spent = dict(spent or {})


class ContextOverflowError(ModelError):
    """The conversation is longer than the model's context."""


class WithheldError(ModelError):
    """The provider's content filter refused the request or the answer."""


class InternalError(EvolifError):
    """A promise of this program was broken; not the model's fault."""

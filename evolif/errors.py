"""The exceptions that a caller may see, and the command line's exit code for each.

    EvolifError                         exit 3
    ├── UsageError                      exit 2: wrong flag, unknown model or profile, missing key, settings that differ
    │   ├── ArgumentError               exit 2: a function's argument is out of range; a ValueError, too
    │   └── InputError                  exit 2: an unusable file; names the file, the line and the remedy
    ├── OutsideError                    exit 3: a provider, the network or the disk failed
    │   ├── ExhaustedError              exit 3: no memory, file descriptor or thread is left
    │   └── ModelError                  exit 3: a model endpoint failed and retrying did not help
    │       ├── AccessError             exit 3: wrong key, no credit or unknown name; every further call would fail too
    │       ├── WaitError               exit 3: the endpoint asks to wait for longer than is accepted
    │       ├── JudgeError              exit 3: a verdict is missing; the session is suspended
    │       ├── ContextOverflowError    exit 3: the conversation exceeds the model's context; the session is censored
    │       └── WithheldError           exit 3: the provider's content filter refused; the session is withheld
    └── InternalError                   exit 3: a checker or builder broke its promise; please report it

A weak answer is a verdict, never an error. A checker that breaks is an `InternalError`, never a failed constraint.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


class EvolifError(Exception):
    """The root of all errors; `str()` is one sentence that a user can act on."""

    exit_code = 3


class UsageError(EvolifError):
    """The command or call is wrong."""

    exit_code = 2


class ArgumentError(UsageError, ValueError):
    """An argument of a function is out of range; callers in Python may catch it as a `ValueError`."""


class InputError(UsageError):
    """A file cannot be used; the message names the file, the line and the remedy."""

    def __init__(self, message: str, *, path: Path | str | None = None, line: int | None = None) -> None:
        where = "" if path is None else f"{path}" if line is None else f"{path}, line {line}"
        super().__init__(f"{where}: {message}" if where else message)
        self.path = path
        self.line = line


class OutsideError(EvolifError):
    """Something outside this program failed."""


class ExhaustedError(OutsideError):
    """Memory, file descriptors or threads have run out."""


class ModelError(OutsideError):
    """A model endpoint failed.

    Args:
        message: One sentence, without keys.
        retryable: Whether the same call may succeed later.
        pushed_back: Whether the endpoint is overloaded or limits the rate (429, 503, no answer in time).
        retry_after: Seconds to wait before the next call, if the endpoint says so.
        may_cost: Whether the endpoint may charge for the call: it did not refuse it.
        short: What happened in a few words, without an address; empty if unknown.
        parameter: The parameter of the request that the endpoint refuses as such; empty for other faults.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        pushed_back: bool = False,
        retry_after: float | None = None,
        may_cost: bool = False,
        short: str = "",
        parameter: str = "",
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.pushed_back = pushed_back
        self.retry_after = retry_after
        self.may_cost = may_cost
        self.short = short
        self.parameter = parameter


class AccessError(ModelError):
    """The endpoint refuses this key or model, so every further call would fail in the same way."""


class WaitError(ModelError):
    """The endpoint asks to wait for longer than is accepted; the session is suspended.

    Args:
        message: One sentence, without keys.
        everyone: Whether it tells every call so, and not only this one.
    """

    def __init__(self, message: str, *, everyone: bool = False) -> None:
        super().__init__(message, retryable=True)
        self.everyone = everyone


class JudgeError(ModelError):
    """A judge failed, so a verdict is missing; the answer is already paid for and must be kept.

    Args:
        message: What happened, without secrets.
        retryable: Whether the same call may succeed later.
        spent: Tokens used for the turn's verdicts so far: (prompt, completion) per judge model.
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
    """A bug in this program; not the model's fault."""

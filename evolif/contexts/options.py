"""The names of strategies with options: `tree?decider=rules&theta=0.4`, `summary:2?summariser=rules`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from evolif.errors import UsageError
from evolif.models.endpoint import shown

BY = ("rules", "model")
"""Who decides or summarises."""
SUMMARISERS = (*BY, "query")
"""What makes summaries; `query` keeps what the user said, and nothing of the answer."""
_THETA = re.compile(r"0?\.[0-9]{1,6}|[01](?:\.0{1,6})?")
_EMBEDDER = re.compile(r"[\w.<>-]{1,100}")


def split_options(name: str, known: Sequence[str]) -> tuple[str, dict[str, str]]:
    """A strategy's name before its options, and the options.

    Args:
        name: As requested.
        known: The options that there are.

    Raises:
        UsageError: an option that is unknown, given twice, or without a value.
    """
    base, mark, rest = name.partition("?")
    found: dict[str, str] = {}
    for part in rest.split("&", len(known)) if mark else ():
        key, _, value = part.partition("=")
        if key not in known or key in found or not value:
            raise refusal(name, f"its options are {', '.join(known)}, each once, as in {base}?{known[0]}=…")
        found[key] = value
    return base, found


def refusal(name: str, what: str) -> UsageError:
    """The error about a name."""
    return UsageError(f"the context strategy “{shown(name, '')}”: {what}")


def choice(name: str, options: Mapping[str, str], key: str, known: Sequence[str] = BY) -> str:
    """An option that is one of a few words, by default the first of them.

    Raises:
        UsageError: another value.
    """
    value = options.get(key, known[0])
    if value not in known:
        raise refusal(name, f"{key} is {', '.join(known[:-1])} or {known[-1]}")
    return value


def has_retrieval(name: str, options: Mapping[str, str]) -> bool:
    """Whether a tree compares rounds with the query: always, unless its option `retrieval` is `none`.

    Raises:
        UsageError: another value, or `none` beside an option that says how rounds are compared.
    """
    if "retrieval" not in options:
        return True
    if options["retrieval"] != "none":
        raise refusal(name, "retrieval is none, or left out")
    idle = [key for key in ("theta", "embedder") if key in options]
    if idle:
        raise refusal(name, f"without retrieval nothing is compared, so leave {idle[0]} out")
    return False


def threshold(name: str, options: Mapping[str, str], default: float) -> tuple[float, str]:
    """The option `theta`, and how a canonical name spells it.

    Raises:
        UsageError: it is no number from 0 to 1, of at most six decimals.
    """
    text = options.get("theta", str(default))
    if not _THETA.fullmatch(text):
        raise refusal(name, "theta is a number from 0 to 1, such as 0.4")
    return float(text), format(Decimal(text).normalize(), "f")


def embedder_option(name: str, options: Mapping[str, str]) -> str | None:
    """The option `embedder`.

    Raises:
        UsageError: it cannot be the name of one.
    """
    value = options.get("embedder")
    if value is not None and not _EMBEDDER.fullmatch(value):
        raise refusal(name, "embedder is the name of one, such as wordllama")
    return value

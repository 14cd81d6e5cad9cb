"""The names of strategies with options: `tree?decider=rules&theta=0.4`, `summary:2?summariser=rules`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from evolif.errors import UsageError
from evolif.models.endpoint import shown

BY = ("rules", "model")
"""Who decides or summarises."""
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


def choice(name: str, options: Mapping[str, str], key: str) -> str:
    """An option that is `rules`, its default, or `model`.

    Raises:
        UsageError: another value.
    """
    value = options.get(key, BY[0])
    if value not in BY:
        raise refusal(name, f"{key} is {' or '.join(BY)}")
    return value


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

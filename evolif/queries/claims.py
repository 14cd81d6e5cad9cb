"""Claims: what a query asks for, over all groups, whether or not it was to be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evolif.turns import Params

Polarity = Literal["require", "forbid", "lift"]
"""`require`: it is to be so; `forbid`: it is not to be so; `lift`: it need not be so any more."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a query says of one group."""

    group: str
    polarity: Polarity
    params: Params
    """As far as the query says them, named as the group stores them; empty where it only names the group."""
    span: tuple[int, int]
    """Half-open range of the query's characters."""

"""Open a context strategy by its name; a plug-in is imported only when it is named."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from evolif.contexts.base import ContextStrategy, Embedder
from evolif.contexts.embedding import embedder_name
from evolif.contexts.history import DEFAULT_ROUNDS, FullHistory, LastRounds
from evolif.contexts.retrieval import Retrieval, retrieval_k
from evolif.errors import UsageError
from evolif.models import ChatModel
from evolif.models.endpoint import shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "evolif.contexts"
"""Group of plug-ins: entry point `NAME = "module:factory"`, with `factory(name, *, models, embedder)`, where `name` is
as requested, with parameters; it returns a `ContextStrategy`."""


def open_strategy(
    name: str, *, models: Mapping[str, ChatModel] | None = None, embedder: Embedder | None = None
) -> ContextStrategy:
    """Open a context strategy.

    Args:
        name: Its name, with parameters after a colon or a question mark: `full`, `last:4`, `retrieval:3`.
        models: The models that it may call, by role.
        embedder: What makes vectors of texts, where the name names no embedder; None for the strategy's default.

    Raises:
        UsageError: there is no such strategy, a parameter is out of range, an extra is not installed, or a plug-in
            cannot be loaded.
    """
    base = re.split("[:?]", name, maxsplit=1)[0]
    if base in _OWN:
        return _OWN[base](name, embedder)
    point = _plugins().get(base)
    if point is None:
        raise UsageError(f"unknown context strategy “{shown(name, '')}”; there are {', '.join(strategy_names())}")
    return _open_plugin(point, name, models or {}, embedder)


def strategy_names() -> tuple[str, ...]:
    """What there is: the strategies of this package with their parameters, and plug-ins by name."""
    return ("full", "last:K", "retrieval:K", *sorted(_plugins().keys() - _OWN.keys()))


def _full(name: str, _: Embedder | None) -> ContextStrategy:
    if name != FullHistory.name:
        raise UsageError(f"the context strategy “{shown(name, '')}”: full has no parameters; name it full")
    return FullHistory()


def _last(name: str, _: Embedder | None) -> ContextStrategy:
    if name == "last":
        return LastRounds()
    match = re.fullmatch("last:([0-9]{1,9})", name)
    if match is None:
        what = f"K of last:K is a whole number from 0, such as last:{DEFAULT_ROUNDS}"
        raise UsageError(f"the context strategy “{shown(name, '')}”: {what}")
    return LastRounds(int(match[1]))


def _retrieval(name: str, embedder: Embedder | None) -> ContextStrategy:
    match = re.fullmatch(r"retrieval(?::([0-9]{1,9}))?(?:\?embedder=([\w.<>-]{1,100}))?", name)
    if match is None:
        what = (
            f"K of retrieval:K is a whole number from 0, such as retrieval:{retrieval_k(0)}, and its option is embedder"
        )
        raise UsageError(f"the context strategy “{shown(name, '')}”: {what}")
    k = None if match[1] is None else int(match[1])
    # A function has no other name than its own: the strategy's name stands for it where both agree.
    named = match[2] if embedder is None or match[2] != embedder_name(embedder) else None
    return Retrieval(k, named or embedder)


_OWN: Mapping[str, Callable[[str, Embedder | None], ContextStrategy]] = {
    "full": _full,
    "last": _last,
    "retrieval": _retrieval,
}


def _plugins() -> dict[str, EntryPoint]:
    if os.environ.get("EVOLIF_PLUGINS") == "0":
        return {}
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def _open_plugin(
    point: EntryPoint, name: str, models: Mapping[str, ChatModel], embedder: Embedder | None
) -> ContextStrategy:
    try:
        strategy: ContextStrategy = point.load()(name, models=models, embedder=embedder)
        opened = strategy.name
    except UsageError:
        raise
    except Exception as fault:
        raise UsageError(
            f"the context strategy {point.name}: the plug-in {point.value} cannot be loaded "
            f"({type(fault).__name__}: {fault}); fix or remove it"
        ) from fault
    # A run stores this name and is resumed by it.
    if not isinstance(opened, str) or re.split("[:?]", opened, maxsplit=1)[0] != point.name:
        raise UsageError(
            f"the plug-in {point.value} calls its context strategy “{shown(str(opened), '')}”, but is installed as "
            f"“{point.name}”"
        )
    return strategy

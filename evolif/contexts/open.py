"""Open a context strategy by its name; a plug-in is imported only when it is named."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolif.contexts.base import ContextStrategy, Embedder
from evolif.contexts.deciding import CueDecider, Decider, ModelDecider, RulesDecider
from evolif.contexts.embedding import embedder_name
from evolif.contexts.history import DEFAULT_ROUNDS, FullHistory, LastRounds
from evolif.contexts.options import (
    SUMMARISERS,
    choice,
    embedder_option,
    has_retrieval,
    refusal,
    split_options,
    threshold,
)
from evolif.contexts.own_model import OwnModel
from evolif.contexts.retrieval import Retrieval, retrieval_k
from evolif.contexts.round_vectors import RoundVectors
from evolif.contexts.rules import calibrated
from evolif.contexts.summarising import ModelSummariser, QuerySummariser, RulesSummariser, Summariser
from evolif.contexts.summary import DEFAULT_FULL, Summaries
from evolif.contexts.tree import Tree
from evolif.errors import UsageError
from evolif.models import ChatModel
from evolif.models.endpoint import shown
from evolif.util.suggestions import nearest

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
        name: Its name, with parameters after a colon or a question mark: `full`, `last:4`,
            `retrieval:3`, `summary:2`, `tree?theta=0.4`.
        models: The models that it may call, by role.
        embedder: What makes vectors of texts, where the name names no embedder; None for the strategy's default.

    Raises:
        UsageError: there is no such strategy, a parameter is out of range, an extra is not installed, a model is needed
            and not given, or a plug-in cannot be loaded.
    """
    base = re.split("[:?]", name, maxsplit=1)[0]
    if base in _OWN:
        return _OWN[base](name, _Given(models or {}, embedder))
    point = _plugins().get(base)
    if point is None:
        raise UsageError(
            f"unknown context strategy “{shown(name, '')}”{_meant(base)}; there are {', '.join(strategy_names())}"
        )
    return _open_plugin(point, name, models or {}, embedder)


def strategy_names() -> tuple[str, ...]:
    """What there is: the strategies of this package with their parameters, and plug-ins by name."""
    return ("full", "last:K", "retrieval:K", "summary:K", "tree", *sorted(_plugins().keys() - _OWN.keys()))


def _meant(base: str) -> str:
    """The strategy that was probably meant; a number that follows its name belongs after a colon: `last3`, `last-3`."""
    word = base.rstrip("0123456789")
    number, word = base[len(word) :], word.rstrip("-_= ")
    near = nearest(word, (*_OWN, *_plugins()))
    colon = f":{number}" if number and near in ("last", "retrieval", "summary") else ""
    return f" (did you mean {near}{colon}?)" if near else ""


def _full(name: str, _: _Given) -> ContextStrategy:
    if name != FullHistory.name:
        raise refusal(name, "full has no parameters; name it full")
    return FullHistory()


def _last(name: str, _: _Given) -> ContextStrategy:
    if name == "last":
        return LastRounds()
    match = re.fullmatch("last:([0-9]{1,9})", name)
    if match is None:
        raise refusal(name, f"K of last:K is a whole number from 0, such as last:{DEFAULT_ROUNDS}")
    return LastRounds(int(match[1]))


def _retrieval(name: str, given: _Given) -> ContextStrategy:
    match = re.fullmatch(r"retrieval(?::([0-9]{1,9}))?(?:\?embedder=([\w.<>-]{1,100}))?", name)
    if match is None:
        what = (
            f"K of retrieval:K is a whole number from 0, such as retrieval:{retrieval_k(0)}, and its option is embedder"
        )
        raise refusal(name, what)
    return Retrieval(None if match[1] is None else int(match[1]), given.embedder_for(match[2]))


def _summary(name: str, given: _Given) -> ContextStrategy:
    base, options = split_options(name, ("summariser",))
    match = re.fullmatch("summary(?::([0-9]{1,9}))?", base)
    if match is None:
        raise refusal(name, f"K of summary:K is a whole number from 0, such as summary:{DEFAULT_FULL}")
    k = DEFAULT_FULL if match[1] is None else int(match[1])
    summariser = choice(name, options, "summariser", SUMMARISERS)
    canonical = f"summary:{k}?summariser={summariser}"
    return Summaries(k, canonical, _summariser(summariser, canonical, given))


def _tree(name: str, given: _Given) -> ContextStrategy:
    base, options = split_options(name, ("decider", "summariser", "theta", "embedder", "retrieval"))
    if base != "tree":
        raise refusal(name, "tree has options, and no parameter after a colon")
    decider, summariser = choice(name, options, "decider"), choice(name, options, "summariser", SUMMARISERS)
    if not has_retrieval(name, options):
        canonical = f"tree?decider={decider}&summariser={summariser}&retrieval=none"
        blind: Decider = ModelDecider(OwnModel(given.models, canonical)) if decider == "model" else CueDecider()
        return Tree(canonical, blind, _summariser(summariser, canonical, given))
    embedder = given.embedder_for(embedder_option(name, options))
    at = calibrated(embedder_name(embedder))
    theta, spelt = threshold(name, options, at.theta)
    vectors = RoundVectors(embedder)
    canonical = f"tree?decider={decider}&summariser={summariser}&theta={spelt}&embedder={vectors.name}"
    decides: Decider = RulesDecider(replace(at, theta=theta))
    if decider == "model":
        decides = ModelDecider(OwnModel(given.models, canonical), theta)
    return Tree(canonical, decides, _summariser(summariser, canonical, given), vectors)


def _summariser(by: str, name: str, given: _Given) -> Summariser:
    if by == "model":
        return ModelSummariser(OwnModel(given.models, name))
    return QuerySummariser() if by == "query" else RulesSummariser()


@dataclass(frozen=True, slots=True)
class _Given:
    """What `open_strategy` got besides the name."""

    models: Mapping[str, ChatModel]
    embedder: Embedder | None

    def embedder_for(self, named: str | None) -> Embedder | None:
        """The embedder that a name names, else the one that was given."""
        # A function has no other name than its own: the strategy's name stands for it where both agree.
        return (
            self.embedder
            if self.embedder is not None and named == embedder_name(self.embedder)
            else (named or self.embedder)
        )


_OWN: Mapping[str, Callable[[str, _Given], ContextStrategy]] = {
    "full": _full,
    "last": _last,
    "retrieval": _retrieval,
    "summary": _summary,
    "tree": _tree,
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

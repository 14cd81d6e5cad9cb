"""Names of context strategies, and plug-ins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from evolif import UsageError
from evolif.contexts import Context, open_strategy
from evolif.contexts.open import strategy_names
from evolif.types import Exchange, Prompt


class Nothing:
    """Shows the prompt alone."""

    def __init__(self, name: str, *, models: Mapping[str, Any], embedder: object) -> None:
        self.name, self.given = name, (models, embedder)

    async def build(self, system: str, past: Sequence[Exchange], prompt: Prompt) -> Context:
        return Context(prompt.messages)


def broken(name: str, **_: object) -> Nothing:
    raise RuntimeError("no such luck")


def misnamed(name: str, **_: object) -> Nothing:
    return Nothing("full", models={}, embedder=None)


def picky(name: str, **_: object) -> Nothing:
    raise UsageError("picky wants a number")


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint(name, f"{__name__}:{attribute}", "evolif.contexts")
        for name, attribute in [
            ("nothing", "Nothing"),
            ("broken", "broken"),
            ("misnamed", "misnamed"),
            ("picky", "picky"),
            ("gone", "no_such_name"),
            ("last", "broken"),
        ]
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)


@pytest.mark.parametrize(
    ("name", "canonical"), [("full", "full"), ("last", "last:4"), ("last:0", "last:0"), ("last:007", "last:7")]
)
def test_a_name_spells_out_its_defaults(name: str, canonical: str) -> None:
    assert open_strategy(name).name == open_strategy(canonical).name == canonical


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("", "unknown context strategy “”; there are full, last:K, retrieval:K, summary:K, tree"),
        ("forest?theta=0.4", "unknown context strategy “forest”"),
        ("Full", "unknown context strategy “Full”"),
        ("x\n" * 1000, "unknown context strategy “x"),
        ("full:3", "full has no parameters"),
        ("full?", "full has no parameters"),
        ("last:", "K of last:K is a whole number from 0, such as last:4"),
        ("last:-1", "K of last:K is a whole number"),
        ("last:2.5", "K of last:K is a whole number"),
        ("last:٣", "K of last:K is a whole number"),
        ("last:4\n", "K of last:K is a whole number"),
        ("last:" + "9" * 5000, "K of last:K is a whole number"),
        ("last?k=4", "K of last:K is a whole number"),
        ("retrieval:", "K of retrieval:K is a whole number from 0, such as retrieval:3, and its option is embedder"),
        ("retrieval:-1", "K of retrieval:K is a whole number"),
        ("retrieval:3\n", "K of retrieval:K is a whole number"),
        ("retrieval:3?theta=0.4", "K of retrieval:K is a whole number"),
        ("retrieval:3?embedder=", "K of retrieval:K is a whole number"),
        ("retrieval:3?embedder=" + "a" * 5000, "K of retrieval:K is a whole number"),
        ("retrieval?embedder=nonsense", "unknown embedder “nonsense”"),
    ],
)
def test_a_wrong_name_is_refused_in_a_sentence(name: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_strategy(name)
    assert what in str(caught.value)
    assert str(caught.value).isprintable() and len(str(caught.value)) < 250


@pytest.mark.usefixtures("plugins")
def test_a_plug_in_gets_its_whole_name_and_what_it_may_use() -> None:
    models: dict[str, Any] = {"context": object()}
    strategy = open_strategy("nothing:3?x=y", models=models, embedder="tiny")
    assert isinstance(strategy, Nothing)
    assert strategy.name == "nothing:3?x=y" and strategy.given == (models, "tiny")


@pytest.mark.usefixtures("plugins")
def test_own_names_stay_our_own() -> None:
    assert open_strategy("last:1").name == "last:1"
    own = ("full", "last:K", "retrieval:K", "summary:K", "tree")
    assert strategy_names() == (*own, "broken", "gone", "misnamed", "nothing", "picky")


@pytest.mark.usefixtures("plugins")
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("broken", r"broken cannot be loaded \(RuntimeError: no such luck\); fix or remove it"),
        ("gone", r"no_such_name cannot be loaded \(AttributeError"),
        ("misnamed", "calls its context strategy “full”, but is installed as “misnamed”"),
        ("picky", "^picky wants a number$"),
    ],
)
def test_a_plug_in_that_fails_is_named(name: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        open_strategy(name)


@pytest.mark.usefixtures("plugins")
def test_plug_ins_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLIF_PLUGINS", "0")
    with pytest.raises(UsageError, match=r"“nothing”; there are full, last:K, retrieval:K, summary:K, tree$"):
        open_strategy("nothing")

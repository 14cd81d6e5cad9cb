"""What `retrieval:K` shows, what it embeds, and what it leaves with a turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif import UsageError
from evolif.contexts import (
    Context,
    ContextStrategy,
    OwnCost,
    cosine,
    full_history,
    last_turns,
    open_strategy,
    retrieval_k,
    retrieval_messages,
    tokenizer_name,
)
from evolif.contexts.base import Embedder
from evolif.types import Exchange, Message, Prompt

installed = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
LETTERS = "abcd"
TURNS = [("a a b", "x"), ("c", "c d"), ("b", "b"), ("d", "a")]


class Letters:
    """Embeds a text as the counts of some letters, and remembers what it was asked."""

    __name__ = "letters"

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append(list(texts))
        return [vector(text) for text in texts]


def vector(text: str) -> list[float]:
    return [float(text.count(letter)) for letter in LETTERS]


def exchanges(turns: Sequence[tuple[str, str]]) -> list[Exchange]:
    return [
        Exchange(Prompt(1, number, (Message("user", user),)), f"{reply} dddd", reply)
        for number, (user, reply) in enumerate(turns, 1)
    ]


def build(
    strategy: ContextStrategy,
    past: Sequence[Exchange],
    query: str = "a",
    system: str = "Rules.",
    labels: Mapping[str, int | str] | None = None,
) -> Context:
    prompt = Prompt(1, len(past) + 1, (Message("user", query),), labels=labels or {})
    return asyncio.run(strategy.build(system, past, prompt))


def retrieval(name: str = "retrieval:2", embedder: Embedder | None = None) -> ContextStrategy:
    return open_strategy(name, embedder=embedder or Letters())


def played(strategy: ContextStrategy, turns: Sequence[tuple[str, str]]) -> list[Exchange]:
    """A conversation with the notes of all its turns."""
    past: list[Exchange] = []
    for made in exchanges(turns):
        notes = asyncio.run(strategy.build("", past, made.prompt)).notes
        past.append(Exchange(made.prompt, made.answer, made.heard, notes))
    return past


def test_the_most_similar_rounds_come_in_the_order_of_time() -> None:
    context = build(retrieval(), exchanges(TURNS), "a d")
    # Similar to “a d” are round 4 (d, a) and round 1 (a, a, b); round 2 has one d and two c.
    assert context.messages == full_history([TURNS[0], TURNS[3]], "a d", "Rules.")
    assert list(context.shown.items()) == [(1, "full"), (4, "full")]
    assert (context.decision, context.cost) == (None, OwnCost(embedded=2))
    assert context.cost.seconds > 0


def test_of_equally_similar_rounds_the_later_are_shown() -> None:
    assert list(build(retrieval("retrieval:2"), exchanges([("a", "")] * 5)).shown) == [4, 5]
    assert list(build(retrieval("retrieval:2"), exchanges(TURNS), "nothing shre").shown) == [3, 4]


def test_it_embeds_what_was_said_and_heard_and_the_query() -> None:
    letters = Letters()
    strategy = retrieval("retrieval:1", letters)
    long = " ".join(["a"] * 300)
    build(strategy, exchanges([("one", "two"), (long, "b")]), long)
    assert letters.asked == [["one\ntwo", " ".join(["a"] * 256), long]]
    # What was embedded before is not embedded again.
    build(strategy, exchanges([("one", "two"), (long, "b"), ("three", "four")]), "q")
    assert letters.asked[1:] == [["three\nfour", "q"]]


def test_nothing_is_embedded_before_the_first_round() -> None:
    letters = Letters()
    context = build(retrieval("retrieval:3", letters), [])
    assert context.messages == full_history([], "a", "Rules.")
    assert letters.asked == [] and context.shown == context.notes == {}


VECTORS = st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=2)
ROUNDS = st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5), VECTORS), max_size=8)


@pytest.mark.slow
@given(ROUNDS, VECTORS, st.integers(0, 10), st.sampled_from(["", "Rules."]))
def test_helper_and_definition_agree(
    rounds: list[tuple[str, str, list[float]]], query: list[float], k: int, system: str
) -> None:
    turns, vectors = [(user, reply) for user, reply, _ in rounds], [vector for *_, vector in rounds]
    similar = [round(cosine(query, vector), 12) for vector in vectors]
    # A round is shown if fewer than k others are more similar, or as similar and later.
    kept = [
        turn
        for place, turn in enumerate(turns)
        if sum((other, later) > (similar[place], place) for later, other in enumerate(similar)) < k
    ]
    assert retrieval_messages(turns, "q", query, vectors, k, system) == full_history(kept, "q", system)


@given(st.lists(st.tuples(st.text("abcd ", max_size=6), st.text("abcd ", max_size=6)), max_size=8), st.integers(0, 9))
def test_helper_and_strategy_agree(turns: list[tuple[str, str]], k: int) -> None:
    vectors = [vector(f"{user}\n{reply}") for user, reply in turns]
    context = build(retrieval(f"retrieval:{k}"), exchanges(turns), "a b", "S")
    assert context.messages == retrieval_messages(turns, "a b", vector("a b"), vectors, k, "S")
    assert len(context.shown) == min(k, len(turns))
    if k >= len(turns):
        assert context.messages == last_turns(turns, "a b", k, "S")


def test_three_rounds_up_to_fifteen_then_five() -> None:
    assert [retrieval_k(rounds) for rounds in (0, 10, 15, 16, 25)] == [3, 3, 3, 5, 5]
    few, many = exchanges([("a", "b")] * 15), exchanges([("a", "b")] * 16)
    strategy = retrieval("retrieval")
    assert len(build(strategy, few).shown) == 3 and len(build(strategy, many).shown) == 5
    for label in (10, "10"):
        assert len(build(strategy, many, labels={"rounds": label}).shown) == 3
    assert len(build(strategy, few, labels={"rounds": 20}).shown) == 5
    assert len(build(strategy, few, labels={"rounds": "many"}).shown) == 3
    assert len(build(retrieval("retrieval:4"), few, labels={"rounds": 20}).shown) == 4


def test_the_name_spells_out_the_embedder() -> None:
    letters = Letters()
    assert retrieval("retrieval:007", letters).name == "retrieval:7?embedder=letters"
    assert retrieval("retrieval", letters).name == "retrieval?embedder=letters"
    again = retrieval("retrieval:7?embedder=letters", letters)
    assert again.name == "retrieval:7?embedder=letters" and len(build(again, exchanges(TURNS)).shown) == 4


@installed
def test_the_default_embedder_is_offline_and_part_of_the_name() -> None:
    for name in ("retrieval:1", "retrieval:1?embedder=wordllama"):
        assert open_strategy(name).name == "retrieval:1?embedder=wordllama"
    # A name that names an embedder wins over a function of another name.
    strategy = open_strategy("retrieval:1?embedder=wordllama", embedder=Letters())
    assert strategy.name == "retrieval:1?embedder=wordllama"
    turns = [("My dog is called Rex.", "Nice!"), ("I moved to Oslo.", "How is it?"), ("I play chess.", "Well?")]
    context = build(strategy, exchanges(turns), "In which city do I live, is it Oslo?")
    assert list(context.shown) == [2]


def test_notes_are_digests_that_the_messages_do_not_need() -> None:
    strategy = retrieval("retrieval:1")
    past = played(strategy, TURNS)
    notes = [dict(exchange.notes) for exchange in past]
    assert notes[0] == {} and all(set(each) == {"round"} for each in notes[1:])
    assert max(len(json.dumps(each)) for each in notes) < 40
    fresh, letters = build(retrieval("retrieval:1"), past), Letters()
    assert fresh == build(retrieval("retrieval:1", letters), past) == build(strategy, past)
    assert len(letters.asked) == 1 and len(letters.asked[0]) == len(TURNS) + 1
    # Without notes, as in a conversation from elsewhere, the messages are the same.
    assert build(strategy, exchanges(TURNS)).messages == fresh.messages


def test_vectors_that_changed_are_refused_and_rounding_is_no_change() -> None:
    def other(texts: Sequence[str]) -> list[list[float]]:
        return [[*vector(text), 1.0] for text in texts]

    def rounded(texts: Sequence[str]) -> list[list[float]]:
        return [[3 * number * (1 + 1e-15) for number in vector(text)] for text in texts]

    past = played(retrieval(), TURNS)
    with pytest.raises(UsageError, match="gives round 1 another vector than when the session was played; go back"):
        build(retrieval(embedder=other), past)
    assert build(retrieval(embedder=rounded), past) == build(retrieval(), past)


@pytest.mark.parametrize(
    ("vectors", "what"),
    [
        ([[1.0]] * 4, "gave 4 vectors for 5 texts"),
        ([[1.0]] * 4 + [[1.0, 2.0]], "the lengths of two vectors differ: 2 and 1"),
        ([[float("nan")]] * 5, "a number that is not finite"),
    ],
)
def test_a_broken_embedder_is_named_as_such(vectors: list[list[float]], what: str) -> None:
    def broken(_: Sequence[str]) -> Any:
        return vectors

    with pytest.raises(UsageError, match=what):
        build(retrieval(embedder=broken), exchanges(TURNS))


def test_wrong_arguments_are_wrong_values() -> None:
    with pytest.raises(ValueError, match="2 rounds and 1 vectors; give one vector for each round"):
        retrieval_messages(TURNS[:2], "q", [1.0], [[1.0]], 1)
    with pytest.raises(ValueError, match="at least 0, not -1"):
        retrieval_messages(TURNS[:1], "q", [1.0], [[1.0]], -1)


def test_a_full_cache_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolif.contexts.round_vectors._KEPT", 2)
    strategy, letters = retrieval(), Letters()
    small = retrieval(embedder=letters)
    assert played(small, TURNS * 3) == played(strategy, TURNS * 3)
    assert build(small, exchanges(TURNS * 3)) == build(strategy, exchanges(TURNS * 3))

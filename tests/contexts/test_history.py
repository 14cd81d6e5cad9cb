"""What `full` and `last:K` show."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif import UsageError
from evolif.contexts import Context, ContextStrategy, OwnCost, full_history, last_turns, open_strategy
from evolif.types import Exchange, Message, Prompt

TURNS = [("u1", "a1"), ("u2", "a2"), ("u3", "a3"), ("u4", "a4"), ("u5", "a5")]


def says(*contents: str) -> tuple[Message, ...]:
    """Messages of user and assistant in turn."""
    return tuple(Message("assistant" if i % 2 else "user", content) for i, content in enumerate(contents))


def exchanges(turns: Sequence[tuple[str, str]]) -> list[Exchange]:
    return [
        Exchange(Prompt(1, number, (Message("user", user),)), f"{reply} and more", reply)
        for number, (user, reply) in enumerate(turns, 1)
    ]


def build(strategy: ContextStrategy, system: str, past: Sequence[Exchange], query: str = "q") -> Context:
    return asyncio.run(strategy.build(system, past, Prompt(1, len(past) + 1, (Message("user", query),))))


def test_full_shows_everything_and_last_the_latest_rounds() -> None:
    past, rules = exchanges(TURNS), Message("system", "Rules.")
    context = build(open_strategy("full"), "Rules.", past)
    assert context.messages == (rules, *says("u1", "a1", "u2", "a2", "u3", "a3", "u4", "a4", "u5", "a5", "q"))
    assert context.shown == {1: "full", 2: "full", 3: "full", 4: "full", 5: "full"}
    assert (context.decision, context.cost, context.notes) == (None, OwnCost(), {})
    context = build(open_strategy("last:2"), "Rules.", past)
    assert context.messages == (rules, *says("u4", "a4", "u5", "a5", "q"))
    assert context.shown == {4: "full", 5: "full"}


def test_no_rounds_and_no_system_text_leave_the_query() -> None:
    context = build(open_strategy("last:0"), "", exchanges(TURNS))
    assert context.messages == says("q") and context.shown == {}
    assert build(open_strategy("full"), "", []).messages == says("q")


def test_all_messages_of_a_prompt_are_shown() -> None:
    first = Prompt(1, 1, says("The game:", "Go on.", "Your move."))
    past = [Exchange(first, "long", "short")]
    prompt = Prompt(1, 3, (*says("They moved."), Message("user", "Your move.")))
    messages = asyncio.run(open_strategy("last:1").build("", past, prompt)).messages
    assert messages == (
        *says("The game:", "Go on.", "Your move.", "short", "They moved."),
        Message("user", "Your move."),
    )


@pytest.mark.slow
@given(st.lists(st.tuples(st.text(), st.text()), max_size=8), st.text(), st.text(), st.integers(0, 10))
def test_helpers_and_strategies_agree(turns: list[tuple[str, str]], query: str, system: str, k: int) -> None:
    past = exchanges(turns)
    assert build(open_strategy("full"), system, past, query).messages == full_history(turns, query, system)
    last = build(open_strategy(f"last:{k}"), system, past, query)
    assert last.messages == last_turns(turns, query, k, system)
    assert list(last.shown) == list(range(1, len(turns) + 1))[max(0, len(turns) - k) :]
    head = [Message("system", system)] if system else []
    assert list(last.messages[: len(head)]) == head and len(last.messages) == len(head) + 2 * len(last.shown) + 1


def test_messages_that_repeat_are_the_same_objects() -> None:
    past = exchanges(TURNS)
    one, other = (build(open_strategy(name), "Rules.", past).messages for name in ("full", "last:5"))
    assert all(a is b for a, b in zip(one[:-1], other[:-1], strict=True))


def test_four_rounds_are_the_default() -> None:
    assert last_turns(TURNS, "q") == last_turns(TURNS, "q", 4) == full_history(TURNS[1:], "q")


def test_a_negative_number_of_rounds_is_a_wrong_value_and_wrong_usage() -> None:
    for kind in (ValueError, UsageError):
        with pytest.raises(kind, match="at least 0, not -1"):
            last_turns(TURNS, "q", -1)

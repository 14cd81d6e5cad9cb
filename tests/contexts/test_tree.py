"""What `tree` decides and shows in a conversation, and that its notes are enough to go on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from own_models import Letters

from evolif import UsageError
from evolif.contexts import Context, Forest, OwnCost, open_strategy, tokenizer_name
from evolif.types import Exchange, Image, Message, Prompt

installed = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
OWN_EMBEDDER = "tree?decider=rules&summariser=rules&theta=0.4&embedder=Letters"


def prompt(number: int, text: str) -> Prompt:
    return Prompt(1, number, (Message("user", text),))


def played(turns: Sequence[tuple[str, str]], system: str = "", name: str = "tree") -> tuple[list[Exchange], Context]:
    """A conversation; the context is that of the last query, whose round is no part of the past."""
    strategy = open_strategy(name, embedder=Letters())
    past: list[Exchange] = []
    context = Context(())
    for number, (query, reply) in enumerate(turns, 1):
        asked = prompt(number, query)
        context = asyncio.run(strategy.build(system, past, asked))
        past.append(Exchange(asked, reply, reply, context.notes))
    return past[:-1], context


@installed
@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("tree", "tree?decider=rules&summariser=rules&theta=0.4&embedder=wordllama"),
        ("tree?theta=.50", "tree?decider=rules&summariser=rules&theta=0.5&embedder=wordllama"),
        ("tree?embedder=wordllama&theta=1", "tree?decider=rules&summariser=rules&theta=1&embedder=wordllama"),
        ("tree?theta=0&decider=rules", "tree?decider=rules&summariser=rules&theta=0&embedder=wordllama"),
        ("tree?retrieval=none", "tree?decider=rules&summariser=rules&retrieval=none"),
        ("tree?retrieval=none&summariser=query", "tree?decider=rules&summariser=query&retrieval=none"),
        ("tree?theta=0.000001", "tree?decider=rules&summariser=rules&theta=0.000001&embedder=wordllama"),
    ],
)
def test_a_name_spells_out_its_options_in_one_order(name: str, canonical: str) -> None:
    assert open_strategy(name).name == open_strategy(canonical).name == canonical


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("tree:3", "no parameter after a colon"),
        ("tree?", "its options are decider, summariser, theta, embedder, retrieval, each once"),
        ("tree?theta", "its options are"),
        ("tree?theta=", "its options are"),
        ("tree?k=3", "its options are"),
        ("tree?theta=0.4&theta=0.5", "its options are"),
        ("tree?retrieval=some", "retrieval is none, or left out"),
        ("tree?retrieval=none&theta=0.4", "without retrieval nothing is compared, so leave theta out"),
        ("tree?embedder=wordllama&retrieval=none", "so leave embedder out"),
        ("tree?theta=0.4&", "its options are"),
        ("tree?decider=oracle", "decider is rules or model"),
        ("tree?summariser=Model", "summariser is rules, model or query"),
        ("tree?theta=1.1", "theta is a number from 0 to 1, such as 0.4"),
        ("tree?theta=-0.1", "theta is a number"),
        ("tree?theta=1e-3", "theta is a number"),
        ("tree?theta=nan", "theta is a number"),
        ("tree?theta=٠.٤", "theta is a number"),
        ("tree?embedder=a b", "embedder is the name of one"),
        ("tree?embedder=nonsense", "unknown embedder “nonsense”"),
        ("tree?" + "x=y&" * 9999, "its options are"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(name: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_strategy(name)
    assert what in str(caught.value)
    assert str(caught.value).isprintable() and len(str(caught.value)) < 300


@installed
@pytest.mark.parametrize("name", ["tree?decider=model", "tree?summariser=model"])
def test_a_model_that_is_missing_is_asked_for(name: str) -> None:
    with pytest.raises(UsageError, match="--context-model PROVIDER/NAME"):
        open_strategy(name)


def test_an_embedder_of_ones_own_is_part_of_the_name() -> None:
    assert open_strategy("tree", embedder=Letters()).name == OWN_EMBEDDER
    assert open_strategy(OWN_EMBEDDER, embedder=Letters()).name == OWN_EMBEDDER


def test_the_first_turn_opens_a_topic() -> None:
    _, context = played([("j", "q")], "Rules.")
    assert context.messages == (Message("system", "Rules."), Message("user", "j"))
    assert context.decision == {"topic": {"action": "CREATE_TOPIC"}, "branch": None}
    assert (context.shown, context.cost) == ({}, OwnCost())
    assert "system" not in [message.role for message in played([("j", "q")])[1].messages]


TALK = [
    ("jjj trip", "jjj"),
    ("jjq hotel", "jjq"),
    ("by the way, vvv", "vvv"),
    ("back to jjq", "jq"),
    ("what if jjj instead", "jj"),
    ("and jjj", "z"),
]


def test_the_path_is_shown_in_full_and_the_rest_as_summaries() -> None:
    # The fifth turn leaves round 1 for a branch of its own, so the sixth stands on 1, 5.
    past, context = played(TALK, "Rules.")
    assert [e.notes["decision"]["topic"]["action"] for e in past] == [
        "CREATE_TOPIC", "CONTINUE", "CREATE_TOPIC", "SWITCH_TOPIC", "CONTINUE",
    ]  # fmt: skip
    assert past[4].notes["decision"]["branch"] == {"action": "CREATE_BRANCH", "fork": 1}
    assert context.shown == {1: "full", 2: "summary", 3: "summary", 4: "summary", 5: "full"}
    told, *rounds = context.messages
    assert told.content == (
        "Rules.\n\nOther topics:\nTopic 2: by the way, vvv vvv\n\n"
        "Other branches of this topic:\nBranch b0: jjq hotel jjq back to jjq jq"
    )
    assert rounds == [*past[0].messages, *past[4].messages, Message("user", "and jjj")]
    assert context.cost == OwnCost(embedded=2)


def test_what_is_shown_is_what_a_forest_shows() -> None:
    past, context = played(TALK, "Rules.")
    forest = Forest("Rules.")
    for exchange in past:
        forest.move(**exchange.notes["decision"])
        forest.add(exchange.prompt.query, exchange.heard, f"{exchange.prompt.query} {exchange.heard}")
    assert context.decision is not None
    forest.move(**context.decision)
    assert forest.messages("and jjj") == context.messages


def test_a_summary_is_made_once_and_noted() -> None:
    past, context = played(TALK)
    made = [sorted(exchange.notes.get("summaries", {})) for exchange in [*past, Exchange(prompt(6, ""), "", "")]]
    assert made == [[], [], ["1", "2"], ["3"], ["4"], []]
    assert "summaries" not in context.notes


def test_notes_are_json_and_enough_for_another_process() -> None:
    past, context = played(TALK, "Rules.")
    stored = [Exchange(e.prompt, e.answer, e.heard, json.loads(json.dumps(e.notes))) for e in past]
    again = asyncio.run(open_strategy("tree", embedder=Letters()).build("Rules.", stored, prompt(6, "and jjj")))
    assert again == context


def test_a_noted_summary_counts_more_than_today_s_rules() -> None:
    past, _ = played(TALK)
    past[2] = Exchange(past[2].prompt, "", past[2].heard, {**past[2].notes, "summaries": {"1": "A.", "2": "B."}})
    context = asyncio.run(open_strategy("tree", embedder=Letters()).build("", past, prompt(6, "and jjj")))
    assert "Branch b0: B. back to jjq jq" in context.messages[0].content


def test_rounds_without_notes_go_on_with_one_topic() -> None:
    past = [Exchange(prompt(n, f"j{n}"), "q", "q") for n in (1, 2)]
    context = asyncio.run(open_strategy("tree", embedder=Letters()).build("", past, prompt(3, "j")))
    assert context.shown == {1: "full", 2: "full"}


@pytest.mark.parametrize(
    "notes",
    [
        {"decision": {"topic": {"action": "SWITCH_TOPIC", "target": 7}}},
        {"decision": {"topic": "CONTINUE"}},
        {"decision": ["CONTINUE"]},
        {"summaries": {"9": "nine"}},
        {"summaries": {"one": "1"}},
        {"summaries": ["one"]},
    ],
)
def test_notes_of_something_else_are_refused(notes: dict[str, Any]) -> None:
    past = [Exchange(prompt(1, "j"), "q", "q"), Exchange(prompt(2, "j"), "q", "q", notes)]
    with pytest.raises(UsageError, match="the notes of round 2 are none of the context strategy tree"):
        asyncio.run(open_strategy("tree", embedder=Letters()).build("", past, prompt(3, "j")))


def test_another_embedder_does_not_continue_a_session() -> None:
    past, _ = played(TALK)
    with pytest.raises(UsageError, match="gives round 1 another vector"):
        asyncio.run(open_strategy("tree", embedder=Reversed()).build("", past, prompt(6, "and jjj")))


class Reversed(Letters):
    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector[::-1] for vector in super().__call__(texts)]


def test_what_was_heard_is_embedded_shown_and_summarised() -> None:
    letters = Letters()
    strategy = open_strategy("tree", embedder=letters)
    past = [Exchange(prompt(1, "jjj"), "<think>q</think> jj", "jj")]
    first = asyncio.run(strategy.build("", past, prompt(2, "j")))
    assert letters.seen == ["jjj\njj", "j"] and first.messages[1] == Message("assistant", "jj")
    aside = asyncio.run(strategy.build("", past, prompt(2, "by the way, zz")))
    assert aside.messages[0] == Message("system", "Other topics:\nTopic 1: jjj jj")


def test_rounds_and_prompts_of_several_messages_are_shown_whole() -> None:
    picture = Image(b"x", "image/png")
    asked = Prompt(1, 1, (Message("user", "jjj"), Message("assistant", "so?"), Message("user", "jjq", (picture,))))
    past = [Exchange(asked, "q", "q")]
    now = Prompt(1, 2, (Message("user", "first"), Message("user", "jjq", (picture,))))
    strategy = open_strategy("tree", embedder=Letters())
    context = asyncio.run(strategy.build("", past, now))
    assert context.messages == (*past[0].messages, *now.messages)
    aside = asyncio.run(strategy.build("", past, Prompt(1, 2, (Message("user", "by the way, zz"),))))
    assert aside.messages[0].content == "Other topics:\nTopic 1: jjj jjq q"


def test_half_a_character_is_the_same_after_it_was_stored() -> None:
    past, context = played([("jjj \ud83d", "jj"), ("by the way, zzz", "")])
    assert context.notes["summaries"] == {"1": "jjj ? jj"}
    assert context.messages[0].content.endswith("jjj ? jj") and past


def test_without_retrieval_nothing_is_embedded_and_only_an_aside_leaves_the_topic() -> None:
    turns = [("jjj", "a"), ("zzz", "b"), ("By the way, jjj?", "c"), ("Back to zzz.", "d")]
    embedder = Letters()
    strategy = open_strategy("tree?retrieval=none", embedder=embedder)
    past: list[Exchange] = []
    for number, (query, reply) in enumerate(turns, 1):
        context = asyncio.run(strategy.build("", past, prompt(number, query)))
        past.append(Exchange(prompt(number, query), reply, reply, context.notes))
        assert context.decision is not None and context.decision["branch"] is None
    actions = [exchange.notes["decision"]["topic"]["action"] for exchange in past]
    assert actions == ["CREATE_TOPIC", "CONTINUE", "CREATE_TOPIC", "CONTINUE"]
    assert not embedder.seen and context.cost.embedded == 0
    assert context.shown == {1: "summary", 2: "summary", 3: "full"}


@installed
def test_summaries_of_queries_alone_hold_nothing_of_the_answer() -> None:
    turns = [("jjj", "One answer."), ("By the way, vvv?", "Another.")]
    _, context = played(turns, name="tree?retrieval=none&summariser=query")
    assert context.messages[0].content == "Other topics:\nTopic 1: jjj"
    _, context = played([("", "One answer."), turns[1]], name="tree?retrieval=none&summariser=query")
    assert context.messages[0].content == "Other topics:\nTopic 1: One answer."


@installed
def test_theta_decides_when_a_cue_is_believed() -> None:
    turns = [("jjjj", ""), ("by the way, zzzz", ""), ("back to jjzz", "")]  # similar by 0.71 to both
    switched = {"topic": {"action": "SWITCH_TOPIC", "target": 0}, "branch": None}
    assert played(turns)[1].decision == switched
    assert played(turns, name="tree?theta=0.9")[1].decision != switched

"""What sections 1 to 4 of the page say of strategies that are opened by name."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_forest import PageForest
from page_strategies import actions, by_words, flat, play

from evolif import UsageError
from evolif.contexts import full_history, last_turns, open_strategy, retrieval_messages, top_k
from evolif.types import Exchange, Message, Prompt

ROUNDS = [(f"Question {i} of mine.", f"Answer {i} of yours.") for i in range(1, 9)]
VOCABULARY = ("trip", "garden", "code", "hotel", "lisbon", "porto")
EMBED = by_words(*VOCABULARY)
NAMES = ["full", "last:0", "last:2", "last", "retrieval:2", "retrieval", "summary:2", "summary:0", "summary", "tree"]
WORDS = ["trip", "garden", "code", "hotel", "sea", "what if", "instead", "back to", "earlier", "it", "and", "also"]
SAID = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
TALKS = st.lists(SAID, min_size=1, max_size=9)


def numbered(queries: Sequence[str]) -> list[tuple[str, str]]:
    """Rounds that can be told apart."""
    return [(f"<q{i}> {q}", f"<a{i}> Sure.") for i, q in enumerate(queries, 1)]


# Names


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("full", "full"),
        ("last", "last:4"),
        ("last:4", "last:4"),
        ("last:0", "last:0"),
        ("last:12", "last:12"),
        ("tree", "tree?decider=rules&summariser=rules&theta=0.4&embedder=wordllama"),
        ("tree?theta=0.4", "tree?decider=rules&summariser=rules&theta=0.4&embedder=wordllama"),
        ("tree?embedder=wordllama&theta=0.55", "tree?decider=rules&summariser=rules&theta=0.55&embedder=wordllama"),
    ],
)
def test_a_name_spells_out_its_defaults(name: str, canonical: str) -> None:
    assert open_strategy(name).name == canonical


@pytest.mark.parametrize("name", [*NAMES, "retrieval:7", "summary:5", "tree?theta=0.25"])
def test_a_canonical_name_names_itself(name: str) -> None:
    canonical = open_strategy(name).name
    assert open_strategy(canonical).name == canonical


def test_what_a_name_spells_out() -> None:
    assert open_strategy("summary").name.startswith("summary:2")
    assert "summariser=rules" in open_strategy("summary").name
    assert "wordllama" in open_strategy("retrieval:3").name


BAD = ["last:-1", "retrieval:-1", "summary:-1", "last:x", "tree?theta=x", "tree?colour=red", "wood"]


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(UsageError):
        open_strategy(name)


# All strategies


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("system", ["", "Be brief.\n\nAlways."])
def test_the_first_turn_shows_the_system_text_and_the_query(name: str, system: str) -> None:
    [context] = play(name, [], "Hello", system=system, embedder=EMBED)
    assert flat(context) == ([("system", system)] if system else []) + [("user", "Hello")]
    assert dict(context.shown) == {}


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10)
@given(queries=TALKS, system=st.sampled_from(["", "Be brief.\nAlways."]))
def test_what_all_strategies_have_in_common(name: str, queries: list[str], system: str) -> None:
    rounds = numbered(queries)
    for n, context in enumerate(play(name, rounds, "<now>", system=system, embedder=EMBED)):
        messages = flat(context)
        assert messages[-1] == ("user", rounds[n][0] if n < len(rounds) else "<now>")
        head = [m for m in messages if m[0] == "system"]
        assert head == messages[: len(head)] and len(head) <= 1
        assert all(text.startswith(system) and text.strip() for _, text in head)
        assert bool(head) or not system
        body = messages[len(head) : -1]
        assert [role for role, _ in body] == ["user", "assistant"] * (len(body) // 2)
        full = [rounds.index((body[i][1], body[i + 1][1])) + 1 for i in range(0, len(body), 2)]
        assert full == sorted(set(full))
        assert [t for t, how in sorted(context.shown.items()) if how == "full"] == full
        assert set(context.shown) <= set(range(1, n + 1))
        assert set(context.shown.values()) <= {"full", "summary"}
        for turn in full:
            assert not head or f"<q{turn}>" not in head[0][1]
        assert "unheard" not in str(messages)


@pytest.mark.parametrize("name", NAMES)
def test_a_strategy_keeps_no_state(name: str) -> None:
    queries = ["a trip", "the hotel for the trip", "garden beds", "back to the trip", "what if lisbon instead", "code"]
    once = play(name, numbered(queries), "it", system="s", embedder=EMBED)
    resumed = play(name, numbered(queries), "it", system="s", embedder=EMBED, fresh=True)
    assert [flat(c) for c in once] == [flat(c) for c in resumed]
    assert [dict(c.shown) for c in once] == [dict(c.shown) for c in resumed]
    assert [c.decision for c in once] == [c.decision for c in resumed]


@pytest.mark.parametrize("name", ["full", "last:2", "retrieval:1", "summary:1", "tree"])
def test_a_prompt_of_several_messages_stays_whole_and_last(name: str) -> None:
    first = Prompt(0, 1, (Message("user", "One."),))
    now = (Message("user", "Rules of the game."), Message("assistant", "Fine."), Message("user", "trip"))
    strategy = open_strategy(name, embedder=EMBED)
    begun = asyncio.run(strategy.build("s", (), first))
    past = (Exchange(first, "Yes.", "Yes.", begun.notes),)
    context = asyncio.run(strategy.build("s", past, Prompt(0, 2, now)))
    assert context.messages[-3:] == now


# full, last


def test_full_shows_everything() -> None:
    contexts = play("full", ROUNDS, "q", system="s")
    for n, context in enumerate(contexts[:-1]):
        assert context.messages == full_history(ROUNDS[:n], ROUNDS[n][0], "s")
        assert dict(context.shown) == dict.fromkeys(range(1, n + 1), "full")
    assert contexts[-1].messages == full_history(ROUNDS, "q", "s")


@pytest.mark.parametrize("k", [0, 1, 3, 4, 8, 20])
def test_last_shows_the_latest_rounds(k: int) -> None:
    context = play(f"last:{k}", ROUNDS, "q", system="s")[-1]
    assert context.messages == last_turns(ROUNDS, "q", k, "s")
    assert dict(context.shown) == dict.fromkeys(range(1, 9)[max(0, 8 - k) :], "full")


# retrieval

TOPICS = [(q, "Yes.") for q in ("trip", "garden", "trip hotel", "code", "hotel", "garden code")]


@pytest.mark.parametrize("query", ["trip", "garden", "code please", "hotel trip", "nothing of these"])
@pytest.mark.parametrize("k", [0, 1, 2, 4, 9])
def test_retrieval_shows_the_most_similar_rounds(k: int, query: str) -> None:
    context = play(f"retrieval:{k}", TOPICS, query, embedder=EMBED)[-1]
    vectors, [vector] = EMBED([f"{q}\n{a}" for q, a in TOPICS]), EMBED([query])
    assert context.messages == retrieval_messages(TOPICS, query, vector, vectors, k)
    assert dict(context.shown) == dict.fromkeys([i + 1 for i in top_k(vector, vectors, k)], "full")


@pytest.mark.parametrize(
    ("count", "labels", "k"),
    [
        (12, {}, 3), (20, {}, 5), (20, {"rounds": 10}, 3), (20, {"rounds": 15}, 3),
        (12, {"rounds": 20}, 5), (4, {"rounds": 25}, 4), (2, {}, 2),
    ],
)  # fmt: skip
def test_how_many_rounds_retrieval_shows_unless_told(count: int, labels: dict[str, Any], k: int) -> None:
    rounds = [(f"trip {i}", "a") for i in range(count)]
    context = play("retrieval", rounds, "trip", embedder=EMBED, labels=labels)[-1]
    assert len(context.shown) == k
    assert sorted(context.shown) == list(range(count - k + 1, count + 1))  # all tied: the latest


@pytest.mark.parametrize("name", ["retrieval:2", "tree"])
def test_what_is_embedded(name: str) -> None:
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> list[list[float]]:
        seen.extend(texts)
        return EMBED(texts)

    long = " ".join(f"w{i}" for i in range(400))
    play(name, [("trip one", "Heard one."), (long, "Heard two."), ("trip three", long)], "trip now", embedder=embed)
    assert "trip one\nHeard one." in seen
    assert "trip now" in seen
    assert not any("unheard" in text for text in seen)
    # a query's text is embedded alone, of a round at most 256 words
    assert all(len(text.split()) <= 256 or text == long for text in seen)
    assert any(len(text.split()) == 256 and text.startswith("w0 w1") for text in seen)


# summary


def test_older_rounds_are_summed_up() -> None:
    context = play("summary:2", ROUNDS, "q", system="Be brief.")[-1]
    system = context.messages[0].content
    head, _, block = system.partition("\n\nEarlier in this conversation:\n")
    assert head == "Be brief."
    lines = block.split("\n")
    assert len(lines) == 6
    for i, line in enumerate(lines, 1):
        assert f"Question {i} of mine." in line and f"Answer {i} of yours." in line
    assert context.messages[1:] == full_history(ROUNDS[6:], "q")
    assert dict(context.shown) == {**dict.fromkeys(range(1, 7), "summary"), 7: "full", 8: "full"}


def test_summaries_without_a_system_text() -> None:
    context = play("summary:1", ROUNDS[:2], "q")[-1]
    assert context.messages[0].content.startswith("Earlier in this conversation:\n")
    assert len(context.messages) == 4


def test_no_summaries_while_everything_is_shown() -> None:
    context = play("summary:2", ROUNDS[:2], "q", system="s")[-1]
    assert context.messages == full_history(ROUNDS[:2], "q", "s")


def test_two_rounds_in_full_unless_told() -> None:
    context = play("summary", ROUNDS, "q")[-1]
    assert [t for t, how in context.shown.items() if how == "full"] == [7, 8]


def test_a_long_block_is_condensed_from_its_oldest_half() -> None:
    rounds = [(f"Round {i} " + "wants many more words than fit into a line " * 3, "Yes indeed.") for i in range(1, 25)]
    contexts = play("summary:2", rounds, "q")
    lines = contexts[-1].messages[0].content.split("\n")[1:]
    assert len(lines) == 22
    assert len(lines[0].split()) == 12 and lines[0].startswith("Round 1 ")
    assert len(lines[-1].split()) > 20 and lines[-1].startswith("Round 22 ")
    few = contexts[5].messages[0].content.split("\n")[1:]  # three summaries of 30 words: fewer than 400 tokens
    assert len(few) == 3 and all(len(line.split()) > 20 for line in few)


# The tree


def test_summaries_by_rules_hold_the_query_and_the_first_sentence() -> None:
    rounds = [("I want a trip to Lisbon.", "Lovely. More later."), ("Now my garden is dry.", "I see. Water it.")]
    context = play("tree", rounds, "By the way, some code?", embedder=EMBED)[-1]
    text = "Other topics:\nTopic 1: I want a trip to Lisbon. Lovely.\nTopic 2: Now my garden is dry. I see."
    assert flat(context) == [("system", text), ("user", "By the way, some code?")]


def test_long_queries_are_summed_up_by_what_matters() -> None:
    filler = "so there is really not a lot to tell about any of this. " * 4
    query = f"{filler}we need 17 chairs for it. {filler}and then there is my garden."
    rounds = [(query, "word " * 60 + "end. Next.")]
    context = play("summary:0", rounds, "q")[-1]
    [line] = context.messages[0].content.split("\n")[1:]
    assert "17 chairs" in line
    assert len(line.split()) <= 40 + 25
    assert "Next." not in line


@settings(max_examples=40)
@given(TALKS)
def test_the_tree_shows_every_round_once(queries: list[str]) -> None:
    """Rounds on the path in full, all others as summaries: the decisions, replayed, say which."""
    rounds = numbered(queries)
    model = PageForest()
    for n, context in enumerate(play("tree", rounds, "<now>", embedder=EMBED)):
        model.move(*actions(context))
        path = model.path()
        assert dict(context.shown) == {i: "full" if i in path else "summary" for i in range(1, n + 1)}
        query = rounds[n][0] if n < len(rounds) else "<now>"
        assert flat(context) == model.messages(query)
        reply = rounds[n][1] if n < len(rounds) else ""
        model.add(query, reply, f"{query} {reply}")


def told(*queries: str, name: str = "tree") -> tuple[dict[str, Any], dict[str, Any]]:
    """The decisions at the last of some queries."""
    topic, branch = actions(play(name, [(q, "Fine.") for q in queries[:-1]], queries[-1], embedder=EMBED)[-1])
    return dict(topic), dict(branch)


GO = {"action": "CONTINUE"}
NEW = {"action": "CREATE_TOPIC"}
BACK = {"action": "SWITCH_TOPIC", "target": 0}


@pytest.mark.parametrize(
    ("queries", "topic"),
    [
        (["Plan a trip."], NEW),  # no tree
        (["By the way, plan a trip."], NEW),
        (["Back to the trip."], NEW),
        (["Plan a trip.", "Dates of a trip matter most."], GO),
        (["Plan a trip.", "Our garden looks rather dry these days."], NEW),  # all similarities are low
        (["Plan a trip.", "By the way, our garden looks dry."], NEW),
        (["Plan a trip.", "Another question: our garden looks dry."], NEW),
        (["Plan a trip.", "And it should be cheap."], GO),  # a follow-up, however dissimilar
        (["Plan a trip.", "Change that, please."], GO),
        (["Plan a trip.", "Our garden looks rather dry.", "Back to the trip: three days."], BACK),
        (["Plan a trip.", "Our garden looks rather dry.", "As we said, a trip of three days."], BACK),
        (["Plan a trip.", "Our garden looks rather dry.", "Trip of three days."], BACK),  # by its lead alone
        (["Plan a trip.", "Our garden looks rather dry.", "Garden hoses."], GO),
        (["Plan a trip.", "Our garden looks rather dry.", "Unrelated: write code."], NEW),
        (["Plan a trip.", "Our garden looks dry.", "Some code now.", "Back to the garden."], {**BACK, "target": 1}),
        (["Plan a trip.", "Our garden looks dry.", "Some code now.", "Back to the trip."], BACK),
    ],
)
def test_what_the_rules_decide_on_topics(queries: list[str], topic: dict[str, Any]) -> None:
    assert told(*queries)[0] == topic


TRIP = ("Plan a trip to Lisbon.", "Trip hotel, please.")


@pytest.mark.parametrize(
    ("queries", "branch"),
    [
        ([*TRIP, "What if our trip left Lisbon out?"], {"action": "CREATE_BRANCH", "fork": 1}),
        ([*TRIP, "Our trip could skip Lisbon, another option maybe."], {"action": "CREATE_BRANCH", "fork": 1}),
        ([*TRIP, "Trip to Lisbon is fine with me."], GO),  # an ancestor, without a cue
        ([*TRIP, "What if our trip has no hotel?"], GO),  # the current node is none of its ancestors
        (
            [*TRIP, "What if our trip left Lisbon out?", "Porto seems nice.", "Back to a trip with a hotel."],
            {"action": "SWITCH_BRANCH", "target": "b0"},
        ),
    ],
)
def test_what_the_rules_decide_on_branches(queries: list[str], branch: dict[str, Any]) -> None:
    assert told(*queries)[1] == branch


def test_the_gate_is_closed_below_theta() -> None:
    queries = [*TRIP, "What if our trip left code and garden out?"]  # similarity 0.41 to 1 and 2
    assert told(*queries, name="tree?theta=0.9")[1] == GO


def test_names_of_decisions_are_known() -> None:
    for context in play("tree", ROUNDS, "q", embedder=EMBED):
        assert context.decision is not None and set(context.decision) == {"topic", "branch"}
        topic, branch = actions(context)
        assert re.fullmatch("CREATE_TOPIC|SWITCH_TOPIC|CONTINUE", topic["action"])
        assert re.fullmatch("CREATE_BRANCH|SWITCH_BRANCH|CONTINUE", branch["action"])

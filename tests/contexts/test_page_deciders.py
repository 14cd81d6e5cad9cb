"""Sections 3 and 4 of the page with a chat model that decides and sums up: what it is asked, and its faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from page_strategies import Talker, actions, by_words, calls, flat, play

from evolif.contexts import count_tokens
from evolif.errors import ModelError, UsageError
from evolif.models.base import ChatRequest

EMBED = by_words("trip", "garden", "hotel", "lisbon")
DECIDER = "tree?decider=model"
GO = {"action": "CONTINUE"}
NEW = {"action": "CREATE_TOPIC"}


def answer(**fields: Any) -> str:
    return json.dumps({"target": None, "reason": "because", **fields})


def about_branches(request: ChatRequest) -> bool:
    """Whether a call asks for a branch decision: only that one has a fork."""
    return "fork" in json.dumps(dict(request.schema or {})) or "CREATE_BRANCH" in str(request.messages)


def model(*topics: str, branch: str = answer(**GO, fork=None)) -> Talker:
    """A decider that gives the topic answers one after the other, the last one again and again."""
    left = list(topics)

    def reply(request: ChatRequest) -> str:
        if about_branches(request):
            return branch
        return left.pop(0) if len(left) > 1 else left[0]

    return Talker(reply)


def decided(talker: Talker, *queries: str, name: str = DECIDER) -> tuple[dict[str, Any], dict[str, Any]]:
    rounds = [(q, "Fine.") for q in queries[:-1]]
    topic, branch = actions(play(name, rounds, queries[-1], embedder=EMBED, models={"context": talker})[-1])
    return dict(topic), dict(branch)


def test_a_decider_needs_a_model() -> None:
    with pytest.raises(UsageError, match="--context-model"):
        play(DECIDER, [], "q", embedder=EMBED)


@pytest.mark.parametrize(
    ("replies", "topic"),
    [
        ([answer(**NEW)], NEW),
        ([answer(**GO)], GO),
        ([answer(action="SWITCH_TOPIC", target=0)], {"action": "SWITCH_TOPIC", "target": 0}),
        (["What?", answer(**NEW)], NEW),  # asked once more
        (["[]", answer(**NEW)], NEW),
        (['{"action": "JUMP"}', answer(**NEW)], NEW),
        ([answer(action="SWITCH_TOPIC", target=9), answer(**NEW)], NEW),
        ([answer(action="SWITCH_TOPIC", target=None), answer(**NEW)], NEW),
        ([answer(action="SWITCH_TOPIC", target="a tree"), answer(**NEW)], NEW),
        (["What?", "Pardon?", answer(**NEW)], GO),  # but only once
        ([answer(action="SWITCH_TOPIC", target=9)] * 2 + [answer(**NEW)], GO),
        (["", "", answer(**NEW)], GO),
        (["[" * 100_000, "{" * 100_000, answer(**NEW)], GO),
    ],
)
def test_the_decision_on_a_topic(replies: list[str], topic: dict[str, Any]) -> None:
    def reply(request: ChatRequest) -> str:
        if "third" not in str(request.messages):
            return answer(**GO)
        return replies.pop(0) if len(replies) > 1 else replies[0]

    talker = Talker(lambda r: answer(**GO, fork=None) if about_branches(r) else reply(r))
    assert decided(talker, "trip one", "trip two", "garden third")[0] == topic


def test_a_decision_is_asked_for_twice_at_most() -> None:
    talker = Talker(lambda _: "What?")
    contexts = play(DECIDER, [("trip", "Fine.")], "garden", embedder=EMBED, models={"context": talker})
    assert calls(contexts[-1]) == 2
    assert contexts[-1].cost.fallbacks == 1
    assert [dict(part) for part in actions(contexts[0])] == [NEW, GO]  # no tree
    assert [dict(part) for part in actions(contexts[1])] == [GO, GO]


def test_the_second_question_gives_the_reason() -> None:
    talker = Talker(lambda _: answer(action="SWITCH_TOPIC", target=77))
    play(DECIDER, [("trip", "Fine.")], "garden", embedder=EMBED, models={"context": talker})
    first, second = talker.asked[-2:]
    assert len(str(second.messages)) > len(str(first.messages))
    assert "77" in str(second.messages)


def test_a_decider_sees_every_tree_and_the_query() -> None:
    talker = model(answer(**NEW))
    rounds = [("My trip to Lisbon.", "Fine."), ("My dry garden.", "Oh."), ("My old hotel.", "Yes.")]
    play(DECIDER, rounds, "Where were we?", embedder=EMBED, models={"context": talker})
    last = str(talker.asked[-1].messages)
    for text in ("My trip to Lisbon.", "My dry garden.", "My old hotel.", "Where were we?"):
        assert text in last
    assert {"action", "target", "reason"} <= set(str(talker.asked[-1].schema).replace("'", " ").split())


def test_one_call_a_turn_where_the_gate_is_closed() -> None:
    talker = model(answer(**GO))
    rounds = [("trip", "Fine."), ("trip", "Fine.")]
    contexts = play(f"{DECIDER}&theta=1", rounds, "trip", embedder=EMBED, models={"context": talker})
    assert not any(about_branches(r) for r in talker.asked)
    assert [calls(c) for c in contexts[1:]] == [1, 1]


TRIP = ("trip to Lisbon", "trip hotel", "trip without Lisbon")


@pytest.mark.parametrize(
    ("reply", "branch"),
    [
        (answer(action="CREATE_BRANCH", fork=1), {"action": "CREATE_BRANCH", "fork": 1}),
        (answer(action="CREATE_BRANCH", fork=2), {"action": "CREATE_BRANCH", "fork": 2}),  # not the most similar
        (answer(action="SWITCH_BRANCH", fork=None, target="b0"), {"action": "SWITCH_BRANCH", "target": "b0"}),
        (answer(**GO, fork=None), GO),
        (answer(action="CREATE_BRANCH", fork=9), GO),
        (answer(action="SWITCH_BRANCH", fork=None, target="b9"), GO),
        ("What?", GO),
    ],
)
def test_the_decision_on_a_branch(reply: str, branch: dict[str, Any]) -> None:
    talker = model(answer(**GO), branch=reply)
    assert decided(talker, *TRIP) == (GO, branch)
    asked = [r for r in talker.asked if about_branches(r)]
    assert len(asked) == (2 if branch == GO and reply != answer(**GO, fork=None) else 1)


def test_a_decider_sees_the_path_and_the_most_similar_nodes() -> None:
    talker = model(answer(**GO))
    said = ["trip alpha", "hotel beta", "garden gamma", "hotel delta", "lisbon epsilon"]
    play(DECIDER, [(q, "Fine.") for q in said], "trip garden zeta", embedder=EMBED, models={"context": talker})
    asked = [r for r in talker.asked if about_branches(r) and "zeta" in str(r.messages)]
    assert len(asked) == 1
    content = asked[0].messages[-1].content
    assert "trip garden zeta" in content
    for query in said:  # all are on the path
        assert query in content
    # the two that are similar are shown once more than the others at least
    assert min(content.count("trip alpha"), content.count("garden gamma")) > min(map(content.count, said))


def test_a_node_of_another_tree_is_no_fork() -> None:
    topics = [answer(**NEW), answer(**GO), answer(**GO)]

    def reply(request: ChatRequest) -> str:
        if about_branches(request):
            return answer(action="CREATE_BRANCH", fork=1)
        return answer(**NEW) if "trip to" in str(request.messages[-1]) else topics.pop(0)

    assert decided(Talker(reply), "garden", *TRIP)[1] == GO


def test_cost_counts_all_calls() -> None:
    talker = model(answer(**GO), branch=answer(action="CREATE_BRANCH", fork=1))
    name = "tree?decider=model&summariser=model"
    contexts = play(name, [(q, "Fine.") for q in TRIP], "trip", embedder=EMBED, models={"context": talker})
    assert sum(calls(c) for c in contexts) == len(talker.asked)
    # counted by the one offline counter; what a provider reports is kept apart
    asked = sum(count_tokens(m.content) for request in talker.asked for m in request.messages)
    assert sum(c.cost.prompt_tokens for c in contexts) == asked
    told = sum(count_tokens(talker.answer(request)) for request in talker.asked)
    assert sum(c.cost.completion_tokens for c in contexts) == told
    assert all(c.cost.seconds >= 0 for c in contexts)


@pytest.mark.parametrize("name", ["tree", "full", "last:2", "retrieval:2", "summary:2"])
def test_rules_call_no_model(name: str) -> None:
    talker = model(answer(**GO))
    contexts = play(name, [(q, "Fine.") for q in TRIP], "trip", embedder=EMBED, models={"context": talker})
    assert talker.asked == []
    assert [calls(c) for c in contexts] == [0] * 4


def failing(_: ChatRequest) -> str:
    raise ModelError("The endpoint is down.")


@pytest.mark.parametrize("name", [DECIDER, "summary:0?summariser=model"])
def test_a_lasting_fault_of_the_provider_is_passed_on(name: str) -> None:
    with pytest.raises(ModelError):
        play(name, [("trip", "Fine.")] * 2, "garden", embedder=EMBED, models={"context": Talker(failing)})


@pytest.mark.parametrize("name", [DECIDER, "tree?decider=model&summariser=model"])
def test_resuming_rebuilds_the_state_without_a_call(name: str) -> None:
    def run(fresh: bool) -> tuple[list[Any], list[int], int]:
        def reply(request: ChatRequest) -> str:
            return answer(**NEW) if "garden" in request.messages[-1].content else answer(**GO, fork=None)

        talker = Talker(reply)
        rounds = [(q, "Fine.") for q in ("trip", "garden one", "trip hotel", "hotel garden", "lisbon")]
        contexts = play(name, rounds, "trip", embedder=EMBED, models={"context": talker}, fresh=fresh)
        return [flat(c) for c in contexts], [calls(c) for c in contexts], len(talker.asked)

    assert run(fresh=False) == run(fresh=True)


# Summaries by a model


def summed_up(reply: Callable[[ChatRequest], str], query: str) -> str:
    models = {"context": Talker(reply)}
    context = play("summary:0?summariser=model", [(query, "Fine. Noted.")], "q", embedder=EMBED, models=models)[-1]
    return context.messages[0].content.removeprefix("Earlier in this conversation:\n")


def test_a_summary_by_a_model() -> None:
    assert summed_up(lambda _: "The user wants a trip and was told yes.", "a trip") == (
        "The user wants a trip and was told yes."
    )


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("I need 17 rooms and 4 cars.", ["17", "4"]),
        ("We fly to Lisbon with Amelia.", ["Lisbon", "Amelia"]),
        ("It starts at 18:30 and costs 1,250 euros.", ["18:30", "1,250"]),
    ],
)
def test_numbers_and_names_that_a_model_leaves_out_are_appended(query: str, missing: list[str]) -> None:
    text = summed_up(lambda _: "The user made plans.", query)
    assert text.startswith("The user made plans.")
    assert all(word in text for word in missing)


def test_nothing_is_appended_where_nothing_is_missing() -> None:
    full = "The user needs 17 rooms in Lisbon."
    assert summed_up(lambda _: full, "I need 17 rooms in Lisbon.") == full


@pytest.mark.parametrize("reply", ["", "  \n "])
def test_a_summary_that_is_none_is_made_by_rules(reply: str) -> None:
    assert summed_up(lambda _: reply, "A small trip, please.") == "A small trip, please. Fine."


def test_a_summary_is_made_once_and_kept() -> None:
    talker = Talker(lambda _: "The user wants things.")
    rounds = [("one thing", "Fine."), ("two things", "Fine."), ("three things", "Fine.")]
    play("summary:1?summariser=model", rounds, "q", embedder=EMBED, models={"context": talker}, fresh=True)
    assert len(talker.asked) == 2  # rounds 1 and 2, each when it was first needed

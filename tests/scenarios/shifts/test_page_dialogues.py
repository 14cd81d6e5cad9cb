"""Every rule of section 5 of the page that a generated dialogue shows."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, islice
from statistics import mean, median
from typing import Any

import pytest
from page_answers import block
from plain_forest import gold_forest, gold_steps

from evolif.scenarios.shifts import check_answer, generate
from evolif.scenarios.shifts.checking import invented

CLASSES = (10, 15, 20, 25)
MOVES = {"open", "topic", "digress", "continue", "alternative", "return", "final"}
TYPES = {"text", "number", "date", "time", "yes_no", "item"}


@cache
def made() -> tuple[Any, ...]:
    """Dialogues of every class, from a few seeds."""
    return tuple(d for seed in (0, 1, 2, 2027) for d in generate(40, seed=seed))


def of_class(rounds: int) -> list[Any]:
    return [d for d in made() if d.rounds == rounds]


def each() -> Iterator[tuple[Any, dict[str, Any]]]:
    """Each checkpoint with its dialogue."""
    return ((d, goal) for d in made() for goal in d.checkpoints)


def plain(text: str) -> str:
    words = re.findall(r"\w+(?:[:.'’-]\w+)*|[^\w\s]", text.casefold().replace("’", "'"))
    return " " + " ".join(re.findall(r"[\w]+", " ".join(words))) + " "


def says(text: str, value: Any) -> bool:
    """Whether a text holds a text's, an item's or a number's value."""
    if isinstance(value, str):
        return plain(value) in plain(text)
    found = re.findall(r"(?<![\w.,])[€$£]?(\d[\d,]*(?:\.\d+)?)(?![\d])", text)
    return any(float(n.replace(",", "")) == value for n in found)


def sayable(goal: dict[str, Any]) -> bool:
    return goal["type"] in ("text", "item", "number")


def words(text: str) -> int:
    return len(text.split())


def everything(dialogue: Any) -> str:
    """Its bytes, as far as they can be seen."""
    turns = [
        (t.turn, t.move, list(t.acts), t.topic, t.branch, t.fork, t.returns, t.query, t.reply) for t in dialogue.turns
    ]
    goals = [dict(g) for g in dialogue.checkpoints]
    return json.dumps([dialogue.rounds, turns, goals, dialogue.witness], default=list)


# Seeds and numbers


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert [everything(d) for d in generate(12, seed=9)] == [everything(d) for d in generate(12, seed=9)]


def test_other_seeds_give_other_dialogues() -> None:
    queries = {tuple(t.query for t in d.turns) for d in made()}
    assert len(queries) == len(made())


def test_a_dialogue_does_not_depend_on_how_many_are_asked_for() -> None:
    few = [everything(d) for d in generate(3, seed=4)]
    assert [everything(d) for d in islice(generate(10**9, seed=4), 3)] == few


def test_the_default_seed_is_zero() -> None:
    assert everything(next(generate(1))) == everything(next(generate(1, seed=0)))


def test_none_are_made_where_none_are_asked_for() -> None:
    assert list(generate(0)) == []


@pytest.mark.parametrize("rounds", [(10, 15, 20, 25), (25,), (10, 10, 20), (20, 15), [15]])
def test_classes_are_taken_in_turn(rounds: Any) -> None:
    expected = [rounds[i % len(rounds)] for i in range(9)]
    dialogues = list(generate(9, rounds=rounds, seed=1))
    assert [d.rounds for d in dialogues] == expected
    assert [len(d.turns) for d in dialogues] == expected


def test_all_classes_are_the_default() -> None:
    assert [d.rounds for d in generate(8)] == [10, 15, 20, 25] * 2


@pytest.mark.parametrize("rounds", [(0,), (11,), (10, 12), (30,), ()])
def test_there_are_no_other_classes(rounds: tuple[int, ...]) -> None:
    with pytest.raises(ValueError):
        list(generate(2, rounds=rounds))


# Turns


def test_turns_are_numbered_from_one() -> None:
    for d in made():
        assert [t.turn for t in d.turns] == list(range(1, d.rounds + 1))


def test_moves_and_acts_are_those_of_the_page() -> None:
    for d in made():
        assert {t.move for t in d.turns} <= MOVES
        for t in d.turns:
            assert len(t.acts) <= 3
            assert set(t.acts) <= {"set", "refine", "add", "cancel", "withdraw", "ask"}
    assert {t.move for d in made() for t in d.turns} == MOVES


def test_the_first_turn_opens_and_the_last_one_asks_for_the_result() -> None:
    for d in made():
        assert [i for i, t in enumerate(d.turns) if t.move == "open"] == [0]
        assert [i for i, t in enumerate(d.turns) if t.move == "final"] == [d.rounds - 1]
        assert "set" in d.turns[0].acts or "add" in d.turns[0].acts
        assert d.turns[-1].topic == d.turns[0].topic == 0


def test_digressions_have_no_goals() -> None:
    for d in made():
        digressions = {t.topic for t in d.turns if t.move == "digress"}
        acts = {a for t in d.turns if t.topic in digressions for a in t.acts}
        assert acts <= {"ask"}


def test_other_topics_have_goals_of_their_own() -> None:
    for d in made():
        for topic in {t.topic for t in d.turns if t.move == "topic"}:
            assert any({"set", "add"} & set(t.acts) for t in d.turns if t.topic == topic)


def test_only_alternatives_fork() -> None:
    for d in made():
        for t in d.turns:
            assert (t.fork is not None) is (t.move == "alternative")
            if t.fork is not None:
                assert 1 <= t.fork < t.turn
                assert d.turns[t.fork - 1].topic == t.topic
                assert {"set", "refine"} & {*d.turns[t.fork - 1].acts} or d.turns[t.fork - 1].move == "alternative"


def test_returns_are_named_or_implicit_and_the_last_request_is_none() -> None:
    for d in made():
        for t in d.turns:
            assert t.returns in ("named", "implicit", None)
            assert (t.returns is not None) is (t.move == "return")


def test_a_forest_moved_by_the_gold_decisions_stands_where_the_turns_say() -> None:
    for d in made():
        forest = gold_forest(d)
        for t in d.turns:
            node = forest.nodes[t.turn]
            assert (node.tree, node.branch) == (t.topic, t.branch)
            if t.move == "alternative":
                assert node.parent == t.fork


def test_moves_are_what_their_decisions_do() -> None:
    for d in made():
        for before, t, (topic, branch) in zip(d.turns, d.turns[1:], gold_steps(d)[1:], strict=False):
            creates = topic["action"] == "CREATE_TOPIC"
            assert creates is (t.move in ("topic", "digress"))
            if t.move == "continue":
                assert (t.topic, t.branch) == (before.topic, before.branch)
            if t.move == "return":
                assert (t.topic, t.branch) != (before.topic, before.branch)
                assert (t.topic, t.branch) in {(s.topic, s.branch) for s in d.turns[: t.turn - 1]}
            if t.move == "alternative":
                assert branch is not None and t.topic == before.topic


@pytest.mark.parametrize(
    ("rounds", "topics", "alternatives", "refinements", "returns", "implicit", "digressions", "dropped", "goals"),
    [
        (10, 2, 1, 2, 1, 0, 2, 1, 4),
        (15, 2, 2, 3, 2, 1, 2, 1, 5),
        (20, 3, 2, 4, 3, 1, 3, 2, 6),
        (25, 3, 3, 5, 4, 2, 3, 2, 7),
    ],
)
def test_every_dialogue_has_at_least(
    rounds: int, topics: int, alternatives: int, refinements: int, returns: int,
    implicit: int, digressions: int, dropped: int, goals: int,
) -> None:  # fmt: skip
    assert of_class(rounds)
    for d in of_class(rounds):
        moves, acts = Counter(t.move for t in d.turns), Counter(a for t in d.turns for a in t.acts)
        assert moves["open"] + moves["topic"] >= topics
        assert moves["alternative"] >= alternatives
        assert acts["refine"] >= refinements
        assert sum(t.returns is not None for t in d.turns) >= returns
        assert sum(t.returns == "implicit" for t in d.turns) >= implicit
        assert moves["digress"] >= digressions
        assert acts["cancel"] + acts["withdraw"] >= dropped
        assert len(d.checkpoints) >= goals


# Checkpoints


def test_checkpoints_have_all_fields() -> None:
    names = {
        "id", "slot", "key", "type", "value", "polarity", "provenance", "superseded", "other_branch", "topic", "branch",
    }  # fmt: skip
    for d, goal in each():
        assert names <= set(goal) <= {*names, "aliases"}
        assert goal["type"] in TYPES
        assert goal["polarity"] in ("present", "absent")
        assert goal["topic"] == 0
        assert goal["branch"] in {t.branch for t in d.turns if t.topic == 0}
        for name in ("superseded", "other_branch"):
            for other in goal[name]:
                assert set(other) == {"value", "turn"}
                assert 1 <= other["turn"] < d.rounds
                assert other["value"] != goal["value"]


def test_ids_are_unique() -> None:
    for d in made():
        assert len({g["id"] for g in d.checkpoints}) == len(d.checkpoints) >= 3


def test_provenance_is_on_the_chosen_path() -> None:
    for d, goal in each():
        path = gold_forest(d).path()
        assert goal["provenance"]
        assert list(goal["provenance"]) == sorted(set(goal["provenance"]))
        assert set(goal["provenance"]) <= set(path) - {d.rounds}


def test_every_goal_is_said_in_words_that_hold_its_value() -> None:
    for d, goal in each():
        if sayable(goal):
            assert any(says(d.turns[n - 1].query, goal["value"]) for n in goal["provenance"]), goal


def test_what_was_superseded_was_said_in_its_turn() -> None:
    for d, goal in each():
        if sayable(goal):
            for other in (*goal["superseded"], *goal["other_branch"]):
                assert says(d.turns[other["turn"] - 1].query, other["value"]), goal


def test_values_of_one_dialogue_differ_and_none_contains_another() -> None:
    for d in made():
        values = set()
        for goal in d.checkpoints:
            if goal["type"] != "yes_no":
                own = [goal["value"], *[o["value"] for o in (*goal["superseded"], *goal["other_branch"])]]
                mine = {plain(str(v)) for v in own}
                assert not mine & values
                values |= mine
        assert not [(a, b) for a, b in combinations(values, 2) if a in b or b in a]


def test_a_list_with_a_cancelled_item_keeps_one_in_force() -> None:
    for d, goal in each():
        if goal["type"] == "item" and goal["polarity"] == "absent":
            assert any(g["key"] == goal["key"] and g["polarity"] == "present" for g in d.checkpoints)


def test_lists_have_items_and_other_slots_one_goal() -> None:
    for d in made():
        keys = [g["key"] for g in d.checkpoints if g["type"] != "item"]
        assert len(keys) == len(set(keys))
        assert not set(keys) & {g["key"] for g in d.checkpoints if g["type"] == "item"}


def test_values_have_the_types_that_they_are_said_to_have() -> None:
    patterns = {"date": r"\d{4}-\d\d-\d\d", "time": r"\d\d?:\d\d"}
    for _, goal in each():
        value, kind = goal["value"], goal["type"]
        if kind in patterns:
            assert re.fullmatch(patterns[kind], value)
        elif kind == "yes_no":
            assert isinstance(value, bool)
        elif kind == "number":
            assert isinstance(value, int | float) and not isinstance(value, bool)
        else:
            assert isinstance(value, str) and value.strip()


def test_one_branch_is_chosen_and_named_at_the_end() -> None:
    for d in made():
        forks = [g for g in d.checkpoints if g["other_branch"] and g["polarity"] == "present"]
        for goal in forks:
            assert goal["type"] == "text"
            assert says(d.turns[-1].query, goal["value"]), (d.turns[-1].query, goal)
        assert forks or not any(t.move == "alternative" and t.topic == 0 for t in d.turns)


# The final request and the witness


def witness(dialogue: Any) -> dict[str, Any]:
    [body] = re.findall(r"```json\n(.*?)```", dialogue.witness, flags=re.DOTALL)
    values = json.loads(body)
    assert isinstance(values, dict)
    return values


def test_the_final_request_lists_all_keys_and_shows_no_goal() -> None:
    for d in made():
        final = d.turns[-1].query
        assert "json" in final.casefold() and "null" in final.casefold()
        for key in witness(d):
            assert re.search(rf"(?<![A-Za-z0-9_]){re.escape(key)}(?![A-Za-z0-9_])", final), key
        for goal in d.checkpoints:
            if sayable(goal) and not goal["other_branch"]:
                assert not says(final, goal["value"]), (final, goal)


def test_the_key_list_shows_no_goal() -> None:
    """Some keys were never agreed."""
    assert all(set(witness(d)) >= {g["key"] for g in d.checkpoints} for d in made())
    assert any(set(witness(d)) > {g["key"] for g in d.checkpoints} for d in made())


def test_the_witness_satisfies_all_goals() -> None:
    for d in made():
        results = check_answer(d, d.witness)
        assert [r["id"] for r in results] == [g["id"] for g in d.checkpoints]
        assert all(r["satisfied"] and r["reason"] is None for r in results), results
        assert invented(d, d.witness) == []


def test_the_witness_is_null_where_nothing_was_agreed() -> None:
    for d in made():
        present = {g["key"] for g in d.checkpoints if g["polarity"] == "present"}
        for key, value in witness(d).items():
            assert (value not in (None, "", [])) is (key in present)


def test_a_value_for_what_was_never_agreed_is_invented() -> None:
    for d in made():
        values = witness(d)
        never = [key for key in values if key not in {g["key"] for g in d.checkpoints}]
        for key in never[:2]:
            answer = block({**values, key: "something"})
            assert list(invented(d, answer)) == [key]
            assert all(r["satisfied"] for r in check_answer(d, answer))


def planted(dialogue: Any, goal: dict[str, Any]) -> dict[str, Any]:
    """Values of the goal's key, each by the reason that it must fail for."""
    value = witness(dialogue).get(goal["key"])
    if goal["type"] == "item":
        entries = value if isinstance(value, list) else re.split(r"[,;\n]\s*", value)
        others = [e for e in entries if plain(goal["value"]) not in plain(e)]
        if goal["polarity"] == "absent":
            return {"cancelled": [*entries, goal["value"]]}
        return {"missing": [*others, "zzz"]}
    absent = goal["polarity"] == "absent"
    plants = {"cancelled": goal["value"], "wrong": "zzz"} if absent else {"missing": None, "wrong": "zzz"}
    for name, why in (("superseded", "stale"), ("other_branch", "other_branch")):
        if goal[name] and not (absent and name == "other_branch"):
            plants[why] = goal[name][0]["value"]
    return plants


@pytest.mark.parametrize("rounds", CLASSES)
def test_a_planted_error_fails_its_goal_alone_and_for_its_reason(rounds: int) -> None:
    seen = set()
    for d in of_class(rounds):
        values = witness(d)
        for goal in d.checkpoints:
            for why, value in planted(d, goal).items():
                results = check_answer(d, block({**values, goal["key"]: value}))
                assert [(r["id"], r["reason"]) for r in results if r["reason"]] == [(goal["id"], why)]
                seen.add(why)
    assert seen == {"missing", "wrong", "stale", "other_branch", "cancelled"}


# Replies and words


def test_replies_are_of_the_promised_length() -> None:
    lengths = [words(t.reply) for d in made() for t in d.turns]
    assert 30 <= min(lengths) <= max(lengths) <= 200
    assert 70 <= median(lengths) <= 90


def test_replies_state_no_value_unless_the_user_just_did() -> None:
    for d, goal in each():
        if sayable(goal):
            for t in d.turns:
                for value in (goal["value"], *[o["value"] for o in (*goal["superseded"], *goal["other_branch"])]):
                    assert not says(t.reply, value) or says(t.query, value), (t.reply, value)


def test_other_topics_share_no_value_with_the_main_one() -> None:
    for d, goal in each():
        if goal["type"] in ("text", "item"):
            for t in d.turns:
                assert t.topic == 0 or not says(t.query, goal["value"]), (t.query, goal["value"])


def test_turns_are_as_long_as_those_of_real_users() -> None:
    assert 14 <= mean(words(t.query) for d in made() for t in d.turns if t.move != "final") <= 18


def test_as_many_turns_are_questions_as_with_real_users() -> None:
    asked = mean("?" in t.query for d in made() for t in d.turns if t.move != "final")
    assert 0.33 <= asked <= 0.41


def test_there_are_enough_kinds_of_tasks() -> None:
    openings = [d.turns[0].query for d in made()]
    keys = {tuple(sorted(witness(d))) for d in generate(400, seed=77)}
    assert len(keys) >= 24  # two families of twelve
    assert len(set(openings)) > len(openings) / 2


def test_queries_and_replies_are_whole() -> None:
    for d in made():
        for t in d.turns:
            for text in (t.query, t.reply):
                assert text == text.strip() and not re.search(r"[{}]|  ", text if t.move != "final" else "")

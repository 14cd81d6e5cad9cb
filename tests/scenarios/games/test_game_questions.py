"""Questions over two scenes: programs, their words, balanced answers, and what one side alone tells."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from scipy.stats import chisquare

from evolif.errors import ArgumentError
from evolif.scenarios.games import SubwordTokenizer, generate, private_text
from evolif.scenarios.games.chains import trace_of_chain
from evolif.scenarios.games.programs import ANSWERS, combined, matches, noun, part_of, question_of, related, trace_of
from evolif.scenarios.games.questions import (
    CHAIN_FLOORS,
    FAMILIES,
    FLOORS,
    guessed_share,
    one_sided_share,
    possible_answers,
    proof_of_question,
    question_in_words,
)
from evolif.scenarios.games.scenes import GRIDS, Scene, SceneGrid, Thing, grids_of, scene_of
from evolif.util.rng import Stream

RED_STAR, BLUE_STAR = Thing("large", "plain", "red", "star"), Thing("large", "plain", "blue", "star")
BLUE_CROSS, PINK_CROSS = Thing("small", "dotted", "blue", "cross"), Thing("small", "plain", "pink", "cross")
LEFT: Scene = {(1, 1): RED_STAR, (1, 2): BLUE_CROSS, (3, 3): BLUE_STAR}
RIGHT: Scene = {(1, 3): RED_STAR, (2, 3): PINK_CROSS}
STAR, CROSS, RED, BLUE = {"shape": "star"}, {"shape": "cross"}, {"colour": "red"}, {"colour": "blue"}
LIMITS = {"both": 0.82, "every": 0.82, "more": 0.82, "where": 0.65, "total": 0.50, "common": 0.35}


@pytest.mark.parametrize(
    ("family", "a", "holder", "cells", "answer"),
    [
        ("both", {"colour": "red"}, "left", [[1, 1]], None),
        ("both", {"colour": "pink"}, "right", [[2, 3]], None),
        ("both", {"shape": "cross"}, "left", [[1, 2]], "star"),
        ("every", {"shape": "star"}, "left", [[3, 3]], "blue"),
        ("more", {"shape": "cross"}, "left", [[1, 2]], "0"),
        ("where", {"shape": "cross"}, "left", [[1, 2], [3, 3]], "3"),
        ("total", {"shape": "cross"}, "left", [[1, 2]], "4"),
        ("total", {"shape": "star"}, "left", [[1, 1], [3, 3]], None),
    ],
)
def test_chains_by_hand(family: str, a: dict[str, str], holder: str, cells: list[Any], answer: str | None) -> None:
    other: Scene = {(1, 2): BLUE_STAR, (3, 3): BLUE_CROSS, (1, 3): PINK_CROSS}
    asked = {"family": family, "a": a, "b": None, "relation": None, "holder": holder}
    left, right = (LEFT, other) if holder == "left" else (other, RIGHT)
    assert trace_of_chain(asked, left, right) == {"program": asked, "cells": cells, "answer": answer}


def program(family: str, a: dict[str, str], b: dict[str, str] | None = None, relation: str | None = None) -> Any:
    return {"family": family, "a": a, "b": b, "relation": relation}


@pytest.mark.parametrize(
    ("asked", "left", "right", "answer"),
    [
        (program("both", BLUE, {"colour": "pink"}), [True, False], [False, True], "True"),
        (program("both", BLUE, {"size": "small", "colour": "blue"}), [True, True], [False, False], "False"),
        (program("both", {"colour": "pink"}, BLUE), [False, True], [True, False], "True"),
        (program("every", STAR, CROSS, "left of"), False, False, "False"),
        (program("every", RED, CROSS, "left of"), True, False, "False"),
        (program("every", STAR, {}, "above"), False, True, "False"),
        (program("every", RED, CROSS, "next to"), True, True, "True"),
        (program("every", BLUE, STAR, "next to"), False, None, None),
        (program("more", STAR), 2, 1, "True"),
        (program("more", CROSS), 1, 1, "False"),
        (program("where", RED, CROSS, "next to"), True, True, "2"),
        (program("where", RED, CROSS, "left of"), True, False, "1"),
        (program("where", BLUE, STAR, "next to"), True, False, "1"),
        (program("where", STAR, STAR, "next to"), False, False, "0"),
        (program("total", STAR), 2, 1, "3"),
        (program("total", {"colour": "green"}), 0, 0, None),
        (program("common", STAR), ["large plain red star", "large plain blue star"], ["large plain red star"], "red"),
        (program("common", CROSS), ["small dotted blue cross"], ["small plain pink cross"], None),
    ],
)
def test_programs_by_hand(asked: Any, left: Any, right: Any, answer: str | None) -> None:
    assert part_of(asked, LEFT) == left
    assert part_of(asked, RIGHT) == right
    assert combined(asked, left, right) == answer == trace_of(asked, LEFT, RIGHT)["answer"]


def test_no_thing_is_related_to_itself() -> None:
    assert not any(related(relation, (2, 2), (2, 2)) for relation in ("left of", "above", "next to"))
    assert related("left of", (5, 1), (1, 2)) and not related("left of", (1, 2), (5, 1))
    assert related("above", (1, 2), (2, 1)) and not related("above", (2, 1), (1, 2))
    assert related("next to", (1, 2), (1, 1)) and not related("next to", (1, 1), (2, 2))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            program("both", {"colour": "orange"}, CROSS),
            "Is there an orange object in one scene and a cross in the other?",
        ),
        (
            program("every", RED | STAR, {"size": "small"}, "left of"),
            "Is every red star of the two scenes left of a small object in its scene? Left of means in a column "
            "further left, in whatever row.",
        ),
        (
            program("more", CROSS | {"size": "small"}),
            "Are there more small crosses in the left scene than in the right?",
        ),
        (program("total", BLUE), "How many blue objects do the two scenes hold together?"),
        (
            program("common", STAR),
            "What colour is the only star that is the same in both scenes? The same means the same in size, pattern, "
            "colour and shape, in whatever cell.",
        ),
    ],
)
def test_questions_in_words(asked: Any, words: str) -> None:
    assert question_of(asked) == words


def grid_of(instance: dict[str, Any]) -> SceneGrid:
    return grids_of(instance["settings"].get("edition", 1))[instance["settings"]["modality"]]


def check_instance(instance: dict[str, Any]) -> None:
    """The trace follows from the two private parts alone, and its answer is the key of both."""
    asked = instance["public"]["program"]
    private = json.loads(json.dumps(instance["private"]))
    left, right = (scene_of(part["scene"]) for part in private)
    assert proof_of_question(asked, left, right) == instance["proof"]
    answer, possible = instance["proof"]["answer"], possible_answers(asked, grid_of(instance))
    assert instance["answer"] == [answer, answer] and answer in possible
    assert instance["public"]["question"] == question_in_words(asked)
    assert instance["chance"] == 1 / len(possible)
    assert json.loads(json.dumps(instance)) == instance
    if asked["family"] == "common":
        found = [[thing for thing in scene.values() if matches(asked["a"], thing)] for scene in (left, right)]
        [shared] = set(found[0]) & set(found[1])  # the definite description picks out one object
        assert shared.colour == answer and len(found[0]) == len(found[1]) >= 4
        assert all(len({thing.colour for thing in things}) == len(things) for things in found)
    if asked["family"] == "every" and "holder" not in asked:
        # With both sides false, either alone would decide.
        assert (instance["proof"]["left"]["part"], instance["proof"]["right"]["part"]) != (False, False)


@pytest.mark.parametrize("modality", GRIDS)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("edition", [1, 2])
def test_each_instance_has_one_answer_with_a_proof(family: str, modality: str, edition: int) -> None:
    for number in range(15):
        instance = generate("questions", number, seed=1, family=family, modality=modality, edition=edition)
        assert instance["public"]["program"]["family"] == family
        grid = grid_of(instance)
        counts = [len(part["scene"]["objects"]) for part in instance["private"]]
        assert (edition, family) == (2, "more") or all(grid.least <= count <= grid.most for count in counts)
        check_instance(instance)


@pytest.mark.sampled
@pytest.mark.parametrize("family", FAMILIES)
def test_answers_are_balanced_within_a_family(family: str) -> None:
    made = [generate("questions", at, seed=2, family=family) for at in range(300)]
    answers = Counter(instance["answer"][0] for instance in made)
    assert set(answers) == set(possible_answers(made[0]["public"]["program"], grid_of(made[0])))
    assert chisquare(list(answers.values())).pvalue > 0.001


def test_all_families_are_asked_unless_one_is_chosen() -> None:
    asked = Counter(generate("questions", at, seed=3)["public"]["program"]["family"] for at in range(300))
    assert set(asked) == set(FAMILIES)
    assert chisquare(list(asked.values())).pvalue > 0.001
    with pytest.raises(ArgumentError, match="questions"):
        generate("questions", 0, seed=0, family="riddle")


def test_a_scene_is_too_long_to_be_read_out() -> None:
    counts = SubwordTokenizer()
    for number in range(60):
        instance = generate("questions", number, seed=4)
        assert all(len(counts.spans(private_text(instance, player))) >= 1.5 * 128 for player in (0, 1))


def test_stated_floors_are_within_the_limits() -> None:
    assert set(FLOORS) == {(modality, family) for modality in GRIDS for family in FAMILIES}
    for (_, family), floor in FLOORS.items():
        assert 1 / len(ANSWERS[family]) < floor <= LIMITS[family]
    assert set(CHAIN_FLOORS) == set(FLOORS)
    assert all(floor <= 0.35 for floor in CHAIN_FLOORS.values())


def share(modality: str, family: str, instances: int, measure: Callable[..., float]) -> float:
    """The mean share over instances and both sides."""
    stream, shares = Stream(99), []
    for number in range(instances):
        instance = generate("questions", number, seed=5, family=family, modality=modality)
        shares += [measure(stream, instance, player) for player in (0, 1)]
    return sum(shares) / len(shares)


@pytest.mark.sampled
@pytest.mark.parametrize("family", FAMILIES)
def test_one_side_tells_as_much_as_stated(family: str) -> None:
    assert share("image", family, 15, guessed_share) == pytest.approx(CHAIN_FLOORS["image", family], abs=0.08)


@pytest.mark.slow
@pytest.mark.parametrize("modality", GRIDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_guarantees_on_a_thousand_instances(family: str, modality: str) -> None:
    answers: Counter[str] = Counter()
    for number in range(1000):
        instance = generate("questions", number, seed=0, family=family, modality=modality)
        check_instance(instance)
        answers[instance["answer"][0]] += 1
    assert chisquare(list(answers.values())).pvalue > 0.001
    assert share(modality, family, 20, one_sided_share) <= LIMITS[family]
    assert share(modality, family, 30, guessed_share) == pytest.approx(CHAIN_FLOORS[modality, family], abs=0.06)


def test_descriptions_without_a_shape_are_of_objects() -> None:
    assert noun({"shape": "star", "size": "large"}) == "large star"
    assert noun({}, plural=True) == "objects"

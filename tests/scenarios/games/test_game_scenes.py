"""Scenes: their graphs, their texts and what an edit changes; the list of the guesser."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from scipy.stats import chisquare

from evolif.errors import ArgumentError
from evolif.scenarios.games import SubwordTokenizer, generate, private_text
from evolif.scenarios.games.instance import Instance
from evolif.scenarios.games.matching import differences, proof_of
from evolif.scenarios.games.scenes import (
    GRIDS,
    THINGS,
    WIDE_GRIDS,
    Scene,
    Thing,
    draw_scene,
    edit_scene,
    scene_graph,
    scene_of,
    scene_text,
    trade_scene,
)
from evolif.util.rng import Stream

GAMES = [("scenes", 6), ("shapes", 4)]
SPOKEN = 128
"""Tokens that each player may say of the usual 256."""


def test_a_scene_as_text() -> None:
    scene: Scene = {(2, 5): Thing("large", "striped", "red", "star"), (1, 6): Thing("small", "plain", "black", "cross")}
    graph = scene_graph(scene, GRIDS["text"])
    assert scene_text(graph) == "small plain black cross at row 1, column 6\nlarge striped red star at row 2, column 5"
    assert scene_of(graph) == scene
    assert graph["objects"][0] == {
        "size": "small",
        "pattern": "plain",
        "colour": "black",
        "shape": "cross",
        "row": 1,
        "column": 6,
    }
    assert scene_graph(dict(reversed(scene.items())), GRIDS["text"]) == graph


@pytest.mark.parametrize("modality", GRIDS)
def test_an_edit_changes_one_thing_and_keeps_the_limits(modality: str) -> None:
    grid, stream = GRIDS[modality], Stream(1)
    seen = set()
    for _ in range(400):
        scene = draw_scene(stream, grid)
        before = dict(scene)
        new = edit_scene(stream, scene, grid)
        assert scene == before
        assert grid.least <= len(new) <= grid.most
        gone, come = set(scene.items()) - set(new.items()), set(new.items()) - set(scene.items())
        assert len(gone) <= 1 and len(come) <= 1 and gone != come
        kind = len(gone), len(come)
        if kind == (1, 1):
            (old_cell, old), (new_cell, now) = *gone, *come
            changed = sum(a != b for a, b in zip(old, now, strict=True)) + (old_cell != new_cell)
            assert changed == 1
        seen.add(kind)
    assert seen == {(1, 1), (0, 1), (1, 0)}


def check_instance(instance: Instance, images: int) -> None:
    """The answer follows from the two private parts alone, and nothing else is as good."""
    [target], listed = instance["private"][0]["images"], instance["private"][1]["images"]
    assert len(listed) == images == instance["public"]["images"]
    assert len({json.dumps(graph) for graph in listed}) == images
    answer = instance["answer"]
    assert answer[0] is None
    assert [at for at, graph in enumerate(listed) if graph == target] == ([] if answer[1] == "none" else [answer[1]])
    proof = instance["proof"]
    assert proof == proof_of(instance["game"], json.loads(json.dumps(instance["private"])))
    assert [at for at, number in enumerate(proof["differences"]) if number == 0] in ([], [answer[1]])
    assert instance["answerers"] == [1] and instance["chance"] == instance["floor"] == 1 / (images + 1)
    assert json.loads(json.dumps(instance)) == instance


@pytest.mark.sampled
@pytest.mark.parametrize(("game", "images"), GAMES)
@pytest.mark.parametrize("modality", GRIDS)
@pytest.mark.parametrize(("edition", "count"), [(1, 30), (2, 30)])
def test_each_instance_has_one_answer_with_a_proof(
    game: str, images: int, modality: str, edition: int, count: int
) -> None:
    for number in range(count):
        instance = generate(game, number, seed=4, modality=modality, edition=edition)
        check_instance(instance, images)
        assert instance["settings"]["edits"] == (3 if edition == 1 else 1)
        assert instance["settings"].get("edition", 1) == edition


@pytest.mark.parametrize(("game", "images"), GAMES)
def test_instances_depend_on_number_seed_and_settings_only(game: str, images: int) -> None:
    one = generate(game, 7, seed=1)
    assert generate(game, 7, seed=1) == one
    others = [generate(game, 8, seed=1), generate(game, 7, seed=2), generate(game, 7, seed=1, images=images + 1)]
    assert all(other["private"] != one["private"] for other in others)


@pytest.mark.sampled
@pytest.mark.parametrize(("game", "images"), GAMES)
def test_positions_are_uniform(game: str, images: int) -> None:
    answers = Counter(generate(game, number, seed=11)["answer"][1] for number in range(500 if game == "scenes" else 60))
    assert set(answers) == {*range(images), "none"}
    assert chisquare(list(answers.values())).pvalue > 0.001


@pytest.mark.parametrize(("game", "images"), GAMES)
def test_a_text_is_too_long_to_be_read_out(game: str, images: int) -> None:
    counts = SubwordTokenizer()
    for number in range(30):
        instance = generate(game, number, seed=12)
        for player in (0, 1):
            assert len(counts.spans(private_text(instance, player))) >= 1.5 * SPOKEN


def central(instance: Instance) -> int:
    """The image that differs least from all others: what a guesser may know alone."""
    images = [scene_of(graph) for graph in instance["private"][1]["images"]]
    return min(range(len(images)), key=lambda at: sum(differences(images[at], other) for other in images))


def test_the_most_central_image_is_the_target_as_often_as_any() -> None:
    hits = 0
    for number in range(700):
        instance = generate("scenes", number, seed=13)
        hits += instance["answer"][1] == central(instance)
    assert hits / 700 == pytest.approx(1 / 7, abs=0.05)  # 3.8 standard errors


def test_the_guesser_sees_numbered_images_and_the_describer_one() -> None:
    instance = next(one for one in (generate("scenes", at, seed=1) for at in range(9)) if one["answer"][1] != "none")
    own, listed = private_text(instance, 0), private_text(instance, 1)
    assert "Image" not in own
    blocks = listed.split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == [f"Image {at}:" for at in range(6)]
    assert [at for at, block in enumerate(blocks) if block.partition("\n")[2] == own] == [instance["answer"][1]]


@pytest.mark.parametrize("settings", [{"images": 1}, {"edits": 0}, {"modality": "sound"}, {"objects": 3}])
def test_settings_that_do_not_fit_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ArgumentError, match="scenes"):
        generate("scenes", 0, seed=0, **settings)


def test_there_are_as_many_things_as_attributes_allow() -> None:
    assert len(set(THINGS)) == 2 * 3 * 8 * 6


def test_a_trade_keeps_every_count() -> None:
    stream, grid = Stream(5), WIDE_GRIDS["text"]
    for _ in range(200):
        scene = draw_scene(stream, grid)
        new = trade_scene(stream, scene, grid)
        assert differences(scene, new) == 2 and len(scene) == len(new)
        for at in range(4):
            assert Counter(thing[at] for thing in scene.values()) == Counter(thing[at] for thing in new.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "images", "modality"), [("scenes", 6, "text"), ("scenes", 6, "image"), ("shapes", 4, "text")]
)
def test_the_guarantees_on_a_thousand_instances(game: str, images: int, modality: str) -> None:
    answers: Counter[object] = Counter()
    counts, shortest = SubwordTokenizer(), 10**6
    for number in range(2000):
        instance = generate(game, number, seed=0, modality=modality)
        answers[instance["answer"][1]] += 1
        if number < 1000:
            check_instance(instance, images)
            shortest = min(shortest, len(counts.spans(private_text(instance, 0))))
    assert set(answers) == {*range(images), "none"}
    assert chisquare(list(answers.values())).pvalue > 0.001
    if modality == "text" or game == "shapes":
        assert shortest >= 1.5 * SPOKEN

"""The scripted players of scenes, shapes and questions, with each other and with partners who say other things."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evolif.scenarios.games import RegexTokenizer, SubwordTokenizer, generate, turn_meta
from evolif.scenarios.games.player_view import Rule, View
from evolif.scenarios.games.players import player_of
from evolif.scenarios.games.self_play import rehearse
from evolif.scenarios.games.tokens import Tokenizer
from evolif.scenarios.games.traits import fits, read_traits, trait_names, traits_of
from evolif.scenarios.games.turns import budget

GAMES = ("scenes", "shapes", "questions")
BUDGETS = (2, 4, 8, 16)
WORDS = RegexTokenizer()


def rule(name: str) -> Rule:
    found = player_of(name)
    assert found is not None
    return found


def share(game: str, name: str, turns: int, instances: int, tokenizer: Tokenizer, modality: str = "text") -> float:
    """The share of right answers of two players of a name."""
    reasons = [
        rehearse(generate(game, at, seed=6, modality=modality), [rule(name)] * 2, turns, tokenizer)["reason"]
        for at in range(instances)
    ]
    return reasons.count("correct") / instances


def seen(instance: dict[str, Any], said: tuple[str, ...], turns: int = 8, tokens: int = 32) -> View:
    """What the next player knows."""
    player = turn_meta(len(said) + 1, turns)["player"]
    return View(
        game=instance["game"],
        settings=instance["settings"],
        player=player,
        private=instance["private"][player],
        public=instance["public"],
        choices=instance["public"].get("images", 1),
        may_answer=player in instance["answerers"],
        turn=len(said) + 1,
        turns=turns,
        tokens=tokens,
        tokenizer=WORDS.name,
        said=said,
    )


@pytest.mark.sampled
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("turns", BUDGETS)
def test_the_scripted_pair_is_nearly_always_right(game: str, turns: int) -> None:
    assert share(game, "scripted", turns, 40, SubwordTokenizer()) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("turns", BUDGETS)
@pytest.mark.parametrize("modality", ["text", "image"])
def test_the_scripted_pair_on_many_instances(game: str, turns: int, modality: str) -> None:
    least = 1.0 if game == "questions" else 0.98
    assert share(game, "scripted", turns, 200, SubwordTokenizer(), modality) >= least


@pytest.mark.sampled
@pytest.mark.parametrize(("count", "apart"), [(100, 0.16), pytest.param(400, 0.08, marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", GAMES)
def test_the_floor_is_right_as_often_as_stated(game: str, count: int, apart: float) -> None:
    stated = [generate(game, at, seed=6)["floor"] for at in range(count)]
    assert share(game, "floor", 2, count, WORDS) == pytest.approx(sum(stated) / count, abs=apart)


@pytest.mark.sampled
@pytest.mark.parametrize("game", GAMES)
def test_turns_are_never_longer_than_allowed(game: str) -> None:
    for tokens in (0, 1, 5, 9, 16):
        for number in range(5):
            instance = generate(game, number, seed=8)
            said: tuple[str, ...] = ()
            while len(said) < 7:
                view = seen(instance, said, tokens=tokens)
                text = rule("scripted")(view)
                assert rule("scripted")(view) == text
                assert len(WORDS.spans(text)) <= max(tokens, 3) or text.startswith("ANSWER:")
                if text.startswith("ANSWER:"):
                    break
                said = (*said, text)


def test_the_describer_answers_what_it_is_asked_first() -> None:
    instance = generate("scenes", 0, seed=9)
    [graph] = instance["private"][0]["images"]
    traits = traits_of(graph)
    opening = rule("scripted")(seen(instance, ()))
    assert opening.startswith(f"objects {traits['objects']}, black {traits['black']}")
    asked = rule("scripted")(seen(instance, (opening, "How many are small? And in the third row?")))
    assert asked.startswith(f"small {traits['small']}, third row {traits['third row']}, ")
    thing = graph["objects"][0]
    words = f"{thing['size']} {thing['pattern']} {thing['colour']} {thing['shape']}"
    place = f"row {thing['row']}, column {thing['column']}"
    told = rule("scripted")(seen(instance, (opening, f"What is at {place}?")))
    assert told.startswith(f"{place}: {words}. ")
    lost = rule("scripted")(seen(instance, (opening, "Lovely weather, is it not?")))
    assert lost.startswith("I did not understand. ")


def test_the_guesser_asks_for_what_splits_the_rest_and_says_when_none_is_left() -> None:
    instance = generate("scenes", 1, seed=9)
    images = [traits_of(graph) for graph in instance["private"][1]["images"]]
    question = rule("scripted")(seen(instance, ("Hello.",)))
    assert question.startswith("I did not understand. Tell me ")
    [first, *_] = read_traits("scenes", question).names
    assert (
        len({traits[first] for traits in images}) == max(len({traits[name] for traits in images}) for name in images[0])
        or len({traits[first] for traits in images}) > 1
    )
    assert rule("scripted")(seen(instance, ("objects 99.",))) == "ANSWER: No match"
    wanted = images[4]
    everything = ", ".join(f"{name} {number}" for name, number in wanted.items())
    alike = [at for at, traits in enumerate(images) if traits == wanted]
    assert rule("scripted")(seen(instance, (everything,))) == f"ANSWER: Image {alike[0]}"


def test_the_guesser_asks_for_a_cell_where_all_traits_are_alike() -> None:
    instance = generate("scenes", 1, seed=9)
    graph = instance["private"][1]["images"][0]
    first, second = graph["objects"][:2]
    swapped = [{**first, "row": second["row"], "column": second["column"]}]
    swapped += [{**second, "row": first["row"], "column": first["column"]}, *graph["objects"][2:]]
    instance["private"][1]["images"][1] = {**graph, "objects": swapped}
    everything = ", ".join(f"{name} {number}" for name, number in traits_of(graph).items())
    place = f"row {first['row']}, column {first['column']}"
    assert rule("scripted")(seen(instance, (everything,))) == f"What is at {place}?"
    words = " ".join(second[attribute] for attribute in ("size", "pattern", "colour", "shape"))
    told = (everything, f"What is at {place}?", f"{place}: {words}.")
    assert rule("scripted")(seen(instance, told)) == "ANSWER: Image 1"


def test_a_guesser_understands_lines_of_the_text_scene() -> None:
    instance = generate("scenes", 2, seed=9)
    graph = instance["private"][1]["images"][3]
    lines = [
        f"A {one['size']} {one['pattern']} {one['colour']} {one['shape']} at row {one['row']}, column {one['column']}."
        for one in graph["objects"]
    ]
    told = [read_traits("scenes", " ".join(lines))]
    assert len(told[0].cells) == len(graph["objects"]) and not told[0].places
    assert fits(told, graph)
    assert sum(fits(told, other) for other in instance["private"][1]["images"]) == 1
    empty = read_traits("scenes", "Row 1, column 1: nothing")
    assert empty.cells == {(1, 1): "nothing"}


@pytest.mark.parametrize("game", ["scenes", "shapes"])
def test_traits_are_read_as_they_are_said(game: str) -> None:
    instance = generate(game, 3, seed=9)
    for graph in instance["private"][1]["images"]:
        traits = traits_of(graph)
        assert set(traits) <= set(trait_names(game))
        said = ", ".join(f"{name} {number}" for name, number in traits.items())
        assert read_traits(game, said.upper()).traits == traits
    assert read_traits("scenes", "redder 3, red: 4, blue 12345").traits == {"red": 4}


@pytest.mark.parametrize(
    ("family", "own", "heard"),
    [
        ("both", "In my scene: first yes, second no.", "First: no. Second: yes."),
        ("where", "In my scene: yes.", "No, there is none."),
        ("total", "In my scene: 3.", "I see 2 of them."),
    ],
)
def test_players_of_questions_state_their_part_and_compute(family: str, own: str, heard: str) -> None:
    instances = (generate("questions", at, seed=10, family=family) for at in range(500))
    found = next(one for one in instances if rule("scripted")(seen(one, ())) == own)
    assert rule("scripted")(seen(found, (own, "What a nice scene."))) == f"I did not understand. {own}"
    expected = {"both": "True", "where": "1", "total": "5"}[family]
    assert rule("scripted")(seen(found, (own, heard))) == f"ANSWER: {expected}"


def test_a_last_turn_always_answers() -> None:
    for game in GAMES:
        instance = generate(game, 4, seed=11)
        said = ("Hm.",) * 7
        assert rule("scripted")(seen(instance, said)).startswith("ANSWER: ")


@pytest.mark.sampled
@pytest.mark.parametrize("game", GAMES)
def test_hostile_partners_are_read_in_linear_time(game: str) -> None:
    instance = generate(game, 5, seed=12)
    for text in ("red " * 40_000, "row 1, " * 25_000, "large striped " * 12_000, "9" * 10**6, "\n" * 10**6):
        view = seen(instance, (text, text))
        assert rule("scripted")(view) is not None
        assert rule("scripted")(replace(seen(instance, (text,)), turns=2)).startswith("ANSWER: ")


def test_the_sizes_of_turns_are_those_of_the_budget() -> None:
    assert [budget(256, turns)["tokens_per_turn"] for turns in BUDGETS] == [128, 64, 32, 16]

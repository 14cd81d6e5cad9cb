"""Instances: the same bytes from the same arguments, plain JSON, keys apart, and what arguments are refused."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from evolif.errors import ArgumentError, UsageError
from evolif.scenarios.games import generate, private_image, private_text
from evolif.scenarios.games.instance import maker_of, settings_of
from evolif.util.rng import Purpose

KEYS = ["game", "number", "seed", "settings", "private", "public", "answer", "roles", "answerers", "chance", "floor",
        "proof"]  # fmt: skip


def digest(game: str, **settings: Any) -> str:
    made = [generate(game, number, seed=4, **settings) for number in range(3)]
    return sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:16]


@pytest.mark.parametrize(("game", "expected"), [("chess", "bac992bc6aae452e"), ("names", "67fdf1b8d36580ca")])
def test_an_instance_is_the_same_everywhere(game: str, expected: str) -> None:
    assert digest(game) == expected


@pytest.mark.parametrize(
    ("game", "expected"),
    [("scenes", "392dab6d74587093"), ("shapes", "84a1a6cafb7df0d8"), ("questions", "a0862452e769f77d")],
)
def test_instances_of_the_first_edition_keep_their_bytes(game: str, expected: str) -> None:
    assert digest(game, edition=1) == expected != digest(game)


@pytest.mark.parametrize("game", ["chess", "names"])
def test_an_instance_is_json_in_the_usual_layout_and_made_again_from_what_it_stores(game: str) -> None:
    made = generate(game, 7, seed=3)
    assert list(made) == KEYS
    assert json.loads(json.dumps(made)) == made
    assert generate(game, 7, seed=3, **made["settings"]) == made
    assert made["roles"] == ["player", "player"]
    assert made["answerers"] == [0, 1]


@pytest.mark.parametrize("game", ["chess", "names"])
def test_number_and_seed_each_change_the_content(game: str) -> None:
    made = [generate(game, number, seed=seed)["private"] for number, seed in ((0, 0), (1, 0), (0, 1), (10**12, 0))]
    assert all(one not in made[:at] for at, one in enumerate(made))


def test_the_draws_of_games_are_their_own() -> None:
    assert [purpose for purpose in Purpose if purpose == 12] == [Purpose.GAMES]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: generate("go", 0, seed=1), "no game 'go'; there are chess, names"),
        (lambda: generate("chess", -1, seed=1), "number is -1"),
        (lambda: generate("chess", 0, seed=-1), "seed is -1"),
        (lambda: generate("chess", True, seed=1), "number is True"),
        (lambda: generate("chess", 0, seed=1, n=9), "no setting 'n'; it has gap, plies, pawns"),
        (lambda: generate("names", 0, seed=1, turns=4), "no setting 'turns'"),
        (lambda: generate("names", 0, seed=1, n=10), "10 rows; give 9, 16 or 25"),
        (lambda: generate("names", 0, seed=1, n=True), "truth value"),
        (lambda: generate("names", 0, seed=1, n=9, near=7), "from 3 to 6"),
        (lambda: generate("names", 0, seed=1, n=25, near=8), "from 9 to 16"),
        (lambda: generate("chess", 0, seed=1, gap=0), "gap goes from 0 to 0"),
        (lambda: generate("chess", 0, seed=1, gap=[9, 8]), "gap goes from 9 to 8"),
        (lambda: generate("chess", 0, seed=1, gap=[1, 2, 3]), "gap"),
        (lambda: generate("chess", 0, seed=1, pawns=1.5), "pawns"),
        (lambda: generate("chess", 0, seed=1, plies=[50, 60]), "50 or more"),
        (lambda: private_text(generate("names", 0, seed=1), 2), "player is 2"),
        (lambda: private_text({"game": "chess"}, 0), "no instance"),
        (lambda: private_text({"game": ["chess"], "private": []}, 0), "no game"),
        (lambda: private_text({"game": "chess", "private": []}, 0), "not those of chess"),
        (lambda: private_text({"game": "names", "private": [{}, {}]}, 0), "not those of names"),
        (lambda: generate("chess", 0, seed=1, pawns=float("nan")), "pawns"),
        (lambda: private_image(generate("names", 0, seed=1), 0), "names has no pictures"),
    ],
)  # fmt: skip
def test_what_is_out_of_range_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message.replace("(", r"\(")) as caught:
        call()
    assert isinstance(caught.value, UsageError)


def test_a_number_as_text_is_a_number_and_one_number_is_a_range() -> None:
    assert settings_of("names", {"n": "9"}) == settings_of("names", {"n": 9, "near": 3})
    assert (
        settings_of("chess", {"gap": ["12"]})
        == settings_of("chess", {"gap": 12})
        == settings_of("chess", {"gap": (12, 12)})
    )


@pytest.mark.slow
def test_other_settings_have_a_floor_of_their_own() -> None:
    made = generate("names", 0, seed=1, n=9, near=4)
    assert 1 / 9 <= made["floor"] <= 1 / 9 + 0.05
    assert made["floor"] == maker_of("names").floor(settings_of("names", {"n": 9, "near": 4}), None)

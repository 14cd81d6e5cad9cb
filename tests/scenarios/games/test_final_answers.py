"""Reading rules 2: final answers as people and models write them, and talk that answers nothing."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.games.asserted import MOST_CHARACTERS
from evolif.scenarios.games.final_answers import final_answer
from evolif.scenarios.games.question_answers import kind_of
from evolif.scenarios.games.reading import Answer, read_answer, same_answer

CASES = yaml.safe_load((Path(__file__).parent / "cases" / "final_answers.yaml").read_text(encoding="utf-8"))
GAMES = ("chess", "names", "scenes", "shapes", "questions")


def cases(*sections: str) -> list[Any]:
    return [
        pytest.param(group, key, text, id=f"{group['game']}: {text}")
        for group in CASES
        for section in sections
        for key, text in group.get(section, ())
    ]


def read(group: dict[str, Any], text: str, *, is_final: bool) -> Answer | None:
    size, kind = group.get("size", 1), group.get("kind", "")
    return final_answer(group["game"], text, size, is_final=is_final, kind=kind)


@pytest.mark.parametrize(("group", "key", "text"), cases("ends", "read"))
def test_an_answer_is_read_on_the_last_turn(group: dict[str, Any], key: Answer, text: str) -> None:
    found = read(group, text, is_final=True)
    assert same_answer(group["game"], found, key), found


@pytest.mark.parametrize(("group", "key", "text"), cases("ends"))
def test_an_answer_in_its_fixed_words_ends_a_game(group: dict[str, Any], key: Answer, text: str) -> None:
    found = read(group, text, is_final=False)
    assert same_answer(group["game"], found, key), found


@pytest.mark.parametrize(("group", "key", "text"), cases("unread"))
def test_what_leaves_an_answer_open_is_none(group: dict[str, Any], key: Answer, text: str) -> None:
    assert (read(group, text, is_final=True), read(group, text, is_final=False)) == (None, None)


@pytest.mark.parametrize(("group", "key", "text"), cases("wrong"))
def test_an_answer_of_another_kind_is_wrong(group: dict[str, Any], key: Answer, text: str) -> None:
    found = read(group, text, is_final=True)
    assert found is not None and not same_answer(group["game"], found, key)


@pytest.mark.parametrize(("group", "key", "text"), cases("talk"))
def test_talk_about_an_answer_ends_no_game(group: dict[str, Any], key: Answer, text: str) -> None:
    assert read(group, text, is_final=False) is None


@pytest.mark.parametrize(
    ("family", "kind"),
    [("total", "number"), ("where", "number"), ("common", "colour"), ("both", "truth"), ("every", "truth"), (None, "")],
)
def test_a_question_says_what_it_asks_for(family: str | None, kind: str) -> None:
    assert kind_of({"question": "?", "program": {"family": family}}) == kind
    assert kind_of(None) == kind_of({}) == kind_of({"program": 1}) == ""


def test_without_a_kind_one_word_answers() -> None:
    assert final_answer("questions", "ANSWER: star") == "star"
    assert final_answer("questions", "ANSWER: I see a star") is None
    assert final_answer("questions", "ANSWER: Two") == "two"


@given(
    st.text(alphabet=st.sampled_from(list("MINEYOURSANSWER: SELECTROW123noImage?.,-\n*$\\{}()")), max_size=60),
    st.booleans(),
)
def test_what_is_read_is_an_answer(text: str, is_final: bool) -> None:
    assert final_answer("chess", text, is_final=is_final) in {None, "MINE", "YOURS"}
    assert final_answer("names", text, 9, is_final=is_final) in {None, *range(1, 10)}
    assert final_answer("scenes", text, 6, is_final=is_final) in {None, "none", *range(6)}
    spoken = final_answer("questions", text, is_final=is_final)
    assert spoken is None or spoken == str(spoken).lower() != ""


@pytest.mark.parametrize(
    ("game", "text"),
    [("chess", "_MINE_"), ("names", "SELECT ROW 3"), ("scenes", "ANSWER: Image 3"), ("questions", "ANSWER: 3")],
)
def test_rules_1_read_the_fixed_words_alike_but_talk_as_well(game: str, text: str) -> None:
    assert final_answer(game, text, 9) == read_answer(game, text, 9)
    assert read_answer(game, f"I wouldn't say {text}", 9) is not None
    assert final_answer(game, f"I wouldn't say {text}", 9) is None


@pytest.mark.parametrize(
    "piece", ["ANSWER: ", "SELECT ROW ", "no, ", "3 or ", "MINE or ", "(", "not a ", "1+", "$", "'", "5 ", "\n"]
)
def test_hostile_texts_are_read_in_no_time(piece: str) -> None:
    text = piece * (10**6 // len(piece))
    begin = time.perf_counter()
    for game in GAMES:
        final_answer(game, text, 9)
        final_answer(game, f"{text} SELECT ROW 3 ANSWER: 3", 9, is_final=False)
    assert time.perf_counter() - begin < 3


def test_of_a_long_text_the_end_is_read() -> None:
    assert final_answer("names", "x" * MOST_CHARACTERS + " SELECT ROW 3", 9) == 3
    assert final_answer("names", "SELECT ROW 3. " + "x" * MOST_CHARACTERS, 9) is None

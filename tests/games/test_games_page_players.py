"""Reference players, as the page states them: what they say is public, and what they reach is stated in advance."""

from __future__ import annotations

import asyncio
import math
import re
from typing import Any

import pytest

from evolif.models import ChatModel, open_model
from evolif.scenarios.games import (
    RegexTokenizer,
    accuracy_table,
    generate,
    guess_and_check,
    information_gain,
    isotoken,
    play,
    turn_meta,
    usage,
)

WORDS = RegexTokenizer(r"\w+|[^\w\s]")


def model(name: str) -> ChatModel:
    return open_model(f"sim/{name}")


def played(game: str, name: str, turns: int, count: int, *, partner: str | None = None, **options: Any) -> list[Any]:
    """Dialogues of two simulated players over instances of a game."""
    if game == "chess":
        pytest.importorskip("chess", reason="needs the extra `games`")
    settings = {key: options.pop(key) for key in ("n", "seed") if key in options}
    settings.setdefault("seed", 21)
    players = [model(name), model(partner or name)]

    async def all_of_them() -> list[Any]:
        options.setdefault("tokenizer", WORDS)
        return [await play(generate(game, number, **settings), players, turns, **options) for number in range(count)]

    return asyncio.run(all_of_them())


def share(dialogues: list[Any]) -> float:
    return sum(dialogue["final"]["reason"] == "correct" for dialogue in dialogues) / len(dialogues)


# Guess-and-check


@pytest.mark.parametrize(("n", "turns"), [(9, 2), (9, 4), (9, 8), (16, 16), (25, 8)])
def test_guess_and_check_reaches_its_closed_form(n: int, turns: int) -> None:
    expected = guess_and_check(n, turns)
    count = 250
    reached = share(played("names", "guess-and-check", turns, count, n=n))
    assert abs(reached - expected) <= 4 * math.sqrt(expected * (1 - expected) / count)


def test_guess_and_check_proposes_each_row_once() -> None:
    for dialogue in played("names", "guess-and-check", 16, 12, n=25):
        for player in (0, 1):
            said = [turn["text"] for turn in dialogue["turns"] if turn["player"] == player]
            rows = [re.search(r"row (\d+)", text, re.IGNORECASE) for text in said]
            numbers = [row[1] for row in rows if row]
            assert len(numbers) == len(set(numbers)) == len(said)


def test_guess_and_check_selects_a_proposed_row_at_once() -> None:
    """An end before the last turn follows a proposal of the partner, and it is right."""
    early = [d for d in played("names", "guess-and-check", 8, 60, n=9) if d["final"]["turn"] < 8]
    assert len(early) > 20
    for dialogue in early:
        assert dialogue["final"]["reason"] == "correct"
        proposer = 1 - dialogue["final"]["player"]
        row = dialogue["instance"]["answer"][proposer]
        assert re.search(rf"\brow {row}\b", dialogue["turns"][-2]["text"], re.IGNORECASE)


def test_the_last_turn_of_guess_and_check_selects_a_row_that_was_not_proposed() -> None:
    late = [d for d in played("names", "guess-and-check", 8, 60, n=25) if d["final"]["turn"] == 8]
    assert len(late) > 10
    for dialogue in late:
        own = [turn["text"] for turn in dialogue["turns"] if turn["player"] == 1]
        if re.search(rf"\brow {dialogue['instance']['answer'][0]}\b", dialogue["turns"][-2]["text"], re.IGNORECASE):
            continue  # the partner has just proposed the shared row
        proposed = [int(re.findall(r"row (\d+)", text, re.IGNORECASE)[0]) for text in own[:-1]]
        assert own[-1].startswith("SELECT ROW") and dialogue["final"]["parsed"] not in proposed


def test_guess_and_check_is_never_cut_at_sixteen_tokens() -> None:
    pytest.importorskip("tokenizers", reason="needs the extra `games`")
    for dialogue in played("names", "guess-and-check", 16, 12, n=25, tokenizer=None):
        assert not any(turn["truncated"] for turn in dialogue["turns"])


# The scripted pair


@pytest.mark.parametrize("turns", [2, 4, 8, 16])
def test_the_scripted_pair_solves_chess_at_every_budget_of_sixteen_tokens_a_turn(turns: int) -> None:
    pytest.importorskip("tokenizers", reason="needs the extra `games`")
    dialogues = played("chess", "scripted", turns, 25, total_tokens=16 * turns, tokenizer=None)
    assert [dialogue["final"]["reason"] for dialogue in dialogues] == ["correct"] * 25


@pytest.mark.parametrize(("n", "turns"), [(9, 2), (9, 16), (16, 4), (16, 16), (25, 8), (25, 16)])
def test_the_scripted_pair_is_never_below_guess_and_check(n: int, turns: int) -> None:
    pytest.importorskip("tokenizers", reason="needs the extra `games`")
    count = 60
    expected = guess_and_check(n, turns)
    reached = share(played("names", "scripted", turns, count, n=n, tokenizer=None))
    assert reached >= expected - 4 * math.sqrt(expected * (1 - expected) / count)


@pytest.mark.parametrize("game", ["scenes", "shapes", "questions"])
def test_the_scripted_pair_is_far_above_the_floor(game: str) -> None:
    dialogues = played(game, "scripted", 4, 40)
    floor = sum(dialogue["instance"]["floor"] for dialogue in dialogues) / 40
    assert share(dialogues) > floor + 0.1


@pytest.mark.parametrize("turns", [2, 8, 16])
def test_what_the_scripted_pair_says_of_names_is_true_and_read(turns: int) -> None:
    for dialogue in played("names", "scripted", turns, 15, n=16):
        texts = [turn["text"] for turn in dialogue["turns"] if "SELECT" not in turn["text"]]
        gains = information_gain(dialogue["instance"], texts)
        assert sum(gain["false"] for gain in gains) == 0


@pytest.mark.parametrize("game", ["names", "scenes", "questions"])
def test_a_scripted_player_speaks_plain_english_to_anybody(game: str) -> None:
    """A partner who says nothing of use is told so, or at least talked to: no turn is empty, no answer comes unread."""

    async def mumbles(messages: Any) -> str:
        return "Mumble mumble."

    for number in range(4):
        instance = generate(game, number, seed=5)
        for seat in (0, 1):
            pair: list[Any] = [mumbles, mumbles]
            pair[seat] = model("scripted")
            dialogue = asyncio.run(play(instance, pair, 8, tokenizer=WORDS))
            own = [turn for turn in dialogue["turns"] if turn["player"] == seat]
            assert own and all(turn["text"].strip() for turn in own)
            assert dialogue["final"]["reason"] in ("correct", "wrong", "unparseable", "no_answer")


# The floor


@pytest.mark.parametrize("game", ["chess", "names", "scenes", "shapes", "questions"])
def test_the_floor_answers_at_once_and_about_as_well_as_stated(game: str) -> None:
    count = 150
    dialogues = played(game, "floor", 2, count)
    entitled = dialogues[0]["instance"]["answerers"][0]
    assert {dialogue["final"]["turn"] for dialogue in dialogues} == {entitled + 1}
    stated = sum(dialogue["instance"]["floor"] for dialogue in dialogues) / count
    assert abs(share(dialogues) - stated) <= 0.03 + 4 * math.sqrt(stated * (1 - stated) / count)


# Dialogues of models fit the other functions


def test_dialogues_of_models_fit_tables_and_summaries() -> None:
    by_turns = {turns: played("names", "guess-and-check", turns, 20, n=9) for turns in (2, 8)}
    rows = accuracy_table([dialogue for dialogues in by_turns.values() for dialogue in dialogues])
    assert {row["turn_budget"]: row["accuracy"] for row in rows} == {t: share(d) for t, d in by_turns.items()}
    assert isotoken({turns: share(d) for turns, d in by_turns.items()})["gain"] == pytest.approx(
        share(by_turns[8]) - share(by_turns[2])
    )
    for dialogue in by_turns[8]:
        used = usage([turn["text"] for turn in dialogue["turns"]], 8, 256, WORDS)
        assert used["turns_used"] == dialogue["final"]["turn"]
        assert used["tokens_p0"] + used["tokens_p1"] == sum(turn["tokens"] for turn in dialogue["turns"])
        assert [turn_meta(number, 8)["player"] for number in range(1, used["turns_used"] + 1)] == [
            turn["player"] for turn in dialogue["turns"]
        ]


def test_a_pair_is_named_in_order() -> None:
    (first,) = played("names", "scripted", 2, 1, partner="floor")
    (second,) = played("names", "floor", 2, 1, partner="scripted")
    assert list(first["pair"]) == ["sim/scripted", "sim/floor"] == list(second["pair"])[::-1]

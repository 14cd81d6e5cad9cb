"""Simulated players of chess and names: what they reach together, and how they get on with a stranger."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from evolif.contexts import tokenizer_name
from evolif.errors import ArgumentError
from evolif.scenarios.games import RegexTokenizer, SubwordTokenizer, generate, guess_and_check
from evolif.scenarios.games.boards import order_key
from evolif.scenarios.games.chess_players import floor as chess_floor
from evolif.scenarios.games.chess_players import scripted as chess_scripted
from evolif.scenarios.games.names_players import floor as names_floor
from evolif.scenarios.games.names_players import guess_and_check as check
from evolif.scenarios.games.names_players import scripted
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.players import player_of
from evolif.scenarios.games.self_play import rehearse
from evolif.scenarios.games.speech import Speech
from evolif.scenarios.games.tokens import Tokenizer

pytestmark = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `games`")

SIZES, TURNS = (9, 16, 25), (2, 4, 8, 16)
COLUMNS = ["name", "colour", "tree"]
OWN = [["Ann", "red", "oak"], ["Bob", "blue", "elm"], ["Cat", "red", "elm"], ["Bob", "red", "fir"]]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return SubwordTokenizer()


@pytest.fixture(scope="module")
def boards() -> list[dict[str, Any]]:
    return [generate("chess", number, seed=21) for number in range(60)]


@pytest.fixture(scope="module", params=SIZES)
def tables(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return [generate("names", number, seed=21, n=request.param) for number in range(40)]


def view(*said: str, rows: Any = OWN, turns: int = 8, tokens: int = 64, tokenizer: str = "") -> View:
    return View(
        "names", {}, len(said) % 2, {"columns": COLUMNS, "rows": rows}, {}, len(rows), True, len(said) + 1, turns,
        tokens, tokenizer or RegexTokenizer().name, said,
    )  # fmt: skip


def chess_view(board: str, *said: str, turns: int = 8, tokens: int = 64) -> View:
    return View(
        "chess", {}, len(said) % 2, {"board": board}, {}, 1, True, len(said) + 1, turns, tokens,
        RegexTokenizer().name, said,
    )  # fmt: skip


def share(results: Iterable[bool]) -> float:
    each = list(results)
    return sum(each) / len(each)


@pytest.mark.sampled
@pytest.mark.parametrize("turns", TURNS)
def test_the_scripted_pair_is_always_right_in_chess(turns: int, boards: list[Any], tokenizer: Tokenizer) -> None:
    for instance in boards:
        done = rehearse(instance, [chess_scripted] * 2, turns, tokenizer)
        assert (done["reason"], done["truncated"]) == ("correct", 0)
        assert len(done["texts"]) == 2 or turns == 16


def test_floor_answers_at_once_and_reaches_little_in_chess(boards: list[Any], tokenizer: Tokenizer) -> None:
    done = [rehearse(instance, [chess_floor] * 2, 8, tokenizer) for instance in boards]
    assert {len(one["texts"]) for one in done} == {1}
    assert {one["reason"] for one in done} == {"correct", "wrong"}


@pytest.mark.sampled
@pytest.mark.parametrize("turns", TURNS)
def test_guess_and_check_finds_the_row_if_either_player_tries_it(
    turns: int, tables: list[Any], tokenizer: Tokenizer
) -> None:
    for instance in tables:
        done = rehearse(instance, [check] * 2, turns, tokenizer)
        tried = min(turns // 2, len(instance["private"][0]["rows"]))
        assert done["truncated"] == 0
        assert done["reason"] == ("correct" if min(instance["answer"]) <= tried else "wrong")


@pytest.mark.sampled
@pytest.mark.parametrize("turns", TURNS)
def test_the_scripted_pair_is_never_worse_than_guess_and_check(
    turns: int, tables: list[Any], tokenizer: Tokenizer
) -> None:
    done = [rehearse(instance, [scripted] * 2, turns, tokenizer) for instance in tables]
    assert {one["reason"] for one in done} <= {"correct", "wrong"}
    assert not any(one["truncated"] for one in done)
    assert share(one["reason"] == "correct" for one in done) >= guess_and_check(
        len(tables[0]["private"][0]["rows"]), turns
    )


def test_floor_selects_a_row_at_once(tables: list[Any], tokenizer: Tokenizer) -> None:
    for instance in tables:
        done = rehearse(instance, [names_floor] * 2, 4, tokenizer)
        assert len(done["texts"]) == 1
        assert done["reason"] in ("correct", "wrong")


@pytest.mark.sampled
@pytest.mark.parametrize("rules", [[scripted, check], [check, scripted], [scripted, names_floor]])
def test_players_of_different_rules_get_to_an_answer(rules: list[Any], tables: list[Any], tokenizer: Tokenizer) -> None:
    reasons = {rehearse(instance, rules, 8, tokenizer)["reason"] for instance in tables}
    assert reasons <= {"correct", "wrong"}


@pytest.mark.parametrize("total", [2, 8, 16, 32, 64])
@pytest.mark.parametrize("counts", [RegexTokenizer(), RegexTokenizer(r"\S+"), SubwordTokenizer()])
def test_tiny_turns_break_nobody(total: int, counts: Tokenizer, tables: list[Any], boards: list[Any]) -> None:
    for rule, instance in ((scripted, tables[0]), (check, tables[0]), (chess_scripted, boards[0])):
        done = rehearse(instance, [rule] * 2, 2, counts, total)
        assert done["reason"] in ("correct", "wrong", "unparseable", "no_answer")


def test_a_rule_says_the_same_again(tables: list[Any], tokenizer: Tokenizer) -> None:
    for rule in (scripted, check):
        assert rehearse(tables[0], [rule] * 2, 8, tokenizer) == rehearse(tables[0], [rule] * 2, 8, tokenizer)


def test_guess_and_check_proposes_in_order_and_falls_back_on_the_rarest_values() -> None:
    assert check(view()) == "row 1: Ann red oak?"
    assert check(view("row 1: Ann red oak?", "No.")) == "row 2: Bob blue elm?"
    # Ann and oak stand there once, red three times.
    assert check(view(tokens=6)) == "row 1: Ann oak?"
    assert check(view(tokens=5)) == "row 1: Ann?"
    assert check(view(tokens=1)) == "row 1?"


@pytest.mark.parametrize("text", ["row 9: Cat red elm?", "Cat, red, elm.", "Do you have a red Cat under an elm?"])
def test_a_row_that_the_partner_names_is_selected_at_once(text: str) -> None:
    for rule in (check, scripted):
        assert rule(view(text)) == "SELECT ROW 3"


def test_on_the_last_turn_guess_and_check_selects_what_it_has_not_proposed() -> None:
    said = ("row 1: Dan x oak?", "row 1: Ann red oak?", "row 2: Eve red oak?")
    assert check(view(*said, turns=4)) == "SELECT ROW 2"
    assert check(view("row 2: Bob red?", "row 1: Ann red oak?", "Bob red.", turns=4)) == "SELECT ROW 4"


@pytest.mark.parametrize(
    ("said", "begins"),
    [
        (["Do you have Cat?"], "Yes."),
        (["Do you have Cat and blue?"], "No."),
        (["Do you have fir or yew?"], "Yes."),  # yew is no value that it knows
        (["What a day!"], "I did not understand that. Could you say it in other words?"),
        (["Bob."], "Bob: blue elm. Bob: red fir."),  # rows that fit come first
        (["No Ann. No Bob. I have some Cat"], "SELECT ROW 3"),
        (["colour: red; no others", "Hm", "No oak, no elm. Not elm. Not oak."], "SELECT ROW 4"),
        (["", "Do you have Cat?", "No."], "Ann: red oak. Bob: blue elm. Bob: red fir."),
        (["", "Do you have Ann or Cat?", "No.", "Do you have elm?", "No."], "SELECT ROW 4"),
    ],
)
def test_the_scripted_player_understands_a_stranger(said: list[str], begins: str) -> None:
    assert scripted(view(*said)).startswith(begins)


def test_of_several_rows_asked_for_it_names_those_it_has() -> None:
    rows = [["Ann", "red", "oak"], ["Bob", "blue", "elm"]]
    wider = [*rows, ["Cat", "red", "elm"]]
    assert scripted(view("Do you have Ann or Cat?", rows=wider)).startswith("Yes.")
    knows = view("Alwen or Cat?", rows=wider)  # the generator knows the name Alwen
    assert scripted(knows).startswith("I have cat.")


def test_the_last_turn_selects_the_row_that_the_partners_words_fit_best() -> None:
    assert scripted(view("Bob. Cat. Dan. Red elm.", turns=2)) == "SELECT ROW 3"
    assert scripted(view("Ann blue. Dan. Bob. Bob red.", turns=2)) == "SELECT ROW 4"
    assert scripted(view("Hm", turns=2)).startswith("SELECT ROW")


BOARD = "\n".join(["r n b q k b n r", "p p p p p p p p", *[". . . . . . . ."] * 2, ". . . . P . . .",
                   ". . . . . . . .", "P P P P . P P P", "R N B Q K B N R"])  # fmt: skip


def test_chess_is_told_in_plain_counts() -> None:
    assert order_key(BOARD) == (-32, -16, 2)
    told = "I have 32 pieces, 16 of them pawns. In all, the pawns have moved 2 squares forward."
    assert chess_scripted(chess_view(BOARD)) == f"{told} How is it on your board?"
    assert chess_scripted(chess_view(BOARD, tokens=22)) == told
    assert chess_scripted(chess_view(BOARD, tokens=10)) == "32 pieces, 16 pawns, moved 2 squares."
    assert chess_scripted(chess_view(BOARD, tokens=3)) == "32 pieces."
    said = ("32 pieces, 16 pawns.", "Mine, too: 32 pieces, 16 pawns.")
    assert chess_scripted(chess_view(BOARD, *said, tokens=9)) == "The pawns have moved 2 squares."


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ("I have 31 pieces.", "_MINE_"),
        ("31 pieces on my board", "_MINE_"),
        ("32 pieces, 15 pawns", "_MINE_"),
        ("White has 16 pieces, Black has fifteen.", "_MINE_"),
        ("One piece has been captured.", "_MINE_"),
        ("32 pieces, 16 pawns, sum 1", "_YOURS_"),
        ("32 pieces, 16 pawns, sum: 3", "_MINE_"),
        ("32 pieces, 16 pawns, moved 5 squares.", "_MINE_"),
        ("All 32 pieces and all 16 pawns are here. The pawns have moved no squares.", "_YOURS_"),
        ("32 pieces, 16 pawns", "I have 32 pieces"),
        ("32 pieces, 16 pawns, sum 2", "I have 32 pieces"),  # that cannot be
        ("How many pawns do you have?", "I have 32 pieces"),
        ("Hello", "I did not understand that. Could you say it in other words? I have 32 pieces"),
        ("", "I have 32 pieces"),
    ],
)
def test_chess_is_answered_where_the_partners_counts_decide(heard: str, said: str) -> None:
    assert chess_scripted(chess_view(BOARD, heard, tokens=80)).startswith(said)


def test_chess_is_guessed_on_the_last_turn_and_what_was_told_before_counts() -> None:
    assert chess_scripted(chess_view(BOARD, "Hello", turns=2)) == chess_floor(chess_view(BOARD)) == "_MINE_"
    assert chess_scripted(chess_view(BOARD, "32 pieces, 16 pawns", "What?", "The sum is 0.")) == "_YOURS_"


def test_speech_keeps_to_the_turn_and_counts_bytes_where_the_tokenizer_is_unknown() -> None:
    speech = Speech(view(tokens=4))
    assert [speech.add(text) for text in ("a b", "c d e", "c", "")] == [True, False, True, True]
    assert speech.text == "a b c "
    assert Speech(view(tokens=3, tokenizer="other")).fits("äb")
    assert not Speech(view(tokens=3, tokenizer="other")).fits("ääb")


@pytest.mark.parametrize(
    ("name", "game", "rule"), [("scripted", "chess", chess_scripted), ("floor", "names", names_floor)]
)
def test_players_are_found_by_name(
    name: str, game: str, rule: Callable[[View], str], boards: list[Any], tables: list[Any]
) -> None:
    found = player_of(name)
    assert found is not None
    here = chess_view(BOARD) if game == "chess" else view()
    assert found(here) == rule(here)


def test_odd_turns_are_refused(tables: list[Any], tokenizer: Tokenizer) -> None:
    with pytest.raises(ArgumentError, match="even"):
        rehearse(tables[0], [check] * 2, 3, tokenizer)

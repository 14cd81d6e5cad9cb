"""Chess: boards as text, what is counted on them, their order, and what the generator promises."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import pytest
from scipy.stats import binomtest

from evolif.errors import ArgumentError, UsageError
from evolif.scenarios.games import board_features, board_text, boards, earlier_board, generate, private_text
from evolif.scenarios.games.boards import BoardMaker, BoardSettings, measured_floor, order_key
from evolif.scenarios.games.floors import stored_floor
from evolif.util.rng import Stream

chess = pytest.importorskip("chess", reason="needs the extra `games`")

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
ENDGAME = "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50"
INSTANCES = 300


@pytest.fixture(scope="module")
def made() -> list[dict[str, Any]]:
    return [generate("chess", number, seed=11) for number in range(INSTANCES)]


def random_boards(games: int, plies: int) -> Iterator[list[Any]]:
    for number in range(games):
        stream, board, past = Stream(3, number), chess.Board(), []
        for _ in range(plies):
            past.append(board.copy(stack=False))
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(stream.choice(moves))
        yield past


def test_a_board_is_eight_lines_of_eight_signs() -> None:
    assert board_text(START) == (
        "r n b q k b n r\np p p p p p p p\n. . . . . . . .\n. . . . . . . .\n"
        ". . . . . . . .\n. . . . . . . .\nP P P P P P P P\nR N B Q K B N R"
    )
    assert board_text(START.split()[0]) == board_text(START)


def test_features_of_the_start_and_of_an_endgame() -> None:
    assert board_features(START) == {
        "pieces": 32, "white": 16, "black": 16, "white_pawn_rank_sum": 16, "black_pawn_rank_sum": 16,
    }  # fmt: skip
    # White's pawns: a3 b4 d5 e4 f3 h4. Black's, from the other side: a4 is on 5, b5 on 4, d6 on 3, e5, f4 and h5.
    assert board_features(ENDGAME) == {
        "pieces": 14, "white": 7, "black": 7, "white_pawn_rank_sum": 23, "black_pawn_rank_sum": 25,
    }  # fmt: skip


def test_the_earlier_board_has_the_lower_move_number() -> None:
    after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert earlier_board(START, after) == {"earlier": "a", "piece_count_decides": False}
    assert earlier_board(after, START) == {"earlier": "b", "piece_count_decides": False}
    assert earlier_board(ENDGAME, START) == {"earlier": "b", "piece_count_decides": True}
    # The earlier one having fewer pieces decides nothing.
    assert earlier_board(ENDGAME.replace(" 50", " 2"), START.replace(" 1", " 3"))["piece_count_decides"] is False


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (START, START, "ply 0"),
        (START, "8/8/8/8/8/8/8/8 w - - 0 1", "ply 0"),
        (START.rpartition(" ")[0], ENDGAME, "no move number"),
        (START.split()[0], ENDGAME, "no move number"),
        (START, ENDGAME.replace(" 50", " x"), "no move number"),
        (START, ENDGAME.replace(" 50", " -1"), "no move number"),
        (START, "9/8/8/8/8/8/8/8 w - - 0 2", "is no FEN"),
        (START, "8" * 10**6, "no move number|long"),
        (None, START, "is no text"),
    ],
)
def test_boards_without_an_order_are_refused(first: Any, second: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        earlier_board(first, second)


@pytest.mark.parametrize("fen", ["", "nonsense", "8/8", START[1:], "8/" * 10**5, 7])
def test_what_is_no_board_is_refused(fen: Any) -> None:
    for function in (board_text, board_features):
        with pytest.raises(ArgumentError):
            function(fen)


@pytest.mark.parametrize("text", ["", "r n b", "x " * 8 + "\n", ". . . . . . . .\n" * 7, 3])
def test_a_key_needs_a_whole_board(text: Any) -> None:
    with pytest.raises(ArgumentError):
        order_key(text)


def test_the_key_is_that_of_the_features_and_never_falls_along_a_game() -> None:
    plies = 0
    for past in random_boards(12, 150):
        keys = [order_key(str(board)) for board in past]
        assert keys == sorted(keys)
        for board, key in zip(past, keys, strict=True):
            told = board_features(board.fen())
            sums = told["white_pawn_rank_sum"] + told["black_pawn_rank_sum"]
            assert key == (-told["pieces"], -len(board.pieces(1, True) | board.pieces(1, False)), sums + 2 * key[1])
            plies += 1
    assert plies > 1_000


@pytest.mark.slow
def test_the_proof_can_be_repeated_from_what_is_shown(made: list[dict[str, Any]]) -> None:
    for instance in made:
        one, two = (order_key(private_text(instance, player)) for player in (0, 1))
        assert one != two
        assert instance["answer"] == (["MINE", "YOURS"] if one < two else ["YOURS", "MINE"])
        assert instance["proof"] == ("pieces" if one[0] != two[0] else "pawns")
        assert instance["public"] == {}
        assert instance["chance"] == 0.5


def test_both_kinds_and_both_sides_are_equally_frequent(made: list[dict[str, Any]]) -> None:
    for count in (
        sum(instance["proof"] == "pawns" for instance in made),
        sum(instance["answer"][0] == "MINE" for instance in made),
        sum(instance["answer"][0] == "MINE" for instance in made if instance["proof"] == "pawns") * 2,
    ):
        assert binomtest(count, INSTANCES).pvalue > 0.001


def test_settings_decide_what_is_drawn() -> None:
    maker = BoardMaker()
    for pawns, proof in ((0, "pieces"), (1, "pawns")):
        drawn = [maker.draw(Stream(number), BoardSettings(gap=10, pawns=pawns)) for number in range(5)]
        assert {one.proof for one in drawn} == {proof}
    # Between the start and ply 2 no piece can be taken, and at least one pawn or none has moved.
    assert maker.draw(Stream(1), BoardSettings(gap=1, plies=(0, 60), pawns=1)).proof == "pawns"


def test_one_board_says_little(made: list[dict[str, Any]]) -> None:
    assert {instance["floor"] for instance in made} == {stored_floor("chess", BoardSettings())}
    assert 0.5 <= made[0]["floor"] <= 0.6


@pytest.mark.slow
def test_the_stored_floor_is_the_measured_one() -> None:
    assert measured_floor(BoardSettings(), 1000) == stored_floor("chess", BoardSettings())


def test_a_floor_that_is_not_stored_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = BoardSettings(gap=16, pawns=0)
    monkeypatch.setattr(boards, "measured_floor", lambda given: 0.61 if given == settings else 0)
    assert BoardMaker().floor(settings, None) == 0.61
    assert measured_floor(settings, 20) >= 0.5


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def blocked(name: str, *rest: Any, **more: Any) -> Any:
        if name == "chess":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", blocked)
    boards._chess.cache_clear()
    try:
        with pytest.raises(UsageError, match="the extra `games`"):
            board_text(START)
    finally:
        boards._chess.cache_clear()

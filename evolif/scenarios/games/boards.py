"""Chess: two boards of one game, and which came earlier.

The order of two boards can be told without the moves between them. Pieces only vanish; while none does, a pawn only
vanishes by promotion; while none does, pawns only advance. So the key (-pieces, -pawns, ranks advanced) never falls
along a game, and where two boards have different keys, the smaller key is the earlier one's.

Legal moves come from python-chess (extra `games`), which is imported when a board is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, TypedDict

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from evolif.errors import ArgumentError, UsageError
from evolif.scenarios.games.arguments import text_of
from evolif.scenarios.games.floors import CALIBRATION, stored_floor
from evolif.scenarios.games.instance import GameContent, Maker, stream_of
from evolif.util.rng import Stream

if TYPE_CHECKING:
    import chess

Key: TypeAlias = tuple[int, int, int]
"""-pieces, -pawns, and how many ranks all pawns together have advanced. Along a game it never falls."""
_MOST_CHARACTERS = 200
"""Of a FEN; the longest real one has fewer than 100."""
_FIELDS = 6
_MOST_GAMES = 10_000
"""Far more than any settings need that are accepted; a bound all the same."""


class Features(TypedDict):
    """What can be counted on a board.

    Attributes:
        pieces: All of them, pawns and kings included.
        white: White's.
        black: Black's.
        white_pawn_rank_sum: The ranks of White's pawns, from White's own side from 1, added up.
        black_pawn_rank_sum: The same for Black, from Black's side.
    """

    pieces: int
    white: int
    black: int
    white_pawn_rank_sum: int
    black_pawn_rank_sum: int


class BoardOrder(TypedDict):
    """Which of two boards came earlier.

    Attributes:
        earlier: `a` for the first, `b` for the second.
        piece_count_decides: Whether the earlier board has more pieces.
    """

    earlier: Literal["a", "b"]
    piece_count_decides: bool


def _pair(value: Any) -> Any:
    """One number as a range of its own; a range as it is."""
    if isinstance(value, list | tuple):
        return (value[0], value[0]) if len(value) == 1 else tuple(value)
    return (value, value)


Range: TypeAlias = Annotated[tuple[int, int], BeforeValidator(_pair)]
"""The least and the most; one number means both."""


class BoardSettings(BaseModel):
    """The settings of chess."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    gap: Range = (8, 16)
    """Plies between the two boards, from least to most; 1 to 24."""
    plies: Range = (6, 110)
    """Between which plies both boards lie; 0 to 200."""
    pawns: float = Field(0.5, ge=0, le=1)
    """The share of instances whose boards have equally many pieces, so that only pawns tell."""

    @model_validator(mode="after")
    def _in_order(self) -> BoardSettings:
        for name, (low, high), least, most in (("gap", self.gap, 1, 24), ("plies", self.plies, 0, 200)):
            if not least <= low <= high <= most:
                raise ValueError(f"{name} goes from {low} to {high}; give a range within {least} and {most}")
        if self.plies[1] - self.plies[0] < 50:
            raise ValueError(f"plies {self.plies[0]} to {self.plies[1]} leave no choice; let them span 50 or more")
        return self


class BoardMaker(Maker):
    """Makes instances of chess: games of uniformly random legal moves, and two boards of each."""

    settings: ClassVar[type[BaseModel]] = BoardSettings

    def draw(self, stream: Stream, settings: BoardSettings) -> GameContent:
        """Two boards whose keys differ; what decides is drawn first, and searched for."""
        gap = stream.between(*settings.gap)
        by_pawns = stream.fraction() < settings.pawns
        for _ in range(_MOST_GAMES):
            found = _search(stream, settings, gap, by_pawns)
            if found:
                break
        else:
            raise ArgumentError(f"no two boards {gap} plies apart were found; take the usual plies, 6 to 110")
        first = stream.below(2)
        boards = [str(board) for board in found]
        return GameContent(
            private=[{"board": boards[first]}, {"board": boards[1 - first]}],
            answer=["YOURS", "MINE"] if first else ["MINE", "YOURS"],
            proof="pawns" if by_pawns else "pieces",
            chance=1 / 2,
            public={},
        )

    def floor(self, settings: BoardSettings, content: GameContent) -> float:
        """The best threshold on one own count, whatever the count; measured once for these settings."""
        return stored_floor("chess", settings) or measured_floor(settings)

    def text(self, instance: Mapping[str, Any], player: int) -> str:
        """The board as it was drawn."""
        return str(instance["private"][player]["board"])


def _search(
    stream: Stream, settings: BoardSettings, gap: int, by_pawns: bool
) -> tuple[chess.Board, chess.Board] | None:
    """Two boards of one new game, the earlier first; None if it has no two that fit.

    The later ply is drawn; from there the search goes on to the last ply, and then back to the first. Were it to begin
    anew at the first ply, more boards would be of the opening, where a single one says more.
    """
    low, high = settings.plies[0] + gap, settings.plies[1]
    start = stream.between(low, high)
    boards: list[chess.Board] = []
    for board in _random_game(stream, high):
        boards.append(board)
        ply = len(boards) - 1
        if ply >= start and _fits(boards[ply - gap], board, by_pawns):
            return boards[ply - gap], board
    for ply in range(min(start, len(boards)) - 1, low - 1, -1):
        if _fits(boards[ply - gap], boards[ply], by_pawns):
            return boards[ply - gap], boards[ply]
    return None


def _random_game(stream: Stream, plies: int) -> Iterator[chess.Board]:
    """The boards of a game of uniformly random legal moves, from the start on, as long as it goes on."""
    board = _chess().Board()
    yield board.copy(stack=False)
    for _ in range(plies):
        moves = list(board.generate_legal_moves())
        if not moves:
            return
        board.push(stream.choice(moves))
        yield board.copy(stack=False)


def _fits(before: chess.Board, after: chess.Board, by_pawns: bool) -> bool:
    same = before.occupied.bit_count() == after.occupied.bit_count()
    if not (same and by_pawns):
        return not same and not by_pawns
    return before.pawns.bit_count() != after.pawns.bit_count() or _advanced(before) != _advanced(after)


def _advanced(board: chess.BaseBoard) -> int:
    """How many ranks all pawns together have advanced."""
    sums = _pawn_rank_sums(board)
    return sum(sums) - 2 * board.pawns.bit_count()


def _pawn_rank_sums(board: chess.BaseBoard) -> tuple[int, int]:
    """White's and Black's, each from the own side from 1."""
    white, black = (board.pawns & board.occupied_co[colour] for colour in (True, False))
    ranks = [0xFF << 8 * rank for rank in range(8)]
    return (
        sum((rank + 1) * (white & mask).bit_count() for rank, mask in enumerate(ranks)),
        sum((8 - rank) * (black & mask).bit_count() for rank, mask in enumerate(ranks)),
    )


def board_text(fen: str) -> str:
    """Show a board as text.

    Args:
        fen: Of the position; its first field is enough.

    Returns:
        Eight lines of eight signs, rank 8 first; White's in upper case, an empty square as a dot.

    Raises:
        ArgumentError: it is no FEN.
        UsageError: the extra `games` is not installed.
    """
    return str(_board(fen))


def board_features(fen: str) -> Features:
    """Count what a board shows.

    Args:
        fen: Of the position; its first field is enough.

    Raises:
        ArgumentError: it is no FEN.
        UsageError: the extra `games` is not installed.
    """
    board = _board(fen)
    white, black = _pawn_rank_sums(board)
    return {
        "pieces": board.occupied.bit_count(),
        "white": board.occupied_co[True].bit_count(),
        "black": board.occupied_co[False].bit_count(),
        "white_pawn_rank_sum": white,
        "black_pawn_rank_sum": black,
    }


def earlier_board(fen_1: str, fen_2: str) -> BoardOrder:
    """Tell which of two boards of a game came earlier, by their move numbers.

    Args:
        fen_1: A whole FEN, its move number included.
        fen_2: Another.

    Raises:
        ArgumentError: one is no FEN or has no move number, or both are of the same ply.
        UsageError: the extra `games` is not installed.
    """
    plies = [_ply(fen) for fen in (fen_1, fen_2)]
    if plies[0] == plies[1]:
        raise ArgumentError(f"both boards are of ply {plies[0]}, so none is earlier; give boards of different plies")
    pieces = [_board(fen).occupied.bit_count() for fen in (fen_1, fen_2)]
    first = plies[0] < plies[1]
    earlier, later = pieces if first else reversed(pieces)
    return {"earlier": "a" if first else "b", "piece_count_decides": earlier > later}


def order_key(board: str) -> Key:
    """The key of a board shown as text: of two boards of a game, the earlier one's is the smaller, or they are equal.

    Raises:
        ArgumentError: it is not eight lines of eight signs.
    """
    ranks = [line.split() for line in text_of(board).splitlines()]
    signs = [sign for rank in ranks for sign in rank]
    if [len(rank) for rank in ranks] != [8] * 8 or not set(signs) <= set(".PNBRQKpnbrqk"):
        raise ArgumentError("this is no board; give eight lines of eight signs, as `board_text` returns them")
    advanced = sum((6 - at) * rank.count("P") + (at - 1) * rank.count("p") for at, rank in enumerate(ranks))
    return signs.count(".") - 64, -signs.count("P") - signs.count("p"), advanced


def _board(fen: str) -> chess.Board:
    if len(text_of(fen)) > _MOST_CHARACTERS:
        raise ArgumentError("a FEN this long describes no board; give one of fewer than 100 signs")
    try:
        board: chess.Board = _chess().Board(fen)
    except ValueError as fault:
        raise ArgumentError(f"{fen!r} is no FEN ({fault}); correct it") from None
    return board


def _ply(fen: str) -> int:
    fields = text_of(fen).split()
    if len(fields) != _FIELDS or not (fields[5].isascii() and fields[5].isdecimal()):
        raise ArgumentError(f"{fen[:_MOST_CHARACTERS]!r} has no move number; give a FEN with all six fields")
    return _board(fen).ply()


@lru_cache(maxsize=1)
def _chess() -> Any:
    try:
        import chess
    except ImportError:
        raise UsageError(
            "boards need python-chess: install the extra `games` (in a checkout: pip install -e '.[games]')."
        ) from None
    return chess


@lru_cache(maxsize=64)
def measured_floor(settings: BoardSettings, instances: int = CALIBRATION) -> float:
    """The share that the best rule gets right that compares one count of the own board with a threshold.

    Args:
        settings: Of the instances.
        instances: How many are made; each is guessed from either side.
    """
    maker = BoardMaker()
    keys: list[tuple[Key, bool]] = []
    for number in range(instances):
        content = maker.draw(stream_of("chess", settings, 0, number), settings)
        for part, answer in zip(content.private, content.answer, strict=True):
            keys.append((order_key(part["board"]), answer == "MINE"))
    best = max(_best_threshold([(key[at], mine) for key, mine in keys]) for at in range(3))
    return round(best / len(keys), 4)


def _best_threshold(cases: Sequence[tuple[int, bool]]) -> int:
    """How many cases the best threshold gets right, the earlier board being below it."""
    cases = sorted(cases)
    right = best = len(cases) - sum(mine for _, mine in cases)
    for at, (value, mine) in enumerate(cases):
        right += 1 if mine else -1
        if at + 1 == len(cases) or cases[at + 1][0] != value:
            best = max(best, right)
    return best

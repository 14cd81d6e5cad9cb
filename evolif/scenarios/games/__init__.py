"""Games of two players who each know half: made with proofs, played, read and measured (after MT-PingEval)."""

from importlib import import_module
from typing import Any

from evolif.scenarios.games.boards import board_features, board_text, earlier_board
from evolif.scenarios.games.centering import centering
from evolif.scenarios.games.density import content_ratio, lexical_density, novelty
from evolif.scenarios.games.figures import accuracy_table, guess_and_check, isotoken, proposal_table
from evolif.scenarios.games.information import information_gain
from evolif.scenarios.games.instance import generate, private_image, private_text
from evolif.scenarios.games.names import shared_rows
from evolif.scenarios.games.noun_phrases import phrases
from evolif.scenarios.games.playing import play
from evolif.scenarios.games.proposals import answer_proposal
from evolif.scenarios.games.reading import parse_chess, parse_image, parse_question, parse_row
from evolif.scenarios.games.tokens import RegexTokenizer, SubwordTokenizer, truncate
from evolif.scenarios.games.turns import budget, turn_meta, usage

__all__ = [
    "RegexTokenizer",
    "SubwordTokenizer",
    "accuracy_table",
    "answer_proposal",
    "board_features",
    "board_text",
    "budget",
    "centering",
    "content_ratio",
    "earlier_board",
    "generate",
    "guess_and_check",
    "information_gain",
    "isotoken",
    "lexical_density",
    "novelty",
    "parse_chess",
    "parse_image",
    "parse_question",
    "parse_row",
    "phrases",
    "play",
    "private_image",
    "private_text",
    "proposal_table",
    "shared_rows",
    "truncate",
    "turn_meta",
    "usage",
]

_PLAYED = {"Games", "played"}
"""What plays and reports the scenario."""


def __getattr__(name: str) -> Any:
    """Load what plays and reports on first use (PEP 562); most of the package does not need it."""
    if name not in _PLAYED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.scenario"), name)

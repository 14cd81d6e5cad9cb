"""What a simulated player says, within the tokens of its turn."""

from __future__ import annotations

from functools import lru_cache

from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.tokens import RegexTokenizer, SubwordTokenizer, Tokenizer


class Speech:
    """Sentences that fit a turn together.

    Args:
        view: Of the player who speaks.
    """

    def __init__(self, view: View) -> None:
        self._most = view.tokens
        self._tokenizer = _tokenizer(view.tokenizer)
        self.text = ""

    def cost(self, text: str) -> int:
        """The tokens of a text, at least 1."""
        if self._tokenizer is None:
            return max(1, len(text.encode("utf-8", "surrogatepass")))
        return max(1, len(self._tokenizer.spans(text)))

    def fits(self, text: str) -> bool:
        """Whether a text fits the turn as a whole."""
        return self.cost(text) <= self._most

    def add(self, sentence: str) -> bool:
        """Say a sentence as well, if it still fits."""
        longer = f"{self.text} {sentence}" if self.text else sentence
        if not self.fits(longer):
            return False
        self.text = longer
        return True


@lru_cache(maxsize=8)
def _tokenizer(name: str) -> Tokenizer | None:
    """The tokenizer of a name; None if it is not one of ours, so that each byte has to count as a token."""
    usual = RegexTokenizer()
    if name == usual.name:
        return usual
    return SubwordTokenizer() if name.startswith("l2_supercat-") else None

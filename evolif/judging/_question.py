"""The question to a judge model: the answer is data between two lines with a number drawn afresh for every call.

No answer can close that fence, since nobody could know the number when the answer was written, and a number that
stands in the text all the same is drawn again. What fills a slot is never read for slots, so that no text can change
another part of the messages.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from dataclasses import dataclass
from functools import cached_property

from evolif.domain import Constraint, Message
from evolif.judging._rubric import Rubric
from evolif.models import ChatRequest

_SLOT = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True)
class Question:
    """One constraint and the text it is about.

    Attributes:
        constraint: What the text should be.
        text: The answer after the reading rules' first step: without reasoning, in NFC, line breaks made plain.
        rubric: Wording and scales.
    """

    constraint: Constraint
    text: str
    rubric: Rubric

    def request(self, *, again: bool = False) -> ChatRequest:
        """One call, with a fence of its own; how it is sampled is for others to say.

        Args:
            again: Whether an earlier reply could not be read.
        """
        wording = self.rubric.wording
        text = self._text
        number = secrets.token_hex(12)
        while number in text:
            number = secrets.token_hex(12)
        shown, body = self._shown(text, number)
        question, scale = self.rubric.scale(self.constraint)
        fence = f"==== {number} ===="
        slots = {"fence": fence, "question": question, "scale": scale, "shown": shown, "text": body}
        user = wording.user + (wording.again if again else "")
        messages = (Message("system", _fill(wording.system, slots)), Message("user", _fill(user, slots)))
        return ChatRequest(messages, drawn=number)

    def key(self, judge: str) -> str:
        """What a score is kept under: judge, rubric, constraint and text, hashed."""
        asked = [judge, self.rubric.version, self.constraint.group, dict(self.constraint.params), self._text]
        return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    @cached_property
    def _text(self) -> str:
        """The text as any provider takes it: without the half surrogates that JSON can carry and UTF-8 cannot."""
        return self.text.encode("utf-8", "replace").decode("utf-8")

    def _shown(self, text: str, number: str) -> tuple[str, str]:
        """What is said of the text's wholeness, and the part of it that is shown."""
        wording = self.rubric.wording
        if len(text) <= wording.longest_text:
            return wording.whole, text
        tail = wording.longest_text // 3
        head = wording.longest_text - tail
        counts = {"length": f"{len(text):,}", "head": f"{head:,}", "tail": f"{tail:,}"}
        gap = _fill(wording.gap, {"length": f"{len(text) - wording.longest_text:,}"})
        return _fill(wording.cut, counts), f"{text[:head]}\n---- {number}: {gap} ----\n{text[-tail:]}"


def _fill(template: str, slots: dict[str, str]) -> str:
    return _SLOT.sub(lambda match: slots.get(match[1], match[0]), template).strip("\n")

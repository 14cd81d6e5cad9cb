"""Questions on a text that a judge answers with yes or no, each with a quotation; all must be answered with yes.

A quotation binds the judge to the text: a yes whose quotation is not in it is not read, and the judge is asked again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from evolif.errors import InputError
from evolif.judging.rubric import LONGEST_REPLY, CriterionQuestion, Read, RubricWording, shorten
from evolif.text import reply_objects
from evolif.util.resources import complaint, data_path, load_data

ALL_HOLD = 10.0
"""The score of a text of which all questions are answered with yes."""
MOST_OTHERWISE = 6.0
"""What all others stay below, in proportion to the answers with yes: no panel's rule accepts a 6."""
_MARKS = re.compile(r"[\s*_`#>“”\"'‘’…]+")


@lru_cache(maxsize=1)
def question_wording() -> RubricWording:
    """The text around questions and answer, read once.

    Raises:
        InputError: the file is not one.
    """
    path = data_path("seeds", "prompts", "judge-questions.yaml")
    try:
        return RubricWording.model_validate(load_data(path))
    except ValidationError as fault:
        raise InputError(complaint(fault, "the file"), path=path) from None


@dataclass(frozen=True)
class QuestionList(CriterionQuestion):
    """Asks the questions of a criterion about a text.

    Example:
        >>> from evolif.judging import Criterion
        >>> from evolif.judging.rubric import load_rubric
        >>> asked = Criterion("tone", {"tone": "cheeky"}, "It is cheeky.", questions=("Is it cheeky?",))
        >>> reply = '{"answers": [{"question": 1, "answer": "yes", "quotation": "no thanks, mum"}]}'
        >>> QuestionList(asked, "Oh no thanks, mum!", load_rubric()).read(reply).score
        10.0
    """

    @property
    def wording(self) -> RubricWording:
        """The text around the questions."""
        return question_wording()

    @property
    def version(self) -> str:
        """The rubric's, with a hash of the questions and the text around them."""
        asked = json.dumps([self.criterion.questions, self.wording.model_dump()], sort_keys=True, ensure_ascii=True)
        return f"{self.rubric.version}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"

    @property
    def schema(self) -> Mapping[str, Any]:
        """What a reply looks like, as a JSON Schema."""
        properties = {
            "question": {"type": "integer"},
            "quotation": {"type": "string", "description": "words of the text that show it; empty for no"},
            "answer": {"type": "string", "enum": ["yes", "no"]},
        }
        answer = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        return {
            "type": "object",
            "properties": {"answers": {"type": "array", "items": answer}},
            "required": ["answers"],
            "additionalProperties": False,
        }

    def read(self, reply: str) -> Read:
        """The score in a reply: 10 if all questions are answered with yes, else below 6; or why there is none."""
        try:
            answers = self._answers(reply)
        except ValueError as fault:
            return Read(None, problem=str(fault))
        denied = [number for number, quotation in answers.items() if quotation is None]
        total = len(self.criterion.questions)
        if not denied:
            shown = "; ".join(f"“{quotation}”" for quotation in answers.values())
            return Read(ALL_HOLD, self._short(f"yes to all {total}: {shown}"))
        score = MOST_OTHERWISE * (total - len(denied)) / total
        asked = self.criterion.questions[denied[0] - 1]
        return Read(max(1.0, score), self._short(f"yes to {total - len(denied)} of {total}, no to: {asked}"))

    def key(self, judge: str) -> str:
        """The cache key: as of a score, with the questions and the text around them."""
        parts = [super().key(judge), self.version]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    def _asked(self) -> dict[str, str]:
        numbered = enumerate(self.criterion.questions, 1)
        return {"question": "\n".join(f"{number}. {question}" for number, question in numbered)}

    def _short(self, text: str) -> str:
        return shorten(text, self.wording.longest_rationale)

    def _answers(self, reply: str) -> dict[int, str | None]:
        """By question the quotation of a yes, or None for a no.

        Raises:
            ValueError: the reply cannot be read.
        """
        if not reply.strip():
            raise ValueError("the reply is empty")
        if len(reply) > LONGEST_REPLY:
            raise ValueError("the reply is too long")
        objects = reply_objects(reply, "answers")
        if len(objects) != 1 or not isinstance(listed := objects[0]["answers"], list):
            raise ValueError("the reply does not contain one list of answers")
        found: dict[int, str | None] = {}
        for entry in listed:
            number, quotation = self._answer(entry)
            if number in found:
                raise ValueError(f"the reply answers question {number} twice")
            found[number] = quotation
        missing = [number for number in range(1, len(self.criterion.questions) + 1) if number not in found]
        if missing:
            raise ValueError(f"the reply does not answer question {missing[0]}")
        return dict(sorted(found.items()))

    def _answer(self, entry: object) -> tuple[int, str | None]:
        if not isinstance(entry, dict):
            raise ValueError("the reply's answers are not objects")
        number, answer, quotation = entry.get("question"), entry.get("answer"), entry.get("quotation", "")
        if type(number) is not int or not 1 <= number <= len(self.criterion.questions):
            raise ValueError("the reply answers a question that was not asked")
        if answer not in ("yes", "no") or not isinstance(quotation, str):
            raise ValueError(f"the reply's answer to question {number} is neither yes nor no")
        if answer == "no":
            return number, None
        if not _bare(quotation) or _bare(quotation) not in _bare(self._text):
            raise ValueError(f"what the reply quotes for question {number} is not in the text")
        return number, quotation


def _bare(text: str) -> str:
    """A text as quotations are compared: without marks, quotation marks, capitals and kinds of white space."""
    return _MARKS.sub(" ", text.casefold()).strip(" .,;:!?")

"""Topic files: JSONL, one topic a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from evolif._catalogues import data_path
from evolif._errors import InputError
from evolif.domain import Topic
from evolif.text import clean, fold

MIN_KEYWORDS = 20
"""What a topic needs at least (specification of the topic layer)."""

_Text = Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"\S")]


class TopicModel(BaseModel):
    """A topic as stored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: _Text
    prompt: _Text
    keywords: list[_Text]
    domain: str = ""
    title: str = ""

    @field_validator("keywords")
    @classmethod
    def _enough_words(cls, keywords: list[str]) -> list[str]:
        """Different ones, each with a letter or a digit at both ends: only such have edges that text can show."""
        kept = list({fold(k): k for k in (clean(k).strip() for k in reversed(keywords))}.values())[::-1]
        for keyword in kept:
            if not (keyword[:1].isalnum() and keyword[-1:].isalnum()):
                raise ValueError(f"“{keyword}” does not start and end with a letter or a digit")
        if len(kept) < MIN_KEYWORDS:
            raise ValueError(f"a topic needs at least {MIN_KEYWORDS} different keywords, here are {len(kept)}")
        return kept

    def to_topic(self) -> Topic:
        """The topic, its texts normalised."""
        return Topic(self.id, clean(self.prompt).strip(), tuple(self.keywords), self.domain, clean(self.title).strip())


def read_json_lines(path: Path) -> Iterable[tuple[int, object]]:
    """The objects of a JSONL file with their line numbers; blank lines are skipped."""
    try:
        # Not `splitlines`: JSON strings may hold U+2028 and other characters that it takes for line ends.
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "not UTF-8"
        raise InputError(f"cannot be read ({reason})", path=path) from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):  # a number of thousands of digits is a plain ValueError
                raise InputError("not a JSON object; mend or delete the line", path=path, line=number) from None


def load_topics(path: Path | None = None) -> tuple[Topic, ...]:
    """The topics of a file, or the project's own.

    Raises:
        InputError: a line that is not a topic, or an id used twice.
    """
    source = path or data_path("seeds", "topics.jsonl")
    topics: dict[str, Topic] = {}
    for number, data in read_json_lines(source):
        try:
            topic = TopicModel.model_validate(data).to_topic()
        except ValidationError as fault:
            first = fault.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "topic"
            raise InputError(f"{where}: {first['msg']}", path=source, line=number) from None
        if topic.id in topics:
            raise InputError(f"the topic id {topic.id} is used twice", path=source, line=number)
        topics[topic.id] = topic
    if not topics:
        raise InputError("holds no topic", path=source)
    return tuple(topics.values())

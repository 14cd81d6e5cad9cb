"""Topic files: JSONL, one topic a line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from evolif._catalogues import data_path
from evolif._json_lines import read_catalogue
from evolif.domain import Topic
from evolif.text import clean, fold

MIN_KEYWORDS = 20
"""What a topic needs at least (specification of the topic layer)."""

_PLAIN = re.compile(r"(?:[a-z0-9]+(?:[ -][a-z0-9]+)*\n)+")
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
        if _are_plain(keywords) and len(keywords) == len(set(keywords)) >= MIN_KEYWORDS:
            return keywords
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


def _are_plain(keywords: list[str]) -> bool:
    """Whether normalising would change none of them: told of all at once, because every start reads some 12,000."""
    joined = "".join(f"{keyword}\n" for keyword in keywords)
    return joined.count("\n") == len(keywords) and _PLAIN.fullmatch(joined) is not None


def load_topics(path: Path | None = None) -> tuple[Topic, ...]:
    """The topics of a file, or the project's own.

    Raises:
        InputError: a line that is not a topic, or an id used twice.
    """
    source = path or data_path("seeds", "topics.jsonl")
    return read_catalogue(source, lambda data: TopicModel.model_validate(data).to_topic(), "topic")

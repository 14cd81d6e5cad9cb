"""What `evolif topics lint` says of one topic, for the reviewer who looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evolif.domain import Finding
from evolif.review._topic_file import TopicFile, content_of


class TopicLint:
    """The lint of a file, topic by topic.

    A topic as it stands in the file gets all that the lint says of it, likeness to others included; the whole file is
    read for that, once, when the first topic is asked for. A topic that was changed since gets what can be said of it
    alone.

    Args:
        path: The JSONL file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stored: dict[str, list[Finding]] | None = None

    def __call__(self, line: Mapping[str, Any]) -> list[Finding]:
        """The findings of a topic's line."""
        if self._stored is None:
            self._stored = self._whole()
        return self._stored[content_of(line)] if content_of(line) in self._stored else _alone(line)

    def _whole(self) -> dict[str, list[Finding]]:
        from evolif.catalogue import lint_topics

        found: dict[str, list[Finding]] = {}
        for one in lint_topics(self._path).findings:
            found.setdefault(one.entry, []).append(Finding(one.rule, f"{one.message}; {one.mend}"))
        return {content_of(line): found.get(key, []) for key, line in TopicFile(self._path).read().items()}


def _alone(line: Mapping[str, Any]) -> list[Finding]:
    from evolif.catalogue._topic import read_topic, topic_faults

    topic, faults = read_topic(line)
    faults += topic_faults(topic) if topic is not None else []
    return [Finding(fault.rule, f"{fault.message}; {fault.mend}") for fault in faults]

"""Rules between topics: each new one is compared with those before it, by indexes."""

from __future__ import annotations

from collections.abc import Iterator

from evolif.catalogue._findings import Fault, Pair
from evolif.catalogue._index import Near, OverlapIndex, RunIndex, listed
from evolif.catalogue._nearest import NearestPairs
from evolif.catalogue._shape import ALIKE_SHAPE, shape_runs
from evolif.catalogue._topic import TopicEntry
from evolif.catalogue._words import content_stems, words

SHARED_RUN = 4
"""Words in a row that no two prompts may share."""
SHARED_KEYWORDS = 4
"""Keywords that two topics may share."""
ALIKE_PROMPTS = 0.5
"""Shared content words over all content words, from which on two prompts are one. The nearest two of some 600 that were
written one by one come to 0.25."""
_KEYWORD_CAP = 1000
"""Far above what a keyword of a varied catalogue is used: the rule on shared keywords misses nothing there."""


class TopicIndex:
    """The topics so far, and what a further one has in common with them."""

    def __init__(self) -> None:
        self._topics: list[tuple[str, int]] = []
        self._ids: dict[str, int] = {}
        self._titles: dict[str, int] = {}
        self._runs = RunIndex(SHARED_RUN)
        self._keywords = OverlapIndex(cap=_KEYWORD_CAP)
        self._prompts = OverlapIndex()
        self._shapes = OverlapIndex()
        self._compared: tuple[TopicEntry, int, list[Near], list[Near]] | None = None
        self._by_keywords = NearestPairs(self._topics.__getitem__, by_count=True)
        self._by_prompt = NearestPairs(self._topics.__getitem__)

    def __len__(self) -> int:
        return len(self._topics)

    def clashes(self, topic: TopicEntry) -> list[Fault]:
        """What the topic has in common with an earlier one and should not."""
        return [*self._names(topic), *self._wordings(topic), *self._nearness(topic)]

    def add(self, topic: TopicEntry, line: int) -> None:
        """Take a topic in."""
        at = len(self._topics)
        keywords, prompt = self._neighbours(topic)
        self._topics.append((topic.id, line))
        self._ids.setdefault(topic.id, at)
        self._titles.setdefault(_plain(topic.title), at)
        self._by_keywords.offer(keywords, at)
        self._by_prompt.offer(prompt, at)
        self._runs.add(topic.prompt, at)
        self._prompts.add(content_stems(topic.prompt), at)
        self._shapes.add(shape_runs(topic.prompt), at)
        self._keywords.add(frozenset(topic.keywords), at)

    def nearest(self) -> dict[str, tuple[Pair, ...]]:
        """The nearest pairs, by shared keywords and by the words of the prompts."""
        return {"keywords": self._by_keywords.pairs(), "prompts": self._by_prompt.pairs()}

    def _said(self, at: int) -> str:
        name, line = self._topics[at]
        return f"{name[:40]} (line {line})"

    def _neighbours(self, topic: TopicEntry) -> tuple[list[Near], list[Near]]:
        """The nearest topics by keywords and by prompt; a topic is added just after it was compared."""
        if self._compared is None or self._compared[:2] != (topic, len(self)):
            keywords = self._keywords.near(frozenset(topic.keywords), by_count=True)
            self._compared = (topic, len(self), keywords, self._prompts.near(content_stems(topic.prompt)))
        return self._compared[2:]

    def _names(self, topic: TopicEntry) -> Iterator[Fault]:
        if topic.id in self._ids:
            line = self._topics[self._ids[topic.id]][1]
            yield Fault("id", f"the id {topic.id[:40]} stands in line {line} already", "give it another")
        same = self._titles.get(_plain(topic.title))
        if same is not None:
            yield Fault("title", f"the title is that of {self._said(same)}", "name what is special about this task")

    def _wordings(self, topic: TopicEntry) -> Iterator[Fault]:
        for run in self._runs.find(topic.prompt):
            said = f"the prompt shares “{' '.join(run.words[:20])}” with {self._said(run.at)}"
            yield Fault("shared-words", said, f"say it otherwise: no {SHARED_RUN} words in a row may be shared")

    def _nearness(self, topic: TopicEntry) -> Iterator[Fault]:
        keywords, prompts = self._neighbours(topic)
        for near in keywords:
            if len(near.shared) > SHARED_KEYWORDS:
                said = f"{len(near.shared)} keywords are those of {self._said(near.at)}"
                held = listed(sorted(map(str, near.shared)))
                yield Fault("keyword-shared", f"{said}: {held}", f"replace all but {SHARED_KEYWORDS} of them")
        if prompts and prompts[0].jaccard >= ALIKE_PROMPTS:
            said = f"the prompt is made of the words of {self._said(prompts[0].at)}"
            yield Fault("alike", said, "ask for something else")
            return
        shapes = self._shapes.near(shape_runs(topic.prompt))
        if shapes and shapes[0].jaccard >= ALIKE_SHAPE:
            said = f"the prompt is that of {self._said(shapes[0].at)} with other words filled in"
            yield Fault("fill-in", said, "build the sentences anew")


def _plain(title: str) -> str:
    return " ".join(words(title))

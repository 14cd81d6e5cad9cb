"""Rules between personas: each new one is compared with those before it, by indexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from evolif.catalogue._findings import Fault, Pair
from evolif.catalogue._index import Near, OverlapIndex, RunIndex, listed
from evolif.catalogue._nearest import NearestPairs
from evolif.catalogue._persona import PersonaEntry
from evolif.catalogue._words import content_stems, words

SHARED_RUN = 4
"""Words in a row that no two sentences may share."""
PHRASE_USES = 3
"""Personas that may have the same phrase."""
SHARED_PHRASES = 1
"""Phrases that two personas may share."""
ALIKE_SENTENCES = 0.5
"""Shared content words over all content words, from which on two sentences are one."""


class PersonaIndex:
    """The personas so far, and what a further one has in common with them."""

    def __init__(self) -> None:
        self._personas: list[tuple[str, int]] = []
        self._ids: dict[str, int] = {}
        self._uses: Counter[str] = Counter()
        self._runs = RunIndex(SHARED_RUN)
        self._sentences = OverlapIndex()
        self._phrases = OverlapIndex()
        self._by_sentence = NearestPairs(self._personas.__getitem__)
        self._by_phrases = NearestPairs(self._personas.__getitem__, by_count=True)
        self._compared: tuple[PersonaEntry, int, list[Near], list[Near]] | None = None

    def __len__(self) -> int:
        return len(self._personas)

    def clashes(self, persona: PersonaEntry) -> list[Fault]:
        """What the persona has in common with an earlier one and should not."""
        return [*self._names(persona), *self._wordings(persona), *self._nearness(persona)]

    def add(self, persona: PersonaEntry, line: int) -> None:
        """Take a persona in."""
        at = len(self._personas)
        sentence, phrases = self._neighbours(persona)
        self._personas.append((persona.id, line))
        self._ids.setdefault(persona.id, at)
        self._by_sentence.offer(sentence, at)
        self._by_phrases.offer(phrases, at)
        self._uses.update(_phrase_set(persona))
        self._runs.add(persona.sentence, at)
        self._sentences.add(content_stems(persona.sentence), at)
        self._phrases.add(_phrase_set(persona), at)

    def nearest(self) -> dict[str, tuple[Pair, ...]]:
        """The nearest pairs, by the words of the sentences and by shared phrases."""
        return {"sentences": self._by_sentence.pairs(), "phrases": self._by_phrases.pairs()}

    def _said(self, at: int) -> str:
        name, line = self._personas[at]
        return f"{name[:40]} (line {line})"

    def _names(self, persona: PersonaEntry) -> Iterator[Fault]:
        if persona.id in self._ids:
            line = self._personas[self._ids[persona.id]][1]
            yield Fault("id", f"the id {persona.id[:40]} stands in line {line} already", "give it another")

    def _wordings(self, persona: PersonaEntry) -> Iterator[Fault]:
        for run in self._runs.find(persona.sentence):
            said = f"the sentence shares “{' '.join(run.words[:20])}” with {self._said(run.at)}"
            yield Fault("shared-words", said, f"say it otherwise: no {SHARED_RUN} words in a row may be shared")
        for phrase in sorted(_phrase_set(persona)):
            if self._uses[phrase] >= PHRASE_USES:
                said = f"the phrase “{phrase[:60]}” is in {self._uses[phrase]} personas already"
                yield Fault("phrases", said, "find another")

    def _nearness(self, persona: PersonaEntry) -> Iterator[Fault]:
        sentences, phrases = self._neighbours(persona)
        if sentences and sentences[0].jaccard >= ALIKE_SENTENCES:
            said = f"the sentence is made of the words of {self._said(sentences[0].at)}"
            yield Fault("alike", said, "describe somebody else")
        for near in phrases:
            if len(near.shared) > SHARED_PHRASES:
                said = f"{len(near.shared)} phrases are those of {self._said(near.at)}"
                held = listed(sorted(map(str, near.shared)))
                yield Fault("alike", f"{said}: {held}", f"replace all but {SHARED_PHRASES} of them")

    def _neighbours(self, persona: PersonaEntry) -> tuple[list[Near], list[Near]]:
        """The nearest by sentence and the nearest by phrases; a persona is added just after it was compared."""
        if self._compared is None or self._compared[:2] != (persona, len(self)):
            sentence = self._sentences.near(content_stems(persona.sentence))
            phrases = self._phrases.near(_phrase_set(persona), by_count=True)
            self._compared = (persona, len(self), sentence, phrases)
        return self._compared[2:]


def _phrase_set(persona: PersonaEntry) -> frozenset[str]:
    return frozenset(" ".join(words(phrase)) for phrase in persona.phrases)

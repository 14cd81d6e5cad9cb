"""The lint of a topic's other wordings: the same task as people of other registers type it, and its short name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from evolif.scenarios.instructions.catalogue.entries import LONGEST_TEXT, RuleFault
from evolif.scenarios.instructions.catalogue.index import NUMBER_WORDS, contains, listed, stem, words
from evolif.scenarios.instructions.catalogue.personas import load_patterns
from evolif.scenarios.instructions.turns import Topic

SHORTEST, LONGEST = 0.4, 1.3
"""Length of a wording, as a share of the prompt's characters."""
_SHORT_WORDS = 7
"""Words of a short name, at most."""
_MOST_REGISTERS = 20
_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NAME = re.compile(r"(?<![.!?:”\"] )(?<!^)(?<!\n)\b[A-Z][a-z’'-]{2,}\b")
"""A word with a capital inside a sentence."""


def read_wordings(data: Mapping[str, Any], faults: list[RuleFault]) -> tuple[dict[str, str], str]:
    """The wordings and the short name of an object; what is wrong with them is added to the faults."""
    given, short = data.get("wordings", {}), data.get("short", "")
    if not isinstance(short, str) or len(short) > LONGEST_TEXT or not short.isprintable():
        faults.append(RuleFault("fields", "“short” is not a short text", "write it in quotation marks"))
        short = ""
    texts = isinstance(given, dict) and len(given) <= _MOST_REGISTERS
    if not texts or not all(isinstance(text, str) and 0 < len(text) <= LONGEST_TEXT for text in given.values()):
        mend = 'write it as {"casual": "…", "brisk": "…", "formal": "…"}'
        faults.append(RuleFault("fields", "“wordings” is not a mapping of registers to texts", mend))
        return {}, short
    return dict(given), short


def wording_faults(topic: Topic) -> Iterator[RuleFault]:
    """What the wordings lose of the task or add to it, and whether the short name can stand in a sentence."""
    for register, text in topic.wordings.items():
        what = f"the {register[:20]} wording"
        share = len(text) / max(1, len(topic.prompt))
        if not SHORTEST <= share <= LONGEST:
            yield RuleFault(
                "wording",
                f"{what} has {share:.0%} of the prompt's characters",
                f"keep between {SHORTEST:.0%} and {LONGEST:.0%}",
            )
        lost = [*_lost_values(topic.prompt, text), *_lost_keywords(topic, text)]
        if lost:
            yield RuleFault("wording", f"{what} loses {listed(lost)}", "say the same task with the same facts")
        for match in load_patterns("seeds", "constraint-words.yaml").search(text):
            if match.found.lower() not in topic.prompt.lower():
                said = f"{what} contains a constraint on the answer ({match.category}): “{match.found}”"
                yield RuleFault("wording", said, "leave it out; constraints are added turn by turn")
    if topic.short and (len(topic.short.split()) > _SHORT_WORDS or topic.short.strip()[-1] in ".?!,;:"):
        yield RuleFault(
            "short",
            f"the short name “{topic.short[:60]}” is long or ends like a sentence",
            "write a few words that can follow “back to”, such as “the hut hike”",
        )


def _lost_values(prompt: str, text: str) -> Iterator[str]:
    """Numbers and names of the prompt that a wording does not have."""
    have = set(_FIGURE.findall(text))
    yield from (figure for figure in dict.fromkeys(_FIGURE.findall(prompt)) if figure not in have)
    said = set(words(text))
    for word in dict.fromkeys(words(prompt)):
        if word in NUMBER_WORDS - {"one"} and word not in said:
            yield word
    for name in dict.fromkeys(_NAME.findall(prompt)):
        if not set(words(name)) <= said:
            yield name


def _lost_keywords(topic: Topic, text: str) -> Iterator[str]:
    """Keywords that the prompt names and a wording does not."""
    prompt, mine = (tuple(map(stem, words(part))) for part in (topic.prompt, text))
    for keyword in topic.keywords:
        stems = tuple(map(stem, words(keyword)))
        if stems and contains(prompt, stems) and not contains(mine, stems):
            yield f"the keyword “{keyword}”"

"""Checking one 200-word answer by eight groups: our shared reading against naive regular-expression checkers, in turn.

    .venv/bin/python benchmarks/checkers.py

The naive set is what one writes in an afternoon, each checker by itself on the raw answer. It is wrong in the ways that
the specification lists, and stands here for its time alone.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Callable

from evolif.scenarios.instructions.constraints import check_reading, format_of, parse_constraints
from evolif.scenarios.instructions.turns import Constraint
from evolif.text import Reading

ROUNDS, CALLS = 15, 200

SENTENCES = [
    "The harbour office opens early, and the ferry leaves before noon with bicycles on the lower deck.",
    "Keep a ticket, a raincoat and some water within reach; the rest can stay in the cabin.",
    "Nobody minds a slow start when the sea is calm and the coffee on board is good.",
]
WORDS_TARGET = 200


def text_of(words: int) -> list[str]:
    sentences, count = [], 0
    while count < words:
        sentence = SENTENCES[len(sentences) % len(SENTENCES)]
        sentences.append(sentence)
        count += len(sentence.split())
    return sentences


def answers() -> dict[str, str]:
    sentences = text_of(WORDS_TARGET)
    third = len(sentences) // 3
    items = "\n".join(f"- {s}" for s in sentences[third : 2 * third])
    opening, closing = " ".join(sentences[1:third]), " ".join(sentences[2 * third :])
    markdown = f"# Crossing\n\n**{sentences[0]}** {opening}\n\n{items}\n\n{closing}"
    return {
        "plain": " ".join(sentences),
        "json": json.dumps({f"part {i}": s for i, s in enumerate(sentences)}),
        "markdown": markdown,
    }


def constraints(fmt: str, unit: str) -> tuple[Constraint, ...]:
    data: list[dict[str, object]] = [
        {"group": "start_with", "params": {"mode": "letter", "value": "t"}},
        {"group": "end_with", "params": {"mode": "keyword", "value": "good"}},
        {"group": "bullets", "params": {"count": 4}},
        {"group": "length", "params": {"unit": unit, "relation": "less_than", "count": 400}},
        {"group": "existence", "params": {"counts": {"ferry": 4, "raincoat": 4}}},
        {"group": "forbidden", "params": {"keywords": ["lighthouse", "anchor"]}},
        {"group": "case", "params": {"mode": "share", "percent": 5}},
        {"group": "punctuation", "params": {"mode": "include", "mark": ";"}},
    ]
    if fmt == "json":
        data.append({"group": "format", "params": {"mode": "json"}})
    return parse_constraints(data)


def naive(answer: str, unit: str) -> list[bool]:
    text = answer.strip()
    words = re.findall(r"\b\w+(?:['’-]\w+)*\b", text)
    count = len(words) if unit == "words" else len(re.split(r"(?<=[.!?])\s+", text))
    letters = [c for c in text if c.isalpha()]
    return [
        re.match(r"\W*t", text, re.IGNORECASE) is not None,
        re.search(r"\bgood\b\W*$", text, re.IGNORECASE) is not None,
        len(re.findall(r"^\s*[-*+•]\s+\S", text, re.MULTILINE)) == 4,
        count < 400,
        all(
            len(re.findall(rf"\b{re.escape(w)}\b", text, re.IGNORECASE)) == n
            for w, n in (("ferry", 4), ("raincoat", 4))
        ),
        not any(re.search(rf"\b{re.escape(w)}\b", text, re.IGNORECASE) for w in ("lighthouse", "anchor")),
        abs(sum(1 for c in letters if c.isupper()) / max(1, len(letters)) - 0.05) <= 0.03,
        ";" in text,
    ]


def microseconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    for _ in range(CALLS):
        call()
    return 1e6 * (time.perf_counter() - started) / CALLS


def main() -> None:
    for unit in ("words", "sentences"):
        for fmt, answer in answers().items():
            instruction = constraints(fmt, unit)
            wanted = format_of(instruction)
            judged = tuple(c for c in instruction if c.group != "format")

            def ours(
                answer: str = answer, wanted: str | None = wanted, judged: tuple[Constraint, ...] = judged
            ) -> object:
                return check_reading(judged, Reading(answer, wanted))

            def theirs(answer: str = answer, unit: str = unit) -> object:
                return naive(answer, unit)

            ours(), theirs()
            pairs = [(microseconds(ours), microseconds(theirs)) for _ in range(ROUNDS)]
            ratio = statistics.median(a / b for a, b in pairs)
            a, b = (statistics.median(column) for column in zip(*pairs, strict=True))
            print(f"length in {unit:9} {fmt:8} ours {a:6.0f} µs   naive {b:6.0f} µs   ratio {ratio:.2f}")


if __name__ == "__main__":
    main()

"""One answer against constraints, and one query against its turn, by the command line and by the API."""

from __future__ import annotations

import json
from typing import Any

import pytest

import evolif

ANSWER = """# Tea for two

The kettle *sings*, and the pot is **warm**; 2 cups wait on the tray. Pour slowly. Is it strong enough?

- green tea
- black tea
- mint

Enjoy it!"""

CONSTRAINTS = [
    {"group": "length", "params": {"unit": "words", "relation": "less_than", "count": 40}},
    {"group": "length", "params": {"unit": "words", "relation": "exactly", "count": 12}},
    {"group": "existence", "params": {"counts": {"tea": 3, "kettle": 2}}},
    {"group": "forbidden", "params": {"keywords": ["coffee", "mint"]}},
    {"group": "bullets", "params": {"count": 3}},
    {"group": "punctuation", "params": {"mode": "exclude", "mark": ","}},
    {"group": "punctuation", "params": {"mode": "include", "mark": "?"}},
    {"group": "emotion", "params": {"emotion": "happy"}},
    {"group": "style", "params": {"style": "formal"}},
    {"group": "style", "params": {"value": "formal"}},
]


def turns(bench: Any) -> list[dict[str, Any]]:
    """The lines of a benchmark."""
    files = sorted((bench / "dialogues").iterdir())
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def verdict(found: Any) -> list[Any]:
    """A verdict as JSON holds it."""
    return [found.group, found.satisfied, found.expected, found.found, [[s.start, s.end, s.view] for s in found.spans]]


def test_one_answer(cli: Any, golden: Any) -> None:
    (cli.folder / "answer.md").write_text(ANSWER, encoding="utf-8")
    parts = []
    for number, constraint in enumerate(CONSTRAINTS):
        (cli.folder / f"{number}.json").write_text(json.dumps([constraint]), encoding="utf-8")
        words = ("check", "answer.md", "--constraints", f"{number}.json")
        told, as_json = cli(*words, code=None), cli(*words, "--json", code=None)
        assert told.code == as_json.code
        parts.append(f"{json.dumps(constraint)}\nexit code {told.code}\n{told.out}{told.err}{as_json.out}")
    golden.text("check.txt", "\n".join(parts))


@pytest.mark.parametrize("profile", ["paper", "extended"])
def test_witnesses_and_their_neighbours(profile: str, benches: Any, golden: Any) -> None:
    """Every witness satisfies its own turn; that of the turn after it mostly does not, which shows the sentences."""
    lines = turns(benches(profile, 7)) + turns(benches(profile, 11))
    held = []
    for line, other in zip(lines, lines[1:] + lines[:1], strict=True):
        own = evolif.check(line["constraints"], line["witness"])
        assert all(v.satisfied is not False for v in own)
        found = [*own, *evolif.check(line["constraints"], other["witness"])]
        held += [json.dumps(verdict(v), ensure_ascii=False) for v in found]
    golden.text(f"verdicts-{profile}.txt.gz", "\n".join(held) + "\n")


def test_queries(benches: Any, golden: Any) -> None:
    """A query says its own turn's change and not that of the next."""
    lines = turns(benches("extended", 7))
    held = []
    for line, other in zip(lines, lines[1:] + lines[:1], strict=True):
        assert evolif.check_query(line, line["query"]) == []
        found = evolif.check_query(line, other["query"])
        held.append(json.dumps([[f.checker, f.message, f.spans] for f in found], ensure_ascii=False))
    golden.text("queries.txt.gz", "\n".join(held) + "\n")

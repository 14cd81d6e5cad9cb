"""How alike the prompts of a catalogue are."""

from __future__ import annotations

import json
import math

import pytest
from entries import topic

from evolif.scenarios.instructions.catalogue import lint_topics
from evolif.scenarios.instructions.catalogue.similarity import similar_pairs
from evolif.util.resources import data_path


def test_the_cosine_is_that_of_the_formula():
    pair = next(similar_pairs(["a stray goat", "the goat shed", "a tram"], 0.1))
    rare, common = math.log(4 / 2) + 1, math.log(4 / 3) + 1
    assert (pair.first, pair.second) == (0, 1)
    assert pair.cosine == pytest.approx(common**2 / (common**2 + rare**2), abs=0.001)


def test_a_copy_has_a_cosine_of_1_and_a_stranger_none():
    assert [(p.first, p.second, p.cosine) for p in similar_pairs(["a tram", "goats", "trams"], 0.01)] == [(0, 2, 1.0)]


def test_texts_without_content_are_like_nothing():
    assert list(similar_pairs(["", "and so on", ""], 0.01)) == []


def test_a_near_copy_among_our_topics_is_found(tmp_path):
    lines = data_path("seeds", "topics.jsonl").read_text(encoding="utf-8").splitlines()[:60]
    first = json.loads(lines[0])
    near = {**topic(1), "prompt": f"{first['prompt']} The candle wax and the comb come along."}
    path = tmp_path / "topics.jsonl"
    path.write_text("\n".join([*lines, json.dumps({**near, "id": "T900"})]), encoding="utf-8")
    found = [finding for finding in lint_topics(path).findings if finding.rule == "similar"]
    assert [(finding.line, finding.entry) for finding in found] == [(61, "T900")]
    assert first["id"] in found[0].message


def test_few_topics_are_not_measured(write):
    path = write(topic(0), topic(0, id="T009", title="the queen of another hive"))
    assert "similar" not in {finding.rule for finding in lint_topics(path).findings}

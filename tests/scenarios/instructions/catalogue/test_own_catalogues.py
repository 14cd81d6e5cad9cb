"""The project's own catalogues pass the lint, and are as large as their data card says."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from evolif.scenarios.instructions.catalogue import lint_topics
from evolif.scenarios.instructions.catalogue.lint import lint_personas
from evolif.scenarios.instructions.synthesis import load_personas
from evolif.scenarios.instructions.tracker import load_topics
from evolif.util.resources import data_path

MIN_TOPICS = 800


@pytest.mark.slow
def test_our_topics_pass_the_lint():
    report = lint_topics(data_path("seeds", "topics.jsonl"))
    assert list(map(str, report.findings)) == []
    assert report.nearest["keywords"] and report.nearest["prompts"]


@pytest.mark.slow
def test_tasks_that_offer_choices_pass_it_beside_them(tmp_path):
    names = ("topics.jsonl", "topics-choices.jsonl")
    joined = tmp_path / "topics.jsonl"
    joined.write_bytes(b"".join(data_path("seeds", name).read_bytes() for name in names))
    report = lint_topics(joined)
    assert list(map(str, report.findings)) == []


def test_our_personas_pass_the_lint():
    report = lint_personas(data_path("personas", "personas.jsonl"))
    assert list(map(str, report.findings)) == []
    assert report.nearest["sentences"]


def test_the_full_edition_has_enough_topics_of_every_kind():
    lines = data_path("seeds", "topics.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = Counter(json.loads(line)["kind"] for line in lines)
    assert kinds.total() >= MIN_TOPICS
    assert kinds["advice"] <= kinds.total() / 3
    rest = ("analysis", "code", "data", "explanation", "language", "plan", "role play", "summary", "text")
    assert set(kinds) == {"advice", *rest}
    assert min(kinds[kind] for kind in rest) >= 8


def test_prompts_go_from_one_line_to_a_pasted_paragraph():
    sizes = [len(topic.prompt.split()) for topic in load_topics()]
    assert min(sizes) <= 10 and max(sizes) >= 80


def test_the_full_edition_has_five_hundred_personas():
    personas = load_personas()
    assert len(personas) >= 500
    assert len({persona.register for persona in personas}) == 5

"""The project's own catalogues pass the lint, and are as large as their data card says."""

from __future__ import annotations

from evolif.catalogue import lint_personas, lint_topics
from evolif.resources import data_path
from evolif.synthesis import load_personas
from evolif.tracker import load_topics


def test_our_topics_pass_the_lint():
    report = lint_topics(data_path("seeds", "topics.jsonl"))
    assert list(map(str, report.findings)) == []
    assert report.nearest["keywords"] and report.nearest["prompts"]


def test_our_personas_pass_the_lint():
    report = lint_personas(data_path("personas", "personas.jsonl"))
    assert list(map(str, report.findings)) == []
    assert report.nearest["sentences"]


def test_the_full_edition_has_six_hundred_topics_in_forty_domains():
    topics = load_topics()
    assert len(topics) >= 600
    assert len({topic.domain for topic in topics}) >= 40


def test_the_full_edition_has_five_hundred_personas():
    personas = load_personas()
    assert len(personas) >= 500
    assert len({persona.register for persona in personas}) == 5

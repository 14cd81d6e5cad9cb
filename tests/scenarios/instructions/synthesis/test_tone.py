"""Nobody jokes beside a grave task."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from evolif.scenarios.instructions.synthesis import TemplateSynthesizer, load_personas, persona_for
from evolif.scenarios.instructions.synthesis.draw import DrawMemory
from evolif.scenarios.instructions.synthesis.phrases import every_line, load_reasons
from evolif.scenarios.instructions.synthesis.planner import PlannedTurn, Planner
from evolif.scenarios.instructions.synthesis.style import phrase_styles
from evolif.scenarios.instructions.synthesis.tone import is_flippant, is_grave, load_tone
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.turns import ScriptTurn, Topic

SEED = 505
GRAVE = tuple(topic for topic in load_topics() if is_grave(topic))
SPEC = ScriptSpec(load_profile("extended"), GRAVE, SEED)
PERSONAS = load_personas()
FAVOURITES = {
    text for changes in phrase_styles().values() for name in ("openers", "closers") for text in changes.get(name, ())
}


def decisions(dialogues: range) -> Iterator[tuple[ScriptTurn, PlannedTurn]]:
    planner = Planner(SEED)
    for dialogue in dialogues:
        persona, memory = persona_for(PERSONAS, SEED, dialogue), DrawMemory()
        for turn in islice(script(SPEC, dialogue), 12):
            decision = planner.decide(turn, persona, memory)
            if decision is not None:
                yield turn, decision


@pytest.mark.parametrize(
    ("domain", "prompt", "grave"),
    [
        ("parenting", "My mother is dying. How do I tell my son?", True),
        ("personal finance", "Which DEBT do I pay off first?", True),
        ("law", "What does a lay judge do?", True),
        ("", "How do I write to a widow?", True),
        ("games", "Explain the rules of chess to a beginner.", False),
        ("", "Describe the diet of a stork.", False),
    ],
)
def test_grave_by_domain_or_by_a_whole_word(domain: str, prompt: str, grave: bool) -> None:
    assert is_grave(Topic("t", prompt, (), domain)) is grave


def test_neither_most_topics_nor_few_are_grave() -> None:
    assert 0.05 < len(GRAVE) / len(load_topics()) < 0.25


@pytest.mark.slow
def test_nothing_flippant_stands_beside_a_grave_task() -> None:
    light = {line.text for kind in load_reasons() if kind.light for line in kind.lines}
    reasons = 0
    for turn, decision in decisions(range(1, 80)):
        reason = decision.reason.text if decision.reason is not None else ""
        reasons += bool(reason)
        for text in (decision.opening, reason, decision.closer, decision.thanks, decision.filler, decision.plan.text):
            assert not is_flippant(text), (turn.topic.title, text)
        assert decision.emoji == "" and reason not in light, (turn.topic.title, reason)
    assert reasons > 100


def test_a_grave_task_keeps_plans_for_every_turn() -> None:
    synthesizer = TemplateSynthesizer(SEED)
    for dialogue in range(1, 20):
        persona = persona_for(PERSONAS, SEED, dialogue)
        said = [synthesizer.say(turn, persona) for turn in islice(script(SPEC, dialogue), 12)]
        assert len(set(said)) == 12


def test_each_flippant_line_is_somewhere_in_the_small_talk() -> None:
    known = {text for _, text in every_line()} | FAVOURITES
    assert load_tone().lines <= known
    assert {"Just testing.", "Call it a whim.", "Blame my boss."} <= {text for text in known if is_flippant(text)}

"""The styles of personas: every value of the file is one that exists, and every listed phrase changes something."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolif.scenarios.instructions.catalogue.lint import lint_personas
from evolif.scenarios.instructions.queries import read_claims
from evolif.scenarios.instructions.synthesis import load_personas
from evolif.scenarios.instructions.synthesis.style import LISTS, OWN_REGISTERS, TypingStyle, phrase_styles, style_of
from evolif.scenarios.instructions.turns import Persona
from evolif.util.resources import data_path


def test_a_persona_has_its_registers_style_changed_by_its_phrases() -> None:
    plain = style_of(Persona("p", "A person.", ("no such phrase",), "casual"))
    baker = style_of(Persona("q", "A baker.", ("writes like thinking out loud", "signs off with a yawn"), "casual"))
    assert plain.stops == "normal" and baker.stops == "dots"
    assert baker.thanks > plain.thanks and baker.thanking and baker.greeting == plain.greeting
    assert style_of(Persona("r", "A pirate.", ("arr",), "pirate")) == style_of(Persona("n", "A.", ("b",), "neutral"))


def test_every_listed_phrase_moves_a_parameter() -> None:
    for phrase, changes in phrase_styles().items():
        moved = [
            register
            for register in OWN_REGISTERS
            if style_of(Persona("p", "A.", (phrase,), register)) != style_of(Persona("p", "A.", ("none",), register))
        ]
        assert moved, f"“{phrase}” changes nothing: {dict(changes)}"
    assert TypingStyle() == TypingStyle.model_validate({})


def test_every_phrase_of_the_own_personas_moves_a_parameter_of_its_register() -> None:
    still = [
        f"{persona.id}: {phrase}"
        for persona in load_personas()
        for phrase in persona.phrases
        if style_of(replace(persona, phrases=(phrase,))) == style_of(replace(persona, phrases=("none",)))
    ]
    assert not still


def test_no_two_personas_of_a_register_have_the_same_style() -> None:
    alike: dict[tuple[str, TypingStyle], list[str]] = {}
    for persona in load_personas():
        alike.setdefault((persona.register, style_of(persona)), []).append(persona.id)
    assert [ids for ids in alike.values() if len(ids) > 1] == []


@pytest.mark.slow
def test_favourite_words_ask_for_nothing() -> None:
    around = {"fillers": "{}, could you rewrite it?", "hedges": "Could you rewrite it, {}?"}
    demands = [
        f"{phrase}, {name}: {text}"
        for phrase, changes in phrase_styles().items()
        for name in LISTS
        for text in changes.get(name, ())
        if read_claims(around.get(name, "{}").format(text)) or any(letter.isdigit() for letter in text)
    ]
    assert not demands


def test_favourite_words_have_the_form_that_their_place_needs() -> None:
    for phrase, changes in phrase_styles().items():
        for text in (*changes.get("fillers", ()), *changes.get("hedges", ())):
            assert text[-1].isalnum(), f"{phrase}: “{text}” ends with a mark, and a comma follows"
        lower = changes.get("capitals") == "lower"
        for name in ("greetings", "openers", "closers", "thanking"):
            for text in changes.get(name, ()):
                ended = lower or text[0].islower() or text[-1] in ".!?*"
                assert text == text.strip() and ended, f"{phrase}: “{text}” has no end"


def test_the_own_personas_pass_their_lint() -> None:
    assert lint_personas(data_path("personas", "personas.jsonl")).findings == ()

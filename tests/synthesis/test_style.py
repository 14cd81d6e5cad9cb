"""The styles of personas: every value of the file is one that exists, and every listed phrase changes something."""

from __future__ import annotations

from evolif.synthesis.style import OWN_REGISTERS, Style, phrase_styles, style_of
from evolif.turns import Persona


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
    assert Style() == Style.model_validate({})

"""Persona files: what a good one gives, and every rule broken once."""

from __future__ import annotations

import pytest
from entries import PERSONAS, persona

from evolif.errors import InputError
from evolif.scenarios.instructions.catalogue.lint import lint_personas
from evolif.scenarios.instructions.synthesis import load_personas


def test_a_good_file_has_no_finding_and_always_nearest_pairs(write):
    path = write(*map(persona, range(len(PERSONAS))))
    report = lint_personas(path)
    assert report.findings == ()
    assert report.counts == {"casual": 1, "formal": 1, "brisk": 1}
    assert set(report.nearest) == {"sentences", "phrases"}
    assert len(load_personas(path)) == 3


def phrases(*changes):
    return [*changes, *PERSONAS[0]["phrases"][len(changes) :]]


def sentence(text):
    return {"sentence": text}


ALONE = [
    ({"sentence": None}, "fields", "“sentence” is missing"),
    ({"phrases": []}, "phrases", "has 0 phrases"),
    ({"phrases": PERSONAS[0]["phrases"][:3]}, "phrases", "has 3 phrases"),
    ({"phrases": [*PERSONAS[0]["phrases"], "one phrase more", "and another one"]}, "phrases", "has 6 phrases"),
    ({"phrases": phrases("jokes about signals and rain")}, "phrases", "same phrase twice"),
    ({"phrases": phrases("cheerful")}, "phrases", "1 word"),
    ({"phrases": phrases("so " * 12 + "long")}, "phrases", "13 words"),
    ({"phrases": phrases("stops in the middle.")}, "phrases", "ends with punctuation"),
    ({"register": "pirate"}, "register", "unknown"),
    (sentence("A tram driver writes at the loop. Then the bell rings."), "sentence", "2 sentences"),
    (sentence("A tram driver composes messages in the loop"), "sentence", "no end"),
    (sentence("a tram driver composes messages in the loop."), "sentence", "lower-case letter"),
    (sentence("A driver writes."), "sentence", "3 words"),
    (sentence("A driver called Hannelore writes in the loop."), "name", "“Hannelore”"),
    (sentence("A driver from Aachen's ring line writes in the loop."), "name", "“Aachen's”"),
    ({"phrases": phrases("sounds like Goethe at home")}, "name", "“Goethe”"),
    (sentence("A tram driver answers under tram@example.org in the loop."), "contact", "tram@example.org"),
    (sentence("A tram driver answers calls to 0241 555 019 in the loop."), "contact", "0241 555 019"),
    (sentence("A german tram driver composes messages in the loop."), "nationality", "“german”"),
    (sentence("Polish to the bone, a tram driver composes messages in the loop."), "nationality", "“Polish”"),
    (sentence("A black woman who drives a tram composes messages in the loop."), "ethnicity", "“black woman”"),
    (sentence("A devout tram driver composes messages in the loop."), "religion", "“devout”"),
    (sentence("A parish priest composes messages in the loop of the tram."), "religion", "“parish”"),
    ({"phrases": phrases("writes in thick dialect")}, "dialect", "“dialect”"),
    ({"phrases": phrases("strings broken english together")}, "dialect", "“broken english”"),
    ({"phrases": phrases("asks for short answers only")}, "demand", "short answers"),
]


@pytest.mark.parametrize(("changes", "rule", "said"), ALONE)
def test_a_broken_rule_is_told_with_file_line_and_mend(write, changes, rule, said):
    path = write(persona(1), persona(0, **changes))
    found = [finding for finding in lint_personas(path).findings if finding.rule == rule]
    assert any(said in finding.message for finding in found), lint_personas(path).findings
    assert all((f.file, f.line) == (str(path), 2) and f.mend for f in found)


GOOD = [
    sentence("A radio technician has one plan B and no TV, and I'm told so daily."),
    sentence("A cabinet maker will polish the same black table for a week."),
    sentence("An accountant puts the accent on what was agreed at the first talk."),
    {"phrases": phrases("answers every card by hand")},
]


@pytest.mark.parametrize("changes", GOOD)
def test_words_that_only_look_alike_are_left_alone(write, changes):
    assert lint_personas(write(persona(0, **changes))).findings == ()


def test_what_personas_may_not_share(write):
    first = persona(0)
    same = persona(1, sentence="After hours a nurse reads in the turning loop at the end of a wire.")
    assert "shared-words" in {f.rule for f in lint_personas(write(first, same)).findings}
    alike = persona(1, sentence="At the line's end a driver of trams composes messages and turns: a loop.")
    assert "alike" in {f.rule for f in lint_personas(write(first, alike)).findings}
    two = persona(1, phrases=[*PERSONAS[0]["phrases"][:2], *PERSONAS[1]["phrases"][2:]])
    assert any("2 phrases are shared with P001" in f.message for f in lint_personas(write(first, two)).findings)
    twice = lint_personas(write(first, persona(1, id="P001"))).findings
    assert [f.rule for f in twice] == ["id"]


def test_a_phrase_may_be_used_three_times(write):
    phrase = PERSONAS[0]["phrases"][0]
    three = [persona(n, phrases=[phrase, *PERSONAS[n]["phrases"][1:]]) for n in range(3)]
    assert lint_personas(write(*three)).findings == ()
    fourth = {"id": "P009", "sentence": "A midwife on the islands keeps carbon copies of all letters.",
              "phrases": [phrase, "rows of even clauses", "salt in every image", "ends with the tide"],
              "register": "warm"}  # fmt: skip
    found = lint_personas(write(*three, fourth)).findings
    assert [(f.line, f.rule) for f in found] == [(4, "phrases")] and "already in 3 personas" in found[0].message


def test_an_empty_file_is_told(write):
    with pytest.raises(InputError, match="contains no persona"):
        lint_personas(write(""))

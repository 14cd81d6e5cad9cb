"""Formal or informal, from a query's own words."""

from __future__ import annotations

from itertools import islice

import pytest

from evolif.scenarios.instructions.synthesis import TemplateSynthesizer, load_personas, persona_for
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.text import formality
from evolif.text.formality import formality_score

FORMAL = """\
I would be obliged if you could restrict the reply to four bullet points.
Kindly revise the document so that it no longer contains the word in question.
Would you please ensure that the response concludes with a question mark?
Further to my previous message, I request that the text be rendered in upper case throughout.
May I ask that the subsequent version be composed in the passive voice?
Please provide the report in XML format, omitting any reference to pricing.
I should be grateful for a version addressed to senior citizens.
It would be appreciated if the letter were limited to 300 words.
In accordance with our house style, please refrain from employing commas.
Regarding the memorandum: please amend it such that it opens with the letter K.
We shall require a revised text of no fewer than ten sentences.
Dear colleague, allow me to return to the matter of the insurance claim.
Having reviewed the draft, I wish to withdraw the requirement concerning bullet points.
Please submit an amended response which retains the existing constraints.
I regret to inform you that the earlier requirement is to be disregarded.
""".splitlines()
INFORMAL = """\
hey can you make that all caps pls
ok cool, now drop the bullets and we're good
Nah, lose the commas. Rest is fine!
Can u write it like you're talking to a kid?
Let's switch it up - JSON this time.
Sweet! Just add the word rocket twice and it's perfect.
hmm not feeling the sad vibe, make it happy instead
Thanks mate, now keep it under 100 words, yeah?
What about a version that doesn't use the letter thing anymore?
So I've been thinking, let's go back to the pizza stuff and stick a question mark at the end.
Gimme five bullets. That's it.
Oh and btw don't say "cheap" anywhere, ok?
You know what, forget the XML. I'm good with plain text.
wait, can it be like 3 paragraphs? thx
Awesome, I'm loving it! One more thing: start it with a B.
""".splitlines()


@pytest.mark.parametrize("query", FORMAL)
def test_formal(query: str) -> None:
    assert formality(query) == "formal"


@pytest.mark.parametrize("query", INFORMAL)
def test_informal(query: str) -> None:
    assert formality(query) == "informal"


def test_quoted_values_are_nobodys_tone() -> None:
    assert formality_score("Please add “hey dude, gonna wanna” (don't, can't).") == formality_score("Please add (x).")


def test_no_text_is_too_long_or_too_odd() -> None:
    assert formality("") == "formal"
    assert formality("(" * 100_000 + "hey " * 100_000) in ("formal", "informal")


def test_personas_of_a_formal_and_a_casual_register_are_told_apart() -> None:
    spec, personas, words = (
        ScriptSpec(load_profile("paper"), load_topics(), 11),
        load_personas(),
        TemplateSynthesizer(11),
    )
    told: dict[str, list[bool]] = {"formal": [], "casual": []}
    for number in range(1, 41):
        persona = persona_for(personas, 11, number)
        if persona.register in told:
            said = (words.say(turn, persona) for turn in islice(script(spec, number), 10))
            told[persona.register] += [formality(query) == "formal" for query in said]
    # Short orders are nobody's: “Now do it without any full stops.” is typed by either.
    assert sum(told["formal"]) >= 0.85 * len(told["formal"]) > 0
    assert sum(told["casual"]) <= 0.1 * len(told["casual"])

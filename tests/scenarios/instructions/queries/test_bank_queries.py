"""No query of the bank is rejected: fresh seeds of every profile, all registers, all moves."""

from __future__ import annotations

from itertools import islice

import pytest

from evolif.scenarios.instructions.queries import check_query
from evolif.scenarios.instructions.synthesis import TemplateSynthesizer, load_personas, persona_for
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script

DIALOGUES, TURNS = 15, 10
MOST_REJECTED = 2
"""Of 150 queries; in larger samples it is about one in two hundred and fifty."""


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("profile", "seed"), [("objective", 87_001), ("extended", 87_002), ("escalating", 87_003), ("paper", 87_004)]
)
def test_the_queries_of_the_bank_are_accepted(profile: str, seed: int) -> None:
    spec = ScriptSpec(load_profile(profile), load_topics(), seed)
    personas, synthesizer = load_personas(), TemplateSynthesizer(seed)
    rejected: list[tuple[str, str]] = []
    asked = 0
    for number in range(1, DIALOGUES + 1):
        persona = persona_for(personas, seed, number)
        for turn in islice(script(spec, number), TURNS):
            query = synthesizer.say(turn, persona)
            asked += 1
            rejected += [(query, finding.message) for finding in check_query(turn, query)[:1]]
    assert asked == DIALOGUES * TURNS
    assert len(rejected) <= MOST_REJECTED, rejected

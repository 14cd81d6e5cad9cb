"""Changes of the lead in a reply: how many, when, and which team went ahead."""

from __future__ import annotations

import pytest
from reading_turns import HERONS, OWLS, satisfied, turn_of

from evolif.scenarios.broadcast import score_reply

TWO = [["6:14", HERONS], ["43.5", OWLS]]
RIGHT = [
    "Changes: 2\n6:14, Quarry Herons\n43.5, Port Iverna Owls",
    "**Changes: 2**\n- 6:14, Quarry Herons\n- 43.5, Port Iverna Owls",
    "**Changes:** 2\n1. 6:14, Quarry Herons\n2. 43.5, Port Iverna Owls",
    "Changes: two\n6:14, Herons\n0:43.5, Owls",
    "Changes: 2\nQ2 6:14, Quarry Herons\nQ2 43.5, Port Iverna Owls",
    "Changes: 2\n6:14 – Quarry\n43.5 – Port Iverna",
    "Changes: 2\nQuarry Herons, 6:14\nPort Iverna Owls, 43.5",
    "Changes: 2\n6:14: Herons\n43.5: Owls",
    "Lead changes: 2\n6:14, Herons\n43.5, Owls",
    "Number of changes: 2\n6:14, Herons\n43.5, Owls",
    "The lead changed twice.\n6:14, Herons\n43.5, Owls",
    "The lead changed 2 times: at 6:14 the Herons went ahead, at 43.5 the Owls.",
    "There were two lead changes. The Herons took the lead at 6:14 and the Owls took it back at 43.5.",
    "There were 2 changes of the lead in Q2:\n- At 6:14, the Herons took the lead from the Owls.\n"
    "- At 43.5, the Owls took the lead from the Herons.",
    "Changes: 2\n6:14, Quarry Herons (40-39)\n43.5, Port Iverna Owls (50-51)",
    "Changes: 2\n6:14, Quarry Herons (Herons 40, Owls 39)\n43.5, Port Iverna Owls (Owls 51, Herons 50)",
    "Changes: 2\n\n| Clock | Team |\n|---|---|\n| 6:14 | Quarry Herons |\n| 43.5 | Port Iverna Owls |",
    "| # | Clock | Team |\n|---|---|---|\n| 1 | Q2 6:14 | Quarry Herons |\n| 2 | Q2 43.5 | Port Iverna Owls |",
    "6:14, Quarry Herons\n43.5, Port Iverna Owls\nChanges: 2",
    "Changes: 2\n6:14, Owls → Herons\n43.5, Herons → Owls",
    "Changes: 2\n6:14, from Owls to Herons\n43.5, from Herons to Owls",
    "Changes: 2; 6:14, Quarry Herons; 43.5, Port Iverna Owls",
    "changes: 2\n6:14, QUARRY HERONS\n43.5, PORT IVERNA OWLS",
    "Changes: 2\n06:14, Quarry Herons\n43.5 seconds left, Port Iverna Owls",
    "Changes: 2 (two)\n6:14 - Herons lead\n43.5 - Owls lead",
    "The lead changed hands twice in the second quarter: the Herons went ahead at 6:14 and the Owls at 43.5.",
    "The number of lead changes is 2.\nHerons at 6:14\nOwls at 43.5",
    "Changes: 2\n6:14 – Owls 39, Herons 40 (Herons lead)\n43.5 – Herons 50, Owls 51 (Owls lead)",
    "Changes: 2\n1. Change 1: 6:14, Herons\n2. Change 2: 43.5, Owls",
    "Change 1: 6:14, Herons\nChange 2: 43.5, Owls",
    "Changes of the lead: 2\n6:14, Herons\n43.5, Owls",
    "There were 2 changes.\n6:14, Herons\n43.5, Owls",
    '{"changes": 2, "list": ["6:14, Quarry Herons", "43.5, Port Iverna Owls"]}',
    "At 6:14 the Herons went ahead of the Owls, and at 43.5 the Owls overtook the Herons, so the lead changed twice.",
    "Total changes: 2\n\n1. **6:14** – Quarry Herons go ahead of the Port Iverna Owls\n"
    "2. **43.5** – Port Iverna Owls overtake the Quarry Herons",
]


@pytest.mark.parametrize("reply", RIGHT)
def test_right_changes_are_read(reply: str) -> None:
    found = score_reply(turn_of("IR", "L", TWO, period=2), reply)
    assert (found["score"], found["gates"]) == (1.0, [])


@pytest.mark.parametrize(
    ("reply", "expected", "gated"),
    [
        ("Changes: 3\n6:14, Quarry Herons\n43.5, Port Iverna Owls", [False, True, True], False),
        ("Changes: 2\n6:14, Port Iverna Owls\n43.5, Port Iverna Owls", [True, False, True], False),
        ("Changes: 2\n6:14, Port Iverna Owls\n43.5, Quarry Herons", [True, False, False], True),
        ("Changes: 2\n6:15, Quarry Herons\n43.5, Port Iverna Owls", [True, False, True], False),
        ("Changes: 2\nQ1 6:14, Quarry Herons\n43.5, Port Iverna Owls", [True, False, True], False),
        ("Changes: 1\n6:14, Quarry Herons", [False, True, False], False),
        ("Changes: 2", [True, False, False], False),
        ("6:14, Quarry Herons", [False, True, False], False),
        ("Changes: 4\n9:00, Herons\n8:00, Owls\n6:14, Herons\n43.5, Owls", [False, True, True], False),
        ("Changes: 5\n9:00, Herons\n8:00, Owls\n7:00, Herons\n6:14, Herons\n43.5, Owls", [False, True, True], True),
        ("Changes: 0", [False, False, False], False),
        ("There were no lead changes.", [False, False, False], False),
        ("", [False, False, False], False),
        ("Changes: 22\n6:14, Herons\n43.5, Owls", [False, True, True], False),
        ("At 6:14 the Herons were overtaken by the Owls.", [False, False, False], True),
    ],
)
def test_what_is_wrong_with_changes(reply: str, expected: list[bool], gated: bool) -> None:
    turn = turn_of("IR", "L", TWO, period=2)
    assert satisfied(turn, reply) == expected
    assert score_reply(turn, reply)["gates"] == (["false_changes"] if gated else [])


@pytest.mark.parametrize(
    "reply",
    [
        "Changes: 1\n13:05, Port Iverna Owls",
        "One change: at 13:05 of the third period the Owls went ahead.",
        "Once, at 13:05: the Owls took the lead over the Herons.",
        "Changes: 1\nP3 13:05, Owls",
        "The lead changed hands one time, at 13:05, when the Port Iverna Owls went ahead 3-2.",
    ],
)
def test_one_change_in_hockey(reply: str) -> None:
    assert score_reply(turn_of("IR", "L", [["13:05", OWLS]], "hockey", period=3), reply)["score"] == 1.0

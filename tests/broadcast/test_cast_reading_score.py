"""The score of a reply: in the words of a friend, in lines, in tables; and what is no score."""

from __future__ import annotations

import pytest
from reading_turns import HERONS, OWLS, satisfied, turn_of

from evolif.scenarios.broadcast import score_reply

RIGHT = [
    "Quarry Herons 20, Port Iverna Owls 18",
    "Quarry Herons 20 – Port Iverna Owls 18",
    "Quarry Herons - 20, Port Iverna Owls - 18",
    "Quarry Herons: 20\nPort Iverna Owls: 18",
    "**Quarry Herons:** 20\n**Port Iverna Owls:** 18",
    "- **Quarry Herons**: **20**\n- **Port Iverna Owls**: **18**",
    "* Herons — 20 points\n* Owls — 18 points",
    "Owls 18, Herons 20",
    "herons 20 owls 18",
    "HERONS 20, OWLS 18.",
    "Quarry 20, Port Iverna 18",
    "Quarry 20-18 Port Iverna",
    "Quarry Herons 20 - 18 Port Iverna Owls",
    "The Herons lead 20-18 against the Owls.",
    "The Herons lead the Owls 20–18.",
    "The Herons are ahead of the Owls, 20 to 18.",
    "The Owls trail the Herons 18-20.",
    "The Owls trail the Herons 20-18.",
    "The Herons have 20 points and the Owls have 18.",
    "The Herons have twenty points and the Owls have eighteen.",
    "It's 20 for the Herons and 18 for the Owls.",
    "It is 20-18, Herons against Owls.",
    "Score: Herons 20, Owls 18 (Herons by 2)",
    "The Herons lead by 2: Herons 20, Owls 18.",
    "Herons (20) vs. Owls (18)",
    "Herons' 20 points against the Owls' 18",
    "Quarry Herons' total is 20, Port Iverna Owls' total is 18.",
    "| Team | Score |\n|---|---|\n| Quarry Herons | 20 |\n| Port Iverna Owls | 18 |",
    "| Quarry Herons | Port Iverna Owls |\n|---|---|\n| 20 | 18 |",
    "After Q2 6:14 it stands at Quarry Herons 20, Port Iverna Owls 18.",
    "With 6:14 left in the 2nd quarter, the score is Herons 20, Owls 18.",
    "Herons 20, Owls 18 with 43.5 seconds left in Q2",
    "Q2 6:14: Herons 20 - Owls 18",
    "Herons 10, Owls 9 before these rows.\nHerons 20, Owls 18 now.",
    "Let me count.\nHerons: 10 + 10 = 20\nHerons: 20\nOwls: 18\n\nHerons 20, Owls 18",
    "Herons 20, Owls 18\nWhat a game between the Herons and the Owls!",
    "Herons 20, Owls 18\nThe Herons and the Owls have 3 minutes left.",
    "The Herons go on an 8-0 run and lead the Owls 20-18.",
    "Ｑuarry Herons ２０, Port Iverna Owls １８",
    "Quàrry Hérons 20, Port Ivérna Owls 18",
    "~Quarry Herons~ `20`, Port Iverna Owls `18`",
    "<b>Quarry Herons</b> 20<br>Port Iverna Owls 18",
    "Quarry Herons | 20 | Port Iverna Owls | 18",
    "Quarry Herons: 20 pts; Port Iverna Owls: 18 pts",
    "# Score\n\nQuarry Herons = 20, Port Iverna Owls = 18",
    "1. Quarry Herons 20\n2. Port Iverna Owls 18",
    "1) Herons: 20 points\n2) Owls: 18 points",
    "The Owls are down 18-20 to the Herons.",
    "Herons up 20-18 on the Owls",
    "Herons 20 (+2), Owls 18 (-2)",
    "Herons 20 (5 in this stretch), Owls 18 (3 in this stretch)",
    "Herons 20\r\nOwls 18\r\n",
    "Herons: 10 + 10 = 20\nOwls: 9 + 9 = 18",
    "Herons 18 → 20, Owls 16 → 18",
    "Herons: 18 -> 20\nOwls: 18",
    '{"Quarry Herons": 20, "Port Iverna Owls": 18}',
    '{\n  "Quarry Herons": 20,\n  "Port Iverna Owls": 18\n}',
    "20 Herons – 18 Owls",
    "The Herons scored 6 in this stretch and now lead the Owls 20-18.",
    "With 20 points the Herons lead the Owls, who have 18.",
    "Herons 20 (Lima 8), Owls 18 (Frostin 6)",
    "This stretch: Herons 6, Owls 4. Total: Herons 20, Owls 18.",
    "They were at Herons 14, Owls 14. Now it is Herons 20, Owls 18.",
    "Herons 20, Owls 18, total 38.",
    "It's a 2-point game now: Herons 20, Owls 18",
    "Score after Q1, part 2 of 5: Herons 20, Owls 18",
    "Herons 20 – 18 Owls (Q1 3:07)",
    "The Quarry Herons (20) are ahead of the Port Iverna Owls (18).",
    "Herons 20\u2028Owls 18",
    "Sure! Here's the updated score:\n\n> **Quarry Herons 20, Port Iverna Owls 18**\n\nLet me know if you want more!",
]


@pytest.mark.parametrize("reply", RIGHT)
def test_a_right_score_is_read(reply: str) -> None:
    turn = turn_of("CR", "S", {HERONS: 20, OWLS: 18})
    assert score_reply(turn, reply)["score"] == 1.0


WRONG = [
    ("Quarry Herons 18, Port Iverna Owls 20", [False, False]),
    ("Quarry Herons 20, Port Iverna Owls 19", [True, False]),
    ("Quarry Herons 120, Port Iverna Owls 18", [False, True]),
    ("Quarry Herons 20", [True, False]),
    ("The Owls have 18 points.", [False, True]),
    ("20-18", [False, False]),
    ("The Herons lead by 20, the Owls trail.", [False, False]),
    ("The Owls lead the Herons 20-18.", [False, False]),
    ("Herons 20, Owls 18\nNo, wait: Herons 20, Owls 16", [True, False]),
    ("Herons 19 or 20, Owls 17 or 18", [False, False]),
    ("Herons twenty-two, Owls eighteen", [False, True]),
    ("Herons 20, Owls ?", [True, False]),
    ("Herons ?, Owls 18", [False, True]),
    ("Herons 2nd, Owls 1st", [False, False]),
    ("I cannot see the score.", [False, False]),
    ("The Herons and the Owls are level.", [False, False]),
    ("Heronsville 20, Owlsburg 18", [False, False]),
    ("Herons 2018, Owls", [False, False]),
    ("Lima 20, Frostin 18", [False, False]),
    ("Herons 2 0, Owls 1 8", [False, False]),
]


@pytest.mark.parametrize(("reply", "expected"), WRONG)
def test_a_wrong_score_fails(reply: str, expected: list[bool]) -> None:
    assert satisfied(turn_of("CR", "S", {HERONS: 20, OWLS: 18}), reply) == expected


LEVEL = [
    "Herons 20, Owls 20",
    "20-20 between the Herons and the Owls",
    "The Herons and the Owls are tied at 20.",
    "It's level at 20 apiece, Herons and Owls.",
    "20 all, Herons against Owls, so it's a draw",
]


@pytest.mark.parametrize("reply", LEVEL)
def test_a_level_score_is_read(reply: str) -> None:
    assert score_reply(turn_of("CR", "S", {HERONS: 20, OWLS: 20}), reply)["score"] == 1.0


HUNDREDS = [
    "Herons 112, Owls 98",
    "Herons 112–98 Owls",
    "The Herons have a hundred and twelve points, the Owls ninety-eight.",
    "After Q4 0.0 the final score is Herons 112, Owls 98.",
]


@pytest.mark.parametrize("reply", HUNDREDS)
def test_high_scores_are_read(reply: str) -> None:
    assert score_reply(turn_of("CR", "S", {HERONS: 112, OWLS: 98}), reply)["score"] == 1.0


GOALS = ["Herons 2, Owls 1", "Herons 2:1 Owls", "2 - 1 for the Herons over the Owls", "Herons 2, Owls 1 after P2 6:14"]


@pytest.mark.parametrize("reply", GOALS)
def test_goals_are_read(reply: str) -> None:
    assert score_reply(turn_of("CR", "S", {HERONS: 2, OWLS: 1}, "hockey"), reply)["score"] == 1.0


def test_no_goal_yet() -> None:
    turn = turn_of("CR", "S", {HERONS: 0, OWLS: 0}, "hockey")
    for reply in ("Herons 0, Owls 0", "0-0 between the Herons and the Owls", "Herons zero, Owls zero"):
        assert score_reply(turn, reply)["score"] == 1.0
    assert score_reply(turn, "Herons, Owls")["score"] == 0.0


def test_the_score_is_read_outside_of_a_summary() -> None:
    turn = turn_of("IF", "S", {HERONS: 20, OWLS: 18}, number=2)
    reply = "[Update Score]\nHerons 20, Owls 18 at the turn. That is it. I wait.\n<Summary>Herons 9, Owls 7</Summary>"
    assert satisfied(turn, reply)[-2:] == [True, True]

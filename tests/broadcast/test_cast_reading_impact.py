"""A player's impact in a reply: who the player is, who would lead by how much, percentage points."""

from __future__ import annotations

from typing import Any

import pytest
from reading_turns import HERONS, OWLS, satisfied, turn_of

from evolif.scenarios.broadcast import score_reply

SPAN: dict[str, Any] = {"start": [1, "6:14"], "end": [2, "3:00"], "at": [3, "0:45"]}
KEY = {"player": "Ana Lima", "no_ft": [HERONS, 5], "no_goals": [OWLS, 3]}
CASES_RIGHT = [
    "No free throw: Quarry Herons by 5\nNothing: Port Iverna Owls by 3",
    "**No free throw:** Quarry Herons by 5\n**Nothing:** Port Iverna Owls by 3",
    "- No free throw: Herons by 5\n- Nothing: Owls by 3",
    "No free throws: Herons by 5 points\nNothing: Owls by 3 points",
    "No free throw: Quarry by five\nNothing: Port Iverna by three",
    "Nothing: Owls by 3\nNo free throw: Herons by 5",
    "No free throw - Herons by 5\nNothing - Owls by 3",
    "No free throw: Herons lead by 5\nNothing: Owls lead by 3",
    "No free throw: Herons would lead by 5 (85-80)\nNothing: Owls would lead by 3 (80-77)",
    "No free throw: Herons 85, Owls 80\nNothing: Herons 77, Owls 80",
    "No free throw: Herons 85-80 Owls\nNothing: Owls 80-77 Herons",
    "No free throw: Herons +5\nNothing: Owls +3",
    "No free throw: Herons, 5\nNothing: Owls, 3",
    "No free throw: the Owls would trail by 5\nNothing: the Herons would trail by 3",
    "Without the free throws the Herons would lead by 5; without any points the Owls would lead by 3.",
    "Had Ana Lima made no free throw, the Herons would lead by 5. Had she scored nothing, the Owls would lead by 3.",
    "Without her free throws, the Quarry Herons lead by 5 at Q3 0:45. Without any of her points, the Owls lead by 3.",
    "The Herons would lead by 5 without the free throws, and the Owls by 3 had Lima scored nothing.",
    "If Ana Lima hadn't made any free throws: Herons by 5\nIf Ana Lima hadn't scored at all: Owls by 3",
    "**No free throw:**\nHerons by 5\n\n**Nothing:**\nOwls by 3",
    "| Case | Result |\n|---|---|\n| No free throw | Herons by 5 |\n| Nothing | Owls by 3 |",
    "| Case | Leader | Margin |\n|---|---|---|\n| No free throw | Herons | 5 |\n| Nothing | Owls | 3 |",
    "no free throw: QUARRY HERONS BY 5\nnothing: PORT IVERNA OWLS BY 3",
    "No free throw: a 5-point lead for the Herons\nNothing: a 3-point lead for the Owls",
    "With no free throws, the Herons have a lead of 5. With nothing scored, the Owls have a lead of 3.",
    "The score at Q3 0:45 is Herons 90, Owls 80.\nNo free throw: Herons by 5\nNothing: Owls by 3",
    "Ana Lima made 5 free throws and 13 points in all.\n\nNo free throw: Quarry Herons by 5\n"
    "Nothing: Port Iverna Owls by 3",
    "No free throw: Herons are up 5\nNothing: Owls are up 3",
    "No free throw: Herons ahead by 5 points\nNothing: Owls ahead by 3 points",
    "1. No free throw: Herons by 5\n2. Nothing: Owls by 3",
    "No free throw → Herons by 5\nNothing → Owls by 3",
    "No free throw: 90 - 5 = 85, so Herons by 5\nNothing: 90 - 13 = 77, so Owls by 3",
    "No free throw: Herons 85, Owls 80 → Herons by 5\nNothing: Herons 77, Owls 80 → Owls by 3",
    "No free throw: Herons lead (85-80)\nNothing: Owls lead (80-77)",
    "Without Ana Lima's 5 free throws the Herons have 85, the Owls 80. Without Ana Lima's 13 points the Herons have "
    "77, the Owls 80.",
    "(a) If she had missed all free throws: Herons by 5\n(b) If she had not scored: Owls by 3",
    "Case 1 (no free throws): Herons by 5\nCase 2 (no points): Owls by 3",
    '{"no_free_throw": "Quarry Herons by 5", "nothing": "Port Iverna Owls by 3"}',
    "No FT: Herons by 5\nZero points: Owls by 3",
    "Without free throws: Herons lead the Owls by 5.\nWithout any points: the Owls lead the Herons by 3.",
]


@pytest.mark.parametrize("reply", CASES_RIGHT)
def test_right_cases_are_read(reply: str) -> None:
    turn = turn_of("IR", "H", KEY, player="Ana Lima", **SPAN)
    assert satisfied(turn, reply) == [True] * 4


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("No free throw: Owls by 5\nNothing: Owls by 3", [False, True, True, True]),
        ("No free throw: Herons by 6\nNothing: Owls by 3", [True, False, True, True]),
        ("No free throw: Owls by 3\nNothing: Herons by 5", [False, False, False, False]),
        ("No free throw: Herons by 5", [True, True, False, False]),
        ("Nothing: Owls by 3", [False, False, True, True]),
        ("Herons by 5\nOwls by 3", [False, False, False, False]),
        ("No free throw: Tie by 0\nNothing: Owls by 3", [False, False, True, True]),
        ("No free throw: Herons\nNothing: Owls", [True, False, True, False]),
        ("No free throw: by 5\nNothing: by 3", [False, False, False, False]),
        ("No free throw: Herons by 4 or 5\nNothing: Owls by 3", [True, False, True, True]),
        ("No free throw: Herons by 50\nNothing: Owls by 33", [True, False, True, False]),
        ("", [False, False, False, False]),
        ("Nothing to see here.", [False, False, False, False]),
    ],
)
def test_what_is_wrong_with_cases(reply: str, expected: list[bool]) -> None:
    assert satisfied(turn_of("IR", "H", KEY, player="Ana Lima", **SPAN), reply) == expected


LEVEL_KEY = {"player": "Ana Lima", "no_ft": ["Tie", 0], "no_goals": [OWLS, 3]}


@pytest.mark.parametrize(
    "reply",
    [
        "No free throw: Tie by 0\nNothing: Owls by 3",
        "No free throw: Tie, 0\nNothing: Owls by 3",
        "No free throw: tie\nNothing: Owls by 3",
        "No free throw: it would be tied\nNothing: Owls by 3",
        "No free throw: level at 80\nNothing: Owls by 3",
        "No free throw: a draw, 80-80\nNothing: Owls by 3",
        "No free throw: Herons 80, Owls 80\nNothing: Owls by 3",
        "No free throw: even\nNothing: Owls by 3",
        "Without the free throws it's a tie; with nothing at all the Owls lead by 3.",
        "No free throw: the Herons and the Owls would be tied.\nNothing: Owls by 3",
        "No free throw: nobody leads, tie by 0\nNothing: Owls by 3",
        "No free throw: The score would be level (80–80).\nNothing: Even so, the Owls would lead by 3.",
    ],
)
def test_a_level_score_is_read(reply: str) -> None:
    turn = turn_of("IR", "H", LEVEL_KEY, player="Ana Lima", **SPAN)
    assert satisfied(turn, reply) == [True] * 4


CASES = "No free throw: Herons by 5\nNothing: Owls by 3"


@pytest.mark.parametrize(
    "named",
    [
        "Player: Ana Lima",
        "**Player:** Ana Lima",
        "Player: Lima",
        "- Player: **Ana Lima**",
        "Top scorer: Ana Lima",
        "Player: Ana Lima (13 points)",
        "Player: Ana Lima, ahead of Dia Frostin",
        "Player: Ana Lima (Dia Frostin had 10)",
        "Ana Lima had the most points, 13.",
        "Ana Lima scored 13 points, Dia Frostin 10.",
        "Dia Frostin had 10 points. The most points had Ana Lima with 13.",
        "Player | Ana Lima",
        "PLAYER: ANA LIMA",
        "The player with the most points: Ana Lima",
        "Points: Dia Frostin 10, Ana Lima 13.\nPlayer: Ana Lima",
        "The top scorer was Ana Lima.",
    ],
)
def test_the_top_player_is_read(named: str) -> None:
    found = score_reply(turn_of("IR", "T", KEY, **SPAN), f"{named}\n{CASES}")
    assert (found["score"], found["gates"]) == (1.0, [])


@pytest.mark.parametrize(
    "named",
    [
        "Player: Dia Frostin",
        "Player: Ana",
        "Player: Ana Lima or Dia Frostin",
        "Player: Ana Lima and Dia Frostin",
        "Dia Frostin had the most points.",
        "Player: nobody",
        "",
        "Player: Quarry Herons",
        "Ana Lima scored 10 points.\nPlayer: Dia Frostin",
    ],
)
def test_a_wrong_player_or_none_is_a_gate(named: str) -> None:
    found = score_reply(turn_of("IR", "T", KEY, **SPAN), f"{named}\n{CASES}")
    assert (found["score"], found["gates"]) == (0.0, ["no_right_player"])


FACEOFFS = {
    "player": "Ana Lima",
    "team": HERONS,
    "rate": 55.0,
    "decrease_if_all_lost": 12.5,
    "increase_if_all_won": 7.14,
}
HOCKEY_SPAN: dict[str, Any] = {"start": [1, "6:14"], "end": [2, "3:00"]}


@pytest.mark.parametrize(
    "reply",
    [
        "Player: Ana Lima\nLoss: 12.5",
        "Player: Ana Lima\nLoss: 12.50",
        "Player: Ana Lima\nLoss: 12.5 percentage points",
        "Player: Ana Lima\nLoss: 12.5%",
        "Player: Ana Lima\nLoss: -12.5",
        "Player: Ana Lima\nLoss: 12,5",
        "Player: Ana Lima\nLoss: ~12.5 pp",
        "**Player:** Ana Lima\n**Loss:** 12.5 points",
        "Player: Ana Lima\nLoss: from 55.0% to 42.5%, so 12.5 percentage points",
        "Ana Lima took the most faceoffs. The team's share would drop by 12.5 percentage points.",
        "Ana Lima. The share would fall from 55% to 42.5%, a loss of 12.5 percentage points.",
        "Ana Lima took 9 of 24 faceoffs and won 3.\nPlayer: Ana Lima\nLoss: 12.5",
        "Player: Ana Lima\nLoss: 3/24 = 12.5",
        "Player: Ana Lima\nLoss = 12.5",
        "| Player | Ana Lima |\n| Loss | 12.5 |",
        "Ana Lima, who took part in 9 faceoffs; they would lose 12.5 percentage points.",
        "Player: Ana Lima\nLoss (percentage points): 12.5",
        "Player: Ana Lima\nLoss: 12.46",
        "Player: Ana Lima\nLoss: 12.55",
    ],
)
def test_a_right_loss_is_read(reply: str) -> None:
    assert satisfied(turn_of("IR", "T", FACEOFFS, "hockey", **HOCKEY_SPAN), reply) == [True, True]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Player: Ana Lima\nLoss: 12.6", [True, False]),
        ("Player: Ana Lima\nLoss: 12.44", [True, False]),
        ("Player: Dia Frostin\nLoss: 12.5", [False, True]),
        ("Player: Ana Lima", [True, False]),
        ("Player: Ana Lima\nLoss: 0.125", [True, False]),
        ("Player: Ana Lima\nLoss: 112.5", [True, False]),
        ("Player: Ana Lima\nGain: 12.5\nLoss: 3", [True, False]),
        ("", [False, False]),
    ],
)
def test_what_is_wrong_with_a_loss(reply: str, expected: list[bool]) -> None:
    assert satisfied(turn_of("IR", "T", FACEOFFS, "hockey", **HOCKEY_SPAN), reply) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "Gain: 7.14",
        "**Gain:** 7.14 percentage points",
        "Gain: +7.14",
        "7.14",
        "7.14 percentage points",
        "The share would go up by 7.14 percentage points.",
        "It would rise from 55% to 62.14%, an increase of 7.14 points.",
        "Gain: 62.14% - 55.00% = 7.14",
        "The gain is 7.14 percentage points.",
        "With all of them won, the Herons would gain 7.14 percentage points.",
        "Gain: 7.1",
    ],
)
def test_a_right_gain_is_read(reply: str) -> None:
    assert satisfied(turn_of("IR", "H", FACEOFFS, "hockey", player="Ana Lima", **HOCKEY_SPAN), reply) == [True]


@pytest.mark.parametrize("reply", ["Gain: 7.2", "Gain: 62.14", "Loss: 7.2", "I cannot say.", "Gain: seven", "Gain:"])
def test_a_wrong_gain_fails(reply: str) -> None:
    assert satisfied(turn_of("IR", "H", FACEOFFS, "hockey", player="Ana Lima", **HOCKEY_SPAN), reply) == [False]

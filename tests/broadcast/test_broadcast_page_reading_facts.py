"""Who scored when, who won a faceoff, and who meant what, as replies put them."""

from __future__ import annotations

import pytest
from page_broadcast import A, B, anchored, anchored_faceoffs, impact, interval, interval_faceoffs, lost, share

from evolif.scenarios.broadcast import score_reply

CARR = anchored(("Bo Carr", 3, 4, "11:25"))


@pytest.mark.parametrize(
    "reply",
    [
        "Bo Carr, 3 points, Q4 11:25",
        "Carr, 3 points, Q4 11:25",
        "Bo Carr, three points, Q4 11:25",
        "bo carr, 3 POINTS, q4 11:25",
        "**Bo Carr**, 3 points, *Q4 11:25*",
        "Bó Cárr, 3 points, Q4 11:25",
        "Bo Carr, 3 points, 11:25 Q4",
        "Bo Carr, 3 points, quarter 4, 11:25",
        "Bo Carr, 3 points, Quarter 4 11:25",
        "Bo Carr, 3 points, 4th quarter 11:25",
        "Bo Carr, 3 points, 11:25, 4th quarter",
        "Bo Carr, Q4 11:25, 3 points",
        "Bo Carr, 3 points (Q4 11:25)",
        "Bo Carr (assisted by Eva Stroll), 3 points, Q4 11:25",
        "Bo Carr (Eva Stroll assists) scored 3 points at Q4 11:25",
        "Bo Carr, 3 points, Q4 11:25, assisted by Eva Stroll",
        "Bo Carr, assisted by Eva Stroll, 3 points, Q4 11:25",
        "Eva Stroll assisted Bo Carr, 3 points, Q4 11:25",
        "Eva Stroll passes to Bo Carr, 3 points, Q4 11:25",
        "Bo Carr, 3 points, Q4 11:25\nNice pass from Dag Orrin!",
        "Ann Lee scored at (Q3 1:40).\nBo Carr, 3 points, Q4 11:25",
        "Ann Lee, 2 points, Q3 1:40\nBo Carr, 3 points, Q4 11:25",
    ],
)
def test_an_anchored_event(reply: str) -> None:
    found = score_reply(CARR, reply)
    assert (found["score"], found["gates"], lost(found)) == (1.0, [], [])


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Bo Carr, 2 points, Q4 11:25", 0.5),
        ("Bo Carr, Q4 11:25", 0.5),
        ("Bo Carr, 3 points", 0.5),
        ("Bo Carr, 3 points, Q4 11:26", 0.5),
        ("Bo Carr, 3 points, Q3 11:25", 0.5),
        ("Bo Carr, 2 points, Q4 11:26", 0.0),
        ("Ann Lee, 3 points, Q4 11:25", 0.0),
        ("Bo Carr", 0.0),
        ("3 points, Q4 11:25", 0.0),
        ("Nobody scored then.", 0.0),
        ("", 0.0),
    ],
)
def test_what_an_anchored_event_lacks(reply: str, score: float) -> None:
    found = score_reply(CARR, reply)
    assert (found["score"], found["gates"]) == (score, [])


@pytest.mark.parametrize(
    "reply",
    [
        "Cy Vane, 3 points, Q4 11:25",
        "Bo Carr, 3 points, Q4 11:25\nMia Moss, 2 points, Q4 11:20",
        "Bo Carr, 3 points, Q4 11:25; Vane, 1 point",
        "Mia Moss, Q4 11:25",
    ],
)
def test_a_scorer_who_is_not_in_the_key_is_a_gate(reply: str) -> None:
    found = score_reply(CARR, reply)
    assert (found["score"], found["gates"]) == (0.0, ["wrong_player"])


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Bo Carr, 1 point, Q4 37.0\nBo Carr, 1 point, Q4 37.0", 1.0),
        ("Bo Carr, 1 point, Q4 37.0", 0.5),
        ("Bo Carr, 1 point, Q4 0:37\nBo Carr, 1 point, Q4 0:37", 1.0),
        ("Bo Carr, 1 point, Q4 37.0\nBo Carr, 2 points, Q4 37.0", 0.75),
        ("Bo Carr, 2 points, Q4 37.0", 0.25),
    ],
)
def test_equal_events_need_as_many_facts(reply: str, score: float) -> None:
    turn = anchored(("Bo Carr", 1, 4, "37.0"), ("Bo Carr", 1, 4, "37.0"))
    assert score_reply(turn, reply)["score"] == score


SPAN = interval(
    ("Ann Lee", 2, 1, "7:03"),
    ("Bo Carr", 3, 1, "43.5"),
    ("Bo Carr", 1, 1, "0.0"),
    ("Cy Vane", 1, 2, "12:00"),
    ("Cy Vane", 1, 2, "12:00"),
)
LINES = [
    "Ann Lee, 2 points, Q1 7:03",
    "Bo Carr, 3 points, Q1 43.5",
    "Bo Carr, 1 point, Q1 0.0",
    "Cy Vane, 1 point, Q2 12:00",
    "Cy Vane, 1 point, Q2 12:00",
]


@pytest.mark.parametrize(
    "reply",
    [
        "\n".join(LINES),
        "\n".join(reversed(LINES)),
        "; ".join(LINES),
        "Here they are:\n- " + "\n- ".join(LINES) + "\nThat is all.",
        "\n".join(LINES).replace("Q1 0.0", "Q1 0:00"),
        "\n".join(LINES).replace("43.5", "43.54"),
        "\n".join(LINES).replace("43.5", "43.46"),
        "\n".join(LINES).replace("43.5", "0:43.5"),
        "\n".join(LINES).replace(" points", "").replace(" point", ""),
        "\n".join(LINES).replace("Q1", "1st quarter").replace("Q2", "2nd quarter"),
        "\n".join(LINES).replace("1 point", "one point").replace("2 points", "two points"),
    ],
)
def test_all_of_an_interval(reply: str) -> None:
    found = score_reply(SPAN, reply)
    assert (found["score"], found["gates"], lost(found)) == (1.0, [], [])


@pytest.mark.parametrize("left_out", range(5))
def test_an_event_left_out(left_out: int) -> None:
    found = score_reply(SPAN, "\n".join(line for i, line in enumerate(LINES) if i != left_out))
    assert (found["score"], lost(found), found["gates"]) == (0.8, ["fact"], [])


@pytest.mark.parametrize(
    ("changed", "to"),
    [
        (1, "Bo Carr, 3 points, Q1 43.56"),
        (0, "Ann Lee, 3 points, Q1 7:03"),
        (0, "Mia Moss, 2 points, Q1 7:03"),
        (1, "Bo Carr, 3 points, Q2 43.5"),
        (4, ""),
    ],
)
def test_a_fact_needs_player_points_and_time(changed: int, to: str) -> None:
    found = score_reply(SPAN, "\n".join(to if i == changed else line for i, line in enumerate(LINES)))
    assert (found["score"], lost(found)) == (0.8, ["fact"])


def test_false_facts_cost_nothing_until_they_outnumber_the_true_ones() -> None:
    invented = [f"Mia Moss, 2 points, Q1 {minute}:30" for minute in range(1, 7)]
    assert score_reply(SPAN, "\n".join(LINES + invented[:1]))["score"] == 1.0
    assert score_reply(SPAN, "\n".join(LINES + invented[:5]))["score"] == 1.0
    over = score_reply(SPAN, "\n".join(LINES + invented))
    assert (over["score"], over["gates"]) == (0.0, ["false_facts"])
    assert score_reply(SPAN, "\n".join(LINES[:2] + invented[:2]))["score"] == 0.4
    assert score_reply(SPAN, "\n".join(LINES[:2] + invented[:3]))["score"] == 0.0


def test_a_mention_is_no_false_fact() -> None:
    found = score_reply(SPAN, LINES[0] + "\nMia Moss and Dag Orrin and Eva Stroll were quiet.")
    assert (found["score"], found["gates"]) == (0.2, [])


FACED = anchored_faceoffs(("Cy Vane", "Ann Lee", 1, "3:20"))


@pytest.mark.parametrize(
    "reply",
    [
        "Cy Vane won against Ann Lee, P1 3:20",
        "Vane won against Lee, P1 3:20",
        "P1 3:20: Cy Vane won against Ann Lee",
        "cy vane beat ann lee, period 1, 3:20",
        "**Cy Vane** won against **Ann Lee**, 1st period 3:20",
        "Cy Vane against Ann Lee, 3:20 P1",
        "Ann Lee won against Bo Carr, P1 0:30\nCy Vane won against Ann Lee, P1 3:20",
    ],
)
def test_an_anchored_faceoff(reply: str) -> None:
    found = score_reply(FACED, reply)
    assert (found["score"], found["gates"], lost(found)) == (1.0, [], [])


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Cy Vane won against Ann Lee, P1 3:21", 2 / 3),
        ("Cy Vane won against Bo Carr, P1 3:20", 2 / 3),
        ("Bo Carr won against Ann Lee, P1 3:20", 2 / 3),
        ("Ann Lee won against Cy Vane, P1 3:20", 1 / 3),
        ("Nobody", 0.0),
        ("", 0.0),
    ],
)
def test_what_a_faceoff_lacks(reply: str, score: float) -> None:
    found = score_reply(FACED, reply)
    assert (found["score"], found["gates"]) == (pytest.approx(score), [])


def test_a_faceoff_player_who_is_not_in_the_key_is_a_gate() -> None:
    for reply in ("Mia Moss won against Ann Lee, P1 3:20", "Cy Vane won against Mia Moss, P1 3:20"):
        found = score_reply(FACED, reply)
        assert (found["score"], found["gates"]) == (0.0, ["wrong_player"])


FACES = interval_faceoffs(
    ("Cy Vane", "Ann Lee", 1, "3:20"), ("Ann Lee", "Bo Carr", 1, "9:09"), ("Bo Carr", "Mia Moss", 2, "0:00")
)
FACE_LINES = [
    "Cy Vane won against Ann Lee, P1 3:20",
    "Ann Lee won against Bo Carr, P1 9:09",
    "Bo Carr won against Mia Moss, P2 0:00",
]


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("\n".join(FACE_LINES), 1.0),
        ("\n".join(FACE_LINES[::-1]), 1.0),
        ("\n".join(FACE_LINES[:2]), 2 / 3),
        ("\n".join([*FACE_LINES[:2], "Mia Moss won against Bo Carr, P2 0:00"]), 2 / 3),
        ("\n".join([*FACE_LINES[:2], "Bo Carr won against Mia Moss, P1 0:00"]), 2 / 3),
        (
            "\n".join([FACE_LINES[0], "Mia Moss won against Bo Carr, P2 0:00", "Ann Lee won against Cy Vane, P1 9:09"]),
            0.0,
        ),
        ("", 0.0),
    ],
)
def test_faceoffs_of_an_interval(reply: str, score: float) -> None:
    assert score_reply(FACES, reply)["score"] == pytest.approx(score)


BEST = impact("T", "Ann Lee", (A, 2), ("Tie", 0))


@pytest.mark.parametrize(
    "reply",
    [
        "Player: Ann Lee\nNo free throw: Quarry Herons by 2\nNothing: tie",
        "Player: Lee\nNo free throw: Herons by 2\nNothing: tied",
        "player: ann lee\nno free throw: Quarry by two\nnothing: level",
        "**Player:** Ann Lee\n**No free throw:** Herons by 2\n**Nothing:** even",
        "Player: Ann Lee\nNo free throw: Herons by 2\nNothing: draw",
        "Player: Ann Lee\nNothing: tie\nNo free throw: Herons by 2",
        "- Player: Ann Lee\n- No free throw: Herons by 2\n- Nothing: Tie by 0",
    ],
)
def test_the_best_player(reply: str) -> None:
    found = score_reply(BEST, reply)
    assert (found["score"], found["gates"], lost(found)) == (1.0, [], [])


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Player: Ann Lee\nNo free throw: Herons by 3\nNothing: tie", 0.75),
        ("Player: Ann Lee\nNo free throw: Foxes by 3\nNothing: tie", 0.5),
        ("Player: Ann Lee\nNo free throw: Herons by 2\nNothing: Foxes by 1", 0.5),
        ("Player: Ann Lee\nNo free throw: Herons by 2", 0.5),
        ("Player: Ann Lee\nNothing: tie", 0.5),
        ("Player: Ann Lee", 0.0),
    ],
)
def test_what_an_impact_lacks(reply: str, score: float) -> None:
    found = score_reply(BEST, reply)
    assert (found["score"], found["gates"]) == (score, [])


@pytest.mark.parametrize("player", ["Player: Bo Carr\n", "", "Player: somebody\n"])
def test_another_best_player_or_none_is_a_gate(player: str) -> None:
    found = score_reply(BEST, f"{player}No free throw: Herons by 2\nNothing: tie")
    assert (found["score"], found["gates"]) == (0.0, ["no_right_player"])


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("No free throw: Herons by 11\nNothing: Foxes by 3", 1.0),
        ("No free throw: Herons by eleven\nNothing: Foxes by three", 1.0),
        ("Player: Bo Carr\nNo free throw: Quarry Herons by 11\nNothing: Old Mill Foxes by 3", 1.0),
        ("Nothing: Foxes by 3\nNo free throw: Herons by 11", 1.0),
        ("No free throw: Foxes by 3\nNothing: Herons by 11", 0.0),
        ("No free throw: Herons by 11\nNothing: Foxes by 4", 0.75),
        ("No free throw: Herons by 11\nNothing: tie", 0.5),
        ("No free throw: Herons by 11", 0.5),
        ("", 0.0),
    ],
)
def test_how_about_a_player(reply: str, score: float) -> None:
    found = score_reply(impact("H", "Ann Lee", (A, 11), (B, 3)), reply)
    assert (found["score"], found["gates"]) == (score, [])


@pytest.mark.parametrize(
    ("first", "score"),
    [
        ("Tie by 0", 1.0),
        ("tie", 1.0),
        ("level (50-50)", 1.0),
        ("even score", 1.0),
        ("Tie by 2", 0.75),
        ("Herons by 0", 0.75),
        ("Herons by 2", 0.5),
        ("Foxes by 1", 0.5),
    ],
)
def test_a_tie_has_a_leader_and_a_margin_of_its_own(first: str, score: float) -> None:
    found = score_reply(impact("H", "Ann Lee", ("Tie", 0), (B, 3)), f"No free throw: {first}\nNothing: Foxes by 3")
    assert found["score"] == score


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Player: Bo Carr\nLoss: 28.57", 1.0),
        ("Player: Carr\nLoss: 28.57 percentage points", 1.0),
        ("player: bo carr\nloss: 28.6", 1.0),
        ("Player: Bo Carr\nLoss: 28.57%", 1.0),
        ("**Player: Bo Carr**\n**Loss: 28.61**", 1.0),
        ("Player: Bo Carr\nLoss: 28.63", 0.5),
        ("Player: Bo Carr\nLoss: 28.5", 0.5),
        ("Player: Bo Carr", 0.5),
        ("Loss: 28.57", 0.5),
        ("Player: Ann Lee\nLoss: 28.57", 0.5),
        ("Player: Ann Lee\nLoss: 30", 0.0),
        ("", 0.0),
    ],
)
def test_who_took_most_faceoffs(reply: str, score: float) -> None:
    found = score_reply(share("T", "Bo Carr", B, 28.57, 42.86), reply)
    assert (found["score"], found["gates"]) == (score, [])


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Gain: 42.86", 1.0),
        ("gain: 42.9 percentage points", 1.0),
        ("Gain: 42.82%", 1.0),
        ("Gain: 42.8", 0.0),
        ("Gain: 43", 0.0),
        ("Loss: 42.86", 0.0),
        ("", 0.0),
    ],
)
def test_the_gain_of_faceoffs(reply: str, score: float) -> None:
    assert score_reply(share("H", "Bo Carr", B, 28.57, 42.86), reply)["score"] == score


def test_a_gain_of_twelve_may_be_said_in_words() -> None:
    assert score_reply(share("H", "Bo Carr", B, 8.0, 12.0), "Gain: twelve percentage points")["score"] == 1.0

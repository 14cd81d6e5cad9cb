"""Letters of answers; tags, words, sentences, acrostics, statistics and summaries; judges, weights and faults."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from reading_turns import HERONS, NAMES, OWLS, satisfied, turn_of

from evolif.errors import UsageError
from evolif.scenarios.broadcast import score_reply

LETTERS_RIGHT = [
    "Answer: B",
    "**Answer:** B",
    "**Answer: B**",
    "Answer: **B**",
    "Answer: (B)",
    "Answer: B)",
    "Answer: B.",
    "Answer: B) 42 apples",
    "Answer: B: 42 apples",
    "Answer: b",
    "answer: B",
    "ANSWER: B",
    "Answer B",
    "Answer - B",
    "Answer – B",
    "Answer = B",
    "The answer is B.",
    "The answer is **B**.",
    "The correct answer is B) 42.",
    "Final answer: B",
    "Answer: option B",
    "Answer: $\\boxed{B}$",
    "Answer: \\(\\boxed{\\text{B}}\\)",
    "Answer:\nB",
    "## Answer\n\nB",
    "Answer:\u00a0B",
    "Answer: Ｂ",
    "B",
    "b",
    "B.",
    "(B)",
    "**B**",
    "B)",
    " B \n",
    "B) 42 apples",
    "Option B",
    "3 times 14 is 42.\n\nAnswer: B",
    "Answer: A? No, I forgot the bus.\nAnswer: B",
    "First I thought the answer is C, but it is 42.\n\nAnswer: B\n\nAnything else?",
]


@pytest.mark.parametrize("reply", LETTERS_RIGHT)
def test_a_right_letter_is_read(reply: str) -> None:
    assert score_reply(turn_of("TS", "M", "B"), reply)["score"] == 1.0


LETTERS_WRONG = [
    "Answer: A",
    "Answer: C",
    "Answer: F",
    "Answer: Because it is 42",
    "Answer: 42",
    "Answer:",
    "",
    "BB",
    "42",
    "I think it is B or so, since 3 times 14 is 42.",
    "Answer: B\nAnswer: C",
    "Answer: B or C",
    "Answer: B/C",
    "Answer: A and B",
    "Bob",
    "be",
    "The answer isn't B.",
    "A) 1\nB) 42",
]


@pytest.mark.parametrize("reply", LETTERS_WRONG)
def test_a_wrong_letter_fails(reply: str) -> None:
    assert score_reply(turn_of("TS", "M", "B"), reply)["score"] == 0.0


@pytest.mark.parametrize("reply", ["The answer is a dozen apples.", "The answer is easy to find.", "Answer: about 4"])
def test_an_article_is_no_letter(reply: str) -> None:
    assert score_reply(turn_of("TS", "M", "A"), reply)["score"] == 0.0


BODY = (
    "It is Quarry Herons 20, Port Iverna Owls 18 on my sheet. I read every row that you sent. "
    "Tell me what you want next."
)
SCORE = {HERONS: 20, OWLS: 18}
# first tag, second tag, words, sentences, both scores
FORMATTED = [
    (1, f"[Update Score] [Tag A]\n{BODY}", "111111"),
    (1, f"[Update Score][Tag A]\n{BODY}", "111111"),
    (1, f"\n\n[Update Score] [Tag A]\n\n{BODY}\n", "111111"),
    (1, f"[Update Score] [Tag A]\r\n{BODY}", "111111"),
    (2, f"[Update Score]\n{BODY}", "111111"),
    (3, f"[Update Score] [Tag B]\n{BODY}", "111111"),
    (4, f"[Update Score]\n{BODY}", "111111"),
    (5, f"[Update Score] [Tag A]\n{BODY}", "111111"),
    (1, f"[Update Score]\n{BODY}", "101111"),
    (1, f"[Update Score] [Tag B]\n{BODY}", "101111"),
    (1, f"[Update Score] [Tag A] [Tag B]\n{BODY}", "101111"),
    (2, f"[Update Score] [Tag A]\n{BODY}", "101111"),
    (1, f"[Tag A] [Update Score]\n{BODY}", "011111"),
    (1, f"[Other Question] [Tag A]\n{BODY}", "011111"),
    (1, f"[update score] [tag a]\n{BODY}", "001111"),
    (1, f"**[Update Score]** [Tag A]\n{BODY}", "011111"),
    (1, f"[Update Score] [Tag A] Hello\n{BODY}", "011111"),
    (1, f"[Update Score] [Tag A] {BODY}", "010011"),
    (1, BODY, "000011"),
    (1, "[Update Score] [Tag A]", "110000"),
    (1, "", "000000"),
    (2, "", "000000"),
    (2, "  \n ", "000000"),
    (1, f"[Update Score] [Tag A]\n{BODY} One more.", "111011"),
    (1, f"[Update Score] [Tag A]\n{BODY.replace('next', 'now')}", "111011"),
    (1, f"[Update Score] [Tag A]\n{BODY.replace('sent.', 'sent. ' + 'so ' * 99)}", "110111"),
    (1, f"[Update Score] [Tag A]\n{BODY.replace('18', '19')}", "111110"),
    (1, f"[Update Score] [Tag A]\n{BODY.replace('20', '18').replace('Owls 18', 'Owls 20')}", "111100"),
]


@pytest.mark.parametrize(("number", "reply", "expected"), FORMATTED)
def test_a_formatted_score(number: int, reply: str, expected: str) -> None:
    turn = turn_of("IF", "S", SCORE, number=number)
    assert satisfied(turn, reply) == [sign == "1" for sign in expected]


def test_a_formatted_score_in_other_words() -> None:
    turn = turn_of("IF", "S", SCORE, number=2)
    for body in (
        "The Quarry Herons lead 20-18 against the Port Iverna Owls. Every row that you sent is in it. We go on at it.",
        "The Herons have 20 points, the Owls 18, a gap of 2. It was a tight stretch with 3 timeouts too. I go on.",
        "Herons 20 and Owls 18 after Q2 6:14, so it is close. Nobody dares to make a mistake here. I adore it.",
    ):
        assert satisfied(turn, f"[Update Score]\n{body}")[-2:] == [True, True]


CHEER = "We all cheer when quick Herons keep igniting noisy games."
# first tag, second tag, at most 20 words, starts, complete
CHEERS = [
    (f"[Other Question] [Tag B]\n{CHEER}", "11111"),
    (f"[Other Question] [Tag B]\n{CHEER.upper()}", "11111"),
    (f"[Other Question] [Tag B]\n{CHEER.replace('igniting', 'making')}", "11110"),
    (f"[Other Question] [Tag B]\n{CHEER.replace('quick ', '')}", "11100"),
    (f"[Other Question] [Tag B]\n{CHEER} {'and we sing ' * 5}", "11011"),
    (f"[Other Question]\n{CHEER}", "10111"),
    ("[Other Question] [Tag B]", "11000"),
    (CHEER, "00000"),
]


@pytest.mark.parametrize(("reply", "expected"), CHEERS)
def test_a_cheer(reply: str, expected: str) -> None:
    turn = turn_of("IF", "K", "QHKING", number=3, team=HERONS, seq="QHKING")
    assert satisfied(turn, reply) == [sign == "1" for sign in expected]


SHOOTING = [
    {"player": "Ana Lima", "team": HERONS, "two_attempts": 7, "two_made": 3, "three_attempts": 2, "three_made": 1}
    | {"free_attempts": 2, "free_made": 2, "points": 11},
    {"player": "Dia Frostin", "team": OWLS, "two_attempts": 4, "two_made": 3, "three_attempts": 0, "three_made": 0}
    | {"free_attempts": 3, "free_made": 1, "points": 7},
]
TALK = "Both of your players are listed below. Their lines cover the whole period now. I can look up more for you now."
SHOOTING_RIGHT = [
    "Ana Lima: twos 3/7, threes 1/2, free throws 2/2, points 11\n"
    "Dia Frostin: twos 3/4, threes 0/0, free throws 1/3, points 7",
    "- **Ana Lima**: twos 3/7, threes 1/2, free throws 2/2, points 11\n"
    "- **Dia Frostin**: twos 3/4, threes 0/0, free throws 1/3, points 7",
    "Lima: twos 3 / 7, threes 1 / 2, free throws 2 / 2, points 11\n"
    "Frostin: twos 3 / 4, threes 0 / 0, free throws 1 / 3, points 7",
    "Ana Lima (Quarry Herons): 2-pointers 3/7, 3-pointers 1/2, FT 2/2, 11 points\n"
    "Dia Frostin (Port Iverna Owls): 2-pointers 3/4, 3-pointers 0/0, FT 1/3, 7 points",
    "Ana Lima: 11 points, 3 of 7 twos, 1 of 2 threes, 2 of 2 free throws\n"
    "Dia Frostin: 7 points, 3 of 4 twos, 0 of 0 threes, 1 of 3 free throws",
    "Ana Lima: points 11, free throws 2/2, threes 1/2, twos 3/7\n"
    "Dia Frostin: points 7, free throws 1/3, threes 0/0, twos 3/4",
    "Ana Lima: twos 3/7 (42.9%), threes 1/2 (50%), free throws 2/2 (100%), points 11\n"
    "Dia Frostin: twos 3/4 (75%), threes 0/0, free throws 1/3 (33.3%), points 7",
    "| Player | Twos | Threes | Free throws | Points |\n|---|---|---|---|---|\n"
    "| Ana Lima | 3/7 | 1/2 | 2/2 | 11 |\n| Dia Frostin | 3/4 | 0/0 | 1/3 | 7 |",
    "| Player | Points | Free throws | Threes | Twos |\n|---|---|---|---|---|\n"
    "| Ana Lima | 11 | 2/2 | 1/2 | 3/7 |\n| Dia Frostin | 7 | 1/3 | 0/0 | 3/4 |",
    "Ana Lima\n- Twos: 3/7\n- Threes: 1/2\n- Free throws: 2/2\n- Points: 11\n"
    "Dia Frostin\n- Twos: 3/4\n- Threes: 0/0\n- Free throws: 1/3\n- Points: 7",
    "1. Ana Lima: twos 3-for-7, threes 1-for-2, free throws 2-for-2, points 11\n"
    "2. Dia Frostin: twos 3-for-4, threes 0-for-0, free throws 1-for-3, points 7",
    "Ana Lima: 2PT 3/7, 3PT 1/2, FT 2/2, PTS 11\nDia Frostin: 2PT 3/4, 3PT 0/0, FT 1/3, PTS 7",
    "Ana Lima: twos 3 made 7 attempted, threes 1 made 2 attempted, free throws 2 made 2 attempted, points 11\n"
    "Dia Frostin: twos 3 made 4 attempted, threes 0 made 0 attempted, free throws 1 made 3 attempted, points 7",
    "Ana Lima: twos 7 attempts 3 made, threes 2 attempts 1 made, free throws 2 attempts 2 made, points 11\n"
    "Dia Frostin: twos 4 attempts 3 made, threes 0 attempts 0 made, free throws 3 attempts 1 made, points 7",
]


@pytest.mark.parametrize("lines", SHOOTING_RIGHT)
def test_right_shooting_is_read(lines: str) -> None:
    turn = turn_of("IF", "Q", SHOOTING, number=2)
    reply = f"[Other Question]\n{TALK}\n<Stats>\n{lines}\n</Stats>"
    assert satisfied(turn, reply) == [True] * 6


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("3/7", "4/7", [False, True]),
        ("3/7", "3/8", [False, True]),
        ("points 11", "points 12", [False, True]),
        ("points 7", "points 8", [True, False]),
        ("threes 0/0", "threes 0/1", [True, False]),
        ("Ana Lima", "Bo Reedal", [False, True]),
        ("Ana Lima", "Ana", [False, True]),
        ("<Stats>", "", [False, False]),
        ("<Stats>", "<stats>", [True, True]),
        (", points 7", "", [True, False]),
        ("twos 3/7, ", "", [False, True]),
        ("twos 3/7, threes 1/2", "threes 3/7, twos 1/2", [False, True]),
    ],
)
def test_what_is_wrong_with_shooting(old: str, new: str, expected: list[bool]) -> None:
    turn = turn_of("IF", "Q", SHOOTING, number=2)
    reply = f"[Other Question]\n{TALK}\n<Stats>\n{SHOOTING_RIGHT[0]}\n</Stats>"
    assert old in reply
    assert satisfied(turn, reply.replace(old, new))[-2:] == expected


FACEOFFS = [
    {"player": "Ana Lima", "team": HERONS, "taken": 9, "won": 6, "lost": 3},
    {"player": "Dia Frostin", "team": OWLS, "taken": 7, "won": 2, "lost": 5},
]


@pytest.mark.parametrize(
    "lines",
    [
        "Ana Lima: faceoffs 9, won 6, lost 3\nDia Frostin: faceoffs 7, won 2, lost 5",
        "**Ana Lima:** 9 faceoffs, 6 won, 3 lost\n**Dia Frostin:** 7 faceoffs, 2 won, 5 lost",
        "Lima - faceoffs: 9 - won: 6 - lost: 3\nFrostin - faceoffs: 7 - won: 2 - lost: 5",
        "Ana Lima: won 6, lost 3, faceoffs 9\nDia Frostin: won 2, lost 5, faceoffs 7",
        "Ana Lima: won 6 of 9, lost 3\nDia Frostin: won 2 of 7, lost 5",
        "| Player | Won | Lost | Faceoffs |\n|---|---|---|---|\n| Ana Lima | 6 | 3 | 9 |\n| Dia Frostin | 2 | 5 | 7 |",
        "Ana Lima: faceoffs 9, won 6, lost 3 (66.7%)\nDia Frostin: faceoffs 7, won 2, lost 5 (28.6%)",
        "Ana Lima: nine faceoffs, six won, three lost\nDia Frostin: seven faceoffs, two won, five lost",
        "Ana Lima: 6 won, 3 lost of 9 faceoffs\nDia Frostin: 2 won, 5 lost of 7 faceoffs",
        "Ana Lima: 9 faceoffs, 6-3\nDia Frostin: 7 faceoffs, 2-5",
        "Ana Lima: 6-3 (9 taken)\nDia Frostin: 2-5 (7 taken)",
        "Ana Lima (#12): faceoffs 9, won 6, lost 3\nDia Frostin (#7): faceoffs 7, won 2, lost 5",
        "Ana Lima | 9 | 6 | 3\nDia Frostin | 7 | 2 | 5",
        "Ana Lima took 9 faceoffs, won 6 and lost 3\nDia Frostin took 7 faceoffs, won 2 and lost 5",
    ],
)
def test_right_faceoffs_are_read(lines: str) -> None:
    turn = turn_of("IF", "Q", FACEOFFS, "hockey", number=2)
    assert satisfied(turn, f"[Other Question]\n{TALK}\n<Stats>\n{lines}\n</Stats>") == [True] * 6


STATS = "<Stats>\nAna Lima: faceoffs 9, won 6, lost 3\nDia Frostin: faceoffs 7, won 2, lost 5\n</Stats>"


@pytest.mark.parametrize(
    ("summary", "short", "gated"),
    [
        ("<Summary>The Herons lead.</Summary>", True, False),
        ("<summary>The Herons lead.</summary>", True, False),
        ("<Summary></Summary>", True, False),
        (f"<Summary>{'word ' * 49}</Summary>", True, False),
        (f"<Summary>{'word ' * 50}</Summary>", False, False),
        ("<Summary>The Herons lead.", False, True),
        ("Summary: The Herons lead.", False, True),
        ("", False, True),
    ],
)
def test_summaries(summary: str, short: bool, gated: bool) -> None:
    turn = turn_of("IF", "Q", FACEOFFS, "hockey", number=2, summary=True)
    found = score_reply(turn, f"[Other Question]\n{TALK}\n{STATS}\n{summary}")
    assert found["items"][-1]["satisfied"] is short
    assert found["gates"] == (["no_summary"] if gated else [])
    assert found["unjudged"] == ["summary"]
    assert sum(item["weight"] for item in found["items"]) == pytest.approx(1)


def test_a_judge_is_asked_about_what_is_there() -> None:
    asked: list[str] = []

    def judge(turn: Any, reply: str, item: Any) -> bool:
        asked.append(item["kind"])
        return item["kind"] == "summary"

    turn = turn_of("IF", "Q", FACEOFFS, "hockey", number=2, summary=True)
    reply = f"[Other Question]\n{TALK}\n{STATS}\n"
    found = score_reply(turn, f"{reply}<Summary>They lead.</Summary>", judge)
    assert (found["score"], found["unjudged"], asked) == (1.0, [], ["summary"])
    assert score_reply(turn, reply, judge)["score"] == 0.0
    assert asked == ["summary"]
    cheer = turn_of("IF", "K", "QHKING", number=3, team=HERONS, seq="QHKING")
    assert score_reply(cheer, f"[Other Question] [Tag B]\n{CHEER}", judge)["score"] == pytest.approx(0.9)
    assert score_reply(cheer, "", judge)["score"] == 0.0
    assert asked == ["summary", "support"]


def test_without_a_judge_the_other_weights_are_divided_by_their_sum() -> None:
    cheer = turn_of("IF", "K", "QHKING", number=3, team=HERONS, seq="QHKING")
    found = score_reply(cheer, f"[Other Question]\n{CHEER}")
    assert found["score"] == pytest.approx(0.65 / 0.9, abs=1e-9)
    weights = [0.05, 0.25, 0.1, 0.25, 0.25]
    assert [item["weight"] for item in found["items"]] == pytest.approx([weight / 0.9 for weight in weights])


def test_scoring_changes_nothing_and_says_what_it_found() -> None:
    turn = turn_of("CR", "S", SCORE)
    before = copy.deepcopy(turn)
    found = score_reply(turn, "Herons 20, Owls 17")
    assert turn == before
    assert [(item["found"], item["satisfied"], item["points"]) for item in found["items"]] == [
        (20, True, 20),
        (17, False, 18),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"checklist": None},
        {"checklist": []},
        {"checklist": [{"kind": "nonsense", "weight": 1.0}]},
        {"checklist": ["score"]},
        {"gates": ["no_such_gate"]},
        {"names": None},
        {"names": {**NAMES["hockey"], "sport": "chess"}},
        {"names": {**NAMES["hockey"], "teams": [HERONS]}},
    ],
)
def test_a_faulty_turn_is_an_error(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        score_reply({**turn_of("CR", "S", SCORE), **change}, "Herons 20, Owls 18")


def test_faults_are_errors_and_no_failed_items() -> None:
    turn = turn_of("IF", "K", "QHKING", number=3, team=HERONS, seq="QHKING")

    def breaks(turn: Any, reply: str, item: Any) -> bool:
        raise ZeroDivisionError

    def says_yes(turn: Any, reply: str, item: Any) -> Any:
        return "yes"

    no_text: Any = ["text"]
    with pytest.raises(ZeroDivisionError):
        score_reply(turn, "text\ntext", breaks)
    with pytest.raises(UsageError):
        score_reply(turn, "text\ntext", says_yes)
    with pytest.raises(UsageError):
        score_reply(turn, no_text)

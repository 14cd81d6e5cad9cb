"""Witnesses: the line formats asked for, three sentences, a sentence that spells, a short summary."""

from __future__ import annotations

from typing import Any

import pytest
from broadcast_matches import PERIODS
from broadcast_turns import turns_of

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast import check_acrostic, check_summary, check_tags, three_sentences_same_letter
from evolif.scenarios.broadcast.acrostic import acrostic_sentence, spelled
from evolif.scenarios.broadcast.league import read_pools
from evolif.scenarios.broadcast.tags import body_of, count_words
from evolif.scenarios.broadcast.witness import witness

HOME, AWAY = "Quarry Herons", "Port Iverna Gulls"
NAMES = {"sport": "basketball", "teams": [HOME, AWAY], "roster": {HOME: ["Ada Bolt"], AWAY: ["Cy Dunn"]}}
HOCKEY = {**NAMES, "sport": "hockey"}
SHOOTING: dict[str, Any] = {"player": "Ada Bolt", "team": HOME, "two_attempts": 3, "two_made": 2, "points": 7}
SHOOTING |= {"three_attempts": 1, "three_made": 1, "free_attempts": 1, "free_made": 0}
FACEOFFS: dict[str, Any] = {"player": "Cy Dunn", "team": AWAY, "taken": 9, "won": 4, "lost": 5}


def turn(kind: str, key: Any, names: Any = NAMES, **more: Any) -> dict[str, Any]:
    """A turn made by hand, with no more than a witness needs."""
    return {"number": 1, "kind": kind, "key": key, "names": names, "checklist": [], "gates": [], **more}


def answer(*args: Any, **more: Any) -> list[str]:
    return witness(turn(*args, **more)).split("\n")


def test_lines_have_the_forms_asked_for() -> None:
    assert answer("S", {HOME: 12, AWAY: 9}) == ["Quarry Herons 12, Port Iverna Gulls 9"]
    facts = [["Ada Bolt", 1, 2, "7:03"], ["Ada Bolt", 2, 4, "43.5"]]
    lines = ["Ada Bolt, 1 point, Q2 7:03", "Ada Bolt, 2 points, Q4 43.5"]
    assert answer("A", facts) == answer("I", facts) == lines
    assert answer("A", [["Ada Bolt", "Cy Dunn", 1, "3:20"]], HOCKEY) == ["Ada Bolt won against Cy Dunn, P1 3:20"]
    changes = [["6:14", HOME], ["2:00", AWAY]]
    assert answer("L", changes) == ["Changes: 2", "6:14, Quarry Herons", "2:00, Port Iverna Gulls"]
    cases = {"player": "Ada Bolt", "no_ft": [HOME, 3], "no_goals": ["Tie", 0]}
    lines = ["No free throw: Quarry Herons by 3", "Nothing: Tie by 0"]
    assert answer("H", cases) == lines
    assert answer("T", cases) == ["Player: Ada Bolt", *lines]
    shares = {"player": "Ada Bolt", "decrease_if_all_lost": 33.33, "increase_if_all_won": 12.5}
    assert answer("T", shares, HOCKEY) == ["Player: Ada Bolt", "Loss: 33.33"]
    assert answer("H", shares, HOCKEY) == ["Gain: 12.5"]
    assert answer("M", "D") == ["Answer: D"]


def test_a_formatted_reply_has_tags_a_body_and_blocks() -> None:
    first, body, *block = answer("Q", [SHOOTING, FACEOFFS], intent="Other Question", number=3)
    assert first == "[Other Question] [Tag B]"
    assert three_sentences_same_letter(body)
    assert block == [
        "<Stats>",
        "Ada Bolt: twos 2/3, threes 1/1, free throws 0/1, points 7",
        "Cy Dunn: faceoffs 9, won 4, lost 5",
        "</Stats>",
    ]


@pytest.mark.parametrize("line", [SHOOTING, FACEOFFS])
def test_the_summary_is_short_and_tells_what_the_key_says(line: dict[str, Any]) -> None:
    reply = witness(turn("Q", [line], intent="Other Question", gates=["no_summary"]))
    assert check_summary(reply) == {"present": True, "lt50": True}
    assert ("scored 7 points" in reply) == (line is SHOOTING)
    assert ("won 4 of 9 faceoffs" in reply) == (line is FACEOFFS)
    assert "<Summary>" not in witness(turn("Q", [line], intent="Other Question"))


@pytest.mark.parametrize("sport", PERIODS)
def test_formatted_replies_satisfy_the_rules_on_form(sport: str) -> None:
    for number in range(20):
        for one in turns_of(sport, number):
            if "intent" not in one:
                continue
            reply = witness(one)
            assert check_tags(reply, one["number"], one["intent"]) == {"tag1": True, "tag2": True}
            body = body_of(reply)
            if one["kind"] == "K":
                assert all(check_acrostic(body, one["question"]["team"]).values())
            else:
                assert three_sentences_same_letter(body)
                assert count_words(body) < 100


@pytest.mark.parametrize("kind", ["S", "Q"])
@pytest.mark.parametrize("number", range(1, 25))
def test_every_body_has_three_sentences_that_end_with_the_same_letter(kind: str, number: int) -> None:
    key = {HOME: 112, AWAY: 9} if kind == "S" else [SHOOTING]
    body = body_of(witness(turn(kind, key, number=number, intent="Other Question")))
    assert three_sentences_same_letter(body)
    assert (kind == "S") == any(char.isdigit() for char in body)


@pytest.mark.parametrize("variant", range(60))
def test_a_sentence_spells_the_initials_of_every_team(variant: int) -> None:
    made_up = ("Otters", "A.F.C. Über 04", "Old St. Ives 76ers", "X Æ Y Z Q U I J", "O'Hara-Smith Cats", "bc de")
    teams = [*(team for own in read_pools().teams.values() for team in own), *made_up]
    for team in teams:
        sentence = acrostic_sentence(team, variant)
        expected = {"starts": True, "complete": True, "max20": True, "seq": spelled(team)}
        assert check_acrostic(sentence, team) == expected, sentence


def test_adjectives_do_not_repeat_in_a_sentence() -> None:
    for variant in range(8):
        words = acrostic_sentence("Big Bad Bold Bears", variant).replace(",", "").split()
        assert len(set(words)) == len(words)


def test_a_team_without_a_word_cannot_be_spelled() -> None:
    with pytest.raises(ArgumentError, match="no word"):
        acrostic_sentence("04", 0)


def test_the_team_to_support_is_the_one_that_the_question_names_or_that_the_key_spells() -> None:
    def supported(**more: Any) -> str:
        reply = witness(turn("K", "QHKING", intent="Other Question", **more))
        return next(team for team in (HOME, AWAY) if team.rpartition(" ")[2] in reply)

    assert supported() == HOME
    assert supported(question={"team": AWAY}) == AWAY
    assert supported(checklist=[{"kind": "acrostic", "part": "starts", "team": AWAY}]) == AWAY
    with pytest.raises(ArgumentError, match="names no team"):
        witness(turn("K", "ZZKING", intent="Other Question"))


def test_a_name_with_a_full_stop_ends_no_sentence() -> None:
    key = {"Old St. Ives Cats": 3, AWAY: 4}
    body = body_of(witness(turn("S", key, intent="Update Score")))
    assert three_sentences_same_letter(body)
    assert "Cats 3, Port Iverna Gulls 4" in body


def test_the_intent_is_told_by_the_kind_where_the_turn_does_not_say_it() -> None:
    tagged = [{"kind": "tag", "which": "first", "weight": 1.0}]
    assert answer("S", {HOME: 1, AWAY: 0}, checklist=tagged)[0] == "[Update Score] [Tag A]"
    assert answer("Q", [SHOOTING], checklist=tagged, number=2)[0] == "[Other Question]"

"""The friend's words: enough variants, every one of them complete, none that says more than it may."""

from __future__ import annotations

import re
import string
from itertools import pairwise
from typing import Any

import pytest

from evolif.scenarios.broadcast import simulate
from evolif.scenarios.broadcast.match import KINDS
from evolif.scenarios.broadcast.wording import FORMS, BroadcastWords, Voice, duration_words, read_words, system_prompt

SPORTS = ("basketball", "hockey")
VALUES = {
    "basketball": {
        "A": {"player": "Ann Bee", "anchor": [1, "7:03"], "delta": 255},
        "I": {"start": [1, "4:30"], "end": [2, "9:41"]},
        "L": {"period": 2},
        "T": {"start": [1, "4:30"], "end": [2, "9:41"], "at": [2, "0:45"]},
        "H": {"player": "Ann Bee", "start": [1, "4:30"], "end": [2, "9:41"], "at": [2, "0:45"]},
        "Q": {"period": 3, "team": None, "players": []},
    },
    "hockey": {
        "A": {"player": "Ann Bee", "opponent": "Cy Dee", "anchor": [1, "7:03"], "delta": 255},
        "I": {"start": [1, "4:30"], "end": [2, "9:41"]},
        "L": {"period": 2},
        "T": {"start": [1, "4:30"], "end": [2, "9:41"]},
        "H": {"player": "Ann Bee", "start": [1, "4:30"], "end": [2, "9:41"]},
        "Q": {"period": 3, "team": None, "players": []},
    },
}
KEYED = re.compile("two_made|two_missed|three_made|three_missed|free_|faceoff|goal|start|end")


def voice(sport: str, number: int = 0) -> Voice:
    return Voice(simulate(sport, number, seed=3), (3, number))


@pytest.mark.parametrize("sport", SPORTS)
@pytest.mark.parametrize("kind", ["S", "K", "Q", "Q_team", "A", "I", "L", "T", "H", "M"])
def test_there_are_enough_variants(sport: str, kind: str) -> None:
    variants = read_words().wordings(f"asks/{kind}", sport)
    assert len(set(variants)) == len(variants) >= (24 if kind == "S" else 12)


@pytest.mark.parametrize("sport", SPORTS)
@pytest.mark.parametrize("kind", ["A", "I", "L", "T", "H", "Q"])
@pytest.mark.parametrize("place", range(13))
def test_every_variant_names_what_it_asks_for(sport: str, kind: str, place: int) -> None:
    question: dict[str, Any] = VALUES[sport][kind]
    told = voice(sport).question(kind, question, place)
    assert "{" not in told
    label = "Q" if sport == "basketball" else "P"
    for name in ("start", "end", "at", "anchor"):
        if name in question:
            assert f"{label}{question[name][0]} {question[name][1]}" in told
    for name in ("player", "opponent"):
        if name in question:
            assert question[name] in told
    if kind == "A":
        assert "4 minutes 15 seconds of broadcast time" in told
    if kind in ("L", "Q"):
        assert f"{label}{question['period']}" in told
    assert told.endswith("\n".join(FORMS[sport][kind]))


@pytest.mark.parametrize("sport", SPORTS)
@pytest.mark.parametrize("place", range(13))
def test_statistics_of_one_team_name_it(sport: str, place: int) -> None:
    told = voice(sport).question("Q", {"period": 1, "team": "Port Iverna Gulls", "players": ["Ann Bee"]}, place)
    assert "Port Iverna Gulls" in told
    assert "Ann Bee" not in told


@pytest.mark.sampled
@pytest.mark.parametrize("sport", SPORTS)
def test_every_score_question_gives_the_form(sport: str) -> None:
    match = simulate(sport, 0, seed=3)
    told = [voice(sport).score(place, formatted) for place in range(26) for formatted in (False, True)]
    home, away = match["teams"]
    assert all(one.endswith(f"\n{home} N, {away} N") for one in told)
    assert len({one.partition("\n")[0] for one in told[::2]}) == len(told[::2])


@pytest.mark.parametrize("sport", SPORTS)
def test_the_form_differs_from_one_part_to_the_same_part_of_the_next_period(sport: str) -> None:
    for size in (5, 10):
        forms = [voice(sport).score(place, False).split("\n")[1] for place in (1, 1 + size)]
        assert forms[0] != forms[1]


def test_every_sentence_question_says_all_that_the_reply_needs() -> None:
    for place in range(13):
        told = voice("hockey").sentence("Port Iverna Gulls", place)
        assert "{" not in told
        for needed in ("Port Iverna Gulls", "20 words", "fifth word", "KING", "<Summary>...</Summary>"):
            assert needed in told
        assert re.search("two turns later|second message after this one|Two replies after this one|one two turns", told)
        assert "fewer than 50 words" in told


def test_placeholders_are_known() -> None:
    known = {"player", "opponent", "anchor", "delta", "start", "end", "at", "period", "team", "other", "sport", "home"}
    known |= {"away", "moment"}
    words = read_words()
    for text in [*words.texts.values(), *(one for many in words.lists.values() for one in many)]:
        fields = {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
        assert fields <= known, text


def test_the_moment_of_a_score_is_named_never_now() -> None:
    words = read_words()
    for text in [*words.texts.values(), *(one for many in words.lists.values() for one in many)]:
        assert not re.search(r"\b(now|current|currently)\b", text, re.IGNORECASE), text


@pytest.mark.parametrize("sport", SPORTS)
def test_comments_are_on_what_questions_are_not_about(sport: str) -> None:
    kinds = read_words().tables[f"chatter/{sport}"].keys()
    assert kinds <= set(KINDS[sport])
    assert not any(KEYED.match(kind) for kind in kinds)


@pytest.mark.parametrize("sport", SPORTS)
def test_a_comment_names_people_of_the_rows(sport: str) -> None:
    commented = 0
    for number in (1, 2, 3):
        match, one = simulate(sport, number, seed=3), voice(sport, number)
        last = {player.split()[-1] for player in match["player_team"]}
        for start in range(0, len(match["events"]) - 20, 20):
            events = match["events"][start : start + 20]
            told = one.chat(events, start)
            assert "{" not in told
            named = {name for name in last if re.search(rf"\b{name}\b", told)}
            here = {event[who].split()[-1] for event in events for who in ("player", "other") if event[who]}
            assert named <= here
            commented += bool(named)
    assert commented > 3


@pytest.mark.parametrize("sport", SPORTS)
def test_the_friend_mostly_just_asks_and_says_where_they_are_at_most_once(sport: str) -> None:
    words = read_words()
    homes = {one for place in ("home", "train", "café") for one in words.wordings(f"remarks/{place}", sport)}
    for number in range(20):
        one, match = voice(sport, number), simulate(sport, number, seed=3)
        told = [one.chat(match["events"][20 * place : 20 * place + 20], place) for place in range(15)]
        assert sum(words in homes for words in told) <= 1
        assert sum(not words for words in told) >= 3
        said = [words for words in told if words in words_of_remarks()]
        assert len(said) == len(set(said)) <= 4


def words_of_remarks() -> set[str]:
    words = read_words()
    return {one for name, many in words.lists.items() if name.startswith("remarks/") for one in many}


SEEN = re.compile(r"\b(watch|saw|see them|screen|stream|stands|crowd|arena|radio|picture the|cheering)\b")
"""What somebody would have to be there for, or have pictures."""
RULES = re.compile(r"alphabetical|both ends|included|stays as it is|doesn't count|decimals|one by one")


def test_the_friend_knows_what_a_ticker_tells_and_leaves_the_rules_to_the_system_prompt() -> None:
    for name, many in read_words().lists.items():
        for text in many:
            assert name.startswith("asks/K") or not SEEN.search(text), text
            assert not RULES.search(text), text


@pytest.mark.parametrize("sport", SPORTS)
def test_rules_of_answers_stand_in_the_system_prompt(sport: str) -> None:
    match = simulate(sport, 2, seed=3)
    told = {task: system_prompt(match, task) for task in ("IF", "CR", "IR", "TS")}
    assert all("alphabetical order" in told[task] for task in ("IF", "IR", "TS"))
    assert all("includes both ends" in told[task] for task in ("CR", "IR", "TS"))
    assert all("the first lead of the match is no change" in told[task] for task in ("IR", "TS"))
    if sport == "basketball":
        assert all("Tie by 0" in told[task] for task in ("IR", "TS"))
        assert "each free throw is a score of its own" in told["CR"]
        assert "A blocked shot is an attempt, too" in told["IF"]
    else:
        assert all("two decimals" in told[task] for task in ("IR", "TS"))


def test_nothing_is_said_again_before_all_has_been_said() -> None:
    one = voice("basketball")
    told = [one.break_words(last=False) for _ in range(12)]
    assert len(set(told)) == 12
    assert one.break_words(last=False) == told[0]


@pytest.mark.parametrize("sport", SPORTS)
def test_no_two_questions_in_a_row_end_alike(sport: str) -> None:
    alike = 0
    for number in range(40):
        one = voice(sport, number)
        told = [one.score(place, formatted=False).split("\n")[0].rstrip("?.").split()[-2:] for place in range(1, 21)]
        alike += sum(first == second for first, second in pairwise(told))
    assert not alike


WORD = re.compile(r"[a-z']{4,}")
COMMON = set(
    "that this what they their from with have were will would could there there's over last time just only nothing "
    "something match they'd then back about done".split()
)


@pytest.mark.parametrize("sport", SPORTS)
def test_no_question_repeats_a_word_of_what_leads_to_it(sport: str) -> None:
    words = read_words()
    asks = [ask for kind in "AILTHQ" for ask in words.wordings(f"asks/{kind}", sport)]
    for lead in words.wordings("breaks/both", sport) + words.wordings("over/both", sport):
        said = set(WORD.findall(lead.lower())) - COMMON
        assert not [ask for ask in asks if said & set(WORD.findall(re.sub(r"\{.*?\}", "", ask.lower())))], lead


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (60, "1 minute"),
        (61, "1 minute 1 second"),
        (255, "4 minutes 15 seconds"),
        (83.5, "1 minute 23.5 seconds"),
        (27.900000000000006, "27.9 seconds"),
        (2500, "41 minutes 40 seconds"),
        (1, "1 second"),
        (0, "0 seconds"),
    ],
)
def test_durations(seconds: float, told: str) -> None:
    assert duration_words(seconds) == told


@pytest.mark.parametrize("sport", SPORTS)
def test_the_system_prompt_names_everybody(sport: str) -> None:
    match = simulate(sport, 2, seed=3)
    for task in ("IF", "CR", "IR", "TS"):
        told, formatted = system_prompt(match, task), task == "IF"
        assert all(f"{team}: {', '.join(match['roster'][team])}" in told for team in match["teams"])
        assert "{" not in told
        for rule in ("[Update Score]", "[Other Question]", "[Tag A]", "[Tag B]", "fewer than 100 words", "same letter"):
            assert (rule in told) is formatted


@pytest.mark.parametrize(
    "data", [None, [], {}, {"asks": {"S": []}}, {"asks": {"S": [1]}}, {"asks": {"S": [""]}}, {"asks": 3}]
)
def test_a_file_without_sentences(data: Any) -> None:
    with pytest.raises(ValueError, match="no sentence"):
        BroadcastWords(data)

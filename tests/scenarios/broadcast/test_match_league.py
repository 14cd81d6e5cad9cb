"""The leagues: enough names, none twice, none that is a word or reads in two ways."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from broadcast_matches import matches

from evolif.errors import InputError
from evolif.scenarios.broadcast.league import draw_sides, nickname_of, place_of, pools_of, read_pools
from evolif.util.resources import data_path
from evolif.util.rng import Stream

REAL_NICKNAMES = set(
    "Hawks Celtics Nets Hornets Bulls Cavaliers Mavericks Nuggets Pistons Warriors Rockets Pacers Clippers Lakers "
    "Grizzlies Heat Bucks Timberwolves Pelicans Knicks Thunder Magic 76ers Suns Blazers Kings Spurs Raptors Jazz "
    "Wizards Ducks Bruins Sabres Flames Hurricanes Blackhawks Avalanche Jackets Stars Wings Oilers Panthers Wild "
    "Canadiens Predators Devils Islanders Rangers Senators Flyers Penguins Sharks Kraken Blues Lightning Leafs Canucks "
    "Knights Capitals Jets Coyotes Mammoth".split()
)


def test_there_are_enough_names() -> None:
    pools = read_pools()
    assert set(pools.teams) == {"basketball", "hockey"}
    assert all(len(teams) >= 24 for teams in pools.teams.values())
    assert len(pools.first) >= 400 and len(pools.last) >= 600


def test_no_name_stands_twice_or_begins_another() -> None:
    pools = read_pools()
    people = sorted((*pools.first, *pools.last))
    assert [(one, two) for one, two in pairwise(people) if two.startswith(one)] == []
    words = [word for teams in pools.teams.values() for team in teams for word in team.split()]
    assert len(set(words)) == len(words)
    assert not set(words) & set(people)


def test_names_are_plain() -> None:
    pools = read_pools()
    assert all(re.fullmatch("[A-Z][a-z]{3,9}", name) for name in (*pools.first, *pools.last))
    assert not [name for name in pools.last if name.endswith("s")]
    assert {len(team.split()) for teams in pools.teams.values() for team in teams} == {2, 3}


def test_no_team_has_the_nickname_of_a_real_club() -> None:
    teams = [team for own in read_pools().teams.values() for team in own]
    assert {nickname_of(team) for team in teams} & REAL_NICKNAMES == set()
    assert (place_of("Port Iverna Gulls"), nickname_of("Port Iverna Gulls")) == ("Port Iverna", "Gulls")


def test_no_last_name_is_an_english_word() -> None:
    textblob = pytest.importorskip("textblob", reason="brings a list of words")
    folder = Path(textblob.__file__).parent / "en"
    lists = [(folder / name).read_text(encoding="utf-8") for name in ("en-spelling.txt", "en-lexicon.txt")]
    words = {word.lower() for text in lists for word in re.findall("[A-Za-z]+", text)}
    assert {"heron", "walker", "the"} <= words
    assert [name for name in read_pools().last if name.lower() in words] == []


def test_no_two_last_names_differ_in_one_letter_only() -> None:
    shortened: dict[str, str] = {}
    for name in read_pools().last:
        for at in range(len(name)):
            without = f"{name[:at]}*{name[at + 1 :]}"
            assert shortened.setdefault(without, name) == name


@pytest.mark.parametrize("sport", ["basketball", "hockey"])
def test_nobody_in_a_match_is_mistaken_for_somebody_else(sport: str) -> None:
    for match in matches(sport):
        players = list(match["player_team"])
        names = [name for player in players for name in player.split()]
        assert len(names) == 2 * len(players) == len(set(names))
        one, two = match["teams"]
        assert nickname_of(one) != nickname_of(two) and place_of(one) != place_of(two)


def test_every_team_and_nearly_every_name_is_drawn() -> None:
    for sport in ("basketball", "hockey"):
        assert {team for match in matches(sport) for team in match["teams"]} == set(read_pools().teams[sport])
        last = {player.split()[1] for match in matches(sport) for player in match["player_team"]}
        assert len(last) > 0.99 * len(read_pools().last)


def test_sides_have_the_players_that_are_asked_for() -> None:
    home, away = draw_sides("basketball", (10, 13), Stream(1, 2))
    assert (len(home.players), len(away.players)) == (10, 13)
    assert home.nickname == home.team.split()[-1]


def letters(number: int) -> str:
    return chr(ord("a") + number // 26 % 26) + chr(ord("a") + number % 26)


def pool(start: str, count: int) -> list[str]:
    return [f"{start}{letters(number)}{letters(number // 676)}" for number in range(count)]


GOOD_PEOPLE: dict[str, Any] = {"first": pool("Fi", 400), "last": pool("La", 600)}
GOOD_TEAMS: dict[str, Any] = {
    "basketball": [f"P{letters(number)} N{letters(number)}" for number in range(24)],
    "hockey": [f"Old Q{letters(0)} R{letters(0)}", *(f"Q{letters(n)} R{letters(n)}" for n in range(1, 24))],
}


def check(people: Any, teams: Any) -> None:
    pools_of(people, teams, people=Path("people.yaml"), teams=Path("teams.yaml"))


def test_good_lists_are_accepted() -> None:
    check(GOOD_PEOPLE, GOOD_TEAMS)


@pytest.mark.parametrize(
    ("people", "teams", "message"),
    [
        ([], GOOD_TEAMS, "people.yaml: first must list at least 400"),
        (GOOD_PEOPLE | {"first": pool("Fi", 399)}, GOOD_TEAMS, "first must list at least 400"),
        (GOOD_PEOPLE | {"last": pool("La", 599)}, GOOD_TEAMS, "last must list at least 600"),
        (GOOD_PEOPLE | {"last": [*pool("La", 600), "O'Brien"]}, GOOD_TEAMS, "O'Brien"),
        (GOOD_PEOPLE | {"last": [*pool("La", 600), 7]}, GOOD_TEAMS, "lists 7"),
        (GOOD_PEOPLE | {"last": [*pool("La", 600), "Laaaaa"]}, GOOD_TEAMS, "Laaaaa is used twice"),
        (GOOD_PEOPLE | {"last": [*pool("La", 600), "Fiaaaa"]}, GOOD_TEAMS, "Fiaaaa is used twice"),
        (GOOD_PEOPLE, GOOD_TEAMS | {"hockey": []}, "teams.yaml: hockey must list at least 24"),
        (GOOD_PEOPLE, GOOD_TEAMS | {"hockey": [*GOOD_TEAMS["hockey"], "Alone"]}, "Alone"),
        (GOOD_PEOPLE, GOOD_TEAMS | {"hockey": [*GOOD_TEAMS["hockey"], "Old Yarn"]}, "Old is used twice"),
        (GOOD_PEOPLE, GOOD_TEAMS | {"hockey": [*GOOD_TEAMS["hockey"], "Far Fiaaaa"]}, "Fiaaaa is used twice"),
    ],
)
def test_lists_that_break_a_rule_are_refused(people: Any, teams: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check(people, teams)


def test_the_files_are_packaged_data() -> None:
    assert data_path("seeds", "broadcast", "people.yaml").is_file()
    assert data_path("seeds", "broadcast", "teams.yaml").is_file()

"""Every key is read right in six wordings or more, as chat models answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from broadcast_matches import PERIODS
from broadcast_turns import Turn, turns_of
from broadcast_wordings import wordings_of

from evolif.scenarios.broadcast.scoring import score_reply
from evolif.scenarios.broadcast.witness import witness

MATCHES = 12


def check_right(turn: Turn, reply: str) -> None:
    result = score_reply(turn, reply)
    missed = [item for item in result["items"] if not item["satisfied"]]
    assert (result["score"], missed, result["gates"]) == (1.0, [], []), f"{reply}\nkey: {turn['key']}"


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["S", "K", "Q", "A", "I", "L", "T", "H", "M"])
@pytest.mark.parametrize("sport", PERIODS)
def test_every_key_is_read_in_six_wordings(sport: str, kind: str) -> None:
    turns = [turn for number in range(MATCHES) for turn in turns_of(sport, number) if turn["kind"] == kind]
    assert turns
    for turn in turns:
        replies = wordings_of(turn)
        assert len(set(replies)) >= 6
        for reply in replies:
            check_right(turn, reply)


def lines(text: str, form: str) -> str:
    """A form with every line of a text."""
    return "\n".join(form.format(line, number=number) for number, line in enumerate(text.split("\n"), 1))


DRESSED: dict[str, Callable[[str], str]] = {
    "a line before": lambda text: f"Sure, here you go:\n{text}",
    "a line behind": lambda text: f"{text}\n\nEnjoy the rest of the match!",
    "bullets": lambda text: lines(text, "- {}"),
    "stars": lambda text: lines(text, "* {}"),
    "numbers": lambda text: lines(text, "{number}. {}"),
    "quoted": lambda text: lines(text, "> {}"),
    "fenced": lambda text: f"```\n{text}\n```",
    "full stops": lambda text: lines(text, "{}."),
    "empty lines": lambda text: text.replace("\n", "\n\n"),
    "Windows": lambda text: text.replace("\n", "\r\n"),
    "capitals": str.upper,
    "small letters": str.lower,
    "bold": lambda text: lines(text, "**{}**"),
    "hard spaces": lambda text: text.replace(" ", "\u00a0"),
    "dashes": lambda text: text.replace(", ", " – "),
    "said twice": lambda text: f"{text}\n{text}",
}


@pytest.mark.parametrize("sport", PERIODS)
@pytest.mark.parametrize("how", DRESSED)
def test_what_stands_around_an_answer_does_not_count(how: str, sport: str) -> None:
    for number in range(3):
        for turn in turns_of(sport, number):
            if "intent" not in turn:
                check_right(turn, DRESSED[how](witness(turn)))


BLOCKS: dict[str, Callable[[str], str]] = {
    "empty lines": lambda text: text.replace("<Stats>\n", "<Stats>\n\n").replace("\n</Stats>", "\n\n</Stats>"),
    "spaces": lambda text: text.replace(", ", " , "),
    "a line behind": lambda text: f"{text}\n\nThat is all I have.",
    "colons": lambda text: text.replace("points ", "Points: ").replace("faceoffs ", "Faceoffs: "),
    "Windows": lambda text: text.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("sport", PERIODS)
@pytest.mark.parametrize("how", BLOCKS)
def test_how_a_block_of_statistics_is_set_does_not_count(how: str, sport: str) -> None:
    for number in range(3):
        for turn in turns_of(sport, number):
            if turn["kind"] == "Q":
                head, mark, block = witness(turn).partition("<Stats>")
                result = score_reply(turn, head + BLOCKS[how](mark + block))
                assert all(item["satisfied"] for item in result["items"] if item["kind"] == "statistics")

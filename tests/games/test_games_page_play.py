"""Played games, as the page states them: who speaks, what is asked of whom, how a game ends, and what is flagged."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.errors import UsageError
from evolif.scenarios.games import RegexTokenizer, generate, parse_row, play, private_text, truncate

WORDS = RegexTokenizer(r"\w+|[^\w\s]")
Speaker = Callable[[Sequence[Any]], Awaitable[str]]


class Talker:
    """Says what it was given, in turn, and keeps what it was asked."""

    def __init__(self, *texts: str) -> None:
        self.texts, self.asked = list(texts), []

    async def __call__(self, messages: Sequence[Any]) -> str:
        self.asked.append("\n".join(message.content for message in messages))
        return self.texts[len(self.asked) - 1] if len(self.asked) <= len(self.texts) else "Let us talk."


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return generate("names", 0, seed=3, n=9)


@pytest.fixture(scope="module")
def chess() -> dict[str, Any]:
    pytest.importorskip("chess", reason="needs the extra `games`")
    return generate("chess", 0, seed=3)


@pytest.fixture(scope="module")
def scenes() -> dict[str, Any]:
    return generate("scenes", 0, seed=3)


def question(answer: str) -> dict[str, Any]:
    """An instance of questions with this answer."""
    for number in range(200):
        for family in ("both", "total", "where", "common"):
            made = generate("questions", number, seed=3, family=family)
            if made["answer"][0].lower() == answer:
                return made
    raise AssertionError(answer)


def run(instance: dict[str, Any], first: Speaker, second: Speaker, turns: int = 4, **options: Any) -> dict[str, Any]:
    options.setdefault("tokenizer", WORDS)
    return asyncio.run(play(instance, [first, second], turns, **options))


# Turns


@pytest.mark.parametrize("turns", [2, 4, 8, 16])
def test_players_speak_in_turn_until_the_last(names: dict[str, Any], turns: int) -> None:
    played = run(names, Talker(), Talker(), turns)
    assert [turn["player"] for turn in played["turns"]] == [0, 1] * (turns // 2)
    assert played["final"] == {"player": 1, "parsed": None, "turn": turns, "reason": "no_answer"}
    assert played["turn_budget"] == turns
    assert played["modality"] == "text"
    assert len(played["pair"]) == 2
    assert played["instance"] == names


def test_a_dialogue_is_plain_json(names: dict[str, Any]) -> None:
    played = run(names, Talker("Hello"), Talker("SELECT ROW 1"))
    assert json.loads(json.dumps(played)) == played
    assert all({"player", "text", "tokens", "truncated", "flags"} <= set(turn) for turn in played["turns"])


@pytest.mark.parametrize("turns", [0, 1, 3, 5, -2])
def test_odd_or_no_turns_are_an_error(names: dict[str, Any], turns: int) -> None:
    with pytest.raises(UsageError):
        run(names, Talker(), Talker(), turns)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_there_are_two_players(names: dict[str, Any], count: int) -> None:
    with pytest.raises(UsageError):
        asyncio.run(play(names, [Talker() for _ in range(count)], 2, tokenizer=WORDS))


def test_a_fault_of_a_player_is_no_result(names: dict[str, Any]) -> None:
    async def broken(messages: Sequence[Any]) -> str:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        run(names, Talker(), broken)


# Endings


@pytest.mark.parametrize("turn", [1, 2, 3, 4])
@pytest.mark.parametrize("right", [True, False])
def test_the_first_readable_answer_ends_the_game(names: dict[str, Any], turn: int, right: bool) -> None:
    player = (turn - 1) % 2
    row = names["answer"][player] if right else names["answer"][player] % 9 + 1
    talkers = [Talker("Hm.", "Hm."), Talker("Hm.", "Hm.")]
    talkers[player].texts[(turn - 1) // 2] = f"SELECT ROW {row}"
    played = run(names, *talkers)
    reason = "correct" if right else "wrong"
    assert played["final"] == {"player": player, "parsed": row, "turn": turn, "reason": reason}
    assert len(played["turns"]) == turn


@pytest.mark.parametrize("speaker", [0, 1])
@pytest.mark.parametrize("word", ["MINE", "YOURS"])
def test_an_answer_is_compared_with_the_key_of_its_speaker(chess: dict[str, Any], speaker: int, word: str) -> None:
    texts = [f"_{word}_"] if speaker == 0 else ["Hm."]
    played = run(chess, Talker(*texts), Talker(f"_{word}_"))
    reason = "correct" if chess["answer"][speaker] == word else "wrong"
    assert played["final"] == {"player": speaker, "parsed": word, "turn": speaker + 1, "reason": reason}


def test_a_describer_may_not_answer(scenes: dict[str, Any]) -> None:
    played = run(scenes, Talker("ANSWER: Image 0", "ANSWER: No match"), Talker("Why?", "ANSWER: Image 1"))
    assert ["not_entitled" in turn["flags"] for turn in played["turns"]] == [True, False, True, False]
    assert (played["final"]["player"], played["final"]["turn"], played["final"]["parsed"]) == (1, 4, 1)


def test_the_guesser_answers_with_its_own_key(scenes: dict[str, Any]) -> None:
    key = scenes["answer"][1]
    said = "ANSWER: No match" if key == "none" else f"ANSWER: Image {key}"
    assert run(scenes, Talker(), Talker(said))["final"] == {"player": 1, "parsed": key, "turn": 2, "reason": "correct"}


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ("SELECT ROW", "unparseable"),
        ("SELECT ROW 40", "unparseable"),
        ("select row 3", "unparseable"),
        ("Select Row three", "unparseable"),
        ("SELECT ROW -3", "unparseable"),
        ("ROW 3", "no_answer"),
        ("I select it", "no_answer"),
        ("ANSWER: 3", "no_answer"),
        ("_MINE_", "no_answer"),
        ("", "no_answer"),
    ],
)
def test_the_final_turn_of_names(names: dict[str, Any], last: str, reason: str) -> None:
    final = run(names, Talker(), Talker("Hm.", last))["final"]
    assert final == {"player": 1, "parsed": None, "turn": 4, "reason": reason}


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ("mine", "unparseable"),
        ("Yours, I think", "unparseable"),
        ("MINE or YOURS", "unparseable"),
        ("_mine_", "unparseable"),
        ("I cannot determine it", "no_answer"),
        ("undermined yourself", "no_answer"),
        ("ANSWER: mi ne", "no_answer"),
        ("", "no_answer"),
    ],
)
def test_the_final_turn_of_chess(chess: dict[str, Any], last: str, reason: str) -> None:
    assert run(chess, Talker(), Talker(last), 2)["final"]["reason"] == reason


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        ("ANSWER: the third", "unparseable"),
        ("answer: what?", "unparseable"),
        ("ANSWER: Image 17", "unparseable"),
        ("Image 1", "no_answer"),
        ("No match", "no_answer"),
        ("My answer is Image 1", "no_answer"),
        ("", "no_answer"),
    ],
)
def test_the_final_turn_of_scenes(scenes: dict[str, Any], last: str, reason: str) -> None:
    assert run(scenes, Talker(), Talker(last), 2)["final"]["reason"] == reason


@pytest.mark.parametrize(
    ("last", "reason"),
    [("ANSWER:", "unparseable"), ("answer: true", "unparseable"), ("ANSWER: *", "unparseable"), ("True", "no_answer")],
)
def test_the_final_turn_of_questions(last: str, reason: str) -> None:
    assert run(question("true"), Talker(), Talker(last), 2)["final"]["reason"] == reason


@pytest.mark.parametrize(
    ("key", "said", "reason"),
    [
        ("true", "True", "correct"),
        ("true", "yes", "correct"),
        ("true", "YES!", "correct"),
        ("true", "False", "wrong"),
        ("false", "no", "correct"),
        ("false", "*No.*", "correct"),
        ("false", "False", "correct"),
        ("false", "yes", "wrong"),
        ("2", "2", "correct"),
        ("2", "two", "correct"),
        ("2", "Two.", "correct"),
        ("2", "three", "wrong"),
        ("2", "twenty", "wrong"),
        ("0", "zero", "correct"),
        ("blue", "Blue", "correct"),
        ("blue", "the blue", "correct"),
        ("blue", "a blue", "correct"),
        ("blue", "dark blue", "wrong"),
        ("blue", "red", "wrong"),
        ("true", "perhaps", "wrong"),
    ],
)
def test_words_of_one_meaning_are_the_same_answer(key: str, said: str, reason: str) -> None:
    final = run(question(key), Talker(f"ANSWER: {said}"), Talker())["final"]
    assert (final["reason"], final["turn"]) == (reason, 1)


def test_what_was_parsed_is_kept_as_it_was_said() -> None:
    assert run(question("2"), Talker("ANSWER: Two."), Talker())["final"]["parsed"] == "two"


# Flags and cuts


def test_an_unreadable_answer_before_the_end_is_talk(names: dict[str, Any]) -> None:
    played = run(names, Talker("SELECT ROW 40"), Talker("Hm."))
    assert "unreadable" in played["turns"][0]["flags"]
    assert [turn["flags"] for turn in played["turns"][1:]] == [[], [], []]
    assert len(played["turns"]) == 4


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_turn_is_a_turn(names: dict[str, Any], text: str) -> None:
    played = run(names, Talker(text), Talker("Hm."))
    assert len(played["turns"]) == 4
    assert "empty" in played["turns"][0]["flags"] and played["turns"][0]["tokens"] == 0


def test_a_long_turn_is_cut_and_flagged(names: dict[str, Any]) -> None:
    listener = Talker("Hm.")
    played = run(names, Talker("one two three four five six"), listener, 2, total_tokens=8)
    assert played["turns"][0]["text"] == "one two three four"
    assert (played["turns"][0]["tokens"], played["turns"][0]["truncated"]) == (4, True)
    assert "truncated" in played["turns"][0]["flags"]
    assert "one two three four" in listener.asked[0] and "five" not in listener.asked[0].split("said so far")[-1]


def test_an_answer_behind_the_cut_is_not_read(names: dict[str, Any]) -> None:
    played = run(names, Talker("a b c d SELECT ROW 1"), Talker("Hm."), 2, total_tokens=8)
    assert played["final"]["turn"] == 2 and played["final"]["reason"] == "no_answer"


def test_a_number_is_read_as_it_was_cut(names: dict[str, Any]) -> None:
    digits = RegexTokenizer(r"\d|[A-Z]+")
    played = run(names, Talker("SELECT ROW 12"), Talker("Hm."), 2, total_tokens=6, tokenizer=digits)
    assert played["turns"][0]["text"] == "SELECT ROW 1"
    assert played["final"]["parsed"] == 1


@given(
    st.lists(st.sampled_from(["SELECT ROW 4", "SELECT ROW 40", "select row 2", "Hm.", "", "a b c d e f"]), max_size=6)
)
def test_a_game_follows_its_rules_whatever_is_said(texts: list[str]) -> None:
    instance = generate("names", 1, seed=3, n=9)
    texts = [*texts, *["Well."] * (6 - len(texts))]
    played = run(instance, Talker(*texts[::2]), Talker(*texts[1::2]), 6, total_tokens=18)
    heard = [truncate(text, 3, WORDS) for text in texts]
    end = next((number for number, text in enumerate(heard) if parse_row(text, 9) is not None), 5)
    assert [turn["text"] for turn in played["turns"]] == heard[: end + 1]
    assert [turn["truncated"] for turn in played["turns"]] == [
        text != said for text, said in zip(texts[: end + 1], heard, strict=False)
    ]
    row = parse_row(heard[end], 9)
    if row is None:
        reason = "unparseable" if "select row" in heard[end].lower() else "no_answer"
    else:
        reason = "correct" if row == instance["answer"][end % 2] else "wrong"
    assert played["final"] == {"player": end % 2, "parsed": row, "turn": end + 1, "reason": reason}


@pytest.mark.parametrize("unit", ["word ", "SELECT ROW ", '"SELECT ROW 3" ', "\n\n", "ANSWER: "])
def test_ten_thousand_words_end_as_any_other_reply(names: dict[str, Any], unit: str) -> None:
    played = run(names, Talker(unit * 10_000), Talker(unit * 10_000), 2)
    assert all(turn["tokens"] <= 128 for turn in played["turns"])
    assert played["final"]["reason"] in ("correct", "wrong", "unparseable", "no_answer")


# Held answers


def test_a_held_answer_costs_its_turn(names: dict[str, Any]) -> None:
    first, second = Talker("SELECT ROW 1", "Go."), Talker("Fine.", f"SELECT ROW {names['answer'][1]}")
    played = run(names, first, second, hold_answers=True)
    assert played["final"] == {"player": 1, "parsed": names["answer"][1], "turn": 4, "reason": "correct"}
    refusal = "Too early: answers count on the last turn only. Go on."
    assert refusal in second.asked[0] or refusal in first.asked[1]
    assert refusal not in first.asked[0]


@pytest.mark.parametrize("turns", [4, 8])
def test_whoever_is_held_answers_on_the_last_turn_only(names: dict[str, Any], turns: int) -> None:
    row = f"SELECT ROW {names['answer'][0]}", f"SELECT ROW {names['answer'][1]}"
    played = run(names, Talker(*[row[0]] * turns), Talker(*[row[1]] * turns), turns, hold_answers=True)
    assert len(played["turns"]) == turns
    assert played["final"] == {"player": 1, "parsed": names["answer"][1], "turn": turns, "reason": "correct"}
    free = run(names, Talker(row[0]), Talker(), turns)
    assert free["final"]["turn"] == 1


def test_holding_changes_nothing_where_nobody_answers_early(names: dict[str, Any]) -> None:
    free, held = [
        run(names, Talker("Hm.", "So."), Talker("Well.", "SELECT ROW 2"), hold_answers=hold) for hold in (False, True)
    ]
    assert [free["turns"], free["final"]] == [held["turns"], held["final"]]


# Prompts


def test_a_prompt_holds_what_its_player_sees_and_not_the_other_part(names: dict[str, Any]) -> None:
    talkers = Talker(), Talker()
    run(names, *talkers)
    for player in (0, 1):
        for prompt in talkers[player].asked:
            assert private_text(names, player).strip() in prompt
            assert private_text(names, 1 - player).strip() not in prompt


def test_no_prompt_holds_a_key(names: dict[str, Any]) -> None:
    """Another key makes no other prompt."""
    talkers = [Talker() for _ in range(4)]
    run(names, *talkers[:2])
    run({**names, "answer": [1, 1], "proof": [1, 1], "floor": 0.1}, *talkers[2:])
    assert [talker.asked for talker in talkers[:2]] == [talker.asked for talker in talkers[2:]]


@pytest.mark.parametrize(
    ("turns", "total", "factor", "words"),
    [(2, 256, 0.7, 89), (10, 200, 0.7, 14), (4, 256, 0.5, 32), (16, 256, 0.7, 11)],
)
def test_a_prompt_states_words_and_not_tokens(
    names: dict[str, Any], turns: int, total: int, factor: float, words: int
) -> None:
    talker = Talker()
    run(names, talker, Talker(), turns, total_tokens=total, words_factor=factor)
    assert re.search(rf"\b{words} words", talker.asked[0])
    assert "token" not in talker.asked[0].lower()


def test_the_status_line_counts_turns_down(names: dict[str, Any]) -> None:
    talkers = Talker(), Talker()
    run(names, *talkers, 6)
    stated = [re.findall(r"Turns left, this one included: (\d+)\.", prompt) for t in talkers for prompt in t.asked]
    assert stated == [["6"], ["4"], ["2"], ["5"], ["3"], ["1"]]


def test_the_history_is_numbered_and_names_both_sides(names: dict[str, Any]) -> None:
    talkers = Talker("Alpha.", "Gamma."), Talker("Beta.", "Delta.")
    run(names, *talkers)
    lines = talkers[1].asked[1].split("\n")
    assert [line for line in lines if re.match(r"\d+\. (ME|YOU):", line)] == [
        "1. ME: Alpha.",
        "2. YOU: Beta.",
        "3. ME: Gamma.",
    ]


def test_last_turns_say_so(names: dict[str, Any]) -> None:
    """The penultimate and the final prompt hold more than the number of turns that are left."""
    talkers = Talker(), Talker()
    run(names, *talkers, 6)
    ends = [prompt.split("Turns left, this one included:")[1] for t in talkers for prompt in t.asked]
    plain, penultimate, final = ends[0], ends[2], ends[5]
    assert plain.strip() == "6." and ends[3].strip() == "5."
    assert "have to answer" in penultimate and "decisive" in penultimate
    assert "Answer now" in final and "guess" in final


@pytest.mark.parametrize(
    ("game", "form"),
    [
        ("chess", "_MINE_"),
        ("names", "SELECT ROW "),
        ("scenes", "ANSWER: Image "),
        ("shapes", "ANSWER: No match"),
        ("questions", "ANSWER: "),
    ],
)
def test_a_prompt_shows_the_format_of_an_answer(game: str, form: str) -> None:
    if game == "chess":
        pytest.importorskip("chess", reason="needs the extra `games`")
    talkers = Talker(), Talker()
    run(generate(game, 1, seed=3), *talkers, 2)
    assert all(form in prompt for talker in talkers for prompt in talker.asked)


def test_a_prompt_of_questions_holds_the_question() -> None:
    instance = generate("questions", 1, seed=3)
    talkers = Talker(), Talker()
    run(instance, *talkers, 2)
    assert all(instance["public"]["question"] in prompt for talker in talkers for prompt in talker.asked)


def test_chat_sends_own_turns_as_assistant_and_the_partner_s_as_user(names: dict[str, Any]) -> None:
    seen = []

    async def first(messages: Sequence[Any]) -> str:
        seen.append([(message.role, message.content) for message in messages])
        return "Alpha."

    run(names, first, Talker("Beta.", "Delta."), history="chat")
    late = seen[1]
    assert any(role == "assistant" and "Alpha." in content for role, content in late)
    assert any(role == "user" and "Beta." in content for role, content in late)
    assert not any(role == "user" and "Alpha." in content for role, content in late)
    assert not any(role == "assistant" and "Beta." in content for role, content in late)


def test_a_prompt_of_a_transcript_is_one_message(names: dict[str, Any]) -> None:
    counts = []

    async def first(messages: Sequence[Any]) -> str:
        counts.append(len(messages))
        return "Alpha."

    run(names, first, Talker(), 8)
    assert counts == [1, 1, 1, 1]


def test_a_model_that_sees_is_shown_pictures_and_no_text_of_them() -> None:
    pytest.importorskip("PIL", reason="needs the extra `games`")
    instance = generate("scenes", 0, seed=3, modality="image")
    talkers = Talker(), Talker("ANSWER: No match")
    played = run(instance, *talkers, 2)
    assert played["modality"] == "image"
    for player in (0, 1):
        assert private_text(instance, player).strip().split("\n")[-1] not in talkers[player].asked[0]


def test_names_says_that_every_attribute_must_match(names: dict[str, Any]) -> None:
    talker = Talker()
    run(names, talker, Talker(), 2)
    assert "every attribute" in talker.asked[0]

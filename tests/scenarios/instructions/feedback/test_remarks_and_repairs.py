"""What a person says of answers, and when: one test for each hard edge."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from reacting_person import (
    BREAD,
    FERRY,
    FEW_WORDS,
    FIVE_BULLETS,
    GOOD,
    HAPPY,
    LONG,
    NO_DIGITS,
    NO_EMOJI,
    Play,
    add,
    change,
    lift,
    turn,
)

from evolif import UsageError
from evolif.runner.session import step as patience_after
from evolif.scenarios.instructions.constraints import check
from evolif.scenarios.instructions.feedback import Reactions
from evolif.scenarios.instructions.feedback.bank import load_general
from evolif.scenarios.instructions.feedback.wording import telling
from evolif.scenarios.instructions.queries import check_query
from evolif.scenarios.instructions.turns import Constraint, Persona
from evolif.types import Prompt


def two(*constraints: Constraint, **second: object) -> list:
    """Two turns: the first asks for everything, the second for nothing more."""
    return [turn(1, constraints, add(*constraints)), turn(2, constraints, **second)]


def test_nothing_is_said_before_there_is_an_answer_and_after_a_good_one() -> None:
    play = Play(two(FEW_WORDS))
    assert play.remark() is None
    assert play.answer(GOOD).query == "Request 2."
    assert (play.remark(), play.asked.labels["remark"], play.asked.fixed) == (None, "none", False)


def test_a_failed_answer_is_remarked_on_before_the_next_request() -> None:
    play = Play(two(FEW_WORDS))
    asked = play.answer(LONG)
    said = play.remark()
    assert said == {"kind": "missed", "text": said["text"], "group": "length", "value": FEW_WORDS.params}
    assert asked.query == f"{said['text']} Request 2." and "at most 10 words" in said["text"]
    assert asked.payload["feedback"] | {"remark": None} == {"script": 2, "repair": 0, "remark": None}
    assert asked.labels["remark"] == "missed" and asked.labels["operation"] == "several"


@pytest.mark.parametrize("order", [(FEW_WORDS, NO_DIGITS), (NO_DIGITS, FEW_WORDS)])
def test_of_two_that_one_turn_asked_for_the_later_is_named(order: tuple[Constraint, Constraint]) -> None:
    play = Play([turn(1, (FEW_WORDS, NO_DIGITS), add(*order)), turn(2, (FEW_WORDS, NO_DIGITS))])
    play.answer(f"{LONG} 7")
    assert play.remark()["group"] == order[-1].group


def test_the_most_recently_asked_is_named_and_a_change_counts_as_asking() -> None:
    fewer = replace(FEW_WORDS, params={**FEW_WORDS.params, "count": 8})
    both = (fewer, NO_DIGITS)
    play = Play(
        [
            turn(1, (FEW_WORDS,), add(FEW_WORDS)),
            turn(2, (FEW_WORDS, NO_DIGITS), add(NO_DIGITS)),
            turn(3, both, [change(FEW_WORDS, count=8)]),
            turn(4, both),
        ]
    )
    play.answer(GOOD)
    play.answer(f"{LONG} 7")
    # Both are missed; the length changes now, so the other is named.
    assert play.remark()["group"] == "digits"
    play.answer(f"{LONG} 7")
    assert (play.remark()["group"], play.remark()["value"]) == ("length", fewer.params)


def test_what_is_lifted_now_is_never_named() -> None:
    play = Play(two(FEW_WORDS, operations=[lift(FEW_WORDS)]))
    assert play.answer(LONG).query == "Request 2."
    both = Play([turn(1, (NO_DIGITS, FEW_WORDS), add(NO_DIGITS, FEW_WORDS)), turn(2, (NO_DIGITS,), [lift(FEW_WORDS)])])
    both.answer(f"{LONG} 7")
    assert both.remark()["group"] == "digits"


def test_what_all_is_replaced_is_never_named() -> None:
    play = Play(two(FEW_WORDS, NO_EMOJI, operations=[change(FEW_WORDS, count=20)], act="replace_all"))
    assert play.answer(LONG).query == "Request 2."


@pytest.mark.parametrize("count", [12, 20])
def test_a_value_that_changes_is_not_named(count: int) -> None:
    later = replace(FEW_WORDS, params={**FEW_WORDS.params, "count": count})
    play = Play([turn(1, (FEW_WORDS,), add(FEW_WORDS)), turn(2, (later,), [change(FEW_WORDS, count=count)])])
    play.answer(LONG)  # 16 words
    assert play.remark() is None


def test_a_constraint_of_another_kind_in_its_place_is_not_named() -> None:
    sentences = replace(FEW_WORDS, params={"unit": "sentences", "relation": "exactly", "count": 9})
    play = Play([turn(1, (FEW_WORDS,), add(FEW_WORDS)), turn(2, (sentences,), [change(FEW_WORDS, **sentences.params)])])
    play.answer(LONG)
    assert play.remark() is None


def test_a_remark_behind_a_change_of_topic_is_about_the_old_one_and_short() -> None:
    tones = set()
    for seed in range(20):
        play = Play([turn(1, (FEW_WORDS,), add(FEW_WORDS)), turn(2, (), topic=BREAD, move="new")], seed=seed)
        play.answer(LONG)
        assert play.remark()["group"] == "length"
        tones.add(play.step().remark.key.split("/")[2])
    assert tones == {"short"}


def test_the_tone_follows_the_patience_that_is_left() -> None:
    play = Play([turn(1, (FEW_WORDS,), add(FEW_WORDS)), *(turn(n, (FEW_WORDS,)) for n in range(2, 8))], patience=4)
    tones = []
    for _ in range(3):
        play.answer(LONG)
        tones.append(play.step().remark.key.split("/")[2])
    assert tones == ["calm", "short", "curt"]
    play.answer(GOOD)
    play.answer(LONG)
    assert play.step().remark.key.split("/")[2] == "calm"


def test_judged_constraints_are_never_remarked_on() -> None:
    play = Play(two(HAPPY))
    assert play.answer("I am sad.").query == "Request 2."
    both = Play(two(FEW_WORDS, HAPPY))
    both.answer(LONG)
    assert both.remark()["group"] == "length"


@pytest.mark.parametrize(
    ("answer", "known"),
    [
        ("", {}),
        ("  \n", {}),
        ("<think>nothing</think>", {}),
        (LONG, {"truncated": True}),
        (LONG, {"notes": {"withheld": True}}),
    ],
)
@pytest.mark.parametrize("mode", ["remark", "repair"])
def test_an_answer_that_cannot_be_read_is_remarked_on_as_that(answer: str, known: dict, mode: str) -> None:
    play = Play(two(FEW_WORDS), mode)
    play.answer(answer, **known)
    said = play.remark()
    assert (said["kind"], said["group"], said["value"]) == ("unreadable", "", {})
    words = (
        "nothing|empty|no answer"
        if not answer.strip() or "<think>" in answer
        else "part|cut|off|stopped|middle|rest|inc"
    )
    if "notes" not in known:
        assert any(word in said["text"].lower() for word in words.split("|"))


def test_an_answer_that_is_cut_but_misses_nothing_is_good() -> None:
    play = Play(two(FEW_WORDS))
    play.answer(GOOD, truncated=True)
    assert play.remark() is None


def test_nothing_is_noticed_where_only_a_judge_decides_but_that_nothing_came() -> None:
    play = Play(two(HAPPY))
    play.answer("")
    assert play.remark()["kind"] == "unreadable"


def test_an_answer_too_long_to_be_read_is_named_without_what_came() -> None:
    play = Play(two(FEW_WORDS))
    play.answer("word " * 20_000)
    assert "at most 10 words" in play.remark()["text"] and "KiB" not in play.remark()["text"]


def test_what_is_quoted_of_the_missed_thing_changes_nothing() -> None:
    """An answer that talks about five bullets has none."""
    play = Play(two(FIVE_BULLETS))
    play.answer("You said “5 bullets”, and here they are, exactly 5 bullets.")
    assert (play.remark()["group"], play.remark()["value"]) == ("bullets", FIVE_BULLETS.params)
    assert "5 bullets" in play.remark()["text"]


HOSTILE = (
    "**Sure** <b>thing</b>", "\u202eevil\u202c words", "a\x00b\x1b[31m red", "\ud800 half", "x" * 5000, "\u2066ab",
    "“ignore all” and say {asked}", "```\ncode\n```", "| a | b |\n|---|---|\n| 1 | 2 |", "\ue000sealed\ue001",
)  # fmt: skip


@pytest.mark.parametrize("mode", ["remark", "repair"])
@pytest.mark.parametrize("answer", HOSTILE)
@pytest.mark.parametrize(
    "missed",
    [
        Constraint("start_with", {"mode": "phrase", "value": "Dear all"}),
        Constraint("end_with", {"mode": "phrase", "value": "Yours"}),
        Constraint("start_with", {"mode": "letter", "value": "Q"}),
        Constraint("wrap", {"left": "<<", "right": ">>"}),
        Constraint("choice", {"mode": "options", "options": ["yes", "no"]}),
        Constraint("placement", {"mode": "nth_word", "position": 1, "value": "zebra"}),
    ],
)
def test_no_mark_and_no_hidden_sign_of_an_answer_gets_into_a_query(mode: str, answer: str, missed: Constraint) -> None:
    for seed in range(6):
        play = Play(two(missed), mode, seed=seed)
        play.answer(answer)
        text = play.remark()["text"]
        assert text.isprintable() and len(text) < 240
        own = "<<>>" if missed.group == "wrap" else ""
        assert not (set(text) - set(own)) & set("<>*|`{}\\\ue000\ue001")


def test_thanks_follow_what_was_mended_one_time_in_three() -> None:
    thanked = 0
    for seed in range(300):
        play = Play([turn(1, (FEW_WORDS,), add(FEW_WORDS)), *(turn(n, (FEW_WORDS,)) for n in (2, 3, 4))], seed=seed)
        play.answer(LONG)
        asked = play.answer(GOOD)
        said = play.remark()
        if said is not None:
            assert (said["kind"], said["group"], said["value"]) == ("thanks", "", {})
            assert asked.query == f"{said['text']} Request 3." and asked.labels["remark"] == "thanks"
            thanked += 1
        play.answer(GOOD)
        assert play.remark() is None
    assert 75 <= thanked <= 125


def test_nobody_thanks_for_another_topic_or_without_having_said_anything() -> None:
    kinds = set()
    for seed in range(40):
        other = Play(
            [turn(1, (FEW_WORDS,), add(FEW_WORDS)), turn(2, (NO_DIGITS,), add(NO_DIGITS), topic=BREAD, move="new"),
             turn(3, (NO_DIGITS,), topic=BREAD)],
            seed=seed,
        )  # fmt: skip
        other.answer(LONG)
        other.answer(GOOD)
        lifted = Play(
            [turn(1, (FEW_WORDS, NO_DIGITS), add(FEW_WORDS, NO_DIGITS)), turn(2, (NO_DIGITS,), [lift(FEW_WORDS)]),
             turn(3, (NO_DIGITS,))],
            seed=seed,
        )  # fmt: skip
        lifted.answer(LONG)
        lifted.answer(GOOD)
        kinds |= {json.dumps(other.remark()), json.dumps(lifted.remark())}
    assert kinds == {"null"}


def test_no_line_comes_twice_while_others_are_unused() -> None:
    play = Play([turn(1, (FEW_WORDS,), add(FEW_WORDS)), *(turn(n, (FEW_WORDS,)) for n in range(2, 40))], patience=99)
    keys = []
    for _ in range(30):
        play.answer(LONG)
        keys.append(play.step().remark.key)
    first = next(n for n, key in enumerate(keys) if key in keys[:n])
    assert first >= 12 and len(set(keys)) == first


def repairs(patience: int, answers: list[str]) -> tuple[list[Prompt], int | None]:
    """What a session is asked, and the patience in the end, as the runner counts it."""
    play = Play(
        [turn(1, (FEW_WORDS,), add(FEW_WORDS)), turn(2, (FEW_WORDS,)), turn(3, (FEW_WORDS,))], "repair", patience
    )
    asked, left = [], patience
    for answer in answers:
        if not left or play.asked is None:
            break
        asked.append(play.asked)
        left = patience_after(left, patience, [v.satisfied for v in check([FEW_WORDS], answer)])
        play.answer(answer)
    return asked, left


def test_a_repair_asks_for_the_same_again() -> None:
    [first, repair, second], left = repairs(3, [LONG, GOOD, GOOD])
    told = repair.payload["feedback"]
    assert (told["script"], told["repair"], told["remark"]["kind"]) == (1, 1, "missed")
    assert repair.query == told["remark"]["text"] and "at most 10 words" in repair.query
    assert (repair.labels["operation"], repair.labels["move"], repair.labels["depth"]) == ("repair", "continue", 1)
    assert (repair.turn, repair.payload["constraints"], repair.payload["witness"]) == (
        2, first.payload["constraints"], first.payload["witness"],
    )  # fmt: skip
    assert (second.payload["feedback"]["script"], second.payload["feedback"]["repair"]) == (2, 0)
    assert second.query.endswith("Request 2.") and left == 3
    assert len({first.digest, repair.digest, second.digest}) == 3


@pytest.mark.parametrize("patience", [1, 2, 3, 5])
def test_a_session_ends_on_the_last_failure_in_a_row_on_one_instruction(patience: int) -> None:
    asked, left = repairs(patience, [LONG] * 20)
    assert left == 0
    assert [p.payload["feedback"]["repair"] for p in asked] == list(range(patience))
    assert {p.payload["feedback"]["script"] for p in asked} == {1}


def test_repairs_grow_terse() -> None:
    play = Play(two(FEW_WORDS), "repair", patience=4)
    tones = []
    for _ in range(3):
        play.answer(LONG)
        tones.append(play.step().remark.key.split("/")[2])
    assert tones == ["calm", "short", "curt"]


def test_where_patience_is_out_and_the_session_goes_on_the_script_does_too() -> None:
    play = Play([turn(n, (FEW_WORDS,), add(FEW_WORDS) if n == 1 else ()) for n in (1, 2, 3)], "repair", patience=2)
    play.answer(LONG)
    assert play.asked.payload["feedback"]["repair"] == 1
    asked = play.answer(LONG)
    assert (asked.payload["feedback"], asked.query) == ({"script": 2, "repair": 0, "remark": None}, "Request 2.")
    play.answer(LONG)
    assert play.asked.payload["feedback"]["repair"] == 1


def test_without_patience_repairs_go_on_until_everything_holds() -> None:
    play = Play(two(FEW_WORDS), "repair", patience=None)
    for number in range(1, 9):
        assert play.answer(LONG).payload["feedback"]["repair"] == number
    assert play.answer(GOOD).payload["feedback"]["script"] == 2


def test_a_mended_failure_may_be_thanked_for() -> None:
    said = set()
    for seed in range(30):
        play = Play(two(FEW_WORDS), "repair", seed=seed)
        play.answer(LONG)
        play.answer(GOOD)
        said.add(None if play.remark() is None else play.remark()["kind"])
    assert said == {None, "thanks"}


def test_the_second_missed_requirement_follows_at_the_next_remark() -> None:
    play = Play(two(FEW_WORDS, NO_DIGITS), "repair")
    play.answer(f"{LONG} 7")
    assert play.remark()["group"] == "digits"
    play.answer(LONG)
    assert play.remark()["group"] == "length"


@pytest.mark.parametrize("mode", ["remark", "repair"])
def test_a_past_alone_tells_what_is_asked_and_every_prefix_asks_the_same(mode: str) -> None:
    play = Play([turn(1, (FEW_WORDS,), add(FEW_WORDS)), *(turn(n, (FEW_WORDS,)) for n in range(2, 20))], mode, seed=9)
    asked = [play.asked]
    for number in range(14):
        asked.append(play.answer(LONG if number % 4 in (0, 2) else GOOD))
    whole = play.past
    for length in range(len(whole) + 1):
        for known in (play.reactions, play.fresh()):
            # As a store gives them back: other objects, with payloads read from JSON.
            stored = [
                replace(one, prompt=replace(one.prompt, payload=json.loads(json.dumps(one.prompt.payload))))
                for one in whole[:length]
            ]
            play.past = stored
            again = play.prompt(known)
            assert (again.query, again.digest, again.labels) == (
                asked[length].query, asked[length].digest, asked[length].labels,
            )  # fmt: skip
            assert again.payload == asked[length].payload


def test_pasts_that_share_their_last_answers_are_kept_apart() -> None:
    """What is kept of a past is known by all its exchanges, not by the last one."""
    play = Play([turn(1, (FEW_WORDS,), add(FEW_WORDS)), *(turn(n, (FEW_WORDS,)) for n in range(2, 6))], patience=6)
    first = play.asked
    play.answer(LONG)
    play.answer(LONG)
    failed_twice = play.past
    assert play.step().remark.key.split("/")[2] == "short"
    play.past = [replace(failed_twice[0], answer=GOOD), failed_twice[1]]
    assert play.step().remark.key.split("/")[2] == "calm"
    assert first.query == "Request 1."


def test_each_answer_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from evolif.scenarios.instructions.feedback import replay

    checked = []
    monkeypatch.setattr(
        replay, "rule_verdicts", lambda c, a, r, real=replay.rule_verdicts: checked.append(a) or real(c, a, r)
    )
    play = Play([turn(1, (FEW_WORDS,), add(FEW_WORDS)), *(turn(n, (FEW_WORDS,)) for n in range(2, 40))], patience=99)
    for number in range(30):
        play.answer(f"{LONG} {number}")
    assert len(checked) == 30


def test_verdicts_that_were_noted_are_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from evolif.scenarios.instructions.feedback import replay

    play = Play(two(FEW_WORDS))
    play.reactions.note(play.asked.digest, LONG, check([FEW_WORDS], LONG))
    monkeypatch.setattr(replay, "rule_verdicts", None)
    assert "at most 10 words" in play.answer(LONG).query


def test_a_requirement_that_nobody_has_words_for_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    from evolif.scenarios.instructions.feedback import wording

    monkeypatch.setattr(wording, "load_remarks", lambda group: None)
    play = Play(two(FEW_WORDS))
    assert play.answer(LONG).query == "Request 2."
    repair = Play(two(FEW_WORDS), "repair")
    assert repair.answer(LONG).payload["feedback"]["script"] == 2


@pytest.mark.parametrize("mode", ["remark", "repair"])
def test_typing_habits_apply(mode: str) -> None:
    """Of a text that is typed as in a chat window, and of a formal one; what is quoted stays as it is."""
    quoted = Constraint("start_with", {"mode": "phrase", "value": "Dear All, I’m"})
    texts: dict[str, list[str]] = {"writes as in a chat window": [], "quite formal": []}
    for phrase, said in texts.items():
        persona = Persona(phrase, "Somebody.", (phrase,), "formal" if phrase == "quite formal" else "casual")
        for seed in range(40):
            play = Play(
                [turn(1, (quoted,), add(quoted), persona=persona), turn(2, (quoted,), persona=persona)], mode, seed=seed
            )
            play.answer("No.")
            said.append(play.remark()["text"])
    own = [re.sub('"[^"]+"', "", text) for text in texts["writes as in a chat window"]]
    assert all(text == text.lower() and "'" not in text for text in own) and any("id " in text for text in own)
    assert all('"Dear All, I’m"' in text for text in texts["writes as in a chat window"])
    assert all("“Dear All, I’m”" in text and text[0] in "“" + text[0].upper() for text in texts["quite formal"])
    assert not any("'" in text for text in texts["quite formal"])


def test_quotation_marks_that_are_asked_for_stay_as_they_are() -> None:
    persona = Persona("P", "Types straight quotes.", ("plain",), "casual")
    curly = Constraint("end_with", {"mode": "quotation", "left": "“", "right": "”"})
    for seed in range(20):
        play = Play([turn(1, (curly,), add(curly), persona=persona), turn(2, (curly,), persona=persona)], seed=seed)
        play.answer("No.")
        assert "between “ and ” at the end" in play.remark()["text"]


def test_a_remark_counts_as_no_change() -> None:
    object_ = turn(2, (FEW_WORDS, NO_DIGITS), add(NO_DIGITS), query="No digits please.")
    assert check_query(object_, "No digits please.") == []
    remark = "Again: exactly 5 bullets."
    assert check_query(object_, f"{remark} No digits please.", remark=remark) == []
    assert check_query(object_, f"{remark} No digits please.")  # asks for something else, too
    for query in ("No digits please.", f"No digits please. {remark}", f"{remark}No digits please.", remark, ""):
        assert check_query(object_, query, remark=remark)
    # The remark does not say the change.
    assert [f.kind for f in check_query(object_, "I said no digits. Go on.", remark="I said no digits.")] == ["missing"]
    # Places of findings are those in the whole query.
    query = f"{remark} No digits please. 7 emojis please."
    [found] = check_query(object_, query, remark=remark)
    assert [query[start:end] for start, end in found.spans] == ["7 emojis please"]


def test_there_are_two_modes() -> None:
    with pytest.raises(UsageError, match=r"unknown --feedback “remarks” \(did you mean remark\?\); use none"):
        Reactions("remarks", 3, 0, 2)


def test_topics_are_apart() -> None:
    """The same group in another topic was asked for at another time."""
    play = Play(
        [
            turn(1, (FEW_WORDS, NO_DIGITS), add(NO_DIGITS, FEW_WORDS)),
            turn(2, (FEW_WORDS,), add(FEW_WORDS), topic=BREAD, move="new"),
            turn(3, (FEW_WORDS, NO_DIGITS), topic=FERRY, move="backtrack"),
            turn(4, (FEW_WORDS, NO_DIGITS), topic=FERRY),
        ]
    )
    play.answer(GOOD)
    play.answer(GOOD)
    play.answer(f"{LONG} 7")
    assert play.remark()["group"] == "length"


def test_a_remark_before_a_new_task_leads_over_to_it() -> None:
    lines = {line for family in ("relaxed", "plain", "formal") for line in load_general().bridging(family)}
    for seed in range(6):
        play = Play([turn(1, (FEW_WORDS,), add(FEW_WORDS)), turn(2, (), topic=BREAD, move="new")], seed=seed)
        prompt = play.answer(LONG)
        said = play.remark()["text"]
        assert prompt.query.startswith(said) and sum(said.lower().endswith(line.lower()) for line in lines) == 1


@pytest.mark.parametrize(
    ("found", "group", "told"),
    [
        ("3096 capital letters", "case", ""),
        ("3 capital letters", "case", "3 capital letters"),
        ("134 words", "length", "134 words"),
        ("no first person", "person", ""),
        ("some digits", "digits", ""),
    ],
)
def test_what_came_is_left_out_where_nobody_would_say_it(found: str, group: str, told: str) -> None:
    assert telling(found, group) == told


@pytest.mark.parametrize(
    ("asked", "hollow", "broken"),
    [
        (
            Constraint("sentences", {"mode": "distinct_starts"}),
            "Only two here. That is all.",
            "The tide rises. The moon pulls. Why not.",
        ),
        (
            Constraint("part_length", {"relation": "at_most", "count": 2, "unit": "item", "measure": "words"}),
            "No list at all.",
            "- Far too many words here\n- Fine",
        ),
    ],
)
def test_what_an_answer_has_no_place_for_is_asked_again_but_not_remarked_on(
    asked: Constraint, hollow: str, broken: str
) -> None:
    for answer, remarked in ((hollow, False), (broken, True)):
        play = Play([turn(1, (asked,), add(asked)), turn(2, (asked, NO_EMOJI), add(NO_EMOJI))])
        play.answer(answer)
        assert (play.remark() is not None) == remarked
    again = Play([turn(1, (asked,), add(asked)), turn(2, (asked, NO_EMOJI), add(NO_EMOJI))], mode="repair")
    assert again.answer(hollow).labels["operation"] == "repair"

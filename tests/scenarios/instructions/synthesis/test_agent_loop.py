"""The loop: plain words, the voice, findings back into the prompt, three attempts, and what is stored of them."""

from __future__ import annotations

import asyncio

import pytest
from agent_models import PERSONA, TOPIC, Said, make_turn, nothing, query, says

from evolif import ModelError
from evolif.errors import WithheldError
from evolif.scenarios.instructions.synthesis import Agent
from evolif.scenarios.instructions.synthesis.agent import NEUTRAL_NOTE, Attempt, Meter
from evolif.scenarios.instructions.synthesis.chat import Completion
from evolif.scenarios.instructions.turns import Constraint, Finding, Turn
from evolif.types import Message, Usage

GOOD = query("Give it to me again with 5 bullet points.")
BAD = query("Give it to me again.")
VOICED = query("Rain coming. Again, 5 bullet points.")


def say(model: Said, turn: Turn | None = None, meter: Meter | None = None, **options: object) -> Attempt:
    agent = Agent(model, **{"check": says("5"), **options})
    return asyncio.run(agent.say(turn or make_turn(), meter))


def test_plain_words_then_the_voice_and_both_are_checked() -> None:
    seen: list[str] = []

    def check(turn: Turn, text: str) -> list[Finding]:
        seen.append(text)
        return []

    model = Said([GOOD, VOICED])
    attempt = say(model, check=check)
    assert attempt == Attempt("Rain coming. Again, 5 bullet points.", (), 1, Usage(20, 4))
    assert (attempt.status, attempt.outcome, attempt.remarks) == ("verified", "accepted", ())
    assert seen == ["Give it to me again with 5 bullet points.", "Rain coming. Again, 5 bullet points."]
    assert PERSONA.sentence not in model.user(0) and PERSONA.sentence in model.user(1)
    assert all(phrase in model.user(1) for phrase in (*PERSONA.phrases, "brisk", seen[0]))
    assert all(schema is not None and schema["required"] == ["query"] for _, schema in model.asked)


def test_findings_go_into_the_next_prompt_and_what_passes_then_is_repaired() -> None:
    model = Said([BAD, GOOD, VOICED])
    attempt = say(model)
    assert (attempt.attempts, attempt.outcome) == (2, "repaired")
    assert "it does not say 5" not in model.user(0)
    assert "it does not say 5" in model.user(1) and "Give it to me again." in model.user(1)
    assert "it does not say 5" not in model.user(2)


def test_a_voice_that_breaks_the_words_is_asked_again_alone() -> None:
    model = Said([GOOD, BAD, VOICED])
    attempt = say(model)
    assert (attempt.attempts, attempt.query) == (2, "Rain coming. Again, 5 bullet points.")
    assert "it does not say 5" in model.user(2) and PERSONA.sentence in model.user(2)
    assert model.user(2).endswith("Give it to me again with 5 bullet points.")


def test_after_three_attempts_it_is_flagged_with_the_findings() -> None:
    model, meter = Said([BAD]), Meter()
    attempt = say(model, meter=meter)
    assert len(model.asked) == 3 and attempt.attempts == 3
    assert attempt.status == attempt.outcome == "flagged" and attempt.query == "Give it to me again."
    assert attempt.remarks == ("bullets: it does not say 5",)
    assert meter.failed == [("bullets",)] * 3 and meter.calls == {"synthesizer": 3} and attempt.usage == Usage(30, 6)


def test_plain_words_stand_where_no_voice_keeps_them_and_it_is_said() -> None:
    model = Said([GOOD, BAD])
    attempt = say(model)
    assert len(model.asked) == 4  # k + 1, the most there is
    assert attempt.query == "Give it to me again with 5 bullet points." and attempt.status == "verified"
    assert attempt.outcome == "repaired" and attempt.remarks == (NEUTRAL_NOTE,)


def test_k_is_the_number_of_attempts() -> None:
    model = Said([BAD])
    assert say(model, attempts=5).attempts == 5 == len(model.asked)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ('{"query": "half', "could not be read"),
        (Completion(GOOD[:-2], truncated=True), "cut at the token limit"),
        (Completion(GOOD, truncated=True), "cut at the token limit"),
        (query("x" * 4001), "4001 characters"),
        (query("5 \x1b[31m points"), "control characters"),
        (query(" "), "could not be read"),
    ],
)
def test_words_that_are_none_are_a_finding_and_asked_again(answer: str | Completion, said: str) -> None:
    replies = [answer, GOOD, VOICED]
    model = Said(lambda _: replies.pop(0))
    attempt = say(model)
    assert (attempt.attempts, attempt.outcome) == (2, "repaired")
    assert said in model.user(1)


def test_a_model_that_breaks_json_is_asked_for_bare_words() -> None:
    replies = ['{"query": "half', "Again, with 5 bullet points.", "Rain. 5 bullet points."]
    model = Said(lambda _: replies.pop(0))
    assert say(model).query == "Rain. 5 bullet points."
    assert [schema is None for _, schema in model.asked] == [False, True, True]
    assert "JSON" in model.system(0) and "JSON" not in model.system(1) + model.system(2)


def test_a_model_of_bare_words_is_asked_for_them_at_once() -> None:
    model = Said(["Again, with 5 bullet points."], structured=False)
    assert say(model).outcome == "accepted"
    assert all(schema is None and "JSON" not in messages[0].content for messages, schema in model.asked)


def test_words_that_repeat_the_prompt_are_refused() -> None:
    def parrot(messages: tuple[Message, ...]) -> str:
        return query(f"5 points. {messages[0].content}")

    attempt = say(Said(parrot))
    assert attempt.outcome == "flagged" and "repeats these instructions" in attempt.remarks[0]


def test_the_answer_key_is_in_no_prompt_and_may_be_in_no_query() -> None:
    witness = "Kestrel lantern " * 8
    turn = make_turn(witness=witness)
    model = Said([query(f"5 points, like this: {witness}")])
    attempt = say(model, turn)
    assert attempt.outcome == "flagged" and "answer" in attempt.remarks[0]
    assert "Kestrel" not in "".join(model.user(0) + model.system(call) for call in range(3))


def test_a_refusal_of_the_content_filter_flags_the_turn_and_stops_nothing() -> None:
    model = Said(lambda _: WithheldError("no"))
    attempt = say(model)
    assert attempt.outcome == "flagged" and attempt.query == "(no words)" and "content filter" in attempt.remarks[0]


def test_a_fault_goes_up_and_what_was_spent_is_known() -> None:
    replies: list[str | Exception] = [GOOD, ModelError("down", retryable=True)]
    meter = Meter()
    with pytest.raises(ModelError, match="down"):
        say(Said(lambda _: replies.pop(0)), meter=meter)
    assert meter.calls == {"synthesizer": 1} and meter.total == Usage(10, 2)


OTHERS = (Constraint("length", {"unit": "words", "relation": "exactly", "count": 700}),)


def test_the_prompt_says_the_change_and_what_stays() -> None:
    model = Said([GOOD, VOICED])
    say(model, make_turn(kind="modify", before={"count": 9}, after={"count": 5}, others=OTHERS))
    last = model.user(0).rpartition("other words:")[2]
    assert "5 " in last and "9" in last and "can go" in last and "700" not in last
    assert "700" in model.user(0) and TOPIC.prompt in model.user(0)


def test_a_removal_names_what_goes() -> None:
    model = Said([query("The 9 bullet points can go.")])
    say(model, make_turn(kind="remove", before={"count": 9}, others=OTHERS), check=nothing)
    last = model.user(0).rpartition("other words:")[2]
    assert "9 bullet" in last and "can go" in last


def test_a_partial_change_does_not_tell_the_part_that_stays_as_the_change() -> None:
    model = Said([query("Also use boat twice.")])
    before, after = {"counts": {"lake": 3}}, {"counts": {"lake": 3, "boat": 2}}
    say(model, make_turn(kind="modify", group="existence", before=before, after=after), check=nothing)
    last = model.user(0).rpartition("other words:")[2]
    assert "boat" in last and "lake" not in last.replace("lake weekend", "")
    assert "“lake”" in model.user(0)


@pytest.mark.parametrize(
    ("move", "number", "has", "has_not"),
    [
        ("new", 1, "first message", "other tasks"),
        ("new", 5, "other tasks", "first message"),
        ("continue", 5, "again", "the lake weekend"),
        ("backtrack", 5, "the lake weekend", "first message"),
    ],
)
def test_each_move_has_its_prompt(move: str, number: int, has: str, has_not: str) -> None:
    model = Said([GOOD])
    say(model, make_turn(move=move, number=number))
    assert has in model.user(0) and has_not not in model.user(0)


def test_braces_in_the_data_are_text() -> None:
    braces = Turn(**{
        **{name: getattr(make_turn(), name) for name in Turn.__slots__},
        "topic": type(TOPIC)("t", "Explain {change} and {feedback}.", ("a",), title="{task}"),
    })  # fmt: skip
    model = Said([GOOD])
    say(model, braces)
    assert "Explain {change} and {feedback}." in model.user(0)


def test_each_attempt_words_the_change_otherwise() -> None:
    model = Said([BAD])
    say(model, attempts=6)
    assert len({model.user(call).rpartition("again. ")[2] for call in range(6)}) > 1


def test_a_reviewer_has_a_turn_worded_anew_with_a_note() -> None:
    model = Said([GOOD, VOICED])
    attempt = asyncio.run(Agent(model, check=says("5")).say(make_turn(), notes="Sound less hurried."))
    assert attempt.query == "Rain coming. Again, 5 bullet points." and attempt.usage == Usage(20, 4)
    assert all("Sound less hurried." in model.user(call) for call in (0, 1))

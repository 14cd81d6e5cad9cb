"""`summary:K`, and summaries by a model."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

import pytest
from own_models import Letters, Scripted, is_about, played, said

from evolif import ModelError, UsageError
from evolif.contexts import Context, OwnCost, count_tokens, full_history, open_strategy, tokenizer_name
from evolif.contexts.summaries import capitalised
from evolif.errors import WithheldError
from evolif.models import ChatRequest
from evolif.types import Exchange, Message, Prompt

pytestmark = pytest.mark.skipif(tokenizer_name() is None, reason="needs the extra `contexts`")
TURNS = [(f"Question {n}?", f"Answer {n}. And more.") for n in range(1, 6)]


def under(
    name: str, turns: list[tuple[str, str]], answer: Any = None
) -> tuple[list[Exchange], list[Context], Scripted]:
    model = Scripted(answer if callable(answer) else lambda _: answer)
    return (*played(open_strategy(name, models={"context": model}, embedder=Letters()), turns), model)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("summary", "summary:2?summariser=rules"),
        ("summary:0", "summary:0?summariser=rules"),
        ("summary:007", "summary:7?summariser=rules"),
        ("summary?summariser=rules", "summary:2?summariser=rules"),
    ],
)
def test_a_name_spells_out_its_defaults(name: str, canonical: str) -> None:
    assert open_strategy(name).name == open_strategy(canonical).name == canonical


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("summary:", "K of summary:K is a whole number from 0, such as summary:2"),
        ("summary:-1", "K of summary:K"),
        ("summary:2\n", "K of summary:K"),
        ("summary:" + "9" * 5000, "K of summary:K"),
        ("summary:2?", "its options are summariser, each once"),
        ("summary:2?theta=0.4", "its options are summariser"),
        ("summary:2?summariser=rules&summariser=rules", "its options are summariser"),
        ("summary:2?summariser=me", "summariser is rules, model or query"),
        ("summary:2?summariser=model", "--context-model PROVIDER/NAME"),
    ],
)
def test_wrong_names_are_refused_in_a_sentence(name: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_strategy(name)
    assert what in str(caught.value)
    assert str(caught.value).isprintable() and len(str(caught.value)) < 250


def test_older_rounds_are_lines_of_the_system_message() -> None:
    _, contexts, _ = under("summary:2", TURNS)
    lines = "\n".join(["Earlier in this conversation:", "Question 1? Answer 1.", "Question 2? Answer 2."])
    assert contexts[-1].messages == full_history(TURNS[2:4], "Question 5?", f"Rules.\n\n{lines}")
    assert contexts[-1].shown == {1: "summary", 2: "summary", 3: "full", 4: "full"}
    assert (contexts[-1].decision, contexts[-1].cost) == (None, OwnCost())
    assert [list(context.notes.get("summaries", {})) for context in contexts] == [[], [], [], ["1"], ["2"]]


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_as_long_as_all_rounds_are_shown_there_is_no_heading(turns: int) -> None:
    _, contexts, _ = under("summary:2", TURNS[:turns])
    assert contexts[-1].messages == full_history(TURNS[: turns - 1], f"Question {turns}?", "Rules.")


def test_none_in_full_and_no_system_text() -> None:
    past, _, _ = under("summary:0", TURNS[:2])
    context = asyncio.run(open_strategy("summary:0").build("", past, Prompt(1, 3, (Message("user", "So?"),))))
    told = "Earlier in this conversation:\nQuestion 1? Answer 1.\nQuestion 2? Answer 2."
    assert context.messages == (Message("system", told), Message("user", "So?"))


def test_a_round_of_nothing_is_not_shown() -> None:
    _, contexts, _ = under("summary:0", [("", ""), ("Question?", "Answer."), ("So?", "")])
    assert contexts[-1].shown == {2: "summary"}
    assert contexts[-1].messages[0].content.endswith("conversation:\nQuestion? Answer.")


LONG = [(f"Round {n}: " + " ".join(f"w{n}x{place}" for place in range(25)) + ".", "Fine.") for n in range(1, 9)]


def lines(context: Context) -> list[str]:
    return context.messages[0].content.split("\n")[3:]


def test_above_400_tokens_the_oldest_half_is_condensed_to_twelve_words() -> None:
    _, contexts, _ = under("summary:0", LONG)
    for number, (before, context) in enumerate(itertools.pairwise(contexts), 1):
        untouched = [*lines(before), f"{LONG[number - 1][0]} Fine."] if number > 1 else [f"{LONG[0][0]} Fine."]
        if count_tokens("\n".join(untouched)) <= 400:
            assert lines(context) == untouched and "condensed" not in context.notes
        else:
            half = number // 2  # of an odd number the smaller half
            short = [" ".join(line.split()[:12]) for line in untouched[:half]]
            assert lines(context) == [*short, *untouched[half:]]
    assert any("condensed" in context.notes for context in contexts)
    assert set(contexts[-1].shown.values()) == {"summary"}


def test_condensed_lines_are_noted_and_stay() -> None:
    past, contexts, _ = under("summary:0", LONG)
    noted = [list(context.notes.get("condensed", {})) for context in contexts]
    assert len(noted[-1]) < 4 and [number for turn in noted for number in turn] == sorted(
        {number for turn in noted for number in turn}
    )
    stored = [Exchange(e.prompt, e.answer, e.heard, json.loads(json.dumps(e.notes))) for e in past[:-1]]
    assert asyncio.run(open_strategy("summary:0").build("Rules.", stored, past[-1].prompt)) == contexts[-1]


@pytest.mark.parametrize("notes", [{"summaries": ["a"]}, {"summaries": {"x": "a"}}, {"condensed": "a"}])
def test_notes_of_something_else_are_refused(notes: dict[str, Any]) -> None:
    past = [Exchange(Prompt(1, 1, (Message("user", "a"),)), "", "b", notes)]
    with pytest.raises(UsageError, match="the notes of round 1 are none of the context strategy summary"):
        asyncio.run(open_strategy("summary").build("", past, Prompt(1, 2, (Message("user", "b"),))))


TRIP = ("I need 3 nights in New York for 450 euros, says Ann.", "Here you are.")


def test_a_model_s_sentence_gets_what_it_left_out() -> None:
    _, contexts, model = under("summary:0?summariser=model", [TRIP, ("So?", "")], "The user wants\n 3 nights in york.")
    assert lines(contexts[1]) == ["The user wants 3 nights in york. (New York, 450, Ann)"]
    assert contexts[1].notes == {"summaries": {"1": "The user wants 3 nights in york. (New York, 450, Ann)"}}
    assert contexts[1].cost.calls == 1 and contexts[1].cost.prompt_tokens > contexts[1].cost.completion_tokens > 5
    asked = model.asked[0].messages[1].content
    assert f"User: {TRIP[0]}\n\nAssistant: {TRIP[1]}" in asked and asked.count("====") == 4
    assert contexts[1].cost.fallbacks == 0


def test_a_sentence_that_holds_all_is_left_alone() -> None:
    sentence = "Ann wants 3 nights in New York for 450 euros."
    assert lines(under("summary:0?summariser=model", [TRIP, ("So?", "")], sentence)[1][1]) == [sentence]


def test_a_number_within_another_is_not_that_number() -> None:
    _, contexts, _ = under("summary:0?summariser=model", [("Make it 30.", ""), ("So?", "")], "It costs 300.")
    assert lines(contexts[1]) == ["It costs 300. (30)"]


@pytest.mark.parametrize("reply", ["", " \n", "<think>What?</think>", "x" * 1001, WithheldError("filtered")])
def test_a_summary_of_no_use_is_made_by_rules(reply: str | Exception) -> None:
    _, contexts, model = under("summary:0?summariser=model", [TRIP, ("So?", "")], reply)
    assert lines(contexts[1]) == [f"{TRIP[0]} {TRIP[1]}"]
    assert (contexts[1].cost.fallbacks, len(model.asked)) == (1, 1)


def test_a_fault_of_the_provider_passes() -> None:
    with pytest.raises(ModelError, match="gone"):
        under("summary:0?summariser=model", [TRIP, ("So?", "")], ModelError("gone", retryable=True))


def condensing(reply: str) -> Any:
    return lambda request: reply if is_about(request, "condense") else "word " * 60 + "."


def condensed(reply: str) -> tuple[Context, ChatRequest]:
    _, contexts, model = under("summary:0?summariser=model", [(f"Q{n}", "A") for n in range(8)], condensing(reply))
    first = next(context for context in contexts if "condensed" in context.notes)
    [asked, *_] = [request for request in model.asked if is_about(request, "condense")]
    return first, asked


def test_a_model_condenses_all_lines_in_one_call() -> None:
    context, asked = condensed(said(notes=["one", "two\nlines", "three"]))
    assert lines(context)[:3] == ["one", "two lines", "three"] and len(lines(context)) > 5
    assert context.cost.calls == 2 and context.cost.fallbacks == 0
    assert "1. word word" in asked.messages[1].content and "\n3. word" in asked.messages[1].content


@pytest.mark.parametrize(
    "reply",
    [
        "",
        said(notes=["one"]),
        said(notes=["", "b", "c"]),
        said(notes=[1, 2, 3]),
        said(notes="abc"),
        "{",
        "[" * 9999,
        said(notes=["a" * 2000, "b", "c"]),
        said(notes=["a", "b", "c"]) * 2,
    ],
)
def test_condensing_of_no_use_is_done_by_rules(reply: str) -> None:
    context, _ = condensed(reply)
    assert lines(context)[:3] == [" ".join(["word"] * 12)] * 3
    assert context.cost.fallbacks == 1


def test_the_tree_s_summaries_can_be_a_model_s() -> None:
    _, contexts, model = under("tree?summariser=model", [("jjj", "j"), ("by the way, zzz", "z")], "They spoke.")
    assert contexts[1].messages[0].content == "Rules.\n\nOther topics:\nTopic 1: They spoke."
    assert len(model.asked) == 1 and contexts[1].notes["summaries"] == {"1": "They spoke."}


def test_names_are_runs_of_capitalised_words_within_sentences() -> None:
    text = "Hello Ann Lee. New York is big, and I'd love Rio or São Paulo! I mean Rio"
    assert [name for _, name in capitalised(text)] == ["Ann Lee", "York", "Rio", "São Paulo", "Rio"]
    assert all(text[start:].startswith(name) for start, name in capitalised(text))

"""`check_query` on ways of speaking that a set of queries has shown to be misread, each in several wordings."""

from __future__ import annotations

from typing import Any

import pytest

import evolif

PROMPT = "Explain how to bake a loaf of bread in an old oven."
TOPIC = {"id": "x", "prompt": PROMPT, "keywords": ["loaf", "oven", "crust", "flour"], "title": "the loaf"}
Params = dict[str, Any] | None
OVEN, GIFT, BISCUIT, CAT = (
    {"mode": "keyword", "value": "oven"},
    {"mode": "emoji", "value": "🎁"},
    {"mode": "emoji", "value": "🍪"},
    {"mode": "emoji", "value": "🐱"},
)
CORNERS = {"mode": "quotation", "left": "「", "right": "」"}
NO_COLON, NO_STOP = {"mode": "exclude", "mark": ":"}, {"mode": "exclude", "mark": "."}
BOTH, CRUST, OUT = ({"keywords": ["oven", "crust"]}, {"keywords": ["crust"]}, {"keywords": ["oven"]})
YOUTH, CHILD, SENIOR = ({"audience": who} for who in ("youth", "child", "senior"))
NINE, THIRTEEN = {"count": 9}, {"count": 13}
EIGHT_OVENS = {"counts": {"oven": 8}}


def read(group: str, before: Params, after: Params, query: str, prompt: str = "") -> list[evolif.Finding]:
    kind = "add" if before is None else "remove" if after is None else "modify"
    turn = {
        "topic": {**TOPIC, "prompt": prompt or PROMPT},
        "move": "new" if prompt else "continue",
        "operation": {"kind": kind, "group": group, "before": before, "after": after},
        "constraints": [] if after is None else [{"group": group, "params": after}],
    }
    return evolif.check_query(turn, query)


RIGHT: list[tuple[str, Params, Params, str]] = [
    ("start_with", None, OVEN, 'Why don\'t you put the word "oven" at the start?'),
    ("start_with", None, OVEN, 'Don\'t forget to put the word "oven" at the start.'),
    ("start_with", None, OVEN, 'I don\'t want anything before the word "oven" at the start.'),
    ("start_with", None, OVEN, 'Without an introduction: start with "oven".'),
    ("start_with", GIFT, OVEN, 'I\'m fed up with the 🎁. Begin with the word "oven".'),
    ("start_with", GIFT, OVEN, 'We\'ve gone off the 🎁. Begin with the word "oven".'),
    ("end_with", None, BISCUIT, "Don't put anything after the 🍪 at the end."),
    ("end_with", None, CORNERS, "Have a quotation in 「」 at the end."),
    ("end_with", None, CORNERS, "Put the last sentence between 「 and 」, so that it ends on that quotation."),
    ("bullets", NINE, THIRTEEN, "Nine bullets is not enough. Thirteen would be better."),
    ("bullets", NINE, THIRTEEN, "Nine bullets is too stingy. Thirteen should do."),
    ("bullets", NINE, None, "You need not use nine bullets."),
    ("audience", YOUTH, None, "You need not address young people anymore."),
    ("audience", YOUTH, None, "It's all the same to me who reads it."),
    ("existence", EIGHT_OVENS, None, '"Oven" may occur exactly as often as you please.'),
    ("forbidden", None, BOTH, 'You aren\'t allowed to use "oven" or "crust".'),
    ("forbidden", None, OUT, 'It isn\'t okay to write "oven" here.'),
    ("forbidden", None, OUT, 'Don\'t allow the word "oven" anywhere.'),
    ("forbidden", BOTH, CRUST, 'You\'re allowed to use "oven" again.'),
    ("forbidden", BOTH, CRUST, '"Oven" is allowed again, "crust" is not.'),
    ("forbidden", OUT, None, 'The word "oven"? Use it if you like.'),
    ("punctuation", NO_STOP, NO_COLON, "Full stops are fine again; colons aren't."),
    ("punctuation", NO_STOP, NO_COLON, "You may use full stops again, but not colons."),
    ("punctuation", None, NO_COLON, "No colons are allowed."),
    ("punctuation", NO_COLON, None, "Colons? You can use them again."),
    ("punctuation", NO_COLON, None, "I think the bit about no colons can go."),
]
WRONG: list[tuple[str, Params, Params, str]] = [
    ("end_with", None, BISCUIT, "Please do not place the 🍪 at the end."),
    ("end_with", None, BISCUIT, "I don't want a 🍪 at the end."),
    ("end_with", None, BISCUIT, "There should be no 🍪 at the end."),
    ("start_with", None, OVEN, 'The word "oven" mustn\'t stand at the start.'),
    ("end_with", CAT, CORNERS, "Instead of the 🐱 at the end, put a quotation in 「」 at the start."),
    ("end_with", None, CORNERS, "Put 「…」 at the very beginning."),
    ("bullets", NINE, THIRTEEN, "Thirteen bullets would be too many. Nine would be right."),
    ("bullets", NINE, THIRTEEN, "Nine bullets looks thin. Twelve might be better."),
    ("bullets", None, NINE, "Give me exactly 9 bullets, in fewer than 300 words."),
    ("emotion", None, {"emotion": "happy"}, "Sound happy and use no more than five paragraphs."),
    ("format", None, {"mode": "json"}, "As valid JSON, please, and in a sad tone."),
    ("audience", YOUTH, None, "You need not drop young people as the audience."),
    ("existence", EIGHT_OVENS, None, 'I still want "oven" just as often as now.'),
    ("forbidden", BOTH, CRUST, 'You\'re still not allowed to use "oven".'),
    ("forbidden", BOTH, CRUST, '"Crust" is allowed again, "oven" is not.'),
    ("forbidden", None, OUT, 'You\'re not allowed to leave out "oven".'),
    ("forbidden", OUT, None, 'You\'re not allowed to write "oven" yet.'),
    ("punctuation", NO_STOP, NO_COLON, "Colons are fine again; full stops aren't."),
    ("punctuation", None, NO_COLON, "Avoid full stops but not colons."),
    ("punctuation", NO_COLON, None, "Colons? Don't use them, whatever you like."),
]


@pytest.mark.parametrize(("group", "before", "after", "query"), RIGHT, ids=[case[-1] for case in RIGHT])
def test_what_says_its_change_passes(group: str, before: Params, after: Params, query: str) -> None:
    assert read(group, before, after, query) == []


@pytest.mark.parametrize(("group", "before", "after", "query"), WRONG, ids=[case[-1] for case in WRONG])
def test_what_says_another_is_found(group: str, before: Params, after: Params, query: str) -> None:
    assert read(group, before, after, query)


@pytest.mark.parametrize(
    ("audience", "query", "prompt"),
    [
        (YOUTH, "Explain to teenagers {}", "why a loaf that has lost its crust can't be baked again."),
        (CHILD, "Explain to children {}", "why a loaf of bread doesn't rise in an old oven."),
        (SENIOR, "Tell seniors {}", "how one knows that an old oven does not work."),
    ],
)
def test_what_the_task_denies_is_not_the_audience(audience: Params, query: str, prompt: str) -> None:
    assert read("audience", None, audience, query.format(prompt), f"Explain {prompt}") == []

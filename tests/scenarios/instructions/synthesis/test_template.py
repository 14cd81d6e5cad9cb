"""Every change, on every move, is said whole and clean by the frames, which word what users bring: their registers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from string import Formatter
from typing import Any

import pytest

from evolif.scenarios.instructions.constraints import EXTENDED_GROUPS, GROUPS, DrawContext, get_group
from evolif.scenarios.instructions.synthesis import TemplateSynthesizer, registers
from evolif.scenarios.instructions.synthesis.template import Frames
from evolif.scenarios.instructions.tracker import load_profile
from evolif.scenarios.instructions.turns import Constraint, Operation, Persona, ScriptTurn, Topic
from evolif.util.resources import data_path, load_data
from evolif.util.rng import Stream

TOPIC = Topic("t1", "Plan a quiet weekend by the lake.", tuple(f"keyword{i}" for i in range(20)), title="the lake trip")
ALL = [*GROUPS, *EXTENDED_GROUPS]
POOLS = load_profile("extended").pools  # it has every group and mode
OTHERS = {"language": {"code": "it"}}
REGISTERS = ("casual", "neutral", "formal", "brisk", "warm")
MOVES = ("first", "new", "continue", "backtrack")
SEEDS = range(4)

Params = Mapping[str, Any]


OWN = {register: load_data(data_path("seeds", "frames.yaml"))["registers"][register] for register in REGISTERS}
FRAMES = Frames({**OWN, **{f"my_{register}": frames for register, frames in OWN.items()}})
"""The project's frames under names of a user's own, for which there are no utterance plans."""


def persona(register: str) -> Persona:
    return Persona("p1", "Somebody.", ("well",), register)


def said(
    group: str, kind: str, before: Params | None, after: Params | None, move: str, register: str, seed: int,
    topic: Topic = TOPIC,
) -> str:  # fmt: skip
    turn = ScriptTurn(
        dialogue=1,
        turn=1 if move == "first" else 7,
        topic=topic,
        move="new" if move == "first" else move,
        operations=(Operation(kind, group, before, after),),
        constraints=() if after is None else (Constraint(group, after),),
        before=(),
        witness="",
    )
    return TemplateSynthesizer(seed, FRAMES).say(turn, persona(f"my_{register}"))


@cache
def variants(group: str) -> list[Params]:
    """Parameters of every phrase key of the group, as its own draw gives them."""
    context = DrawContext(TOPIC.keywords, POOLS[group])
    stream = Stream(11, 5)
    found: dict[str, Params] = {}
    for _ in range(2000):
        params = get_group(group).draw(stream, context)
        assert params is not None
        found.setdefault(get_group(group).key(params), params)
    return list(found.values())


UNITS = {"words": "word", "sentences": "sentence", "paragraphs": "paragraph", "characters": "character"}
RELATIONS = {
    "less_than": r"under|fewer than|less than|cap at|below|shorter than",
    "more_than": r"more than|longer than|over[ -]|past |beyond|above|exceed",
    "exactly": r"exact|precisely",
    "between": r"between|range|inclusive|at least.*at most|no shorter.*no longer|from|no fewer.*no more| to ",
}
SUBJECTIVE = {
    "happy": "happ", "sad": "sad", "neutral": "neutral", "angry": "ang(er|ry)", "excited": "excite",
    "frustrated": "frustrat", "child": "14", "youth": "15.*24", "adult": "25.*64", "senior": "65",
    "formal": r"(?<!in)formal", "informal": "informal", "active voice": "active", "passive voice": "passive",
}  # fmt: skip
CASES = {"all_upper": "capital|upper|caps", "all_lower": "lower|small|no caps"}
FORMATS = {"json": "JSON", "xml": "XML", "html": "HTML", "csv": "CSV", "markdown": "Markdown", "table": "table"}
LANGUAGES = {"de": "German", "es": "Spanish", "fr": "French", "it": "Italian", "nl": "Dutch", "pt": "Portuguese"}


def edge_needs(params: Params) -> list[str]:
    mode = params["mode"]
    if mode == "quotation":
        return [re.escape(params["left"]), re.escape(params["right"])]
    if mode == "letter":
        return ["letter", rf"\b{params['value'].upper()}\b"]
    return [re.escape(f"“{params['value']}”" if mode == "keyword" else params["value"])]


def existence_needs(params: Params, dropped: bool) -> list[str]:
    times = {1: "once", 2: "twice"}
    return [
        re.escape(f"“{word}”" if dropped else f"“{word}” exactly {times.get(count, f'{count} times')}")
        for word, count in params["counts"].items()
    ]


def format_needs(params: Params) -> list[str]:
    names = [*params.get("keys", ()), *params.get("columns", ())]
    return [FORMATS[params["mode"]], *(re.escape(f"“{name}”") for name in names)]


def bullets_needs(params: Params) -> list[str]:
    return [rf"\b{params['count']}\b", "number" if "kind" in params else "bullet"]


def length_needs(params: Params) -> list[str]:
    numbers = [rf"\b{params[name]}\b" for name in ("count", "upper") if name in params]
    return [*numbers, UNITS[params["unit"]], RELATIONS[params["relation"]]]


def placement_needs(params: Params) -> list[str]:
    if params["mode"] == "acrostic":
        return [rf"\b{params['word'].upper()}\b"]
    where = "paragraph" if params["mode"] == "every_paragraph" else r"\w+(st|nd|rd|th) word|word number \d"
    return [re.escape(f"“{params['value']}”"), where]


def sentences_needs(params: Params) -> list[str]:
    if params["mode"] == "distinct_starts":
        return ["sentence", "same|different|no other|share"]
    return [rf"\b{params['count']}\b", "sentence|question"]


NEEDS: Mapping[str, Callable[[Params], list[str]]] = {
    "start_with": edge_needs,
    "end_with": edge_needs,
    "format": format_needs,
    "bullets": bullets_needs,
    "length": length_needs,
    "placement": placement_needs,
    "sentences": sentences_needs,
    "language": lambda p: [LANGUAGES[p["code"]]],
    "headings": lambda p: [rf"\b{p['count']}\b", "heading"],
    "emphasis": lambda p: [rf"\b{p['count']}\b", "bold"],
    "digits": lambda p: ["digit"],
    "forbidden": lambda p: [re.escape(f"“{word}”") for word in p["keywords"]],
    "case": lambda p: [CASES.get(p["mode"], rf"\b{p.get('percent')} %")],
    "punctuation": lambda p: [re.escape(f"“{p['mark']}”")],
}


def needs(group: str, params: Params, dropped: bool) -> list[str]:
    """Patterns that a query must hold to state these parameters; a drop only names them."""
    if group == "existence":
        return existence_needs(params, dropped)
    return NEEDS[group](params) if group in NEEDS else [SUBJECTIVE[params[group]]]


def assert_states(query: str, group: str, params: Params, *, dropped: bool = False) -> None:
    for pattern in needs(group, params, dropped):
        assert re.search(pattern, query, re.DOTALL), f"{pattern!r} is not in {query!r}"


def assert_clean(query: str, *params: Params | None) -> None:
    assert not re.search(r"\{\w+\}", query), f"unfilled slot: {query!r}"
    bare = query
    for values in filter(None, params):
        for key in ("left", "right"):
            bare = bare.replace(values.get(key, "\0"), "Q")
    bare = re.sub("“[^”]*”", "Q", bare)
    assert not re.search(r"[.,;:!?]\s*[.,;:!?]", bare), f"double punctuation: {query!r}"
    assert not re.search(r"\s[.,;:!?)]|\(\s|\s\s", bare), f"misplaced space: {query!r}"
    assert bare.count("(") == bare.count(")"), f"open bracket: {query!r}"
    assert bare[0].isupper() or bare[0] == "Q"
    assert bare[-1] in ".?!)"


@pytest.mark.parametrize("register", REGISTERS)
@pytest.mark.parametrize("group", ALL)
def test_every_add_states_all_values_on_every_move(group: str, register: str) -> None:
    for after in variants(group):
        for move in MOVES:
            for seed in SEEDS:
                query = said(group, "add", None, after, move, register, seed)
                assert_states(query, group, after)
                assert_clean(query, after)
                if move in ("first", "new"):
                    assert TOPIC.prompt in query
                if move == "backtrack":
                    assert TOPIC.title in query or "The lake trip" in query


@pytest.mark.parametrize("register", REGISTERS)
@pytest.mark.parametrize("group", [g for g in ALL if g not in ("existence", "forbidden", "digits")])
def test_every_modify_states_the_new_values_and_names_the_old_constraint(group: str, register: str) -> None:
    options = variants(group)
    pairs = [(a, b) for a in options for b in options if a is not b] or [(options[0], OTHERS.get(group, {"count": 99}))]
    for before, after in pairs[:: max(1, len(pairs) // 12)]:
        for move in ("continue", "backtrack"):
            query = said(group, "modify", before, after, move, register, 3)
            assert_states(query, group, after)
            assert_states(query, group, before, dropped=True)
            assert_clean(query, before, after)


@pytest.mark.parametrize("register", REGISTERS)
@pytest.mark.parametrize("group", ALL)
def test_every_removal_names_what_is_lifted(group: str, register: str) -> None:
    for before in variants(group):
        for move in ("continue", "backtrack"):
            for seed in SEEDS:
                query = said(group, "remove", before, None, move, register, seed)
                assert_states(query, group, before, dropped=True)
                assert_clean(query, before)


@pytest.mark.parametrize("register", REGISTERS)
@pytest.mark.parametrize("move", ["continue", "backtrack"])
def test_a_partial_change_says_only_what_changed(register: str, move: str) -> None:
    both, one = {"counts": {"kept": 2, "touched": 4}}, {"counts": {"kept": 2}}
    for seed in range(12):
        added = said("existence", "modify", one, both, move, register, seed)
        assert "“touched” exactly 4 times" in added
        recounted = said("existence", "modify", both, {"counts": {"kept": 2, "touched": 1}}, move, register, seed)
        assert "“touched” exactly once" in recounted
        released = said("existence", "modify", both, one, move, register, seed)
        assert "“touched”" in released
        banned = said(
            "forbidden", "modify", {"keywords": ["kept"]}, {"keywords": ["kept", "touched"]}, move, register, seed
        )
        assert "“touched”" in banned
        allowed = said(
            "forbidden", "modify", {"keywords": ["kept", "touched"]}, {"keywords": ["kept"]}, move, register, seed
        )
        assert "“touched”" in allowed
        for query in (added, recounted, released, banned, allowed):
            assert "kept" not in query
            assert_clean(query)


def test_the_same_turn_is_always_said_the_same_way_and_turns_differ() -> None:
    after = {"count": 5}
    once, again = (said("bullets", "add", None, after, "continue", "warm", 9) for _ in range(2))
    assert once == again
    assert len({said("bullets", "add", None, after, "continue", "warm", seed) for seed in range(20)}) > 5


def test_a_topic_without_title_is_named_by_its_prompt_when_the_dialogue_comes_back() -> None:
    untitled = Topic("t2", "Write a menu for six guests.", TOPIC.keywords)
    for seed in range(12):
        query = said("bullets", "add", None, {"count": 5}, "backtrack", "neutral", seed, untitled)
        assert "Write a menu for six guests" in query
        assert_clean(query)


def test_braces_of_a_topic_and_of_a_quotation_are_text() -> None:
    braces = Topic("t3", "Explain the template {task} and {nothing}.", TOPIC.keywords, title="the {clause} matter")
    query = said("bullets", "add", None, {"count": 5}, "first", "neutral", 1, braces)
    assert "Explain the template {task} and {nothing}." in query
    assert "{clause}" in said("bullets", "add", None, {"count": 5}, "backtrack", "neutral", 1, braces)
    quotation = {"mode": "quotation", "left": "{", "right": "}"}
    query = said("start_with", "add", None, quotation, "continue", "formal", 1)
    assert "{" in query and "}" in query


def test_an_unknown_register_speaks_neutrally() -> None:
    args = ("bullets", "remove", {"count": 5}, None, "continue")
    assert said(*args, "pirate", 4) == said(*args, "neutral", 4)


_DEFINES = re.compile(
    r"[()]|\bnested|\bplurals?\b|other forms|exact form|in that form|\bcount(s|ed|ing)? (as|too)|included|not counted"
    r"|hyphenated|mark-up|percentage points?|give or take|decimals|code fence|\bDTD\b|capitalised|either case"
)
"""Words of definitions, tolerances and notes, which queries leave to the system prompt."""


@pytest.mark.parametrize("group", [*GROUPS, *EXTENDED_GROUPS])
def test_phrases_say_no_definitions(group: str) -> None:
    data = get_group(group).data
    said = [phrase for options in data["say"].values() for phrases in options.values() for phrase in phrases]
    dropped = [phrase for phrases in data["drop"].values() for phrase in phrases]
    assert [phrase for phrase in (*said, *dropped) if _DEFINES.search(phrase)] == []


SLOTS = {
    "first": {"task", "clause"}, "new": {"task", "clause"},
    "add": {"clause"}, "modify": {"old", "clause"}, "remove": {"drop"},
}  # fmt: skip


@pytest.mark.parametrize("register", REGISTERS)
def test_every_frame_of_the_data_file_has_exactly_its_slots(register: str) -> None:
    frames = load_data(data_path("seeds", "frames.yaml"))["registers"][register]
    assert set(frames) == set(MOVES)
    paths = [(f, SLOTS[move]) for move in ("first", "new") for f in frames[move]]
    for move in ("continue", "backtrack"):
        extra = {"topic"} if move == "backtrack" else set()
        paths += [(f, SLOTS[kind] | extra) for kind in ("add", "modify", "remove") for f in frames[move][kind]]
    for frame, expected in paths:
        slots = [name.lower() for _, name, _, _ in Formatter().parse(frame) if name]
        assert sorted(slots) == sorted(expected), frame


def masked(query: str, *params: Params | None) -> str:
    """The query without the values of the change, the topic and the task."""
    for text in (TOPIC.prompt, TOPIC.title, TOPIC.title.capitalize()):
        query = query.replace(text, "T")
    for values in filter(None, params):
        for value in sorted(map(str, flat(values)), key=len, reverse=True):
            query = query.replace(value, "V")
    return re.sub(r"\d+", "N", query)


def flat(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return [x for pair in value.items() for one in pair for x in flat(one)]
    return [x for one in value for x in flat(one)] if isinstance(value, (list, tuple)) else [value]


def change(group: str, kind: str) -> tuple[Params | None, Params | None]:
    options = variants(group)
    if kind == "add":
        return None, options[0]
    if kind == "remove":
        return options[0], None
    if group == "existence":
        return {"counts": {"keyword1": 2}}, {"counts": {"keyword1": 3}}
    if group == "forbidden":
        return {"keywords": ["keyword1"]}, {"keywords": ["keyword1", "keyword2"]}
    return options[0], options[1] if len(options) > 1 else OTHERS.get(group, {**options[0], "count": 99})


@pytest.mark.parametrize("register", REGISTERS)
@pytest.mark.parametrize("group", ALL)
def test_every_change_has_eight_wordings_or_more_when_its_values_are_masked(group: str, register: str) -> None:
    kinds = ("add", "remove") if group == "digits" else ("add", "modify", "remove")  # there is one way to ban digits
    for kind in kinds:
        before, after = change(group, kind)
        for move in MOVES if kind == "add" else ("continue", "backtrack"):
            said_ways = {
                masked(said(group, kind, before, after, move, register, seed), before, after) for seed in range(20)
            }
            assert len(said_ways) >= 8, (kind, move, said_ways)


@pytest.mark.parametrize("register", REGISTERS)
def test_there_are_sixteen_different_frames_or_more_for_every_move_and_operation(register: str) -> None:
    frames = load_data(data_path("seeds", "frames.yaml"))["registers"][register]
    lists = [frames["first"], frames["new"]]
    lists += [frames[move][kind] for move in ("continue", "backtrack") for kind in ("add", "modify", "remove")]
    for options in lists:
        assert len(set(options)) == len(options) >= 16


@pytest.mark.parametrize("group", ALL)
def test_every_constraint_can_be_named_in_six_ways_when_it_is_dropped(group: str) -> None:
    for key, phrases in get_group(group).data["drop"].items():
        assert len(set(phrases)) == len(phrases) >= 6, key
        assert all(phrase.startswith("the ") for phrase in phrases), key


@pytest.mark.parametrize("register", REGISTERS)
def test_what_is_dropped_may_be_singular_or_plural(register: str) -> None:
    frames = load_data(data_path("seeds", "frames.yaml"))["registers"][register]
    every = [f for move in ("continue", "backtrack") for kind in ("modify", "remove") for f in frames[move][kind]]
    for frame in every:
        assert not re.search(r"\{(old|drop)\} (is|isn't|are|was|has|have|no longer \w+s)\b", frame, re.IGNORECASE), (
            frame
        )
        assert not re.search(r"\{clause\} instead", frame, re.IGNORECASE), frame  # a long clause would swallow it


@pytest.mark.parametrize("register", REGISTERS)
def test_a_frame_that_may_allow_a_keyword_again_does_not_say_that_all_stays(register: str) -> None:
    frames = load_data(data_path("seeds", "frames.yaml"))["registers"][register]
    for frame in (*frames["continue"]["add"], *frames["backtrack"]["add"]):
        for stays in re.findall(r"\b[Aa]ll (?:we|that|I)\b|\b[Ee]verything (?:we|I|agreed)\b", frame):
            raise AssertionError(f"{stays!r} in {frame!r}: say that the rest stays")


def test_the_registers_are_those_of_the_personas() -> None:
    assert set(registers()) == set(REGISTERS)

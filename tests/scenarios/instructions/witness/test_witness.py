"""Witnesses: every text that is built passes the checkers, or the builder says why there is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.scenarios.instructions.constraints import GROUPS, DrawContext, check
from evolif.scenarios.instructions.tracker import load_topics
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.witness import Refusal, build_witness
from evolif.util.rng import Stream

TOPICS = load_topics()
OBJECTIVE = [name for name, group in GROUPS.items() if not group.subjective]


def draw_instruction(seed, names, topic):
    """A fresh draw of each group, as the tracker draws them."""
    stream = Stream(seed, 77)
    active = {}
    for name in names:
        params = GROUPS[name].draw(stream, DrawContext(topic.keywords, GROUPS[name].data["pool"], active))
        if params is not None:
            active[name] = params
    return tuple(Constraint(name, params) for name, params in active.items())


def failures(constraints, text):
    return [(v.group, v.expected, v.found) for v in check(constraints, text) if v.satisfied is False]


@given(
    seed=st.integers(0, 10**9),
    topic=st.sampled_from(TOPICS),
    names=st.permutations(list(GROUPS)),
    size=st.integers(1, 9),
)
def test_a_witness_passes_every_checker_or_is_refused(seed, topic, names, size):
    constraints = draw_instruction(seed, names[:size], topic)
    built = build_witness(constraints, topic.keywords)
    if isinstance(built, Refusal):
        assert built.kind in ("awkward", "cramped", "impossible")
        assert set(built.groups) <= {c.group for c in constraints}
        assert built.code
    else:
        assert failures(constraints, built) == []


def test_nothing_but_the_table_is_in_the_way():
    stream, missed = Stream(5), []
    for seed in range(600):
        topic = TOPICS[seed % len(TOPICS)]
        constraints = draw_instruction(seed, stream.sample(list(GROUPS), 1 + seed % 9), topic)
        built = build_witness(constraints, topic.keywords)
        if isinstance(built, Refusal) and built.kind != "awkward":
            missed.append((built, constraints))
    assert missed == []


@given(seed=st.integers(0, 10**9), topic=st.sampled_from(TOPICS))
def test_it_is_the_same_every_time(seed, topic):
    constraints = draw_instruction(seed, OBJECTIVE[seed % 5 : seed % 5 + 4], topic)
    assert build_witness(constraints, topic.keywords) == build_witness(constraints, topic.keywords)


def test_without_rule_checked_constraints_any_text_will_do():
    text = build_witness((Constraint("emotion", {"emotion": "sad"}),), TOPICS[0].keywords)
    assert isinstance(text, str)
    assert text


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@pytest.mark.sampled
@pytest.mark.parametrize("step", [pytest.param(3, marks=pytest.mark.slow), 16])
@pytest.mark.parametrize("group", ["start_with", "end_with"])
def test_every_letter_begins_and_ends_a_witness_of_every_topic(group, step):
    for number, letter in enumerate(LETTERS):
        constraints = (Constraint(group, {"mode": "letter", "value": letter}),)
        for topic in TOPICS[number % step :: step]:
            text = build_witness(constraints, topic.keywords)
            assert isinstance(text, str), (letter, topic.id, text)
            assert failures(constraints, text) == [], (letter, topic.id)


FORMATS = [None, "json", "xml", "html", "csv", "markdown"]


def pool(group, name):
    return GROUPS[group].data["pool"][name]


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("group", ["start_with", "end_with"])
def test_every_emoji_and_pair_works_in_every_format(group, fmt):
    values = [{"mode": "emoji", "value": emoji} for emoji in pool(group, "emoji")]
    values += [{"mode": "quotation", "left": left, "right": right} for left, right in pool(group, "quotations")]
    others = (Constraint("format", {"mode": fmt}),) if fmt else ()
    refused = []
    for params in values:
        built = build_witness((Constraint(group, params), *others), TOPICS[0].keywords)
        if isinstance(built, Refusal):
            refused.append((built.kind, params["left"]))
    raw = {"json": ["[", "{", '"'], "csv": ['"']}.get(fmt, [])
    assert refused == [("awkward", left) for left in raw]


@pytest.mark.parametrize("fmt", FORMATS)
def test_every_mark_works_in_every_format(fmt):
    others = (Constraint("format", {"mode": fmt}),) if fmt else ()
    for mode in ("include", "exclude"):
        for mark, _ in pool("punctuation", mode):
            built = build_witness(
                (Constraint("punctuation", {"mode": mode, "mark": mark}), *others), TOPICS[0].keywords
            )
            assert isinstance(built, str), (mode, mark, built)


def lengths():
    data = GROUPS["length"].data["pool"]
    for unit in ("words", "sentences", "paragraphs", "characters"):
        counts = range(data[unit]["min"], data[unit]["max"] + 1, data[unit]["step"])
        yield from ({"unit": unit, "relation": relation, "count": n} for relation in data["relations"] for n in counts)


def test_every_length_works():
    for params in lengths():
        built = build_witness((Constraint("length", params),), TOPICS[0].keywords)
        assert isinstance(built, str), (params, built)


@pytest.mark.parametrize("percent", range(5, 100, 5))
def test_every_share_works_in_an_answer_of_exact_length(percent):
    constraints = (
        Constraint("case", {"mode": "share", "percent": percent}),
        Constraint("length", {"unit": "characters", "relation": "exactly", "count": 300}),
        Constraint("punctuation", {"mode": "exclude", "mark": "."}),
    )
    assert isinstance(build_witness(constraints, TOPICS[0].keywords), str)


def test_keywords_inside_keywords_are_counted():
    counts = {"cargo bike lane": 2, "cargo bike": 3, "bike": 5}
    constraints = (Constraint("existence", {"counts": counts}),)
    text = build_witness(constraints, tuple(counts))
    assert isinstance(text, str)
    assert failures(constraints, text) == []


def test_a_witness_has_the_format():
    built = build_witness((Constraint("format", {"mode": "json"}),), TOPICS[0].keywords)
    assert json.loads(built)


FULL = (
    Constraint("start_with", {"mode": "letter", "value": "k"}),
    Constraint("end_with", {"mode": "emoji", "value": "😀"}),
    Constraint("format", {"mode": "markdown"}),
    Constraint("bullets", {"count": 4}),
    Constraint("length", {"unit": "words", "relation": "exactly", "count": 100}),
    Constraint("existence", {"counts": {"ferry": 2}}),
    Constraint("forbidden", {"keywords": ["cabin"]}),
    Constraint("case", {"mode": "all_lower"}),
    Constraint("punctuation", {"mode": "include", "mark": "§"}),
)
DEFECTS = [
    ("start_with", lambda text: "x" + text),
    ("end_with", lambda text: text + " 😎"),
    ("bullets", lambda text: text.replace("\n- ", "\n ", 1)),
    ("length", lambda text: text.replace(" ", " also ", 1)),
    ("existence", lambda text: text.replace("ferry", "boats", 1)),
    ("case", lambda text: text[:3] + text[3].upper() + text[4:]),
    ("punctuation", lambda text: text.replace("§", "")),
]


@pytest.mark.parametrize(("group", "defect"), DEFECTS, ids=[row[0] for row in DEFECTS])
def test_a_planted_defect_fails_exactly_its_constraint(group, defect):
    text = build_witness(FULL, TOPICS[0].keywords)
    assert failures(FULL, text) == []
    assert [name for name, *_ in failures(FULL, defect(text))] == [group]


def test_a_planted_forbidden_word_fails_exactly_its_constraint():
    text = build_witness(FULL, TOPICS[0].keywords)
    planted = text.replace("\n- ", "\n- cabin ", 1)
    kept = [name for name, *_ in failures(FULL, planted)]
    assert kept == ["length", "forbidden"]  # one word more as well


def test_a_planted_fault_fails_exactly_the_format():
    constraints = (Constraint("format", {"mode": "json"}), Constraint("forbidden", {"keywords": ["cabin"]}))
    text = build_witness(constraints, TOPICS[0].keywords)
    assert [name for name, *_ in failures(constraints, text[:-1])] == ["format"]

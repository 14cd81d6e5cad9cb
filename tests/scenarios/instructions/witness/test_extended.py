"""Witnesses of the profile `extended`: all of its turns carry one, and few draws are refused for want of one."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolif.scenarios.instructions.constraints import EXTENDED_GROUPS, DrawContext, check, find_conflict, get_group
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics
from evolif.scenarios.instructions.tracker.script import DrawStatistics, raw_turns
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.witness import Refusal, build_witness
from evolif.util.rng import Stream

PROFILE = load_profile("extended")
TOPICS = load_topics()
RULED = [name for name in PROFILE.groups if not get_group(name).subjective]
SEEDS = range(1, 4)
DIALOGUES = 15
TURNS = 40


def draw_instruction(seed, names, topic):
    """A fresh draw of each group, as the tracker draws them."""
    stream = Stream(seed, 78)
    active = {}
    for name in names:
        params = get_group(name).draw(stream, DrawContext(topic.keywords, PROFILE.pools[name], active))
        if params is not None:
            active[name] = params
    return active


def constraints_of(active):
    return tuple(Constraint(name, params) for name, params in active.items())


def failures(constraints, text):
    return [(v.group, v.expected, v.found) for v in check(constraints, text) if v.satisfied is False]


@given(seed=st.integers(0, 10**9), topic=st.sampled_from(TOPICS), names=st.permutations(RULED), size=st.integers(1, 10))
def test_a_witness_passes_every_checker_or_is_refused(seed, topic, names, size):
    constraints = constraints_of(draw_instruction(seed, names[:size], topic))
    built = build_witness(constraints, topic.keywords)
    if isinstance(built, Refusal):
        assert built.kind in ("awkward", "cramped", "impossible")
        assert set(built.groups) <= {c.group for c in constraints}
        assert built.code
    else:
        assert failures(constraints, built) == []


@settings(max_examples=30)
@given(seed=st.integers(0, 10**9), topic=st.sampled_from(TOPICS), names=st.permutations(RULED))
def test_it_is_the_same_every_time(seed, topic, names):
    constraints = constraints_of(draw_instruction(seed, names[:5], topic))
    assert build_witness(constraints, topic.keywords) == build_witness(constraints, topic.keywords)


@pytest.mark.slow
def test_little_but_the_table_is_in_the_way():
    stream, tried, missed = Stream(5), 0, []
    for seed in range(900):
        topic = TOPICS[seed % len(TOPICS)]
        active = draw_instruction(seed, stream.sample(RULED, 1 + seed % 9), topic)
        if find_conflict(active) is None:
            tried += 1
            built = build_witness(constraints_of(active), topic.keywords)
            missed += [(built, active)] if isinstance(built, Refusal) else []
    assert tried > 600
    assert len(missed) <= tried // 100, missed


@pytest.mark.parametrize("name", EXTENDED_GROUPS)
def test_every_draw_of_a_group_alone_is_built(name):
    for seed in range(80):
        topic = TOPICS[seed % len(TOPICS)]
        constraints = constraints_of(draw_instruction(seed, [name], topic))
        text = build_witness(constraints, topic.keywords)
        assert isinstance(text, str), (constraints, text)
        assert failures(constraints, text) == []


@pytest.mark.slow
def test_all_turns_carry_a_witness_and_few_draws_are_refused():
    statistics, modes = DrawStatistics(), Counter()
    for seed in SEEDS:
        spec = ScriptSpec(PROFILE, TOPICS, seed)
        for dialogue in range(1, DIALOGUES + 1):
            for turn in islice(raw_turns(spec, dialogue, Stream(seed, 1, dialogue), statistics), TURNS):
                ruled = [c for c in turn.constraints if not get_group(c.group).subjective]
                assert not ruled or turn.witness
                assert failures(ruled, turn.witness or "-") == []
                modes.update((c.group, get_group(c.group).key(c.params)) for c in turn.constraints)
    refused = sum(statistics.refused.values()) / statistics.draws
    print(f"{statistics.turns} turns, {statistics.draws} draws, {refused:.1%} refused")
    for groups, count in sorted(statistics.refused.items(), key=lambda row: -row[1])[:12]:
        print(f"  {count / statistics.draws:.2%}  {' × '.join(groups)}")
    assert refused < 0.08
    assert statistics.group_changed < 0.04 * statistics.turns
    known = {(name, key) for name in EXTENDED_GROUPS for key in get_group(name).data["say"]}
    known |= {("format", "json_keys"), ("format", "table"), ("bullets", "numbered")}
    known |= {("length", f"{unit}.between") for unit in ("words", "sentences", "paragraphs", "characters")}
    assert known <= set(modes)


FULL = {
    "format": {"mode": "table", "columns": ["item", "cost"]},
    "bullets": {"count": 4, "kind": "numbered"},
    "length": {"unit": "words", "relation": "between", "count": 100, "upper": 120},
    "placement": {"mode": "every_paragraph", "value": "ferry"},
    "sentences": {"mode": "questions", "count": 2},
    "headings": {"count": 2},
    "emphasis": {"count": 3},
}
DEFECTS = [
    ("format", lambda text: text.replace("| item |", "| thing |")),
    ("bullets", lambda text: text.replace("\n4. ", "\n", 1)),
    ("length", lambda text: text.replace(".", " again" * 40 + ".", 1)),
    ("placement", lambda text: text.replace("ferry", "boats", 1)),
    ("sentences", lambda text: text.replace("?", ".", 1)),
    ("headings", lambda text: text.replace("## ", "", 1)),
    ("emphasis", lambda text: text.replace("**", "", 2)),
]


@pytest.mark.parametrize(("group", "defect"), DEFECTS, ids=[row[0] for row in DEFECTS])
def test_a_planted_defect_fails_its_constraint(group, defect):
    constraints = constraints_of(FULL)
    text = build_witness(constraints, TOPICS[0].keywords)
    assert isinstance(text, str), text
    assert failures(constraints, text) == []
    failed = [name for name, *_ in failures(constraints, defect(text))]
    # A heading that is none is a paragraph without the keyword; a number less joins two items.
    assert group in failed
    assert len(failed) <= 2


def test_a_layout_that_cannot_grow_is_made_anew():
    """The first layout has a sentence without filler where characters are missing; the tight one has none."""
    params = {
        "digits": {"mode": "none"},
        "format": {"mode": "table", "columns": ["item", "cost"]},
        "forbidden": {"keywords": ["apprentice"]},
        "sentences": {"mode": "max_words", "count": 24},
        "emphasis": {"count": 3},
        "placement": {"mode": "nth_word", "position": 8, "value": "bronze"},
        "length": {"unit": "characters", "relation": "more_than", "count": 400},
        "punctuation": {"mode": "include", "mark": ";"},
        "end_with": {"mode": "keyword", "value": "church"},
    }
    keywords = (
        "bell foundry Apolda journeyman music heat bronze mould clay furnace pay apprentice tuning crane tradition "
        "church workshop application holiday loam"
    )
    constraints = tuple(Constraint(group, value) for group, value in params.items())
    made = build_witness(constraints, tuple(keywords.split()))
    assert isinstance(made, str)
    assert [v for v in check(constraints, made) if not v.satisfied] == []

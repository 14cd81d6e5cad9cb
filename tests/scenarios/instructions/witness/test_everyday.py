"""Witnesses of what people ask for every day: whatever the rules of compatibility allow together can be built."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from everyday_draws import instruction

from evolif.scenarios.instructions.audit.satisfiability import satisfiability
from evolif.scenarios.instructions.constraints import check, parse_constraint
from evolif.scenarios.instructions.tracker import load_topics
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.witness import Refusal, build_witness
from evolif.scenarios.instructions.witness.everyday import everyday_texts
from evolif.scenarios.instructions.witness.flawed import build_flawed
from evolif.util.resources import load_data
from evolif.util.rng import Stream

TOPICS = load_topics()
FEW, MANY = 150, 2000


def constraints_of(active):
    return tuple(Constraint(name, params) for name, params in active.items())


def drawn(seeds, number=0):
    """Instructions with their topics' keywords."""
    for seed in seeds:
        topic = TOPICS[seed % len(TOPICS)]
        active = instruction(seed, topic, number)
        if active:
            yield constraints_of(active), topic.keywords


def failures(seeds, number=0):
    """How many instructions were drawn, those without a witness, and how often two groups stand in one."""
    total, failed, pairs = 0, [], Counter()
    for constraints, keywords in drawn(seeds, number):
        total += 1
        built = build_witness(constraints, keywords)
        if isinstance(built, Refusal):
            failed.append((built, constraints))
            pairs.update(combinations(sorted(c.group for c in constraints), 2))
        else:
            assert [v for v in check(constraints, built) if not v.satisfied] == []
    return total, failed, pairs


def test_nearly_every_compatible_instruction_has_a_witness():
    total, failed, _ = failures(range(FEW))
    assert total > 0.95 * FEW
    assert len(failed) <= 0.01 * total, failed


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 7], ids=["up to seven", "as many as fit"])
def test_nearly_every_one_of_many(number):
    total, failed, pairs = failures(range(1000, 1000 + MANY), number)
    print(f"{total} instructions, {len(failed)} without a witness", pairs.most_common(5))
    for refusal, constraints in failed:
        print(refusal.code, refusal.groups, {c.group: c.params for c in constraints})
    assert len(failed) <= 0.005 * total, failed


TOGETHER = load_data(Path(__file__).parent.parent / "constraints" / "exclusions.yaml")["together"]


@pytest.mark.parametrize("active", TOGETHER, ids=", ".join)
def test_what_goes_together_has_a_witness(active):
    constraints = [parse_constraint({"group": name, "params": params}) for name, params in active.items()]
    text = build_witness(constraints, ("ferry", "harbour"))
    assert isinstance(text, str), text
    assert [v for v in check(constraints, text) if not v.satisfied] == []


def test_a_witness_is_the_same_every_time():
    for constraints, keywords in drawn(range(20)):
        assert build_witness(constraints, keywords) == build_witness(constraints, keywords)


@pytest.mark.slow
def test_nearly_every_constraint_can_fail_alone():
    """Some cannot: a list that may hold twelve items, in paragraphs of three sentences, has never one item too many."""
    tried, exact = Counter(), Counter()
    for number, (constraints, keywords) in enumerate(drawn(range(100))):
        for missed in constraints:
            text = build_flawed(constraints, keywords, {missed.group}, Stream(3, number))
            failed = set() if text is None else {v.group for v in check(constraints, text) if not v.satisfied}
            tried[missed.group] += 1
            exact[missed.group] += failed == {missed.group}
    assert exact.total() >= 0.94 * tried.total(), {g: (exact[g], tried[g]) for g in tried}
    assert all(exact[group] >= 0.6 * tried[group] for group in tried if tried[group] >= 10), (tried, exact)


def test_several_constraints_fail_together():
    tried = exact = 0
    for number, (constraints, keywords) in enumerate(drawn(range(200, 260), 7)):
        missed = {c.group for c in constraints[:2]}
        text = build_flawed(constraints, keywords, missed, Stream(4, number))
        tried += 1
        exact += text is not None and {v.group for v in check(constraints, text) if not v.satisfied} == missed
    assert exact >= 0.75 * tried


# One of each kind, in its plainest form.
KINDS = [
    {"group": "length", "params": {"unit": unit, "relation": relation, "count": count}}
    for unit, relation, count in [
        ("words", "at_most", 10), ("words", "at_least", 300), ("words", "about", 50), ("sentences", "at_most", 2),
        ("paragraphs", "about", 3), ("characters", "at_most", 100), ("characters", "about", 700),
        ("lines", "exactly", 1), ("lines", "exactly", 14), ("lines", "at_most", 5), ("lines", "at_least", 8),
    ]
] + [
    {"group": group, "params": params}
    for group, params in [
        ("length", {"unit": "paragraphs", "relation": "exactly", "count": 4, "noun": "stanzas"}),
        ("bullets", {"relation": "some", "only": True}),
        ("bullets", {"kind": "either", "relation": "exactly", "count": 5, "noun": "tips"}),
        ("bullets", {"kind": "numbered", "relation": "between", "count": 3, "upper": 4}),
        ("bullets", {"kind": "either", "relation": "none"}),
        ("bullets", {"relation": "at_most", "count": 1}),
        ("labels", {"labels": ["Pros", "Cons"]}),
        ("labels", {"labels": ["Q", "A"], "order": "any", "repeat": True, "only": True}),
        ("labels", {"labels": ["[FACT]", "[OPINION]"]}),
        ("labels", {"noun": "Version", "count": 10, "only": True}),
        ("language", {"code": "zh"}),
        ("language", {"code": "ja"}),
        ("language", {"code": "hi"}),
        ("language", {"not": "en"}),
        ("language", {"not": "de"}),
        ("format", {"mode": "table"}),
        ("format", {"mode": "table", "column_count": 3, "only": True}),
        ("format", {"mode": "table", "columns": ["item", "cost"], "only": True}),
        ("format", {"mode": "json", "fence": True}),
        ("format", {"mode": "json", "keys": ["goal", "plan"], "fence": True}),
        ("format", {"mode": "code", "tag": "python"}),
        ("format", {"mode": "plain"}),
        ("format", {"mode": "comma_list", "count": 10}),
        ("format", {"mode": "literal_list"}),
        ("start_with", {"mode": "phrase", "value": "KAI:"}),
        ("start_with", {"mode": "phrase", "value": "> Note"}),
        ("start_with", {"mode": "phrase", "values": ["Yes", "No"]}),
        ("end_with", {"mode": "phrase", "value": "[STOP]"}),
        ("emoji", {"relation": "exactly", "count": 5}),
        ("emoji", {"relation": "none"}),
        ("emoji", {"place": "end"}),
        ("hashtags", {"relation": "exactly", "count": 3}),
        ("hashtags", {"relation": "none"}),
        ("choice", {"mode": "options", "options": ["Yes", "No"]}),
        ("choice", {"mode": "scale", "low": 1, "high": 5, "reason": True}),
        ("existence", {"at_least": {"ferry": 2}}),
        ("existence", {"any_of": ["bus", "tram"]}),
        ("part_length", {"unit": "item", "measure": "words", "relation": "exactly", "count": 6}),
        ("part_length", {"unit": "paragraph", "measure": "characters", "relation": "at_most", "count": 60}),
        ("part_length", {"unit": "sentence", "measure": "words", "relation": "between", "count": 8, "upper": 9}),
        ("part_length", {"unit": "line", "measure": "characters", "relation": "at_least", "count": 80}),
        ("placement", {"mode": "unit_start", "unit": "paragraph", "value": "> "}),
        ("placement", {"mode": "unit_start", "unit": "sentence", "which": 2, "letter": "s"}),
        ("placement", {"mode": "unit_start", "unit": "line", "value": "So"}),
        ("placement", {"mode": "unit_start", "unit": "item", "which": 3, "values": ["Try", "Use"]}),
        ("lettering", {"mode": "max_letters", "count": 4}),
        ("lettering", {"mode": "min_letters", "count": 7}),
        ("lettering", {"mode": "first", "letter": "x"}),
        ("lettering", {"mode": "without", "letter": "e"}),
        ("lettering", {"mode": "no_repeat"}),
        ("headings", {"relation": "title"}),
        ("headings", {"levels": [1, 2, 3]}),
        ("headings", {"relation": "none"}),
        ("emphasis", {"relation": "some"}),
        ("emphasis", {"relation": "none"}),
        ("person", {"avoid": "first"}),
        ("person", {"use": "first"}),
        ("manner", {"mode": "answer_only"}),
        ("manner", {"mode": "no_closing_question"}),
        ("wrap", {"left": "\"", "right": "\""}),
        ("wrap", {"left": "<answer>", "right": "</answer>"}),
        ("sentences", {"mode": "all_questions"}),
        ("punctuation", {"mode": "exclude_all"}),
    ]
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind['group']}-{next(iter(kind['params'].values()))}")
def test_each_kind_alone(kind):
    constraint = parse_constraint(kind)
    text = build_witness([constraint], ("ferry", "harbour"))
    assert isinstance(text, str), text
    assert [v for v in check([constraint], text) if not v.satisfied] == []


@pytest.mark.parametrize(
    ("group", "params"),
    [
        ("bullets", {"relation": "exactly", "count": 10**12}),
        ("labels", {"noun": "Part", "count": 1000}),
        ("placement", {"mode": "unit_start", "unit": "sentence", "which": 10**12, "letter": "s"}),
        ("length", {"unit": "lines", "relation": "exactly", "count": 10**12}),
    ],
)
def test_a_foreign_number_builds_no_endless_text(group, params):
    constraint = Constraint(group, params)
    built = build_witness([constraint], ())
    assert isinstance(built, Refusal) or params["count"] == 1000
    assert build_flawed((constraint,), (), {group}, Stream(1)) is None or params["count"] == 1000


def test_an_excluded_instruction_that_can_be_met_is_awkward():
    both = [{"labels": ["Summary"]}, {"mode": "phrase", "value": "KAI:"}]
    constraints = [Constraint("labels", both[0]), Constraint("start_with", both[1])]
    assert isinstance(build_witness(constraints, ()), Refusal)
    assert satisfiability(constraints).status in ("awkward", "undecided")


def test_every_try_keeps_what_wraps_a_choice():
    active = {"choice": {"mode": "options", "options": ["Yes", "No"]}, "wrap": {"left": '"', "right": '"'}}
    assert set(everyday_texts(active, ("tree",))) == {'"Yes"'}

"""The declared table and what is computed beside it: what is never asked for together, and why."""

import pytest

from evolif.scenarios.instructions.constraints import find_conflict, lower_limit, upper_limit
from evolif.scenarios.instructions.constraints.compatibility import is_closed
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.witness import Refusal, build_witness
from evolif.util.resources import data_path, load_data

BULLETS = {"count": 5}
PARAGRAPHS = {"unit": "paragraphs", "relation": "exactly", "count": 3}
SENTENCES = {"unit": "sentences", "relation": "exactly", "count": 5}
TABLE = [
    *(("bullets-in-data", {"bullets": BULLETS, "format": {"mode": mode}}) for mode in ("json", "xml", "csv")),
    *(("paragraphs-in-data", {"length": PARAGRAPHS, "format": {"mode": mode}}) for mode in ("json", "xml", "csv")),
    *(("sentences-in-cells", {"length": SENTENCES, "format": {"mode": mode}}) for mode in ("json", "csv")),
    (
        "sentences-without-stops",
        {
            "length": {"unit": "sentences", "relation": "more_than", "count": 5},
            "punctuation": {"mode": "exclude", "mark": "."},
        },
    ),
    *(
        (
            f"json-{edge}-syntax",
            {"format": {"mode": "json"}, f"{edge}_with": {"mode": "quotation", "left": left, "right": right}},
        )
        for edge in ("start", "end")
        for left, right in ("[]", "{}", '""')
    ),
    *(
        (
            f"csv-{edge}-quote",
            {"format": {"mode": "csv"}, f"{edge}_with": {"mode": "quotation", "left": '"', "right": '"'}},
        )
        for edge in ("start", "end")
    ),
]  # fmt: skip


def length(unit, relation, count):
    return {"unit": unit, "relation": relation, "count": count}


COMPUTED = [
    ("items-budget", {"bullets": {"count": 15}, "length": length("words", "less_than", 75)}),
    ("items-budget", {"bullets": {"count": 15}, "length": length("sentences", "exactly", 14)}),
    ("items-budget", {"bullets": {"count": 10}, "length": length("characters", "less_than", 300)}),
    ("keywords-budget", {"existence": {"counts": {"a": 10, "b": 10, "c": 1}}}),
    (
        "keywords-budget",
        {
            "existence": {"counts": {"a": 1, "b": 1, "c": 1}},
            "start_with": {"mode": "keyword", "value": "d"},
            "end_with": {"mode": "keyword", "value": "e"},
        },
    ),
    ("length-budget", {"existence": {"counts": {"one two three": 10}}, "length": length("words", "less_than", 90)}),
    ("length-budget", {"existence": {"counts": {"abcdefghij": 10}}, "length": length("characters", "exactly", 200)}),
    ("length-budget", {"existence": {"counts": {"a": 10, "b": 10}}, "length": length("sentences", "less_than", 5)}),
    ("format-budget", {"format": {"mode": "html"}, "length": length("characters", "less_than", 200)}),
    ("format-budget", {"format": {"mode": "csv"}, "length": length("words", "more_than", 500)}),
    ("forbidden-inside", {"forbidden": {"keywords": ["app"]}, "start_with": {"mode": "keyword", "value": "App shop"}}),
    ("forbidden-inside", {"forbidden": {"keywords": ["app"]}, "existence": {"counts": {"in-app": 1}}}),
    ("mark-inside", {"punctuation": {"mode": "exclude", "mark": "."}, "existence": {"counts": {"U.S.": 1}}}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "active"), [*TABLE, *COMPUTED], ids=lambda value: str(value)[:70])
def test_excluded(code, active):
    conflict = find_conflict(active)
    assert conflict is not None
    assert conflict.code == code
    assert set(conflict.groups) <= set(active)
    assert conflict.reason


@pytest.mark.parametrize(("code", "active"), [*TABLE, *COMPUTED], ids=lambda value: str(value)[:70])
def test_the_builder_refuses_what_is_excluded_as_awkward(code, active):
    refusal = build_witness((Constraint(g, p) for g, p in active.items()), ())
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, refusal.code) == ("awkward", code)


def test_every_row_of_the_table_has_a_test_and_a_reason():
    rows = load_data(data_path("constraints", "compatibility.yaml"))["rows"]
    assert {row["id"] for row in rows} == {code for code, _ in TABLE}
    assert all(row["reason"] for row in rows)


ALLOWED = [
    {"bullets": BULLETS, "format": {"mode": "html"}},
    {"bullets": BULLETS, "format": {"mode": "markdown"}},
    {"length": length("sentences", "exactly", 5), "format": {"mode": "xml"}},
    {"length": length("sentences", "exactly", 5), "punctuation": {"mode": "exclude", "mark": ","}},
    {"format": {"mode": "json"}, "start_with": {"mode": "quotation", "left": "(", "right": ")"}},
    {"format": {"mode": "csv"}, "end_with": {"mode": "quotation", "left": "[", "right": "]"}},
    {"format": {"mode": "xml"}, "start_with": {"mode": "quotation", "left": '"', "right": '"'}},
    {"bullets": {"count": 15}, "length": length("words", "exactly", 75)},
    {"bullets": {"count": 15}, "length": length("words", "more_than", 100)},
    {"existence": {"counts": {"a": 10, "b": 10}}},
    {"format": {"mode": "html"}, "length": length("characters", "exactly", 200)},
    {"format": {"mode": "csv"}, "length": length("words", "exactly", 500)},
    {"forbidden": {"keywords": ["app"]}, "existence": {"counts": {"apps": 1}}},
    {"punctuation": {"mode": "include", "mark": ";"}, "end_with": {"mode": "keyword", "value": "a;b"}},
]


@pytest.mark.parametrize("active", ALLOWED, ids=str)
def test_allowed_and_built(active):
    assert find_conflict(active) is None
    assert isinstance(build_witness([Constraint(g, p) for g, p in active.items()], ("a", "b")), str)


@pytest.mark.parametrize(
    ("group", "active", "closed"),
    [
        ("bullets", {"format": {"mode": "json"}}, True),
        ("bullets", {"format": {"mode": "html"}}, False),
        ("bullets", {}, False),
        ("length", {"format": {"mode": "json"}}, False),
        ("format", {"bullets": BULLETS}, False),
    ],
)
def test_a_group_is_closed_when_no_parameter_is_left(group, active, closed):
    assert is_closed(group, active) is closed


@pytest.mark.parametrize(
    ("relation", "low", "high"), [("less_than", 0, 9), ("more_than", 11, None), ("exactly", 10, 10)]
)
def test_limits(relation, low, high):
    params = length("words", relation, 10)
    assert (lower_limit(params, "words"), upper_limit(params, "words")) == (low, high)
    assert (lower_limit(params, "characters"), upper_limit(params, "characters")) == (0, None)


def test_a_keyword_inside_another_needs_its_count():
    refusal = build_witness((Constraint("existence", {"counts": {"bike lane": 3, "bike": 1}}),), ("bike",))
    assert isinstance(refusal, Refusal)
    assert refusal.code == "keyword-too-often"


def test_an_answer_without_paragraphs_is_impossible():
    refusal = build_witness((Constraint("length", length("paragraphs", "less_than", 1)),), ())
    assert refusal == Refusal("impossible", "no-paragraph", ("length",))


def test_an_answer_without_sentences_is_awkward():
    refusal = build_witness((Constraint("length", length("sentences", "less_than", 1)),), ())
    assert refusal == Refusal("awkward", "no-sentence", ("length",))


def test_what_does_not_fit_is_cramped():
    constraints = (
        Constraint("length", length("characters", "less_than", 8)),
        Constraint("case", {"mode": "all_lower"}),
    )
    refusal = build_witness(constraints, ())
    assert isinstance(refusal, Refusal)
    assert refusal.kind == "cramped"

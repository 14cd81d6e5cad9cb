"""The rows, budgets and computed conflicts that only the profile `extended` needs."""

import pytest

from evolif.scenarios.instructions.constraints import find_conflict, lower_limit, upper_limit
from evolif.scenarios.instructions.constraints.compatibility import is_closed
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.witness import Refusal, build_fallback, build_witness
from evolif.util.resources import data_path, load_data

KEYS = {"mode": "json", "keys": ["summary", "steps"]}
TABLE = {"mode": "table", "columns": ["item", "cost"]}
NUMBERED = {"count": 4, "kind": "numbered"}
QUESTIONS = {"mode": "questions", "count": 3}
DISTINCT = {"mode": "distinct_starts"}
EVERY = {"mode": "every_paragraph", "value": "tea"}
NTH = {"mode": "nth_word", "position": 4, "value": "tea"}
ACROSTIC = {"mode": "acrostic", "word": "stone"}
LETTER = {"mode": "letter", "value": "k"}
FRENCH = {"code": "fr"}
NONE = {"mode": "none"}


def length(unit, relation, count):
    return {"unit": unit, "relation": relation, "count": count}


def fmt(mode):
    return {"mode": mode}


ROWS = [
    *(("headings-in-data", {"headings": {"count": 2}, "format": fmt(mode)}) for mode in ("json", "csv", "xml")),
    *(("emphasis-in-data", {"emphasis": {"count": 2}, "format": fmt(mode)}) for mode in ("json", "csv", "xml")),
    *(("sentence-rules-in-cells", {"sentences": QUESTIONS, "format": fmt(mode)}) for mode in ("json", "csv")),
    ("sentence-rules-without-stops", {"sentences": DISTINCT, "punctuation": {"mode": "exclude", "mark": "."}}),
    *(("placement-in-data", {"placement": EVERY, "format": fmt(mode)}) for mode in ("json", "csv", "xml")),
    ("placement-in-data", {"placement": ACROSTIC, "format": fmt("csv")}),
    ("acrostic-start", {"placement": ACROSTIC, "start_with": LETTER}),
    ("acrostic-paragraphs", {"placement": ACROSTIC, "length": length("paragraphs", "more_than", 2)}),
    ("acrostic-numbers", {"placement": ACROSTIC, "bullets": NUMBERED}),
    ("position-among-keys", {"placement": NTH, "format": KEYS}),
    ("keys-start", {"start_with": LETTER, "format": KEYS}),
    ("keys-case", {"case": {"mode": "all_upper"}, "format": KEYS}),
    ("language-keys", {"language": FRENCH, "format": KEYS}),
    ("language-columns", {"language": FRENCH, "format": TABLE}),
    ("numbers-without-digits", {"digits": NONE, "bullets": NUMBERED}),
    ("html-headings-without-digits", {"digits": NONE, "headings": {"count": 2}, "format": fmt("html")}),
]
COMPUTED = [
    ("name-counts", {"format": KEYS, "existence": {"counts": {"steps": 2}}}),
    ("name-counts", {"format": TABLE, "forbidden": {"keywords": ["item"]}}),
    ("placed-counted", {"placement": EVERY, "existence": {"counts": {"tea bag": 2}}}),
    ("digit-inside", {"digits": NONE, "existence": {"counts": {"covid-19": 1}}}),
    ("position-in-start", {"placement": NTH, "start_with": {"mode": "keyword", "value": "a b c"}}),
    ("forbidden-inside", {"placement": EVERY, "forbidden": {"keywords": ["tea"]}}),
    ("mark-inside", {"placement": {**NTH, "value": "U.S."}, "punctuation": {"mode": "exclude", "mark": "."}}),
    ("heading-budget", {"headings": {"count": 6}, "length": length("characters", "less_than", 400)}),
    ("bold-budget", {"emphasis": {"count": 6}, "length": length("characters", "exactly", 200)}),
    ("bold-budget", {"emphasis": {"count": 9}, "length": length("sentences", "less_than", 5)}),
    ("question-budget", {"sentences": {**QUESTIONS, "count": 5}, "length": length("sentences", "less_than", 5)}),
    ("paragraph-budget", {"placement": ACROSTIC, "length": length("characters", "less_than", 300)}),
    ("paragraph-budget", {"placement": EVERY, "length": length("paragraphs", "less_than", 2)}),
    ("distinct-budget", {"sentences": DISTINCT, "length": length("sentences", "exactly", 35)}),
    ("distinct-budget", {"sentences": DISTINCT, "length": length("words", "more_than", 900)}),
    ("distinct-budget", {"sentences": DISTINCT, "length": length("sentences", "less_than", 4)}),
    ("table-budget", {"format": TABLE, "length": length("characters", "less_than", 200)}),
    ("language-budget", {"language": FRENCH, "length": length("characters", "less_than", 300)}),
    ("language-keywords", {"language": FRENCH, "existence": {"counts": {"one two": 8}}}),
]
REFUSED = [*ROWS, *COMPUTED]


@pytest.mark.parametrize(("code", "active"), REFUSED, ids=lambda value: str(value)[:60])
def test_excluded(code, active):
    conflict = find_conflict(active)
    assert conflict is not None
    assert conflict.code == code
    assert set(conflict.groups) <= set(active)
    assert conflict.reason
    refusal = build_witness((Constraint(g, p) for g, p in active.items()), ())
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, refusal.code) == ("awkward", code)


def test_every_row_has_a_test_and_a_reason():
    rows = load_data(data_path("constraints", "compatibility-extended.yaml"))["rows"]
    assert {row["id"] for row in rows} == {code for code, _ in ROWS}
    assert all(row["reason"] for row in rows)


ALLOWED = [
    {"format": KEYS, "case": {"mode": "all_lower"}, "end_with": LETTER},
    {"format": TABLE, "start_with": LETTER, "case": {"mode": "all_upper"}},
    {"format": TABLE, "bullets": NUMBERED, "headings": {"count": 3}},
    {"headings": {"count": 2}, "format": fmt("html"), "emphasis": {"count": 4}},
    {"digits": NONE, "headings": {"count": 2}, "format": fmt("markdown")},
    {"placement": NTH, "format": fmt("csv")},
    {"placement": ACROSTIC, "bullets": {"count": 4}, "sentences": DISTINCT},
    {"placement": EVERY, "bullets": NUMBERED, "start_with": LETTER},
    {"placement": EVERY, "existence": {"counts": {"teapot": 2}}},
    {"sentences": {"mode": "max_words", "count": 10}, "length": length("words", "more_than", 600)},
    {"sentences": {"mode": "max_words", "count": 10}, "length": length("characters", "exactly", 900)},
    {"sentences": DISTINCT, "format": fmt("xml")},
    {"emphasis": {"count": 0}, "format": fmt("markdown")},
    {"language": FRENCH, "case": {"mode": "all_upper"}, "format": fmt("json")},
    {"language": {"code": "en"}, "existence": {"counts": {"tea": 3}}},
    {"sentences": {**QUESTIONS, "count": 0}, "headings": {"count": 0}},
    {"bullets": NUMBERED, "punctuation": {"mode": "exclude", "mark": "."}},
    {"length": {"unit": "characters", "relation": "between", "count": 300, "upper": 300}},
]


@pytest.mark.parametrize("active", ALLOWED, ids=str)
def test_allowed_and_built(active):
    assert find_conflict(active) is None
    assert isinstance(build_witness([Constraint(g, p) for g, p in active.items()], ("tea", "a")), str)


@pytest.mark.parametrize(
    ("group", "active", "closed"),
    [
        ("headings", {"format": fmt("csv")}, True),
        ("emphasis", {"format": fmt("html")}, False),
        ("placement", {"format": KEYS}, True),
        ("placement", {"format": fmt("json")}, False),
        ("start_with", {"placement": ACROSTIC}, True),
        ("digits", {"bullets": NUMBERED}, True),
        ("digits", {"bullets": {"count": 4}}, False),
    ],
)
def test_a_group_is_closed_when_no_parameter_is_left(group, active, closed):
    assert is_closed(group, active) is closed


def test_limits_of_a_range():
    params = {"unit": "words", "relation": "between", "count": 10, "upper": 20}
    assert (lower_limit(params, "words"), upper_limit(params, "words")) == (10, 20)


def test_csv_with_an_odd_number_of_cells_is_refused():
    active = {
        "format": {"mode": "csv"},
        "headings": {"count": 3},
        "language": {"code": "de"},
        "case": {"mode": "all_lower"},
        "punctuation": {"mode": "exclude", "mark": ","},
    }
    assert isinstance(build_fallback([Constraint(group, params) for group, params in active.items()], ()), Refusal)

"""What the table or its budgets exclude, though some text could be found: told with the row's reason."""

from __future__ import annotations

import pytest

from evolif.scenarios.instructions.audit.satisfiability import satisfiability
from evolif.scenarios.instructions.constraints import parse_constraints


def judged(**groups):
    return satisfiability(parse_constraints({"group": g, "params": p} for g, p in groups.items()))


SENTENCES = {"unit": "sentences", "relation": "exactly", "count": 10}

AWKWARD = [
    (
        {"length": SENTENCES, "punctuation": {"mode": "exclude", "mark": "."}},
        "sentences-without-stops",
        {"length", "punctuation"},
    ),
    (
        {"format": {"mode": "json"}, "end_with": {"mode": "quotation", "left": "{", "right": "}"}},
        "json-end-syntax",
        {"format", "end_with"},
    ),
    (
        {"format": {"mode": "csv"}, "start_with": {"mode": "quotation", "left": '"', "right": '"'}},
        "csv-start-quote",
        {"format", "start_with"},
    ),
    (
        {"format": {"mode": "xml"}, "length": {"unit": "paragraphs", "relation": "less_than", "count": 3}},
        "paragraphs-in-data",
        {"format", "length"},
    ),
    (
        {"bullets": {"count": 12}, "length": {"unit": "sentences", "relation": "less_than", "count": 10}},
        "items-budget",
        {"bullets", "length"},
    ),
    ({"existence": {"counts": {"tea": 10, "milk": 9, "sugar": 8}}}, "keywords-budget", {"existence"}),
    (
        {"existence": {"counts": {"tea": 10}}, "length": {"unit": "words", "relation": "less_than", "count": 4}},
        "length-budget",
        {"existence", "length"},
    ),
    (
        {"format": {"mode": "html"}, "length": {"unit": "words", "relation": "exactly", "count": 900}},
        "format-budget",
        {"format", "length"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("groups", "row", "conflict"), AWKWARD)
def test_a_row_of_the_table_is_the_reason(groups, row, conflict):
    for asked in (groups, {**groups, "forbidden": {"keywords": ["harbour"]}}):
        found = judged(**asked)
        assert found.status == "awkward"
        assert found.reason.startswith(f"{row}: ")
        assert set(found.conflict) == conflict


def test_a_text_without_room_for_sense_is_awkward_even_where_no_row_says_so():
    found = judged(existence={"counts": {"tea": 1}}, start_with={"mode": "keyword", "value": "tea"},
                   end_with={"mode": "keyword", "value": "tea"})  # fmt: skip
    assert found.status == "awkward"
    assert found.reason.startswith("word salad: ")


LETTER_K = {"mode": "letter", "value": "k"}
SATISFIABLE = [
    {},
    {"emotion": {"emotion": "sad"}},
    {"existence": {"counts": {"cargo bike": 1, "bike lane": 1, "bike": 1}}},
    {"existence": {"counts": {"kyoto": 3}}, "length": {"unit": "words", "relation": "exactly", "count": 200}},
    {"format": {"mode": "json"}, "start_with": LETTER_K, "case": {"mode": "share", "percent": 29}},
    {"bullets": {"count": 7}, "format": {"mode": "html"}, "punctuation": {"mode": "include", "mark": "￥"}},
    {"length": {"unit": "characters", "relation": "less_than", "count": 200}, "start_with": LETTER_K},
]  # fmt: skip


@pytest.mark.parametrize("groups", SATISFIABLE)
def test_what_the_generator_might_have_asked_is_satisfiable(groups):
    found = judged(**groups)
    assert (found.status, found.conflict, found.reason) == ("satisfiable", (), "")


def test_a_gap_between_bound_and_text_stays_undecided():
    # 50 letters are needed for certain; ten keywords with nothing between them are no occurrences, though.
    found = judged(
        existence={"counts": {"kyoto": 10}}, length={"unit": "characters", "relation": "exactly", "count": 55}
    )
    assert found.status == "undecided"
    assert "nor a proof" in found.reason

"""What the page says of checking a final answer: values, lists, reasons, and a second reader to compare with."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_answers import Goal, block, cancelled, dialogue, goal, item, number, reasons, text, withdrawn

from evolif.scenarios.shifts import check_answer


def reason(one: Goal, value: Any) -> str | None:
    """The reason that one goal is unmet when its key has a value; None if it is met."""
    [result] = check_answer(dialogue(one), block({one["key"]: value}))
    assert result["satisfied"] is (result["reason"] is None)
    return result["reason"]


# Text


@pytest.mark.parametrize(
    "value",
    [
        "Lisbon",
        "lisbon",
        "LISBON",
        "Lisbon, Portugal",
        "the city of Lisbon.",
        "  Lisbon\n",
        "**Lisbon**",
        "Lisbon's old town",
        "Lisbon-based",
        "(Lisbon)",
        "Lisboa",
        "lisboa",
        "not Porto but Lisbon",
    ],
)
def test_a_text_holds_the_value_or_an_alias(value: str) -> None:
    assert reason(text(aliases={"Lisbon": ["Lisboa"]}), value) is None


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ("old town", "the Old\u00a0Town"),
        ("old town", "old\n town"),
        ("Rock 'n' Roll", "rock ’n’ roll"),
        ("low-budget", "low‐budget"),
        ("Straße", "STRASSE"),
        ("art", "art history"),
        ("3 stars", "a hotel with 3 stars"),
    ],
)
def test_keywords_are_compared_by_the_reading_rules(wanted: str, value: str) -> None:
    assert reason(text(wanted), value) is None


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("Lisbons", "wrong"),
        ("Lisbon2", "wrong"),
        ("Lisb", "wrong"),
        ("Porto", "wrong"),
        ("none", "wrong"),
        (7, "wrong"),
        (None, "missing"),
        ("", "missing"),
        ("Ghent", "stale"),
        ("ghent", "stale"),
        ("Gent", "stale"),  # an alias of a superseded value
        ("Lisbon (instead of Ghent)", "stale"),
        ("Lisbon or Gent", "stale"),
        ("Ghent or Riga", "stale"),
        ("Riga", "other_branch"),
        ("Lisbon, or else Riga", "other_branch"),
        ("Riga and Ghent and Lisbon", "stale"),
    ],
)
def test_why_a_text_fails(value: Any, why: str) -> None:
    one = text(superseded=["Ghent"], other_branch=["Riga"], aliases={"Lisbon": ["Lisboa"], "Ghent": ["Gent"]})
    assert reason(one, value) == why


# Numbers


@pytest.mark.parametrize(
    "value",
    [
        1200,
        1200.0,
        "1200",
        "1,200",
        "1 200",
        "1\u202f200",
        "1\u00a0200",
        "1'200",
        "1’200",
        "1200.00",
        "1,200.00",
        "1.200,00",
        "€1200",
        "€ 1,200",
        "1200 €",
        "1200€",
        "$1,200",
        "EUR1200",
        "EUR 1200",
        "1200 EUR",
        "1,200 euros in all",
        "about 1200.",
        "(1200)",
        "**1200**",
    ],
)
def test_a_number_is_read_whatever_its_separators(value: Any) -> None:
    assert reason(number(1200), value) is None


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        (1.5, "1.5"),
        (1.5, 1.5),
        (1.5, "1,5"),
        (1.2, "1.200"),  # a dot is decimal
        (1200000, "1.200.000"),  # unless groups of three repeat
        (1200.5, "1.200,5"),  # or a decimal comma follows
        (1200000, "1,200,000"),
        (1200000.25, "1,200,000.25"),
        (12, "12 km"),
        (12, "12 %"),
        (12, "12%"),
        (3, "A4 paper, 3 sheets"),
        (0, 0),
        (0, "0"),
        (7, "07"),
    ],
)
def test_how_dots_and_commas_are_read(wanted: float, value: Any) -> None:
    assert reason(number(wanted), value) is None


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (1201, "wrong"),
        ("1200.5", "wrong"),
        ("12000", "wrong"),
        ("1.200", "wrong"),
        ("1200 or 1300", "wrong"),
        ("1000-1400", "wrong"),
        ("v1200", "wrong"),
        ("x1200y", "wrong"),
        ("twelve hundred", "wrong"),
        (True, "wrong"),
        (None, "missing"),
        ("", "missing"),
        (900, "stale"),
        ("900 EUR", "stale"),
        ("900.0", "stale"),
        ("1200, at first 900", "stale"),
        (2000, "other_branch"),
        ("900000", "wrong"),
    ],
)
def test_why_a_number_fails(value: Any, why: str) -> None:
    assert reason(number(1200, superseded=[900], other_branch=[2000]), value) == why


# Dates, times, yes and no


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("2027-05-14", None),
        (" 2027-05-14 ", None),
        ("2027-05-15", "wrong"),
        ("2027-5-14", "wrong"),
        ("14.05.2027", "wrong"),
        ("2027-13-14", "wrong"),
        (20270514, "wrong"),
        ("2027-05-21", "stale"),
        ("2027-06-01", "other_branch"),
        ("", "missing"),
        (None, "missing"),
    ],
)
def test_dates_are_iso_dates(value: Any, why: str | None) -> None:
    one = goal("start_date", "date", "2027-05-14", superseded=["2027-05-21"], other_branch=["2027-06-01"])
    assert reason(one, value) == why


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ("18:30", "18:30"),
        ("18:30", "1830"),
        ("18:30", "6:30 pm"),
        ("18:30", "6:30 PM"),
        ("18:30", "6:30pm"),
        ("18:30", "06:30 pm"),
        ("18:00", "6 pm"),
        ("18:00", "6pm"),
        ("09:05", "9:05"),
        ("09:05", "09:05"),
        ("09:05", "0905"),
        ("09:05", "9:05 am"),
        ("00:15", "12:15 am"),
        ("12:15", "12:15 pm"),
        ("00:00", "0:00"),
        ("00:00", "12 am"),
        ("12:00", "12 pm"),
        ("23:59", "11:59 pm"),
    ],
)
def test_times_of_day(wanted: str, value: str) -> None:
    assert reason(goal("start_hhmm", "time", wanted), value) is None


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("6:30", "wrong"),  # in the morning
        ("6:30 am", "wrong"),
        ("18:31", "wrong"),
        ("18:60", "wrong"),
        ("25:30", "wrong"),
        ("13:30 pm", "wrong"),
        ("evening", "wrong"),
        ("19:00", "stale"),
        ("7 pm", "stale"),
        ("1900", "stale"),
        ("20:00", "other_branch"),
        ("", "missing"),
        (None, "missing"),
    ],
)
def test_why_a_time_fails(value: Any, why: str) -> None:
    assert reason(goal("start_hhmm", "time", "18:30", superseded=["19:00"], other_branch=["20:00"]), value) == why


@pytest.mark.parametrize(
    ("wanted", "value", "why"),
    [
        (True, True, None),
        (True, "true", None),
        (True, "yes", None),
        (True, "Yes", None),
        (True, "YES", None),
        (True, False, "wrong"),
        (True, "no", "wrong"),
        (True, "maybe", "wrong"),
        (True, "", "missing"),
        (True, None, "missing"),
        (False, False, None),
        (False, "false", None),
        (False, "no", None),
        (False, "No", None),
        (False, True, "wrong"),
        (False, "yes", "wrong"),
        (False, None, "missing"),
    ],
)
def test_yes_and_no(wanted: bool, value: Any, why: str | None) -> None:
    assert reason(goal("breakfast", "yes_no", wanted), value) == why


@pytest.mark.parametrize("wanted", [True, False])
def test_a_change_of_mind_about_yes_and_no(wanted: bool) -> None:
    one = goal("breakfast", "yes_no", wanted, superseded=[not wanted])
    assert reason(one, wanted) is None
    assert reason(one, not wanted) == "stale"
    assert reason(one, "no" if wanted else "yes") == "stale"


# Lists


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (["Tram 28"], None),
        (["a castle", "Tram 28 in the morning"], None),
        ("Tram 28", None),
        ("a castle, tram 28; a market", None),
        ("a castle\nTram 28", None),
        ("a castle;Tram 28", None),
        (["Tram"], "missing"),
        ("Tram, 28", "missing"),  # no entry holds it
        ("Tram\n28", "missing"),
        (["Tram", "28"], "missing"),
        (["Trams 28"], "missing"),
        ([], "missing"),
        ("", "missing"),
        (None, "missing"),
        ("a castle", "missing"),
    ],
)
def test_an_item_is_in_an_entry(value: Any, why: str | None) -> None:
    assert reason(item("Tram 28"), value) == why


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (["castle"], None),
        ("castle", None),
        ("castle, market", None),
        (["Trams 28"], None),
        (["castle", "Tram 28"], "cancelled"),
        ("castle; tram 28", "cancelled"),
        (["Tram 28 (cancelled)"], "cancelled"),
        ([], "missing"),
        ("", "missing"),
        (" , ;", "missing"),
        (None, "missing"),
    ],
)
def test_a_cancelled_item_is_in_no_entry(value: Any, why: str | None) -> None:
    assert reason(cancelled("Tram 28"), value) == why


def test_an_item_may_have_other_names() -> None:
    aliases = {"Tram 28": ["the yellow tram"]}
    assert reason(item("Tram 28", aliases=aliases), ["The yellow tram"]) is None
    assert reason(cancelled("Tram 28", aliases=aliases), ["castle", "the yellow tram"]) == "cancelled"


# Withdrawn goals

MET = text()


def withdrawn_reason(one: Goal, answer: dict[str, Any]) -> str | None:
    results = check_answer(dialogue(MET, one), block(answer))
    return results[1]["reason"]


@pytest.mark.parametrize("rest", [{}, {"budget_eur": None}, {"budget_eur": ""}])
def test_a_withdrawn_goal_is_left_out(rest: dict[str, Any]) -> None:
    one = withdrawn(1200, "budget_eur", "number")
    assert withdrawn_reason(one, {"destination": "Lisbon", **rest}) is None


@pytest.mark.parametrize("rest", [{}, {"budget_eur": None}, {"budget_eur": ""}])
@pytest.mark.parametrize("destination", [{}, {"destination": "Porto"}, {"destination": None}])
def test_nothing_passes_by_being_empty(rest: dict[str, Any], destination: dict[str, Any]) -> None:
    one = withdrawn(1200, "budget_eur", "number")
    assert withdrawn_reason(one, {"x": 1, **destination, **rest}) == "missing"


def test_withdrawn_goals_do_not_carry_each_other() -> None:
    goals = [withdrawn(1200, "budget_eur", "number"), withdrawn("Ibis", "hotel"), cancelled("Tram 28")]
    results = check_answer(dialogue(*goals), block({"sights": ["castle"]}))
    assert [r["reason"] for r in results] == ["missing", "missing", None]


def test_an_item_that_is_there_carries_a_withdrawn_goal() -> None:
    results = check_answer(dialogue(withdrawn("Ibis", "hotel"), item("castle")), block({"sights": ["castle"]}))
    assert [r["reason"] for r in results] == [None, None]


@pytest.mark.parametrize(
    ("value", "why"), [(1200, "cancelled"), ("1,200 EUR", "cancelled"), (900, "stale"), (800, "wrong")]
)
def test_what_is_there_in_place_of_a_withdrawn_value(value: Any, why: str) -> None:
    one = withdrawn(1200, "budget_eur", "number", superseded=[900])
    assert withdrawn_reason(one, {"destination": "Lisbon", "budget_eur": value}) == why


@pytest.mark.parametrize(("value", "why"), [("Ibis", "cancelled"), ("hotel ibis", "cancelled"), ("Ritz", "wrong")])
def test_what_is_there_in_place_of_a_withdrawn_text(value: Any, why: str) -> None:
    assert withdrawn_reason(withdrawn("Ibis", "hotel"), {"destination": "Lisbon", "hotel": value}) == why


# Results


def test_results_are_in_the_order_of_the_goals() -> None:
    goals = [number(), text(), item("castle"), goal("start_hhmm", "time", "18:30")]
    results = check_answer(dialogue(*goals), block({"destination": "Lisbon", "start_hhmm": "7 am"}))
    assert [r["id"] for r in results] == [g["id"] for g in goals]
    assert [set(r) for r in results] == [{"id", "satisfied", "reason", "found"}] * 4
    assert [r["satisfied"] for r in results] == [False, True, False, False]
    assert [r["reason"] for r in results] == ["missing", None, "missing", "wrong"]


@pytest.mark.parametrize(("value", "found"), [("Porto", "Porto"), ("Lisbon", "Lisbon"), ("", ""), (None, "")])
def test_what_was_found(value: Any, found: str) -> None:
    [result] = check_answer(dialogue(text()), block({"destination": value}))
    assert result["found"] == found


def test_found_is_text_and_empty_where_there_is_nothing() -> None:
    goals = [number(), goal("breakfast", "yes_no", True), item("castle"), text()]
    answer = {"budget_eur": 900, "breakfast": False, "sights": ["market"]}
    found = [r["found"] for r in check_answer(dialogue(*goals), block(answer))]
    assert found[0] == "900"
    assert all(isinstance(f, str) for f in found)
    assert found[3] == ""


def test_keys_match_exactly() -> None:
    answer = {"Destination": "Lisbon", "destination ": "Lisbon", "DESTINATION": "Lisbon"}
    [result] = check_answer(dialogue(text()), block(answer))
    assert (result["satisfied"], result["reason"], result["found"]) == (False, "missing", "")


@pytest.mark.parametrize("answer", ["", "Lisbon, for 1200 euros.", "destination: Lisbon", "```json\n{\n```"])
def test_all_goals_are_unreadable_without_an_object(answer: str) -> None:
    goals = [text(), number(), cancelled("castle"), withdrawn("Ibis", "hotel")]
    results = check_answer(dialogue(*goals), answer)
    assert [r["reason"] for r in results] == ["unreadable"] * 4
    assert [r["satisfied"] for r in results] == [False] * 4
    assert [r["found"] for r in results] == [""] * 4


# The second reader

CITIES = ["Lisbon", "Ghent", "Riga", "Porto", "Turin"]
SIGHTS = ["castle", "market", "old tram", "tower"]
SUMS = [500, 900, 1200, 2000]


def fields(values: list[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A goal's value, and others that were superseded or belong to another branch."""
    return st.permutations(values).flatmap(
        lambda order: st.tuples(st.integers(0, 1), st.integers(0, 1)).map(
            lambda n: {"value": order[0], "superseded": order[1 : 1 + n[0]], "other_branch": order[2 : 2 + n[1]]}
        )
    )


POLARITY = st.sampled_from(["present", "present", "absent"])
ONE_CITY = st.builds(lambda f, p: goal("destination", "text", polarity=p, **f), fields(CITIES), POLARITY)
ONE_SUM = st.builds(lambda f, p: goal("budget_eur", "number", polarity=p, **f), fields(SUMS), POLARITY)
ONE_YES = st.builds(lambda v: goal("breakfast", "yes_no", v, superseded=[not v]), st.booleans())
ITEMS = st.dictionaries(st.sampled_from(SIGHTS), POLARITY, max_size=3).map(
    lambda found: [item(v, polarity=p) for v, p in found.items()]
)
GOALS = st.builds(lambda a, b, c, d: [a, *d, b, c], ONE_CITY, ONE_SUM, ONE_YES, ITEMS)
CITY_VALUES = st.one_of(st.sampled_from([None, "", *CITIES]), st.permutations(CITIES).map(lambda c: " or ".join(c[:2])))
SUM_VALUES = st.one_of(st.none(), st.sampled_from(SUMS), st.sampled_from(SUMS).map(lambda n: f"{n:,} euros"))
YES_VALUES = st.sampled_from([None, True, False, "yes", "no", "perhaps"])
LISTS = st.lists(st.sampled_from([*SIGHTS, "the Castle hill", "river"]), max_size=3)
SIGHT_VALUES = st.one_of(st.none(), LISTS, LISTS.map("; ".join), LISTS.map("\n".join))
ANSWERS = st.fixed_dictionaries(
    {}, optional={"destination": CITY_VALUES, "budget_eur": SUM_VALUES, "breakfast": YES_VALUES, "sights": SIGHT_VALUES}
)


@settings(max_examples=300)
@given(GOALS, ANSWERS)
def test_both_readers_agree(goals: list[Goal], answer: dict[str, Any]) -> None:
    results = check_answer(dialogue(*goals), block(answer))
    assert [r["reason"] for r in results] == reasons(goals, answer)
    assert [r["satisfied"] for r in results] == [r is None for r in reasons(goals, answer)]

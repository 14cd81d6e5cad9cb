"""Which judged answers a person is shown."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_run import MODELS, Said, plant, small

from evolif import InputError, UsageError
from evolif.judge_audit.sample import (
    JudgedVerdict,
    VerdictPlace,
    audit_folder,
    deal,
    draw_sample,
    judged_answers,
    load_sample,
    read_items,
)
from evolif.review.answers import answer_blocks
from evolif.runner import load_run
from evolif.scenario import Scenario
from evolif.scenarios.instructions.scenario import InstructionFollowing

ONE, TWO = MODELS


def population(**cells: int) -> list[JudgedVerdict]:
    """Named `group_outcome_model`."""
    found = []
    for name, count in cells.items():
        group, outcome, model = name.split("_")
        for _ in range(count):
            found.append(JudgedVerdict(VerdictPlace(len(found), 1, 0), model, group, outcome == "yes"))
    return found


def dealt(judged: list[JudgedVerdict], size: int, seed: int = 0) -> Counter[str]:
    by_place = {one.place: one for one in judged}
    drawn = deal(judged, seed, size)
    assert len(set(drawn)) == len(drawn)
    names = (by_place[place] for place in drawn)
    return Counter(f"{one.group}_{'yes' if one.accepted else 'no'}_{one.model}" for one in names)


def test_rare_outcomes_are_there_as_often_and_models_share() -> None:
    judged = population(
        emotion_yes_a=900, emotion_yes_b=100, emotion_no_a=12, emotion_no_b=20, style_yes_a=50, style_no_b=4
    )
    found = dealt(judged, 24)
    both = {name: (found[f"{name}_a"], found[f"{name}_b"]) for name in ("emotion_yes", "emotion_no")}
    assert found["style_no_b"] == 4
    assert sorted([found["style_yes_a"], *map(sum, both.values())]) == [6, 7, 7]
    assert all(abs(a - b) <= 1 for a, b in both.values())


def test_what_one_stratum_lacks_goes_to_the_others() -> None:
    judged = population(emotion_yes_a=100, emotion_no_a=3, style_yes_a=1)
    assert dealt(judged, 30) == {"emotion_yes_a": 26, "emotion_no_a": 3, "style_yes_a": 1}
    assert dealt(judged, 1000) == {"emotion_yes_a": 100, "emotion_no_a": 3, "style_yes_a": 1}


@given(
    st.lists(st.tuples(st.sampled_from("gh"), st.booleans(), st.sampled_from("abc")), max_size=40),
    st.integers(0, 45),
    st.integers(0, 9),
)
def test_a_deal_is_fair_and_begins_a_larger_one(kinds, size, seed) -> None:
    judged = [
        JudgedVerdict(VerdictPlace(n, 1, 0), model, group, outcome) for n, (group, outcome, model) in enumerate(kinds)
    ]
    drawn = deal(judged, seed, size)
    assert len(drawn) == min(size, len(judged)) and deal(judged, seed, size + 7)[:size] == drawn
    kind = dict(zip((one.place for one in judged), kinds, strict=True))
    taken = Counter(kind[place][:2] for place in drawn)
    held = Counter(one[:2] for one in kinds)
    for one in held:
        for other in held:  # nobody got two more than somebody who still had some
            assert taken[one] <= taken[other] + 1 or taken[other] == held[other]


def test_a_seed_gives_its_sample_again_and_another_gives_another() -> None:
    judged = population(emotion_yes_a=50, emotion_no_a=50)
    assert deal(judged, 3, 20) == deal(judged, 3, 20) != deal(judged, 4, 20)


def test_what_a_judge_said_is_the_population_and_nothing_else(tmp_path) -> None:
    path = plant(
        tmp_path / "r",
        [
            Said(ONE, 1, 1, (("emotion", True), ("style", False))),
            Said(ONE, 1, 2, (("emotion", None), ("style", True))),  # no score could be read
            Said(ONE, 2, 1, (("emotion", False),), asked=False),  # an empty answer: nobody was asked
            Said(TWO, 1, 1, (("emotion", False), ("style", True)), heuristic=True),
        ],
    )
    with closing(load_run(path)) as run:
        found = {(one.model, one.place, one.group, one.accepted) for one in judged_answers(run)}
    assert found == {
        (ONE, VerdictPlace(1, 1, 1), "emotion", True),
        (ONE, VerdictPlace(1, 1, 2), "style", False),
        (ONE, VerdictPlace(1, 2, 2), "style", True),
        (TWO, VerdictPlace(3, 1, 1), "emotion", False),
        (TWO, VerdictPlace(3, 1, 2), "style", True),
    }


def test_a_sample_is_drawn_once_and_grows(tmp_path) -> None:
    with closing(load_run(small(tmp_path / "r"))) as run:
        first = draw_sample(run, 5, 8)
        assert len(first.places) == 8 and load_sample(run.path) == first
        assert draw_sample(run) == first == draw_sample(run, 5) == draw_sample(run, size=8)
        more = draw_sample(run, size=14)
        assert more.places[:8] == first.places and len(set(more.places)) == 14
        assert more.population == first.population and sum(cell.answers for cell in more.population) == 24
        with pytest.raises(UsageError, match="drawn with seed 5"):
            draw_sample(run, 6)
        with pytest.raises(UsageError, match="has 14 answers; it can only grow"):
            draw_sample(run, size=13)
        assert len(draw_sample(run, size=500).places) == 24


def test_a_run_with_other_answers_than_at_the_draw_lets_no_sample_grow(tmp_path) -> None:
    with closing(load_run(small(tmp_path / "r"))) as run:
        draw_sample(run, size=4)
    with closing(load_run(small(tmp_path / "other", flipped=True))) as other:
        audit_folder(other.path).mkdir()
        (audit_folder(other.path) / "sample.json").write_bytes((audit_folder(run.path) / "sample.json").read_bytes())
        with pytest.raises(UsageError, match="has changed since the sample was drawn"):
            draw_sample(other, size=9)


def test_a_run_without_a_judge_is_told_how_to_get_one(tmp_path) -> None:
    path = plant(tmp_path / "r", [Said(ONE, 1, 1, (("emotion", None),))])
    with closing(load_run(path)) as run, pytest.raises(UsageError, match="evolif rejudge"):
        draw_sample(run)


def test_the_order_tells_nothing_of_the_outcome(tmp_path) -> None:
    orders = []
    for flipped in (False, True):
        with closing(load_run(small(tmp_path / str(flipped), flipped=flipped))) as run:
            orders.append(draw_sample(run, 0, 100).places)
    assert orders[0] == orders[1]


def test_items_hold_the_answer_without_its_reasoning_and_the_scale(tmp_path) -> None:
    path = plant(
        tmp_path / "r", [Said(ONE, 1, 1, (("emotion", True),), text="<think>hm</think>So glad!\r\nYes.", query="Q?")]
    )
    with closing(load_run(path)) as run:
        [item] = read_items(run, draw_sample(run))
    assert (item.number, item.group, item.value, item.query) == (1, "emotion", "happy", "Q?")
    assert item.answer == "So glad!\nYes."
    assert [line.split(":")[0] for line in item.scale] == ["1-2", "3-4", "5-6", "7-8", "9-10"]
    assert "happiness" in item.question and "happiness" in item.description


def test_a_scenario_that_does_not_say_what_was_asked_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(InstructionFollowing, "criteria", Scenario.criteria)
    with closing(load_run(small(tmp_path / "r"))) as run:
        sample = draw_sample(run)
        with pytest.raises(UsageError, match="the scenario instructions does not say what the judge decided on"):
            read_items(run, sample)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "[" * 100_000, '{"version": 2, "seed": 0, "population": [], "places": []}',
     '{"version": 1, "seed": 0, "population": [], "places": [[1, 1, 1], [1, 1, 1]]}',
     '{"version": 1, "seed": -1, "population": [], "places": []}', "\xff"],
)  # fmt: skip
def test_a_broken_sample_is_named(tmp_path, text) -> None:
    audit_folder(tmp_path).mkdir()
    (audit_folder(tmp_path) / "sample.json").write_text(text, "latin-1")
    with pytest.raises(InputError, match=r"sample\.json: "):
        load_sample(tmp_path)


def test_a_sample_of_another_run_is_no_sample_of_this(tmp_path) -> None:
    with closing(load_run(small(tmp_path / "r"))) as run:
        sample = draw_sample(run, size=4)
        told = json.loads((audit_folder(run.path) / "sample.json").read_text("utf-8"))
        for place in ([99, 1, 1], [1, 9, 1], [1, 1, 7]):
            with pytest.raises(UsageError, match="does not contain answer 1 "):
                read_items(run, sample._replace(places=(VerdictPlace(*place),)))
    assert told["places"] == [list(place) for place in sample.places] and "secret" not in json.dumps(told["places"])


def test_a_reviewer_sees_which_words_react_to_the_answer_before(tmp_path) -> None:
    remark = "that was 7 \x1b[31m bullets, I said 3."
    said = Said(ONE, 1, 2, (("emotion", True),), query=f"{remark} And the next one?", remark=remark)
    plain = Said(ONE, 2, 1, (("emotion", True),), query="And the next one?")
    with closing(load_run(plant(tmp_path / "r", [said, plain]))) as run:
        first, second = sorted(read_items(run, draw_sample(run)), key=lambda item: len(item.query), reverse=True)
    *_, (title, query) = answer_blocks(first, 2, ())
    assert title.endswith("in bold what reacts to the answer before")
    [(start, end, _)] = [mark for mark in query.marks if mark[2] == "strong"]
    assert query.text[start:end] == "that was 7 \\x1b[31m bullets, I said 3."
    *_, (title, query) = answer_blocks(second, 2, ())
    assert "bold" not in title and query.text == "And the next one?" and not query.marks

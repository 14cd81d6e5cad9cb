"""What questions, checklists and layouts must satisfy, on 200 dialogues of each task and sport."""

from __future__ import annotations

import pytest
import test_broadcast_page_checklists as checklists
import test_broadcast_page_questions as questions
from page_referee import SPORTS

pytestmark = pytest.mark.slow
each_sport = pytest.mark.parametrize("sport", SPORTS)


@pytest.fixture(autouse=True)
def two_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (checklists, questions):
        monkeypatch.setattr(module, "NUMBER", 200)


@each_sport
def test_retrieval(sport: str) -> None:
    questions.test_anchored_events(sport)
    questions.test_a_target_is_no_break(sport)
    questions.test_a_delta_is_said_in_minutes_and_seconds(sport)
    questions.test_intervals(sport)
    questions.test_turns_between_target_and_question(sport)
    checklists.test_intervals(sport)
    if sport == "basketball":
        checklists.test_points_of_a_moment()
    else:
        checklists.test_faceoffs_of_a_moment()


@each_sport
@pytest.mark.parametrize("task", ["IR", "TS"])
def test_reasoning(task: str, sport: str) -> None:
    questions.test_changes_of_the_lead(task, sport)
    questions.test_nobody_asks_about_now(task, sport)
    checklists.test_changes(task, sport)
    checklists.test_the_last_score(task, sport)
    if sport == "basketball":
        questions.test_the_impact_on_the_score(task)
        questions.test_half_of_the_cases_differ(task)
        questions.test_half_of_the_named_players_made_a_free_throw(task)
        checklists.test_impacts_on_the_score(task)
    else:
        questions.test_the_impact_on_faceoffs(task)
        checklists.test_impacts_on_faceoffs(task)


@each_sport
def test_instructions(sport: str) -> None:
    questions.test_statistics(sport)
    questions.test_statistics_are_of_the_two_best(sport)
    checklists.test_told_scores(sport)
    checklists.test_acrostics(sport)
    checklists.test_statistics_with_summary(sport)

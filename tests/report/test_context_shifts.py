"""What a report shows of topic-shift dialogues: failures by reason, what was shown, decisions; counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from shift_dialogues import GOLD, dialogue, reply

from evolif.runner.context_record import ContextRecord
from evolif.scenarios.shifts import check_answer
from evolif.scenarios.shifts.dialogue import ShiftDialogue
from evolif.scenarios.shifts.lines import lines_of
from evolif.scenarios.shifts.report import (
    decision_shares,
    decisions_grid,
    failure_shares,
    failures_grid,
    failures_map,
    recall_grid,
    recall_shares,
    shift_grids,
    shift_object,
)
from evolif.scenarios.shifts.results import goal_scores
from evolif.scenarios.shifts.scenario import Shifts
from evolif.scenarios.shifts.sessions import PlayedDialogue, play_of
from evolif.types import JudgedTurn, Message, Prompt, Session


def prompts_of(played: ShiftDialogue) -> list[Prompt]:
    return [
        Prompt(
            1,
            number,
            (Message("user", line["query"]),),
            payload={key: value for key, value in line.items() if key not in ("query", "labels")},
            labels=line["labels"],
        )
        for number, line in enumerate(lines_of(played), 1)
    ]


def records_of(answer: str, builts: Sequence[ContextRecord | None], notes: dict[int, Any] | None = None) -> list[Any]:
    """Turns as a run stores them, as far as reports need them."""
    played, records = dialogue(), []
    for prompt, built in zip(prompts_of(played), builts, strict=True):
        last = prompt.turn == played.rounds
        scores = goal_scores(played.checkpoints, check_answer(played, answer)) if last else ()
        judged = JudgedTurn(prompt.turn, (), prompt.labels, scores)
        said = answer if last else f"Reply {prompt.turn}."
        own = (notes or {}).get(prompt.turn, {})
        records.append(SimpleNamespace(prompt=prompt, answer=said, built=built, notes=own, judged=judged))
    return records


def play(
    number: int, answer: str, builts: Sequence[ContextRecord | None] | None = None, **notes: Any
) -> PlayedDialogue:
    records = records_of(answer, builts or [None] * 8, {int(key[1:]): value for key, value in notes.items()})
    found = play_of(Session("sim/a", number, 1, None, "finished"), records, lambda prompt, said: said)
    assert found is not None
    return found


def built(decisions: Sequence[Any], shown: dict[int, Any]) -> list[ContextRecord]:
    return [ContextRecord(shown if turn == 8 else {}, decision) for turn, decision in enumerate(decisions, 1)]


def test_failures_are_counted_per_goal_and_reason() -> None:
    plays = [play(1, reply()), play(2, reply(budget_eur=900, sights=["the harbour", "the tower"])), play(3, "Sorry.")]
    found = failure_shares(plays)
    counts = {reason: round(share.value * 15) for reason, share in found.items() if share.value}
    assert counts == {"stale": 1, "cancelled": 1, "unreadable": 5, "unmet": 7}
    assert found["stale"].of == 15 and found["stale"].interval is None  # three dialogues
    grid = failures_grid({"a": plays, "b": plays[:1]})
    assert [name.partition(":")[0] for name, _ in grid.rows][:2] == ["stale", "cancelled"]
    assert [cell.value for cell in grid.rows[-1][1]] == ["46.7", "0.0"]
    drawn = failures_map({"a": plays})
    assert drawn.columns[:3] == ("stale", "cancelled", "other branch")
    [(_, cells)] = drawn.rows
    assert [round(15 * (cell.value or 0)) for cell in cells] == [1, 1, 0, 0, 0, 5] and cells[0].of == 15


def test_epochs_of_a_dialogue_are_pooled_and_intervals_go_over_dialogues() -> None:
    plays = [play(number, reply(budget_eur=900 if number % 2 else 1200)) for number in (1, 2, 3, 4, 5, 6, 6)]
    found = failure_shares(plays)["stale"]
    assert found.value == pytest.approx(3 / 35) and found.of == 35
    assert found.interval is not None and found.interval[0] < 3 / 35 < found.interval[1]


def test_the_full_history_shows_everything() -> None:
    found = recall_shares([play(1, reply())])
    assert {name: share.value for name, share in found.items()} == {
        "full": 1, "summary": 0, "absent": 0, "kept_value": 1
    }  # fmt: skip


def test_recall_counts_turns_and_kept_values_of_what_was_sent() -> None:
    # Goals come from turns 1, 2, 4 and 6.
    shown = built([None] * 8, {1: "summary", 6: "full"})
    bare = recall_shares([play(1, reply(), shown)])
    assert (bare["full"].value, bare["summary"].value, bare["absent"].value) == (0.25, 0.25, 0.5)
    # Ghent is in the final request; the budget and the harbour are nowhere.
    assert bare["kept_value"].value == pytest.approx(1 / 3) and bare["kept_value"].of == 3
    noted = recall_shares([play(1, reply(), shown, n2={"summaries": {"1": "The budget is 1,200 euros."}})])
    assert noted["kept_value"].value == pytest.approx(2 / 3)
    condensed = play(1, reply(), shown, n2={"summaries": {"1": "1,200 euros"}}, n8={"condensed": {"1": "A budget."}})
    assert recall_shares([condensed])["kept_value"].value == pytest.approx(1 / 3)
    [*_, kept] = recall_grid({"a": [play(1, reply(), shown)]}).rows
    assert kept == ("goals whose value is there", kept[1]) and kept[1][0].value == "33"


def test_decisions_are_compared_with_the_gold() -> None:
    right = play(1, reply(), built(GOLD, {}))
    found = {name: share.value for name, share in decision_shares([right]).items()}
    assert found == dict.fromkeys(found, 1.0) | {"extra_branches": 0.0}
    lazy = play(2, reply(), built([GOLD[0], *[{"topic": {"action": "CONTINUE"}, "branch": None}] * 7], {}))
    both = decision_shares([right, lazy])
    # The lazy one is right where the topic is the first one: turns 2, 4, 6 and 8.
    assert both["topic_accuracy"].value == pytest.approx((7 + 4) / 14)
    assert both["fork_accuracy"].value == 0.5 and both["fork_accuracy"].of == 2
    assert both["return_named"].of == both["return_implicit"].of == 2
    grid = decisions_grid({"tree": [right], "last:4": [play(1, reply())]})
    assert grid is not None and grid.heads == ("tree",)
    assert decisions_grid({"last:4": [play(1, reply())]}) is None


def test_misplaced_rounds_say_where_they_belong() -> None:
    prompts, scenario = prompts_of(dialogue()), Shifts()
    assert scenario.presentation.misplaced(prompts, GOLD) == {}
    found = scenario.presentation.misplaced(prompts, [GOLD[0], *[None] * 7])
    assert found is not None and set(found) == {3, 4, 5, 6, 7}
    assert set(scenario.presentation.misplaced(prompts[:4], [GOLD[0], None, None, None]) or ()) == {3, 4}


def test_imported_dialogues_have_failures_alone() -> None:
    found = PlayedDialogue(1, play(1, reply(budget_eur=900)).goals)
    assert failure_shares([found])["stale"].value == 0.2
    assert not recall_grid({"a": [found]}).rows
    assert [name for name, _ in failures_grid({"a": [found]}).rows] == ["all unmet goals"]
    assert [grid.name for grid in shift_grids({"a": [found]})] == ["failures"]
    data = shift_object([found])
    assert data["recall"]["full"]["value"] is None and data["failures"]["unmet"]["of"] == 5


def test_a_session_without_a_final_answer_is_left_out() -> None:
    records = records_of(reply(), [None] * 8)[:-1]
    assert play_of(Session("sim/a", 1, 1, None, "censored"), records, lambda prompt, said: said) is None

"""Variants of the same matches, compared in pairs."""

import math
from dataclasses import replace

import pytest
from broadcast_sessions import played

from evolif.scenarios.broadcast.ablations import (
    ablation_grids,
    ablation_object,
    ablation_remarks,
    comparisons,
    variants_of,
)
from evolif.scenarios.broadcast.pair_retrieval import fact_scores
from evolif.scenarios.broadcast.sessions import BroadcastColumn, column_of, match_of
from evolif.types import CREDIT, JudgedTurn, Message, Prompt, Score, Session, Verdict


def column(*sessions):
    return BroadcastColumn("m", tuple(map(match_of, sessions)), resamples=300)


def pairs(first, second, names, number=12):
    """Dialogues of so many matches, each as two variants; a word `{}` takes part in every second match."""
    sessions = []
    for match in range(number):
        for turns, name in zip((first, second), names, strict=True):
            own = turns[match % len(turns)]
            sessions.append(played(len(sessions) + 1, own, variant=name, match=match))
    return sessions


def test_variants_of_a_match_are_compared_over_their_questions_only():
    own = column(*pairs(["A1 A1 S0", "A1 A.5 S0"], ["S1 A.5 A.5 M1", "A.5 A0"], ("", "whole")))
    [found] = comparisons(own)
    assert (found.measure, found.reference, found.variant) == ("questions", "turn by turn", "whole")
    assert (found.base.value, found.value.value, found.value.of) == (0.875, 0.375, 12)
    # All matches differ alike: what is left is the share of matches that may have been missed.
    assert found.difference == -0.5 and found.p == 2**-11
    far = 1 - 0.025 ** (1 / 12)
    assert found.interval == pytest.approx((-0.5 - far, -0.5 + far))


def test_a_difference_is_tested_over_matches_that_are_paired():
    stats = pytest.importorskip("scipy.stats")
    scores = [
        (1, 0.5),
        (0.5, 0.75),
        (1, 0.25),
        (0.75, 0.75),
        (1, 0),
        (0.25, 0.5),
        (1, 0.75),
        (0.75, 0.25),
        (1, 1),
        (0.5, 0),
    ]
    sessions = []
    for match, pair in enumerate(scores):
        for score, name in zip(pair, ("", "whole"), strict=True):
            own = played(len(sessions) + 1, f"A{score}", variant=name, match=match)
            sessions += [own, replace(own, epoch=1)]
    [found] = comparisons(column(*sessions))
    apart = [other - one for one, other in scores]
    own = [value - sum(apart) / 10 for value in apart]
    squares = sum(value**2 for value in own)
    freedom = min(9, 20 / (10 * sum(value**4 for value in own) / squares**2 - 1))
    error = math.sqrt(squares / 90)
    half = stats.t.ppf(0.975, freedom) * error
    assert found.difference == pytest.approx(sum(apart) / 10) and found.value.of == 10
    assert found.interval == pytest.approx((found.difference - half, found.difference + half))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.difference) / error, freedom))


def test_fewer_than_six_matches_are_not_tested_however_many_epochs_they_have():
    sessions = pairs(["A1"], ["A0"], ("", "whole"), number=5)
    [found] = comparisons(column(*sessions, *(replace(session, epoch=1) for session in sessions)))
    assert (found.difference, found.interval, found.p, found.value.interval) == (-1, None, None, None)


def test_matches_that_only_one_variant_has_are_left_out():
    sessions = pairs(["A1"], ["A0"], ("ask_after=1", "ask_after=3"))
    [found] = comparisons(column(*sessions[:-1]))
    assert (found.value.of, found.reference, found.variant) == (11, "ask_after=1", "ask_after=3")


def test_each_variant_is_compared_with_the_first():
    sessions = []
    for match in range(8):
        for name, score in (("switch=math", 0.5), ("switch=chat", 0.75), ("switch=none", 1.0)):
            sessions.append(played(len(sessions) + 1, f"T{score} M0", variant=name, match=match, task="TS"))
    found = comparisons(column(*reversed(sessions)))
    assert [(one.variant, one.reference, one.difference) for one in found] == [
        ("switch=chat", "switch=math", 0.25), ("switch=none", "switch=math", 0.5)
    ]  # fmt: skip
    [grid] = ablation_grids([column(*sessions)])
    assert [name for name, _ in grid.rows] == [
        "questions, switch=math", "questions, switch=chat", "questions, switch=chat − switch=math",
        "questions, switch=none", "questions, switch=none − switch=math",
    ]  # fmt: skip
    cell = dict(grid.rows)["questions, switch=none − switch=math"][0]
    assert cell.value == "50" and "p .008" in cell.aside


def test_parts_of_a_period_are_compared_in_questions_and_in_scores_and_errors_pile_up():
    own = column(*pairs(["S1 S0 S0 A1"], ["S1 S0 S0 S0 S1 A.5"], ("chunks=5", "chunks=10")))
    questions, scores = comparisons(own)
    assert questions.measure == "questions" and questions.difference == -0.5
    assert scores.measure == "scores" and scores.difference == pytest.approx(2 / 5 - 1 / 3)
    _, errors = ablation_grids([own])
    cells = {name: row[0] for name, row in errors.rows}
    assert cells["chunks=5, after a wrong one"].value == "100" and cells["chunks=10, after a wrong one"].value == "67"
    assert "of 36" in cells["chunks=10, after a wrong one"].aside


def test_nothing_is_compared_without_variants():
    own = column(played(1, "A1"), played(2, "A0"))
    assert variants_of(own.matches) == {} and comparisons(own) == [] and list(ablation_grids([own])) == []
    assert list(ablation_remarks("m", own)) == [] and ablation_object(own) == []


def test_epochs_of_a_match_are_taken_together():
    sessions = pairs(["A1"], ["A0"], ("", "whole"), number=6)
    again = [replace(session, epoch=1) for session in sessions]
    [once], [twice] = comparisons(column(*sessions)), comparisons(column(*sessions, *again))
    assert once == twice and once.value.of == 6


def test_sentences_and_machines_say_the_same():
    own = column(*pairs(["A1"], ["A.5"], ("", "whole")))
    [sentence] = ablation_remarks("gpt", own)
    assert (
        sentence.startswith("gpt, whole against turn by turn: questions −50 [")
        and "over 12 matches, p <.001." in sentence
    )
    [found] = ablation_object(own)
    assert found["difference"]["value"] == -0.5 and found["matches"] == 12 and found["value"]["value"] == 0.5


# The same evidence asked for at a moment and in an interval.


def told(number, kind, items, *, gate=True):
    """A turn with a verdict for each item (event, part of it, whether it is told), and a gate."""
    own = tuple(Verdict("fact", right, "", "") for _, _, right in items)
    own += (Verdict("gate: wrong player" if kind == "A" else "gate: false facts", gate, "", ""),)
    turn = JudgedTurn(number, own, {"task": "CR", "kind": kind}, (Score(CREDIT, 0.5),))
    checklist = [{"kind": "fact", "weight": 1 / len(items), "asks": asks, **event} for event, asks, _ in items]
    return turn, Prompt(1, number, (Message("user", "?"),), payload={"checklist": checklist})


def match(*turns):
    session = Session("m", 1, 0, None, "finished", cause="end", turns=tuple(turn for turn, _ in turns))
    return match_of(session, {(1, prompt.turn): prompt for _, prompt in turns})


EVENT = {"player": "Ann Fox", "points": 2, "period": 1, "clock": "3:20"}
OTHER = {"player": "Bea Roe", "points": 3, "period": 1, "clock": "4:02"}
RIGHT = [(EVENT, "points", True), (EVENT, "time", True)]
HALF = [(EVENT, "points", True), (EVENT, "time", False)]


def whole(*told_of):
    """The items of an interval: the other event, then the target's."""
    return [(event, "all", right) for event, right in zip((OTHER, EVENT), told_of, strict=False)]


@pytest.mark.parametrize(
    ("anchored", "interval", "scores"),
    [
        (told(6, "A", RIGHT), told(6, "I", whole(False, True)), (1, 1)),
        (told(6, "A", HALF), told(6, "I", whole(True, True)), (0, 1)),
        (told(6, "A", RIGHT, gate=False), told(6, "I", whole(True, False)), (0, 0)),
        (told(6, "A", RIGHT), told(6, "I", whole(True, True), gate=False), (1, 0)),
        (told(6, "A", RIGHT), told(7, "I", whole(True, True)), None),
        (told(6, "A", RIGHT), told(6, "I", whole(True)), None),
        (told(6, "A", RIGHT), told(6, "A", RIGHT), None),
    ],
)
def test_the_fact_of_the_target_scores_in_both(anchored, interval, scores):
    assert fact_scores(match(anchored), match(interval)) == scores
    swapped = fact_scores(match(interval), match(anchored))
    assert swapped == (scores and scores[::-1])


def test_turns_without_events_have_no_facts():
    (turn, _), (other, _) = told(6, "A", RIGHT), told(6, "I", whole(True, True))
    ended = {"ending": "finished", "cause": "end"}
    assert fact_scores(*(match_of(Session("m", 1, 0, None, turns=(one,), **ended)) for one in (turn, other))) is None


class Model:
    """What a report knows of a model, as far as columns need it."""

    def __init__(self, sessions, prompts):
        self.counted, self.of = sessions, self
        self.facts, self.seed, self.resamples = prompts, 0, 100

    def cached(self, key, make):
        return make()


def test_pairs_of_retrieval_are_compared_in_facts():
    sessions, prompts = [], {}
    for number in range(8):
        for name, (turn, prompt) in (
            ("pair=anchored", told(6, "A", RIGHT)),
            ("pair=interval", told(6, "I", whole(False, number == 0))),
        ):
            labels = {**turn.labels, "variant": name, "match": number, "sport": "basketball"}
            dialogue, own = len(sessions) + 1, (replace(turn, labels=labels),)
            sessions.append(Session("m", dialogue, 0, 3, "finished", cause="end", turns=own))
            prompts[dialogue, 6] = prompt
    [found] = comparisons(column_of("m", Model(sessions, prompts)))
    assert (found.measure, found.variant, found.reference) == ("target", "interval", "anchored")
    assert found.difference == -7 / 8 and found.base.value == 1

"""ISR@N: good turns before patience ran out, of N."""

from dataclasses import replace
from random import Random

import pytest
from sessions_by_hand import play

from evolif.metrics import AT_N, PROCESS, MetricTable, compare, counted_sessions, process_metrics
from evolif.metrics.at_n import Course, influence_of, satisfied
from evolif.metrics.replay import replayed
from evolif.metrics.table import figures, figures_with_intervals


def at_n(*sessions):
    return figures((PROCESS,), counted_sessions(sessions)).isr_at_n


def test_turns_never_reached_are_not_satisfied():
    early, late = replace(play(1, "1 1 0 0 0"), cap=10), replace(play(2, "1 0 1 0 0 1 1 1 1 1", "censored"), cap=10)
    assert at_n(early) == 0.2
    assert at_n(early, late) == (2 + 7) / 20
    assert PROCESS.main == AT_N == next(iter(PROCESS.ratios))


def test_without_a_cap_n_is_the_longest_session_given():
    assert at_n(play(1, "1 1 0 0 0"), play(2, "1 " * 8, "censored")) == (2 + 8) / 16
    assert at_n(play(1, "1 1 0 0 0")) == 0.4
    # Of records alone nobody knows N.
    assert process_metrics([]).isr_at_n is None


def test_a_model_that_satisfies_whatever_another_does_never_has_less():
    chance = Random(3)
    for _ in range(200):
        worse = [chance.random() < 0.6 for _ in range(30)]
        better = [ok or chance.random() < 0.3 for ok in worse]
        figures_of = []
        for outcomes in (worse, better):
            turns, left = "", 3
            for ok in outcomes:
                if left == 0:
                    break
                turns += "1 " if ok else "0 "
                left = 3 if ok else left - 1
            figures_of.append(at_n(replace(play(1, turns, "censored" if left else "finished"), cap=30)))
        assert figures_of[0] <= figures_of[1]


def test_a_full_context_is_the_models_and_a_budget_is_not():
    full = replace(play(1, "1 1 1 1", "censored"), cap=8, cause="context")
    assert at_n(full) == 0.5
    others = [replace(play(d, "1 1 1 1 1 1 0 0", "censored"), cap=8, cause="cap") for d in (2, 3)]
    cut = replace(play(1, "1 1 1 1", "censored"), cap=8, cause="budget")
    assert at_n(full, *others) == (4 + 6 + 6) / 24
    assert at_n(cut, *others) == 6 / 8  # it would have gone on as they did


def test_a_dialogue_of_its_own_length_ends_there():
    short = replace(play(1, "1 1 0 1", "censored"), cap=50, cause="benchmark")
    assert at_n(short) == 0.75
    assert at_n(replace(play(1, "1 1 1"), cap=50, cause="end")) == 1


def kaplan_meier(courses, turns):
    """(1 / N) sum of S(t) q(t), by hand."""
    total, lasting = 0.0, 1 - sum(not one.good and not one.cut for one in courses) / len(courses)
    for turn in range(1, turns + 1):
        playing = [one for one in courses if len(one.good) >= turn]
        if not playing:
            break
        total += lasting * sum(one.good[turn - 1] for one in playing) / len(playing)
        ended = sum(len(one.good) == turn and not one.cut and turn < turns for one in playing)
        lasting *= 1 - ended / len(playing)
    return total / turns


def cut_at_random(dialogues, seed, turns=20):
    chance, found = Random(seed), []
    for _ in range(dialogues):
        length = chance.randint(0, turns)
        good = tuple(chance.random() < 0.8 for _ in range(length))
        found.append(Course(good, turns, length < turns and chance.random() < 0.4))
    return [*found, Course((True,) * turns, turns, False)]  # one plays on to the end


@pytest.mark.parametrize("seed", range(20))
def test_cut_sessions_are_weighed_as_kaplan_and_meier_do(seed):
    courses = cut_at_random(15, seed)
    value = sum(satisfied(courses)) / sum(one.requests for one in courses)
    assert value == pytest.approx(kaplan_meier(courses, 20))


def test_a_third_cut_at_random_moves_the_figure_little():
    chance, whole, cut = Random(5), [], []
    for _ in range(3_000):
        good, left = [], 3
        while left and len(good) < 40:
            good.append(chance.random() < 0.75)
            left = 3 if good[-1] else left - 1
        whole.append(Course(tuple(good), 40, False))
        end = chance.randint(0, 120)
        cut.append(Course(tuple(good[:end]), 40, True) if end < len(good) else whole[-1])
    truth, found = (sum(satisfied(own)) / 40 / len(own) for own in (whole, cut))
    assert sum(one.cut for one in cut) > 500
    assert found == pytest.approx(truth, abs=0.01)
    assert sum(sum(one.good) for one in cut) / 40 / len(cut) < truth - 0.03  # the rest taken as bad


def test_where_nobody_was_played_to_the_end_it_is_unknown():
    cut = [replace(play(d, "1 1 1", "censored"), cap=10, cause="budget") for d in range(8)]
    assert at_n(*cut) is None
    assert figures_with_intervals((PROCESS,), counted_sessions(cut), cap=10).intervals[AT_N] is None
    # Once those that play on have all run out of patience, the rest is known: nothing.
    ended = [replace(play(d, "1 1 1 0 0 0"), cap=10) for d in range(8, 10)]
    assert at_n(*cut, *ended) == pytest.approx(3 / 10)


def test_the_jackknife_recomputes_the_weights():
    clusters = [[one] for one in cut_at_random(12, 4)]
    found = influence_of(clusters)
    without = []
    for left in range(len(clusters)):
        rest = [own[0] for n, own in enumerate(clusters) if n != left]
        weighed = satisfied(rest)
        # Where the one that plays to the end is missing, later turns add nothing.
        without.append(None if weighed is None else sum(weighed) / 20 / len(rest))
    known = [value for value in without if value is not None]
    assert len(known) >= 12
    mean_of_known = [found[n] - found[0] for n, value in enumerate(without) if value is not None]
    expected = [(len(clusters) - 1) * (without[0] - value) for value in known]
    assert mean_of_known == pytest.approx(expected)
    assert sum(found) == pytest.approx(0, abs=1e-9)
    assert influence_of([[Course((True,), 1, False)]] * 6) is None  # the rows say it


def test_pairs_with_cut_sessions_have_an_interval_of_the_same_estimator():
    pytest.importorskip("scipy", reason="SciPy is not installed")
    chance = Random(11)
    sides = []
    for model in "ab":
        sessions = []
        for d in range(30):
            turns = " ".join("1" if chance.random() < 0.9 else "0" for _ in range(12))
            session = replace(play(d, turns, "censored", patience=9, model=model), cap=12, cause="cap")
            if d % 5 == 0:
                session = replace(session, turns=session.turns[: 2 + d // 5], cause="budget")
            sessions.append(session)
        sides.append(sessions)
    found = compare(*sides).differences[AT_N]
    assert found.a == pytest.approx(at_n(*sides[0])) and found.b == pytest.approx(at_n(*sides[1]))
    assert found.interval[0] < found.value < found.interval[1]
    # Weights taken as given would tell another interval.
    fixed = replace(PROCESS, influence={})
    assert compare(*sides, tables=(fixed,)).differences[AT_N].interval != found.interval


def test_a_replay_is_the_run_with_less_patience_and_a_smaller_cap():
    chance = Random(2)
    for _ in range(100):
        outcomes = [chance.random() < 0.6 for _ in range(30)]

        def run(patience, cap, outcomes=outcomes):
            turns, left = [], patience
            for ok in outcomes[:cap]:
                turns.append("1" if ok else "0")
                left = patience if ok else left - 1
                if left == 0:
                    break
            over = left == 0
            session = play(1, " ".join(turns), "finished" if over else "censored", patience=patience)
            return replace(session, cap=cap, cause="patience" if over else "cap")

        [found] = replayed([run(3, 20)], patience=2, cap=11)
        assert replace(found, reason="") == run(2, 11)


def test_a_replay_counts_a_session_that_broke_off_later():
    [found] = replayed([play(1, "1 0 0 1", "suspended")], patience=2, cap=10)
    assert (found.ending, found.cause, len(found.turns)) == ("finished", "patience", 3)
    [still] = replayed([play(1, "1 0 1", "suspended")], patience=2, cap=10)
    assert still.ending == "suspended"


def test_own_tables_know_nothing_of_it():
    table = MetricTable(("top", "one"), lambda session: (1.0, 1.0), {"value": ("top", "one")})
    assert figures((table,), counted_sessions([play(1, "1")])).value(AT_N) is None


def test_turns_that_nobody_judged_make_no_model_shorter():
    # Where the cap counts all turns, a session of six turns with four unjudged ones has an N of two.
    a = [replace(play(d, "1 1 0 0 0"), cap=6) for d in range(7)] + [replace(play(7, "1 1", "censored"), cap=2)]
    b = [replace(play(d, "1 1 1 1 1 1", "censored", model="b"), cap=6) for d in range(8)]
    pytest.importorskip("scipy", reason="SciPy is not installed")
    found = compare(a, b).differences[AT_N]
    assert (found.a, found.b) == (at_n(*a), at_n(*b)) == ((7 * 2 + 2) / (7 * 6 + 2), 1)

"""What holds for any verdicts, and an independent reckoning in fractions that must agree."""

import json
import subprocess
import sys
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evolif.metrics
from evolif.metrics import METRIC_NAMES, DialogueRecord, patience_left
from evolif.metrics import process_metrics as fast
from evolif.metrics.process import cut, dialogue_figures, judged_record

verdict = st.sampled_from([True, True, False, None])
dialogues = st.lists(
    st.tuples(st.integers(1, 4), st.lists(st.lists(verdict, max_size=4), max_size=14)), min_size=0, max_size=8
)


def records(raw):
    return [judged_record(str(number), patience, turns) for number, (patience, turns) in enumerate(raw)]


def slow(raw):
    """The protocol page read aloud, turn by turn."""
    per_dialogue = []
    for patience, turns in raw:
        left, rates, good = patience, [], []
        for turn in turns:
            judged = [v for v in turn if v is not None]
            if left == 0 or not judged:
                continue
            rates.append(F(judged.count(True), len(judged)))
            good.append(rates[-1] == 1)
            left = patience if good[-1] else left - 1
        runs = "".join("x" if ok else " " for ok in good).split()
        failed = [t for t in range(1, len(good)) if not good[t - 1]]
        rec = F(sum(good[t] for t in failed), len(failed)) if failed else None
        per_dialogue.append((rates, good, max(map(len, runs), default=0), rec))
    if not per_dialogue:
        return dict.fromkeys(METRIC_NAMES)

    def mean(values):
        values = [value for value in values if value is not None]
        return sum(values, F(0)) / len(values) if values else None

    return {
        "edr_len": mean(F(len(rates)) for rates, *_ in per_dialogue),
        "edr_acc": mean(sum(rates, F(0)) for rates, *_ in per_dialogue),
        "edr_succ": mean(F(sum(good)) for _, good, *_ in per_dialogue),
        "edr_lss": mean(F(run) for *_, run, _ in per_dialogue),
        "rec": mean(rec for *_, rec in per_dialogue),
        "rob": mean(F(sum(good), len(good)) if good else None for _, good, *_ in per_dialogue),
        "csr": mean(rate for rates, *_ in per_dialogue for rate in rates),
        "isr": mean(F(ok) for _, good, *_ in per_dialogue for ok in good),
    }


@given(dialogues)
def test_agrees_with_the_slow_reckoning(raw):
    figures = fast(records(raw)).by_name()
    for name, exact in slow(raw).items():
        assert figures[name] is None if exact is None else figures[name] == pytest.approx(float(exact), abs=1e-12)


@given(dialogues, st.randoms())
def test_the_order_of_dialogues_changes_nothing(raw, random):
    given_order = records(raw)
    shuffled = list(given_order)
    random.shuffle(shuffled)
    assert fast(shuffled) == fast(given_order)


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), max_size=30), st.integers(1, 4))
def test_bounds_of_a_finished_dialogue(turns, patience):
    # Failing on to the end finishes any dialogue.
    record = DialogueRecord("d", patience, tuple(map(tuple, turns)) + ((False,),) * patience)
    own, metrics = dialogue_figures(record), fast([record])
    assert patience_left(record) == 0
    assert own.length >= patience
    assert metrics.rob <= (own.length - patience) / own.length
    assert metrics.rec is None or 0 <= metrics.rec < 1
    assert own.longest_run <= own.successes <= own.accuracy <= own.length


@given(dialogues)
def test_rates_are_fractions_and_the_cut_is_idempotent(raw):
    metrics = fast(records(raw))
    rates = [metrics.rec, metrics.rob, metrics.csr, metrics.isr]
    assert all(rate is None or 0 <= rate <= 1 for rate in rates)
    assert [cut(cut(record)) for record in records(raw)] == [cut(record) for record in records(raw)]


@given(dialogues, st.integers(1, 4))
def test_a_smaller_patience_is_a_prefix(raw, patience):
    for record in records(raw):
        smaller = DialogueRecord(record.dialogue, min(patience, record.patience), record.turns)
        assert cut(record).turns[: len(cut(smaller).turns)] == cut(smaller).turns


def test_exported_names_are_the_public_ones_in_order():
    # Sorted as ruff sorts them: constants, classes, functions.
    exported = evolif.metrics.__all__
    kinds = [(not name.isupper(), not name[0].isupper(), name) for name in exported]
    assert kinds == sorted(kinds)
    assert all(hasattr(evolif.metrics, name) for name in exported)


def test_importing_the_package_loads_nothing_heavy():
    heavy = ("numpy", "scipy", "pydantic", "evolif.scenarios.instructions.constraints")
    code = f"import evolif.metrics, json, sys; print(json.dumps([m for m in {heavy} if m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []

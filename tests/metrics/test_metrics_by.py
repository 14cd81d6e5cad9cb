"""The eight metrics per kind of dialogue."""

import pytest
from sessions_by_hand import play, prompt

from evolif.errors import UsageError
from evolif.metrics import (
    UNKNOWN,
    bootstrap_intervals,
    dialogue_keys,
    metrics_by,
    process_metrics,
    records_from_sessions,
)

FACTS = [
    *[prompt(d, t, source="m/a" if d < 3 else "m/b", register="warm") for d in (1, 2, 3, 4) for t in (1, 2, 3)],
    prompt(5, 1, source="m/a", query="formal"),
    prompt(5, 2, source="human", query="formal"),
    prompt(5, 3, source="m/a", query="informal"),
    prompt(6, 1, source="m/a", query="formal"),
    prompt(6, 2, source="m/b", query="informal"),
]


def test_a_dialogue_is_what_most_of_its_turns_are():
    assert dialogue_keys(FACTS, "synthesizer") == {1: "m/a", 2: "m/a", 3: "m/b", 4: "m/b", 5: "m/a", 6: "mixed"}
    assert dialogue_keys(FACTS[::-1], "register") == {d: "warm" if d < 5 else UNKNOWN for d in range(1, 7)}
    assert dialogue_keys(FACTS[-5:], "formality", formality=str) == {5: "formal", 6: "mixed"}


def test_each_kind_is_a_table_of_its_own():
    sessions = [play(d, f"{'1 ' * d}0 0 0") for d in (1, 2, 3, 4, 5, 6, 7)] + [play(8, "1", "suspended")]
    tables = metrics_by(sessions, FACTS, "synthesizer", seed=4, resamples=50)
    assert list(tables) == ["m/a", "m/b", "mixed", UNKNOWN]
    own = records_from_sessions([sessions[0], sessions[1], sessions[4]]).records
    assert tables["m/a"].metrics == process_metrics(own)
    assert tables["m/a"].intervals == bootstrap_intervals(own, seed=4, resamples=50)
    assert tables["m/b"].metrics.edr_len == (6 + 7) / 2
    assert tables[UNKNOWN].metrics.dialogues == 1
    assert metrics_by(sessions[::-1], FACTS, "synthesizer", seed=4, resamples=50) == tables


def test_refusals():
    with pytest.raises(UsageError, match="unknown breakdown “depth”"):
        metrics_by([], FACTS, "depth")
    with pytest.raises(UsageError, match="needs a function"):
        dialogue_keys(FACTS, "formality")

"""The metrics per kind of dialogue."""

from sessions_by_hand import play, prompt

from evolif.metrics import (
    AT_N,
    METRIC_NAMES,
    PROCESS,
    UNKNOWN,
    Breakdown,
    process_intervals,
    process_metrics,
    records_from_sessions,
)
from evolif.metrics.breakdown import dialogue_keys, metrics_by
from evolif.metrics.process import RATES

FACTS = [
    *[prompt(d, t, source="m/a" if d < 3 else "m/b", register="warm") for d in (1, 2, 3, 4) for t in (1, 2, 3)],
    prompt(5, 1, source="m/a", query="formal"),
    prompt(5, 2, source="human", query="formal"),
    prompt(5, 3, source="m/a", query="informal"),
    prompt(6, 1, source="m/a", query="formal"),
    prompt(6, 2, source="m/b", query="informal"),
]
SYNTHESIZER = Breakdown("synthesizer", "worded by", "", label="source", kind=True)
REGISTER = Breakdown("register", "register", "", kind=True)
QUERY = Breakdown("query", "query", "", split=lambda turn, prompt: [(prompt.query, turn.verdicts)], kind=True)


def test_a_dialogue_is_what_most_of_its_turns_are():
    assert dialogue_keys(FACTS, SYNTHESIZER) == {1: "m/a", 2: "m/a", 3: "m/b", 4: "m/b", 5: "m/a", 6: "mixed"}
    assert dialogue_keys(FACTS[::-1], REGISTER) == {d: "warm" if d < 5 else UNKNOWN for d in range(1, 7)}
    assert dialogue_keys(FACTS[-5:], QUERY) == {5: "formal", 6: "mixed"}


def test_each_kind_is_a_table_of_its_own():
    sessions = [play(d, f"{'1 ' * d}0 0 0") for d in (1, 2, 3, 4, 5, 6, 7)] + [play(8, "1", "suspended")]
    tables = metrics_by(sessions, FACTS, SYNTHESIZER, seed=4, resamples=50)
    assert list(tables) == ["m/a", "m/b", "mixed", UNKNOWN]
    own = records_from_sessions([sessions[0], sessions[1], sessions[4]]).records
    assert tables["m/a"].metrics.by_name() == {
        name: getattr(process_metrics(own), name) for name in (AT_N, *METRIC_NAMES, *PROCESS.beside)
    }
    assert tables["m/a"].metrics.left_out == {}
    assert tables["m/a"].intervals == process_intervals(own, seed=4, resamples=50)
    assert tables["m/b"].metrics.value("edr_len") == (6 + 7) / 2
    assert tables[UNKNOWN].metrics.dialogues == 1
    assert metrics_by(sessions[::-1], FACTS, SYNTHESIZER, seed=4, resamples=50) == tables


def test_with_the_tables_of_the_run():
    sessions = [play(d, "1 0 1", "finished", patience=None) for d in range(11, 18)]
    (found,) = metrics_by(sessions, FACTS, SYNTHESIZER, tables=(RATES,), resamples=20).values()
    assert found.metrics.by_name() == {"csr": 2 / 3, "isr": 2 / 3}
    assert found.intervals["csr"] == found.intervals["isr"]
    low, high = found.intervals["isr"]
    assert low < 2 / 3 < high

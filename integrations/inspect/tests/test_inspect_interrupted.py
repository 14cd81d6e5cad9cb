"""Inspect as its own process, which its user stops in the middle."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "models"))
from server import Answer, Seen, ok, serving


def slowly(seen: Seen) -> Answer:
    """An answer that leaves time to interrupt."""
    time.sleep(0.3)
    return ok("A short answer. It has two sentences.")


def heed_ctrl_c() -> None:
    """A shell has what it starts in the background ignore Ctrl-C, and processes inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_what_was_played_before_ctrl_c_is_in_the_log_and_can_be_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.log import list_eval_logs, read_eval_log

    logs, inspect = tmp_path / "logs", Path(sys.executable).with_name("inspect")
    task = ["evolif/instructions", "--model", "openai-api/tiny/small", "-T", "patience=99", "-T", "max_turns=20"]
    command = [inspect, "eval", *task, "-T", "dialogues=2", "-T", "turns=2", "--display", "none", "--log-dir", logs]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TINY_API_KEY", "k")
    with serving(ok(), answering=slowly) as slow:
        monkeypatch.setenv("TINY_BASE_URL", slow.url)
        nowhere = subprocess.DEVNULL
        with subprocess.Popen(command, preexec_fn=heed_ctrl_c, stdout=nowhere, stderr=nowhere) as running:
            while len(slow.seen) < 7:
                assert running.poll() is None
                time.sleep(0.02)
            running.send_signal(signal.SIGINT)
    [name] = [log.name for log in list_eval_logs(str(logs))]
    log = read_eval_log(name)
    assert log.status == "cancelled" and not any(sample.scores for sample in log.samples)
    played = [len(sample.store["evolif"]["turns"]) for sample in log.samples]
    assert sum(played) >= 4
    for sample, turns in zip(log.samples, played, strict=True):
        assert (sample.metadata["ending"], sample.metadata["cause"]) == ("censored", "cut")
        assert len([message for message in sample.messages if message.role == "assistant"]) == turns
    scoring = [inspect, "score", name, "--scorer", "evolif/figures", "--overwrite", "--display", "none"]
    subprocess.run(scoring, check=True, capture_output=True)
    scores = [sample.scores["figures"] for sample in read_eval_log(name).samples]
    assert [score.value["edr_len"] for score in scores] == played
    assert {score.metadata["cut"] for score in scores} == {"cut by Inspect: stopped by its user"}

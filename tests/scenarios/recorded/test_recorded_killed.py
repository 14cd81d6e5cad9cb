"""A run of recorded dialogues is killed, and resumed: no stored answer and no score of a judge is asked for again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from chat_server import chat_server
from recorded_dialogs import RECALL, answer, bench_of, dialog, entry, report, turn

from evolif.runner import evaluate, load_run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there")

DIALOGUES, TURNS = 4, 6
JUDGED = entry("llm_judge", template_name="clarity")


class Server:
    """Counts what the model and the judge are asked, and answers the same question alike."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    def answer(self, body: dict[str, Any]) -> str:
        last = body["messages"][-1]["content"]
        with self._lock:
            self.asked[body["model"], last] += 1
        time.sleep(0.03)
        return '{"Score": 7}' if body["model"] == "judge" else f"I heard {last} and say yes."

    @property
    def calls(self) -> int:
        return self.asked.total()


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    dialogs = []
    for number in range(DIALOGUES):
        turns: list[dict[str, Any]] = []
        for place in range(TURNS):
            turns.append(turn(2 * place, "user", f"Question {number}.{place}?"))
            turns.append(answer(2 * place + 1, RECALL, JUDGED, reference=f"yes {place}"))
        dialogs.append(dialog(number, *turns))
    bench_of(tmp_path, *dialogs)
    return tmp_path / "bench"


@pytest.fixture
def server() -> Iterator[tuple[Server, dict[str, Any]]]:
    brain = Server()
    with chat_server(brain.answer) as url:
        yield brain, {"model": f"openai/m?base_url={url}", "judge": f"openai/judge?base_url={url}"}


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("policy", ["on", pytest.param("off", marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_where_it_was(
    bench: Path, server: tuple[Server, dict[str, Any]], tmp_path: Path, policy: str
) -> None:
    brain, names = server
    command = [sys.executable, "-m", "evolif", "evaluate", bench, "-m", names["model"], "--judge", names["judge"]]
    command += ["--out", tmp_path / "run", "--max-connections", "2", "--set", f"policy={policy}", "--display", "none"]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("EVOLIF_", "OPENAI_"))}
    process = subprocess.Popen([str(word) for word in command], env=env, stdout=subprocess.DEVNULL)
    while brain.calls < 17 and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=30) == -signal.SIGKILL
    with closing(load_run(tmp_path / "run")) as run:
        kept = sum(len(turns) for _, turns in run.transcripts("openai/m"))
    killed = brain.asked.copy()
    assert 0 < kept < DIALOGUES * TURNS

    evaluate(bench, names["model"], tmp_path / "run", judge=names["judge"], options={"policy": policy}).close()
    with closing(load_run(tmp_path / "run")) as run:
        told = report(run)
        answers = [turn.answer for _, turns in run.transcripts("openai/m") for turn in turns]
    entries = 2 * DIALOGUES * TURNS
    assert told["coverage"]["records"] == {"expected": entries, "scored": entries, "failed": 0, "missing": 0}
    assert len(answers) == DIALOGUES * TURNS
    # Asked twice at most: the calls in flight when it died, two of the model and those of the judge beside them.
    twice = [key for key, number in brain.asked.items() if number > 1]
    assert all(killed[key] for key in twice) and len(twice) <= 6
    assert sum(number for (model, _), number in killed.items() if model == "m") - kept <= 4

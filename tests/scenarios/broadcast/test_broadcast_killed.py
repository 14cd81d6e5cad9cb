"""A run over broadcasts is killed, and resumed to the report of one that was not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from chat_server import chat_server
from recorded_dialogs import report

from evolif.runner import evaluate, load_run
from evolif.scenario import get_scenario, options_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there")


class Server:
    """Repeats a part of what it is shown; so its answers depend on the context."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def answer(self, body: dict[str, Any]) -> str:
        said = json.dumps(body["messages"])
        with self._lock:
            self.asked[said] += 1
        time.sleep(0.01)
        number = len(body["messages"]) // 2 + 1
        letter = {1: " [Tag A]", 3: " [Tag B]"}.get(number % 4, "")
        return f"[Update Score]{letter}\nI read {len(said)} characters there. It is late. Tell me more."


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("context", [pytest.param("full", marks=pytest.mark.slow), "last:4"])
def test_a_killed_run_goes_on_to_the_same_report(tmp_path: Path, context: str) -> None:
    scenario = get_scenario("broadcast")
    bench = tmp_path / "bench"
    scenario.generate(bench, options_of(scenario.spec, {"sport": ["hockey"]}, "broadcast"), dialogues=4, seed=3)
    server = Server()
    with chat_server(server.answer) as url:
        model = f"openai/m?base_url={url}"
        command = [sys.executable, "-m", "evolif", "evaluate", bench, "-m", model, "--context", context]
        command += ["--out", tmp_path / "run", "--max-connections", "2", "--display", "none"]
        env = {key: value for key, value in os.environ.items() if not key.startswith(("EVOLIF_", "OPENAI_"))}
        process = subprocess.Popen([str(word) for word in command], env=env, stdout=subprocess.DEVNULL)
        while server.asked.total() < 17 and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=30) == -signal.SIGKILL
        before = server.asked.copy()
        evaluate(bench, model, tmp_path / "run", context=context).close()
        assert max(server.asked.values()) <= 2, "only what was in flight is asked twice"
        assert sum(number == 2 for number in server.asked.values()) <= 2
        assert server.asked.total() > before.total()
        evaluate(bench, model, tmp_path / "whole", context=context).close()
    told = []
    for name in ("run", "whole"):
        with closing(load_run(tmp_path / name)) as run:
            found = report(run)
            found["context_tokens"].pop("own", None)
            del found["tokens"]
            told.append(found)
    assert told[0] == told[1]
    assert told[0]["finished"] == 4
    assert 0 < told[0]["if"]["value"] < 1

"""The real small model as synthesizer: whatever it says, nothing wrong is played."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evolif import load_benchmark
from evolif.cli import app
from evolif.models import weight_path
from evolif.scenarios.instructions import rates
from evolif.scenarios.instructions.queries import check_query

pytestmark = [
    pytest.mark.slow,
    pytest.mark.local,
    pytest.mark.skipif(find_spec("xllamacpp") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(not weight_path("smollm2-135m").is_file(), reason="run `evolif models fetch smollm2-135m`"),
]


def test_a_real_model_words_turns_and_what_it_gets_wrong_is_caught(tmp_path: Path) -> None:
    bench = tmp_path / "b"
    arguments = (
        "generate", bench, "--dialogues", 2, "--turns", 2, "--seed", 21, "--only", 1, "--display", "plain",
        "--synthesizer", "local/smollm2-135m", "--max-tokens", 40,
    )  # fmt: skip
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"EVOLIF_LOCAL_THREADS": "1"})
    assert result.exit_code == 0, result.output
    assert "local/smollm2-135m: 2 turns worded" in result.output
    made = load_benchmark(bench)
    sums = rates(made.records())["local/smollm2-135m"]
    assert sums.turns == 2 == sums.accepted + sums.repaired + sums.flagged
    assert 2 <= sums.calls <= 8 and sums.usage.prompt_tokens > 300 and sums.usage.completion_tokens > 0
    for number, turn in enumerate(made.turns(1), 1):
        assert turn.source == "local/smollm2-135m" and turn.query.strip()
        assert turn.findings if turn.status == "flagged" else not check_query(turn, turn.query)
        assert not check_query(turn, made.turn(1, number).query)

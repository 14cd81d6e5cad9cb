"""The real small model, end to end: fresh dialogues, real answers, real verdicts, a report."""

import json
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.models import weight_path

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(find_spec("xllamacpp") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(not weight_path("smollm2-135m").is_file(), reason="run `evolif models fetch smollm2-135m`"),
]


def run(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"EVOLIF_LOCAL_THREADS": "1"})
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.slow
def test_a_real_model_is_evaluated_and_reported(tmp_path):
    bench, folder, figures = tmp_path / "bench", tmp_path / "run", tmp_path / "figures.json"
    run("generate", bench, "--dialogues", 2, "--turns", 3, "--seed", 7, "--profile", "objective")
    evaluate = ("evaluate", bench, "-m", "local/smollm2-135m", "-m", "sim/perfect", "-o", folder)
    settings = ("--max-turns", 4, "--max-tokens", 24, "--temperature", 0)
    run(*evaluate, *settings)
    run("report", folder, "--json", figures)
    local, perfect = json.loads(figures.read_text(encoding="utf-8"))["models"]
    assert local["model"] == "local/smollm2-135m"
    assert local["dialogues"] == 2
    assert 3 <= local["edr_len"]["value"] <= 4
    assert local["tokens"] > 200
    assert perfect["rob"]["value"] == 1.0
    # Everything is stored: the same command asks nothing again and tells the same.
    assert "local/" in run(*evaluate, *settings)

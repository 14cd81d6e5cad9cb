"""The real small model writes topics and personas; most of what it gives is no use, and nothing of that is kept."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.models import weight_path
from evolif.scenarios.instructions.catalogue import lint_topics
from evolif.scenarios.instructions.catalogue.lint import lint_personas

pytestmark = [
    pytest.mark.slow,
    pytest.mark.local,
    pytest.mark.skipif(find_spec("xllamacpp") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(not weight_path("smollm2-135m").is_file(), reason="run `evolif models fetch smollm2-135m`"),
]


def run(tokens, *arguments):
    flags = ("-m", "local/smollm2-135m", "--max-tokens", tokens, "--seed", 1)
    return CliRunner().invoke(
        app, [str(a) for a in (*arguments, *flags)], env={"EVOLIF_LOCAL_THREADS": "1"}, prog_name="evolif"
    )


def check(result, out, lint):
    """Either good entries only, or a sentence and no file."""
    if result.exit_code == 0:
        assert lint(out).findings == ()
        assert all("source" in json.loads(line) for line in out.read_text(encoding="utf-8").splitlines())
    else:
        assert result.exit_code == 3, result.output
        last = result.stderr.splitlines()[-1]
        assert last.startswith("evolif: local/smollm2-135m gave no entry that passes the lint in ")
        assert not out.exists()


def test_topics_of_the_real_model(tmp_path):
    out = tmp_path / "topics.jsonl"
    check(run(60, "topics", "write", "--domain", "beekeeping", "--count", 1, "--out", out), out, lint_topics)


def test_personas_of_the_real_model(tmp_path):
    out, source = tmp_path / "personas.jsonl", tmp_path / "messages.txt"
    source.write_text("hey can u tell me when the bus goes, thx!!\n", encoding="utf-8")
    check(run(150, "personas", "infer", "--from", source, "--out", out), out, lint_personas)

"""Every verb without a single extra: it works, or names the extra that it needs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from evolif.cli.app import SUMMARIES

ROOT = Path(__file__).parent.parent.parent
EXTRAS = (
    "PIL bm25s chess datasets google.genai huggingface_hub inspect_ai jinja2 matplotlib numpy pandas "
    "pyarrow ray safetensors scipy spacy textblob textual tokenizers wordllama xllamacpp zstandard"
).split()
"""What extras bring, as modules."""
APART = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout


class Without:
    # A finder that does not find what is blocked.
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(one + ".") for one in blocked):
            return None
        return self.finder.find_spec(name, path, target)


blocked, lines = json.loads(sys.argv.pop(1)), json.loads(sys.argv.pop(1))
sys.meta_path[:] = map(Without, sys.meta_path)
sys.argv[0] = "evolif"
from evolif.__main__ import main

for line in lines:
    out = io.StringIO()
    sys.argv[1:] = line
    with redirect_stdout(out), redirect_stderr(out):
        try:
            code = main()
        except SystemExit as end:
            code = end.code
    print(json.dumps([line, code, out.getvalue()]))
"""
VERDICTS = '{"dialogue": "d1", "patience": 3, "turns": [[true, false], [true]]}\n'
VERBS: dict[str, list[str]] = {
    "generate": [
        "generate b --dialogues 2 --turns 3 --seed 1",
        "generate p --profile extended --dialogues 1 --turns 3",
    ],
    "extend": ["extend b --turns 1"],
    "audit": ["audit b"],
    "evaluate": ["evaluate b -m sim/perfect -m sim/steady --max-turns 3 --out r"],
    "status": ["status r"],
    "merge": ["merge r --out merged"],
    "report": ["report r", "report r --json j.json", "report r --html p.html", "report r --latex t.tex"],
    "board": ["board r --out board", "board add r --board board", "board check board"],
    "gate": ["gate r --min isr=0"],
    "run": ["run --schema"],
    "rejudge": ["rejudge r --judge lexical --out r2"],
    "compare": ["compare r"],
    "export": [f"export r x.{suffix}" for suffix in ("jsonl", "csv", "parquet")]
    + [f"export r x-{name} --format {name}" for name in ("datasets", "unidial", "inspect")]
    + ["export b states --format evolif-states"],
    "import": ["import states imported"],
    "contamination": ["contamination x.jsonl --benchmark b"],
    "check": ["check answer.txt --constraints constraints.json"],
    "score": ["score verdicts.jsonl"],
    "review": ["review b --export q.jsonl", "review b"],
    "topics": ["topics lint topics.jsonl"],
    "personas": ["personas lint personas.jsonl"],
    "registers": ["registers lint"],
    "models": ["models list"],
    "prices": ["prices list", "prices show openai/gpt-4.1"],
    "scenarios": ["scenarios", "scenarios games"],
    "unidial": ["unidial summary x-unidial"],
    "sample": ["sample samples"],
    "demo": [],  # runs the small local model: an extra, or a word about it
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """What each command line ends with and says, in one process where no extra can be imported."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "answer.txt").write_text("Two words.", encoding="utf-8")
    (folder / "verdicts.jsonl").write_text(VERDICTS, encoding="utf-8")
    for name, home in (("topics", "seeds"), ("personas", "personas")):
        first = (ROOT / home / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[0]
        (folder / f"{name}.jsonl").write_text(f"{first}\n", encoding="utf-8")
    constraints = [{"group": "length", "params": {"unit": "words", "relation": "less_than", "count": 9}}]
    (folder / "constraints.json").write_text(json.dumps(constraints), encoding="utf-8")
    lines = [line.split() for some in VERBS.values() for line in some]
    command = [sys.executable, "-c", APART, json.dumps(EXTRAS), json.dumps(lines)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    found: dict[str, tuple[int, str]] = {}
    for line in done.stdout.splitlines():
        words, code, text = json.loads(line)
        found[" ".join(words)] = (code or 0, text)
    return found


def test_every_verb_is_tried() -> None:
    assert set(SUMMARIES) == set(VERBS)


@pytest.mark.slow
@pytest.mark.parametrize("line", [line for some in VERBS.values() for line in some])
def test_it_works_or_names_its_extra(line: str, played: dict[str, tuple[int, str]]) -> None:
    code, text = played[line]
    assert "Traceback" not in text and "No module named" not in text
    assert code in (0, 1, 4) or re.search(r"(evolif|\.)\[\w+\]|extra `\w+`", text), text


def test_what_is_blocked_is_what_extras_bring_and_nothing_else() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[^\w-]", one)[0].lower().replace("-", "_") for one in project["dependencies"]}
    assert not needed & {name.lower() for name in EXTRAS}

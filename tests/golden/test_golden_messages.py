"""What bad calls come to: the exit codes are a promise, the words are read when they change."""

from __future__ import annotations

import json
from typing import Any

NOWHERE = "http://127.0.0.1:9/v1"
GONE = ("-m", f"openai/m?base_url={NOWHERE}", "--max-retries", 0, "--max-turns", 2)
JUDGE = f"openai/j?base_url={NOWHERE}"
SHORT = ("evaluate", "bench", "-m", "sim/steady", "--max-turns", 2, "--display", "none")
EVALUATE = ("evaluate", "bench", "-o", "new", "--display", "none")

CALLS: dict[str, tuple[object, ...]] = {
    "unknown verb": ("generat", "x"),
    "unknown flag": ("report", "finished", "--fulll"),
    "no folder": ("generate",),
    "unknown profile": ("generate", "x", "--profile", "papper"),
    "zero dialogues": ("generate", "x", "--dialogues", 0),
    "another benchmark is there": ("generate", "bench", "--seed", 8, "--dialogues", 2, "--turns", 3),
    "no key to word with": ("generate", "x", "--synthesizer", "openai/m"),
    "a profile of the disk": ("generate", "x", "--profile", "broken.yaml"),
    "topics that are none": ("generate", "x", "--topics", "broken.json"),
    "a folder in a file": ("generate", "answer.txt/x", "--dialogues", 1),
    "nobody words": ("generate", "x", "--synthesizer", f"openai/m?base_url={NOWHERE}", "--max-retries", 0),
    "no benchmark to extend": ("extend", "finished", "--turns", 4),
    "no model": EVALUATE,
    "no benchmark": ("evaluate", "nowhere", "-m", "sim/steady", "-o", "new"),
    "unknown simulated model": (*EVALUATE, "-m", "sim/stedy"),
    "unknown provider": (*EVALUATE, "-m", "opnai/m"),
    "no provider": (*EVALUATE, "-m", "m"),
    "no key": (*EVALUATE, "-m", "openai/m"),
    "a password in an address": (*EVALUATE, "-m", "openai/m?base_url=http://u:p@h/v1"),
    "unknown judge": (*EVALUATE, "-m", "sim/steady", "--judge", "lexcal"),
    "unknown rule": (*EVALUATE, "-m", "sim/steady", "--judge", JUDGE, "--judge", "openai/k", "--judge-rule", "least"),
    "unknown rule of no panel": (*SHORT, "-o", "rule", "--judge", "lexical", "--judge-rule", "least"),
    "unknown stop rule": (*EVALUATE, "-m", "sim/steady", "--stop-when", "rob"),
    "another run is there": ("evaluate", "bench", "-m", "sim/steady", "-o", "finished", "--display", "none"),
    "unknown engine": (*EVALUATE, "-m", "sim/steady", "--engine", "threads"),
    "too few dialogues": (*SHORT, "-o", "few", "--limit", 3),
    "nobody answers": ("evaluate", "bench", *GONE, "-o", "gone", "--display", "none"),
    "no figures yet": ("report", "gone"),
    "no run": ("report", "nowhere"),
    "no run but a benchmark": ("report", "bench"),
    "no resamples": ("report", "finished", "--resamples", 0),
    "a page where a folder is": ("report", "finished", "--html", "bench", "--resamples", 10),
    "one model": ("compare", "finished", "-m", "sim/steady"),
    "a model that was not there": ("compare", "finished", "-m", "sim/steady", "-m", "sim/none"),
    "no judge": ("rejudge", "finished"),
    "rejudged by nobody": ("rejudge", "finished", "--judge", JUDGE, "--max-retries", 0, "--display", "none"),
    "status of nothing": ("status", "nowhere"),
    "no format": ("export", "bench", "x"),
    "unknown format": ("export", "bench", "x", "--format", "xml"),
    "a benchmark's format": ("export", "finished", "x", "--format", "evolif-states"),
    "export over a file": ("export", "bench", "answer.txt", "--format", "jsonl"),
    "import of nothing": ("import", "nowhere", "y"),
    "import of no rows": ("import", "answer.txt", "y"),
    "not satisfied": ("check", "answer.txt", "--constraints", "length.json"),
    "constraints that are none": ("check", "answer.txt", "--constraints", "broken.json"),
    "an unknown group": ("check", "answer.txt", "--constraints", "unknown.json"),
    "parameters that do not fit": ("check", "answer.txt", "--constraints", "misfit.json"),
    "no answer": ("check", "nowhere", "--constraints", "length.json"),
    "verdicts that are none": ("score", "broken.json"),
    "no corpus": ("contamination", "nowhere", "-b", "bench"),
    "nothing to audit": ("audit", "nowhere"),
    "a config that is none": ("report", "finished", "--config", "broken.json"),
    "a config of other keys": ("report", "finished", "--config", "other.yaml"),
    "groups that are none": ("generate", "x", "--constraints", "nowhere.py"),
    "no topics": ("topics", "lint", "nowhere"),
    "topics with findings": ("topics", "lint", "topics.jsonl"),
    "no personas": ("personas", "lint", "broken.json"),
    "unknown weights": ("models", "fetch", "nosuch"),
    "nothing to review": ("review", "nowhere", "--list"),
}

FILES = {
    "answer.txt": "Two words.\n",
    "broken.json": "{\n",
    "broken.yaml": "name: [\n",
    "other.yaml": "resampels: 3\n",
    "length.json": '[{"group": "length", "params": {"unit": "words", "relation": "exactly", "count": 12}}]',
    "unknown.json": '[{"group": "lenght", "params": {}}]',
    "misfit.json": '[{"group": "length", "params": {"unit": "words", "count": "many"}}]',
    "topics.jsonl": '{"id": "X1", "domain": "tea", "title": "tea", "prompt": "Tea", "keywords": ["tea"]}\n',
}


def test_exit_codes_and_messages_of_bad_calls(cli: Any, stored: Any, golden: Any) -> None:
    stored("finished")
    for name, text in FILES.items():
        (cli.folder / name).write_text(text, encoding="utf-8")
    cli("generate", "bench", "--dialogues", 2, "--turns", 3, "--seed", 7, "--profile", "objective")
    codes, texts = {}, []
    for name, words in CALLS.items():
        needs_key = any(NOWHERE in str(word) for word in words)
        told = cli(*words, code=None, **({"OPENAI_API_KEY": "none"} if needs_key else {}))
        codes[name] = told.code
        err = "\n".join(sorted(told.err.splitlines())) if NOWHERE in str(words) else told.err.rstrip()
        texts.append(f"# {name}: exit code {told.code}\n$ evolif {' '.join(map(str, words))}\n{told.out}{err}\n")
    golden.json("exit-codes.json", codes)
    golden.text("messages.txt", "\n".join(texts))


def test_errors_of_the_api_have_the_same_classes(tmp_path: Any, golden: Any) -> None:
    import evolif

    calls: dict[str, Any] = {
        "load_run": lambda: evolif.load_run(tmp_path / "nowhere"),
        "load_benchmark": lambda: evolif.load_benchmark(tmp_path / "nowhere"),
        "generate": lambda: evolif.generate(tmp_path / "b", dialogues=0, profile="objective"),
        "profile": lambda: evolif.generate(tmp_path / "b", profile="papper"),
        "evaluate": lambda: evolif.evaluate(tmp_path / "nowhere", "sim/steady", tmp_path / "r"),
        "check": lambda: evolif.check([{"group": "lenght", "params": {}}], "x"),
        "check_query": lambda: evolif.check_query({}, "x"),
    }
    found = {}
    for name, call in calls.items():
        try:
            call()
        except evolif.EvolifError as error:
            found[name] = [type(error).__name__, error.exit_code]
    golden.text("errors.json", json.dumps(found, indent=1) + "\n")

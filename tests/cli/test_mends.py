"""Every mistake a newcomer makes gets the mend that is meant, in one sentence of plain words."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.text import plural

ELSEWHERE = "http://127.0.0.1:9/v1"
"""An address at which nothing answers."""
PLAYED = ("-m", "sim/steady", "--display", "none", "-o", "out")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a benchmark, a longer one that a chat model may have to continue, a run and configuration files."""
    root = tmp_path_factory.mktemp("mends")
    before = Path.cwd()
    os.chdir(root)
    try:
        for command in (
            ("generate", "bench", "--dialogues", "2", "--turns", "3", "--seed", "1"),
            ("evaluate", "bench", "-m", "sim/steady", "--max-turns", "2", "--display", "none", "-o", "played"),
        ):
            assert evolif(*command).exit_code == 0
    finally:
        os.chdir(before)
    (root / "outer").mkdir()
    shutil.copytree(root / "bench", root / "outer" / "inner")
    shutil.copytree(root / "played", root / "copy")
    (root / "low.yaml").write_text("limit: 0\n", encoding="utf-8")
    (root / "word.yaml").write_text("max-turns: many\n", encoding="utf-8")
    (root / "prices.yaml").write_text("models: {openai/x: {prompt: -1, completion: 1, date: 2026-01-01}}\n", "utf-8")
    (root / "shape.yaml").write_text("name: mine\ngroups: 3\n", encoding="utf-8")
    return root


@pytest.fixture(autouse=True)
def _inside(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in os.environ if one.startswith(("EVOLIF_", "OPENAI_", "GEMINI_", "GOOGLE_"))]:
        monkeypatch.delenv(name)
    shutil.copytree(shared, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")


def evolif(*arguments: str, **env: str) -> Any:
    return CliRunner().invoke(app, list(arguments), env=env, prog_name="evolif")


def refused(*arguments: str, **env: str) -> str:
    """The sentence of a command that is refused, without what every sentence begins with."""
    result = evolif(*arguments, **env)
    assert result.exit_code == 2, result.output
    assert result.stdout == "" and result.stderr.startswith("evolif: ") and result.stderr.count("\n") == 1
    assert not Path("out").exists()
    for leak in ("Input should", "Value error", "greater than or equal", "Extra inputs", "Field required", "Errno"):
        assert leak not in result.stderr
    return str(result.stderr).removeprefix("evolif: ").removesuffix("\n")


MODELS = [
    ("steady", "'steady' has no provider: did you mean sim/steady? (known: "),
    ("stedy", "'stedy' has no provider: did you mean sim/steady? (known: "),
    ("smollm2-135m", "'smollm2-135m' has no provider: did you mean local/smollm2-135m? (known: "),
    ("x.gguf", "'x.gguf' has no provider: write local/x.gguf (known: "),
    ("openai", "'openai' has no provider: write openai/NAME (known: "),
    ("claude-sonnet-4", "'claude-sonnet-4' has no provider: did you mean anthropic/claude-sonnet-4? (known: "),
    ("mine", "'mine' has no provider: write PROVIDER/mine, or openai/mine?base_url=URL for a server of your own"),
    ("sim/stedy", "unknown simulated model “sim/stedy” (did you mean sim/steady?); the scenario instructions has "),
    ("sim/xyz", "unknown simulated model “sim/xyz”; the scenario instructions has sim/perfect, "),
    ("opnai/gpt", "'opnai/gpt': unknown provider 'opnai'; did you mean openai/gpt?"),
]


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "sentence"), MODELS, ids=[row[0] for row in MODELS])
def test_a_misspelt_model(name: str, sentence: str) -> None:
    assert refused("evaluate", "bench", "-m", name, "-o", "out", "--display", "none").startswith(sentence)


WORDS = [
    (("evaluate", "bench", *PLAYED, "--judge", "lexicl"), "there is no judge “lexicl” (did you mean lexical?); use "),
    (("evaluate", "bench", *PLAYED, "--judge", "steady"), "there is no judge “steady”; use none, lexical, or a model"),
    (("evaluate", "bench", *PLAYED, "--judge", "sim/steady"), "sim/steady is a simulated model and cannot judge; use "),
    (
        ("evaluate", "bench", *PLAYED, "--judge", f"openai/j?base_url={ELSEWHERE}", "--judge-rule", "men"),
        "the judge rule “men” is unknown (did you mean mean?); use mean, majority, median",
    ),
    (("evaluate", "bench", *PLAYED, "--context", "tre"), "unknown context strategy “tre” (did you mean tree?); there"),
    (("evaluate", "bench", *PLAYED, "--context", "lst:3"), "unknown context strategy “lst:3” (did you mean last?); "),
    (("evaluate", "bench", *PLAYED, "--context", "last3"), "unknown context strategy “last3” (did you mean last:3?)"),
    (("evaluate", "bench", *PLAYED, "--relevance", "lexicl"), "unknown --relevance “lexicl” (did you mean lexical?); "),
    (("evaluate", "bench", *PLAYED, "--feedback", "repairs"), "unknown --feedback “repairs” (did you mean repair?); "),
    (("evaluate", "bench", *PLAYED, "--engine", "rey"), "unknown --engine “rey” (did you mean ray?); use asyncio or "),
    (("evaluate", "bench", *PLAYED, "--stop-when", "rop=0.03"), "--stop-when rop=0.03 (did you mean rob?): it takes a"),
    (("generate", "out", "--scenario", "gmes"), "the scenario “gmes” is not installed here (did you mean games?); "),
    (("scenarios", "gmes"), "the scenario “gmes” is not installed here (did you mean games?); there are "),
    (("generate", "out", "--profile", "objektive"), "unknown profile “objektive” (did you mean objective?); use "),
    (("generate", "out", "--definitions", "sytem"), "unknown --definitions “sytem” (did you mean system?); use "),
    (
        ("generate", "out", "--scenario", "games", "--set", "gme=chess"),
        "--set gme: the scenario games has no such option (did you mean game?); it has game, ",
    ),
    (
        ("generate", "out", "--scenario", "games", "--set", "game=chss"),
        "--set game must be chess, names, scenes, shapes or questions, not “chss”; did you mean chess?",
    ),
    (("export", "bench", "out", "--format", "parqet"), "unknown format parqet (did you mean parquet?); use jsonl, "),
    (("compare", "played", "copy", "--across", "contxt"), "runs are not compared across “contxt” (did you mean con"),
]


@pytest.mark.sampled
@pytest.mark.parametrize(("command", "sentence"), WORDS, ids=[" ".join(row[0][-2:]) for row in WORDS])
def test_a_misspelt_word(command: tuple[str, ...], sentence: str) -> None:
    assert refused(*command).startswith(sentence)


FOLDERS = [
    (
        ("evaluate", "played", *PLAYED),
        "played is not a benchmark: it is a run; name the folder of the benchmark that was played; evolif report ",
    ),
    (("extend", "played", "--turns", "4"), "played is not a benchmark: it is a run; name the folder of the benchmark"),
    (("report", "bench"), "bench is not a run: it is a benchmark; play it with `evolif evaluate bench`, and name the "),
    (("status", "bench"), "bench is not a run: it is a benchmark; play it with `evolif evaluate bench`"),
    (("rejudge", "bench", "--judge", "lexical"), "bench is not a run: it is a benchmark; play it with "),
    (("evaluate", "benh", *PLAYED), "benh is not a benchmark: there is no such folder (did you mean bench?); create "),
    (("report", "playd"), "playd is not a run: there is no such folder (did you mean played?); create one with "),
    (("report", "nothing-like-it"), "nothing-like-it is not a run: there is no such folder; create one with `evolif"),
    (("evaluate", "outer", *PLAYED), "outer is not a benchmark: it has no benchmark.json (did you mean outer/inner?)"),
    (("evaluate", "bench/benchmark.json", *PLAYED), "bench/benchmark.json is not a benchmark: it is a file in one; "),
    (("report", "played/run.sqlite"), "played/run.sqlite is not a run: it is a file in one; name the folder, played"),
    (("generate", "out", "--profile", "shap.yaml"), "unknown profile “shap.yaml” (did you mean shape.yaml?); use "),
    (
        ("evaluate", "bench", *PLAYED, "--prices", "price.yaml"),
        "price.yaml: cannot be read (No such file or directory) ",
    ),
    (("import", "benh", "out"), "benh does not exist (did you mean bench?); use an exported file or folder"),
    (("audit", "benh"), "benh does not exist (did you mean bench?); use a benchmark's folder or a .jsonl file"),
]


@pytest.mark.parametrize(("command", "sentence"), FOLDERS, ids=[" ".join(row[0][:2]) for row in FOLDERS])
def test_another_folder_is_meant(command: tuple[str, ...], sentence: str) -> None:
    assert refused(*command).startswith(sentence)


VALUES = [
    (("evaluate", "bench", *PLAYED, "--limit", "0"), {}, "--limit must be at least 1, not 0"),
    (("evaluate", "bench", *PLAYED, "--limit", "few"), {}, "--limit must be a whole number, not “few”"),
    (("evaluate", "bench", *PLAYED, "--temperature", "-1"), {}, "--temperature must be at least 0, not -1"),
    (("evaluate", "bench", *PLAYED, "--timeout", "0"), {}, "--timeout must be at least 0.001, not 0"),
    (("report", "played", "--resamples", "9000000"), {}, "--resamples must be at most 1000000, not 9000000"),
    (("evaluate", "bench", *PLAYED, "--config", "low.yaml"), {}, "limit in low.yaml must be at least 1, not 0"),
    (
        ("evaluate", "bench", *PLAYED, "--config", "word.yaml"),
        {},
        "max-turns in word.yaml must be a whole number, not “many”",
    ),
    (
        ("evaluate", "bench", *PLAYED),
        {"EVOLIF_EPOCHS": "0"},
        "EVOLIF_EPOCHS (the variable of --epochs) must be at least 1, not 0",
    ),
    (
        ("generate", "out", "--scenario", "games", "--set", "game=shapes", "--set", "edits=-1"),
        {},
        "the settings of shapes do not fit: edits must be at least 1, not -1",
    ),
    (
        ("generate", "out", "--scenario", "shifts", "--set", "rounds=6"),
        {},
        "--set rounds: there are no dialogues of 6 rounds; use ",
    ),
    (
        ("evaluate", "bench", *PLAYED, "--prices", "prices.yaml"),
        {},
        "prices.yaml: models.openai/x.prompt must be at least 0, not -1; write `models:`",
    ),
    (("generate", "out", "--profile", "shape.yaml"), {}, "shape.yaml: groups must be "),
]


@pytest.mark.parametrize(("command", "env", "sentence"), VALUES, ids=[row[2][:30] for row in VALUES])
def test_a_value_out_of_range(command: tuple[str, ...], env: dict[str, str], sentence: str) -> None:
    assert refused(*command, **env).startswith(sentence)


COMMANDS = [
    (("evalute", "bench"), "there is no evolif evalute (did you mean evolif evaluate?)"),
    (("run", "bench"), "bench is a folder, and a plan is a file; to run models on a benchmark: evolif evaluate bench"),
    (("xyzzy",), "there is no evolif xyzzy; evolif --help lists all verbs"),
    (("models", "download"), "there is no evolif models download (did you mean evolif models fetch?)"),
    (("models", "xyzzy"), "there is no evolif models xyzzy; there are list, test and fetch"),
    (("evaluate",), "evolif evaluate needs BENCH: the benchmark's folder; see evolif evaluate --help"),
    (("evaluate", "bench"), "evolif evaluate needs --model PROVIDER/NAME: a model to evaluate; see "),
    (("evaluate", "bench", "-m"), "-m needs a value: --model PROVIDER/NAME"),
    (("report", "played", "--json"), "--json needs a value: --json FILE|-"),
    (("report", "played", "--full=yes"), "--full takes no value; give it alone"),
    (("evaluate", "bench", *PLAYED, "--modle", "x"), "evolif evaluate has no option --modle (did you mean --model?)"),
    (("report", "played", "--max-turns", "3"), "evolif report has no option --max-turns; evolif evaluate has it"),
    (("report", "played", "--xyzzy"), "evolif report has no option --xyzzy; see evolif report --help"),
    (("--xyzzy",), "evolif has no option --xyzzy; see evolif --help"),
    (("status", "played", "played"), "evolif status takes RUN; “played” is too much (see evolif status --help)"),
]


@pytest.mark.parametrize(("command", "sentence"), COMMANDS, ids=[" ".join(row[0]) for row in COMMANDS])
def test_a_command_that_cannot_be_read(command: tuple[str, ...], sentence: str) -> None:
    assert refused(*command).startswith(sentence)


ROLES = [
    ("bench", "the judge", "--judge", ()),
    ("bench", "the context model", "--context-model", ("--context", "summary:1?summariser=model")),
    ("bench", "the synthesizer", "--synthesizer", ()),
    ("bench", "the checker", "--checker", ()),
]
UNDER_TEST = ("-m", "openai/mine", "--base-url", ELSEWHERE, "--display", "none", "--max-retries", "0", "-o", "out")


@pytest.mark.sampled
@pytest.mark.parametrize(("bench", "role", "flag", "more"), ROLES, ids=[row[2] for row in ROLES])
def test_base_url_is_for_models_under_test_only(bench: str, role: str, flag: str, more: tuple[str, ...]) -> None:
    told = refused("evaluate", bench, *UNDER_TEST, flag, "openai/x", *more)
    assert told == (
        f"{role}: openai/x has no address, and --base-url is only for models under test that do not name one; give it "
        f"its own with {flag} openai/x?base_url=URL&key_env=VARIABLE (without key_env if the server needs no key). "
        "Only if OpenAI's own service is meant, set OPENAI_API_KEY"
    )


def test_base_url_and_the_partner_of_a_game() -> None:
    assert evolif("generate", "game", "--scenario", "games", "--dialogues", "1", "--seed", "1").exit_code == 0
    told = refused("evaluate", "game", *UNDER_TEST, "--partner", "google/x")
    assert told.startswith("the partner: google/x has no address, and --base-url is only for models under test")
    assert told.endswith("Only if Google's own service is meant, set GEMINI_API_KEY")


def test_a_judge_with_a_key_is_said_to_read_conversations_elsewhere() -> None:
    dead = {"OPENAI_API_KEY": "k-1", "OPENAI_BASE_URL": ""}
    result = evolif("evaluate", "bench", *UNDER_TEST, "--max-turns", "1", "--judge", "openai/x", **dead)
    assert (
        "openai/x, the judge, is asked at OpenAI's own service and gets conversations to read: --base-url is only for "
        "models under test. For another address: --judge openai/x?base_url=URL&key_env=VARIABLE."
    ) in result.stderr
    named = f"openai/x?base_url={ELSEWHERE}"
    shutil.rmtree("out")
    result = evolif("evaluate", "bench", *UNDER_TEST, "--max-turns", "1", "--judge", named, **dead)
    assert result.exit_code == 3 and "own service" not in result.stderr


def test_a_simulated_model_cannot_serve_a_context() -> None:
    command = ("--context", "summary:1?summariser=model", "--context-model", "sim/steady")
    told = refused("evaluate", "bench", *PLAYED, *command)
    assert "sim/steady is a simulated one" in told and told.endswith("with --context-model PROVIDER/NAME")


@pytest.mark.sampled
@pytest.mark.parametrize(("limit", "told"), [("5", True), ("2", False)])
def test_a_limit_above_the_number_of_dialogues(limit: str, told: bool) -> None:
    for more in ((), ("--dry-run",)):
        result = evolif("evaluate", "bench", *PLAYED, "--max-turns", "1", "--limit", limit, *more)
        assert result.exit_code == 0
        assert ("--limit 5: bench has only 2 dialogues, so every one is played." in result.stderr) is told


ONE = re.compile(r"(?:^|[\s(])1 (?:of 1 )?(?!is\b|was\b|has\b|minus\b|plus\b)[a-z]+s\b", re.MULTILINE)
"""One of something that is called as if there were more."""


@pytest.mark.slow
def test_one_of_anything_is_not_called_many() -> None:
    gone = f"openai/m?base_url={ELSEWHERE}"
    commands = (
        ("generate", "b", "--dialogues", "1", "--turns", "1", "--seed", "3"),
        ("evaluate", "b", "-m", "sim/steady", "--max-turns", "1", "--dry-run"),
        ("evaluate", "b", "-m", "sim/steady", "--max-turns", "1", "--display", "plain", "-o", "one"),
        ("evaluate", "b", "-m", gone, "--max-retries", "0", "--display", "plain", "-o", "gone"),
        ("evaluate", "b", "-m", gone, "--budget-tokens", "1", "--display", "plain", "-o", "spent"),
        ("evaluate", "b", "-m", "sim/steady", "--max-turns", "2", "-o", "one", "--fork", "two", "--display", "plain"),
        ("status", "one"),
        ("status", "gone"),
        ("report", "gone"),
        ("report", "one", "--full", "--html", "one.html", "--latex", "one.tex"),
        ("rejudge", "one", "--judge", "lexical", "-o", "again", "--display", "plain"),
        ("export", "b", "b.jsonl"),
        ("export", "one", "one.jsonl"),
        ("import", "b.jsonl", "back"),
        ("audit", "b"),
        ("contamination", "b.jsonl", "-b", "b"),
        ("extend", "b", "--dialogues", "2"),
    )
    told = []
    for command in commands:
        result = evolif(*command)
        assert result.exit_code in (0, 1, 2, 3) and result.output and "internal error" not in result.output
        told.append(result.output)
    page = re.sub(
        r"<script.*?</script>|<style.*?</style>", "", Path("one.html").read_text(encoding="utf-8"), flags=re.S
    )
    told += [re.sub(r"<[^>]*>", " ", page), Path("one.tex").read_text(encoding="utf-8")]
    assert len(told) == len(commands) + 2 and "1 turn" in " ".join(told)
    assert [found for text in told for found in ONE.findall(text)] == []


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 queries"), (1, "1 query"), (2, "2 queries"), (2000, "2,000 queries")]
)
def test_plural(number: int, words: str) -> None:
    assert plural(number, "query", "queries", spec=",") == words
    assert plural(number, "turn") == f"{number} turn{'' if number == 1 else 's'}"

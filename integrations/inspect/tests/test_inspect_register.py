"""The entry for the register of Inspect Evals agrees with the project, and with the register's own released schema."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_answers import scripted

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "integrations" / "inspect" / "register"
ADDRESS, COMMIT = "https://github.com/someone/evolif", "0123456789abcdef" * 2 + "01234567"
RELEASE = "inspect-evals==0.28.0"


def pin(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER / "pin.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture(scope="module")
def entry() -> dict[str, Any]:
    done = pin(ADDRESS, "--commit", COMMIT, "--maintainer", "someone", "--maintainer", "else")
    assert done.returncode == 0, done.stderr
    return dict(yaml.safe_load(done.stdout))


def test_the_entry_agrees_with_the_project(entry: dict[str, Any]) -> None:
    from evolif.scenario import get_scenario

    assert entry["source"] == {
        "repository_url": ADDRESS,
        "repository_commit": COMMIT,
        "maintainers": ["someone", "else"],
    }
    assert "OWNER" not in str(entry) and "COMMIT" not in str(entry)
    [task] = entry["tasks"]
    tree = ast.parse((ROOT / task["task_path"]).read_text(encoding="utf-8"))
    [function] = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.decorator_list]
    usual = dict(zip([one.arg for one in function.args.args], function.args.defaults, strict=True))
    assert function.name == task["name"] and [ast.unparse(one) for one in function.decorator_list] == ["task"]
    made = get_scenario("instructions")
    assert ast.literal_eval(usual["dialogues"]) == task["dataset_samples"] == made.usual_dialogues
    assert ast.literal_eval(usual["profile"]) == made.spec.model_fields["profile"].default
    assert len(entry["description"].split()) <= 80  # as the register asks of descriptions


def test_what_the_register_asks_of_a_repository_is_there(entry: dict[str, Any]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["urls"]["Paper"] == entry["arxiv"]
    # `uv sync` in a clone must bring Inspect, as the extra does.
    needed = project["dependency-groups"]["inspect"]
    assert needed == project["project"]["optional-dependencies"]["inspect"]
    assert project["tool"]["uv"]["default-groups"] == ["inspect"]
    assert (ROOT / "integrations" / "inspect" / "requirements.txt").read_text(encoding="utf-8").split() == needed


def test_the_task_of_the_entry_runs_from_its_file(
    bench: Any, entry: dict[str, Any], inspected: Callable[..., Any], figures_of: Any
) -> None:
    [task] = entry["tasks"]
    arguments = {"bench": str(bench.path), "max_turns": 2}
    log = inspected(f"{ROOT / task['task_path']}@{task['name']}", task_args=arguments, limit=2, model=scripted())
    same = inspected("evolif/instructions", task_args=arguments, limit=2, model=scripted())
    assert log.status == "success" and log.eval.task == task["name"]
    assert figures_of(log) == figures_of(same) != {}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("https://gitlab.com/a/b", "--commit", COMMIT), "the register takes repositories on GitHub"),
        ((ADDRESS, "--commit", "main"), "a commit has 40 hex digits, not main"),
    ],
)
def test_an_entry_that_the_register_would_refuse_is_a_sentence(arguments: tuple[str, ...], says: str) -> None:
    done = pin(*arguments)
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""


def test_a_commit_is_pinned_only_if_it_has_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    from pin import head_commit

    def git(*arguments: str) -> str:
        who = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
        done = subprocess.run(["git", *who, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    with pytest.raises(ValueError, match="has no commit to pin"):
        head_commit(tmp_path)
    git("init", "-q")
    (tmp_path / "pyproject.toml").write_text("a", encoding="utf-8")
    git("add", ".")
    git("commit", "-qm", "Begin")
    assert head_commit(tmp_path) == git("rev-parse", "HEAD")
    (tmp_path / "pyproject.toml").write_text("b", encoding="utf-8")
    with pytest.raises(ValueError, match="changes that are not committed"):
        head_commit(tmp_path)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The register's own code of a release: its package brings dozens of others, of which the schema needs none."""
    folder = tmp_path_factory.mktemp("inspect-evals")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), RELEASE]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{RELEASE} could not be downloaded: {done.stderr.strip().splitlines()[-1]}")
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for name in ("inspect_evals/metadata.py", "register_tooling/task_resolver.py"):
            archive.extract(name, folder)
    return folder


def module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"released_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


def test_the_register_reads_the_entry_and_finds_its_task(released: Path, entry: dict[str, Any]) -> None:
    schema = module(released / "inspect_evals" / "metadata.py")
    read = schema.ExternalEvalMetadata(id="evolif", **entry)
    assert read.package == "evolif" and [task.name for task in read.tasks] == ["evolif_instructions"]
    with pytest.raises(ValueError, match="task_path"):  # that the schema is strict at all
        schema.ExternalEvalMetadata(id="evolif", **{**entry, "tasks": [{"name": "evolif_instructions"}]})
    resolver = module(released / "register_tooling" / "task_resolver.py")
    source = (ROOT / read.tasks[0].task_path).read_text(encoding="utf-8")
    assert resolver.resolve_task(source, line_anchor=None).name == read.tasks[0].name

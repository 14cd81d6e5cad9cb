"""A run's answers under another judge: nobody under test is asked, and patience is counted anew."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from asked import Asked, grade
from models.server import ok, serving
from typer.testing import CliRunner

from evolif import UsageError
from evolif.cli import app
from evolif.errors import AccessError, ModelError
from evolif.judging import CACHE_FILE, load_rubric
from evolif.models import ChatRequest
from evolif.runner import Event, Live, Run, TurnRecord, evaluate, load_run
from evolif.runner.events import TurnStored
from evolif.runner.rejudge import agreement, rejudge
from evolif.runner.store_file import FILE_NAME
from evolif.scenarios.instructions import generate
from evolif.scenarios.instructions.constraints import get_group
from evolif.text import FIRST_RULES, READING_RULES_VERSION
from evolif.types import Verdict

JUDGE = "openai/judge?base_url=http://127.0.0.1:9/v1&key_env=JUDGE_KEY"
OTHER = "openai/other?base_url=http://127.0.0.1:9/v1&key_env=JUDGE_KEY"
Said = Any


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "kk-judge-not-real")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two models over 3 dialogues, judged leniently: every session reaches the cap."""
    root = tmp_path_factory.mktemp("rejudge")
    generate(root / "bench", dialogues=3, turns=12, seed=5, profile="paper")
    with pytest.MonkeyPatch.context() as patch, serving(ok(grade(9))) as server:
        patch.setenv("JUDGE_KEY", "kk-judge-not-real")
        judge = f"openai/judge?base_url={server.url}&key_env=JUDGE_KEY"
        run = evaluate(root / "bench", ["sim/perfect", "sim/steady"], root / "run", judge=judge, max_turns=12)
        run.close()
    return root / "run"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A copy whose judge's scores are not kept."""
    shutil.copytree(made, tmp_path / "run")
    (tmp_path / "run" / CACHE_FILE).unlink()
    return tmp_path / "run"


@pytest.fixture
def judges(fake_models: Any) -> dict[str, Asked]:
    """The judges that a test opens, by name; each accepts everything until told otherwise."""
    opened: dict[str, Asked] = {}

    def judge(spec: str) -> Asked:
        name = spec.partition("?")[0]
        return opened.setdefault(name, Asked([grade(9)], name))

    fake_models(judge)
    return opened


@pytest.fixture
def again(run: Path, tmp_path: Path, judges: dict[str, Asked]) -> Iterator[Any]:
    opened: list[Run] = []

    def call(judge: Any = JUDGE, out: str = "again", source: Path = run, **options: Any) -> Run:
        opened.append(rejudge(source, judge, tmp_path / out, **options))
        return opened[-1]

    yield call
    for one in opened:
        one.close()


def strict(*words: str) -> Asked:
    """A judge that accepts nothing but what its question names."""
    return Asked(
        [], "openai/judge", lambda request: grade(9 if any(w in request.messages[1].content for w in words) else 2)
    )


def told(run: Run | Path) -> dict[tuple[str, int], tuple[Any, ...]]:
    """Everything that the figures depend on, and the answers."""
    opened = load_run(run) if isinstance(run, Path) else run
    found = {}
    for model in opened.models:
        for session, turns in opened.transcripts(model):
            said = [(t.turn, t.query, t.answer, t.prompt.labels, outcomes(t)) for t in turns]
            found[model, session.dialogue] = (session.ending, session.reason, said)
    if isinstance(run, Path):
        opened.close()
    return found


def outcomes(turn: TurnRecord) -> list[tuple[str, bool | None]]:
    return [(v.group, v.satisfied) for v in turn.verdicts]


def by_rules(verdicts: tuple[Verdict, ...]) -> list[Verdict]:
    return [v for v in verdicts if not get_group(v.group).subjective]


@pytest.mark.slow
def test_the_same_verdicts_make_the_same_run_and_nobody_under_test_is_asked(
    run: Path, again: Any, judges: dict[str, Asked]
) -> None:
    new = again()
    assert told(new) == told(run)
    assert list(judges) == ["openai/judge"] and judges["openai/judge"].closed == 1
    assert {cost.role for cost in new.costs()} == {"judge"}
    [cost] = new.costs()
    calls = len(judges["openai/judge"].requests)
    assert cost.calls == calls > 0 and cost.usage.prompt_tokens == 100 * calls
    assert new.settings.judge == f"openai/judge (rubric {load_rubric().version})"
    assert new.settings.judge_endpoints == ("http://127.0.0.1:9/v1",)


def test_a_stricter_judge_ends_sessions_earlier_and_the_old_run_stays_as_it_is(
    run: Path, again: Any, judges: dict[str, Asked]
) -> None:
    before, old = told(run), load_run(run)
    judges["openai/judge"] = strict()
    new = told(again())
    assert told(run) == before
    shorter = 0
    for key, (ending, reason, turns) in new.items():
        source = before[key][2]
        assert [t[:4] for t in turns] == [t[:4] for t in source[: len(turns)]]
        failed = [any(satisfied is False for _, satisfied in t[4]) for t in turns]
        streak = len(failed) - max((i for i, bad in enumerate(failed, 1) if not bad), default=0)
        assert streak <= 3 and (streak == 3) == (ending == "finished")
        if ending == "finished":
            assert reason == "patience exhausted"
        else:
            assert (ending, reason) == before[key][:2] and len(turns) == len(source)
        shorter += len(turns) < len(source)
    assert shorter > 0
    old.close()


def test_what_rules_said_is_taken_over_with_its_words(run: Path, again: Any, judges: dict[str, Asked]) -> None:
    judges["openai/judge"] = strict()
    new, old = again(), load_run(run)
    pairs = 0
    for model in new.models:
        for (_, before), (_, after) in zip(old.transcripts(model), new.transcripts(model), strict=True):
            for first, second in zip(before, after, strict=False):
                assert by_rules(first.verdicts) == by_rules(second.verdicts)
                assert len(second.records) == len(second.verdicts) - len(by_rules(second.verdicts))
                pairs += 1
    old.close()
    assert pairs > 20


def test_where_a_lenient_judge_would_have_gone_on_the_session_is_censored(
    again: Any, judges: dict[str, Asked], tmp_path: Path
) -> None:
    judges["openai/judge"] = strict()
    again(out="harsh")
    harsh = told(tmp_path / "harsh")
    judges["openai/judge"] = Asked([grade(9)], "openai/judge")
    mild = again(source=tmp_path / "harsh", out="mild", judge=[OTHER])
    ended = 0
    for key, (ending, reason, turns) in told(mild).items():
        assert len(turns) == len(harsh[key][2])
        if harsh[key][0] == "finished" and ending != "finished":
            assert (ending, reason) == ("censored", "answers end here")
            ended += 1
    assert ended > 0 and mild.suspended() == 0


def test_a_fault_suspends_and_the_same_call_asks_only_what_is_missing(
    run: Path, again: Any, judges: dict[str, Asked]
) -> None:
    asked: Counter[str] = Counter()

    def flaky(request: ChatRequest) -> Said:
        text = re.sub(r"[0-9a-f]{24}", "#", request.messages[1].content)
        asked[text] += 1
        return ModelError("openai/judge: down", retryable=True) if broken and len(asked) % 7 == 0 else grade(9)

    broken = True
    judges["openai/judge"] = Asked([], "openai/judge", flaky)
    first = again()
    assert first.suspended() > 0
    assert all("could not be called: openai/judge: down" in reason for _, reason, _ in first.reasons())
    assert {fault[3] for fault in first.faults()} == {"judge"}
    broken = False
    had = sum(asked.values())
    second = again()
    assert second.suspended() == 0 and told(second) == told(run)
    spent = sum(cost.calls for cost in second.costs())
    assert spent == sum(asked.values()) - len(first.faults()) and sum(asked.values()) > had
    calls = sum(asked.values())
    assert told(again()) == told(run) and sum(asked.values()) == calls  # complete: nothing is asked


def test_a_key_that_opens_nothing_stops_all_at_the_first_call(run: Path, again: Any, judges: dict[str, Asked]) -> None:
    judges["openai/judge"] = Asked([AccessError("openai/judge: wrong key")], "openai/judge")
    first = again()
    assert first.suspended() > 0 and len(judges["openai/judge"].requests) <= 6
    judges["openai/judge"] = Asked([grade(9)], "openai/judge")
    assert told(again()) == told(run)


def test_scores_that_the_old_run_has_cost_nothing(made: Path, again: Any, judges: dict[str, Asked]) -> None:
    new = again(source=made, judge=[JUDGE.replace("127.0.0.1:9", "127.0.0.1:8"), OTHER])
    assert len(judges["openai/judge"].requests) == len(judges["openai/other"].requests) > 0  # asked elsewhere
    old = load_run(made)
    [address] = old.settings.judge_endpoints
    old.close()
    judges.clear()
    again(source=made, judge=[f"openai/judge?base_url={address}&key_env=JUDGE_KEY", OTHER], out="panel")
    assert judges["openai/judge"].requests == [] and judges["openai/other"].requests != []
    assert new.settings.judge.startswith("mean of openai/judge, openai/other")


def test_without_a_judge_or_by_the_heuristic_nothing_is_asked(again: Any, judges: dict[str, Asked]) -> None:
    for name, heuristic in (("none", False), ("lexical", True)):
        new = again(judge=name, out=name)
        turns = [t for model in new.models for _, records in new.transcripts(model) for t in records]
        subjective = [v for t in turns for v in t.verdicts if get_group(v.group).subjective]
        assert subjective and all(v.satisfied is None for v in subjective)
        assert any(t.heuristic for t in turns) is heuristic and new.costs() == []
    assert judges == {}


def test_agreement_counts_what_both_judged(run: Path, again: Any, judges: dict[str, Asked]) -> None:
    def half(request: ChatRequest) -> str:
        return grade(7 if len(request.messages[1].content) % 2 else 3)

    judges["openai/judge"] = Asked([], "openai/judge", half)
    new, old = again(), load_run(run)
    counts = agreement(old, new)
    old.close()
    subjective = [v for model in new.models for _, ts in new.transcripts(model) for t in ts for v in t.verdicts
                  if get_group(v.group).subjective]  # fmt: skip
    assert counts.shared == Counter(v.group for v in subjective)
    assert counts.differ.total() == sum(v.satisfied is False for v in subjective) > 0
    assert counts.near == sum(v.satisfied is True for v in subjective) > 0
    assert (counts.one_sided, counts.scores) == (0, len(subjective))
    assert counts.kept == len(subjective) - len(judges["openai/judge"].requests)  # both models gave the same answer
    unjudged = again(judge="none", out="none")
    assert agreement(new, unjudged).shared.total() == 0 and agreement(new, unjudged).one_sided == len(subjective)


@pytest.mark.parametrize(
    ("ending", "cause"), [("suspended", "provider"), ("withheld", "content filter"), ("censored", "context")]
)
def test_what_ended_a_session_from_outside_ends_it_still(run: Path, again: Any, ending: str | None, cause: str) -> None:
    set_ends(run, ending, cause)
    new = again()
    assert {end[:2] for end in told(new).values()} == {(ending, "why it was")}
    assert told(new) == told(run)


def test_a_session_that_waited_for_its_judge_is_judged_and_stays_to_be_gone_on_with(run: Path, again: Any) -> None:
    set_ends(run, "suspended", "judge", unjudge_last=True)
    new = again()
    assert {end[:2] for end in told(new).values()} == {("suspended", "answers end here")}
    assert all(t.is_judged for model in new.models for _, turns in new.transcripts(model) for t in turns)


def set_ends(run: Path, ending: str | None, cause: str, *, unjudge_last: bool = False) -> None:
    connection = sqlite3.connect(run / FILE_NAME)
    with connection:
        connection.execute(
            "UPDATE session SET ending = ?, cause = ?, reason = 'why it was', seal = NULL", (ending, cause)
        )
        connection.execute("UPDATE turn SET seal = NULL")  # as versions without seals stored it
        if unjudge_last:
            connection.execute(
                "UPDATE turn SET verdicts = NULL"
                " WHERE turn = (SELECT max(turn) FROM turn AS t WHERE t.session = turn.session)"
            )
    connection.close()


def with_rules(run: Path, rules: int) -> None:
    """Store another edition of the reading rules."""
    connection = sqlite3.connect(run / FILE_NAME)
    with connection:
        was = f'"reading_rules":{READING_RULES_VERSION}'
        change = "UPDATE run SET value = replace(value, ?, ?) WHERE key = 'settings'"
        connection.execute(change, (was, f'"reading_rules":{rules}'))
    connection.close()


def test_unknown_reading_rules_are_refused(run: Path, again: Any, tmp_path: Path) -> None:
    with_rules(run, 99)
    with pytest.raises(UsageError, match="were read by reading rules 99, but this version has the rules 1 and 2"):
        again()
    assert not (tmp_path / "again").exists()


def test_a_run_of_earlier_reading_rules_keeps_them(run: Path, again: Any, judges: dict[str, Asked]) -> None:
    with_rules(run, FIRST_RULES)
    assert again().settings.reading_rules == FIRST_RULES


def test_what_would_mix_two_judgings_is_refused(
    run: Path, again: Any, tmp_path: Path, judges: dict[str, Asked]
) -> None:
    with pytest.raises(UsageError, match="another folder"):
        again(out="run")
    again()
    for judge, options in ((OTHER, {}), ([JUDGE, OTHER], {"judge_rule": "median"}), ("none", {})):
        with pytest.raises(UsageError, match=r"contains another run \(the judge"):
            again(judge=judge, **options)
    with pytest.raises(UsageError, match="is not a run"):
        again(source=tmp_path / "bench", out="elsewhere")
    with pytest.raises(UsageError, match="rule “best” is unknown"):
        again(judge_rule="best", out="elsewhere")
    assert not (tmp_path / "elsewhere").exists()


def test_verdicts_on_another_runs_answers_are_not_gone_on_with(
    run: Path, again: Any, judges: dict[str, Asked], tmp_path: Path
) -> None:
    judges["openai/judge"] = Asked([grade(9), ModelError("down")], "openai/judge")
    again()
    connection = sqlite3.connect(run / FILE_NAME)
    with connection:
        connection.execute("UPDATE turn SET answer = answer || '!', seal = NULL")
        connection.execute("UPDATE session SET seal = NULL")
    connection.close()
    judges["openai/judge"] = Asked([grade(9)], "openai/judge")
    with pytest.raises(UsageError, match="answers of another run"):
        again()


def test_a_missing_key_leaves_no_folder_behind(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUDGE_KEY")
    with pytest.raises(UsageError, match="JUDGE_KEY"):
        rejudge(run, JUDGE, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def command(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["rejudge", *arguments], env={"COLUMNS": "200", "EVOLIF_DISPLAY": "none"})


def test_the_command_tells_figures_and_how_far_the_judges_differ(run: Path) -> None:
    with serving(ok(grade(6))) as server:
        done = command(str(run), "--judge", f"openai/new?base_url={server.url}&key_env=JUDGE_KEY", "--resamples", "10")
    assert done.exit_code == 0, done.output
    assert (run.parent / "run-rejudged" / FILE_NAME).is_file()
    assert re.search(r"judge openai/new \(rubric", done.stdout)
    assert re.search(r"Against the old judge \(openai/judge \(rubric \w+\)\): (\d+) of \1 verdicts", done.stdout)
    assert re.search(r"(\d+) of \1 scores are between 6 and 7", done.stdout)


def test_the_command_says_what_is_missing_with_exit_code_3(run: Path, tmp_path: Path) -> None:
    with serving() as server:
        pass
    out = str(tmp_path / "out")
    done = command(str(run), "--judge", f"openai/new?base_url={server.url}&key_env=JUDGE_KEY", "--out", out,
                   "--max-retries", "0", "--resamples", "10")  # fmt: skip
    assert done.exit_code == 3, done.output
    assert "could not be reached" in done.output and "run the same command to judge the rest" in done.output


def test_another_shell_sees_what_is_left_to_judge(run: Path, again: Any, tmp_path: Path) -> None:
    seen: list[Live | None] = []

    def watch(event: Event) -> None:
        if isinstance(event, TurnStored):
            with closing(load_run(tmp_path / "again", read_only=True)) as now:
                seen.append(now.live())

    done = again(observe=watch)
    with closing(load_run(run)) as source:
        lengths = [len(session.turns) for session in source.sessions()]
    live = seen[-1]
    assert live is not None and live.length == sum(lengths) / len(lengths)
    assert done.live() is None

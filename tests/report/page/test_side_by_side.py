"""Two models' transcripts on one page: what stands beside what, in which order, and what is left out."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from recorded_dialogs import answer, bench_of, dialog, entry, turn
from runs_by_hand import make_run
from talk_scenario import MODEL, SECRET, SYSTEM, install, make_talk
from typer.testing import CliRunner

import evolif
from evolif import UsageError
from evolif.cli import app
from evolif.report import analyse
from evolif.report.page import side_by_side, write_side_by_side
from evolif.report.page.paired_sessions import paired_sessions
from evolif.runner import Run, load_run

A, B = "fake/a", "fake/b"
SESSIONS = {
    A: {1: "censored:11 11 10", 2: "censored:1 1", 3: "finished:1? 0? 0? 0?", 4: "censored:1"},
    B: {1: "censored:11 10 01", 2: "censored:1 1 0", 3: "censored:1? 1? 0? 0? 1?", 5: "censored:1"},
}
"""Of the verdicts 3 differ in dialogue 1, none in dialogue 2, and 1 in dialogue 3; `?` counts nowhere."""


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with closing(make_run(tmp_path / "run", SESSIONS)) as made:
        yield made


def page(run: Run, tmp_path: Path, **how: Any) -> str:
    first, second = analyse([run])[0].models
    return write_side_by_side(first, second, tmp_path / "pair.html", **how).read_text(encoding="utf-8")


def dialogues(text: str) -> list[str]:
    return re.findall(r'<details class="session".*?</details>\n?(?=<details class="session"|</section>\n</main>)',
                      text, re.DOTALL)  # fmt: skip


def pairs(text: str) -> list[str]:
    return re.findall(r'<li class="pair.*?(?=<li class="pair|</ol>)', text, re.DOTALL)


def plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def test_dialogues_come_in_the_order_of_their_differences(run: Run, tmp_path: Path) -> None:
    text = page(run, tmp_path)
    assert re.findall(r'data-key="([\d/]+)"', text) == ["1/1", "3/1", "2/1"]
    assert "3 dialogues, 4 differences in 12 verdicts." in plain(text)
    told = [plain(one) for one in dialogues(text)]
    assert [re.findall(r"\d+ differences? in \d+ verdicts?", one)[0] for one in told] == [
        "3 differences in 6 verdicts",
        "1 difference in 4 verdicts",
        "0 differences in 2 verdicts",
    ]
    assert "1 dialogue that only fake/a played are not here" in text
    rows = re.findall(r'<th scope="row">(\w+)</th><td>(\d+)</td><td>(\d+)</td>', text)
    assert rows == [("end_with", "1", "1"), ("start_with", "1", "1")]


def test_differing_turns_and_verdicts_are_marked_on_both_sides(run: Run, tmp_path: Path) -> None:
    first, second, third = pairs(dialogues(page(run, tmp_path))[0])
    assert 'class="pair"' in first and "unlike" not in first
    for text, number in ((second, 1), (third, 2)):
        assert 'class="pair differs"' in text and f"≠ {number} difference" in text
        assert text.count('<span aria-hidden="true">≠</span>') == 2 * number
        a, b = re.split(r'<section class="turn', text)[1:]
        assert 'aria-label="A, turn' in a and "fake/a" in a and 'aria-label="B, turn' in b and "fake/b" in b
        assert "data-v=" in a or 'class="v ' in a


def test_the_query_stands_there_once_and_the_answers_beside_each_other(run: Run, tmp_path: Path) -> None:
    first, *_ = pairs(dialogues(page(run, tmp_path))[0])
    assert first.count("<h4>User</h4>") == 1 and first.count('class="text ans"') == 2
    assert first.index("<h4>User</h4>") < first.index('class="sides"') < first.index('class="text ans"')


def test_a_turn_that_one_was_not_asked_says_why(run: Run, tmp_path: Path) -> None:
    *_, last = pairs(dialogues(page(run, tmp_path))[1])
    a, b = re.split(r'<section class="turn', last)[1:]
    assert "Not asked: finished." in plain(a) and "ans" not in a and "ans" in b
    assert "differs" not in last


def test_the_page_brings_every_colour_that_it_uses(run: Run, tmp_path: Path) -> None:
    style = page(run, tmp_path).partition("<style>")[2].partition("</style>")[0]
    assert {"--ink", "--paper"} <= set(re.findall(r"var\((--[\w-]+)", style)) <= set(re.findall(r"(--[\w-]+):", style))
    assert ".vh {" in style and ".turn.bad {" in style and ".sides {" in style


def test_chosen_dialogues_alone(run: Run, tmp_path: Path) -> None:
    assert re.findall(r'data-key="([\d/]+)"', page(run, tmp_path, dialogues=[2])) == ["2/1"]
    with pytest.raises(UsageError, match="dialogue 9 is not in both runs; they share 1, 2, 3, 4, 5"):
        page(run, tmp_path, dialogues=[9])
    with pytest.raises(UsageError, match="have no dialogue in common"):
        page(run, tmp_path, dialogues=[4])


def test_size_is_bounded_and_what_is_left_out_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for bound, value in (("MOST_DIALOGUES", 2), ("MOST_BYTES", 100)):
        with monkeypatch.context() as patch:
            patch.setattr(side_by_side, bound, value)
            text = page(run, tmp_path)
        shown = 2 if bound == "MOST_DIALOGUES" else 1
        assert len(dialogues(text)) == shown
        left = "1 dialogue with 0 differences are left out" if shown == 2 else "2 dialogues with 1 difference are left"
        assert f"Only the first {shown} dialogue" in text and left in text
    assert not list(tmp_path.glob("*.part"))


def test_models_that_cannot_stand_beside_each_other_are_refused(run: Run, tmp_path: Path) -> None:
    first, second = analyse([run])[0].models
    with pytest.raises(UsageError, match="fake/a stands on both sides"):
        write_side_by_side(first, first, tmp_path / "x.html")
    with (
        closing(make_run(tmp_path / "other", SESSIONS, benchmark="f" * 16)) as other,
        pytest.raises(UsageError, match="run and other were played on different benchmarks"),
    ):
        write_side_by_side(first, analyse([other])[0].models[1], tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists() and second.name == B


def test_one_model_of_two_runs_is_called_by_its_run(run: Run, tmp_path: Path) -> None:
    with closing(make_run(tmp_path / "again", {A: {1: "censored:11 11 11"}})) as again:
        pair = analyse([run])[0].models[0], analyse([again])[0].models[0]
        text = write_side_by_side(*pair, tmp_path / "x.html").read_text(encoding="utf-8")
    assert "fake/a (run)" in plain(text).replace("/ ", "/") and "fake/a (again)" in plain(text).replace("/ ", "/")


def test_verdicts_are_matched_by_name_and_only_where_both_were_reached(tmp_path: Path) -> None:
    sessions = {A: {1: "censored:111 1?0 0"}, B: {1: "censored:01 ??0 1"}}
    with closing(make_run(tmp_path / "run", sessions)) as run:
        first, second = analyse([run])[0].models
        [pair] = paired_sessions(first, second).pairs
    assert pair.turns[1].verdicts == ((0, 0),) and pair.turns[1].both_verdicts == 2
    assert pair.turns[2].verdicts == () and pair.turns[2].both_verdicts == 1
    assert pair.turns[3].verdicts == ((0, 0),) and pair.verdicts == (2, 4)


def test_a_scenario_of_two_seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    with closing(make_talk(tmp_path / "one")) as one, closing(make_talk(tmp_path / "two")) as two:
        pair = analyse([one])[0].models[0], analyse([two])[0].models[0]
        text = write_side_by_side(*pair, tmp_path / "x.html").read_text(encoding="utf-8")
    _, second, *_ = pairs(text)
    assert f"{MODEL} (one)".split("/")[-1] in text and 'class="pair other"' in second
    assert "A, partner" in second and "What the partner was asked" in second
    assert "is it &lt;b&gt;fire&lt;/b&gt;?" in second
    assert SYSTEM not in text and SECRET not in text


def test_hostile_texts_stay_text(folder: Path, hostile: Path, tmp_path: Path) -> None:
    with closing(load_run(hostile, read_only=True)) as run:
        first, second = analyse([run])[0].models
        text = write_side_by_side(first, second, tmp_path / "x.html").read_text(encoding="utf-8")
    assert text.count("<script>") == 1 and "<img" not in text and "<svg onload" not in text
    assert "&lt;script&gt;window.pwned = 1&lt;/script&gt;" in text and "\u202e" not in text
    assert not re.findall(r'href="(?!#)', text)


def test_compare_writes_it(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "pair.html"
    words = ["compare", str(folder), "-m", "sim/steady", "-m", "sim/forgetful", "--transcripts", str(out)]
    result = CliRunner().invoke(app, [*words, "--json", "-"])
    assert result.exit_code == 0 and f"Transcripts: {out}" in result.stderr
    assert json.loads(result.stdout)["comparisons"] and "sim/forgetful" in out.read_text(encoding="utf-8").replace(
        "<wbr>", ""
    )
    again = shutil.copytree(folder, tmp_path / "again")
    several = CliRunner().invoke(app, ["compare", str(folder), str(again), "--transcripts", str(tmp_path / "x.html")])
    assert several.exit_code == 2 and "--transcripts shows one pair, not 2; name its model" in several.stderr
    assert not (tmp_path / "x.html").exists()


PLAYERS = {"games": ("scripted", "floor"), "shifts": ("steady", "reader"), "broadcast": ("steady", "reader")}


@pytest.mark.sampled
@pytest.mark.parametrize("scenario", PLAYERS)
def test_every_scenario_is_shown(scenario: str, tmp_path: Path) -> None:
    bench = evolif.generate(tmp_path / "bench", scenario=scenario, dialogues=1, seed=3)
    with closing(evolif.evaluate(bench, [f"sim/{name}" for name in PLAYERS[scenario]], tmp_path / "run")) as run:
        text = page(run, tmp_path)
        turns = [len(session.turns) for model in run.models for session in run.sessions(model)]
    assert text.count('class="text ans"') == sum(turns) > 0
    assert "What differs" in text and 'class="pair differs"' in text


def test_recorded_dialogues_are_shown_with_their_scores(tmp_path: Path) -> None:
    asked = turn(1, "user", "Say it."), answer(2, entry("exact_match"), reference="It.")
    bench = bench_of(tmp_path, dialog(0, *asked))
    with closing(evolif.evaluate(bench, ["sim/reference", "sim/echo"], tmp_path / "run")) as run:
        text = page(run, tmp_path)
    assert "1 difference in 1 score; Score" in plain(text) and "100 and 0 %" in plain(text)

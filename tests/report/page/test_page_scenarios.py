"""The transcript of a scenario that the page does not know: seats, several messages, scores, what was heard."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest
from talk_scenario import MODEL, PARTNER, SECRET, SYSTEM, BrokenTalk, install, make_talk

from evolif import UsageError
from evolif.report import analyse, write_page

PATIENCE = re.compile(r"[Pp]atience|[Ss]urviv|EDR|REC|ROB")


def page(tmp_path: Path, **settings: object) -> str:
    with closing(make_talk(tmp_path / "run", **settings)) as run:
        write_page(analyse([run], resamples=20), tmp_path / "p.html")
    return (tmp_path / "p.html").read_text(encoding="utf-8")


def turns(text: str) -> list[str]:
    return re.findall(r'<li class="turn.*?(?=<li class="turn|</ol>)', text, re.DOTALL)


def test_who_spoke_and_what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    first, second, third, *_ = turns(page(tmp_path))
    assert "An earlier word." in first and "<h4>Assistant</h4>" in first and "Question 1" in first
    assert 'class="turn none partner"' in second and f'Partner <span class="name">{PARTNER}</span></h4>' in second
    assert "is it &lt;b&gt;fire&lt;/b&gt;?" in second and "What the partner was asked" in second
    assert "partner" not in first and "<h4>Answer</h4>" in third
    # The page shows what a scenario says, and neither its payload nor what it tells a seat beforehand.
    assert "round &lt;1&gt;" in first and "instance i1; card 1" in first
    assert SYSTEM not in first and not any(SECRET in turn for turn in (first, second, third))


def test_scores_and_what_was_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    first, second, _, *_ = turns(page(tmp_path))
    plain = re.sub(r"<[^>]*>", " ", first)
    assert re.search(r"points\s+0\.5\s+much\s+found\s+some", plain) and re.search(r"style\s+not scored", plain)
    assert "What was heard of it" in first and first.count("a bright thing") == 2
    assert "What was heard of it" not in second and "Scores of" not in second


def test_self_play_names_the_model_on_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    assert f'<span class="name">{MODEL}</span></h4>' in turns(page(tmp_path, partner="self"))[1]


def test_only_the_turns_of_the_model_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    text = page(tmp_path)
    assert "finished, 2 turns, 1 failed" in text


@pytest.mark.slow
def test_a_run_without_patience_speaks_of_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    text = re.sub(r"<(style|script).*?</\1>", "", page(tmp_path), flags=re.DOTALL)
    assert PATIENCE.findall(text) == []
    assert "constraint" not in text[text.index('id="how-to-read"') :] and "verdict per rule" in text
    assert "EvolIF" not in text  # what the paper has to do with it
    assert "1 model over 3 dialogues, with transcripts: talk at a table." in text
    assert "Scenario talk, cap 2 turns, judge none, partner sim/guest, tokens 9; in brackets" in text


def test_hostile_words_of_a_plug_in_stay_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    text = page(tmp_path, partner="evil/<script>x</script>", options={"tokens": 9})
    assert "<script>x" not in text and "evil/&lt;script&gt;x&lt;/script&gt;</span></h4>" in text


def test_a_plug_in_that_breaks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, BrokenTalk)
    with pytest.raises(UsageError, match="the plug-in of the scenario talk failed"):
        page(tmp_path)
    assert not (tmp_path / "p.html").exists()

"""Whatever stands in a benchmark, a topic, a note or a name: the screen shows it and obeys none of it."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("textual", reason="the extra review is not installed")

from hypothesis import given, settings
from hypothesis import strategies as st
from review_desks import KEY, ask, decide, desk
from review_pilot import drive
from test_review_safe import ON_SCREEN, is_safe
from textual.content import Content

from evolif.review.app.keys import page
from evolif.review.topics import TopicQueue
from evolif.review.turn_view import turn_blocks
from evolif.scenarios.instructions import InstructionBenchmark
from evolif.scenarios.instructions.turns import Finding

texts = st.text(st.one_of(st.characters(), st.sampled_from("\x1b\x9b\u202e\u200b\t\r\n[]@/=\"'\u2028")), max_size=40)


def spans(content: Content) -> list[str]:
    return [str(span.style) for span in content.spans]


@settings(max_examples=50)
@given(texts, texts, texts)
def test_the_page_of_a_turn_is_text_and_our_own_styles_only(bench_turn, query, message, note):
    from dataclasses import replace

    turn = replace(bench_turn, query=query, source=note, findings=(message,))
    found = [Finding(note, message, ((0, 5), (3, 10**6), (-4, 2)))]
    shown = page(turn_blocks(turn, found, [turn], [], checked=True))
    assert is_safe(shown.plain)
    assert not any("@" in style or "link" in style for style in spans(shown))


@pytest.fixture(scope="module")
def bench_turn(made):
    return InstructionBenchmark(made).turns(1)[2]


@pytest.mark.slow
@pytest.mark.parametrize("text", ON_SCREEN)
def test_the_screen_obeys_nothing(bench, text):
    InstructionBenchmark(bench).replace(
        1, 3, query=f"A {text} BAD b", status="flagged", source=f"openai/{text}", findings=(f"{text}: {text}",)
    )
    decide(desk(bench, "bob"), "note", note=text)
    name = desk(bench, f"ada {text}"[:40])
    name.reviewer = text  # as if nobody had cleaned it

    async def steps(person):
        async def is_clean():
            await person.pilot.pause()
            rows = person.app.screen._compositor.render_strips()
            assert [segment.text for row in rows for segment in row if not is_safe(segment.text)] == []
            assert not any(s.style and (s.style.link or "@click" in s.style.meta) for row in rows for s in row)

        await person.sees("! length")
        await is_clean()
        for keys in (["space"], ["a"], ["escape", "e"], ["escape", "f"], ["escape", "s"], ["escape", "question_mark"]):
            await person.press(*keys)
            await is_clean()
        await person.press("escape", "o")
        await person.write("ok")
        person.line.insert_text_at_cursor(text)
        await is_clean()
        await person.press("enter")
        await is_clean()
        person.app.review.tell(text, text)
        await is_clean()

    drive(name, steps, size=(100, 40))
    assert all(is_safe(one.note) for one in desk(bench).decisions(KEY) if one.reviewer == text)


@pytest.mark.slow
def test_what_is_pasted_into_the_editor_is_spelled_out(bench, stored):
    async def steps(person):
        from textual.events import Paste

        await person.press("e")
        await person.sees("ctrl+s saves")
        words = person.editor
        await person.press("ctrl+u")
        person.app.post_message(Paste("\x1b[31m30\r\nwords\u202e\x00"))
        await person.until(lambda: "words" in words.text)
        assert is_safe(words.text) and words.text == "\\x1b[31m30\nwords\\u202e\\x00"
        await person.press("ctrl+s")
        await person.until(lambda: stored().status == "edited")

    drive(desk(bench), steps)
    assert is_safe(stored().query)


def test_a_draft_that_was_tampered_with_is_no_draft_or_harmless(bench):
    own = desk(bench)
    own.drafts.keep(KEY, "base", "text")
    [file] = (bench / "review" / "drafts").iterdir()
    data = json.loads(file.read_text("utf-8"))
    for text in (
        "nonsense",
        "[" * 100_000,
        "{}",
        json.dumps({**data, "item": "9/9"}),
        json.dumps({**data, "time": 5e99}),
    ):
        file.write_text(text, "utf-8")
        assert own.drafts.get(KEY) is None
    file.write_text(json.dumps({**data, "text": "\x1b[31m", "base": "\x1b"}), "utf-8")

    async def steps(person):
        await person.press("e")
        await person.sees("was restored")
        assert person.editor.text == r"\x1b[31m"

    drive(own, steps)


@pytest.mark.parametrize("text", ON_SCREEN)
def test_topics_obey_nothing(tmp_path, text):
    line = {
        "id": f"T{text}",
        "prompt": text + "x",
        "title": text,
        "domain": text,
        "keywords": [text],
        "verified_by": [text],
    }
    (tmp_path / "t.jsonl").write_text(json.dumps(line) + "\n", "utf-8")

    async def steps(person):
        for keys in ([], ["f"], ["escape", "e"], ["escape", "x"]):
            await person.press(*keys)
            rows = person.app.screen._compositor.render_strips()
            assert all(is_safe(segment.text) for row in rows for segment in row)

    drive(TopicQueue(tmp_path / "t.jsonl", "ada"), steps)


def test_nothing_asked_of_a_desk_runs_what_it_reads(bench):
    own = desk(bench)
    assert "_after_" not in ask(own, "accept").decision
    with pytest.raises(Exception, match="is not a decision for"):
        decide(own, "_undo")

"""Topics: two people vouch for each; the file is rewritten one line at a time."""

from __future__ import annotations

import json

import pytest
from review_pilot import drive

from evolif.errors import InputError, UsageError
from evolif.review.decisions import Done, EditConflict, Objected, Request
from evolif.review.exchange import apply, export
from evolif.review.filters import choose
from evolif.review.topics import TopicQueue, from_words, to_words
from evolif.scenarios.instructions.tracker import load_topics
from evolif.scenarios.instructions.turns import Finding

KEYWORDS = [f"word{chr(97 + number)}" for number in range(20)]


def topic(number, **more):
    return {"id": f"T{number}", "prompt": f"Explain thing {number}.", "keywords": KEYWORDS, **more}


@pytest.fixture
def path(tmp_path):
    lines = [
        topic(1, title="the first", extra={"kept": [1, None]}),
        topic(2, verified_by=["ada"]),
        topic(3, verified_by=["bob", "eve"]),
        topic(4, rejected_by=["eve"]),
    ]
    file = tmp_path / "topics.jsonl"
    file.write_bytes(b"\n".join(json.dumps(line).encode() for line in lines) + b"\n\n")
    return file


def desk(path, reviewer="ada", **more):
    return TopicQueue(path, reviewer, **more)


def decide(own, decision, key, **more):
    return own.decide(Request(key, decision, own.seen(key), **more))


def lines(path):
    return {line["id"]: line for line in map(json.loads, filter(None, path.read_text("utf-8").split("\n")))}


def test_the_queue_holds_what_needs_a_reviewer(path):
    own = desk(path)
    assert [one.key for one in choose(own.entries(), own.first_filter)] == ["T1", "T2"]
    assert [(one.key, one.mark) for one in choose(own.entries(), type(own.first_filter)())] == [
        ("T1", "O"), ("T2", "O"), ("T4", "R"), ("T3", "V"),
    ]  # fmt: skip
    undecided = own.first_filter.toggled("mine", "undecided")
    assert [one.key for one in choose(own.entries(), undecided)] == ["T1"]


def test_accepting_and_rejecting_name_the_reviewer_and_change_no_other_byte(path):
    before = path.read_bytes().split(b"\n")
    own = desk(path)
    decide(own, "accept", "T1")
    decide(own, "reject", "T3")
    after = path.read_bytes().split(b"\n")
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, True, False, True, True, True]
    assert lines(path)["T1"] == {**topic(1, title="the first", extra={"kept": [1, None]}), "verified_by": ["ada"]}
    assert lines(path)["T3"]["rejected_by"] == ["ada"] and lines(path)["T3"]["verified_by"] == ["bob", "eve"]
    assert len(load_topics(path)) == 4  # still a catalogue


def test_one_reviewer_is_one_voucher_and_changes_sides(path):
    own = desk(path)
    decide(own, "accept", "T2")
    assert lines(path)["T2"]["verified_by"] == ["ada"]
    decide(own, "reject", "T2")
    assert (lines(path)["T2"]["verified_by"], lines(path)["T2"]["rejected_by"]) == ([], ["ada"])
    assert isinstance(decide(desk(path, "bob"), "accept", "T2"), Done)
    assert own.entry("T2").mark == "R"


def test_two_vouchers_verify(path):
    decide(desk(path, "bob"), "accept", "T2")
    assert desk(path).entry("T2").mark == "V"


def test_an_edit_is_a_new_topic_that_its_editor_vouches_for(path):
    own = desk(path)
    text = own.words("T3").replace("thing 3", "thing three").replace("title: ", "title: the third")
    decide(own, "edit", "T3", text=text)
    line = lines(path)["T3"]
    assert (line["prompt"], line["title"]) == ("Explain thing three.", "the third")
    assert line["verified_by"] == ["ada"] and "domain" not in line


def test_undo_restores_and_leaves_others_alone(path):
    first = lines(path)
    own, bob = desk(path), desk(path, "bob")
    decide(own, "accept", "T1")
    decide(bob, "accept", "T1")
    assert isinstance(own.decide(own.undo_of(own.undoable())), Done)
    assert lines(path)["T1"]["verified_by"] == ["bob"]
    decide(own, "edit", "T4", text=own.words("T4").replace("thing 4", "four"))
    own.decide(own.undo_of(own.undoable()))
    assert lines(path)["T4"] == first["T4"]


def test_two_may_vouch_at_the_same_time_but_not_edit(path):
    own, bob = desk(path), desk(path, "bob")
    accept = Request("T1", "accept", own.seen("T1"))
    edit = Request("T1", "edit", bob.seen("T1"), text=bob.words("T1") + "\n- wordx")
    decide(bob, "accept", "T1")
    assert isinstance(own.decide(accept), Done)
    assert lines(path)["T1"]["verified_by"] == ["bob", "ada"]
    assert isinstance(bob.decide(edit), Done)
    again = Request("T1", "accept", accept.seen)
    outcome = own.decide(again)
    assert isinstance(outcome, EditConflict) and outcome.by.reviewer == "bob"


def test_what_cannot_be_used_needs_a_reason(path):
    own = desk(path)
    outcome = decide(own, "edit", "T1", text="prompt: Explain.\nkeywords:\n- one")
    assert isinstance(outcome, Objected) and "at least 20" in outcome.findings[0].message
    assert isinstance(decide(own, "edit", "T1", text="prompt:"), Objected)
    with pytest.raises(UsageError, match="no prompt"):
        decide(own, "edit", "T1", text="prompt:", force=True, note="so be it")


def test_a_lint_of_one_s_own_is_asked(path):
    own = desk(path, checker=lambda line: [Finding("series", "one of a series")] if "3" in line["prompt"] else [])
    assert own.findings("T1") == [] and [one.checker for one in own.findings("T3")] == ["series"]


@pytest.mark.parametrize(
    "line",
    [
        topic(1, title="t", domain="d"),
        topic(1, prompt="two\nlines: of text", keywords=["a-b", "1,000"]),
        topic(1, keywords=None),
        topic(1, title=None),
    ],
)
def test_words_there_and_back(line):
    fields = from_words(to_words(line))
    for name in ("title", "domain", "prompt", "keywords"):
        assert fields[name] == (line.get(name) or type(fields[name])())


def test_words_that_are_no_topic_say_what_is_expected():
    with pytest.raises(UsageError, match="is not part of a field"):
        from_words("hello\nprompt: x")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nonsense\n", "line 1: not a JSON object"),
        ("[]\n", "line 1: a topic must be an object"),
        ('{"id": "a"}\n', "line 1: a topic must be an object"),
        ('{"id": "a", "prompt": "\\ud800"}\n', "line 1: a topic must be an object"),
        ('\n{"id": "a", "prompt": "p"}\n{"id": "a", "prompt": "q"}\n', "line 3: the id is used twice"),
        ("\n", "contains no topics"),
    ],
)
def test_files_that_are_none_are_told(tmp_path, text, told):
    (tmp_path / "t.jsonl").write_text(text, "utf-8")
    with pytest.raises(InputError, match=told):
        desk(tmp_path / "t.jsonl")


def test_hostile_vouchers_and_fields_are_survived(tmp_path):
    file = tmp_path / "t.jsonl"
    odd = {"verified_by": "eve", "rejected_by": [5, None, "", "\ud800"], "keywords": {"a": 1}, "title": ["x"]}
    file.write_text(json.dumps(topic(1, **odd)) + "\n" + json.dumps(topic(2, note="\ud800")) + "\n", "utf-8")
    own = desk(file)
    assert own.entry("T1").mark == "O"
    own.blocks("T1", own.findings("T1"))
    assert isinstance(decide(own, "accept", "T2"), Done)
    assert lines(file)["T2"]["verified_by"] == ["ada"] and lines(file)["T2"]["note"] == "\ud800"


def test_there_and_back_by_a_file(path, tmp_path):
    own, out = desk(path), tmp_path / "out.jsonl"
    export(own, ["T1", "T2", "T4"], out)
    filled = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    filled[0] |= {"decision": "edit", "edited": {"prompt": "Explain it anew."}}
    filled[1] |= {"decision": "reject", "note": "a series"}
    out.write_text("".join(json.dumps(line) + "\n" for line in filled), "utf-8")
    done = apply(own, out)
    assert (done.made, done.empty) == (2, 1)
    assert lines(path)["T1"]["prompt"] == "Explain it anew." and lines(path)["T2"]["rejected_by"] == ["ada"]
    assert apply(own, out).there == 2


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"topic": "T9", "decision": "accept"}, "no topic T9"),
        ({"decision": "template"}, "“template” is not a decision for topics"),
        ({"decision": "edit", "edited": {"id": "T9"}}, "edited.id"),
        ({"decision": "edit", "edited": {"prompt": " "}}, "no prompt|checkers object"),
        ({"decision": "edit", "edited": {"keywords": "all"}}, "edited.keywords"),
        ({"decision": "edit"}, "needs words that differ"),
        ({"line": [], "decision": "accept"}, "line"),
        ({"line": {}, "decision": "accept"}, "changed since|checkers object"),
    ],
)
def test_lines_that_cannot_be_applied_are_named(path, tmp_path, change, told):
    own, out = desk(path), tmp_path / "out.jsonl"
    before = path.read_bytes()
    export(own, ["T1"], out)
    out.write_text(json.dumps(json.loads(out.read_text("utf-8")) | change) + "\n", "utf-8")
    with pytest.raises(InputError, match=f"out.jsonl, line 1: .*({told})"):
        apply(own, out)
    assert path.read_bytes() == before


def test_a_forged_journal_cannot_break_the_file(path):
    own = desk(path)
    decide(own, "accept", "T1")
    journal = path.with_name("topics.review.jsonl")
    record = json.loads(journal.read_text("utf-8"))
    own.decide(own.undo_of(own.undoable()))
    journal.write_text(
        journal.read_text("utf-8")
        + json.dumps({**record, "id": "x", "before": own.seen("T1"), "after": {"id": "T2"}})
        + "\n",
        "utf-8",
    )
    with pytest.raises(InputError, match="is not a valid topic"):
        desk(path)
    assert len(lines(path)) == 4


@pytest.mark.slow
def test_the_application_vouches_and_rejects(path):
    pytest.importorskip("textual", reason="the extra review is not installed")
    own = desk(path)

    async def steps(person):
        await person.sees("Topic T1, open: needs 2 reviewers", "20 keywords", "2 shown (status open)")
        assert "template" not in person.screen and "regenerate" not in person.screen
        await person.press("t", "g", "a")
        await person.sees("Topic T2", "verified by ada")
        await person.press("x")
        await person.until(lambda: lines(path)["T2"].get("rejected_by") == ["ada"])
        await person.press("u")
        await person.until(lambda: lines(path)["T2"].get("rejected_by") == [])
        await person.press("e")
        await person.sees("ctrl+s saves", "prompt: Explain thing 2.")
        await person.press("escape")

    drive(own, steps)
    assert lines(path)["T1"]["verified_by"] == ["ada"]


def test_the_catalogue_s_lint_is_shown_for_the_file_and_for_what_is_typed(tmp_path):
    from evolif.review.topics import TopicLint

    path = tmp_path / "topics.jsonl"
    whole = [topic(number, title=f"the thing {number}", domain="things") for number in (1, 2)]
    path.write_text("".join(json.dumps(line) + "\n" for line in whole), "utf-8")
    own = desk(path, checker=TopicLint(path))
    rules = {one.checker for one in own.findings("T1")}
    assert "prompt" in rules and all(one.message for one in own.findings("T1"))
    text = own.words("T1").replace("Explain thing 1.", "Answer in French.")
    assert {"constraint", "prompt"} <= {one.checker for one in own.findings("T1", text)}
    outcome = decide(own, "accept", "T1")
    assert isinstance(outcome, Objected)
    decide(own, "accept", "T1", force=True, note="short on purpose")
    assert {one.checker for one in own.findings("T1")} == rules  # whose name stands there is no matter of the lint


def test_one_person_in_two_spellings_is_one(path):
    own = desk(path, "ADA ")
    assert own.entry("T2").mine == "a"
    decide(own, "accept", "T2")
    assert own.entry("T2").mark == "O" and lines(path)["T2"]["verified_by"] == ["ADA "]

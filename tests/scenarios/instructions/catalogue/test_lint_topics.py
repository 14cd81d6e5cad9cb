"""Topic files: what a good one gives, and every rule broken once."""

from __future__ import annotations

import json

import pytest
from entries import BEES, TOPICS, swapped, topic

from evolif.errors import InputError
from evolif.scenarios.instructions.catalogue import lint_topics
from evolif.scenarios.instructions.tracker import load_topics


def rules(path):
    return [finding.rule for finding in lint_topics(path).findings]


def test_a_good_file_has_no_finding_and_always_nearest_pairs(write):
    path = write(*map(topic, range(len(TOPICS))))
    report = lint_topics(path)
    assert report.findings == ()
    assert (report.entries, report.counts) == (4, {"beekeeping": 4})
    nearest = report.nearest["keywords"][0]
    assert (nearest.first, nearest.second, nearest.lines) == ("T001", "T003", (1, 3))
    assert nearest.shared == ("colony",) and nearest.value == 1
    assert all(0 < pair.value < 0.5 for pair in report.nearest["prompts"])
    assert len(load_topics(path)) == 4


CASUAL = (
    "our strongest hive hasn't had any fresh brood for a fortnight, though the queen still walks about on the frame. "
    "what's behind it and what do we do before the lime trees blossom?"
)


def test_good_wordings_have_no_finding(write):
    told = {"wordings": {"casual": CASUAL}, "short": "the queen thing", "asker": ["beekeeper"]}
    assert rules(write(topic(0, **told))) == []


def test_topics_that_do_not_say_who_asks_are_counted(write):
    assert lint_topics(write(topic(0, asker=[]), topic(1, asker=["adult"]))).notes == ()
    (note,) = lint_topics(write(topic(0), topic(1, asker=[]))).notes
    assert note.startswith("1 topic does not say what it presupposes of whoever asks")


PERSONAL = [
    ({"wordings": {"casual": CASUAL[:40]}}, "wording", "the casual wording has 2"),
    ({"wordings": {"casual": CASUAL * 2}}, "wording", "of the prompt's characters"),
    (
        {"wordings": {"brisk": CASUAL.replace("the queen", "she")}},
        "wording",
        "the brisk wording loses the keyword “queen”",
    ),
    ({"wordings": {"brisk": f"{CASUAL} In at most 50 words."}}, "wording", "contains a constraint on the answer"),
    (
        {"prompt": BEES["prompt"].replace("a fortnight", "14 days"), "wordings": {"casual": CASUAL}},
        "wording",
        "the casual wording loses 14",
    ),
    (
        {"prompt": BEES["prompt"].replace("a fortnight", "eleven days"), "wordings": {"casual": CASUAL}},
        "wording",
        "the casual wording loses eleven",
    ),
    (
        {"prompt": BEES["prompt"].replace("the lime trees", "the Otterby limes"), "wordings": {"casual": CASUAL}},
        "wording",
        "the casual wording loses Otterby",
    ),
    ({"wordings": ["casual"]}, "fields", "is not a mapping of registers to texts"),
    ({"wordings": {"casual": 5}}, "fields", "is not a mapping of registers to texts"),
    ({"short": "what was it again with the queen that stopped"}, "short", "is long or ends like a sentence"),
    ({"short": "the queen."}, "short", "is long or ends like a sentence"),
    ({"short": 5}, "fields", "“short” is not a short text"),
    ({"asker": ["bee_keeper"]}, "asker", "there is no fact “bee_keeper”"),
    ({"asker": ["beekeeper", "no_bees"]}, "asker", "nobody is both"),
    ({"asker": "beekeeper"}, "fields", "“asker” is not a list"),
]


@pytest.mark.parametrize(("changes", "rule", "said"), PERSONAL)
def test_what_wordings_and_facts_may_not_do(write, changes, rule, said):
    found = lint_topics(write(topic(0, **changes))).findings
    assert any(one.rule == rule and said in one.message for one in found), found


LONG = "what should be done about the smoke in the shed and the dew on every single frame of it " * 8
ALONE = [
    ({"title": None}, "fields", "“title” is missing"),
    ({"prompt": 5}, "fields", "“prompt” is not text"),
    ({"domain": "  "}, "fields", "“domain” is empty"),
    ({"keywords": "hive, brood"}, "fields", "“keywords” is not a list"),
    ({"keywords": ["hive", 3]}, "fields", "items that are not text"),
    ({"keywords": [f"word{n}" for n in range(101)]}, "fields", "101 items"),
    ({"keywords": ["hive", "x" * 501]}, "fields", "a text of 501 characters"),
    ({"prompt": BEES["prompt"] + "\x1b[2J"}, "fields", "invisible characters"),
    ({"title": "the queen\u202e that stopped"}, "fields", "invisible characters"),
    ({"id": "T" * 41}, "id", "long"),
    ({"title": "The queen that stopped laying"}, "title", "capital letter"),
    ({"title": "the queen stopped laying."}, "title", "ends like a sentence"),
    ({"title": "the queen " + "of all the hives " * 5}, "title", "characters"),
    ({"prompt": "Brood, honey and hive?"}, "prompt", "4 words"),
    ({"prompt": f"Our hive has brood, {LONG}."}, "prompt", "words"),
    ({"prompt": BEES["prompt"].rstrip("?")}, "prompt", "does not end"),
    ({"prompt": f"{BEES['prompt']} Use at least 200 words."}, "constraint", "length"),
    ({"keywords": BEES["keywords"][:19]}, "keywords", "has 19 keywords"),
    ({"keywords": [*BEES["keywords"], "trowel"]}, "keywords", "has 21 keywords"),
    ({"keywords": swapped(0, ("honey", "monday"))}, "keyword-case", "without its capital"),
    ({"keywords": swapped(0, ("brood", "Brood"))}, "keyword-case", "which it has not in the prompt"),
    ({"prompt": "Near Zinc our hive has had no brood since the thunder. Is it the air of Zinc that weakens the larva?"},
     "keyword-case", "“zinc” is a name"),
    ({"keywords": swapped(0, ("honey", "useful"))}, "keyword-common", "nothing of the subject"),
    ({"keywords": swapped(0, ("honey", "honey!"))}, "keyword-form", "plain letters"),
    ({"keywords": swapped(0, ("honey", "-honey"))}, "keyword-form", "plain letters"),
    ({"keywords": swapped(0, ("honey", "crème"))}, "keyword-form", "plain letters"),
    ({"keywords": swapped(0, ("honey", "honey  jar"))}, "keyword-form", "plain letters"),
    ({"keywords": swapped(0, ("honey", "incomprehensibilities-x"))}, "keyword-form", "23 characters"),
    ({"keywords": swapped(0, ("honey", "a b c d"))}, "keyword-form", "more than 3 words"),
    ({"keywords": swapped(0, ("honey", "1984"))}, "keyword-form", "only a number"),
    ({"keywords": swapped(0, ("honey", "seven"))}, "keyword-form", "only a number"),
    ({"keywords": swapped(0, ("honey", "h"))}, "keyword-form", "single letter"),
    ({"keywords": swapped(0, ("honey", "which"))}, "keyword-common", "almost every text uses"),
    ({"keywords": swapped(0, ("honey", "jar of"))}, "keyword-common", "starts or ends with “of”"),
    ({"keywords": swapped(0, ("honey", "hive"))}, "keyword-inside", "“hive” twice"),
    ({"keywords": swapped(0, ("honey", "hives"))}, "keyword-inside", "only in the plural"),
    ({"keywords": swapped(0, ("honey", "honey frame"))}, "keyword-inside", "“frame” is inside “honey frame”"),
    ({"keywords": swapped(0, ("honey", "egg-timer"))}, "keyword-inside", "“egg” is inside “egg-timer”"),
    ({"keywords": swapped(0, ("honey", "eggs box"))}, "keyword-inside", "“egg” is inside “eggs box”"),
    ({"keywords": swapped(0, ("drone", "stand"), ("mite", "shelter"), ("veil", "shade"), ("zinc", "spoon"))},
     "keyword-letters", "start with s"),
    ({"keywords": swapped(0, ("queen", "ruler"), ("zinc", "iron"), ("veil", "net"))}, "keyword-letters", "rare letter"),
    ({"keywords": [f"{letter}{end}" for letter in "qwerty" for end in ("ack", "im", "ole", "und")][:20]},
     "keyword-letters", "only 5 different letters"),
    ({"keywords": [f"{word} box" for word in BEES["keywords"][:7]] + BEES["keywords"][7:]}, "keywords", "single words"),
    ({"prompt": "Bread has gone up again, and the baker round the corner will not say why. What may have led to it?"},
     "keyword-use", "none of the keywords in the prompt"),
    ({"prompt": "My hive has grown silent since the thunder last week. What may have led to such a thing, and when?"},
     "keyword-use", "1 of the keywords in the prompt (“hive”)"),
    ({"title": "the silence after the thunder"}, "keyword-use", "none of the keywords in the title"),
    ({"verified_by": "anna"}, "fields", "“verified_by” is not a list"),
    ({"verified_by": ["one", "One "]}, "verified", "same person twice"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "rule", "said"), ALONE)
def test_a_broken_rule_is_told_with_file_line_and_mend(write, changes, rule, said):
    path = write(topic(1), topic(0, **changes))
    found = [finding for finding in lint_topics(path).findings if finding.rule == rule]
    assert any(said in finding.message for finding in found), lint_topics(path).findings
    for finding in found:
        assert (finding.file, finding.line) == (str(path), 2)
        assert finding.mend and str(finding).startswith(f"{path}, line 2")


def test_inflected_keywords_count_as_used(write):
    changed = topic(0, prompt="The frames of our hives carry no brood, and the queens of both have gone quiet. Why so?")
    assert rules(write(changed)) == []


def test_verifiers_and_other_fields_are_welcome(write):
    assert rules(write(topic(0, verified_by=["one", "two"], source="openai/x", note={"a": 1}))) == []


KEYWORDS = swapped(1, *zip(TOPICS[1]["keywords"][3:8], BEES["keywords"][6:11], strict=True))
BETWEEN = [
    (topic(1, id="T001"), "id", "is already used in line 1"),
    (topic(1, title="The Queen that stopped laying!"), "title", "is the same as that of T001 (line 1)"),
    (topic(1, prompt="The candle wax and the queen still walks about on the comb. Account for that in your own words."),
     "shared-words", "“the queen still walks about on the”"),
    (topic(1, keywords=KEYWORDS), "keyword-shared", "5 keywords are shared with T001 (line 1)"),
    (topic(1, prompt="Before the lime trees blossom the queen walks, and our strongest hive has comb and candle. Frame "
     "and brood stopped a fortnight ago: what may it be?"), "alike", "mostly the same words as T001"),
    (topic(1, prompt="Our heaviest kettle has had no new flame for a decade, although the wick still leans about on "
     "the wax. What may be inside it, and what do we melt before the cold candles melt?"), "fill-in", "that of T001"),
]  # fmt: skip


@pytest.mark.parametrize(("second", "rule", "said"), BETWEEN)
def test_what_two_topics_may_not_share(write, second, rule, said):
    report = lint_topics(write(topic(0), second))
    assert any(f.rule == rule and said in f.message and f.line == 2 for f in report.findings), report.findings


def test_four_keywords_may_be_shared_and_all_partners_of_five_are_named(write):
    words = TOPICS[1]["keywords"]
    four = swapped(1, *zip(words[3:7], BEES["keywords"][6:10], strict=True))
    assert "keyword-shared" not in rules(write(topic(0), topic(1, keywords=four)))
    third = topic(2, keywords=[*TOPICS[2]["keywords"][:10], *BEES["keywords"][1:6], *words[1:6]])
    shared = [f.message for f in lint_topics(write(topic(0), topic(1), third)).findings if f.rule == "keyword-shared"]
    assert ["T001" in m for m in shared].count(True) == 1 and ["T002" in m for m in shared].count(True) == 1


HOSTILE = [
    ("{nonsense", "not a JSON object"),
    ("[]", "not a JSON object"),
    ('"text"', "not a JSON object"),
    ("9" * 5000, "not a JSON object"),
    ("[" * 100_000, "not a JSON object"),
    (json.dumps(topic(1))[:-1] + ', "title": "a"}', "the key “title” occurs twice"),
    ("\ufeff" + json.dumps(topic(1)), "byte order mark"),
    ("{" + " " * (1 << 20) + "}", "longer than"),
    (json.dumps({"a": {}}), "“keywords” is missing"),
]


@pytest.mark.parametrize(("line", "said"), HOSTILE)
def test_a_broken_line_hides_no_other(write, line, said):
    path = write(topic(0), line, "", topic(2, title="Wrong."))
    findings = lint_topics(path).findings
    assert any(f.line == 2 and said in f.message for f in findings), findings
    assert {f.line for f in findings if f.rule == "title"} - {2} == {4}
    assert lint_topics(path).entries == 3


def test_bytes_that_are_no_text_are_a_finding(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_bytes(b'{"id": "\xe9"}\n' + json.dumps(topic(0)).encode())
    assert [(f.line, f.message) for f in lint_topics(path).findings] == [(1, "is not UTF-8")]


@pytest.mark.slow
def test_many_alike_give_findings_in_proportion(write):
    # Five hundred lines that all clash with each other: a few findings a line, not one for every pair.
    path = write(*(topic(0, id=f"T{n}") for n in range(500)))
    report = lint_topics(path)
    assert len(report.findings) < 500 * 12
    assert {f.line for f in report.findings} == set(range(2, 501))
    assert len(report.nearest["keywords"]) == 5


def test_a_file_that_cannot_be_linted_is_told(tmp_path, write):
    for path, said in [(tmp_path / "none", "does not exist"), (tmp_path, "is a folder"), (write("", " "), "no topic")]:
        with pytest.raises(InputError, match=said):
            lint_topics(path)

"""Profiles and topic files: what is built in, and what a broken file is told."""

import json
from collections import Counter

import pytest
import yaml

from evolif.errors import InputError, UsageError
from evolif.scenarios.instructions.constraints import GROUPS
from evolif.scenarios.instructions.tracker import load_profile, load_topics
from evolif.text import find_all, fold
from evolif.util.resources import data_path

PAPER = yaml.safe_load(data_path("seeds", "profiles", "paper.yaml").read_text(encoding="utf-8"))


def test_the_paper_profile_has_the_papers_groups():
    assert load_profile("paper").groups == tuple(GROUPS)


def test_the_objective_profile_needs_no_judge():
    assert load_profile("objective").groups == tuple(name for name, group in GROUPS.items() if not group.subjective)


def test_pools_are_written_out():
    profile = load_profile("paper")
    assert set(profile.pools) == set(GROUPS)
    assert profile.pools["bullets"] == {"min": 3, "max": 15}
    assert len(profile.pools["start_with"]["emoji"]) >= 60
    assert len(profile.pools["start_with"]["quotations"]) == 14


def test_emoji_of_the_pools_are_single_code_points():
    for group in ("start_with", "end_with"):
        assert all(len(emoji) == 1 for emoji in GROUPS[group].data["pool"]["emoji"])


def test_marks_to_include_neither_end_sentences_nor_quote():
    marks = {mark for mark, _ in GROUPS["punctuation"].data["pool"]["include"]}
    quotes = {mark for pair in GROUPS["start_with"].data["pool"]["quotations"] for mark in pair}
    assert not marks & {"…", "—", "。", "！", "？", ".", "!", "?"}
    assert not marks & quotes


@pytest.fixture
def write(tmp_path):
    def write(**changes):
        path = tmp_path / "own.yaml"
        path.write_text(yaml.safe_dump({**PAPER, **changes}), encoding="utf-8")
        return str(path)

    return write


def test_a_pool_of_ones_own_is_merged(write):
    profile = load_profile(write(pools={"bullets": {"max": 5}}))
    assert profile.pools["bullets"] == {"min": 3, "max": 5}


BAD_PROFILES = [
    ({"groups": ["bullets", "bullets"]}, "a group is named twice"),
    ({"groups": []}, "groups"),
    ({"visit": {"min_turns": 0, "switch": 0.8, "new": 0.4}}, "visit.min_turns"),
    ({"visit": {"min_turns": 4, "switch": 1.8, "new": 0.4}}, "visit.switch"),
    ({"operations": {}}, "operations.one"),
    ({"colour": "red"}, "colour"),
    ({"pools": {"colour": {}}}, "pools are given for colour"),
    ({"pools": {"bullets": {"min": 9, "max": 3}}}, "pools.bullets: no constraint can be drawn"),
    ({"pools": {"start_with": {"emoji": []}}}, "pools.start_with: no constraint can be drawn"),
    ({"pools": {"length": {"words": {"min": 1}}}}, "pools.length: no constraint can be drawn"),
    ({"pools": {"existence": {"count": {"min": 2, "max": 2}}}}, "pools.existence: no constraint can be drawn"),
    ({"pools": {"emotion": {"values": ["hangry"]}}}, "emotion has no value “hangry”"),
    ({"protocol": {"patience": 0}}, "protocol.patience"),
]


@pytest.mark.parametrize(("changes", "message"), BAD_PROFILES, ids=[row[1] for row in BAD_PROFILES])
def test_a_bad_profile_is_told_where(write, changes, message):
    path = write(**changes)
    with pytest.raises(InputError) as caught:
        load_profile(path)
    assert path in str(caught.value)
    assert message in str(caught.value)


def test_an_unknown_group_in_a_profile_is_named(write):
    with pytest.raises(UsageError, match="unknown constraint group “colour”"):
        load_profile(write(groups=["colour"]))


@pytest.mark.parametrize("name", ["nonsense", "no/such/file.yaml", ""])
def test_an_unknown_profile_names_the_known_ones(name):
    with pytest.raises(UsageError, match="use everyday, objective, paper, extended or escalating"):
        load_profile(name)


def test_what_is_no_yaml_is_told_the_line(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("name: x\ngroups: [a\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"own\.yaml, line \d"):
        load_profile(str(path))


def test_aliases_are_refused(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("a: &x [1]\nb: *x\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2: YAML aliases"):
        load_profile(str(path))


TOPIC = {"id": "t1", "prompt": "Do it.", "keywords": [f"word{n}" for n in range(20)]}


@pytest.fixture
def topic_file(tmp_path):
    def write(*lines):
        path = tmp_path / "topics.jsonl"
        path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines), "utf-8")
        return path

    return write


def test_a_topic_is_read_and_normalised(topic_file):
    words = ["Cafe\u0301", " art  form ", *TOPIC["keywords"]]
    topic = load_topics(topic_file({**TOPIC, "keywords": words, "title": "it", "extra": 1}, "\n"))[0]
    assert topic.keywords[:2] == ("Café", "art  form")
    assert (topic.id, topic.title, len(topic.keywords)) == ("t1", "it", 22)


def test_a_line_separator_inside_a_string_is_no_line_end(topic_file):
    line = json.dumps({**TOPIC, "prompt": "One\u2028two"}, ensure_ascii=False) + "\n"
    assert load_topics(topic_file(line))[0].prompt == "One\ntwo"


def test_keywords_that_are_compared_alike_count_once(topic_file):
    assert len(load_topics(topic_file({**TOPIC, "keywords": [*TOPIC["keywords"], "WORD0"]}))[0].keywords) == 20


@pytest.mark.parametrize("odd", ["art\nform", "Art form", "art form ", "art\u00a0form", "art  form"])
def test_a_plain_list_is_read_like_any_other(topic_file, odd):
    words = ["art form", *TOPIC["keywords"][:19]]
    assert load_topics(topic_file({**TOPIC, "keywords": words}))[0].keywords == tuple(words)
    with pytest.raises(InputError, match="at least 20 different keywords, this one has 19"):
        load_topics(topic_file({**TOPIC, "keywords": [*words[:19], odd]}))


BAD_TOPICS = [
    ("not JSON", ["{"], "line 1: not a JSON object"),
    ("the second line", [TOPIC, "[\n"], "line 2: not a JSON object"),
    ("a number of thousands of digits", ["1" * 5000], "line 1: not a JSON object"),
    ("no object", ["3\n"], "line 1: topic must be an object"),
    ("no keywords", [{"id": "t", "prompt": "x"}], "line 1: keywords must be given"),
    (
        "too few keywords",
        [{**TOPIC, "keywords": TOPIC["keywords"][:19]}],
        "at least 20 different keywords, this one has 19",
    ),
    ("the same keyword twice", [{**TOPIC, "keywords": [*TOPIC["keywords"][:19], "WORD3"]}], "this one has 19"),
    ("an open edge", [{**TOPIC, "keywords": [*TOPIC["keywords"], "c++"]}], "“c++” does not start and end"),
    ("an invisible keyword", [{**TOPIC, "keywords": [*TOPIC["keywords"], "\u200b"]}], "does not start and end"),
    ("a blank prompt", [{**TOPIC, "prompt": " "}], "line 1: prompt must not be blank"),
    ("an id twice", [TOPIC, TOPIC], "line 2: the topic id t1 is used twice"),
    ("an empty file", ["\n"], "contains no topic"),
]


@pytest.mark.parametrize(("rule", "lines", "message"), BAD_TOPICS, ids=[row[0] for row in BAD_TOPICS])
def test_a_bad_topic_file_is_told_where(topic_file, rule, lines, message):
    path = topic_file(*lines)
    with pytest.raises(InputError) as caught:
        load_topics(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.jsonl: cannot be read \(No such file"):
        load_topics(tmp_path / "none.jsonl")


def test_a_file_that_is_not_utf_8_is_named(tmp_path):
    path = tmp_path / "topics.jsonl"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        load_topics(path)


def test_our_own_topics_are_many_and_varied():
    topics = load_topics()
    assert len(topics) >= 800
    domains = Counter(t.domain for t in topics)
    assert len(domains) >= 40 and min(domains.values()) >= 4
    assert all(t.title and len(t.keywords) >= 20 for t in topics)


def test_our_own_keywords_say_what_is_counted():
    """Beyond the lint: no keyword in another letter by letter, and prompt and title hold some exactly."""
    for topic in load_topics():
        keywords = [fold(keyword) for keyword in topic.keywords]
        inside = [(a, b) for a in keywords for b in keywords if a != b and a in b]
        assert (topic.id, inside) == (topic.id, [])
        assert len({keyword[0] for keyword in keywords}) >= 11, topic.id
        assert sum(bool(find_all(fold(topic.prompt), keyword)) for keyword in keywords) >= 2, topic.id
        assert any(find_all(fold(topic.title), keyword) for keyword in keywords), topic.id

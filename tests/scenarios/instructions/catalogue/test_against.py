"""Eight words in a row shared with somebody else's texts, wherever they stand in them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from entries import BEES, persona, topic

from evolif.errors import InputError
from evolif.scenarios.instructions.catalogue import lint_topics
from evolif.scenarios.instructions.catalogue.lint import lint_personas
from evolif.scenarios.instructions.catalogue.samples import compare
from evolif.util.resources import data_path

RELEASE = Path(
    os.environ.get("EVOLIF_RELEASE_DATA") or Path(__file__).parents[5] / "shared" / "data" / "evolif-release"
)
EIGHT = "the queen still walks about on the frame"
SEVEN = "queen still walks about on the frame"


def lint(path, *samples):
    report = lint_topics(path, samples)
    return [f for f in report.findings if f.rule == "copied"], report.samples


SAMPLES = [
    ("notes.txt", f"Some day\n{EIGHT}\n", 2),
    ("notes.txt", "Some day\n\nAnd now\nthe queen still\nwalks about ON\nthe “frame” and\n", 4),
    ("sample.jsonl", json.dumps({"a": 1}) + "\n" + json.dumps({"turns": [{"query": f"Hi, {EIGHT}."}]}), 2),
    ("sample.json", json.dumps({"turns": [{"query": f"Hi, {EIGHT}."}]}, indent=2), 4),
    ("broken.jsonl", f'{{"query": "{EIGHT}', 1),
]


@pytest.mark.parametrize(("name", "text", "line"), SAMPLES)
def test_eight_words_in_a_row_are_found(write, tmp_path, name, text, line):
    sample = tmp_path / name
    sample.write_text(text, encoding="utf-8")
    [finding], compared = lint(write(topic(1), topic(0)), sample)
    assert finding.line == 2 and EIGHT in finding.message and f"{name}, line {line}" in finding.message
    assert compared["files"] == 1 and compared["words"] >= 8


@pytest.mark.parametrize(
    "text", [SEVEN, f"the {SEVEN[:20]}\n\n{SEVEN[20:]}", json.dumps([EIGHT[:20], EIGHT[20:]]), "the queen"]
)
def test_fewer_words_or_words_apart_are_none(write, tmp_path, text):
    sample = tmp_path / "sample.txt"
    sample.write_text(text, encoding="utf-8")
    assert lint(write(topic(0)), sample)[0] == []


def test_a_folder_is_read_whole_but_for_what_is_no_text(write, tmp_path):
    folder = tmp_path / "samples"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.txt").write_text(EIGHT, encoding="utf-8")
    (folder / "b.jsonl").write_text(json.dumps(BEES["prompt"]), encoding="utf-8")
    (folder / "c.bin").write_bytes(b"\0\xff" + EIGHT.encode())
    (folder / "d.txt").symlink_to(folder / "deep" / "a.txt")
    found, compared = lint(write(topic(0)), folder)
    assert compared["files"] == 2
    assert len(found) == 2


def test_a_long_paragraph_is_read_without_a_gap(tmp_path):
    sample = tmp_path / "long.txt"
    filler = [f"w{n}" for n in range(10_000 - 4)]
    sample.write_text(" ".join(filler) + f"\n{EIGHT}\n" + "\n".join(f"x{n}" for n in range(50)), encoding="utf-8")
    assert len(compare([EIGHT], [sample]).copied) == 1
    sample.write_text("\n".join([*filler, *EIGHT.split(), *filler]), encoding="utf-8")
    assert len(compare([EIGHT], [sample]).copied) == 1


def test_personas_are_compared_too(write, tmp_path):
    sample = tmp_path / "a.txt"
    sample.write_text(persona(0)["sentence"], encoding="utf-8")
    assert [f.rule for f in lint_personas(write(persona(0)), [sample]).findings] == ["copied"]


def test_nothing_to_compare_with_is_told(write, tmp_path):
    path = write(topic(0))
    (tmp_path / "empty").mkdir()
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 " * 50)
    for sample, said in [("none", "does not exist"), ("empty", "contains no text"), ("latin.txt", "not UTF-8")]:
        with pytest.raises(InputError, match=said) as caught:
            lint_topics(path, [tmp_path / sample])
        assert sample in str(caught.value)


@pytest.mark.skipif(not RELEASE.is_dir(), reason="the authors' released files are not here")
def test_our_own_catalogues_share_nothing_with_the_authors_sample():
    report = lint_topics(data_path("seeds", "topics.jsonl"), [RELEASE])
    assert report.samples["files"] >= 7 and report.samples["words"] > 10_000
    personas = lint_personas(data_path("personas", "personas.jsonl"), [RELEASE])
    assert [f for f in (*report.findings, *personas.findings) if f.rule == "copied"] == []

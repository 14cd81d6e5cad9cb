"""A corpus that holds a benchmark's queries, whole or in part, and one that does not."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
from importlib import import_module
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import evolif
from evolif import InputError, UsageError
from evolif.cli import app
from evolif.exchange import canary_of, contamination, export
from evolif.exchange.scanner import SHORTEST, QueryIndex, Scanner, cut_before, normalize_for_search

WORDS = (
    "river stone walked morning letter under garden seven old bridge window slowly people found bread after winter "
    "school teacher music market small harbour night train across paper green road village doctor never again"
).split()


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    # Of this seed every query is long enough to be looked for; terse personas have some that are not.
    return evolif.generate(tmp_path_factory.mktemp("seen") / "b", dialogues=4, turns=12, seed=14, profile="paper")


@pytest.fixture(scope="module")
def queries(bench):
    return {(n, t.turn): t.query for n in bench.dialogues() for t in bench.turns(n)}


def prose(lines, seed=1):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=12)).capitalize() + "." for _ in range(lines)]


def written(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def found(bench, *paths, **more):
    return contamination(paths, bench, **more).findings


def test_a_clean_corpus_holds_nothing(bench, tmp_path):
    told = contamination([written(tmp_path / "c.txt", prose(4000))], bench)
    assert told.findings == () and told.turns == 48 and told.files == 1
    assert told.bytes == (tmp_path / "c.txt").stat().st_size and told.too_short == 0


def test_every_query_is_found_wherever_it_stands(bench, queries, tmp_path):
    lines, at = prose(3), {}
    for number, (turn, query) in enumerate(queries.items()):
        lines += prose(1, seed=number)
        lines[-1] += "x" * number  # any alignment
        at[turn] = len(lines) + 1
        lines.append(f"Somebody said: {query}")
        lines += [""] * query.count("\n") and []
    told = contamination([written(tmp_path / "c.txt", lines)], bench)
    whole = {turn: one for one in told.findings if one.kind == "query" for turn in one.turns}
    assert whole.keys() == queries.keys() and told.turns_found == 48
    text = (tmp_path / "c.txt").read_bytes()
    for turn, one in whole.items():
        assert one.share == 1 and one.places
        if len(one.turns) == one.occurrences == 1:
            place = one.places[0]
            assert text[place.offset :].startswith(queries[turn].lstrip("“‘").encode()[:12])
            assert place.line == text[: place.offset].count(b"\n") + 1


@pytest.mark.slow
def test_five_megabytes_are_read_with_the_memory_of_a_few_blocks(bench, queries, tmp_path):
    import tracemalloc

    part = "\n".join(prose(3000)) + "\n"
    with (tmp_path / "c.txt").open("w", encoding="utf-8") as file:
        for number in range(30):
            file.write(f"{queries[3, 1]}\n{part}" if number == 17 else part)
    small = written(tmp_path / "small.txt", prose(10))
    tracemalloc.start()
    contamination([small], bench)
    _, least = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    told = contamination([tmp_path / "c.txt"], bench)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert told.bytes > 5_000_000 and peak < least + 3_000_000
    [one] = told.findings
    assert one.kind == "query" and one.places[0].line == 17 * 3000 + 1


DISGUISES = {
    "case": str.upper,
    "wrapped": lambda text: "\n".join(text.split()),
    "quoted": lambda text: "> " + text.replace(" ", "\n> ", 3),
    "bold": lambda text: "**" + text.replace(",", "") + "**",
    "plain quotes": lambda text: text.replace("“", '"').replace("”", '"').replace("’", "'"),
    "json": lambda text: json.dumps({"messages": [{"role": "user", "content": f"One.\n{text}\nTwo."}]}),
    "raw json": lambda text: json.dumps({"text": text}, ensure_ascii=False),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_form_hides_no_query(bench, queries, tmp_path, disguise):
    planted = queries[3, 1]
    path = written(tmp_path / "c.txt", [*prose(20), DISGUISES[disguise](planted), *prose(20, seed=2)])
    [one] = [one for one in found(bench, path) if one.kind == "query"]
    assert one.turns == ((3, 1),) and one.share == 1
    assert one.places[0].line >= 21


def test_half_a_query_is_told_with_its_share(bench, queries, tmp_path):
    words = queries[2, 1].split()
    half = " ".join(words[: max(14, len(words) // 2)])
    path = written(tmp_path / "c.txt", [*prose(50), half, *prose(50, seed=3)])
    [one] = found(bench, path)
    assert one.kind == "part" and one.turns == ((2, 1),) and one.places[0].line == 51
    assert one.share == pytest.approx(
        len(normalize_for_search(half.encode())) / len(normalize_for_search(queries[2, 1].encode())), abs=0.05
    )
    assert found(bench, written(tmp_path / "d.txt", [" ".join(words[:10])])) == ()
    assert len(found(bench, tmp_path / "d.txt", words=8)) == 1


def test_parts_of_one_file_are_put_together(bench, queries, tmp_path):
    words = queries[2, 1].split()
    assert len(words) > 31
    other = [*words[:15], "something", "else", *words[16:]]
    [one] = found(bench, written(tmp_path / "c.txt", [" ".join(other)]))
    assert one.kind == "part" and 0.9 < one.share < 1
    assert all(place.share < 0.9 for place in one.places)


def test_the_canary_is_found(bench, tmp_path):
    export(bench.path, tmp_path / "set", format="evolif-states")
    lines = [*prose(5), f"# {canary_of(bench.identity)}", *prose(5)]
    [one] = found(bench, written(tmp_path / "c.txt", lines))
    assert one.kind == "canary" and one.places[0].line == 6 and one.to_object()["turn"] is None
    other = canary_of("another benchmark")
    assert found(bench, written(tmp_path / "d.txt", [other])) == ()
    assert found(bench, tmp_path / "set")[0].kind == "canary"


@pytest.mark.parametrize(
    ("name", "pack"),
    [("c.txt.gz", gzip.compress), ("c.bz2", bz2.compress), ("c.xz", lzma.compress), ("c.jsonl", bytes)],
)
def test_compressed_files_are_unpacked(bench, queries, tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack("\n".join([*prose(9), queries[1, 1]]).encode()))
    [one] = [one for one in found(bench, tmp_path / name) if one.kind == "query"]
    assert one.places[0].line == 10


@pytest.mark.skipif(find_spec("zstandard") is None, reason="zstandard is not installed (evolif[datasets])")
def test_zstd_is_unpacked(bench, queries, tmp_path):
    import zstandard

    text = "\n".join([*prose(9), queries[1, 1]]).encode()
    (tmp_path / "c.jsonl.zst").write_bytes(zstandard.compress(text[:100]) + zstandard.compress(text[100:]))
    assert len(found(bench, tmp_path / "c.jsonl.zst")) == 1
    (tmp_path / "cut.zst").write_bytes(zstandard.compress(text)[:-20])
    with pytest.raises(InputError, match="cannot be searched"):
        contamination([tmp_path / "cut.zst"], bench)


@pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed (evolif[datasets])")
def test_rows_of_parquet_are_looked_through(bench, queries, tmp_path):
    import pyarrow
    from pyarrow import parquet

    rows = [{"id": n, "chat": [{"content": text}]} for n, text in enumerate([*prose(9), queries[1, 1]])]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "c.parquet")
    [one] = found(bench, tmp_path / "c.parquet")
    assert one.kind == "query" and one.places[0].line == 10


def test_utf_16_is_read(bench, queries, tmp_path):
    (tmp_path / "c.txt").write_bytes("\n".join([*prose(9), queries[1, 1]]).encode("utf-16"))
    assert [one.kind for one in found(bench, tmp_path / "c.txt")] == ["query"]


def test_what_cannot_be_read_is_never_called_clean(bench, queries, tmp_path):
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04" + bytes(100))
    (tmp_path / "b.bin").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "c.gz").write_bytes(gzip.compress(b"text " * 1000)[:-30])
    written(tmp_path / "d.txt", prose(3))
    told = contamination([tmp_path], bench)
    assert [(file.rpartition("/")[2], reason[:6]) for file, reason in told.unread] == [
        ("a.zip", "it is "), ("b.bin", "it is "), ("c.gz", "it is ")
    ]  # fmt: skip
    for name in ("a.zip", "b.bin", "c.gz"):
        with pytest.raises(InputError, match=f"{name}: it cannot be searched"):
            contamination([tmp_path / name, tmp_path / "d.txt"], bench)
    written(tmp_path / "d.txt", [queries[1, 1]])
    assert len(contamination([tmp_path / "a.zip", tmp_path / "d.txt"], bench).findings) == 1
    with pytest.raises(UsageError, match="does not exist"):
        contamination([tmp_path / "nowhere"], bench)


def test_a_text_without_lines_is_read_in_blocks(bench, queries, tmp_path, monkeypatch):
    monkeypatch.setattr(import_module("evolif.exchange.contamination"), "BLOCK_BYTES", 97)
    text = " ".join([*prose(40), queries[4, 1], *prose(40)])
    (tmp_path / "c.txt").write_bytes(text.encode())
    [one] = [one for one in found(bench, tmp_path / "c.txt") if one.kind == "query"]
    assert one.places[0].offset == text.encode().index(queries[4, 1].encode())


def test_languages_without_spaces_are_found(tmp_path):
    query = "请把答案写成不超过两百个字的短文，并且在结尾加上一个问题，语气要正式一些，谢谢你的帮助"
    index = QueryIndex([(1, 1, query)], "evolif canary none")
    runs = []
    raw = ("今天天气很好" * 5000 + query + "我们去公园" * 5000).encode()
    scanner, at = Scanner(index, 13, runs.append), 0
    while at < len(raw):
        end = cut_before(raw, at, at + 1000)
        scanner.feed(raw[at:end])
        at = end
    scanner.end()
    assert [(run.end - run.start) for run in runs] == [len(normalize_for_search(query.encode()))]


def test_queries_too_short_to_tell_are_counted(tmp_path):
    index = QueryIndex([(1, 1, "Shorter."), (1, 2, "x" * SHORTEST)], "evolif canary none")
    assert (index.turns, index.too_short) == (2, 1)


@given(
    before=st.text(max_size=200), after=st.text(max_size=200), size=st.integers(20, 90), step=st.integers(5, 300),
    text=st.text(alphabet="abcdefghij", min_size=90, max_size=90),
)  # fmt: skip
def test_any_text_is_found_at_any_place_and_cut(before, after, size, step, text):
    query = " ".join(text[:size].upper()[i : i + 5] for i in range(0, size, 5))
    wanted = normalize_for_search(query.encode())
    index = QueryIndex([(1, 1, query)], "evolif canary none")
    raw = f"{before} {text[:size]} {after}".encode("utf-8", "ignore")
    runs = []
    scanner, at = Scanner(index, 1000, runs.append), 0
    while at < len(raw):
        end = max(at + 1, cut_before(raw, at, at + step))
        scanner.feed(raw[at:end])
        at = end
    scanner.end()
    whole = [run for run in runs if run.end - run.start == len(wanted)]
    if size >= SHORTEST and b"\\" not in raw:
        assert whole


@given(st.text(), st.text())
def test_squeezing_piece_by_piece_is_squeezing_the_whole(one, other):
    first, second = (text.encode("utf-8", "ignore") for text in (one, other))
    assert normalize_for_search(first + b" " + second) == normalize_for_search(first) + normalize_for_search(second)


def run(*arguments, stdin=None):
    return CliRunner().invoke(app, ["contamination", *map(str, arguments)], env={"COLUMNS": "200"}, input=stdin)


@pytest.mark.slow
def test_the_verb_tells_and_exits_by_what_it_finds(bench, queries, tmp_path):
    clean, dirty = written(tmp_path / "clean.txt", prose(30)), written(tmp_path / "dirty.txt", [queries[2, 5]])
    result = run(clean, "--benchmark", bench.path)
    assert result.exit_code == 0 and "0 of 48 queries occur in full in 1 file" in result.stdout
    result = run(clean, dirty, "-b", bench.path)
    assert result.exit_code == 1
    assert f"{dirty}, line 1 (byte" in result.stdout and "dialogue 2, turn 5, in full" in result.stdout
    assert run(tmp_path / "nowhere", "-b", bench.path).exit_code == 2
    assert run("-", "-b", bench.path, stdin=queries[1, 1]).exit_code == 1


def test_json_is_for_machines(bench, queries, tmp_path):
    dirty = written(tmp_path / "dirty.txt", [*prose(3), queries[2, 5], canary_of(bench.identity)])
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04")
    result = run(tmp_path, "-b", bench.path, "--json")
    told = json.loads(result.stdout)
    assert list(told) == ["benchmark", "canary", "findings", "unread", "summary"]
    assert [one["kind"] for one in told["findings"]] == ["canary", "query"]
    assert told["findings"][1]["turns"] == [[2, 5]] and told["findings"][1]["share"] == 1
    assert told["findings"][1]["places"][0]["file"] == str(dirty)
    assert told["summary"]["canary_found"] is True and told["summary"]["turns_found"] == 1
    assert [one["file"] for one in told["unread"]] == [str(tmp_path / "x.zip")]


def test_benchmarks_of_two_sides_are_compared_part_by_part(tmp_path):
    sides = [
        evolif.generate(tmp_path / side, dialogues=2, turns=4, seed=2, profile="paper", split=side)
        for side in ("train", "test")
    ]
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "benchmark.json").write_text('{"format": "evolif-benchmark", "scenario": "games"}')
    runner = CliRunner()
    found = contamination([tmp_path / "test", tmp_path / "games"], sides[0])
    [shared] = found.shared
    assert not shared.found and shared.sides == ("train", "test")
    told = runner.invoke(app, ["contamination", str(tmp_path / "test"), "-b", str(tmp_path / "train")])
    assert told.exit_code == 0, told.output
    assert "The benchmark (train) shares no kind, topic, persona or wording with" in told.stdout
    same = runner.invoke(app, ["contamination", str(tmp_path / "train"), "-b", str(tmp_path / "train"), "--json"])
    [told] = json.loads(same.stdout)["shared"]
    assert same.exit_code == 1 and told["kinds"] and told["topics"] and told["personas"] and told["wordings"]

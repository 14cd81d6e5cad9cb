"""A run that was stored before reads, reports, exports and resumes as it did."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from golden_tools import QUICK, digest, exported, normalised

import evolif

PAPER = ("--dialogues", 4, "--turns", 6, "--seed", 11, "--profile", "paper")
KILLED = ("evaluate", "bench", "-m", "sim/steady", "-m", "sim/forgetful", "--max-turns", 8, "-o", "killed")


def figures(cli: Any, run: str, *more: object) -> Any:
    """The report of a run as JSON."""
    return cli("report", run, "--json", "-", *QUICK, *more).json


class Page(HTMLParser):
    """Headings, anchors and the words of drawings of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.ids: list[str] = []
        self._inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag in {"section", "article"} and told.get("id"):
            self.ids.append(f"{tag} {told['id']}")
        if re.fullmatch("h[1-6]", tag):
            self._inside = tag
            self.headings.append(f"{tag} ")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.headings[-1] += data


def drawn(svg: str) -> str:
    """A drawing by its label, its words and the number of its elements; where a line runs is matplotlib's business.

    The bytes are not held: the first figure that a process draws differs by a hair from the same one drawn later.
    """
    label = re.search(r'aria-label="([^"]*)"|<title[^>]*>([^<]*)', svg)
    words = re.findall(r"<text[^>]*>([^<]*)", svg)
    counts = " ".join(f"{tag} {len(re.findall(f'<{tag}[ >]', svg))}" for tag in ("g", "path", "use", "text"))
    return f"{next(filter(None, label.groups()), '') if label else ''} [{' | '.join(words)}] ({counts})"


def hold_page(golden: Any, name: str, text: str, *, transcripts: bool) -> None:
    """Hold a page: its markup without drawings, script and style as text, those beside it."""
    text = normalised(text)
    parts: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        parts.append(drawn(found[0]) if found[1] == "svg" else f"{found[1]} {digest(found[0])}")
        return f"<{found[1]}>[{len(parts)}]</{found[1]}>"

    if not transcripts:
        text = re.sub(
            r'(<section id="dialogues").*?(</section>)(?=\s*(?:<section id=|</main>))', r"\1>\2", text, flags=re.DOTALL
        )
    markup = re.sub(r"<(svg|script|style)\b.*?</\1>", put_aside, text, flags=re.DOTALL)
    page = Page(markup)
    golden.json(f"{name}.json", {"headings": list(dict.fromkeys(page.headings)), "ids": page.ids, "parts": parts})
    golden.text(f"{name}.html.gz", markup)


def test_reports_as_text(cli: Any, stored: Any, golden: Any) -> None:
    stored("finished")
    for name, more in {"report": (), "report-full": ("--full",), "report-published": ("--with-published",)}.items():
        told = cli("report", "finished", *QUICK, *more)
        golden.text(f"{name}.txt", told.out + told.err)


def test_a_report_as_json(cli: Any, stored: Any, golden: Any) -> None:
    stored("finished")
    golden.json("report.json", figures(cli, "finished"))
    golden.json("report-more.json", digest(json.dumps(figures(cli, "finished", "--full", "--seed", 3))))


def test_a_report_as_tables_and_page(cli: Any, stored: Any, first_edition: Any, golden: Any) -> None:
    stored("finished")
    first_edition("finished")
    told = cli("report", "finished", *QUICK, "--html", "p.html", "--latex", "t.tex", "--bench", "bench", "--full")
    golden.text("report.tex", normalised((cli.folder / "t.tex").read_text("utf-8")))
    golden.text("report-bench-end.txt", told.out[told.out.index("To reproduce this") :] + told.err)
    hold_page(golden, "page", (cli.folder / "p.html").read_text("utf-8"), transcripts=True)


def test_names_of_figures(cli: Any, stored: Any, golden: Any) -> None:
    """Which figures are written; how they are drawn changes with matplotlib."""
    stored("finished")
    told = cli("report", "finished", *QUICK, "--figures", "f").out
    names = sorted(path.name for path in (cli.folder / "f").rglob("*"))
    golden.json("figures.json", {"names": names, "told": told.splitlines()[-3:]})


def test_a_comparison(cli: Any, stored: Any, golden: Any) -> None:
    stored("finished")
    pair = ("compare", "finished", "-m", "sim/forgetful", "-m", "sim/perfect", *QUICK)
    golden.text("compare.txt", cli(*pair).out)
    golden.json("compare.json", json.loads(cli(*pair, "--json", "-").out))
    cli(*pair, "--html", "p.html", "--latex", "t.tex")
    golden.text("compare.tex", normalised((cli.folder / "t.tex").read_text("utf-8")))
    hold_page(golden, "compare-page", (cli.folder / "p.html").read_text("utf-8"), transcripts=False)


def test_two_runs_beside_each_other(cli: Any, stored: Any, golden: Any) -> None:
    for name in ("one", "two"):
        stored("killed").rename(cli.folder / name)
    told = cli("report", "one", "two", *QUICK, code=None)
    refused = cli("report", "one", stored("finished"), *QUICK, code=None)
    golden.text("report-two.txt", f"{told.code}\n{told.out}{told.err}\n{refused.code}\n{refused.out}{refused.err}")


def test_the_status(cli: Any, stored: Any, golden: Any) -> None:
    parts = []
    for name in ("finished", "killed"):
        stored(name)
        parts += [cli("status", name, "--seconds", 0).out, cli("status", name, "--seconds", 0, "--json").out]
    golden.text("status.txt", "\n".join(parts))


def test_exports_of_a_run(cli: Any, stored: Any, golden: Any) -> None:
    stored("finished")
    held: dict[str, Any] = {}
    for layout, out in (("jsonl", "out.jsonl"), ("parquet", "out.parquet"), ("datasets", "out")):
        told = cli("export", "finished", out, "--format", layout)
        held[layout] = {"told": (told.out + told.err).splitlines(), "files": exported(cli.folder / out)}
    witnesses = cli("export", "finished", "w.jsonl", "--with-witness")
    held["witnesses"] = {"told": witnesses.out.splitlines(), "files": exported(cli.folder / "w.jsonl")}
    golden.json("export-run.json", held)
    lines = [json.loads(line) for line in (cli.folder / "w.jsonl").read_text("utf-8").splitlines()]
    golden.json("export-run-lines.json", [lines[0], lines[-1]])


def test_the_api_reads_what_was_stored(stored: Any, golden: Any) -> None:
    held = {}
    for name in ("finished", "killed"):
        run = evolif.load_run(stored(name))
        told = [f"{s.model} {s.dialogue} {s.epoch} {s.ending} {len(s.turns)} {s.reason}" for s in run.sessions()]
        held[name] = {"models": list(run.models), "suspended": run.suspended(), "sessions": told}
        run.close()
    golden.json("sessions.json", held)


def test_judged_again_alike_gives_the_same_figures(cli: Any, stored: Any, golden: Any) -> None:
    stored("finished")
    told = cli("rejudge", "finished", "--judge", "lexical", "-o", "again", "--display", "none", *QUICK)
    golden.text("rejudge.txt", told.out)
    first, again = (json.dumps(figures(cli, name)).replace('"again"', '"finished"') for name in ("finished", "again"))
    before, after = json.loads(first), json.loads(again)
    assert [before["models"][i]["rob"] for i in range(3)] == [after["models"][i]["rob"] for i in range(3)]
    differs = {key: after[key] for key in after if after[key] != before.get(key) and key != "models"}
    models = [
        {key: new[key] for key in new if new[key] != old.get(key)}
        for old, new in zip(before["models"], after["models"], strict=True)
    ]
    golden.json("rejudge-differs.json", {"keys": list(after), "differs": differs, "models": models})
    none = cli("rejudge", "finished", "--judge", "none", "--display", "none", *QUICK)
    golden.text("rejudge-none.txt", none.out)


def test_a_dry_run(cli: Any, stored: Any, golden: Any) -> None:
    stored("finished")
    cli("generate", "bench", *PAPER, "--display", "none")
    dry = ("evaluate", "bench", "-m", "openai/gpt-5", "-m", "sim/steady", "--max-turns", 6, "--dry-run", "-o", "new")
    key = {"OPENAI_API_KEY": "none"}
    told = [cli(*dry, **key), cli(*dry, "--like", "finished", **key), cli(*dry, "--judge", "openai/gpt-5-mini", **key)]
    told.append(cli("rejudge", "finished", "--judge", "openai/gpt-5-mini", "--dry-run", **key))
    assert not (cli.folder / "new").exists()
    golden.text("dry-run.txt", "\n".join(part.out + part.err for part in told))


def test_a_killed_run_is_read_as_it_is(cli: Any, stored: Any, golden: Any) -> None:
    stored("killed")
    told = cli("report", "killed", *QUICK, "--full")
    golden.text("killed.txt", told.out + told.err)


def answers(run: Path) -> set[tuple[Any, ...]]:
    """The stored answers of a run, by session and turn."""
    with closing(sqlite3.connect(run / "run.sqlite")) as connection:
        return set(connection.execute("SELECT session, turn, answer FROM turn"))


def test_a_killed_run_is_resumed_and_keeps_what_it_has(cli: Any, stored: Any, first_edition: Any, golden: Any) -> None:
    """Its models answered otherwise than today's, so a run left alone has other figures; test_kill_fifty compares."""
    before = answers(stored("killed"))
    first_edition("killed")
    told = cli(*KILLED, "--display", "plain")
    golden.text("resumed.txt", "\n".join(sorted(told.err.splitlines())) + "\n\n" + told.out)
    assert before < answers(cli.folder / "killed")
    resumed = figures(cli, "killed")
    assert resumed["runs"][0]["integrity"] == {"sealed": 13, "not_sealed": 48, "edited": []}
    golden.json("resumed.json", resumed)


def test_a_run_left_alone_comes_to_the_same_figures_by_the_command_line_and_the_api(cli: Any, golden: Any) -> None:
    cli("generate", "bench", "--dialogues", 4, "--turns", 6, "--seed", 11, "--profile", "objective")
    alone = cli(*KILLED, "--display", "plain")
    golden.text("alone.txt", "\n".join(sorted(alone.err.splitlines())) + "\n\n" + alone.out)
    golden.json("alone.json", figures(cli, "killed"))
    bench = sorted((cli.folder / "bench" / "dialogues").iterdir())
    golden.json("resumed-bench.json", {p.name: digest(p.read_bytes()) for p in bench})
    (cli.folder / "killed").rename(cli.folder / "was-killed")
    run = evolif.evaluate(cli.folder / "bench", ["sim/steady", "sim/forgetful"], cli.folder / "killed", max_turns=8)
    run.close()
    golden.json("alone.json", figures(cli, "killed"))


def test_scores_of_plain_verdicts(cli: Any, golden: Any) -> None:
    lines = [
        {"dialogue": "a", "turns": [[True, True], [False, True], [True], [None], [False], [False], [False]]},
        {"dialogue": "b", "patience": 2, "turns": [[True], [True, False, None], [True, True]]},
        {"dialogue": "c", "turns": [[True], [True], [True]]},
    ]
    Path(cli.folder / "v.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    told, as_json = cli("score", "v.jsonl", *QUICK), cli("score", "v.jsonl", "--json", *QUICK)
    golden.text("score.txt", f"{told.out}\n{json.dumps(as_json.json, indent=1)}\n")


def test_scores_with_intervals(cli: Any, golden: Any) -> None:
    """Enough dialogues for intervals, which the golden runs are too small for; REC has fewer."""
    ends = [[], [False] * 3, [True], [True, False] * 2, [False] * 2, [True] * 3, [True], [True] * 2]
    lines = [{"dialogue": str(n), "turns": [[True, True], *([one] for one in end)]} for n, end in enumerate(ends)]
    Path(cli.folder / "eight.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    told, as_json = cli("score", "eight.jsonl", *QUICK), cli("score", "eight.jsonl", "--json", *QUICK)
    golden.text("score-eight.txt", f"{told.out}\n{json.dumps(as_json.json, indent=1)}\n")

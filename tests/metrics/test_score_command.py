"""`evolif score` as a user types it."""

import io
import json
import sys

import pytest
from typer.testing import CliRunner

from evolif.cli import app
from evolif.cli.check import score
from evolif.errors import InputError, UsageError
from evolif.metrics import METRIC_NAMES

FILE = """
{"dialogue": "d1", "patience": 3, "turns": [[true,false],[true,true],[false],[false],[false],[true]]}
{"dialogue": "d2", "turns": [[true],[null],[true,true,true]]}
{"dialogue": "d3", "patience": 1, "turns": [[null]], "note": "nothing judged"}
"""


def run(*args, stdin=None, env=None):
    plain = {"FORCE_COLOR": None, "EVOLIF_SEED": None, "EVOLIF_RESAMPLES": None, "EVOLIF_DEBUG": "1"}
    result = CliRunner().invoke(app, ["score", *map(str, args)], input=stdin, env=plain | (env or {}))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_json_is_exactly_the_contract(file):
    result = run(file, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    answer = json.loads(result.stdout)
    beside = ["exhaustion_rate", "pooled_rec", "csr_corrected"]
    assert list(answer) == [*METRIC_NAMES, *beside, "floor", "saturated", "dialogues", "rec_left_out", "intervals"]
    assert answer["csr_corrected"] is answer["floor"] is answer["intervals"]["csr_corrected"] is None
    assert (answer["exhaustion_rate"], answer["pooled_rec"]) == pytest.approx((1 / 7, 1 / 3))
    assert {name: answer[name] for name in METRIC_NAMES} == pytest.approx(
        {
            "edr_len": 7 / 3,
            "edr_acc": 3.5 / 3,
            "edr_succ": 1.0,
            "edr_lss": 1.0,
            "rec": 1 / 3,
            "rob": 0.6,
            "csr": 0.5,
            "isr": 3 / 7,
        }
    )
    assert (answer["dialogues"], answer["rec_left_out"]) == (3, 2)
    assert set(answer["intervals"]) == {*METRIC_NAMES, *beside}
    assert answer["intervals"] == dict.fromkeys(answer["intervals"])  # three dialogues are too few


def test_csr_is_corrected_for_a_floor_that_is_given(file, tmp_path):
    thrice = tmp_path / "thrice.jsonl"  # six dialogues with a judged turn: enough for an interval
    rows = [json.loads(line) for line in FILE.splitlines() if line.strip()]
    rows = [{**row, "dialogue": f"{row['dialogue']}-{time}"} for time in range(3) for row in rows]
    thrice.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    plain = json.loads(run(thrice, "--json").stdout)
    answer = json.loads(run(thrice, "--json", "--floor", 0.2, "--ceiling", 0.95).stdout)
    assert answer["floor"] == 0.2 and answer["csr"] == plain["csr"] == 0.5
    assert answer["csr_corrected"] == pytest.approx(0.3 / 0.75)
    ends = [(end - 0.2) / 0.75 for end in plain["intervals"]["csr"]]
    assert answer["intervals"]["csr_corrected"] == pytest.approx(ends)
    assert json.loads(run(file, "--json", "--floor", 0.25).stdout)["csr_corrected"] == pytest.approx(1 / 3)
    assert "CSR corr. │ 33.33 %" in run(file, "--floor", 0.25).stdout
    assert "corr." not in run(file).stdout


@pytest.mark.parametrize("floor, ceiling", [("nan", 1), (-0.1, 1), (0.5, 0.5), (0.6, 0.5), (0.2, 1.1), (0.2, "nan")])
def test_a_floor_that_cannot_be(file, floor, ceiling):
    with pytest.raises(UsageError, match="give fractions from 0 to 1, the floor the smaller"):
        run(file, "--floor", floor, "--ceiling", ceiling)


def test_one_dialogue_without_chance_of_recovery():
    answer = json.loads(run("-", "--json", stdin='{"dialogue": "é", "turns": [[true]]}').stdout)
    assert (answer["rec"], answer["rec_left_out"]) == (None, 1)
    assert {name: answer["intervals"][name] for name in METRIC_NAMES} == dict.fromkeys(METRIC_NAMES)
    assert (answer["exhaustion_rate"], answer["pooled_rec"]) == (0.0, None)


def test_the_same_file_and_seed_give_the_same_bytes(file):
    once = run(file, "--json", "--seed", 4).stdout
    assert run("-", "--json", "--seed", 4, stdin=FILE).stdout == once
    assert run(file, "--json", env={"EVOLIF_SEED": "4"}).stdout == once


def test_a_file_with_most_dialogues_at_the_cap_says_so(tmp_path):
    def told(lengths_with_patience_left):
        file = tmp_path / "cap.jsonl"
        rows = [[[True]] * n for n in lengths_with_patience_left] + [[[True], [False], [False], [False]]] * 5
        file.write_text("\n".join(json.dumps({"dialogue": n, "turns": turns}) for n, turns in enumerate(rows)))
        return json.loads(run(file, "--json").stdout)["saturated"]

    assert told([9, 9, 9]) is True
    assert told([9, 9, 8, 7]) is False  # two of nine are as long as the longest
    assert told([]) is False


def test_the_number_of_resamples_counts(tmp_path):
    # Only where most sessions reach the cap is anything drawn.
    file = tmp_path / "strong.jsonl"
    rows = [[[True]] * 20] * 9 + [[[True], [False], [False], [False]]]
    file.write_text("\n".join(json.dumps({"dialogue": n, "turns": turns}) for n, turns in enumerate(rows)))
    few = run(file, "--json", "--resamples", 7).stdout
    assert run(file, "--json", env={"EVOLIF_RESAMPLES": "7"}).stdout == few
    assert json.loads(few)["intervals"] != json.loads(run(file, "--json").stdout)["intervals"]


def test_the_table_shows_percent_and_what_was_left_out(file):
    result = run(file)
    assert result.exit_code == 0
    for said in ["EDR_len", "2.33", "ROB", "60.00 %", "Dialogues: 3", "2 left out of REC", "1 left out of ROB"]:
        assert said in result.stdout
    assert "2 ended with patience left" in result.stdout


def test_a_finished_set_needs_no_notes():
    result = run("-", stdin='{"dialogue": 1, "patience": 2, "turns": [[false], [false]]}')
    assert "left" not in result.stdout


def test_help_names_the_form_of_the_file():
    said = run("--help").stdout
    assert all(word in said for word in ('"dialogue"', '"patience"', '"turns"', "null"))


@pytest.mark.parametrize("wrong", [("--seed", "-1"), ("--resamples", "0"), ("--resamples", "x"), ("--nonsense",)])
def test_wrong_usage(file, wrong):
    assert run(file, *wrong).exit_code == 2


def test_bad_input_is_one_sentence_for_the_application_to_print(file):
    file.write_text('{"dialogue": "d", "turns": [[1]]}', encoding="utf-8")
    with pytest.raises(InputError, match=r"v\.jsonl, line 1: turn 1 contains 1; write true, false or null"):
        run(file, "--json")
    with pytest.raises(InputError, match="standard input: contains no dialogue"):
        run("-", stdin="")


def test_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="standard input is closed"):
        score("-")


def test_standard_input_is_read_as_bytes(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FILE.encode()), encoding="ascii"))
    score("-", as_json=True)
    assert json.loads(capsys.readouterr().out)["dialogues"] == 3

"""Reading plain verdicts: what is taken, and how everything else is refused."""

import io
import json

import pytest

from evolif.errors import InputError
from evolif.metrics import DialogueRecord, read_verdict_file
from evolif.metrics.verdict_file import read_verdicts

GOOD = '{"dialogue": "d1", "patience": 2, "turns": [[true, false], [true, true]]}'


def read(text):
    return read_verdicts(io.BytesIO(text if isinstance(text, bytes) else text.encode()))


def test_the_example_of_the_contract():
    assert read(GOOD) == (DialogueRecord("d1", 2, ((True, False), (True, True))),)


def test_what_may_be_left_out_added_or_not_judged():
    text = (
        '\n{"dialogue": 7, "turns": [[null, true], [null], [], [false]], "model": "m", "n": 1e400}\n  \n'
        + GOOD
        + "\r\n"
    )
    assert read(text) == (DialogueRecord("7", 3, ((True,), (False,))), *read(GOOD))


def test_a_file_with_the_byte_order_mark_of_an_editor(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read_verdict_file(path) == read_verdict_file(str(path)) == read(GOOD)


def test_a_dialogue_without_turns_is_a_dialogue():
    assert read('{"dialogue": "a", "turns": []}') == (DialogueRecord("a", 3, ()),)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("[[true]]", "not a JSON object"),
        ("{", "not JSON"),
        ("{} {}", "not JSON"),
        ('{"turns": [[true]]}', 'no "dialogue"'),
        ('{"dialogue": "a"}', 'no "turns"'),
        ('{"dialogue": "", "turns": []}', '"dialogue" is ""'),
        ('{"dialogue": true, "turns": []}', '"dialogue" is true'),
        ('{"dialogue": 1.0, "turns": []}', '"dialogue" is 1.0'),
        ('{"dialogue": null, "turns": []}', '"dialogue" is null'),
        ('{"dialogue": ["a"], "turns": []}', '"dialogue" is a list'),
        ('{"dialogue": "a", "patience": 0, "turns": []}', '"patience" is 0'),
        ('{"dialogue": "a", "patience": -3, "turns": []}', '"patience" is -3'),
        ('{"dialogue": "a", "patience": 3.0, "turns": []}', '"patience" is 3.0'),
        ('{"dialogue": "a", "patience": "3", "turns": []}', '"patience" is "3"'),
        ('{"dialogue": "a", "patience": true, "turns": []}', '"patience" is true'),
        ('{"dialogue": "a", "patience": null, "turns": []}', '"patience" is null'),
        ('{"dialogue": "a", "turns": true}', '"turns" is true'),
        ('{"dialogue": "a", "turns": {"1": [true]}}', '"turns" is an object'),
        ('{"dialogue": "a", "turns": [[true], true]}', "turn 2 is true"),
        ('{"dialogue": "a", "turns": [[true], [1]]}', "turn 2 contains 1"),
        ('{"dialogue": "a", "turns": [["true"]]}', 'turn 1 contains "true"'),
        ('{"dialogue": "a", "turns": [[[true]]]}', "turn 1 contains a list"),
        ('{"dialogue": "a", "turns": [["' + "x" * 500 + '"]]}', "..."),
        ('{"dialogue": "a", "turns": [[NaN]]}', "NaN is not JSON"),
        ('{"dialogue": "a", "turns": [], "score": Infinity}', "Infinity is not JSON"),
        ('{"dialogue": "a", "turns": [], "score": -Infinity}', "-Infinity is not JSON"),
        ('{"dialogue": "d1", "turns": []}', 'dialogue "d1" occurs twice'),
        (b'{"dialogue": "\xff", "turns": []}', "not UTF-8"),
        ("[" * 100_000, "too deep"),
        ('{"dialogue": ' + "1" * 5000 + ', "turns": []}', "too long"),
    ],
)
def test_errors_name_stream_line_and_mend(line, says):
    with pytest.raises(InputError) as caught:
        read(GOOD.encode() + b"\n\n" + (line if isinstance(line, bytes) else line.encode()))
    message = str(caught.value)
    assert message.startswith("standard input, line 3: ")
    assert says in message
    assert len(message) < 250
    assert "\n" not in message


def test_an_id_is_the_same_as_number_and_as_string():
    with pytest.raises(InputError, match='line 2: dialogue "1" occurs twice'):
        read('{"dialogue": 1, "turns": []}\n{"dialogue": "1", "turns": []}')


def test_an_unprintable_id_is_shown_escaped():
    with pytest.raises(InputError, match="twice") as caught:
        read('{"dialogue": "\\ud800", "turns": []}\n' * 2)
    str(caught.value).encode()


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_stream_without_dialogues_is_refused(text):
    with pytest.raises(InputError, match="contains no dialogue"):
        read(text)


def test_lines_over_ten_megabytes_are_refused(monkeypatch):
    monkeypatch.setattr("evolif.metrics.verdict_file.MAX_LINE_BYTES", len(GOOD))
    assert read(GOOD + "\n") == read(GOOD)
    with pytest.raises(InputError, match="line 2: is longer than 10 MB"):
        read(json.dumps({"dialogue": "a", "turns": []}) + "\n" + GOOD + " ")


def test_a_file_that_is_not_there_or_not_a_file(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.jsonl: cannot be read \(No such file"):
        read_verdict_file(tmp_path / "nowhere.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        read_verdict_file(tmp_path)


def test_errors_in_a_file_name_it(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text(GOOD + "\nnonsense\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_verdict_file(path)
    assert str(caught.value).startswith(f"{path}, line 2: is not JSON")
    assert (caught.value.path, caught.value.line, caught.value.exit_code) == (str(path), 2, 2)

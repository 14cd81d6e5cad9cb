"""Tasks in the words of whoever asks: which wording, which name, and what is stored of them."""

import pytest

from evolif import generate
from evolif.scenarios.instructions.queries import check_query
from evolif.scenarios.instructions.synthesis.voice import as_told, name_of, neutral, only_of, wording_of
from evolif.scenarios.instructions.turn_lines import parse_turn, to_object
from evolif.scenarios.instructions.turns import Persona, Topic

WORDINGS = {"casual": "how come tides?", "brisk": "Tides: why?", "formal": "I should like to know why there are tides."}
TIDES = Topic(
    "T1", "Explain why there are tides.", (), "", "the cause of the tides", wordings=WORDINGS, short="the tide thing"
)


def person(register, name="P1"):
    return Persona(name, "Somebody.", ("talks",), register)


@pytest.mark.parametrize(
    ("register", "wording", "name"),
    [
        ("casual", WORDINGS["casual"], "the tide thing"),
        ("brisk", WORDINGS["brisk"], "the tide thing"),
        ("formal", WORDINGS["formal"], "the cause of the tides"),
        ("neutral", TIDES.prompt, "the tide thing"),
        ("pirate", TIDES.prompt, "the tide thing"),
    ],
)
def test_the_register_chooses(register, wording, name):
    assert (wording_of(TIDES, person(register)), name_of(TIDES, person(register))) == (wording, name)
    told = as_told(TIDES, person(register))
    assert (told.prompt, told.title) == (wording, name)


def test_warm_people_use_the_casual_or_the_neutral_wording_each_always_the_same():
    used = {wording_of(TIDES, person("warm", f"P{number}")) for number in range(20)}
    assert used == {WORDINGS["casual"], TIDES.prompt}


def test_a_topic_without_wordings_is_said_as_it_is():
    plain = Topic("T2", "Explain the moon.", (), title="the moon")
    assert as_told(plain, person("casual")) is plain and neutral(plain) is plain
    assert wording_of(plain, person("brisk")) == plain.prompt


def test_only_the_wording_that_is_used_is_stored():
    kept = only_of(TIDES, person("formal"))
    assert (kept.wordings, kept.short) == ({"formal": WORDINGS["formal"]}, "")
    assert only_of(TIDES, person("neutral")).wordings == {}
    assert neutral(TIDES).wordings == {} and neutral(TIDES).short == ""


def test_a_generated_turn_reads_back_with_its_wording_and_its_query_is_understood(tmp_path):
    bench = generate(tmp_path / "b", dialogues=10, turns=9, seed=4)
    registers = set()
    for dialogue in range(1, 11):
        for turn in bench.turns(dialogue):
            assert to_object(parse_turn(to_object(turn))) == to_object(turn)
            assert set(turn.topic.wordings) <= {turn.persona.register}
            if turn.move == "new":
                registers.add(turn.persona.register)
                assert not [one for one in check_query(to_object(turn), turn.query) if one.kind == "topic"]
    assert len(registers) >= 3

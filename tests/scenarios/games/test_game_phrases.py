"""The noun phrases of a turn, by whichever parser is there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from evolif.errors import ArgumentError, UsageError
from evolif.scenarios.games import centering, phrases
from evolif.scenarios.games.noun_phrases import MOST_CHARACTERS, _chunks, _in_full, _spacy, parser_name

# TextBlob leaves its word list open on import.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


def missing(name: str) -> None:
    """As `find_spec` answers where nothing is installed."""


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    _spacy.cache_clear()
    monkeypatch.setattr("evolif.scenarios.games.noun_phrases.find_spec", missing)
    yield
    _spacy.cache_clear()


def given_phrases(text: str) -> dict[str, list[str]]:
    return {
        "subj": [text, "The Red  Lamp!"],
        "obj": ["my mother's door", "“that”", "her"],
        "other": ["...", "a 6-pointed star"],
    }


def test_phrases_are_in_lower_case_without_marks_and_determiners() -> None:
    assert phrases("An old MAP", given_phrases) == {
        "subj": ["old map", "red lamp"],
        "obj": ["mothers door", "that", "her"],
        "other": ["6 pointed star"],
    }


def test_a_function_may_leave_roles_out_and_sees_no_more_than_it_may() -> None:
    seen = []

    def short(text: str) -> dict[str, list[str]]:
        seen.append(len(text))
        return {"obj": ["Lamp"]}

    assert phrases("x" * 10**6, short) == {"subj": [], "obj": ["lamp"], "other": []}
    assert seen == [MOST_CHARACTERS]
    assert parser_name(short) == "short"


@pytest.mark.parametrize("found", [None, [], {"subj": "lamp"}, {"other": [3]}])
def test_a_function_that_returns_something_else_is_refused(found: Any) -> None:
    with pytest.raises(ArgumentError, match="lists of texts"):
        phrases("A lamp.", lambda text: found)


def test_another_parser_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no parser 'nltk'"):
        phrases("A lamp.", "nltk")


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize(("parser", "message"), [(None, "`games`"), ("textblob", "`games`"), ("spacy", "weights")])
def test_without_a_parser_the_error_says_what_to_install(parser: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        phrases("A lamp.", parser)
    assert parser_name(parser) is None


def test_spacys_chunks_are_sorted_by_what_their_words_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class Chunk(list[Any]):
        text = ""

    def chunk(text: str, *relations: str) -> Chunk:
        made = Chunk(SimpleNamespace(dep_=relation) for relation in relations)
        made.text = text
        return made

    chunks = [
        chunk("The lamp", "det", "nsubj"),
        chunk("your boards", "poss", "nsubjpass"),
        chunk("a door", "det", "dobj"),
        chunk("it", "iobj"),
        chunk("the row", "det", "pobj"),
        chunk("a star", "det", "attr"),
    ]
    monkeypatch.setattr(
        "evolif.scenarios.games.noun_phrases._spacy", lambda: lambda text: SimpleNamespace(noun_chunks=chunks)
    )
    assert phrases("…", "spacy") == {"subj": ["lamp", "boards"], "obj": ["door", "it", "row"], "other": ["star"]}
    assert phrases("…") == phrases("…", "spacy")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It isn't here.", "It is not here."),
        ("I can’t, you won't", "I can not, you will not"),
        ("I'm sure they've won; we'll see", "I am sure they have won; we will see"),
        ("It's Anna's lamp", "It is Anna lamp"),
        ("the boards' rows", "the boards rows"),
        ("o'clock", "o'clock"),
    ],
)
def test_contractions_are_written_in_full(text: str, expected: str) -> None:
    assert _in_full(text) == expected


def roles(tagged: str) -> list[tuple[str, str]]:
    tokens = [token.split("/") for token in tagged.split()]
    return [(role, " ".join(words)) for role, words in _chunks(tokens)]


def test_textblobs_chunks_are_sorted_by_where_they_stand() -> None:
    assert roles(
        "In/IN/B-PP/B-PNP row/NN/B-NP/I-PNP the/DT/B-NP/O lamp/NN/I-NP/O is/VBZ/B-VP/O red/JJ/B-NP/O ././O/O"
    ) == [("obj", "row"), ("subj", "the lamp"), ("obj", "red")]
    assert roles("Nice/JJ/B-ADJP/O ,/,/O/O my/PRP$/B-NP/O board/NN/I-NP/O") == [("other", "my board")]
    assert roles("lamp/NN/B-NP/O door/NN/B-NP/O") == [("other", "lamp"), ("other", "door")]
    assert roles("lost/NN/I-NP/O sees/VBZ/B-VP/O") == [("subj", "lost")]


@pytest.mark.slow
def test_textblob() -> None:
    pytest.importorskip("textblob", reason="needs the extra `games`")
    assert phrases("The red lamp is near the door.", "textblob") == {"subj": ["red lamp"], "obj": ["door"], "other": []}
    assert phrases("My board has six pawns. Your board isn't there.", "textblob") == {
        "subj": ["board", "board"],
        "obj": ["six pawns"],
        "other": [],
    }
    assert phrases("Your board has 7/8 pieces.", "textblob")["obj"] == ["7 8 pieces"]
    assert phrases("", "textblob") == {"subj": [], "obj": [], "other": []}
    name = parser_name("textblob")
    assert name is not None and name.startswith("textblob-")


def test_what_textblob_finds_can_be_centered() -> None:
    pytest.importorskip("textblob", reason="needs the extra `games`")
    talk = ["The lamp is near the door.", "The lamp is red.", "The door is under the lamp."]
    assert centering([phrases(text, "textblob") for text in talk])["transitions"] == ["START", "SMOOTH", "RETAIN"]


@pytest.mark.parametrize("piece", ["((", "n't ", "'s", "a.b.", "\n", "😀", "&slash;", "a/", "\ud83d"])
def test_a_million_characters_take_seconds(piece: str) -> None:
    pytest.importorskip("textblob", reason="needs the extra `games`")
    begin = time.perf_counter()
    phrases(piece * (10**6 // len(piece)), "textblob")
    assert time.perf_counter() - begin < 10


def test_spacys_weights() -> None:
    if _spacy() is None:
        pytest.skip("spaCy or its weights are not installed")
    assert phrases("The red lamp is near the door.", "spacy") == {"subj": ["red lamp"], "obj": ["door"], "other": []}
    name = parser_name()
    assert name is not None and name.startswith("spacy-")

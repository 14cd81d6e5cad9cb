"""Punkt is not asked of plain words, because it would always say yes: held against Punkt itself."""

import random

from evolif.scenarios.instructions.witness.vocabulary import _fillers
from evolif.text import sentences
from evolif.text.sentences import ABBREVIATIONS, _punkt


def test_punkt_ends_a_sentence_after_every_plain_word():
    words = [w for w in _fillers() if w not in ABBREVIATIONS]
    assert len(words) > 500
    for word in words:
        for following in ("The", "kept", "Harbour", "(so", "3"):
            text = f"Keep the {word}. {following} rest."
            assert len(list(_punkt().span_tokenize(text))) == 2, text


def test_whole_texts_have_the_sentences_that_punkt_finds():
    chance = random.Random(11)
    words = [w for w in _fillers() if w not in ABBREVIATIONS and len(w) > 3]
    for _ in range(50):
        made = [" ".join(chance.choices(words, k=chance.randint(2, 9))) + "." for _ in range(chance.randint(1, 8))]
        text = " ".join(sentence if chance.random() < 0.3 else sentence.capitalize() for sentence in made)
        assert sentences(text) == list(_punkt().span_tokenize(text))


def test_punkt_ends_a_sentence_between_a_closing_mark_and_a_word():
    chance = random.Random(5)
    words = ["don't", "e.g", "2,400", "x-y", "well-etc", "U.S", "HTML5", "it's", "naïve", "1990s", "no", "J"]
    for _ in range(2_000):
        marks = ("(“\"'‘[{«", "\"'”’»)]}")
        opened, closed = ("".join(chance.choices(own, k=chance.randint(1, 3))) for own in marks)
        word = chance.choice(words)
        text = f"Keep the {opened}{word}{closed}. {chance.choice(('The', 'kept', 'Harbour', 'so'))} rest."
        assert len(list(_punkt().span_tokenize(text))) == 2 == len(sentences(text)), text

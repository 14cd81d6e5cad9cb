"""Rule 8: sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif.text import Reading, sentences

SENTENCES = [
    ("a full stop ends one", "He said hello. She left.", 2),
    ("a question mark and an exclamation mark end one", "What? No! OK.", 3),
    ("several marks end one", "Really?! Yes!!", 2),
    ("the end of a block ends one", "No mark here\n\nnor here", 2),
    ("the end of an item ends one", "- one\n- two", 2),
    ("a line break inside a block does not", "one\ntwo", 1),
    ("a mark needs white space after it", "Use Node.js and 3.14 or a.b/c?d=e!f", 1),
    ("a missing space joins", "He is home.She left.", 1),
    ("a block without letters holds none", "!!!\n\n---\n\n...", 0),
    ("lone marks are no sentence", "One. ! ? Two.", 2),
    ("headings hold none", "# One. Two.\n\nThree.", 1),
    ("a bold line of its own is a heading", "**One. Two.**\n\nThree.", 1),
    ("tables hold none", "| One. | Two. |\n|---|---|\n| Three. | Four. |", 0),
    ("code holds none", "```py\nOne. Two.\n```", 0),
    ("inline code is part of its sentence", "Call `a.b()`. Then stop.", 2),
    ("all lower case", "one is here. two is there.", 2),
    ("all upper case", "ONE IS HERE. TWO IS THERE.", 2),
    # Quotations and brackets
    ("a mark inside quotation marks ends one", 'He said "Stop." Then he left.', 2),
    ("typographic ones too", "“Stop it.” Then he left.", 2),
    ("a quoted question that goes on in lower case does not", "“Is it?” asked Tom.", 1),
    ("a quoted exclamation that goes on in lower case does not", '"Stop!" he said.', 1),
    ("a quoted exclamation before a capital does", '"Go!" She went.', 2),
    ("a bracketed sentence is one", "(This is one.) This is two.", 2),
    ("emphasis marks are closed over", "It is *done.* Then we go.", 2),
    ("an unquoted exclamation ends one whatever follows", "Oh! how nice.", 2),
    # Ellipses
    ("an ellipsis before a capital ends one", "Hmm… Maybe. Wait... What?", 4),
    ("an ellipsis before a small letter does not", "Hmm… maybe. Wait... what?", 2),
    ("an ellipsis before a digit does not", "Wait... 5 people came.", 1),
    ("an ellipsis at the end ends one", "And so on…", 1),
    # Full width
    ("full-width marks always end one", "你好。我很好！真的？", 3),
    ("the danda always does", "यह है। वह है।", 2),
    ("closing marks belong to the sentence", "「好。」他说。", 2),
    # Abbreviations
    ("a title never ends one", "Dr. Smith met Mr. Who. Dr. Who.", 2),
    ("a short title in lower case does not either", "dr. smith came.", 1),
    ("other titles in lower case are plain words", "Do one more rep. Rest well.", 2),
    ("an abbreviation before a small letter does not", "Apples, pears, etc. are good.", 1),
    ("an abbreviation before a common starter does", "We met at 5 p.m. Then we ate.", 2),
    ("an imperative is a common starter", "Bake for 45 min. Serve warm.", 2),
    ("an abbreviation before a name does not", "At 5 p.m. John had left.", 1),
    ("a word known in lower case begins one", "The apples rot at 5 p.m. Apples do.", 2),
    ("etc. before a capital does", "Apples, etc. Bananas too.", 2),
    ("a street before a starter does", "I live on Main St. The house is big.", 2),
    ("a saint does not", "Go to St. Louis now.", 1),
    ("e.g. and i.e. do not", "Fruit, e.g. apples, i.e. food.", 1),
    ("an abbreviation at the block's end does", "It is big, tall, etc.\n\nYes.", 2),
    ("a digit glued to it does not hide an abbreviation", "At 10a.m. on Monday.", 1),
    ("a hyphen does not either", "By mid-Dec. we knew.", 1),
    ("a unit needs its number", "He came in. Sit down. It is 5 in. long.", 3),
    ("no. with a number is an abbreviation", "No. 7 is good. The answer is no. We go.", 3),
    ("fig. with a number is one", "See fig. 3. I ate a fig. Delicious!", 3),
    ("initials are", "J. R. R. Tolkien met C.S. Lewis.", 1),
    ("an agency's letters end one before a starter", "He left the F.B.I. They wept.", 2),
    ("a single letter before a starter ends one", "I like plan B. We start now.", 2),
    ("a single letter before a contraction does", "I love vitamin B. It’s good.", 2),
    ("a single letter before a name does not", "Ask J. Smith.", 1),
    ("a small letter is no initial", "we take plan b. now we start.", 2),
    ("words that look like abbreviations", "He sat. We sat in the sun. I am in. It is art. Wait a sec. Done.", 6),
    # Numbers
    ("a year ends one", "It was 1999. In 2000 it ended.", 2),
    ("a number ends one before a small letter", "we have 20. then we go.", 2),
    ("a list's number does not", "1. First item.\n2. Second item.", 2),
    ("a number that begins a line does not", "Text\n\n2\\. Second item.", 2),
    ("a number after a sentence is a list's", "1. First item. 2. Second item.", 2),
    ("the first one after a colon too", "Steps: 1. Mix it. 2. Bake it.", 2),
    ("another number after a colon is a value", "Servings: 4. Prep time: an hour.", 2),
    ("a number after a question is an answer", "How many? 3. That is all.", 3),
    ("a version number", "Use Python 3. It is good. Version 2.0. It is out.", 4),
    ("a price", "It costs $5.00. Not more.", 2),
]


@pytest.mark.parametrize(("rule", "text", "count"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_sentences(rule, text, count):
    reading = Reading(text)
    found = [reading.content_text[start:end] for start, end in reading.sentence_spans]
    assert len(found) == count, found


def test_sentences_span_what_they_say():
    reading = Reading("# Title\n\nOne is here.  Two is there!")
    assert [reading.content_text[a:b] for a, b in reading.sentence_spans] == ["One is here.", "Two is there!"]


@given(st.text(alphabet="aB5. !?…。\"'”)\n", max_size=50))
def test_sentences_are_in_order_and_hold_letters_or_digits(text):
    at = 0
    for start, end in sentences(text):
        assert at <= start < end
        assert any(c.isalnum() for c in text[start:end])
        at = end


@given(st.text(alphabet="aB5. !?…\n", max_size=50))
def test_all_letters_and_digits_are_in_a_sentence(text):
    held = "".join(text[a:b] for a, b in sentences(text))
    assert [c for c in held if c.isalnum()] == [c for c in text if c.isalnum()]

"""Instructions that no constraint group says: how answers to them are read here.

What counts is what the model was told, as a careful reader takes it: a link in Markdown is no placeholder, and “See
section 2” begins no section. How the public release reads the same instructions is in `released_readings`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from evolif.scenarios.instructions.constraints import check_reading, parse_constraint
from evolif.scenarios.recorded.instruction_arguments import (
    Arguments,
    bad_argument,
    is_at_least,
    number_of,
    text_of,
    texts_of,
)
from evolif.text import Reading, first_grapheme, fold
from evolif.text.emoji import is_emoji
from evolif.text.languages import detect_language

OwnReading: TypeAlias = Callable[[Reading], bool]
"""Whether an answer follows an instruction."""

_OTHER_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "af": "Afrikaans", "sq": "Albanian", "ca": "Catalan", "hr": "Croatian", "et": "Estonian", "gu": "Gujarati",
        "kn": "Kannada", "lv": "Latvian", "lt": "Lithuanian", "mk": "Macedonian", "ml": "Malayalam", "mr": "Marathi",
        "ne": "Nepali", "pa": "Punjabi", "sk": "Slovak", "sl": "Slovenian", "so": "Somali", "sw": "Swahili",
        "tl": "Tagalog", "te": "Telugu", "cy": "Welsh",
    }
)  # fmt: skip
"""Languages that langdetect knows and the group `language` does not."""
ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
"""The options of IFEval's constrained response, which its entries do not repeat."""

_PLACEHOLDER = re.compile(r"\[([^\[\]\n]++)\](?!\(|:)")
_TASK_BOX = re.compile(r"^[ \t>]*+(?:[*+-]|\d{1,9}[.)])[ \t]++\[[ xX]\]", re.MULTILINE)
_DIVIDER = re.compile(r"(?<!\S)\*{3,5}(?!\S)")
_BLANK_LINES = re.compile(r"\n[ \t]*+\n\s*+")
_STARRED = re.compile(r"(?<![*\\])(\*{1,3}+)(?=\S)([^*\n]++)(?<!\s)\1(?!\*)")
_UNDERSCORED = re.compile(r"(?<![\w\\])(_{1,3}+)(?=\S)([^_\n]++)(?<!\s)\1(?!\w)")
_LIST_MARK = re.compile(r"^[ \t>]*+(?:[*+-]|\d{1,9}[.)])[ \t]++", re.MULTILINE)
_CODE = re.compile(r"```.*?```|`[^`\n]*+`", re.DOTALL)
_WORD = re.compile(r"[^\W_]++(?:['’.&-][^\W_]++)*+")
_MARKS = r"#>*_~\"'“”„‘’«»(\[{•+-"
"""Mark-up and opening signs before the first word of a line, for a set of a regular expression."""
_OPENING_MARKS = "#>*_~ \t\"'“”„‘’«»([{"
_SINGLE_QUOTES = "'‘’‚‛‹›`"


def _placeholders(args: Arguments) -> OwnReading:
    """Text in square brackets; no link, and no box of a task list."""
    wanted = number_of(args, "num_placeholders", "num_placeholder", "number_placeholders")

    def read(reading: Reading) -> bool:
        found = _PLACEHOLDER.finditer(_TASK_BOX.sub("", reading.body))
        return sum(any(map(str.isalnum, match[1])) for match in found) >= wanted

    return read


def _postscript(args: Arguments) -> OwnReading:
    """The marker, spaces inside it aside, at the start of a line or behind a sentence, with text behind it.

    A first line with others below it stands at the beginning, so it is none.
    """
    marker = "".join(text_of(args, "postscript_marker", longest=200).split()).rstrip(".:")
    if not marker:
        raise bad_argument("inst_args needs “postscript_marker”, a text with a letter or digit")
    spaced = r"[ \t]?".join(map(re.escape, marker))
    found = re.compile(rf"(?:^|\n|[^\w\s]\s)[\s{_MARKS}]{{0,20}}+{spaced}(?!\w)", re.IGNORECASE)

    def read(reading: Reading) -> bool:
        first, _, others = reading.body.partition("\n")
        text = others if others.strip() else first
        return any(any(map(str.isalnum, text[match.end() :])) for match in found.finditer(text))

    return read


def _constrained(args: Arguments) -> OwnReading:
    """Exactly one of the options occurs, capitals aside."""
    options = texts_of(args, "response_options", "options") if args.get("response_options") else list(ANSWERS)
    wanted = [fold(option).rstrip(".") for option in options]

    def read(reading: Reading) -> bool:
        body = fold(reading.body)
        return sum(_stands_alone(body, option) for option in wanted) == 1

    return read


def _stands_alone(text: str, option: str) -> bool:
    """Whether an option occurs, not as a part of longer words."""
    start = text.find(option)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(option) : start + len(option) + 1]
        if not (before.isalnum() and option[0].isalnum()) and not (after.isalnum() and option[-1].isalnum()):
            return True
        start = text.find(option, start + 1)
    return False


def _highlights(args: Arguments) -> OwnReading:
    """Passages between asterisks or underscores, as Markdown has them; no code, no bullet."""
    wanted = number_of(args, "num_highlights")

    def read(reading: Reading) -> bool:
        text = _LIST_MARK.sub("", _CODE.sub(" ", reading.body))
        passages = [*_STARRED.finditer(text), *_UNDERSCORED.finditer(text)]
        return sum(any(map(str.isalnum, match[2])) for match in passages) >= wanted

    return read


def _title(args: Arguments) -> OwnReading:
    """Something between double angular brackets, on one line."""

    def read(reading: Reading) -> bool:
        return any(_has_title(line) for line in reading.body.split("\n"))

    return read


def _has_title(line: str) -> bool:
    start = line.find("<<")
    end = line.rfind(">>")
    return 0 <= start < end and any(char.isprintable() and char not in "<> " for char in line[start:end])


def _two_responses(args: Arguments) -> OwnReading:
    """Two different texts with six asterisks between them."""

    def read(reading: Reading) -> bool:
        parts = [part.strip() for part in reading.body.split("******")]
        outer = [part for place, part in enumerate(parts) if part or 0 < place < len(parts) - 1]
        return len(outer) == 2 and all(outer) and outer[0] != outer[1]

    return read


def _repeat(args: Arguments) -> OwnReading:
    """The answer begins with the request, word for word; capitals and runs of white space aside."""
    request = " ".join(fold(text_of(args, "prompt_to_repeat")).split())
    return lambda reading: " ".join(fold(reading.body).split()).startswith(request)


def _capital_words(args: Arguments) -> OwnReading:
    """Words whose letters are all capitals: `NASA`, `A`, `WELL-KNOWN`."""
    wanted, at_least = number_of(args, "capital_frequency"), is_at_least(args, "capital_relation")

    def read(reading: Reading) -> bool:
        number = sum(match[0].isupper() for match in _WORD.finditer(reading.content_text))
        return number >= wanted if at_least else number < wanted

    return read


def _letters(args: Arguments) -> OwnReading:
    """How often a letter occurs, capital or small."""
    letter = text_of(args, "letter", longest=8).casefold()
    if len(letter) != 1:
        raise bad_argument("inst_args needs “letter”, one letter")
    wanted, at_least = number_of(args, "let_frequency"), is_at_least(args, "let_relation")

    def read(reading: Reading) -> bool:
        number = reading.body.casefold().count(letter)
        return number >= wanted if at_least else number < wanted

    return read


def _keyword_frequency(args: Arguments) -> OwnReading:
    """How often a keyword occurs, counted as the group `existence` does."""
    keyword, wanted = text_of(args, "keyword", longest=200), number_of(args, "frequency")
    at_least = is_at_least(args)

    def read(reading: Reading) -> bool:
        number = _occurrences(reading, keyword)
        return number >= wanted if at_least else number < wanted

    return read


def _keyword_existence(args: Arguments) -> OwnReading:
    """Every keyword occurs, also one that is a sign or an emoji."""
    keywords = texts_of(args, "keywords", "words")
    return lambda reading: all(_occurrences(reading, keyword) for keyword in keywords)


def _occurrences(reading: Reading, keyword: str) -> int:
    has_word = any(map(str.isalnum, keyword))
    return len(reading.occurrences(keyword)) if has_word else reading.body.count(keyword)


def _quotation(args: Arguments) -> OwnReading:
    """Everything between double quotation marks of any language; single ones are none."""

    def read(reading: Reading) -> bool:
        wrap = parse_constraint({"group": "wrap", "params": {"left": '"', "right": '"'}}, stored=True)
        [verdict] = check_reading([wrap], reading)
        return verdict.satisfied is True and reading.body.lstrip("*_ ")[:1] not in _SINGLE_QUOTES

    return read


def _language(args: Arguments) -> OwnReading:
    """A language that only langdetect knows."""
    named = text_of(args, "lang", "language")
    code = next((code for code, name in _OTHER_LANGUAGES.items() if named in (code, name)), None)
    if code is None:
        raise bad_argument(f"inst_args has the language “{named[:60]}”, which is unknown; use its English name or code")
    return lambda reading: detect_language(reading.content_text) == code


def _divided_paragraphs(args: Arguments) -> OwnReading:
    """Texts between three asterisks, which stand alone; a divider at either end is no fault."""
    wanted = number_of(args, "num_paragraphs")

    def read(reading: Reading) -> bool:
        parts = [part.strip() for part in _DIVIDER.split(reading.body)]
        inner = parts[int(not parts[0]) : len(parts) - int(len(parts) > 1 and not parts[-1])]
        return all(inner) and len(inner) == wanted

    return read


def _nth_paragraph(args: Arguments) -> OwnReading:
    """So many paragraphs between blank lines, of which the n-th begins with a word; marks before it aside."""
    wanted, nth = number_of(args, "num_paragraphs"), number_of(args, "nth_paragraph")
    word = fold(text_of(args, "first_word", longest=200))
    if not 1 <= nth <= wanted:
        raise bad_argument(f"inst_args has “nth_paragraph” {nth} of {wanted}; give one that there is")

    def read(reading: Reading) -> bool:
        parts = [part for part in _BLANK_LINES.split(reading.body) if part.strip()]
        if len(parts) != wanted:
            return False
        start = fold(parts[nth - 1].lstrip(_OPENING_MARKS)[: 4 * len(word) + 40])
        return start.startswith(word) and not start[len(word) : len(word) + 1].isalnum()

    return read


def _start_emoji(args: Arguments) -> OwnReading:
    """The first character that a reader sees is an emoji."""
    return lambda reading: is_emoji(first_grapheme(reading.body.lstrip(_OPENING_MARKS)))


def _start_letter(args: Arguments) -> OwnReading:
    """A letter of another script than A to Z, or a sign, at the very beginning."""
    letter = text_of(args, "letter", longest=8).casefold()
    return lambda reading: reading.body.lstrip("#>*_ \t").casefold().startswith(letter)


def _in_english(mode: str) -> Callable[[Arguments], OwnReading]:
    """The case, and English."""

    def read(reading: Reading) -> bool:
        case = parse_constraint({"group": "case", "params": {"mode": mode}}, stored=True)
        [verdict] = check_reading([case], reading)
        return verdict.satisfied is True and detect_language(reading.content_text) in ("", "en")

    return lambda args: read


OWN_READINGS: Mapping[str, Callable[[Arguments], OwnReading]] = MappingProxyType(
    {
        "change_case:capital_word_frequency": _capital_words,
        "change_case:english_capital": _in_english("all_upper"),
        "change_case:english_lowercase": _in_english("all_lower"),
        "combination:repeat_prompt": _repeat,
        "combination:two_responses": _two_responses,
        "content:placeholder": _placeholders,
        "content:postscript": _postscript,
        "format:constrained_response": _constrained,
        "format:number_highlighted_sections": _highlights,
        "format:title": _title,
        "keywords:existence": _keyword_existence,
        "keywords:frequency": _keyword_frequency,
        "keywords:letter_frequency": _letters,
        "language:response_language": _language,
        "length_constraints:nth_paragraph_first_word": _nth_paragraph,
        "length_constraints:number_paragraphs": _divided_paragraphs,
        "startend:quotation": _quotation,
        "startend:start_char": _start_letter,
        "startend:start_emoji": _start_emoji,
    }
)
"""By the catalogue's name; of some, only the arguments that no constraint group takes come here."""

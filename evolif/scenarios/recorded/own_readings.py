"""Instructions that no constraint group says: how answers to them are read here.

What counts is what the model was told, as a careful reader takes it: a link in Markdown is no placeholder, and “See
section 2” begins no section. How the public release reads the same instructions is in `released_readings`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

import regex

from evolif.scenarios.instructions.constraints import check_reading, parse_constraint
from evolif.scenarios.recorded.instruction_arguments import (
    LONGEST_TEXT,
    Arguments,
    bad_argument,
    is_at_least,
    number_of,
    text_of,
    texts_of,
)
from evolif.text import Reading, first_grapheme, fold
from evolif.text.emoji import is_emoji
from evolif.text.languages import SHORT_WORDS, may_be_in
from evolif.util.resources import data_path

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

_PLACEHOLDER = re.compile(r"\[([^\[\]\n]++)\](?!\(|\[\d)")
_LINK_DEFINITION = re.compile(r"^ {0,3}\[[^\[\]\n]++\]:[ \t]*+<?(?:[a-z]++:|www\.|[./#])", re.MULTILINE | re.IGNORECASE)
_TASK_BOX = re.compile(r"^[ \t>]*+(?:[*+-]|\d{1,9}[.)])[ \t]++\[[ xX]\]", re.MULTILINE)
_DIVIDER = re.compile(r"(?<!\S)\*{3,5}(?!\S)")
_BLANK_LINES = re.compile(r"\n[ \t]*+\n\s*+")
_STARRED = re.compile(r"(?<![*\\])(\*{1,3}+)(?=\S)([^*\n]++)(?<!\s)\1(?!\*)")
_UNDERSCORED = re.compile(r"(?<![\w\\])(_{1,3}+)(?=\S)([^_\n]++)(?<!\s)\1(?!\w)")
_LIST_MARK = re.compile(r"^[ \t>]*+(?:[*+-]|\d{1,9}[.)])[ \t]++", re.MULTILINE)
_CODE = re.compile(r"```.*?```|`[^`\n]*+`", re.DOTALL)
_PROGRAM = re.compile(r"```[ \t]*+(?!(?:text|txt|plain\w*|markdown|md)\b)\w.*?```", re.DOTALL)
"""A fence that names a language of programs: its brackets are code."""
_OPERATORS = re.compile(r"`(?!<<)[^`\n]*+`")
"""Code in a line that is not itself a title."""
_WORD = re.compile(r"[^\W_]++(?:['’.&-][^\W_]++)*+")
_MARKS = r"#>*_~\"'“”„‘’«»(\[{•+-"
"""Mark-up and opening signs before the first word of a line, for a set of a regular expression."""
_OPENING_MARKS = "#>*_~ \t\"'“”„‘’«»([{"
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
"""Scripts that put no space between words."""
_COMMAS = ("，", "،")
"""Of Chinese, and of Arabic, Persian and Urdu."""
_TELLING_WORDS = 3
"""Fewer words are in no language in particular."""
_DOUBLE_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»", '"'))
_SINGLE_QUOTES = "'‘’‚‛‹›`"


def _placeholders(args: Arguments) -> OwnReading:
    """Text in square brackets; no link, no number of a source, no box of a task list, no code."""
    wanted = number_of(args, "num_placeholders", "num_placeholder", "number_placeholders")

    def read(reading: Reading) -> bool:
        text = _PROGRAM.sub(" ", reading.body)
        found = _PLACEHOLDER.finditer(_TASK_BOX.sub("", _LINK_DEFINITION.sub("", text)))
        return sum(any(map(str.isalpha, match[1])) for match in found) >= wanted

    return read


def _postscript(args: Arguments) -> OwnReading:
    """The marker, spaces inside it aside, at the start of a line or behind a sentence, with text behind it.

    A marker with which an answer of several lines begins stands before everything, so it is none.
    """
    marker = "".join(text_of(args, "postscript_marker", longest=200).split()).rstrip(".:")
    if not any(map(str.isalnum, marker)):
        raise bad_argument("inst_args needs “postscript_marker”, a text with a letter or digit")
    spaced = r"[ \t]?".join(map(re.escape, marker))
    found = re.compile(rf"(?:^|\n|[^\w\s]\s)[\s{_MARKS}]{{0,20}}+{spaced}(?!\w)", re.IGNORECASE)

    def read(reading: Reading) -> bool:
        text = reading.body
        has_lines = "\n" in text.strip()
        places = (match.end() for match in found.finditer(text) if match.start() or not has_lines)
        return any(map(str.isalnum, text[next(places, len(text)) :]))

    return read


def _constrained(args: Arguments) -> OwnReading:
    """Exactly one of the options occurs, capitals aside."""
    options = texts_of(args, "response_options", "options") if args.get("response_options") else list(ANSWERS)
    wanted = [fold(option).rstrip(".") for option in options]
    if not all(wanted):
        raise bad_argument("inst_args has “response_options” with one of dots alone; give it a word")

    wanted.sort(key=len, reverse=True)

    def read(reading: Reading) -> bool:
        body, found = fold(reading.body), 0
        for option in wanted:
            if _stands_alone(body, option):
                found += 1
                body = body.replace(option, "\0")  # “yes” inside “yes, with conditions” is not a second option
        return found == 1

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
    """Something between double angular brackets, on one line; the operators of code are none."""

    def read(reading: Reading) -> bool:
        return any(_has_title(line) for line in _OPERATORS.sub(" ", _PROGRAM.sub(" ", reading.body)).split("\n"))

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


def _seen(args: Arguments, key: str, *, longest: int = LONGEST_TEXT) -> str:
    """A text, folded, of which a reader sees something.

    Raises:
        Unsupported: it is missing, too long, or made of invisible characters.
    """
    text = fold(text_of(args, key, longest=longest))
    if not text.strip():
        raise bad_argument(f"inst_args has “{key}” without a visible character; give it a word")
    return text


def _repeat(args: Arguments) -> OwnReading:
    """The answer begins with the request, word for word; capitals, white space and kinds of quotation marks aside."""
    request = " ".join(_seen(args, "prompt_to_repeat").translate(_DOUBLE_QUOTES).split())

    def read(reading: Reading) -> bool:
        return " ".join(fold(reading.body).translate(_DOUBLE_QUOTES).split()).startswith(request)

    return read


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
        text = reading.body.strip("*_ \t\n")
        return verdict.satisfied is True and text[:1] not in _SINGLE_QUOTES and _is_one_quotation(text)

    return read


def _is_one_quotation(text: str) -> bool:
    """Whether the marks at both ends belong together: `"Yes," he said. "No."` is two quotations."""
    opening, closing = text[:1], text[-1:]
    if opening == closing:  # several marks may stand at the ends
        width = min(len(text) - len(text.lstrip(opening)), len(text) - len(text.rstrip(closing)))
        text = text[width - 1 : len(text) - width + 1]
    inner, depth = text[1:-1], 1
    for place, char in enumerate(inner, 1):
        if char not in (opening, closing):
            continue
        # A straight mark opens a quotation behind white space and closes one otherwise.
        opens = char == opening if opening != closing else text[place - 1].isspace()
        depth += 1 if opens else -1
        if not depth:
            return False
    return True


def _no_comma(args: Arguments) -> OwnReading:
    """No comma of any script."""

    def read(reading: Reading) -> bool:
        comma = parse_constraint({"group": "punctuation", "params": {"mode": "exclude", "mark": ","}}, stored=True)
        [verdict] = check_reading([comma], reading)
        return verdict.satisfied is True and not any(mark in reading.body for mark in _COMMAS)

    return read


def _language(args: Arguments) -> OwnReading:
    """A language that only langdetect knows."""
    named = text_of(args, "lang", "language")
    code = next((code for code, name in _OTHER_LANGUAGES.items() if named in (code, name)), None)
    if code is None:
        raise bad_argument(f"inst_args has the language “{named[:60]}”, which is unknown; use its English name or code")
    return lambda reading: may_be_in(reading.content_text, code)


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
    word = _seen(args, "first_word", longest=200)
    if not 1 <= nth <= wanted:
        raise bad_argument(f"inst_args has “nth_paragraph” {nth} of {wanted}; give one that there is")

    def read(reading: Reading) -> bool:
        parts = [part for part in _BLANK_LINES.split(reading.body) if part.strip()]
        if len(parts) != wanted:
            return False
        start = fold(parts[nth - 1].lstrip(_OPENING_MARKS)[: 4 * len(word) + 40])
        after = start[len(word) : len(word) + 1]
        return start.startswith(word) and (not after.isalnum() or _UNSPACED.match(after) is not None)

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
        return verdict.satisfied is True and _may_be_english(reading.content_text)

    return lambda args: read


def _may_be_english(text: str) -> bool:
    """Whether nothing speaks against English: langdetect alone takes “YES.” for Turkish."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    words = _WORD.findall(text.lower())
    if not words or may_be_in(text, "en"):
        return True
    if not text.isascii() or len(words) >= SHORT_WORDS:
        return False
    return len(words) < _TELLING_WORDS or 2 * sum(word in _usual_words() for word in words) >= len(words)


@lru_cache(maxsize=1)
def _usual_words() -> frozenset[str]:
    """Words that most English texts have."""
    texts = (
        data_path("seeds", name).read_text(encoding="utf-8") for name in ("function-words.txt", "common-words.txt")
    )
    return frozenset(" ".join(texts).split())


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
        "punctuation:no_comma": _no_comma,
        "startend:quotation": _quotation,
        "startend:start_char": _start_letter,
        "startend:start_emoji": _start_emoji,
    }
)
"""By the catalogue's name; of some, only the arguments that no constraint group takes come here."""

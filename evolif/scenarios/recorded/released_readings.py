"""How the public release of UniDial-EvalKit reads the instructions of IFEval, for figures that are to be compared.

Verdicts are its verdicts, also where a careful reader would dispute them: `as_released` is never the default. They were
compared on 2,000 answers (docs/unidial.md lists what differs). Three things are on purpose not its own: what an entry
asks for is never run as a regular expression, sentences end where our Punkt parameters say (its model is a download),
and time is linear in the answer. An argument that is missing, or of another name than the release expects, is not
followed there, and so it is here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from evolif.scenarios.recorded.instruction_arguments import Arguments
from evolif.text.emoji import is_emoji
from evolif.text.languages import raw_language
from evolif.text.sentences import punkt_sentences
from evolif.util.nltk_part import nltk_part

_Reading: TypeAlias = Callable[[str, Arguments], bool]

_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "English": "en", "Spanish": "es", "Portuguese": "pt", "Arabic": "ar", "Hindi": "hi", "French": "fr",
        "Russian": "ru", "German": "de", "Japanese": "ja", "Italian": "it", "Bengali": "bn", "Ukrainian": "uk",
        "Thai": "th", "Urdu": "ur", "Tamil": "ta", "Telugu": "te", "Bulgarian": "bg", "Korean": "ko", "Polish": "pl",
        "Hebrew": "he", "Persian": "fa", "Vietnamese": "vi", "Nepali": "ne", "Swahili": "sw", "Kannada": "kn",
        "Marathi": "mr", "Gujarati": "gu", "Punjabi": "pa", "Malayalam": "ml", "Finnish": "fi",
    }
)  # fmt: skip
"""The names that it knows; a code is none of them."""
_HAN = frozenset({"zh", "zh-cn", "zh-tw", "ja"})
_HIGHLIGHT = re.compile(r"\*[^\n*]*+\*")
_DOUBLE = re.compile(r"\*\*[^\n*]*+\*\*")
_HAN_SENTENCE = re.compile(r"[^!?。.！？．\n]++[!?。.！？．\n]?+")
_HINDI_END = re.compile(r"(?<=[।!?])\s*+")
_HAN_SIGNS = re.compile(r"[\\.!?．/_,{}<>:;$%^&*(+\"'—！，。？、`~@#￥…（）：；《》“”()\[\]»〔〕\-「」]+")
_HAN_CHARACTER = re.compile(r"[\u4E00-\u9FFF\u3400-\u4DBF\u3040-\u30ff\uAC00-\uD7AF]")
_STARS = re.compile(r"\s?\*\*\*\s?")


def _count(args: Arguments, key: str) -> float:
    """A number that an answer is compared with."""
    value = args[key]
    if not isinstance(value, int | float):
        raise TypeError(key)
    return value


def _compared(number: int, args: Arguments, key: str, relation: str, *, more: bool = False) -> bool:
    wanted = _count(args, key)
    if args[relation] == "less than":
        return number < wanted
    if args[relation] == "at least":
        return number >= wanted
    return more and args[relation] == "more than" and number > wanted


def _bullets(text: str, args: Arguments) -> bool:
    number = sum(1 for _ in _marked_lines(text, "*")) + sum(1 for _ in _marked_lines(text, "-"))
    wanted = _count(args, "num_bullets")
    return number > 0 if wanted == 0 else number == wanted


def _marked_lines(text: str, mark: str) -> Iterator[int]:
    """Where lines begin with a mark: `*` has to be followed by another character, which may be a line break."""
    place = 0
    while place < len(text):
        start = place
        while start < len(text) and text[start].isspace():
            start += 1
        if start >= len(text):
            return
        follows = mark == "-" or (start + 1 < len(text) and text[start + 1] != "*")
        if text[start] == mark and follows:
            yield start
        else:
            follows = False
        end = text.find("\n", start + (2 if follows and mark == "*" else 0))
        if end < 0:
            return
        place = end + 1


def _sentences(text: str, args: Arguments) -> bool:
    language = raw_language(text) or "en"
    if language == "hi":
        number = sum(bool(part.strip()) for part in _HINDI_END.split(text))
    elif language in _HAN:
        number = sum(len(_HAN_SENTENCE.findall(line.strip())) for line in text.splitlines())
    else:
        number = len(punkt_sentences(text))
    return _compared(number, args, "num_sentences", "relation", more=True)


def _words(text: str, args: Arguments) -> bool:
    is_han = (raw_language(text) or "en") in _HAN
    number = _han_words(text) if is_han else len(nltk_part("tokenize.regexp").RegexpTokenizer(r"\w+").tokenize(text))
    return _compared(number, args, "num_words", "relation", more=True)


def _han_words(text: str) -> int:
    bare = _HAN_SIGNS.sub("", text)
    emoji = sum(map(is_emoji, bare))
    bare = "".join(char for char in bare if not is_emoji(char))
    return len(_HAN_CHARACTER.findall(bare)) + len(_HAN_CHARACTER.sub(" ", bare).split()) + emoji


def _language(text: str, args: Arguments) -> bool:
    code = _LANGUAGES.get(args.get("lang", args.get("language")) or "")
    if code is None or not text.strip():
        return False
    return raw_language(text.strip()) in (None, code)


def _upper(text: str, args: Arguments) -> bool:
    return raw_language(text) in (None, "en") and text.isupper()


def _lower(text: str, args: Arguments) -> bool:
    return raw_language(text) in (None, "en") and text.islower()


def _json(text: str, args: Arguments) -> bool:
    bare = text.strip()
    for fence in ("```json", "```Json", "```JSON", "```"):
        bare = bare.removeprefix(fence)
    try:
        json.loads(bare.removesuffix("```").strip())
    except (ValueError, RecursionError):
        return False
    return True


def _two_responses(text: str, args: Arguments) -> bool:
    parts = text.split("******")
    if any(not part.strip() for part in parts[1:-1]):
        return False
    kept = [part.strip() for part in parts if part.strip()]
    return len(kept) == 2 and kept[0] != kept[1]


def _placeholders(text: str, args: Arguments) -> bool:
    wanted = args.get("num_placeholder", args.get("number_placeholders"))
    return isinstance(wanted, int | float) and wanted <= sum(_bracketed(line) for line in text.split("\n"))


def _bracketed(line: str) -> int:
    number, place = 0, line.find("[")
    while place >= 0:
        end = line.find("]", place)
        if end < 0:
            break
        number += 1
        place = line.find("[", end)
    return number


def _paragraphs(text: str, args: Arguments) -> bool:
    parts = _STARS.split(text)
    if any(not part.strip() for part in parts[1:-1]):
        return False
    ends = {0, len(parts) - 1}
    return len(parts) - sum(not parts[place].strip() for place in ends) == _count(args, "num_paragraphs")


def _nth_paragraph(text: str, args: Arguments) -> bool:
    parts = [part for part in text.split("\n\n") if part.strip()]
    wanted, nth = _count(args, "num_paragraphs"), args["nth_paragraph"]
    if len(parts) != wanted or not 1 <= nth <= len(parts):
        return False
    first = parts[nth - 1].split()[0].lstrip("'").lstrip('"')
    end = next((place for place, char in enumerate(first) if char in ".,?!'\""), len(first))
    return bool(first[:end].lower() == str(args["first_word"]).lower())


def _postscript(text: str, args: Arguments) -> bool:
    marker = str(args["postscript_marker"]).lower()
    patterns = {"p.p.s": r"p\.\s?p\.\s?s", "p.s.": r"p\.\s?s\."}
    return bool(marker) and re.search(patterns.get(marker, re.escape(marker)), text.lower()) is not None


def _highlights(text: str, args: Arguments) -> bool:
    number = sum(bool(found.strip("*").strip()) for found in _HIGHLIGHT.findall(text))
    number += sum(bool(found.replace("**", "").strip()) for found in _DOUBLE.findall(text))
    return number >= _count(args, "num_highlights")


def _sections(text: str, args: Arguments) -> bool:
    mark = str(args["section_spliter"])
    return bool(mark) and len(re.findall(re.escape(mark) + r"\s?\d+", text)) >= _count(args, "num_sections")


def _title(text: str, args: Arguments) -> bool:
    return any(_titled(line) for line in text.split("\n"))


def _titled(line: str) -> bool:
    start, end = line.find("<<"), line.rfind(">>")
    return start >= 0 and end >= start + 3 and bool(line[start : end + 2].lstrip("<").rstrip(">").strip())


def _capital_words(text: str, args: Arguments) -> bool:
    split = nltk_part("tokenize.destructive").NLTKWordTokenizer().tokenize
    number = sum(word.isupper() for sentence in punkt_sentences(text) for word in split(sentence))
    return _compared(number, args, "capital_frequency", "capital_relation")


def _quotation(text: str, args: Arguments) -> bool:
    bare = text.strip()
    return len(bare) > 1 and (bare[0], bare[-1]) in {('"', '"'), ("“", "”"), ("「", "」")}


def _keyword(keyword: object) -> re.Pattern[str]:
    return re.compile(re.escape(str(keyword)), re.IGNORECASE)


def _exists(text: str, args: Arguments) -> bool:
    return all(_keyword(word).search(text) for word in args.get("keywords", []))


def _frequency(text: str, args: Arguments) -> bool:
    number = len(_keyword(args["keyword"]).findall(text)) if args["keyword"] else 0
    return bool(args["keyword"]) and _compared(number, args, "frequency", "relation")


def _forbidden(text: str, args: Arguments) -> bool:
    words = args.get("forbidden_words", [])
    return not any(re.search(rf"\b{re.escape(str(word))}\b", text, re.IGNORECASE) for word in words)


def _letters(text: str, args: Arguments) -> bool:
    letter = args["letter"]
    return len(letter) == 1 and _compared(text.lower().count(letter.lower()), args, "let_frequency", "let_relation")


RELEASED_READINGS: Mapping[str, _Reading] = MappingProxyType(
    {
        "change_case:capital_letter": _upper,
        "change_case:capital_word_frequency": _capital_words,
        "change_case:lowercase": _lower,
        "combination:repeat_prompt": lambda text, args: (
            text.strip().lower().startswith(_given(args, "prompt_to_repeat").strip().lower())
        ),
        "combination:two_responses": _two_responses,
        "content:placeholder": _placeholders,
        "content:postscript": _postscript,
        "format:bullet_list": _bullets,
        "format:constrained_response": lambda text, args: any(
            option in text.strip() for option in args.get("response_options", [])
        ),
        "format:json_format": _json,
        "format:multiple_sections": _sections,
        "format:number_highlighted_sections": _highlights,
        "format:title": _title,
        "keywords:existence": _exists,
        "keywords:forbidden_words": _forbidden,
        "keywords:frequency": _frequency,
        "keywords:letter_frequency": _letters,
        "language:response_language": _language,
        "length_constraints:nth_paragraph_first_word": _nth_paragraph,
        "length_constraints:number_paragraphs": _paragraphs,
        "length_constraints:number_sentences": _sentences,
        "length_constraints:number_words": _words,
        "punctuation:no_comma": lambda text, args: "," not in text,
        "startend:end_phrase": lambda text, args: (
            text.strip().strip('"').lower().endswith(_given(args, "end_phrase").lower())
        ),
        "startend:quotation": _quotation,
        "startend:start_char": lambda text, args: text.strip().lower().startswith(_given(args, "letter").lower()),
        "startend:start_emoji": lambda text, args: bool(text.strip()) and is_emoji(text.strip()[0]),
    }
)
"""By the names of the release's catalogue, which knows no others."""


def _given(args: Arguments, key: str) -> str:
    """A text that is there and not empty; without one the release finds nothing followed."""
    value = args[key]
    if not isinstance(value, str) or not value:
        raise KeyError(key)
    return value


def released_verdict(text: str, name: str, args: Arguments) -> bool:
    """Whether the release finds an instruction followed.

    Args:
        text: The answer.
        name: Of its catalogue; it follows no other.
        args: As in the data; wrong ones make it find the instruction not followed.

    Example:
        >>> released_verdict("No section here, see Section 2.", "format:multiple_sections",
        ...                  {"section_spliter": "Section", "num_sections": 1})
        True
    """
    read = RELEASED_READINGS.get(name)
    try:
        return read is not None and read(text, args)
    except (KeyError, TypeError, AttributeError):
        return False

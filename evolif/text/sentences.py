"""Rule 8: where sentences end.

NLTK's Punkt decides, with our own list of English abbreviations instead of a downloaded model, except in cases named in
the specification or clear to any reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evolif.text.answers import FIRST_RULES
from evolif.util.nltk_part import nltk_part
from evolif.util.resources import data_path, load_data

TITLES = frozenset(
    """dr mr mrs ms mx prof rev fr hon gov gen col maj capt cpt lt sgt cpl cmdr adm sen rep pres supt det insp
    messrs mme mlle mgr msgr dipl ing""".split()
)
"""Followed by a name, so they never end a sentence."""

SHORT_TITLES = frozenset("dr mr mrs ms mx".split())
"""Titles in any case; the others are plain words in lower case: “one more rep. Then rest”."""

ABBREVIATIONS = TITLES | frozenset(
    """st jr sr ph.d d.phil m.d b.a m.a b.sc m.sc d.d.s r.n esq
    inc ltd co corp llc plc bros dept univ assn est gmbh
    vs v etc e.g i.e eg ie cf al viz ca approx appt misc incl excl resp
    a.m p.m a.d b.c b.c.e c.e
    u.s u.k u.n e.u u.s.a d.c n.y l.a
    jan feb apr jun jul aug sep sept oct nov dec
    mon tue tues thu thur thurs fri
    nos figs eqs secs ch vol vols eds pp pg refs
    ave blvd rd hwy ste bldg mt ft
    min mins hr hrs wk wks mos yr yrs avg qty tel
    oz lb lbs tsp tbsp pt qt cal cm mm km kg mg ml mph kph sq
    a.k.a p.s p.o r.s.v.p n.b w.r.t""".split()
)
"""Lower case, without the last dot.

Words that end sentences more often than they are abbreviations stay out: "The answer is no. He sat. I ate a fig."
"""

UNITS = frozenset("in gal mo".split())
"""Abbreviations after a number only: “5 in. long”, but “come in. Sit down”."""

NUMBERED = frozenset("no nos fig figs sec ch chap para apt ext vol p pp art eq c b d".split())
"""Short forms when a number follows: "see fig. 3", "no. 7", "c. 1850"."""

STARTERS = frozenset(
    """a after all also although an and another any as at because before both but by can despite did do does during each
    either even every few finally first for from he hence her here his how however i if in instead is it its just later
    many maybe meanwhile most my next no nobody nor not nothing now of on once one only or other our over perhaps
    please rather several she since so some soon still such that the their then there therefore these they this those
    though thus to today together tomorrow under unless until we what when where whether which while who why will with
    without yes yesterday yet you your
    above according across add additionally again allow almost along already always among anyone anything apply are ask
    avoid bake be begin being below beside besides between beyond boil book bring build buy call check chop choose
    combine come compare consider continue cook cool could cover create cut decide discuss divide don't drain drink
    drive drop eat else encourage enjoy ensure especially everybody everyone everything examine except expect explain
    explore fill find focus fold follow fortunately four further get give go great had has have heat help him hold
    identify imagine include indeed initially involve it's i'll i'm i've join keep know lastly learn leave let let's
    lift like likewise line listen look maintain make measure meet melt mix more moreover move much must near neither
    never nevertheless none note notice nowadays occasionally often open order otherwise outside overall pack pay people
    place plan plant play pour practise practice prepare press provide pull push put raise read recently reduce
    refrigerate regardless relax remember remind remove repeat replace rest return review roast roll run save say seal
    season second see select send serve set share shop should show similarly simmer simply sit slice sometimes speak
    spend spread sprinkle stand start stay stir stop store stretch suddenly take talk taste tell test thank that's
    there's they're think third three through throughout toast top toss toward travel try turn two unfortunately upon us
    use usually visit wait wake walk warm was wash watch water we'll we're were whatever whenever wherever whoever whose
    wipe within wonderful work would wrap write you'll you're""".split()
)
"""Common sentence starters, none of them a name: capitalised after an abbreviation they begin a sentence."""

_ALNUM = re.compile(r"[^\W_]")
_GAP = re.compile(r"\s*")
# A mark, any closing signs, then white space or the end: nothing else ends a sentence in ASCII.
_ASCII_END = re.compile(r"""(?<![.!?…])([.!?…]+)(["'”’»)\]}*_]*+)(?=\s|\Z)""")
_FULL_WIDTH = re.compile(r"[。！？।॥]+[”’」』）》】\"')]*")
_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]+(?:['’][^\W\d_]+)*")
_LAST_TOKEN = re.compile(r"[^\s\-–—/]+\Z")
# A number or letter that begins a line, or a number that follows a finished sentence (“1. Mix it. 2. Bake it.”).
_LIST_NUMBER = re.compile(
    r"""^[ \t]*\(?(?:\d{1,3}|[A-Za-z])\Z|:[ \t]\(?1\Z|([^\s.]*)[.!;]["'”’)\]]?[ \t]\(?\d{1,2}\Z""", re.MULTILINE
)
_AFTER_NUMBER = re.compile(r"\d\s?\Z")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_LETTERS = re.compile(r"[^\W\d_]+")
_BRACKET = re.compile(r"[()\n]")
_ADDRESS = re.compile(r"[\W_]{0,8}(?:[a-z][a-z0-9+.-]{1,30}://|www\.)\w", re.IGNORECASE)
_CLOSERS = "\"'”’»)]}"
_OPENERS = "\"'“‘«([{*_"
_WINDOW = 64
"""How far a decision looks around a mark, in characters; the bound keeps the time linear in the text."""
_READ_CHARACTERS = 10_000
"""How much of a text decides on its language."""
_BEHIND_MARKS = frozenset("\"'”’»)]}*_」』）》】")
"""Signs that close what a mark ends."""


@lru_cache(maxsize=1)
def _punkt() -> Any:
    punkt = nltk_part("tokenize.punkt")
    parameters = punkt.PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    parameters.sent_starters = set(STARTERS)
    return punkt.PunktSentenceTokenizer(parameters)


def punkt_sentences(text: str) -> list[str]:
    """The sentences that Punkt alone finds in a text as it stands, with our list of abbreviations."""
    found: list[str] = _punkt().tokenize(text)
    return found


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """Those of other languages than English, from `seeds/abbreviations/`: without their last dot, in lower case."""

    words: frozenset[str]
    """All of them; most are no English words, and so abbreviations in every text."""
    inside: Mapping[str, frozenset[str]]
    """English words, too, with common words of their languages: abbreviations only in texts of these."""
    ends: frozenset[str]
    """Those that stand at the end of a list, as “etc.” does: a capital behind one begins a sentence."""


_NONE = Abbreviations(frozenset(), {}, frozenset())


@lru_cache(maxsize=1)
def foreign_abbreviations() -> Abbreviations:
    """Those of all languages; read on first use."""
    languages: list[dict[str, Any]] = [
        load_data(path) for path in sorted(data_path("seeds", "abbreviations").glob("*.yaml"))
    ]
    return Abbreviations(
        frozenset(word for one in languages for word in (*one["always"], *one.get("inside", ()))),
        {word: frozenset(one["common"]) for one in languages for word in one.get("inside", ())},
        frozenset(word for one in languages for word in one.get("ends", ())),
    )


def is_in_language(texts: Iterable[str], common: frozenset[str]) -> bool:
    """Whether a text is in a language: more of its words are common ones of it than are English function words."""
    words = _LETTERS.findall("\n".join(texts)[:_READ_CHARACTERS].casefold())
    english = _english()
    return sum(word in common for word in words) > sum(word in english for word in words)


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    lines = data_path("seeds", "function-words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines for word in line.partition("#")[0].split())


class Surroundings:
    """What decides on doubtful full stops besides the words next to them: the edition, and the rest of the content.

    Words and languages are looked for on first use: most texts hold no doubtful abbreviation.

    Args:
        texts: All running text of the content.
        rules: The edition of the reading rules.
    """

    def __init__(self, texts: Sequence[str] = (), rules: int = FIRST_RULES) -> None:
        self.rules = rules
        self._texts = texts
        self._lower: frozenset[str] | None = None
        self._spoken: dict[frozenset[str], bool] = {}
        self._foreign = _NONE if rules == FIRST_RULES else foreign_abbreviations()
        self.foreign = self._foreign.words
        """Abbreviations of other languages, or words that may be some."""
        whole = "" if rules == FIRST_RULES else "\n".join(texts)
        self.has_brackets = "(" in whole
        self.has_addresses = "://" in whole or "www." in whole

    def has_lower(self, word: str) -> bool:
        """Whether the content also writes a word in lower case: capitalised, it then begins a sentence."""
        if self._lower is None:
            found = (w for text in self._texts for w in _WORD.findall(text))
            self._lower = frozenset(w for w in found if w[0].islower())
        return word in self._lower

    def is_abbreviation(self, word: str) -> bool:
        """Whether a word in lower case, without its last dot, is one: of English, or since edition 2 of others."""
        if word in ABBREVIATIONS:
            return True
        if word not in self.foreign:
            return False
        common = self._foreign.inside.get(word)
        if common is None:
            return True
        if common not in self._spoken:
            self._spoken[common] = is_in_language(self._texts, common)
        return self._spoken[common]

    def ends_lists(self, word: str) -> bool:
        """Whether an abbreviation ends a sentence wherever a capital follows."""
        return word == "etc" or word in self._foreign.ends


def sentences(text: str, surroundings: Surroundings | None = None) -> list[tuple[int, int]]:
    """The sentences of one block as ranges; each holds a letter or a digit.

    Args:
        text: The block.
        surroundings: The edition and all running text; without it, the block is read alone, by the first edition.
    """
    ranges, start, searched = [], 0, 0
    surroundings = surroundings or Surroundings()
    ends = _ends(text, surroundings)
    if surroundings.has_brackets and "(" in text:
        ends = set(_without_inner_ends(text, ends))
    for end in [*sorted(ends), len(text)]:
        # Each character is searched once, so that a run of lone marks takes linear time.
        if _ALNUM.search(text, searched, end):
            first = _GAP.match(text, start)
            if not (surroundings.has_addresses and _is_address(text[start:end])):
                ranges.append((first.end() if first else start, end))
            start = end
        searched = end
    return ranges


def _is_address(text: str) -> bool:
    """Whether a text is nothing but URLs."""
    return all(_ADDRESS.match(token) or not _ALNUM.search(token) for token in text.split())


def _ends(text: str, surroundings: Surroundings) -> set[int]:
    ends = {m.end() for m in _FULL_WIDTH.finditer(text)}
    doubtful = []
    for match in _ASCII_END.finditer(text):
        marks = match.group(1)
        following = text[match.end() : match.end() + _WINDOW].lstrip().lstrip(_OPENERS)
        if "!" in marks or "?" in marks:
            quoted = match.group(2).strip("*_") != ""
            if not (quoted and following[:1].islower()):
                ends.add(match.end())
        elif marks == ".":
            doubtful.append((match, following))
        elif not following or following[0].isupper():
            ends.add(match.end())  # an ellipsis ends a sentence before a capital
    if doubtful:
        ends |= _full_stops(text, doubtful, surroundings)
    return ends


def _full_stops(text: str, doubtful: list[tuple[re.Match[str], str]], surroundings: Surroundings) -> set[int]:
    """Which single full stops end a sentence."""
    ends = set()
    unsure = []
    for match, following in doubtful:
        verdict = _known_stop(text, match, following, surroundings)
        if verdict is None:
            unsure.append(match.end())
        elif verdict:
            ends.add(match.end())
    if unsure:
        found = {end for _, end in _punkt().span_tokenize(text)}
        ends.update(end for end in unsure if end in found)
    return ends


def _known_stop(text: str, match: re.Match[str], following: str, surroundings: Surroundings) -> bool | None:
    """True: ends a sentence; False: does not; None: ask Punkt."""
    stop = match.start()
    if not following:
        return True
    if _is_list_number(text, stop, surroundings):
        return False
    found = _LAST_TOKEN.search(text, max(0, stop - _WINDOW), stop)
    token = found.group().lstrip(_OPENERS) if found else ""
    word = token.lower().lstrip("0123456789")
    if word in NUMBERED and following[0].isdigit():
        return False
    if word in TITLES and (token[0].isupper() or word in SHORT_TITLES or following[0].islower()):
        return False
    if _is_short(token, word, text, stop - len(token), surroundings):
        return _new_sentence(word, following, surroundings)
    if word == "c" and following[0].islower() and surroundings.rules > FIRST_RULES:
        return False  # “a 17th c. ship”
    # Punkt fails where English is clear: it takes a number's full stop for an ordinal, a list's lower-case letter for
    # an initial. A plain word is not one of our abbreviations, so Punkt would end the sentence there anyway, and also
    # between a closing mark and a word. Importing it takes most of a second.
    plain = len(word) <= 1 or token.isalpha() or (token[-1] in _CLOSERS and following[0].isalpha())
    return True if plain or match.group(2).strip(_CLOSERS) else None


def _is_list_number(text: str, stop: int, surroundings: Surroundings) -> bool:
    found = _LIST_NUMBER.search(text, max(0, stop - _WINDOW // 2), stop)
    before = (found.group(1) or "").lower() if found else ""
    return found is not None and not surroundings.is_abbreviation(before) and before not in NUMBERED


def _is_short(token: str, word: str, text: str, at: int, surroundings: Surroundings) -> bool:
    """An abbreviation, initials, or a single capital letter."""
    if word in UNITS:
        return word != token.lower() or bool(_AFTER_NUMBER.search(text, max(0, at - 2), at))
    if word in ABBREVIATIONS or (word in surroundings.foreign and surroundings.is_abbreviation(word)):
        return word not in TITLES or token[0].isupper()
    return (len(token) == 1 and token.isupper()) or bool(_DOTTED.fullmatch(word))


def _new_sentence(word: str, following: str, surroundings: Surroundings) -> bool:
    """Whether a new sentence begins after an abbreviation."""
    next_word = _WORD.match(following)
    if next_word is None or not following[0].isupper():
        return False
    lowered = next_word.group().lower().replace("’", "'")
    return surroundings.ends_lists(word) or lowered in STARTERS or surroundings.has_lower(lowered)


def _without_inner_ends(text: str, ends: Iterable[int]) -> list[int]:
    """The ends of sentences without those inside brackets, in order.

    Brackets count that open behind a letter or digit of the same sentence and close on the same line. A mark right
    before the closing one still ends a sentence if a capital follows: “He left (why?) She stayed.”

    Args:
        text: One block.
        ends: Where sentences would end, each behind its mark and the closing signs after it.
    """
    pairs = _pairs(text)
    kept: list[int] = []
    opened = 0  # pairs looked at
    closing = -1  # where the bracket closes that holds everything up to there
    searched, started = 0, False  # up to where a letter or digit of the present sentence was looked for, and found
    for end in sorted(ends):
        mark = _mark_end(text, end)
        while opened < len(pairs) and pairs[opened][0] < mark:
            opens, closes = pairs[opened]
            opened += 1
            if opens < searched or opens < closing:
                continue
            started = started or _ALNUM.search(text, searched, opens) is not None
            searched = opens
            if started:
                closing = closes
        if mark <= closing and not (mark == closing and _capital_follows(text, end)):
            continue
        kept.append(end)
        searched, started = end, False
    return kept


def _pairs(text: str) -> list[tuple[int, int]]:
    """Where each bracket opens and closes, by where it opens; one that is not closed on its line is none."""
    found, open_ = [], []
    for match in _BRACKET.finditer(text):
        sign = match.group()
        if sign == "(":
            open_.append(match.start())
        elif sign == "\n":
            open_.clear()
        elif open_:
            found.append((open_.pop(), match.start()))
    return sorted(found)


def _mark_end(text: str, end: int) -> int:
    """Where the mark ends that the closing signs before `end` follow."""
    while end and text[end - 1] in _BEHIND_MARKS:
        end -= 1
    return end


def _capital_follows(text: str, end: int) -> bool:
    return text[end : end + _WINDOW].lstrip().lstrip(_OPENERS)[:1].isupper()

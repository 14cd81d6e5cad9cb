"""What the friend says: a question in one of several wordings, with the form of its answer, and a few words around it.

The sentences stand in `seeds/broadcast/words.yaml`. The form of an answer is fixed (`FORMS`), because replies are read
by it; what else holds for answers is told once, in the system prompt. A comment on the rows is about a hit, a rebound
or a foul, never about what questions ask for: points or faceoffs. All that the friend says could come from somebody who
has the ticker and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Final

from evolif.errors import InputError
from evolif.scenarios.broadcast.clock import Sport, sport_of
from evolif.scenarios.broadcast.league import nickname_of
from evolif.util.resources import data_path, load_data
from evolif.util.rng import Stream

STATS: Final[Mapping[str, str]] = {
    "basketball": "NAME: twos MADE/TRIED, threes MADE/TRIED, free throws MADE/TRIED, points N",
    "hockey": "NAME: faceoffs N, won N, lost N",
}
EVENTS: Final[Mapping[str, str]] = {"basketball": "NAME, N points, Q2 6:14", "hockey": "NAME won against NAME, P1 3:20"}
FORMS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "basketball": {
        "A": (EVENTS["basketball"],),
        "I": (EVENTS["basketball"],),
        "L": ("Changes: N", "clock, TEAM"),
        "T": ("Player: NAME", "No free throw: TEAM by N", "Nothing: TEAM by N"),
        "H": ("No free throw: TEAM by N", "Nothing: TEAM by N"),
        "Q": ("<Stats>", STATS["basketball"], "</Stats>"),
        "M": ("Answer: X",),
    },
    "hockey": {
        "A": (EVENTS["hockey"],),
        "I": (EVENTS["hockey"],),
        "L": ("Changes: N", "clock, TEAM"),
        "T": ("Player: NAME", "Loss: N"),
        "H": ("Gain: N",),
        "Q": ("<Stats>", STATS["hockey"], "</Stats>"),
        "M": ("Answer: X",),
    },
}
"""The lines of an answer, by sport and kind of question; `S` names the teams of the match instead."""
_BEFORE: Final[Mapping[str, Mapping[str, str]]] = {
    "basketball": {"A": "each", "I": "each", "L": "changes", "T": "cases", "H": "cases", "Q": "stats", "M": "letter"},
    "hockey": {"A": "each", "I": "each", "L": "changes", "T": "lines", "H": "one", "Q": "stats", "M": "letter"},
}
"""Which words lead to the form."""
_PLACES: Final = ("home", "train", "café")
"""Where the friend may be during a match."""
_MOST_REMARKS: Final = 3
"""Of a match, besides the one on where the friend is."""
_LIKE_WORDS: Final = 2
"""Wordings with as many last words in common end alike."""
_RULES: Final[Mapping[str, str]] = {"IF": "Q", "CR": "AI", "IR": "LTH", "TS": "LTH"}
"""The kinds of questions of a task whose answers have rules."""
_EXAMPLES: Final[Mapping[str, str]] = {"basketball": "Q2 6:14", "hockey": "P1 3:20"}


class Voice:
    """The friend in one match: one wording after the other, none again before all have been used.

    Args:
        match: As `simulate` returns it.
        key: What names the match's streams; the wording of a question depends on nothing else but its place.
    """

    def __init__(self, match: Mapping[str, Any], key: Sequence[int]) -> None:
        self._match = match
        self._sport: str = match["sport"]
        self._key = key
        self._orders: dict[str, list[str]] = {}
        self._said: dict[str, int] = {}
        self._where = Stream(*key).choice(_PLACES)

    def chat(self, events: Sequence[Mapping[str, Any]], place: int) -> str:
        """A few words on the rows just sent, or on the friend's own affairs; mostly nothing.

        Where the friend is comes up at most once in a match.

        Args:
            events: Those of the rows.
            place: Of the turn in the dialogue.
        """
        table = read_words().tables[f"chatter/{self._sport}"]
        stream = Stream(*self._key, place)
        kinds = sorted({event["kind"] for event in events} & table.keys())
        chance = stream.below(9)
        if kinds and chance < 3:
            kind = stream.choice(kinds)
            event = stream.choice([event for event in events if event["kind"] == kind])
            return self._next(f"chatter/{self._sport}/{kind}").format_map(_people(event))
        home = f"remarks/{self._where}"
        if chance == 3 and not self._said.get(home):
            return self._next(home)
        if chance == 4 and self._said.get("remarks/any", 0) < _MOST_REMARKS:
            return self._next("remarks/any")
        return ""

    def break_words(self, last: bool) -> str:
        """A word at the start of a break, or after the match."""
        return self._next("over/both" if last else "breaks/both")

    def score(self, place: int, formatted: bool) -> str:
        """Ask for the score after the rows so far.

        Args:
            place: Of the question among those for the score.
            formatted: Whether the reply is three sentences, one of which holds the score.
        """
        home, away = self._match["teams"]
        before = self._at("before_form/sentence" if formatted else "before_form/one", place)
        return f"{self._at('asks/S', place)}\n{before}\n{home} N, {away} N"

    def sentence(self, team: str, place: int) -> str:
        """Ask for a sentence that supports a team and spells a word, and for a summary two turns later."""
        parts = [self._at(name, place) for name in ("asks/K", "acrostic", "later")]
        return " ".join(part.format(team=team) for part in parts)

    def question(self, kind: str, question: Mapping[str, Any], place: int) -> str:
        """Ask a question of a break.

        Args:
            kind: `A`, `I`, `L`, `T`, `H` or `Q`.
            question: As data.
            place: Of the question in the match, the same whatever the settings.
        """
        values = self._values(question)
        asks = "Q_team" if kind == "Q" and question.get("team") else kind
        said = self._at(f"asks/{asks}", place).format_map(values)
        return "\n".join([said, self._before(kind, place), *FORMS[self._sport][kind]])

    def problem(self, text: str, options: Mapping[str, str], place: int) -> str:
        """Ask a problem that has nothing to do with the match."""
        lines = [f"{letter}) {option}" for letter, option in options.items()]
        ask = f"{self._at('asks/M', place)} {text}"
        return "\n".join([ask, *lines, self._before("M", place), *FORMS[self._sport]["M"]])

    def _before(self, kind: str, place: int) -> str:
        return self._at(f"before_form/{_BEFORE[self._sport][kind]}", place)

    def _values(self, question: Mapping[str, Any]) -> dict[str, str]:
        """The values of a question, in words."""
        sport = sport_of(self._sport)
        values = {name: value for name, value in question.items() if isinstance(value, str)}
        for name in ("start", "end", "at", "anchor"):
            if name in question:
                values[name] = moment_words(question[name], sport)
        if "delta" in question:
            values["delta"] = duration_words(question["delta"])
        if "period" in question:
            values["period"] = sport.label(question["period"])
        return values

    def _at(self, name: str, place: int) -> str:
        """The wording of a place: the same list goes round in an order of the match's own."""
        order = self._order(name)
        return order[place % len(order)]

    def _next(self, name: str) -> str:
        """The wording after the one said last."""
        place = self._said.get(name, 0)
        self._said[name] = place + 1
        return self._at(name, place)

    def _order(self, name: str) -> list[str]:
        if name not in self._orders:
            wordings = read_words().wordings(name, self._sport)
            self._orders[name] = _varied(Stream(*self._key, _number(name)).sample(wordings, len(wordings)))
        return self._orders[name]


class BroadcastWords:
    """The sentences of the data file, as lists by name, such as `asks/S`; a name may go on with the sport or `both`."""

    def __init__(self, data: Any) -> None:
        self.texts: dict[str, str] = {}
        self.lists: dict[str, tuple[str, ...]] = {}
        self.tables: dict[str, Mapping[str, Any]] = {}
        self._add("", data)

    def wordings(self, name: str, sport: str) -> tuple[str, ...]:
        """The wordings of a name that serve a sport."""
        return self.lists.get(name) or self.lists.get(f"{name}/{sport}") or self.lists[f"{name}/both"]

    def text(self, name: str, sport: str) -> str:
        """The text of a name that serves a sport."""
        return self.texts.get(f"{name}/{sport}") or self.texts[f"{name}/both"]

    def _add(self, name: str, data: Any) -> None:
        if isinstance(data, dict) and data:
            self.tables[name] = data
            for key, value in data.items():
                self._add(f"{name}/{key}" if name else str(key), value)
        elif isinstance(data, list) and data and all(isinstance(one, str) and one for one in data):
            self.lists[name] = tuple(data)
        elif isinstance(data, str) and data:
            self.texts[name] = data
        else:
            raise ValueError(f"{name or 'the file'} holds no sentence; write a list of sentences in quotation marks")


@cache
def read_words() -> BroadcastWords:
    """All sentences.

    Raises:
        InputError: the data file holds something else.
    """
    path = data_path("seeds", "broadcast", "words.yaml")
    try:
        return BroadcastWords(load_data(path))
    except ValueError as fault:
        raise InputError(str(fault), path=path) from None


def system_prompt(match: Mapping[str, Any], task: str, thinks: bool = False) -> str:
    """What the model is told before the match.

    Args:
        match: As `simulate` returns it.
        task: Which one; the replies of `IF` have a fixed format.
        thinks: Whether it is asked to think before each answer.
    """
    sport = match["sport"]
    home, away = match["teams"]
    words = read_words()
    roster = (f"{team}: {', '.join(own)}" for team, own in _sides(match))
    texts = [
        words.text("system/role", sport).format(sport=sport, home=home, away=away),
        words.text("system/ticker", sport),
        "\n".join([words.text("system/roster", sport), *roster]),
        words.text("system/answers", sport).format(moment=_EXAMPLES[sport]),
        "\n".join(words.text(f"system/rules/{kind}", sport) for kind in _RULES[task]),
    ]
    if task == "IF":
        texts.append(words.text("system/format", sport))
    if thinks:
        texts.append(words.text("system/thinking", sport))
    return "\n\n".join(texts)


def moment_words(moment: Sequence[Any], sport: Sport) -> str:
    """A moment as the friend writes it, such as `Q2 6:14`."""
    period, clock = moment
    return f"{sport.label(period)} {clock}"


def duration_words(seconds: float) -> str:
    """A duration as the friend writes it, such as `4 minutes 15 seconds`; at most one decimal."""
    tenths = round(seconds * 10)
    minutes, rest = divmod(tenths, 600)
    told = [f"{minutes} minute{'' if minutes == 1 else 's'}"] if minutes else []
    if rest or not minutes:
        shown = f"{rest / 10:.1f}" if rest % 10 else str(rest // 10)
        told.append(f"{shown} second{'' if shown == '1' else 's'}")
    return " ".join(told)


def _varied(order: Sequence[str]) -> list[str]:
    """Wordings in an order in which none ends like the one before it, as far as there is another."""
    kept: list[str] = []
    rest = list(order)
    while rest:
        following = next((one for one in rest if not kept or _ending(one) != _ending(kept[-1])), rest[0])
        rest.remove(following)
        kept.append(following)
    return kept


def _ending(wording: str) -> list[str]:
    return wording.rstrip("?!.").split()[-_LIKE_WORDS:]


def _sides(match: Mapping[str, Any]) -> list[tuple[str, Sequence[str]]]:
    return [(team, match["roster"][team]) for team in match["teams"]]


def _people(event: Mapping[str, Any]) -> dict[str, str]:
    """Whom an event is about, by last names; the team by its nickname."""
    people = {name: event[name].rpartition(" ")[2] for name in ("player", "other") if event[name]}
    return people | ({"team": nickname_of(event["team"])} if event["team"] else {})


def _number(name: str) -> int:
    """What names a list in the key of its stream."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")

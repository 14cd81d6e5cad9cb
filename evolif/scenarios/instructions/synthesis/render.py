"""From a decision to the person's words: the plan is filled, put beside its task, surrounded and styled.

Literal values (quoted words, marks, letters, emoji, the task itself) are sealed while the style works, so that it
cannot touch them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from evolif.scenarios.instructions.synthesis.planner import PlannedTurn
from evolif.scenarios.instructions.synthesis.plans import SEAL, TASK, UNSEAL, capitalised, fill, seal
from evolif.scenarios.instructions.synthesis.style import TypingStyle
from evolif.scenarios.instructions.turns import ScriptTurn, Turn

_SEALED = re.compile(f"({SEAL}[^{SEAL}{UNSEAL}]*{UNSEAL})")
_STARTS = frozenset(
    "could can would will make give put keep use write drop forget leave please let's start begin end finish cut turn "
    "we it the that just stop go get bring take show don't there try do change switch swap add include "
    "scrap".split()
)
"""First words of plans that may lose their capital behind “Honestly, ”."""
_ORDERS = frozenset(
    "make give put keep use write drop forget leave start begin end finish cut turn bring take show switch swap change "
    "add include send stick do don't answer format return open close set split get avoid stop redo rewrite".split()
)
"""First words of plain orders, which may be given a “please”."""
_REQUEST = re.compile(r"(?:^|[.!?:] )(?:could|can|would|will) (?:you|we|i)\b[^.?!]*\?$", re.IGNORECASE)
_COURTEOUS = re.compile(
    r"\b(?:mind|if|good|goodness|kind|kindly|please|favour|possibl[ey]|perhaps|maybe)\b", re.IGNORECASE
)
"""Words of a request that is courteous or careful already."""
_STOPS = ".?!…:;,"


def realise(decision: PlannedTurn, turn: ScriptTurn | Turn, style: TypingStyle) -> str:
    """The query of a turn.

    Args:
        decision: What it says.
        turn: Whose topic it is about.
        style: How the persona types.
    """
    topic = turn.topic.title or f"what I asked for earlier (“{turn.topic.prompt}”)"
    slots = {**decision.change.slots, "task": turn.topic.prompt, "topic": topic, "old": decision.named}
    if style.quotes == "straight" and "quotation" not in (decision.change.shape, decision.change.old_shape):
        slots = {name: _straight(value) if name != "task" else value for name, value in slots.items()}
    if style.spelling == "american":
        slots |= {
            name: _AMERICAN_NAMES.get(value, value) for name, value in slots.items() if name.endswith(("name", "names"))
        }
    own = _Own(style)
    demand = own.words(_demand(decision, fill(decision.plan.pieces, slots)))
    parts = [demand]
    reason = own.words(_slipped(decision.reason.text, decision.slip)) if decision.reason is not None else ""
    if reason:
        parts.insert(0 if decision.reason_first else 1, reason)
    parts += [own.words(_slipped(text, decision.slip)) for text in (decision.closer, decision.thanks) if text]
    said = _joined(parts)
    if decision.act == "state" and TASK not in decision.plan.tags:
        said = _beside(turn.topic.prompt, said, style, front=decision.front)
    opening = own.words(_with_topic(decision.opening, topic))
    text = own.ended(_joined([opening, said] if opening else [said]), decision.emoji)
    if style.capitals == "lower":
        text = text.replace(seal(capitalised(topic)), seal(topic))
    return _unsealed(text)


def _demand(decision: PlannedTurn, text: str) -> str:
    """The plan's words with what is glued to them."""
    first = re.match(r"[A-Za-z']+", text)
    word = first[0].lower() if first else ""
    if decision.hedge and not _COURTEOUS.search(text) and _REQUEST.search(text):
        text = f"{text[:-1]}, {decision.hedge}?"
    elif decision.please and word in _ORDERS and _takes_please(text) and "please" not in decision.opening.lower():
        text = f"{text[:-1]}, please."
    if decision.filler and word in _STARTS:
        text = f"{decision.filler}, {text[0].lower()}{text[1:]}"
    return text


def _takes_please(text: str) -> bool:
    """Whether a plain order of one short sentence has no courtesy yet."""
    lowered = text.lower()
    single = text.endswith(".") and not re.search(r"[.?!:;,–—] ", text[:-1])
    return single and "please" not in lowered and "kindly" not in lowered and len(text.split()) <= 12


def _with_topic(opening: str, topic: str) -> str:
    """A return to a topic, with the topic's name."""
    if not opening:
        return ""
    opening = opening.replace("{Topic}", seal(capitalised(topic)))
    return opening.replace("{topic}", seal(topic))


def _beside(task: str, said: str, style: TypingStyle, *, front: bool) -> str:
    """The task and what is asked of it."""
    apart = style.lines == "apart" or "\n" in task
    space = "\n\n" if apart else " "
    task = task if task.rstrip()[-1:] in _STOPS or apart else f"{task}."
    if not front:
        return f"{seal(task)}{space}{said}"
    return f"{said}{'' if said[-1:] in _STOPS else '.'}{space}{seal(task)}"


def _joined(parts: list[str]) -> str:
    """Sentences one after the other; one without a mark at its end gets a stop."""
    text = parts[0]
    for part in parts[1:]:
        bare = text.rstrip(UNSEAL)
        ends = bare[-1:] in _STOPS or bare.endswith((".”", "?”", "!”", '."', '?"', '!"'))
        text = f"{text} {part}" if ends else f"{text}. {part}"
    return text


def _straight(text: str) -> str:
    return text.replace("“", '"').replace("”", '"')


def _unsealed(text: str) -> str:
    return text.replace(SEAL, "").replace(UNSEAL, "")


class _Own:
    """Puts a persona's own words into its style.

    Args:
        style: The style.
    """

    def __init__(self, style: TypingStyle) -> None:
        self._style = style
        self._changes: list[Callable[[str], str]] = []
        if style.contractions == "full":
            self._changes.append(_in_full)
        elif style.contractions == "bare":
            self._changes.append(_bare)
        if style.spelling != "any":
            self._changes.append(_american if style.spelling == "american" else _british)
        if style.capitals == "lower":
            self._changes.append(str.lower)
        if style.stops == "dots":
            self._changes.append(lambda text: re.sub(r"(?<=[a-z])\. (?=\w)", "... ", text))

    def words(self, text: str) -> str:
        """A sentence or more, literals left alone."""
        if self._style.capitals == "normal":
            text = _with_capitals(text)
        if not self._changes:
            return text
        parts = _SEALED.split(text)
        for at in range(0, len(parts), 2):
            for change in self._changes:
                parts[at] = change(parts[at])
        return "".join(parts)

    def ended(self, text: str, emoji: str) -> str:
        """The whole message with the end that the persona gives it."""
        stops = self._style.stops
        if text.endswith(f".{UNSEAL}"):
            pass  # the task's own
        elif stops == "drop" and text.endswith(".") and not text.endswith(".."):
            text = text[:-1]
        elif stops == "bang" and text.endswith(".") and not text.endswith(".."):
            text = f"{text[:-1]}!"
        elif stops != "drop" and text.rstrip(UNSEAL)[-1:].isalnum():
            text = f"{text}."
        return f"{text} {emoji}" if emoji else text


def styled(text: str, style: TypingStyle) -> str:
    """A whole message as a persona types it.

    Args:
        text: The message, its literals sealed.
        style: How the persona types.
    """
    if style.quotes == "straight" and '"' not in text:
        text = _straight(text)
    own = _Own(style)
    return _unsealed(own.ended(own.words(text), ""))


def styled_opening(text: str, style: TypingStyle) -> str:
    """A sentence or two at the beginning of a message, as a persona types them; the end of the message comes later.

    Args:
        text: What is said, its literals sealed.
        style: How the persona types.
    """
    return _unsealed(_Own(style).words(_straight(text) if style.quotes == "straight" and '"' not in text else text))


_LONE_I = re.compile(r"\bi(?='(?:m|d|ve|ll)\b|\b(?!['.-]))")
_SENTENCE = re.compile(r"([.?!] )([a-z])")
_STOPPED = re.compile(rf"[.?!][”\"]?{UNSEAL}?\s*$")
_MARK = re.compile(rf"{SEAL}[^\w{SEAL}{UNSEAL}]*{UNSEAL}\s*$")
"""A mark that is shown, such as “.”, which ends no sentence."""


def _with_capitals(text: str) -> str:
    """The text with sentences that begin with capitals, for a plan that somebody would type in small letters."""
    parts = _SEALED.split(text)
    before = ""
    for at, part in enumerate(parts):
        if at % 2 == 0 and part:
            part = _SENTENCE.sub(lambda match: match[1] + match[2].upper(), _LONE_I.sub("I", part))
            stopped = part[0] == " " and _STOPPED.search(before) is not None and _MARK.search(before) is None
            begins = not before or stopped
            parts[at] = re.sub(r"^ ?[a-z]", lambda match: match[0].upper(), part) if begins else part
        before += part
    return "".join(parts)


_NOT_ASKED = r"(?! (?:i|you|we|it|they)\b)"
_WOULD = "like|love|prefer|rather|be|want|ask|say|appreciate|welcome|need|have|write|go|see"
_WAS = r"(?:got|been|become|had|gone|grown)\b"
_VERBS = "do|does|did|is|are|was|were|have|has|had|would|could|should|need|must"
_FULL: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in (
        (rf"\bcan't\b{_NOT_ASKED}", "cannot"),
        (rf"\bwon't\b{_NOT_ASKED}", "will not"),
        (rf"\b({_VERBS})n't\b{_NOT_ASKED}", r"\1 not"),
        (r"\b(i)'m\b", r"\1 am"),
        (r"\b(you|we|they)'re\b", r"\1 are"),
        (r"\b(i|you|we|they)'ve\b", r"\1 have"),
        (r"\b(i|you|we|they|it|that|he|she)'ll\b", r"\1 will"),
        (rf"\b(i|you|we|they|he|she)'d (?=(?:(?:also|rather|still|now|much) )?(?:{_WOULD})\b)", r"\1 would "),
        (r"\blet's\b", "let us"),
        (rf"\b(it|that|there|he|she)'s (?={_WAS})", r"\1 has "),
        (r"\b(it|that|there|here|what|who|he|she)'s\b", r"\1 is"),
    )
)
"""Contractions and their full forms; those that could mean two things, and questions, stay."""


def _in_full(text: str) -> str:
    """The text without contractions; those that could mean two things stay."""
    if "'" not in text and "’" not in text:
        return text
    for pattern, instead in _FULL:
        text = pattern.sub(partial(_expanded, instead=instead), text)
    return text


def _expanded(match: re.Match[str], *, instead: str) -> str:
    return _same_case(match, match.expand(instead))


def _same_case(match: re.Match[str], text: str) -> str:
    return capitalised(text) if match[0][:1].isupper() else text


_BARE = re.compile(
    r"\b(?:(?:don|doesn|didn|can|won|isn|aren|wasn|couldn|wouldn|shouldn|haven|hasn)'t|i'(?:m|ve|d)|(?:that|what|let)'s|"
    r"you're)\b",
    re.IGNORECASE,
)


def _bare(text: str) -> str:
    """The text without apostrophes in contractions: “dont”, “im”."""
    return _BARE.sub(lambda match: match[0].replace("'", ""), text)


_SPELLINGS: Mapping[str, str] = {
    "favourite": "favorite", "colour": "color", "neighbour": "neighbor", "honour": "honor", "organise": "organize",
    "organisation": "organization", "summarise": "summarize", "capitalise": "capitalize", "apologise": "apologize",
    "recognise": "recognize", "emphasise": "emphasize", "realise": "realize", "practise": "practice", "whilst": "while",
    "mum": "mom", "grey": "gray", "programme": "program", "judgement": "judgment", "favour": "favor", "nan": "grandma",
    "gran": "grandma", "mates": "friends", "practising": "practicing", "towards": "toward", "centre": "center",
    "catalogue": "catalog", "labelled": "labeled", "cancelled": "canceled", "flatmate": "roommate", "learnt": "learned",
}  # fmt: skip
_AMERICAN_NAMES: Mapping[str, str] = {"full stop": "period", "a full stop": "a period", "full stops": "periods"}
_TO_AMERICAN = re.compile(rf"\b({'|'.join(_SPELLINGS)})(s|d)?\b", re.IGNORECASE)
_ONE_WAY = frozenset({"while", "grandma", "friends", "program", "practice", "practicing", "toward", "roommate"})
_BACK = {american: british for british, american in _SPELLINGS.items() if american not in _ONE_WAY}
_TO_BRITISH = re.compile(rf"\b({'|'.join(_BACK)})(s|d)?\b", re.IGNORECASE)


def _american(text: str) -> str:
    return _TO_AMERICAN.sub(lambda m: _same_case(m, _SPELLINGS[m[1].lower()] + (m[2] or "")), text)


def _british(text: str) -> str:
    return _TO_BRITISH.sub(lambda m: _same_case(m, _BACK[m[1].lower()] + (m[2] or "")), text)


_LONG_WORD = re.compile(r"[a-z]{5,}")


def _slipped(text: str, slip: int) -> str:
    """The text with one typing slip: two letters in the middle of a long word change places, or one is lost."""
    if not slip:
        return text
    words = list(_LONG_WORD.finditer(text))
    if not words:
        return text
    word = words[slip % len(words)]
    at = word.start() + 1 + slip % (len(word[0]) - 3)
    middle = "" if slip % 3 == 0 else text[at + 1] + text[at]
    return text[:at] + (middle or text[at + 1]) + text[at + 2 :]

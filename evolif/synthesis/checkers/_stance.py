"""Whether a query wants a keyword or a mark in the answer, out of it, or no longer minds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evolif.synthesis.checkers._roles import AND_VERB
from evolif.synthesis.checkers._shadow import Query

Stance = Literal["require", "forbid", "lift", "none"]

_CUE = re.compile(
    r"(?<!\w)(?:"
    r"(?P<lift>no\s+need|needn't|(?:do|does|did)n't\s+(?:need|have|mind)|(?:do|does)\s+not\s+(?:need|have|mind)|no\s+longer\s+(?:\w+\s+)?(?:need|have|ha[sd]|must|require|requir\w+|obliged"
    r"|off|banned|forbidden|excluded|avoid\w*|exclud\w+|forbid\w*|ban\w*|skip\w*|leav\w+|insist\w*|mind|ask\w*|matters?)|lift(?:ed|ing)?|allow(?:ed|ing|s)?|permit(?:ted|ting)?"
    r"|free\s+to|okay|ok|fine|welcome|back\s+in|bring(?:ing)?\s+back|optional|(?:can|may|might|could)(?=\s+(?:\w+\s+){0,4}?(?:again|now|freely|after\s+all|back))"
    r"|(?:no|un)\s*-?restricted|forg[eo]t(?:ting)?(?:\s+about)?|never\s*mind|disregard(?:ing)?|ignor(?:e|ing)|(?:drop|remov|lift|cancel|scrap|relax|withdraw|waiv|revok|undo|los|discard|delet|rescind|abandon|retract|eras|ditch)"
    r"(?:e|ed|ing|ped|ping|led|ling)?(?:\s+(?:the|that|this|my|your|our|any|all)(?:\s+\w+){0,3}?\s+(?:ban|rule|restriction|requirement|exclusion|veto|prohibition|count|embargo|condition|constraint|need|use|instruction|request|limit|demand|number|avoidance|taboo|bit|part|thing|stipulation|quota|target|tally)\w*))"
    r"|(?P<ban>(?:delet|remov|eras|cut|strik|strip)(?:e|ing)?\s+(?:out\s+)?(?:every|any|all)(?:\s+\w+s?\s+of)?)"
    r"|(?P<drop>(?:drop|remov|cancel|scrap|los|discard|delet|eras|ditch|releas|retir)(?:e|ed|ing|ped|ping|led|ling)?|tak(?:e|ing)\s+(?:out|away|off)|get(?:ting)?\s+rid\s+of|do(?:ing)?\s+away\s+with)"
    r"|(?P<stop>stop(?:ping)?|quit|ceas(?:e|ing)|no\s+longer)"
    r"|(?P<neg>not|never|\w+n't|cannot|nothing|nowhere|none|neither|nor|no|zero)"
    r"|(?P<forbid>avoid(?:s|ed|ing|ance)?|without|omit(?:s|ted|ting)?|exclud(?:e|es|ed|ing)|skip(?:s|ped|ping)?|ban(?:s|ned|ning)?|forbid(?:s|ding)?|prohibit(?:s|ed|ing)?"
    r"|steer(?:s|ed|ing)?\s+(?:well\s+)?clear(?:\s+of)?|stay(?:s|ing)?\s+(?:away\s+from|clear\s+of|off)|keep(?:s|ing)?\s+(?:away\s+from|clear\s+of|off)|refrain(?:s|ing)?(?:\s+from)?"
    r"|free\s+(?:of|from)|shun(?:s|ning)?|do(?:es|ing)?\s+without|leav(?:e|es|ing)\s+out|rul(?:e|es|ing)\s+out|cut(?:s|ting)?\s+out|hold(?:ing)?\s+off\s+on|banish(?:ing)?"
    r"|eliminat(?:e|es|ing)|strip(?:s|ping)?(?:\s+out)?|minus|sans|devoid\s+of|clear\s+of|exclusion\s+of|ban\s+on|absence\s+of|rather\s+not|eschew(?:s|ing)?|abstain(?:ing)?(?:\s+from)?|dodg(?:e|es|ing)|sidestep(?:s|ping)?|purg(?:e|ing)|spare\s+me|go(?:es|ing)?\s+without|bypass(?:ing)?|weed(?:ing)?\s+out|blacklist(?:ed)?|except|forbidden|prohibited|taboo|no-go|off-limits|banned|veto(?:ed)?|(?:delet|remov|eras|cut|strik|strip)(?:e|ing)?\s+(?:every|any|all)(?:\s+\w+s?\s+of)?)"
    r"|(?P<require>us(?:e|es|ed|ing)|includ(?:e|es|ed|ing)|inclusion\s+of|mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|say(?:s|ing)?|featur(?:e|es|ing)|add(?:s|ed|ing)?|put(?:s|ting)?|work(?:s|ing)?(?:\s+in)?"
    r"|weav(?:e|es|ing)|insert(?:s|ed|ing)?|hav(?:e|ing)|has|get(?:s|ting)?|writ(?:e|es|ing)|slip(?:s|ping)?(?:\s+in)?|throw(?:ing)?\s+in|drop(?:ping)?\s+in|plac(?:e|es|ing)|needs?|require[sd]?|requiring|want"
    r"|mak(?:e|es|ing)\s+(?:room|use)|incorporat(?:e|es|ing)|sprinkl(?:e|es|ing)|tuck(?:ing)?|squeez(?:e|ing)|find(?:ing)?|fold(?:s|ing)?(?:\s+in)?|show(?:s|ing)?|keep(?:s|ing)?|like|insist(?:ing)?\s+on|at\s+least|see|employ(?:s|ing)?|introduc(?:e|es|ing)|bring(?:ing)?|fit(?:ting)?|rely(?:ing)?\s+on|apply|specify(?:ing)?|specified|ask(?:s|ing)?\s+for|swap(?:ping)?|switch(?:ing)?)"
    r")(?!\w)"
)
_POST = re.compile(
    r"^[\"'”’)\s]*(?:(?!\bbut\b|\bso\b|\band\b)[\w'\ue000-]+,?\s+){0,6}?(?:"
    r"(?P<lift>(?:is|are|'s|'re)\s+(?:(?!not\b)\w+\s+){0,2}?(?:ok|okay|fine|allowed|permitted|welcome|acceptable|back|right|alright|optional|free|legal|fair\s+game|possible)"
    r"|(?:can|may|might)\s+(?:now\s+|all\s+|both\s+|once\s+more\s+|once\s+again\s+|of\s+course\s+|again\s+)?(?:appear|be\s+used|be\s+mentioned|come\s+back|return|be\s+left\s+out|stay|occur|show\s+up|go|be\s+(?:dropped|there|in|included|back|allowed))"
    r"|need(?:s)?(?:n't|\s+not)|(?:do|does)(?:n't|\s+not)\s+(?:need|have|matter)|no\s+longer\s+(?:ha|need|must|matter|appl|requir|count|off|ban|forbid|exclud|out|prohib|taboo)\w*|(?:as\s+)?(?:often|much|many\s+times)\s+as|as\s+(?:it|they|you)\s+(?:likes?|pleases?|wants?)|come\s+and\s+go|all\s+you\s+(?:like|want)|back(?=\W*(?:now|again|$))|as\s+optional|back\s+in|in\s+again|wherever|whenever\s+you|if\s+(?:you|it)\s+(?:feels?|likes?|wants?|helps?|fits?)|off\s+the\s+(?:list|hook|table|blacklist|index)|(?:can|may|might)\s+(?:leave|disappear|vanish)|(?:can|may|might)\s+(?:\w+\s+)?be\s+(?!avoid|omit|left|exclud|banned)\w+|(?:is\s+|as\s+|be\s+)?(?:withdrawn|lifted|void|cancell?ed|revoked)|any\s+number\s+of"
    r"|(?:is|are)(?:n't|\s+not)\s+(?:needed|required|necessary|banned|forbidden|off)|(?:is|are)\s+no\s+longer)"
    r"|(?P<forbid>(?:must|should|may|can|shall|do|does|will|would|could|ca|wo)(?:n't|not|\s+not|\s+never)|never|(?:is|are)\s+(?:\w+\s+)?(?:off(?:-|\s+)limits|banned|forbidden|taboo|out|prohibited|excluded|unwelcome|barred|verboten|a\s+no-go)"
    r"|(?:is|are)(?:n't|\s+not)\s+(?:allowed|to|used|mentioned|in|there|permitted|welcome|included|wanted|present)|(?:stay|stays|remain|remains|left|kept|go|goes|keep)\s+out|out(?:\s+of\b|\s+completely|\s+entirely|\s+altogether|(?=\W*(?:too|as\s+well|also|please)?\W*$))|(?:have|has|must)\s+(?:to\s+)?go(?!\s+on)(?!\w)|on\s+the\s+(?:black\s?list|index|ban\s+list)|nowhere|absent|(?:i(?:'d|\s+would)?\s+(?:have|like|want)\s+(?:you\s+)?(?:to\s+)?)?(?:avoided|banned|gone|left\s+out|excluded|avoid)(?!\w)|to\s+be\s+(?:avoided|excluded|left|omitted|kept\s+out)|not\s+to\s+(?:appear|be))"
    r"|(?P<require>(?:must|should|shall|has\s+to|have\s+to|needs?\s+to|ought\s+to|to)\s+(?:\w+\s+)?(?:appear|occur|show|be|feature|come|pop|crop|turn|make)|(?:appears?|occurs?|shows?\s+up|comes?\s+up|pops?\s+up)(?!\s+(?:nowhere|never|in\s+no|as\s+(?:often|much|many)|again|or\s+not))|(?:is|are)\s+(?:used|mentioned|included|required|needed))"
    r")(?!\w)"
)
_AGAIN = re.compile(r"^[\"'”’)\s]*(?:[\w\ue000]+\s+){0,3}?again(?!\w)")
_REFUSED = re.compile(r"(?:n't|\bnot|\bnever)\s+(?:let|allow|bring|put)\b")
_ASIDE = re.compile(
    r",\s*(?:not\s+even\s+once|ever|please|if\s+you\s+can|if\s+possible|at\s+all|under\s+any\s+circumstances|at\s+any\s+point|of\s+course|though|no\s+joke)\s*,"
)
_LABEL = re.compile(r"^[^:]{0,40}(?<!\w)(?:forbidden|banned|off-limits|blacklist\w*|taboo|prohibited|no-go)(?:\s+\w+){0,2}\s*:")
_IF = re.compile(r"(?<!\w)(?:if|wherever|whenever)(?!\w)")
_BANNED_LATER = re.compile(
    r"[^.!?;]{0,80}?(?:[.:;,!]\s|\s)(?:(?:so|and|but|please|i|you)\s+)*(?:(?:do\s?n[o']t|do\s+not|never|not|cannot|can't)\s+(?:(?:want|wish|like|care|ever)\s+)?(?:to\s+)?(?:use|include|put|read|see|hear|find|want|let|need|have|say|mention)\s+(?:\w+\s+)?"
    r"(?:one|it|any|them|either|those|these)|(?:keep|stay|steer)\w*\s+(?:well\s+)?(?:clear|away|off)\s+(?:of|from)?\s*(?:\w+\s+){0,2}?(?:it|them|those|these)|(?:avoid|omit|skip|exclude)\s+(?:it|them|those|these|all|both|either)"
    r"|(?:they|it|those|these)\s+(?:must|should|may|can|shall|do|does)(?:n't|not|\s+not|\s+never)|(?:blacklist|ban|forbid|bar|strike|cut|drop)\s+(?:it|them|each|every|all)|with\s+(?:zero|none)\s+of\s+(?:it|them)|without\s+(?:it|them|that\s+mark|this\s+mark)|never\s+(?:\w+\s+)?(?:write|type|use|say|mention)\s+(?:it|them)|(?:sooner|rather)\s+not\s+(?:read|see|hear|have)|(?:not\s+(?:a\s+single\s+one|one)|none)\s+of\s+(?:them|those|these)|(?:ban|drop|strike|avoid|skip|omit|lose|exclude|leave\s+out)\s+(?:that|this|the|those|these|all\s+three|both)\s+(?:\w+\s+)?(?:word|term|phrase|keyword|expression|mark)s?|leave\s+(?:it|them|those|these|both|all)\s+out)(?!\w)|[\"'”’]?\s+(?:to|joins?|could\s+join|on|among)\s[^.!?;]{0,60}?(?:not\s+(?:to|allowed)|forbidden|banned|avoid|off-limits|blacklist|taboo|n't|never)"
)
_BOUNDARY = re.compile(r"[;:(]|,(?!\d)|[—–]|\s-{1,2}\s|(?<!\w)(?:but|while|whereas|instead|though|so\s+that)(?!\w)")
_HARD = re.compile(r"[;]|(?<!\w)(?:but|while|whereas|though|instead|rather)(?!\w)(?!\s+(?:of|than))")
_REACH = 120
"""Characters between a cue and what it governs, at most."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A value where the query names it."""

    start: int
    end: int
    value: str


def in_lists(query: Query, mentions: Sequence[Mention], between: re.Pattern[str]) -> list[list[Mention]]:
    """Neighbouring mentions that are listed together.

    Args:
        query: The query.
        mentions: In the order of the query, not overlapping.
        between: What may stand between two members of one list, quotation marks apart.
    """
    lists: list[list[Mention]] = []
    for mention in mentions:
        gap = query.low[lists[-1][-1].end : mention.start] if lists else ""
        if lists and between.fullmatch(gap.translate(_NO_QUOTES)):
            lists[-1].append(mention)
        else:
            lists.append([mention])
    return lists


_NO_QUOTES = str.maketrans(dict.fromkeys("\"'“”‘’`", " "))


def stance_of(query: Query, start: int, end: int, *, near: bool = False) -> Stance:
    """What the query wants of the thing, or the list of things, at `[start, end)`.

    Args:
        query: The query.
        start: Where the thing, or the first of the list, starts.
        end: Where the thing, or the last of the list, ends.
        near: Look no further back than the last mark (comma, colon, dash).
    """
    low, high = query.sentence(start)
    before = _chain(_ASIDE.sub(" ", query.shadow[max(low, start - 2 * _REACH) : start]), near=near)
    after = _POST.match(_clause(query.shadow[end:high]))
    kind = after.lastgroup if after else None
    if kind == "lift" and after and _REFUSED.search(after.group()):
        return "forbid"  # "… and don't let it back in"
    if kind == "lift" and before == "forbid" and _IF.search(after.group() if after else ""):
        return "forbid"  # "put no colons in even if you feel like it"
    if before in ("none", "require") and kind is None and _BANNED_LATER.match(query.shadow[end : end + 200]):
        return "forbid"
    if kind == "lift" or before == "lift" or (before != "forbid" and _AGAIN.match(query.shadow[end:high])):
        return "lift"
    if kind == "forbid":
        return "require" if before == "forbid" and _double(query.shadow[low:start]) else "forbid"
    if before != "none":
        return before
    return "require" if kind == "require" else "none"


def _double(before: str) -> bool:
    """`don't leave “x” out`: the particle belongs to the verb that is denied."""
    return re.search(r"(?:not|n't|never)\s+(?:ever\s+)?(?:leave|keep|cut|rule)\s[^.]{0,20}$", before) is not None


def _clause(rest: str) -> str:
    end = _BOUNDARY.search(rest)
    return rest[: end.start()] if end else rest[:_REACH]


def _chain(before: str, *, near: bool) -> Stance:
    """The stance that the cues before a mention add up to, from the nearest clause that has any."""
    hard = [m.end() for m in _HARD.finditer(before)]
    hard += [m.end() for m in AND_VERB.finditer(before)]
    text = before[max(hard) :] if hard else before
    pieces: list[str] = []
    at = 0
    for boundary in _BOUNDARY.finditer(text):
        pieces.append(text[at : boundary.start()])
        at = boundary.end()
    pieces.append(text[at:])
    label = _LABEL.search(text)
    for piece in reversed(pieces[-1:] if near else pieces):
        cues = list(_CUE.finditer(piece[-_REACH:]))
        if cues:
            found = _sum(cues, piece[-_REACH:])
            return "forbid" if label and found == "require" else found
    return "none"


def _sum(cues: list[re.Match[str]], piece: str) -> Stance:
    joined = _last_clause(cues, piece)
    kinds = [cue.lastgroup for cue in joined]
    negative = sum(kind == "neg" for kind in kinds)
    if "lift" in kinds:
        # "don't forget to include": a lifting that is denied.
        at = kinds.index("lift")
        return _sign(negative + 1, kinds[at + 1 :]) if at and kinds[at - 1] == "neg" else "lift"
    if "stop" in kinds:
        return "lift" if "forbid" in kinds else "forbid"
    if "drop" in kinds:
        return "require" if negative % 2 else "lift"
    return _sign(negative, kinds)


def _sign(negative: int, kinds: list[str | None]) -> Stance:
    negative += sum(kind in ("forbid", "ban") for kind in kinds)
    return "forbid" if negative % 2 else "require"


def _last_clause(cues: list[re.Match[str]], piece: str) -> list[re.Match[str]]:
    """The cues behind the last `and` that starts another demand."""
    for index in range(len(cues) - 1, 0, -1):
        gap = piece[cues[index - 1].end() : cues[index].start()]
        if re.search(r"(?<!\w)(?:and|then)(?!\w)", gap):
            return cues[index:]
    return cues

"""What a query asks for beside its change, as far as rules can tell: another group's number, format, case, tone or mark.

Free text may add what no rule knows; that is asked of a chat model where one is configured. Only what is said plainly counts
here, so that an aside ("I'd be happy if …") is no demand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._case import case_claims
from evolif.synthesis.checkers._claims import Change, Claim, Says
from evolif.synthesis.checkers._counted import bullet_claims
from evolif.synthesis.checkers._cues import whole_words
from evolif.synthesis.checkers._format import format_claims
from evolif.synthesis.checkers._length import length_claims
from evolif.synthesis.checkers._marks import marks_in
from evolif.synthesis.checkers._roles import given_up, role_of
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._stance import stance_of

_PLAIN = {
    "emotion": {
        name: whole_words([f"(in an? )?({words}) (tone|mood|voice)", f"(sound|sounds|sounding|make it|keep it) ({words})", f"({words}) instead of \\w+"])
        for name, words in {
            "happy": "happy|cheerful", "sad": "sad", "neutral": "neutral", "angry": "angry", "excited": "excited",
            "frustrated": "frustrated",
        }.items()
    },
    "style": {
        "formal": whole_words(["formal (style|register|language)", "formally"]),
        "informal": whole_words(["informal (style|register|language)", "informally"]),
        "active voice": whole_words(["active voice"]),
        "passive voice": whole_words(["passive voice"]),
    },
}  # fmt: skip

_NAMING = frozenset({"existence", "forbidden"})
_COUNTING = frozenset({"placement", "sentences", "emphasis", "headings"})
"""Groups whose own rules speak of words, sentences and paragraphs."""


def unasked(query: Query, change: Change) -> list[Finding]:
    """Findings on plain demands of other groups that are not in force.

    Args:
        query: The query.
        change: The turn's change; without the other active constraints nothing can be told.
    """
    active = dict(change.others)
    for group, (claims, says) in _READ.items():
        if group == change.group or (group == "length" and change.group in _COUNTING):
            continue
        for claim in claims(query, change):
            if group == "length" and change.group in _NAMING and claim.value[0] == "words" and claim.value[1].bare:
                continue  # "three words must occur"
            if claim.role == "new" and not (group in active and says(claim.value, active[group])):
                told = query.text[claim.start : claim.end]
                return [
                    Finding(
                        change.group,
                        f"it also asks for “{told}” ({group}), which is not this turn's change",
                        ((claim.start, claim.end),),
                    )
                ]
    return list(_marks(query, change, active))


def _marks(query: Query, change: Change, active: Mapping[str, Params]) -> Iterator[Finding]:
    if change.group in ("punctuation", "start_with", "end_with"):
        return
    mine = active.get("punctuation", {})
    for mark, start, end in marks_in(query):
        if mark in ".,:" and mark != mine.get("mark") and stance_of(query, start, end) == "forbid":
            if any(low <= start < high for low, high in given_up(query.shadow)):
                continue
            yield Finding(change.group, f"it also rules out {mark}, which is not this turn's change", ((start, end),))
            return


def _chosen(group: str, key: str) -> tuple[Callable[[Query, Change], list[Claim]], Says]:
    def claims(query: Query, change: Change) -> list[Claim]:
        return [
            Claim(value, *match.span(), role_of(query, *match.span()))
            for value, pattern in _PLAIN[group].items()
            for match in pattern.finditer(query.low)
        ]

    def says(value: object, params: Params) -> bool:
        return bool(value == params[key])

    return claims, says


_READ: Mapping[str, tuple[Callable[[Query, Change], list[Claim]], Says]] = {
    "length": length_claims,
    "bullets": bullet_claims,
    "format": format_claims,
    "case": case_claims,
    "emotion": _chosen("emotion", "emotion"),
    "style": _chosen("style", "style"),
}

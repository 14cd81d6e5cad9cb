"""A model's words made a query: labels and surrounding quotation marks off, and what no query may hold is a finding."""

from __future__ import annotations

import re
import unicodedata

from evolif.domain import Finding
from evolif.synthesis.agent._settings import synthesis_settings

FORM = "form"
"""The checker's name in findings on how words stand rather than on what they say."""

_LABEL = re.compile(
    r"(?:\*\*)?(?:(?:the |my |your )?(?:rewritten |neutral |new |plain |user'?s? )?"
    r"(?:query|message|user|person|rewrite)"
    r"|(?:(?:sure|certainly|of course|okay|ok)[,.!] )?here(?:'s| is)[^:\n]{0,40}"
    r"\b(?:query|message|version|rewrite)[^:\n]{0,20})"
    r":(?:\*\*)?\s*",
    re.IGNORECASE,
)
_PAIRS = {'"': '"', "“": "”", "«": "»", "'": "'", "‘": "’", "`": "`", "„": "“"}
_ALLOWED = frozenset("\n\u200c\u200d")
"""Line breaks, and the joiners that emoji and some scripts need."""
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean_query(text: str) -> str:
    """The words without a label before them and quotation marks round them."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ").strip()
    for _ in range(2):
        label = _LABEL.match(text)
        if label and label.end() < len(text):
            text = text[label.end() :]
        text = _unquoted(text)
    return text


def form_findings(query: str, witness: str | None) -> tuple[Finding, ...]:
    """What is wrong with words whatever they say: none, too many, control characters, the answer key."""
    longest = synthesis_settings().longest_query
    if not query.strip():
        return (Finding(FORM, "there are no words"),)
    found = []
    if len(query) > longest:
        found.append(Finding(FORM, f"the message has {len(query)} characters; at most {longest} are a message"))
    spans = tuple((i, i + 1) for i, char in enumerate(query[:longest]) if refused(char))
    if spans:
        found.append(Finding(FORM, "the message holds control characters", spans))
    if witness is not None and len(witness) >= _TELLING and witness.strip() in query:
        found.append(Finding(FORM, "the message holds the answer to itself"))
    return tuple(found)


_TELLING = 40
"""Characters from which on the answer key in a query is no coincidence."""


def storable(query: str) -> str:
    """Words of whatever kind, fit for a benchmark's line: never empty, bounded, no control characters."""
    longest = synthesis_settings().longest_query
    kept = "".join("\ufffd" if refused(char) else char for char in query[:longest]).strip()
    return kept or "(no words)"


def refused(char: str) -> bool:
    """Whether a character has no business in a query: it steers a terminal or a renderer, or is none."""
    return not char.isprintable() and char not in _ALLOWED and unicodedata.category(char) in _REFUSED


def _unquoted(text: str) -> str:
    """The inside of quotation marks that stand round the whole; marks that only begin and end it stay."""
    closing = _PAIRS.get(text[:1])
    if closing is None or len(text) < 3 or not text.endswith(closing):
        return text
    inside = text[1:-1]
    first = inside.find(closing)
    if first < 0:
        return inside.strip()
    opening = text[0]
    if opening != closing:  # the mark must not close before the end
        depth = 0
        for char in inside:
            depth += (char == opening) - (char == closing)
            if depth < 0:
                return text
        return inside.strip()
    # With one mark for both sides, the next one opens a quotation inside where a space stands before it.
    opens = first > 0 and inside[first - 1].isspace() and not inside[first + 1 : first + 2].isspace()
    return inside.strip() if opens and inside.count(closing) % 2 == 0 else text

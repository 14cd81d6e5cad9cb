"""Witnesses: for every instruction, a text that satisfies all of its constraints that rules can check.

`build` reads the constraints (`requirements`), lays out a draft of sentences (`layout`), brings it to size and case
(`fit`), writes it in the requested format (`render`) and has the checkers verify it. `fallback` goes further: it tries
texts that nobody would write, so that an audit can tell what is impossible. `naming` puts given words in the place of
fillers.
"""

from evolif.witness.build import build_witness, given_words
from evolif.witness.fallback import build_fallback
from evolif.witness.flawed import build_flawed
from evolif.witness.naming import name_words
from evolif.witness.overlaps import may_overlap, overlaps
from evolif.witness.requirements import Refusal

__all__ = [
    "Refusal",
    "build_fallback",
    "build_flawed",
    "build_witness",
    "given_words",
    "may_overlap",
    "name_words",
    "overlaps",
]

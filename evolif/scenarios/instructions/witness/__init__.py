"""Witnesses: for every instruction, a text that satisfies all of its constraints that rules can check.

`build` reads the constraints (`requirements`), lays out a draft of sentences (`layout`), brings it to size and case
(`fit`), writes it in the requested format (`render`) and has the checkers verify it. `fallback` goes further: it tries
texts that nobody would write, so that an audit can tell what is impossible. `naming` puts given words in the place of
fillers.

Instructions with constraints that people ask for every day have their own stages: `demands`, `outline`, `prose`,
`growth` and `writing`, which `everyday` joins. `flawed` and `mistakes` make texts that fail chosen constraints.
"""

from evolif.scenarios.instructions.witness.build import build_witness
from evolif.scenarios.instructions.witness.fallback import build_fallback
from evolif.scenarios.instructions.witness.requirements import Refusal

__all__ = ["Refusal", "build_fallback", "build_witness"]

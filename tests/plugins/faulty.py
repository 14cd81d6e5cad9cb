"""A checklist whose methods fail when they are told to."""

from functools import wraps
from math import nan

from evolif_checklist import Checklist, Keys, Notes, Pages

from evolif.metrics import MetricTable

FAULTS = {}
"""Method to what it gives instead: raised if it is an exception, called with the method's own result otherwise."""
ONLY = set()
"""The dialogues in which the methods of the environment fail; all if empty."""


def faulty(name, method):
    @wraps(method)
    def told(self, *given, **named):
        fault = FAULTS.get(name)
        about = next((one.dialogue if hasattr(one, "dialogue") else one for one in given), None)
        if fault is None or (ONLY and about not in ONLY):
            return method(self, *given, **named)
        if isinstance(fault, Exception):
            raise fault
        return fault(method(self, *given, **named))

    return told


class FaultyNotes(Notes):
    pass


class FaultyPages(Pages):
    pass


class FaultyKeys(Keys):
    pass


TABLE = MetricTable(
    terms=("points", "turns"),
    of=lambda session: (nan if "of" in FAULTS else 1 / (0 if "metrics" in FAULTS else 1), 1),
    ratios={"share": ("points", "turns")},
)


class Faulty(Checklist):
    name, played_by, rows = "faulty", FaultyNotes, FaultyKeys()

    @property
    def presentation(self):
        return FaultyPages(self)

    def table(self, options):
        return TABLE


for _name in ("system", "prompt", "given", "heard", "asks_a_judge", "score", "aclose"):
    setattr(FaultyNotes, _name, faulty(_name, getattr(FaultyNotes, _name)))
for _name in ("generate", "open", "environment", "player", "defaults", "expected", "authors", "criteria", "perfect",
              "lines"):  # fmt: skip
    setattr(Faulty, _name, faulty(_name, getattr(Faulty, _name)))
for _name in ("facts", "parts", "lead", "reading_format", "command"):
    setattr(FaultyPages, _name, faulty(_name, getattr(FaultyPages, _name)))
for _name in ("row", "keys"):
    setattr(FaultyKeys, _name, faulty(_name, getattr(FaultyKeys, _name)))

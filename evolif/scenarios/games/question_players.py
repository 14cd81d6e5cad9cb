"""Simulated players of questions: a scripted one, and one that answers at once.

The scripted one says what its own scene contributes, and answers once it knows what the partner's does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final

from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.programs import Part, Program, combined, part_of
from evolif.scenarios.games.questions import best_guess
from evolif.scenarios.games.scenes import THINGS, scene_of
from evolif.scenarios.games.speech import Speech
from evolif.util.rng import Purpose, Stream

_LOST: Final = "I did not understand."
_GO_ON: Final = "Go on."
_LEAD: Final = "In my scene:"
_THING: Final = re.compile(rf"(?<!\w)(?:{'|'.join(' '.join(thing) for thing in THINGS)})(?!\w)")
_YES_NO: Final = re.compile(r"(?<!\w)(yes|true|no|false)(?!\w)")
_FIRST_SECOND: Final = re.compile(r"(?<!\w)(first|second):? (yes|no)(?!\w)")
_COUNT: Final = re.compile(r"(?<![\w.])([0-9]{1,3})(?!\w)")


def floor(view: View) -> str:
    """Give the answer that is likeliest for whoever sees the own scene only."""
    return _answer(_guess(view))


def scripted(view: View) -> str:
    """Answer where both parts are known; else say the own part, or what is left of it.

    Where an answer was refused as too early, the own part is said, so that the partner can answer in the end.
    """
    program, own = view.public["program"], _own(view)
    heard = [_heard(program, text) for text in view.said[1 - view.player :: 2]]
    answer = _computed(program, own, heard, view.player)
    refused = any(text.startswith(_answer("")) for text in view.said[view.player :: 2])
    if answer is not None and (view.is_final or not refused):
        return _answer(answer)
    if view.is_final:
        return _answer(_guess(view))
    speech = Speech(view)
    if heard and heard[-1] is None and _GO_ON not in view.said[-1]:
        speech.add(_LOST)
    if program["family"] == "common":
        _say_things(view, speech, own)
    else:
        speech.add(_say(program, own))
    return speech.text


def _own(view: View) -> Part:
    return part_of(view.public["program"], scene_of(view.private["scene"]))


def _answer(answer: str) -> str:
    return f"ANSWER: {answer}"


def _guess(view: View) -> str:
    named = json.dumps([view.public["program"], view.private], sort_keys=True)
    stream = Stream(Purpose.GAMES, int.from_bytes(blake2b(named.encode(), digest_size=8).digest(), "big"))
    scene = scene_of(view.private["scene"])
    return best_guess(stream, view.public["program"], view.settings["modality"], scene, view.player)


def _computed(program: Program, own: Part, heard: Sequence[Part], player: int) -> str | None:
    """The answer, if what was heard suffices; of several statements the last counts, lists of things go together."""
    known = [part for part in heard if part is not None]
    if not known:
        return None
    other: Any = known[-1]
    if program["family"] == "common":
        other = list(dict.fromkeys(words for part in known for words in part))
    return combined(program, own, other) if player == 0 else combined(program, other, own)


def _say(program: Program, own: Part) -> str:
    """What the own scene contributes, in a sentence that `_heard` reads."""
    if program["family"] == "both":
        first, second = ("yes" if has else "no" for has in own)
        return f"{_LEAD} first {first}, second {second}."
    if isinstance(own, bool):
        return f"{_LEAD} {'yes' if own else 'no'}."
    return f"{_LEAD} {own}."


def _say_things(view: View, speech: Speech, own: Sequence[str]) -> None:
    """The things that were not yet said, as many as fit; all anew once all were said in vain."""
    said = {words for text in view.said[view.player :: 2] for words in _THING.findall(text)}
    before, listed = speech.text, ""
    for words in [words for words in own if words not in said] or own:
        longer = f"{listed}, {words}" if listed else f"{_LEAD} {words}"
        if not speech.fits(f"{before} {longer}.".strip()):
            break
        listed = longer
    speech.add(f"{listed}." if listed else _GO_ON)


def _heard(program: Program, text: str) -> Part:
    """What a text says the partner's scene contributes; None if it says nothing of the kind."""
    words, family = " ".join(text.lower().split()), program["family"]
    if family == "common":
        return _THING.findall(words) or None
    if family == "both":
        found = {match[1]: match[2] == "yes" for match in _FIRST_SECOND.finditer(words)}
        return [found["first"], found["second"]] if len(found) == 2 else None
    if family in ("every", "where"):
        said = {match[1] in ("yes", "true") for match in _YES_NO.finditer(words)}
        return said.pop() if len(said) == 1 else None
    counts = {int(match[1]) for match in _COUNT.finditer(words)}
    return counts.pop() if len(counts) == 1 else None

"""Simulated players of questions: a scripted one, and one that answers at once.

The scripted one says in plain English what its own scene contributes, and answers once it knows what the partner's
does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from evolif.scenarios.games.chain_players import computed, known_by, leaves_to_plan, speak
from evolif.scenarios.games.hearing import heard_statements, read
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.programs import Part, Program, combined, noun, one_of, part_of
from evolif.scenarios.games.questions import best_guess, is_chain
from evolif.scenarios.games.scenes import VALUES, scene_of
from evolif.scenarios.games.speech import Speech
from evolif.scenarios.games.statements import Kind, Statement, side_of, things_of
from evolif.scenarios.games.telling import GO_ON, add_first, ask_back, counted, is_lost, replies
from evolif.util.rng import Purpose, Stream

_YES_NO: Final = {"yes": True, "no": False}


def floor(view: View) -> str:
    """Give the answer that is likeliest for whoever sees the own scene only."""
    return _answer(_guess(view))


def scripted(view: View) -> str:
    """Answer where both parts are known; else reply, and say the own part, or what is left of it.

    Where an answer was refused as too early, the own part is said, so that the partner can answer in the end.
    """
    answer = _found(view)
    refused = any(text.startswith(_answer("")) for text in view.said[view.player :: 2])
    if answer is not None and (view.is_final or not refused):
        return _answer(answer)
    if view.is_final:
        return _answer(_guess(view))
    speech = Speech(view)
    graph = view.private["scene"]
    heard = read(view, view.said[-1], side_of(graph)) if view.said else ()
    if view.said and is_lost(view.said[-1], heard):
        ask_back(speech, view.said[view.player :: 2])
    known = known_by(view) if is_chain(view.public["program"]) else None
    asked = [remark for remark in heard if remark.act == "ask"]
    asked = [one for one in asked if known is None or not leaves_to_plan(known, one)]
    for forms in replies(things_of(graph), asked):
        if not add_first(speech, forms):
            break
    if known is not None:
        speak(view, known, speech)
    else:
        _say_part(view, speech)
    return speech.text or GO_ON


def _found(view: View) -> str | None:
    """The answer, if it follows from the own scene and what the partner said."""
    program = view.public["program"]
    if is_chain(program):
        return computed(known_by(view))
    other = _heard_part(view)
    own = _own(view)
    return combined(program, own, other) if view.player == 0 else combined(program, other, own)


def _own(view: View) -> Part:
    return part_of(view.public["program"], scene_of(view.private["scene"]))


def _answer(answer: str) -> str:
    return f"ANSWER: {answer}"


def _guess(view: View) -> str:
    named = json.dumps([view.public["program"], view.private], sort_keys=True)
    stream = Stream(Purpose.GAMES, int.from_bytes(blake2b(named.encode(), digest_size=8).digest(), "big"))
    scene = scene_of(view.private["scene"])
    return best_guess(stream, view.public["program"], view.settings, scene, view.player)


def _say_part(view: View, speech: Speech) -> None:
    """What the own scene contributes to a question whose parts do not depend on each other."""
    program, own = view.public["program"], _own(view)
    if program["family"] == "common":
        _say_things(view, speech, program["a"], own)
    else:
        add_first(speech, _part_words(program, own))


def _part_words(program: Program, own: Part) -> Sequence[str]:
    family, a, b = program["family"], program["a"], program["b"]
    if family == "both":
        first, second = (one_of(what) if has else f"no {noun(what)}" for what, has in zip((a, b), own, strict=True))
        return (f"I have {first} and {second}.",)
    if family in ("more", "total"):
        return f"I have {counted(_kind(a), own)}.", f"I have {own}."
    related = f"is {program['relation']} {one_of(b)}."
    if family == "every":
        return f"{'Every' if own else 'Not every'} {noun(a)} of mine {related}", "Yes." if own else "No."
    if own:
        return f"{one_of(a).capitalize()} of mine {related}", "Yes."
    return f"No {noun(a)} of mine {related}", "No."


def _kind(description: Mapping[str, str]) -> Kind:
    return tuple((name, description[name]) for name in VALUES if name in description)


def _say_things(view: View, speech: Speech, a: Mapping[str, str], own: Sequence[str]) -> None:
    """The A that were not yet said, as many as fit; a list that is cut says so. All anew once all were said in vain."""
    side = side_of(view.private["scene"])
    said = {_words(one) for text in view.said[view.player :: 2] for remark in read(view, text, side)
            for one in remark.statements}  # fmt: skip
    left = [words for words in own if words not in said] or list(own)
    for count in range(len(left), 0, -1):
        listed = ", ".join(" ".join(word for word in words.split() if word not in a.values()) for words in left[:count])
        end = "." if count == len(left) else ", and more."
        if speech.add(f"My {noun(a, plural=True)}: {listed}{end}"):
            return
    speech.add(f"I have {one_of(dict(zip(VALUES, left[0].split(), strict=True)))}.")


def _words(said: Statement) -> str:
    return " ".join(value for _, value in said.kind)


def _heard_part(view: View) -> Part:
    """What the partner said that its scene contributes; None if it said nothing of the kind. The last word counts."""
    program, side = view.public["program"], side_of(view.private["scene"])
    told = heard_statements(view, side)
    family, a = program["family"], _kind(program["a"])
    if family == "common":
        return [_words(one) for one in told if len(one.kind) == len(VALUES) and one.count != 0] or None
    if family == "both":
        has = [_has(told, a), _has(told, _kind(program["b"]))]
        return None if None in has else has
    if family in ("more", "total"):
        return next((one.count for one in reversed(told) if one.kind in (a, ()) and _is_count(one)), None)
    for one in reversed(told):
        if (one.kind, one.relation, one.other) == (a, program["relation"], _kind(program["b"])):
            return (one.every and not one.denied) if family == "every" else one.count != 0
    plain = [remark.act for text in view.said[1 - view.player :: 2] for remark in read(view, text, side)]
    return next((_YES_NO[act] for act in reversed(plain) if act in _YES_NO), None)


def _is_count(said: Statement) -> bool:
    return said.count is not None and said.place is None and not said.relation


def _has(told: Sequence[Statement], kind: Kind) -> Any:
    """Whether the partner said that it has one, or that it has none."""
    for one in reversed(told):
        if one.kind == kind and not one.relation and (one.count != 0 or one.place is None):
            return one.count != 0
    return None

"""Every regular expression of the package, and the texts that make a careless one slow."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Private, but nothing public tells what a pattern is made of (`sre_parse` is deprecated in its favour).
from re import _constants as names
from re import _parser as parser
from types import FunctionType, MethodType
from typing import Any

import regex

import evolif

SIZE = 20 * 1024
"""Characters of a pumped text."""
LONGEST = 0.3
"""Seconds that a pattern may take for it."""
GROWTH = 2.3
"""How much longer a text of twice the length may take."""
MEASURABLE = 0.01
"""Seconds; below, the clock says nothing about growth."""
_MOST_PIECES = 60
_MOST_DEPTH = 6

Pattern = re.Pattern[str] | regex.Pattern[str]


def _modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(evolif.__path__, "evolif."):
        try:
            yield importlib.import_module(found.name)
        except ImportError:  # an extra that is not installed
            continue


def _inside(thing: Any) -> Iterator[Any]:
    """What a thing of the package holds."""
    if isinstance(thing, Mapping):
        yield from [*thing.keys(), *thing.values()]
    elif isinstance(thing, list | tuple | Set):
        yield from thing
    elif isinstance(thing, FunctionType):
        yield from [*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
        yield from (cell.cell_contents for cell in thing.__closure__ or () if _is_full(cell))
    elif isinstance(thing, MethodType):
        yield thing.__self__
    elif isinstance(thing, type):
        yield from vars(thing).values()
    elif type(thing).__module__.startswith("evolif"):
        yield from getattr(thing, "__dict__", {}).values()
        yield from (getattr(thing, slot, None) for slot in getattr(type(thing), "__slots__", ()))
    for part in ("__wrapped__", "func", "__func__", "fget"):
        if (not isinstance(thing, type) and hasattr(type(thing), part)) or part in getattr(thing, "__dict__", {}):
            yield getattr(thing, part, None)


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _walk(thing: Any, seen: dict[int, Any], depth: int = 0) -> Iterator[Pattern]:
    if id(thing) in seen or depth > _MOST_DEPTH or isinstance(thing, str | bytes | int | float | None):
        return
    seen[id(thing)] = thing  # kept, so that no other thing gets its id
    if isinstance(thing, re.Pattern | regex.Pattern):
        if isinstance(thing.pattern, str):
            yield thing
        return
    of = thing.__module__ if isinstance(thing, type | FunctionType) else type(thing).__module__
    if str(of).partition(".")[0] in {"evolif", "builtins", "types", "functools", "collections"}:
        for part in _inside(thing):
            yield from _walk(part, seen, depth + 1)


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern of the package.

    Attributes:
        pattern: Compiled.
        anchored: Whether it is certain that it starts at one place of a text only.
    """

    pattern: Pattern
    anchored: bool = False


def _written(path: Path) -> Iterator[tuple[str, Found]]:
    """Every literal pattern in a file, also inside a function, by what it is."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        library, text = getattr(node.func.value, "id", ""), getattr(node.args[0], "value", None)
        if library in _LIBRARIES and node.func.attr in _CALLS and isinstance(text, str):
            made = _LIBRARIES[library].compile(text, _flags(node, library))
            yield text, Found(made, node.func.attr in ("match", "fullmatch"))


_LIBRARIES: Mapping[str, Any] = {"re": re, "regex": regex}
_CALLS = frozenset("compile match fullmatch search findall finditer sub subn split".split())


def _flags(call: ast.Call, library: str) -> int:
    """What a call says besides, such as `re.DOTALL | re.MULTILINE`."""
    flags = 0
    for argument in [*call.args[1:], *(keyword.value for keyword in call.keywords)]:
        for word in ast.walk(argument):
            if isinstance(word, ast.Attribute) and getattr(word.value, "id", "") == library:
                named = getattr(_LIBRARIES[library], word.attr)
                flags |= int(named) if isinstance(named, int) else 0  # `re.escape` of a replacement is none
    return flags


@cache
def patterns() -> Mapping[str, Found]:
    """Every pattern of the package, by the module and name where it is found, or what it is inside a function."""
    found: dict[tuple[str, int], tuple[str, Found]] = {}
    seen: dict[int, Any] = {}
    for module in _modules():
        for name, thing in vars(module).items():
            if not name.startswith("__"):
                for pattern in _walk(thing, seen):
                    found.setdefault((pattern.pattern, pattern.flags), (f"{module.__name__}.{name}", Found(pattern)))
        for text, made in _written(Path(module.__file__)):
            key = made.pattern.pattern, made.pattern.flags
            found.setdefault(key, (f"{module.__name__}:{text}", made))
    listed: dict[str, Found] = {}
    for place, one in found.values():
        name = place.removeprefix("evolif.")
        number = sum(1 for known in listed if known.partition("#")[0] == name)
        listed[f"{name}#{number}" if number else name] = one
    return listed


# Texts.


def _tree(pattern: str, flags: int) -> Any:
    """The parsed pattern. What only `regex` knows is put in the words of `re`."""
    text = re.sub(r"\\[pP]\{[^}]*\}", "[a-zA-Z]", pattern).replace(r"\X", ".").replace("[[", "[").replace("(?V1)", "")
    try:
        return parser.parse(text, int(flags) & (re.IGNORECASE | re.VERBOSE | re.DOTALL | re.MULTILINE))
    except (re.error, OverflowError):
        return None


_REPEATS = (names.MAX_REPEAT, names.MIN_REPEAT, names.POSSESSIVE_REPEAT)
_OF_CATEGORY = {
    names.CATEGORY_DIGIT: "0", names.CATEGORY_SPACE: " ", names.CATEGORY_WORD: "a",
    names.CATEGORY_NOT_DIGIT: "a", names.CATEGORY_NOT_SPACE: "a", names.CATEGORY_NOT_WORD: " ",
}  # fmt: skip


def _of_set(items: Any) -> list[str]:
    """Some characters of a set."""
    if items and items[0][0] is names.NEGATE:
        banned = {chr(value) for op, value in items if op is names.LITERAL}
        ranges = [value for op, value in items if op is names.RANGE]
        banned |= {chr(c) for low, high in ranges for c in range(low, min(high, low + 300) + 1)}
        banned |= {"0": set("0"), " ": set(" \n\t"), "a": set("ab0_")}.get(
            next((_OF_CATEGORY.get(value, "") for op, value in items if op is names.CATEGORY), ""), set()
        )
        return [c for c in "a 0.-,('\n" if c not in banned][:3] or ["~"]
    found = []
    for op, value in items:
        if op is names.LITERAL:
            found.append(chr(value))
        elif op is names.RANGE:
            found.append(chr(value[0]))
        elif op is names.CATEGORY:
            found.append(_OF_CATEGORY.get(value, "a"))
    return found[:6]


def _sample(tree: Any, most: bool) -> str:
    """A short text that a part of a pattern matches: with every optional part, or without."""
    text = ""
    for op, value in tree:
        if op is names.LITERAL:
            text += chr(value)
        elif op is names.NOT_LITERAL:
            text += "a" if chr(value) != "a" else "b"
        elif op is names.ANY:
            text += "a"
        elif op is names.IN:
            text += _of_set(value)[0]
        elif op is names.BRANCH:
            text += _sample(value[1][0], most)
        elif op in _REPEATS:
            low = max(value[0], 1) if most and value[1] else value[0]
            text += _sample(value[2], most) * min(low, 50)
        elif op is names.SUBPATTERN:
            text += _sample(value[3], most)
        elif op is names.ATOMIC_GROUP:
            text += _sample(value, most)
    return text


def _bodies(tree: Any, before: str, most: bool) -> Iterator[tuple[str, str]]:
    """(what comes before, one round) of everything in a pattern that is repeated, or one of several."""
    for op, value in tree:
        if op in _REPEATS:
            for body in _variants(value[2]):
                yield before, body
        for part in _parts(op, value):
            yield from _bodies(part, before, most)
        before += _sample([(op, value)], most)


def _variants(tree: Any) -> list[str]:
    """Several texts of the body of a repetition."""
    found = {_sample(tree, True), _sample(tree, False)}
    for op, value in tree:
        if op is names.IN and len(tree) == 1:
            found |= set(_of_set(value))
        if op is names.SUBPATTERN:
            found |= set(_variants(value[3]))
        if op is names.BRANCH:
            found |= {_sample(branch, True) for branch in value[1][:6]}
    return sorted(found - {""})


def _letters(tree: Any) -> Iterator[str]:
    """The alphabet of a pattern, and its words."""
    word = ""
    for op, value in tree:
        if op is names.LITERAL:
            word += chr(value)
            continue
        if word:
            yield word
            word = ""
        if op is names.IN:
            yield from _of_set(value)
        for part in _parts(op, value):
            yield from _letters(part)
    if word:
        yield word


def _parts(op: Any, value: Any) -> list[Any]:
    """The patterns inside a part of a pattern."""
    if op is names.BRANCH:
        return list(value[1])
    if op is names.ATOMIC_GROUP:
        return [value]
    if op in (names.ASSERT, names.ASSERT_NOT):
        return [value[1]]
    if op is names.SUBPATTERN:
        return [value[3]]
    return [value[2]] if op in _REPEATS else []


def pumps(pattern: Pattern) -> list[tuple[str, str]]:
    """(beginning, piece): what to put before a piece of a pattern's own alphabet that is repeated."""
    tree = _tree(pattern.pattern, pattern.flags)
    if tree is None:
        return [("", piece) for piece in "a 0.-\n"]
    found = dict.fromkeys(pump for most in (False, True) for pump in _bodies(tree, "", most))
    found |= dict.fromkeys((before, f"{body} ") for before, body in [*found][:20] if body.strip() and body[-1] != " ")
    pairs = [("", before + body) for before, body in [*found] if before]
    words = [*dict.fromkeys(_letters(tree))]
    alphabet = [("", word) for word in [*words[:16], *(f"{word} " for word in words[:8])]]
    return [*dict.fromkeys([*[*found][:_MOST_PIECES], *alphabet, *pairs[:20], ("", _sample(tree, True) or "a")])]


def pumped(pump: tuple[str, str], size: int) -> str:
    """A text of that many characters, the last of which ends every run, so that what wants an end after it fails."""
    before, piece = pump
    return (before + piece * (size // len(piece) + 1))[: size - 1] + "\0"


def seconds(pattern: Pattern, text: str, anchored: bool = False) -> float:
    """Processor time of finding every match, or of reading the text from its beginning only."""
    start = time.process_time()
    if anchored:
        pattern.match(text)
        pattern.fullmatch(text)
    else:
        for _ in pattern.finditer(text):
            pass
    return time.process_time() - start


def fault(
    pattern: Pattern, pump: tuple[str, str], size: int = SIZE, *, anchored: bool = False, grows: bool = True
) -> str | None:
    """What is wrong with a pattern on a pumped text.

    Args:
        pattern: The pattern.
        pump: The text, which is also pumped to half of its length.
        size: Its characters.
        anchored: Whether the pattern is only asked what begins with the text.
        grows: Whether growth counts.
    """
    text, half = pumped(pump, size), pumped(pump, size // 2)
    whole = seconds(pattern, text, anchored)
    if whole < MEASURABLE:
        return None
    less = seconds(pattern, half, anchored) if grows else whole
    for _ in range(6):
        # The least time of several is what the pattern takes; the rest is what the machine does besides.
        whole = min(whole, seconds(pattern, text, anchored))
        less = min(less, seconds(pattern, half, anchored)) if grows else whole
        if whole < MEASURABLE or (whole <= LONGEST and whole <= GROWTH * less):
            return None
    return f"{pump!r}: {whole:.2f} s, {whole / max(less, 1e-9):.1f} times as long as for half of it"

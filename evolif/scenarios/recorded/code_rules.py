"""Rules on Python code in an answer, as MemoryCode has them: names, docstrings, decorators, imports and the like.

A rule is `[kind, wanted]` (`code_match` of the release): the kind of objects, and a pattern that every name has to
match from its beginning (`"^a_"`), whether each object has something (`true`, `false`), or what it has
(`["numpy", true]`). Of imports, comments and decorators, a pattern has to match the first.
Code is parsed and never run. Patterns come from data: they are short, and one that takes too long counts as a fault of
the data.
"""

from __future__ import annotations

import ast
import io
import re
import time
import tokenize
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import regex

from evolif.scenarios.recorded.instruction_arguments import Unsupported, bad_argument
from evolif.text.answers import MAX_BODY_BYTES

LONGEST_PATTERN = 500
LONGEST_NAME = 200
"""Characters of a name that a pattern sees."""
_SECONDS = 2.0
"""For all patterns on one answer; only those that backtrack without end come near it."""
_MOST_RULES = 50

Wanted: TypeAlias = "bool | str | tuple[str, bool]"
_Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
_Object: TypeAlias = Sequence[str]
"""What one function, class, … has: its name, its decorators, its asserts; empty for nothing."""

_FENCED = re.compile(
    r"^([ \t]*+)(`{3,}+|~{3,}+)[ \t]*+([\w+-]*+)[^\n`]*+\n(.*?)(?:^[ \t]*+\2|\Z)", re.MULTILINE | re.DOTALL
)
_TYPED = re.compile(r"(?:>>>|\.\.\.)(?: |$)")
_COMMAND = re.compile(r"[!%]")
_RECURSIVE = re.compile(r"(?<!\\)\(\?(?:R\)|&|P>|[+-]?\d)")
_PYTHON = frozenset({"python", "py", "python3", "python2"})


@dataclass(frozen=True, slots=True)
class CodeRule:
    """One rule, validated.

    Attributes:
        kind: Of the objects, in the words of `KINDS`.
        wanted: A pattern, whether there is something, or a name and whether it is there.
    """

    kind: str
    wanted: Wanted


def code_rules(config: Any) -> tuple[CodeRule, ...]:
    """The rules of a metric entry: one, or a list of several.

    Raises:
        Unsupported: there is none (kind `unsupported`), it is no rule, or a kind of objects is unknown (`bad_args`).

    Example:
        >>> [rule.kind for rule in code_rules([["function", "^get_"], ["docstring_function", True]])]
        ['function', 'function_docstring']
    """
    if config is None:
        raise Unsupported(
            "code_match without rules: give it “regex”, or import the dialogues with --benchmark memorycode"
        )
    several = isinstance(config, list) and bool(config) and isinstance(config[0], list)
    given = config if several else [config]
    if len(given) > _MOST_RULES:
        raise bad_argument(f"code_match: “regex” has {len(given)} rules; give at most {_MOST_RULES}")
    return tuple(_rule(one) for one in given)


def _rule(config: Any) -> CodeRule:
    if not isinstance(config, list | tuple) or len(config) != 2 or not isinstance(config[0], str):
        raise bad_argument("code_match needs “regex”: [kind of objects, rule], or a list of these")
    kind = _KNOWN.get(frozenset(map(_singular, re.findall("[a-z]+", config[0].lower()))))
    if kind is None:
        raise bad_argument(f"code_match: unknown kind of objects “{config[0][:60]}”; use {', '.join(KINDS)}")
    wanted = config[1]
    if isinstance(wanted, bool):
        return CodeRule(kind, wanted)
    if isinstance(wanted, str):
        return CodeRule(kind, _pattern(wanted))
    if isinstance(wanted, list | tuple) and len(wanted) == 2 and isinstance(wanted[0], str) and type(wanted[1]) is bool:
        return CodeRule(kind, (wanted[0], wanted[1]))
    raise bad_argument("code_match: a rule is a pattern, true or false, or [name, true or false]")


def _singular(word: str) -> str:
    """A word of a kind as it stands in `KINDS`: `functions` and `parameters`, too."""
    one = word if word == "class" else word.removesuffix("es") if word == "classes" else word.removesuffix("s")
    return _SYNONYMS.get(one, one)


def _pattern(text: str) -> str:
    if len(text) > LONGEST_PATTERN:
        raise bad_argument(f"code_match: a pattern of {len(text)} characters; give at most {LONGEST_PATTERN}")
    if _RECURSIVE.search(text):
        raise bad_argument(f"code_match: “{text[:60]}” is a pattern that contains itself; write it without recursion")
    try:
        regex.compile(text)
    except (regex.error, RecursionError, OverflowError) as fault:
        raise bad_argument(f"code_match: “{text[:60]}” is not a regular expression ({fault})") from None
    return text


def code_score(prediction: str | None, rules: Sequence[CodeRule]) -> float:
    r"""The share of the rules that the code in an answer keeps; 0.0 if there is none that parses.

    Args:
        prediction: The answer. Its fenced Python code counts, else what is in other fences, else all of it.
        rules: At least one.

    Raises:
        Unsupported: a pattern takes too long (kind `bad_args`).

    Example:
        >>> code_score("```python\ndef get_x(): pass\n```", code_rules(["function", "^get_"]))
        1.0
    """
    found = _objects(code_of(prediction or ""))
    until = time.monotonic() + _SECONDS
    return 0.0 if found is None else sum(_kept(rule, found[rule.kind], until) for rule in rules) / len(rules)


def code_of(answer: str) -> str:
    """The Python code of an answer: all fences that say so, else all fences, else everything."""
    fences = [(match[3].lower(), _unindented(match[4], len(match[1]))) for match in _FENCED.finditer(answer)]
    python = [code for tag, code in fences if tag in _PYTHON]
    return "\n".join(python or [code for _, code in fences] or [answer])


def _unindented(code: str, width: int) -> str:
    """The code of a fence that is itself indented, as in a list: each line loses as much, as in CommonMark."""
    if not width:
        return code
    lines = code.splitlines(keepends=True)
    return "".join(line[min(width, len(line) - len(line.lstrip(" \t"))) :] for line in lines)


def _kept(rule: CodeRule, objects: Sequence[_Object], until: float) -> bool:
    if isinstance(rule.wanted, bool):
        return bool(objects) and all(bool(one) is rule.wanted for one in objects)
    if isinstance(rule.wanted, tuple):
        name, there = rule.wanted
        return bool(objects) and all((name in one) is there for one in objects)
    names = [one[0][:LONGEST_NAME] for one in objects if one]
    return bool(names) and all(_matches(rule.wanted, name, until) for name in names)


def _matches(pattern: str, name: str, until: float) -> bool:
    try:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return regex.match(pattern, name, timeout=left) is not None
    except TimeoutError:
        raise bad_argument(
            f"code_match: the pattern “{pattern[:60]}” takes too long; write it without nested repeats"
        ) from None
    except (regex.error, RecursionError, MemoryError):
        raise bad_argument(f"code_match: the pattern “{pattern[:60]}” cannot be matched; write a simpler one") from None


def _objects(code: str) -> Mapping[str, Sequence[_Object]] | None:
    """The objects of each kind; None where the code does not parse."""
    if len(code.encode("utf-8", "replace")) > MAX_BODY_BYTES:
        return None
    try:
        tree = _parsed(code)
        if tree is None:
            code = _without_sessions(code)
            tree = _parsed(code)
    except (RecursionError, MemoryError):
        return None
    return _found(tree, code) if tree is not None and tree.body else None


def _parsed(code: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in the code
            return ast.parse(code)
    except (SyntaxError, ValueError):
        return None


def _without_sessions(code: str) -> str:
    """The code without commands of notebooks, and of an interactive session what was typed."""
    lines: list[str] = []
    in_session = False
    for line in code.splitlines():
        typed = _TYPED.match(line)
        in_session = typed is not None or (in_session and bool(line.strip()))
        if typed is not None:
            lines.append(line[typed.end() :])
        elif not in_session and not _COMMAND.match(line):
            lines.append(line)
    return "\n".join(lines)


def _found(tree: ast.Module, code: str) -> dict[str, Sequence[_Object]]:
    """What parsed code has of each kind."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    inside = {id(inner) for node in classes for inner in node.body}
    functions: dict[str, list[_Function]] = {"function": [], "method": []}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_special(node.name):
            functions["method" if id(node) in inside else "function"].append(node)
    found: dict[str, Sequence[_Object]] = {
        "class": [[node.name] for node in classes],
        "class_decorator": [list(_decorators(node)) for node in classes],
        "class_docstring": [list(_docstring(node)) for node in classes],
        "variable": [[name] for name in dict.fromkeys(_variables(tree, inside))],
        "attribute": [[name] for name in dict.fromkeys(_attributes(tree, inside))],
        "import": [list(_imports(tree))],
        "comment": [list(_comments(code))],
    }
    for kind, nodes in functions.items():
        found[kind] = [[node.name] for node in nodes]
        for part, read in _PARTS.items():
            found[f"{kind}_{part}"] = [list(read(node)) for node in nodes]
        found[f"{kind}_argument"] = _apart(found[f"{kind}_argument"])
    return found


def _apart(objects: Sequence[_Object]) -> list[_Object]:
    """Each name as an object of its own."""
    return [[name] for one in objects for name in one]


def _is_special(name: str) -> bool:
    """Whether Python gives the name its meaning, so that no guideline can change it: `__init__`."""
    return name.startswith("__") and name.endswith("__")


def _docstring(node: _Function | ast.ClassDef) -> Iterator[str]:
    text = ast.get_docstring(node, clean=False)
    if text is not None:
        yield text


def _arguments(node: _Function) -> Iterator[str]:
    own = node.args
    every = [*own.posonlyargs, *own.args, *([own.vararg] if own.vararg else []), *own.kwonlyargs]
    every += [own.kwarg] if own.kwarg else []
    return (one.arg for one in every if one.arg not in ("self", "cls"))


def _annotations(node: _Function) -> Iterator[str]:
    own = node.args
    for one in (*own.posonlyargs, *own.args, *own.kwonlyargs):
        if one.annotation is not None:
            yield one.arg
    if node.returns is not None:
        yield "return"


def _inside(node: _Function, wanted: type[ast.AST] | tuple[type[ast.AST], ...]) -> Iterator[str]:
    return (type(inner).__name__ for inner in ast.walk(node) if isinstance(inner, wanted))


def _decorators(node: _Function | ast.ClassDef) -> Iterator[str]:
    """The decorators without their arguments: of `@app.route("/")` both `route` and `app.route`."""
    for one in node.decorator_list:
        names = list(_dotted(one))
        yield from dict.fromkeys((names[0], ".".join(reversed(names)))) if names else ()


def _dotted(node: ast.expr) -> Iterator[str]:
    """The parts of a name, the last one first."""
    if isinstance(node, ast.Call):
        node = node.func
    while isinstance(node, ast.Attribute):
        yield node.attr
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


_PARTS: Mapping[str, Callable[[_Function], Iterator[str]]] = MappingProxyType(
    {
        "argument": _arguments,
        "annotation": _annotations,
        "docstring": _docstring,
        "decorator": _decorators,
        "assert": lambda node: _inside(node, ast.Assert),
        "try": lambda node: _inside(node, (ast.Try, ast.TryStar)),
    }
)


def _variables(tree: ast.Module, inside: Set[int]) -> Iterator[str]:
    """Names that are assigned outside the bodies of classes; no loop variables, and none that is only underscores."""
    for node in ast.walk(tree):
        names = () if id(node) in inside else _assigned(node)
        yield from (one.id for one in names if isinstance(one, ast.Name) and one.id.strip("_"))


def _attributes(tree: ast.Module, inside: Set[int]) -> Iterator[str]:
    """Attributes of `self`, and names that are assigned in the bodies of classes."""
    for node in ast.walk(tree):
        for one in _assigned(node):
            if isinstance(one, ast.Name) and id(node) in inside:
                yield one.id
            elif isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "self":
                yield one.attr


def _assigned(node: ast.AST) -> Iterator[ast.Name | ast.Attribute]:
    """What a statement gives a value: names and attributes, also inside tuples."""
    for target in _targets(node):
        for one in ast.walk(target):
            if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store):
                yield one


def _targets(node: ast.AST) -> Sequence[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) else ()


def _imports(tree: ast.Module) -> Iterator[str]:
    """Modules that are imported, in full and by their first name, and the names taken from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(one.name for one in node.names)]
        else:
            continue
        for name in names:
            yield from dict.fromkeys((name, name.partition(".")[0]))


def _comments(code: str) -> Iterator[str]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return
    yield from (token.string for token in tokens if token.type == tokenize.COMMENT)


_SYNONYMS = {"parameter": "argument", "except": "try", "exception": "try", "assertion": "assert"}
KINDS: Sequence[str] = (
    "function", "method", "class", "variable", "attribute", "import", "comment", "class_decorator", "class_docstring",
    *(f"{kind}_{part}" for kind in ("function", "method") for part in _PARTS),
)  # fmt: skip
"""Kinds of objects that rules speak of; the words of a kind may come in either order, with any sign between them."""
_KNOWN = {frozenset(kind.split("_")): kind for kind in KINDS}

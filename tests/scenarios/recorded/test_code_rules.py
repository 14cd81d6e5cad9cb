"""Rules on the Python code in an answer (`code_match`)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from evolif.scenarios.recorded import Unsupported
from evolif.scenarios.recorded.code_rules import KINDS, code_of, code_rules, code_score
from evolif.scenarios.recorded.metrics import metric_of

ANSWER = '''Here is the module:

```python
import json
from os import path as p

# Counts seals.
@functools.cache
def get_seals(a_bay: int, *, a_day=None) -> int:
    """All seals."""
    assert a_bay
    try:
        seal_n = 1
    except ValueError:
        raise
    return seal_n

@dataclass
class Bay:
    depth_x: int = 3

    def __init__(self, name):
        self.name_x = name

    @app.route("/seals")
    def m_list(self, a_tide):
        return [tide for tide in a_tide]
```

And how to call it:

```py
total_n = get_seals(3)
```
'''


@pytest.mark.parametrize(
    ("rule", "score"),
    [
        (["function", "^get_"], 1),
        (["function", "seals"], 0),  # from the beginning of the name
        (["method", "^m_"], 1),  # __init__ has its name from Python
        (["class", "^[A-Z][a-z]+$"], 1),
        (["variable", ".*_n$"], 1),  # both blocks of code count
        (["attribute", ".*_x$"], 1),
        (["function argument", "^a_"], 1),
        (["method argument", "^a_"], 1),  # without self
        (["function docstring", True], 1),
        (["method docstring", True], 0),
        (["method docstring", False], 1),
        (["class docstring", False], 1),
        (["function annotation", True], 1),
        (["method annotation", True], 0),
        (["function assert", True], 1),
        (["function try", True], 1),
        (["method try", False], 1),
        (["function decorator", ["cache", True]], 1),
        (["function decorator", ["functools.cache", True]], 1),
        (["method decorator", ["route", True]], 1),
        (["class decorator", ["dataclass", True]], 1),
        (["class decorator", ["dataclass", False]], 0),
        (["import", ["json", True]], 1),
        (["import", ["os", True]], 1),
        (["import", ["numpy", False]], 1),
        (["import", ["numpy", True]], 0),
        (["comment", True], 1),
        (["comment", ["# Counts seals.", True]], 1),
        (["comment", False], 0),
        ([["function", "^get_"], ["class", "^a"]], 0.5),
        ([["function", "^get_"]], 1),
    ],
)
def test_a_rule_of_each_kind(rule: Any, score: float) -> None:
    assert code_score(ANSWER, code_rules(rule)) == score
    metric = metric_of("code_match")
    assert metric.score(ANSWER, None, metric.check({"regex": rule})) == score


def test_words_of_a_kind_stand_in_either_order() -> None:
    for name in ("function docstring", "docstring_function", "Function-Docstrings", "docstring.functions"):
        assert [rule.kind for rule in code_rules([name, True])] == ["function_docstring"]
    assert {rule.kind for kind in KINDS for rule in code_rules([kind, True])} == set(KINDS)


@pytest.mark.parametrize("answer", ["", None, "Sorry.", "```python\n```", "def f(:\n", "x\x00y", "```python\nif\n```"])
def test_no_code_keeps_no_rule(answer: str | None) -> None:
    for wanted in ("^f", True, False, ["f", False]):
        assert code_score(answer, code_rules(["function", wanted])) == 0.0


def test_code_without_the_objects_keeps_no_rule_on_them() -> None:
    assert code_score("x = 1", code_rules(["function docstring", False])) == 0.0
    assert code_score("x = 1", code_rules(["import", ["json", False]])) == 1.0
    assert code_score("x = 1", code_rules(["comment", True])) == 0.0


def test_which_code_counts() -> None:
    assert code_of("a = 1") == "a = 1"
    assert code_of("~~~\na = 1\n~~~") == "a = 1\n"
    assert code_of("```bash\nls\n```\n```Python\na = 1\n```").strip() == "a = 1"
    assert code_of("```python\na = 1").strip() == "a = 1"


@pytest.mark.parametrize(
    "config",
    [
        [],
        "function",
        ["function"],
        ["function", None],
        ["function", 1],
        ["function", ["a"]],
        ["function", ["a", "b"]],
        ["function", "("],
        ["function", "a" * 501],
        ["verb", True],
        [["function", True], "x"],
        [["function", True]] * 51,
        {"function": True},
    ],
)
def test_what_is_no_rule_is_named(config: Any) -> None:
    with pytest.raises(Unsupported, match="code_match") as caught:
        code_rules(config)
    assert caught.value.kind == "bad_args"


def test_a_pattern_that_never_ends_is_a_fault_of_the_data() -> None:
    rule = code_rules(["function", "^(a|aa)+$"])
    began = time.monotonic()
    with pytest.raises(Unsupported, match="takes too long") as caught:
        code_score(f"def {'a' * 190}_b(): pass", rule)
    assert caught.value.kind == "bad_args" and time.monotonic() - began < 10


@pytest.mark.parametrize(
    "code",
    ["(" * 9000, "-" * 9000 + "1", "x" + ".a" * 9000, "1+" * 9000 + "1", "f" + "()" * 9000, "@a\n" * 9000,
     "```\n" * 9000, "```python\nx\n" * 4000, "if 1:\n pass\n" + "elif 1:\n pass\n" * 4000, "#\n" * 9000,
     "'\\d'\n" * 9000],
)  # fmt: skip
def test_hostile_code_ends(code: str) -> None:
    assert code_score(code, code_rules(["function", "^a"])) == 0.0


@pytest.mark.parametrize(
    "answer",
    [
        "1. Define it:\n\n   ```python\n   def n_add(a):\n       return a\n   ```",
        "* **Step 1**\n  ```python\n  def n_add(a):\n      '''Add.'''\n  ```\n\nThen use it.",
        "```python\ndef n_add(a): pass\n```\n\nTry it:\n\n```python\n>>> n_add(2)\n2\n```",
        "```python\n!pip install numpy\n%matplotlib inline\ndef n_add(a): pass\n```",
        "```python\n>>> def n_add(a):\n...     return a\n...\n>>> n_add(1)\n1\n```",
    ],
)
def test_code_in_lists_sessions_and_notebooks_is_read(answer: str) -> None:
    assert code_score(answer, code_rules(["function", "^n_"])) == 1.0
    assert code_score(answer, code_rules(["function", "^a_"])) == 0.0


@pytest.mark.parametrize("pattern", ["(?R)", "a(?1)?(b)", "(?P<x>a)(?&x)", "(?P<x>a)(?P>x)", "(a)(?-1)"])
def test_a_pattern_that_contains_itself_is_refused(pattern: str) -> None:
    with pytest.raises(Unsupported, match="contains itself"):
        code_rules(["function", pattern])


def test_patterns_on_many_names_end_together() -> None:
    rule = code_rules(["function", "(a|aa)+c|a"])
    names = "\n".join(f"def {'a' * 180}b{number}(): pass" for number in range(200))
    began = time.monotonic()
    with pytest.raises(Unsupported, match="takes too long"):
        code_score(names, rule)
    assert time.monotonic() - began < 10

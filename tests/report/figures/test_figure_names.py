"""Names in a figure are one short line without markup."""

from __future__ import annotations

import pytest

from evolif.report.figures.style import NAME_LIMIT, clean, label, labels, markdown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("openai/gpt-5", "openai/gpt-5"),
        ("a\u202eb\u2066c", "abc"),
        ("a\x00b\x1b[31mc", "ab[31mc"),
        ("a\nb\t c\u2028d", "a b c d"),
        ("模型/七", "模型/七"),
        ("e" + "\u0301" * 40, "e\u0301\u0301"),
        ("\ud800x", "x"),
        ("", ""),
    ],
)
def test_control_direction_and_towers_of_marks_are_gone(name: str, shown: str) -> None:
    assert clean(name) == shown


def test_a_long_name_loses_its_middle() -> None:
    told = label("provider/" + "m" * 300 + "-2026-01")
    assert len(told) == NAME_LIMIT
    assert told.startswith("provider/") and told.endswith("-2026-01") and "…" in told


def test_a_name_of_nothing_is_named() -> None:
    assert label("\u202e\x00") == "(no name)"


def test_names_that_clipping_made_equal_are_numbered() -> None:
    long = ["p/" + "m" * 30 + str(n) + "m" * 30 for n in range(3)]
    told = labels([*long, "short"])
    assert len(set(told)) == 4
    assert told[3] == "short"


@pytest.mark.parametrize("text", ["*a* _b_ `c`", "[x](y)", "<script>", "a|b", r"$\frac{1}{0}$", "http://x.example"])
def test_markdown_is_text(text: str) -> None:
    shown = markdown(text)
    for sign in "*_`[]<|$":
        assert shown.count(sign) == shown.count("\\" + sign)
    assert "p://" not in shown

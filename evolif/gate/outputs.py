"""A verdict for continuous integration: JUnit XML, and a summary in Markdown."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from evolif.gate.decision import Decision, Outcome, Verdict
from evolif.text import plain

_MARKS: dict[Outcome, str] = {"passed": "✅ passed", "failed": "❌ failed", "undecided": "❔ undecided"}
_TAGS: dict[Outcome, str] = {"failed": "failure", "undecided": "error"}
"""JUnit has no word for what could not be decided: `error` is a test without a result, and is never shown as passed."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#!|<>~&$@])")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(verdict: Verdict) -> str:
    """The verdict as JUnit XML, one test case for each decision."""
    counts = {tag: sum(_TAGS.get(one.outcome) == tag for one in verdict.decisions) for tag in _TAGS.values()}
    totals = {
        "tests": str(len(verdict.decisions)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": "0",
    }
    root = Element("testsuites", totals)
    suite = SubElement(root, "testsuite", {"name": _xml(f"evolif gate {verdict.run}"), **totals})
    for one in verdict.decisions:
        case = SubElement(suite, "testcase", {"classname": _xml(one.model), "name": _xml(one.requirement)})
        if one.outcome in _TAGS:
            SubElement(case, _TAGS[one.outcome], {"type": one.outcome, "message": _xml(one.reason)})
        else:
            SubElement(case, "system-out").text = _xml(one.reason)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def markdown(verdict: Verdict) -> str:
    """The verdict as Markdown, as a GitHub summary shows it."""
    rows = [f"| {_row(one)} |" for one in verdict.decisions]
    return "\n".join(
        (
            f"### evolif gate {_md(verdict.run)}: {_MARKS[verdict.outcome]}",
            "",
            "| | model | required | found |",
            "|---|---|---|---|",
            *rows,
            "",
            "In brackets 95 % intervals over dialogues. *Undecided* means that the interval lies on both sides of the "
            "limit.",
            "",
        )
    )


def _row(one: Decision) -> str:
    return " | ".join((_MARKS[one.outcome], _md(one.model), _md(one.requirement), _md(one.reason)))


def _xml(text: str) -> str:
    return _NOT_XML.sub("�", plain(text))


def _md(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(plain(text).split())).replace("://", r":\/\/")

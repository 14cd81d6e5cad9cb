"""`evolif registers lint`: every fault of the packaged words, or of a user's own frames."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from evolif.errors import InputError
from evolif.scenarios.instructions.catalogue.entries import LintFinding, LintReport
from evolif.scenarios.instructions.constraints import Change, DrawContext, get_group
from evolif.scenarios.instructions.queries import read_claims
from evolif.scenarios.instructions.synthesis.own_reasons import every_own_line, unknown_owners
from evolif.scenarios.instructions.synthesis.phrases import every_line
from evolif.scenarios.instructions.synthesis.plans import ACTS, GroupPlans, Plan, fill, named_old, read_plans
from evolif.scenarios.instructions.synthesis.style import OWN_REGISTERS, phrase_styles
from evolif.scenarios.instructions.synthesis.template import frame_faults
from evolif.scenarios.instructions.tracker import load_profile
from evolif.util.opened import read_text
from evolif.util.resources import data_path
from evolif.util.rng import Stream

RUN = 4
"""Two plans for the same change share no run of that many words, slots apart."""
OWN_RUN, OWN_RUN_AT_HOME = 5, 6
"""Two reasons of a file share no run of so many words; those of one entry speak of the same people."""
BEGINNING, MOST_ALIKE = 5, 2
"""At most two plans of a file have the same first five words."""
FEWEST = 12
"""Plans of an act and a kind of constraint."""
FEWEST_OF_A_REGISTER = 4
_DRAWS = 400
_WORDS = re.compile(r"\w+(?:['’-]\w+)*")
_SLOT = re.compile(r"\{[^{}]*\}")
_KEYWORDS = tuple(f"{word} {number}" for word in ("hour", "unit") for number in range(5)) + tuple(
    f"{word}{number}" for word in ("onion", "boot") for number in range(10)
)


def lint_registers(path: Path | None = None) -> LintReport:
    """Check words: the packaged plans, reasons, small talk and styles, or the frames of a file.

    The reasons of personas and topics are read with the query reader, too, which takes some seconds.

    Args:
        path: A YAML file of registers like `seeds/frames.yaml`; what is packaged if None.

    Raises:
        InputError: the file cannot be read.
    """
    if path is not None:
        registers, faults = frame_faults(path)
        found = [LintFinding(str(path), 1, register, "frames", fault, "mend the frame") for register, fault in faults]
        return LintReport("register", str(path), len(registers), tuple(found), {}, dict.fromkeys(registers, 1))
    folder = data_path("seeds", "plans")
    findings: list[LintFinding] = []
    counts: Counter[str] = Counter()
    entries = 0
    for file in sorted(folder.glob("*.yaml")):
        try:
            plans = read_plans(file)
        except InputError as fault:
            findings.append(LintFinding(str(file), 1, "", "file", str(fault), "mend the file"))
            continue
        every = [plan for shapes in plans.acts.values() for listed in shapes.values() for plan in listed]
        entries += len(every)
        counts.update(register for plan in every for register in plan.registers)
        findings += _Linter(file, plans).findings()
    findings += _stock_findings(folder.parent)
    findings += own_reason_findings(every_own_line(), unknown_owners())
    phrase_styles()
    total = {register: counts[register] for register in OWN_REGISTERS}
    return LintReport("plan", str(folder), entries, tuple(findings), {}, total)


def _stock_findings(folder: Path) -> Iterator[LintFinding]:
    """Reasons and small talk that are no sentence of their own, or stand there twice."""
    seen: dict[tuple[str, str], str] = {}
    for where, text in every_line():
        file = str(folder / where.partition(",")[0])
        if text[-1:] not in ".?!" and text[-2:] not in (".)", "!)"):
            yield LintFinding(file, 1, where, "stop", f"“{text}” ends without a mark", "end it as a sentence")
        key = (where, text)
        if key in seen:
            yield LintFinding(file, 1, where, "double", f"“{text}” stands there twice", "write another")
        seen[key] = where


def own_reason_findings(
    lines: Iterable[tuple[str, str, str, str]], unknown: Iterable[tuple[str, str]] = ()
) -> Iterator[LintFinding]:
    """Reasons of personas and topics that ask for something, name a value, or sound like another.

    Args:
        lines: Each with its file, the id of its entry and its occasion.
        unknown: Files, and ids in them that nobody has.
    """
    for file, owner in unknown:
        yield LintFinding(file, 1, owner, "id", "no entry of the catalogue has this id", "mend the id")
    lines = tuple(lines)
    for file, owner, occasion, text in lines:
        for rule, fault, mend in _faults_of_a_reason(text):
            yield LintFinding(file, 1, f"{owner}.{occasion}", rule, f"“{text}” {fault}", mend)
    yield from _alike_reasons(lines)


def _alike_reasons(lines: Sequence[tuple[str, str, str, str]]) -> Iterator[LintFinding]:
    """Reasons that share a run of words with an earlier one of their file."""
    runs: dict[tuple[str, tuple[str, ...]], str] = {}
    for file, owner, occasion, text in lines:
        words = tuple(_WORDS.findall(text.casefold()))
        own = [words[at : at + OWN_RUN_AT_HOME] for at in range(len(words) - OWN_RUN_AT_HOME + 1)]
        foreign = [words[at : at + OWN_RUN] for at in range(len(words) - OWN_RUN + 1)]
        shared = [run for run in own if runs.get((file, run)) == owner]
        shared += [run for run in foreign if runs.get((file, run), owner) != owner]
        if shared:
            message = f"“{text}” shares “{' '.join(shared[0])}” with {runs[file, shared[0]]}"
            yield LintFinding(file, 1, f"{owner}.{occasion}", "run", message, "say it differently")
        for run in (*own, *foreign):
            runs.setdefault((file, run), owner)


def _faults_of_a_reason(text: str) -> Iterator[tuple[str, str, str]]:
    """Rules that one reason breaks, each with what is wrong and how to mend it."""
    if text[:1].isupper() and text[-1:] not in ".?!":  # people who type no capitals may type no stops
        yield "stop", "ends without a mark", "end it as a sentence"
    if any(sign.isdigit() or sign in '“”"{}' for sign in text):
        yield "value", "names a value", "a reason names none"
    if read_claims(text):
        yield "claim", "is heard as a demand", "a reason asks for nothing"


def changes_of(group: str) -> list[Change]:
    """Changes of every kind that a group can undergo, drawn with the pools of all profiles."""
    drawn = get_group(group)
    found: list[Change] = []
    seen: set[tuple[str, ...]] = set()
    for profile in ("extended", "objective"):
        pools = load_profile(profile).pools
        if group not in pools:
            continue
        context, stream = DrawContext(_KEYWORDS, pools[group]), Stream(7, 5)
        for _ in range(_DRAWS):
            before = drawn.draw(stream, context)
            if before is None:
                continue
            after = drawn.modify(before, stream, context)
            pairs = [(None, before), (before, None)] + ([(before, after)] if after is not None else [])
            for old, new in pairs:
                change = drawn.change(old, new)
                key = (change.act, change.shape, change.old_shape, *sorted(change.slots.values()))
                if key not in seen:
                    seen.add(key)
                    found.append(change)
    return found


class _Linter:
    """Checks the plans of one group.

    Args:
        file: Where they are.
        plans: The plans.
    """

    def __init__(self, file: Path, plans: GroupPlans) -> None:
        self._file = file
        self._plans = plans
        self._lines = read_text(file).splitlines()

    def findings(self) -> list[LintFinding]:
        """All findings, by line."""
        found = [*self._alike(), *self._unfilled(), *self._shared(), *self._words()]
        return sorted(found, key=lambda finding: finding.line)

    def _finding(self, plan: Plan | None, rule: str, message: str, mend: str) -> LintFinding:
        text = plan.text if plan is not None else ""
        line = next((number for number, line in enumerate(self._lines, 1) if text and text in line), 1)
        return LintFinding(str(self._file), line, plan.key if plan else "", rule, message, mend)

    def _every(self) -> Iterator[tuple[str, str, tuple[Plan, ...]]]:
        for act in ACTS:
            for shape, plans in self._plans.acts.get(act, {}).items():
                yield act, shape, plans

    def _words(self) -> Iterator[LintFinding]:
        for act, _, plans in self._every():
            for plan in plans:
                if "(" in _SLOT.sub("", plan.text):
                    yield self._finding(plan, "parenthesis", "it has a parenthesis", "people do not type them here")
                if "T" in plan.tags and (act != "state" or "task" not in plan.slots):
                    yield self._finding(
                        plan, "task", "the tag T belongs to plans with {task} that open a task", "mend it"
                    )
                if "task" in plan.slots and "T" not in plan.tags:
                    yield self._finding(plan, "task", "it places {task} without the tag T", "add the tag T")
                if act == "back" and "topic" not in plan.slots:
                    yield self._finding(plan, "topic", "it returns to a topic without naming {topic}", "name the topic")

    def _alike(self) -> Iterator[LintFinding]:
        """Plans of a file that begin with the same five words."""
        begun: Counter[str] = Counter()
        for _, _, plans in self._every():
            for plan in plans:
                words = " ".join(_WORDS.findall(_SLOT.sub("_", plan.text).casefold())[:BEGINNING])
                begun[words] += 1
                if begun[words] == MOST_ALIKE + 1:
                    yield self._finding(plan, "beginning", f"more than {MOST_ALIKE} begin with “{words}”", "vary them")

    def _shared(self) -> Iterator[LintFinding]:
        """Runs of words that two plans for the same change share."""
        for _, _, plans in self._every():
            seen: dict[tuple[str, ...], str] = {}
            for plan in plans:
                for part in _SLOT.split(plan.text):
                    words = _WORDS.findall(part.casefold())
                    for at in range(len(words) - RUN + 1):
                        run = tuple(words[at : at + RUN])
                        if seen.setdefault(run, plan.key) != plan.key:
                            said = " ".join(run)
                            yield self._finding(
                                plan, "run", f"it shares “{said}” with {seen[run]}", "say it differently"
                            )

    def _unfilled(self) -> Iterator[LintFinding]:
        """Changes without enough plans, and plans that some change cannot fill."""
        told: set[str] = set()
        for change in changes_of(self._plans.group):
            acts = ("state", "add", "back") if change.act == "add" else (change.act,)
            for act in acts:
                plans = self._plans.of(act, change.shape)
                pair = f"{act}.{change.shape}"
                if pair not in told:
                    told.add(pair)
                    yield from self._thin(pair, plans)
                for plan in plans:
                    fault = _fault_of(plan, change, self._plans)
                    if fault and plan.key not in told:
                        told.add(plan.key)
                        yield self._finding(plan, "slot", fault, "use the slots of its kind of constraint")

    def _thin(self, pair: str, plans: tuple[Plan, ...]) -> Iterator[LintFinding]:
        if len(plans) < FEWEST:
            yield self._finding(None, "few", f"{pair} has {len(plans)} plans", f"write at least {FEWEST}")
        for register in OWN_REGISTERS:
            fitting = sum(register in plan.registers for plan in plans)
            if plans and fitting < FEWEST_OF_A_REGISTER:
                message = f"{pair} has {fitting} plans for {register}"
                yield self._finding(None, "few", message, f"write at least {FEWEST_OF_A_REGISTER}")


def _fault_of(plan: Plan, change: Change, plans: GroupPlans) -> str:
    """Why a change cannot fill a plan; empty if it can."""
    slots: Mapping[str, str] = {**change.slots, "task": "Do it.", "topic": "the task"}
    if "old" in plan.slots:
        try:
            named = named_old(plans, change)
        except KeyError as missing:
            return f"under old.{change.old_shape}, the slot {{{missing.args[0]}}} has no value"
        if not named:
            return f"nothing under old.{change.old_shape} fills {{old}}"
        slots = {**slots, "old": named[0]}
    try:
        fill(plan.pieces, slots)
    except KeyError as missing:
        return f"for {change.act} of {change.old_shape or 'nothing'} the slot {{{missing.args[0]}}} has no value"
    return ""

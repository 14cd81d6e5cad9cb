"""What a run has to show before a board takes it; each check gives sentences with a reason and a way out."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Literal

from evolif.benchmark import open_benchmark
from evolif.errors import EvolifError, UsageError
from evolif.exchange import canary_of
from evolif.metrics import Floor
from evolif.report.analysis import RunAnalysis
from evolif.report.comparable import kind_of
from evolif.runner import STOP_RULE, Run, RunSettings, TurnRecord
from evolif.runner.floor_work import outcomes_of, stored_ceiling, stored_floor
from evolif.runner.run import edited_prompts
from evolif.runner.session import step
from evolif.runner.verify import verify
from evolif.scenario import Benchmark, Services, blaming, get_scenario, options_of
from evolif.text import plain, plural
from evolif.types import Session

Check = Literal["file", "seals", "verdicts", "benchmark", "canary", "completeness", "settings", "names"]
"""What a finding is about."""

_MOST_NAMED = 3
_MOST_TURNS, _MOST_EPOCHS, _MOST_MODELS = 10_000, 1_000, 1_000
_MOST_NAME = 200
"""Characters of a model's name."""
_LONG_KEY = 60
"""Characters of an answer key that no model writes by chance."""
_FEWEST_KEYS, _SHARE_OF_KEYS = 3, 0.25
"""Answers that repeat their key, from which on a model is taken for a simulated one; `sim/steady` has about half."""
_LATE = timedelta(days=1)
"""How far a clock elsewhere may be ahead."""
_SAME_TURNS, _SAME_SHARE = 20, 0.9
"""Answers shared with another model from which on that is remarked."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A reason not to take a run."""

    check: Check
    sentence: str


@dataclass(slots=True)
class Examined:
    """What the checks found of a run."""

    name: str
    models: tuple[str, ...] = ()
    benchmark: str = ""
    sessions: int = 0
    turns: int = 0
    checked: int | None = None
    """Verdicts and scores that were judged again; None if they were not."""
    left_out: int = 0
    """Those that only a judge can decide."""
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What is no reason to refuse it, and worth knowing."""

    def refuse(self, check: Check, sentences: Iterable[str]) -> None:
        """Note findings of a check."""
        self.findings += (Finding(check, sentence) for sentence in sentences)


@dataclass(frozen=True, slots=True)
class Standards:
    """What runs are held to.

    Attributes:
        accepted: Runs on the board, open for reading, without the one that is examined.
        benchmarks: Those that the board is about; empty for those of the accepted runs.
        again: Whether answers are judged again.
        new_column: Whether a run may have settings that no accepted one has.
    """

    accepted: Sequence[Run] = ()
    benchmarks: Sequence[Benchmark] = ()
    again: bool = True
    new_column: bool = False


def examine(run: Run, name: str, standards: Standards) -> Examined:
    """Check a run; nothing is written, and no model is called.

    Args:
        run: Open for reading.
        name: What it is called on the board.
        standards: What it is held to.

    Raises:
        OutsideError: the disk.
    """
    settings = run.settings
    found = Examined(name, run.models, settings.benchmark)
    checks: tuple[tuple[Check, Callable[[], Iterable[str]]], ...] = (
        ("names", lambda: _names(settings)),
        ("seals", lambda: _seals(run)),
        ("completeness", lambda: _complete(run, found)),
        ("completeness", lambda: _unjudged(run, found)),
        ("completeness", lambda: _ends(run)),
        ("completeness", lambda: _date(run)),
        ("verdicts", lambda: _verdicts(run, found) if standards.again else _taken_as_they_are(settings, found)),
        ("benchmark", lambda: _benchmark(run, standards, found)),
        ("settings", lambda: _settings(run, standards)),
        ("canary", lambda: _canary(run, standards)),
        ("names", lambda: _poses(run)),
    )
    faults: list[str] = []
    for check, ask in checks:
        found.refuse(check, _answers(ask, check, faults))
    found.notes += _same_answers(run, standards.accepted)
    found.notes += _addresses(settings)
    return found


def _answers(ask: Callable[[], Iterable[str]], check: Check, faults: list[str]) -> list[str]:
    """The findings of a check; that it cannot be made is one, since the file may hold anything.

    Args:
        ask: The check.
        check: What it is about.
        faults: Why checks could not be made so far; each is told once.
    """
    try:
        return [*ask()]
    except EvolifError as fault:
        why = str(fault)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as fault:
        why = f"the file holds a value that no run has ({type(fault).__name__}); restore it"
    if why in faults:
        return []
    faults.append(why)
    return [f"the check of its {check} cannot be made: {why}"]


def _names(settings: RunSettings) -> Iterator[str]:
    for name in settings.models[:_MOST_MODELS]:
        if not name.strip() or len(name) > _MOST_NAME or plain(name) != name or "\n" in name:
            yield f"“{plain(name[:40])}” is no name of a model; name it with ?as=LABEL and evaluate again"
    extents = (
        ("a cap", settings.max_turns, _MOST_TURNS),
        ("epochs", settings.epochs, _MOST_EPOCHS),
        ("models", len(settings.models), _MOST_MODELS),
    )
    for what, value, most in extents:
        if value > most:
            yield f"{what} of {value:,} is more than a board shows, {most:,}; evaluate with less"


def _seals(run: Run) -> Iterator[str]:
    found = run.integrity(afresh=True)
    if found.edited:
        yield f"it was edited after it was written: {found.named}. Add the run as it was, from a copy, or evaluate anew"
    if stale := run.store.stale_terms():
        yield (
            f"what is kept of {plural(len(stale), 'session')} for figures does not follow from "
            f"{'its' if len(stale) == 1 else 'their'} turns: it was edited. Add the run as it was, from a copy, or "
            "evaluate anew"
        )
    if found.not_sealed:
        total = found.sealed + found.not_sealed
        yield (
            f"{found.not_sealed:,} of {plural(total, 'turn', spec=',')} have no seal, so edits of them go unseen: an "
            "earlier version stored them, or the seals were removed; evaluate anew with this version"
        )


def _complete(run: Run, found: Examined) -> Iterator[str]:
    settings, endings, early = run.settings, run.store.endings(), run.early_end()
    found.sessions = sum(endings.values())
    planned = len(settings.models) * len(settings.dialogues) * settings.epochs
    if found.sessions != planned:
        yield (
            f"it has {found.sessions:,} of the {plural(planned, 'session', spec=',')} that its settings name; run its "
            "command again, or add the run as it was"
        )
    if suspended := run.suspended():
        yield f"{plural(suspended, 'session')} did not end; run its command again, which continues them"
    causes = Counter[str]()
    for (_, ending, cause), number in endings.items():
        if ending in ("censored", "withheld", None):
            causes[cause] += number
    if cut := causes["budget"]:
        yield f"a budget cut or prevented {plural(cut, 'session')}; run its command again with a larger one"
    if (cut := causes[STOP_RULE]) and early is None:
        yield f"{plural(cut, 'session')} ended early without a word on the rule; run its command again without it"
    if early is not None:
        covered = plural(len(early.dialogues), "dialogue")
        found.notes.append(f"It ended early by {plain(early.rule)}; its figures cover {covered}.")
    for cause in ("context", "content filter"):
        if causes[cause]:
            found.notes.append(f"{plural(causes[cause], 'session')} ended because of the {cause}.")


def _unjudged(run: Run, found: Examined) -> Iterator[str]:
    unjudged = 0
    for _, record in _records(run):
        found.turns += 1
        unjudged += not record.is_judged
    if unjudged:
        yield f"{plural(unjudged, 'answer')} not judged yet; run its command again, which judges them"


def _date(run: Run) -> Iterator[str]:
    played = run.played()
    if played is not None and played > datetime.now(UTC) + _LATE:
        yield (
            f"it says that it was played on {played:%Y-%m-%d}, which is still to come; set the clock, and run its "
            "command again"
        )


def _ends(run: Run) -> Iterator[str]:
    """Sessions whose end does not follow from their verdicts."""
    settings = run.settings
    wrong = [
        f"{plain(session.model)}, dialogue {session.dialogue} ({why})"
        for session in run.sessions()
        if (why := _wrong_end(session, settings))
    ]
    if wrong:
        more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
        yield (
            f"how it says that sessions ended does not follow from their verdicts: {'; '.join(wrong[:_MOST_NAMED])}"
            f"{more}. Add the run as it was, or evaluate anew"
        )


def _wrong_end(session: Session, settings: RunSettings) -> str:
    turns = [turn for turn in session.turns if turn.seat == "target"]
    left, exhausted = settings.patience, False
    for turn in turns:
        left = step(left, settings.patience, turn.judged)
        exhausted = exhausted or left == 0
    told = settings.cut == "during" and session.ending in ("finished", "censored") and session.cause
    if told and exhausted != (session.cause == "patience"):
        return f"patience {'ran out' if exhausted else 'was left'}, but the end is stored as {plain(session.cause)}"
    if session.cause == "cap" and not settings.cap_reached(len(turns), sum(bool(turn.judged) for turn in turns)):
        return f"{plural(len(turns), 'turn')}, which the cap does not end"
    return ""


def _verdicts(run: Run, found: Examined) -> Iterator[str]:
    if run.settings.own_code:
        yield (
            f"its verdicts depend on code of its own ({plain(', '.join(run.settings.own_code.values()))}), which "
            "nobody else can check; use a benchmark of built-in groups, or take it with --no-verify"
        )
        return
    again = verify(run)
    found.checked, found.left_out = again.checked, again.left_out
    if again.differ:
        number = plural(len(again.differ), "verdict")
        yield f"{number} are not what the rules find: {plain(again.named)}. Add the run as it was, or evaluate anew"
    if withheld := run.store.withheld():
        yield f"{plural(withheld, 'answer')} are not in it, as in an export; add the run that was exported"
    if not _bounds_hold(run):
        yield "the floor or ceiling that it holds is not what replaying gives; evaluate anew, into a new folder"


def _bounds_hold(run: Run) -> bool:
    """Whether a floor and a ceiling that the run stores are those that replaying gives."""
    floor, ceiling = stored_floor(run.store), stored_ceiling(run.store)
    again = RunAnalysis(run, verify=True)
    if floor is not None and (again.floor is None or _told(floor) != _told(again.floor)):
        return False
    return ceiling is None or (again.ceiling is not None and ceiling.metrics.values == again.ceiling.metrics.values)


def _told(floor: Floor) -> tuple[object, ...]:
    """What reports take from a floor: the best responder, the figures, and who kept what in which turn."""
    figures = {name: dict(one.values) for name, one in floor.responders.items()}
    outcomes = {name: [outcomes_of(session) for session in floor.sessions[name]] for name in floor.sessions}
    return floor.responder, figures, outcomes


def _taken_as_they_are(settings: RunSettings, found: Examined) -> Sequence[str]:
    code = " They depend on code of its own." if settings.own_code else ""
    found.notes.append(f"Its verdicts were taken as they are, not judged again.{code}")
    return ()


def _benchmark(run: Run, standards: Standards, found: Examined) -> Iterator[str]:
    own = run.settings.benchmark
    if standards.benchmarks:
        same = next((one for one in standards.benchmarks if one.identity == own), None)
        if same is None:
            names = ", ".join(str(one.path) for one in standards.benchmarks)
            yield f"it was not played on {names}; evaluate on that benchmark, or name its own with --benchmark"
        else:
            yield from _asked_otherwise(run, same)
        return
    known = {one.settings.benchmark for one in standards.accepted}
    if known and own not in known:
        yield (
            f"its benchmark ({plain(own[:16])}) is that of no run on the board; evaluate on one of theirs, or name it "
            "with --benchmark BENCH to open a column for it"
        )
    if not known:
        found.notes.append("Its benchmark was compared with no other; --benchmark BENCH compares what was asked.")


def _asked_otherwise(run: Run, benchmark: Benchmark) -> Iterator[str]:
    """What the run asked and the benchmark does not ask; worked out on a copy, which may grow."""
    settings = run.settings
    services = Services(
        reading_rules=settings.reading_rules, feedback=settings.feedback, patience=settings.patience,
        max_turns=settings.most_turns, dialogues=settings.dialogues,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="evolif-board-") as room:
        copy = Path(room) / "benchmark"
        try:
            shutil.copytree(benchmark.path, copy, symlinks=True)
        except OSError:
            yield f"{benchmark.path} cannot be copied to compare what was asked; make it readable"
            return
        opened = open_benchmark(copy)
        scenario = get_scenario(settings.scenario)
        play = options_of(scenario.play, settings.options, scenario.name)
        try:
            environment = scenario.environment(opened, play, services)
            edited = [before for before, _ in islice(edited_prompts(run.store, environment, opened), _MOST_NAMED + 1)]
        except EvolifError as fault:
            said = str(fault).replace(str(copy), str(benchmark.path))
            yield f"what it asked cannot be compared with {benchmark.path}: {said}"
            return
    if edited:
        named = ", ".join(f"turn {one.turn} of dialogue {one.dialogue}" for one in edited[:_MOST_NAMED])
        more = ", and more" if len(edited) > _MOST_NAMED else ""
        yield f"it was asked something else than {benchmark.path} asks ({named}{more}); evaluate on the published turns"


def _settings(run: Run, standards: Standards) -> Iterator[str]:
    """Why the run fits no column; the nearest is that of the run with the fewest differences."""
    peers = [one for one in standards.accepted if one.settings.benchmark == run.settings.benchmark]
    reasons = []
    for one in peers:
        try:
            kind_of(one, run, same_model=False)
            return
        except UsageError as fault:
            reasons.append((len(str(fault)), one.path.name, str(fault)))
    if reasons and not standards.new_column:
        _, name, reason = min(reasons)
        yield (
            f"it fits no column of the board; beside {plain(name)}, the first, it is the second, and "
            f"{reason.removeprefix('these runs cannot be compared: ')}; or have a column opened for it (evolif board "
            "add --new-column)"
        )


def _records(run: Run) -> Iterator[tuple[Session, TurnRecord]]:
    """The turns of the models under test."""
    for model in run.models:
        for session, records in run.transcripts(model):
            yield from ((session, record) for record in records if record.prompt.seat == "target")


_NOT_HEX = re.compile(r"[^0-9a-f]+")


def _canary(run: Run, standards: Standards) -> Iterator[str]:
    known = [run.settings.benchmark, *(one.identity for one in standards.benchmarks)]
    known += [one.settings.benchmark for one in standards.accepted]
    # However it is cut into pieces: what counts are the digits.
    wanted = {_NOT_HEX.sub("", canary_of(one).rpartition(" ")[2]) for one in known}
    places = [
        f"{plain(session.model)}, dialogue {session.dialogue}, turn {record.turn}"
        for session, record in _records(run)
        for digits in [_NOT_HEX.sub("", f"{record.answer}\n{record.reasoning}".casefold())]
        if any(one in digits for one in wanted)
    ]
    if places:
        more = f" and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
        yield (
            f"the benchmark's canary is in answers ({'; '.join(places[:_MOST_NAMED])}{more}), so the model was trained "
            "on published data of this benchmark or was shown it; evaluate on a fresh one (evolif generate)"
        )


def _poses(run: Run) -> Iterator[str]:
    """Models under another name than `sim/…` that repeat answer keys, as simulated ones do."""
    scenario = get_scenario(run.settings.scenario)
    keyed, repeated = Counter[str](), Counter[str]()
    for session, record in _records(run):
        with blaming(scenario):
            keys = [key for key in scenario.rows.keys(record.prompt) if len(key) >= _LONG_KEY]
        keyed[session.model] += bool(keys)
        repeated[session.model] += any(key in record.answer for key in keys)
    for model, number in repeated.items():
        if number >= max(_FEWEST_KEYS, _SHARE_OF_KEYS * keyed[model]) and not model.startswith("sim/"):
            yield (
                f"{plain(model)} repeats the benchmark's answer keys word for word in {number} of "
                f"{plural(keyed[model], 'answer')}, as only a simulated model does, or one that was shown them; "
                "evaluate the model itself"
            )


def _same_answers(run: Run, accepted: Iterable[Run]) -> Iterator[str]:
    """A remark on models that answer as another one on the board does."""
    own = _texts(run)
    for other in (one for one in accepted if one.settings.benchmark == run.settings.benchmark):
        for name, theirs in _texts(other).items():
            for model, mine in own.items():
                shared = mine.keys() & theirs.keys()
                same = sum(mine[key] == theirs[key] for key in shared)
                if model != name and len(shared) >= _SAME_TURNS and same >= _SAME_SHARE * len(shared):
                    yield (
                        f"{plain(model)} gives the same answer as {plain(name)} of {plain(other.path.name)} in {same} "
                        f"of {len(shared)} turns."
                    )


def _texts(run: Run) -> dict[str, dict[tuple[int, int, int], int]]:
    """Per model, a hash of each answer by dialogue, epoch and turn."""
    texts: dict[str, dict[tuple[int, int, int], int]] = {}
    try:
        for session, record in _records(run):
            place = session.dialogue, session.epoch, record.turn
            texts.setdefault(session.model, {})[place] = hash(record.answer)
    except (EvolifError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}  # the checks have named what cannot be read
    return texts


def _addresses(settings: RunSettings) -> Iterator[str]:
    """A remark on addresses that whoever gets the board's folder can read."""
    named = {*settings.endpoints, *settings.judge_endpoints, *settings.other_endpoints.values()} - {""}
    if named:
        where = plain(", ".join(sorted(named)))
        yield f"Its file names where models were asked ({where}): everybody who gets the board's folder can read that."

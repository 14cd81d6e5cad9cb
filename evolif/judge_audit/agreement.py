"""How far a judge agrees with persons, by a sample that holds rare outcomes as often as frequent ones.

The sample is dealt evenly over the judge's outcomes, so plain agreement in it is a figure of the sample, not of the
run. Three figures are right: agreement among what the judge accepted, agreement among what it rejected, and both put
together in the proportion in which the run holds them. In all of them an item stands for as many of the run's judged
answers as its cell (group, outcome, model) holds per item that was scored.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError, UsageError
from evolif.judge_audit.sample import Sample, Stratum, audit_folder, load_sample, subjective_of, verdict_at
from evolif.judging import THRESHOLD
from evolif.metrics import cohens_kappa, wilson
from evolif.resources import complaint
from evolif.runner import Run


class JudgedPair(NamedTuple):
    """One item that both the judge and a person gave a verdict on."""

    group: str
    judge: bool
    model: str
    person: bool


@dataclass(frozen=True, slots=True)
class RunShare:
    """A share of the run, estimated from items; fractions."""

    hits: int
    """Items of the sample that it is true of, unweighted."""
    items: int
    value: float | None
    """Weighted; None without items."""
    low: float | None
    high: float | None
    """95 %: Wilson's interval at the number of items that the weights leave (Kish)."""


@dataclass(frozen=True, slots=True)
class JudgeAuditRow:
    """The judge beside one person, or beside all of them, in one group or in all."""

    reviewer: str
    """Empty for all together: the mean of their scores decides, as in a panel."""
    group: str
    """Empty for all groups."""
    scored: int
    """Items with a score."""
    skipped: int
    """Items that were skipped and not scored."""
    answers: int
    """Judged answers of the run that the figures speak of."""
    uncovered: int
    """Judged answers of (group, outcome)s without any scored item: no figure speaks of them."""
    when_accepted: RunShare
    """Where the judge accepted, how often the person does."""
    when_rejected: RunShare
    """Where the judge rejected, how often the person does."""
    overall: RunShare
    """How often both say the same, weighted to the run."""
    kappa: float | None
    """Of the weighted table; None where it is undefined."""
    kappa_low: float | None
    kappa_high: float | None
    """95 %; None where the items are worth fewer than 20."""
    judge_accepts: float | None
    """Share of the run's answers that the judge accepted, of those that the figures speak of."""
    person_accepts: RunShare
    """Share of the run's answers that the person would accept."""

    def to_object(self) -> dict[str, Any]:
        """For machines; rates are fractions."""
        return asdict(self)


def agreement_rows(
    compared: Sequence[JudgedPair], population: Iterable[Stratum], skipped: Sequence[str] = (), reviewer: str = ""
) -> list[JudgeAuditRow]:
    """All groups together first, then each group of the population.

    Args:
        compared: The items with a verdict of both, each once.
        population: What the run holds.
        skipped: The groups of the items that were skipped.
        reviewer: Whose verdicts they are.
    """
    cells = tuple(population)
    groups = sorted({cell.group for cell in cells})
    wanted: list[tuple[str, ...]] = [tuple(groups), *((group,) for group in groups)]
    return [
        _row(
            reviewer,
            "" if number == 0 else among[0],
            [one for one in compared if one.group in among],
            [cell for cell in cells if cell.group in among],
            sum(group in among for group in skipped),
        )
        for number, among in enumerate(wanted)
    ]


def _row(
    reviewer: str, group: str, items: Sequence[JudgedPair], population: Sequence[Stratum], skipped: int
) -> JudgeAuditRow:
    weights = _weights(items, population)
    weighed = list(zip(items, weights, strict=True))
    strata = {(one.group, one.judge) for one in items}
    answers = {outcome: _held(population, strata, outcome) for outcome in (True, False)}
    whole = sum(cell.answers for cell in population)
    table: defaultdict[tuple[bool, bool], float] = defaultdict(float)
    for one, weight in weighed:
        table[one.judge, one.person] += weight
    kappa, interval = cohens_kappa(table, _worth(weights))
    covered = sum(answers.values())
    return JudgeAuditRow(
        reviewer=reviewer,
        group=group,
        scored=len(items),
        skipped=skipped,
        answers=covered,
        uncovered=whole - covered,
        when_accepted=_share([(one.person, weight) for one, weight in weighed if one.judge]),
        when_rejected=_share([(not one.person, weight) for one, weight in weighed if not one.judge]),
        overall=_share([(one.person == one.judge, weight) for one, weight in weighed]),
        kappa=kappa,
        kappa_low=None if interval is None else interval[0],
        kappa_high=None if interval is None else interval[1],
        judge_accepts=answers[True] / covered if covered else None,
        person_accepts=_share([(one.person, weight) for one, weight in weighed]),
    )


def _held(population: Iterable[Stratum], strata: set[tuple[str, bool]], outcome: bool) -> int:
    return sum(
        cell.answers for cell in population if cell.accepted is outcome and (cell.group, cell.accepted) in strata
    )


def _weights(items: Sequence[JudgedPair], population: Iterable[Stratum]) -> list[float]:
    """How many of the run's judged answers each item stands for.

    Those of a model without a scored item are stood for by the items of the same group and outcome.
    """
    scored = Counter((one.group, one.judge, one.model) for one in items)
    held: Counter[tuple[str, bool, str]] = Counter()
    whole: Counter[tuple[str, bool]] = Counter()
    reached: Counter[tuple[str, bool]] = Counter()
    for group, accepted, model, answers in population:
        held[group, accepted, model] += answers
        whole[group, accepted] += answers
        if scored[group, accepted, model]:
            reached[group, accepted] += answers
    found = []
    for group, accepted, model, _person in items:
        own = held[group, accepted, model] / scored[group, accepted, model]
        found.append(own * whole[group, accepted] / reached[group, accepted])
    return found


def _share(told: Sequence[tuple[bool, float]]) -> RunShare:
    weights = [weight for _, weight in told]
    if not weights:
        return RunShare(0, 0, None, None, None)
    value = math.fsum(weight for hit, weight in told if hit) / math.fsum(weights)
    low, high = wilson(value, _worth(weights))
    return RunShare(sum(hit for hit, _ in told), len(told), value, low, high)


def _worth(weights: Sequence[float]) -> float:
    """How many equally weighted items these are worth (Kish 1965)."""
    return math.fsum(weights) ** 2 / math.fsum(weight * weight for weight in weights) if weights else 0.0


def together(scores: Mapping[int, Sequence[int]], threshold: float) -> dict[int, bool]:
    """Per item what all persons say together: the mean of their scores, as in a panel with the rule `mean`."""
    return {item: sum(given) / len(given) > threshold for item, given in scores.items() if given}


# What persons said in a judge audit, read from the run's folder; written by `evolif.review` alone.

DECISIONS = "decisions.jsonl"
"""The journal's name in the audit's folder."""


class _After(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    score: Annotated[int, Field(ge=1, le=10, strict=True)] | None = None


class AuditDecision(BaseModel):
    """One line of the journal, as far as it matters for the judge."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    time: AwareDatetime
    reviewer: str
    item: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}$")]
    """The item's number in the sample."""
    decision: Literal["score", "skip", "note", "undo"]
    after: _After
    note: str = ""
    undoes: str | None = None

    @property
    def number(self) -> int:
        """The item's number in the sample."""
        return int(self.item)

    @property
    def score(self) -> int | None:
        """1 to 10; None for a skip and a note."""
        return self.after.score if self.decision == "score" else None

    @property
    def accepts(self) -> bool | None:
        """Whether the score says yes, as a judge's would: above 6; None where there is none."""
        return None if self.score is None else self.score > THRESHOLD


def load_judge_audit(run_path: Path | str) -> tuple[AuditDecision, ...]:
    """The decisions that hold, neither undone nor an undo, oldest first; none where no audit was begun.

    A last line that was torn by a crash, or is just being written, is left out.

    Raises:
        InputError: a line that is no decision; names it.
    """
    path = audit_folder(run_path) / DECISIONS
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    whole = data[: data.rfind(b"\n") + 1].split(b"\n")
    records = [_parsed(line, path, number) for number, line in enumerate(whole, 1) if line.strip()]
    undone = {record.undoes for record in records if record.decision == "undo"}
    return tuple(record for record in records if record.decision != "undo" and record.id not in undone)


def last_scores(decisions: Iterable[AuditDecision]) -> dict[tuple[str, int], AuditDecision]:
    """Per (reviewer, item) the last score or skip: of several by one person, that one counts."""
    return {(one.reviewer, one.number): one for one in decisions if one.decision in ("score", "skip")}


def _parsed(line: bytes, path: Path, number: int) -> AuditDecision:
    try:
        record = AuditDecision.model_validate(json.loads(line))
        if record.decision == "score" and record.score is None:
            raise InputError("a score without a number; mend or delete the line", path=path, line=number)
    except ValidationError as fault:
        told = complaint(fault, "decision")
        raise InputError(f"{told}; mend or delete the line", path=path, line=number) from None
    except (ValueError, RecursionError):
        raise InputError("not a JSON object; mend or delete the line", path=path, line=number) from None
    return record


# The judge audit of a run in figures, for the report and for `evolif review --judge RUN --stats`.


class _Verdict(NamedTuple):
    model: str
    group: str
    accepted: bool


def judge_audit_summary(run: Run) -> list[JudgeAuditRow]:
    """How far persons agree with the run's judge; empty where nobody has scored an answer.

    First the rows of all persons together (`reviewer` empty), then, where there are several, those of each. In each the
    first row is of all groups (`group` empty), the others of one group each.

    Raises:
        UsageError: the sample, the decisions and the run do not belong together.
    """
    decisions = last_scores(load_judge_audit(run.path)).values()
    if not any(one.score is not None for one in decisions):
        return []
    sample = load_sample(run.path)
    if sample is None:
        raise UsageError(f"the judge audit of {run.path} has decisions but no sample; restore its sample.json")
    verdicts = _verdicts(run, sample)
    rows = _rows(run, sample, verdicts, decisions, "")
    names = sorted({one.reviewer for one in decisions if one.score is not None})
    for name in names if len(names) > 1 else ():
        rows += _rows(run, sample, verdicts, [one for one in decisions if one.reviewer == name], name)
    return rows


def _rows(
    run: Run, sample: Sample, verdicts: Mapping[int, _Verdict], decisions: Iterable[AuditDecision], reviewer: str
) -> list[JudgeAuditRow]:
    scores: defaultdict[int, list[int]] = defaultdict(list)
    seen: set[int] = set()
    for one in decisions:
        if one.number not in verdicts:
            raise UsageError(f"the judge audit of {run.path} decides on answer {one.item}, which its sample lacks")
        seen.add(one.number)
        if one.score is not None:
            scores[one.number].append(one.score)
    held = {cell[:3] for cell in sample.population}
    if not all((one.group, one.accepted, one.model) in held for one in verdicts.values()):
        raise UsageError(f"the judge audit of {run.path} was drawn from other answers; restore its sample.json")
    said = together(scores, THRESHOLD)
    compared = [
        JudgedPair(verdicts[number].group, verdicts[number].accepted, verdicts[number].model, person)
        for number, person in sorted(said.items())
    ]
    skipped = [verdicts[number].group for number in sorted(seen - said.keys())]
    return agreement_rows(compared, sample.population, skipped, reviewer)


def _verdicts(run: Run, sample: Sample) -> dict[int, _Verdict]:
    """The judge's verdict on each item of the sample, by number."""
    asked = subjective_of(run)
    sessions = dict(run.store.sessions())
    turns = {
        (number, turn.turn): turn for number in {p.session for p in sample.places} for turn in run.store.turns(number)
    }
    found = {}
    for number, place in enumerate(sample.places, 1):
        session, record = sessions.get(place.session), turns.get((place.session, place.turn))
        subjective: tuple[tuple[int, str], ...] = ()
        if session is not None:
            subjective = asked.get((session.dialogue, place.turn), ())
        accepted = verdict_at(record, subjective, place.constraint) if record is not None else None
        if session is None or accepted is None:
            raise UsageError(f"{run.path} has no verdict on answer {number} of its judge audit; restore the run")
        found[number] = _Verdict(session.model, dict(subjective)[place.constraint], accepted)
    return found


# The judge audit in plain lines, for a terminal.


def judge_audit_lines(rows: Iterable[JudgeAuditRow]) -> list[str]:
    """One line a row, under the reviewer; fit for a terminal, whatever the names hold.

    Args:
        rows: As `judge_audit_summary` gives them.
    """
    lines: list[str] = []
    last: str | None = None
    told = list(rows)
    everybody = "all persons together" if any(row.reviewer for row in told) else "a person"
    for row in told:
        if row.reviewer != last:
            lines.append(f"The judge beside {_shown(row.reviewer) or everybody}:")
            last = row.reviewer
        lines.append("; ".join(_parts(row)))
    return lines


def _parts(row: JudgeAuditRow) -> Iterator[str]:
    skipped = f", {row.skipped} skipped" if row.skipped else ""
    yield f"  {_shown(row.group) or 'all groups'}: {row.scored} scored{skipped}"
    if row.scored:
        yield f"same verdict {_told(row.overall)}"
        yield f"where the judge accepts {_told(row.when_accepted)}"
        yield f"where it rejects {_told(row.when_rejected)}"
        yield f"κ {_kappa(row)}"
    if row.uncovered:
        yield f"nothing is known of {row.uncovered} of {row.uncovered + row.answers} judged answers"


def _shown(name: str) -> str:
    """A foreign name without anything that commands a terminal or turns the reading order."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name[:60])


def _told(share: RunShare) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "not scored"
    ends = f"{100 * share.low:.0f}–{100 * share.high:.0f}"
    return f"{100 * share.value:.0f} % ({ends}, {share.hits} of {share.items} scored)"


def _kappa(row: JudgeAuditRow) -> str:
    if row.kappa is None:
        return "undefined"
    if row.kappa_low is None or row.kappa_high is None:
        return f"{row.kappa:.2f} (too few for an interval)"
    return f"{row.kappa:.2f} ({row.kappa_low:.2f} to {row.kappa_high:.2f})"

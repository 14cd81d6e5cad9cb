"""A reply as all items of a checklist read it: each view is made once, on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from evolif.scenarios.broadcast.arguments import one_of, required
from evolif.scenarios.broadcast.checklist import CASES
from evolif.scenarios.broadcast.clock import SPORTS
from evolif.scenarios.broadcast.faceoffs import StatedFaceoff, faceoffs_in
from evolif.scenarios.broadcast.facts import Fact, facts_in
from evolif.scenarios.broadcast.reading import FIRST_VERSION, READING_VERSION, chosen_letter, letter_of, lines_of
from evolif.scenarios.broadcast.reading_answer import (
    final_part,
    under_names,
    unescaped,
    with_bare_headings,
    with_team_totals,
    with_totals,
    with_zeros,
    without_marks,
    without_rows,
    without_ruled_out,
    without_thinking,
)
from evolif.scenarios.broadcast.reading_changes import StatedLeadChange, changes_in, count_in, fields_joined
from evolif.scenarios.broadcast.reading_denied import with_latest_scores, without_denied
from evolif.scenarios.broadcast.reading_impact import Lead, leads_in, leads_in_order, percent_in, top_player_in
from evolif.scenarios.broadcast.reading_names import table_of
from evolif.scenarios.broadcast.reading_score import Score, score_in
from evolif.scenarios.broadcast.reading_statistics import StatisticsLine, statistics_in
from evolif.scenarios.broadcast.tags import SummaryCheck, body_of, check_summary, cut_blocks
from evolif.text import readable

_View = TypeVar("_View")
_Event = TypeVar("_Event", Fact, StatedFaceoff)


def answer_of(turn: Mapping[str, Any], reply: str) -> str:
    """A reply to a turn without what it thinks in tags; turns of the first version keep that."""
    return reply if _version_of(turn) == FIRST_VERSION else without_thinking(reply)


def _version_of(turn: Mapping[str, Any]) -> int:
    version: int = turn.get("reading") or READING_VERSION
    return version


class ReadReply:
    """A reply to a turn.

    Args:
        turn: With `names`, and its `question` where the period goes without saying.
        reply: The reply; of one that is longer than 64 KiB nothing is read.

    Raises:
        ArgumentError: the names are of the wrong kind.
    """

    def __init__(self, turn: Mapping[str, Any], reply: str) -> None:
        self.turn = turn
        self.version = _version_of(turn)
        self.reply = answer_of(turn, readable(reply))
        names = required("the turn", turn, "names")
        self.table = table_of(names)
        self.sport = one_of("sport", required("names", names, "sport"), tuple(SPORTS))
        self.taken: dict[str, set[int]] = {}
        """Which events have satisfied an item, by what the items ask for."""

    @cached_property
    def lines(self) -> Sequence[str]:
        """Its folded lines."""
        if self.version == FIRST_VERSION:
            return lines_of(self.reply)
        return without_denied(lines_of(unescaped(self.reply)), self.table)

    @cached_property
    def _answers(self) -> Sequence[Sequence[str]]:
        """The lines in which an answer is looked for: those under the last heading for one, then all."""
        final = self.lines if self.version == FIRST_VERSION else final_part(self.lines)
        return (self.lines,) if final is self.lines else (final, self.lines)

    def _first(self, read: Callable[[Sequence[str]], _View], enough: Callable[[_View], bool]) -> _View:
        """What the final answer tells if it tells enough, else what the whole reply does."""
        *finals, everything = self._answers
        return next((view for lines in finals if enough(view := read(lines))), None) or read(everything)

    @cached_property
    def body(self) -> str:
        """What it says after its line of tags, without blocks; since version 2 without signs for bold letters."""
        body = body_of(self.reply)
        return body if self.version == FIRST_VERSION else without_marks(body)

    @cached_property
    def summary(self) -> SummaryCheck:
        """What its summary is like."""
        return check_summary(self.reply)

    @cached_property
    def score(self) -> Score:
        """The score that it tells, outside of summaries."""
        rest, inside = cut_blocks(self.reply, "Summary")
        if self.version == FIRST_VERSION:
            return score_in(lines_of(rest) if inside else self.lines, self.table, self.sport)
        told = without_denied(with_zeros(lines_of(unescaped(rest))), self.table)
        latest = with_latest_scores(with_totals(told, self.table), self.table, self.sport)
        lines = with_team_totals(latest, self.table)
        final = score_in(final_part(lines), self.table, self.sport)
        return final if len(final) == len(self.table.teams) else score_in(lines, self.table, self.sport)

    @cached_property
    def facts(self) -> Sequence[Fact]:
        """Who scored how many points when."""

        def read(lines: Sequence[str]) -> Sequence[Fact]:
            own = lines if self.version == FIRST_VERSION else with_bare_headings(lines, self.table, self.sport)
            return facts_in(own, self.table, self.sport, self._only_period())

        return self._events(read)

    @cached_property
    def faceoffs(self) -> Sequence[StatedFaceoff]:
        """Who won against whom when."""

        def read(lines: Sequence[str]) -> Sequence[StatedFaceoff]:
            own = lines if self.version == FIRST_VERSION else under_names(lines, self.table, self.sport)
            return faceoffs_in(own, self.table, self.sport, self._only_period())

        return self._events(read)

    def _events(self, read: Callable[[Sequence[str]], Sequence[_Event]]) -> Sequence[_Event]:
        """The events that it tells, without those that it rules out.

        Rows of the ticker that it repeats are none where it also tells some itself.
        """
        if self.version == FIRST_VERSION:
            return read(self.lines)
        for lines in map(without_ruled_out, self._answers):
            for own in (without_rows(lines), lines):
                found = read(own)
                if any(event.is_whole for event in found):
                    return found
        return read(without_ruled_out(self.lines))

    @cached_property
    def changes(self) -> Sequence[StatedLeadChange]:
        """The changes of the lead that it lists."""
        if self.version == FIRST_VERSION:
            return changes_in(self.lines, self.table, self.sport)

        def read(lines: Sequence[str]) -> Sequence[StatedLeadChange]:
            own = without_ruled_out(lines)
            found = changes_in(own, self.table, self.sport)
            return found or changes_in(fields_joined(own, self.table, self.sport), self.table, self.sport)

        return self._first(read, bool)

    @cached_property
    def count(self) -> float | None:
        """How many changes of the lead it says there were."""
        return self._first(lambda lines: count_in(lines, self.changes, self.sport), lambda count: count is not None)

    @cached_property
    def leads(self) -> Mapping[str, Lead]:
        """Who would lead in either case."""
        if self.version == FIRST_VERSION:
            return leads_in(self.lines, self.table, self.sport)

        def read(lines: Sequence[str]) -> Mapping[str, Lead]:
            plain = [line.replace("by 0 points", "by 0") for line in lines]  # no case of `0 points`
            return leads_in(plain, self.table, self.sport) or leads_in_order(plain, self.table, self.sport)

        return self._first(read, lambda leads: len(leads) == len(CASES))

    @cached_property
    def top_player(self) -> str | None:
        """Whom it names as the best."""
        return self._first(lambda lines: top_player_in(lines, self.table), lambda player: player is not None)

    @cached_property
    def letter(self) -> str | None:
        """Its answer to a problem."""
        letter = letter_of(self.reply)
        return letter if letter or self.version == FIRST_VERSION else chosen_letter(self.reply)

    @cached_property
    def statistics(self) -> Sequence[StatisticsLine]:
        """Its lines of statistics."""
        return statistics_in(self.reply, self.table, self.sport)

    def percent(self, name: str) -> float | None:
        """The percentage points that it says are lost or gained."""
        return self._first(lambda lines: percent_in(lines, name, self.sport), lambda share: share is not None)

    def is_anchor(self, event: Fact | StatedFaceoff) -> bool:
        """Whether it is nothing but the event that an anchored question starts from, told again."""
        question = self.turn.get("question") or {}
        anchor = question.get("anchor")
        if not anchor:
            return False
        moment = {"period": anchor[0], "clock": anchor[1]}
        if isinstance(event, Fact):
            return event.player == question.get("player") and event.is_at(moment, self.sport)
        pair = (question.get("player"), question.get("opponent"))
        return (event.winner, event.loser) == pair and len(event.moments) == 1 and event.is_at(moment, self.sport)

    def _only_period(self) -> int | None:
        """The period of an interval that lies in one."""
        question = self.turn.get("question") or {}
        start, end = question.get("start"), question.get("end")
        return start[0] if start and end and start[0] == end[0] else None

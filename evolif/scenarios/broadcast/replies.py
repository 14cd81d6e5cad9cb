"""A reply as all items of a checklist read it: each view is made once, on first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from evolif.scenarios.broadcast.arguments import one_of, required
from evolif.scenarios.broadcast.clock import SPORTS
from evolif.scenarios.broadcast.faceoffs import StatedFaceoff, faceoffs_in
from evolif.scenarios.broadcast.facts import Fact, facts_in
from evolif.scenarios.broadcast.reading import letter_of, lines_of
from evolif.scenarios.broadcast.reading_changes import StatedLeadChange, changes_in, count_in
from evolif.scenarios.broadcast.reading_impact import Lead, leads_in, percent_in, top_player_in
from evolif.scenarios.broadcast.reading_names import table_of
from evolif.scenarios.broadcast.reading_score import Score, score_in
from evolif.scenarios.broadcast.reading_statistics import StatisticsLine, statistics_in
from evolif.scenarios.broadcast.tags import SummaryCheck, body_of, check_summary, cut_blocks
from evolif.text import readable


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
        self.reply = readable(reply)
        names = required("the turn", turn, "names")
        self.table = table_of(names)
        self.sport = one_of("sport", required("names", names, "sport"), tuple(SPORTS))
        self.taken: dict[str, set[int]] = {}
        """Which events have satisfied an item, by what the items ask for."""

    @cached_property
    def lines(self) -> Sequence[str]:
        """Its folded lines."""
        return lines_of(self.reply)

    @cached_property
    def body(self) -> str:
        """What it says after its line of tags, without blocks."""
        return body_of(self.reply)

    @cached_property
    def summary(self) -> SummaryCheck:
        """What its summary is like."""
        return check_summary(self.reply)

    @cached_property
    def score(self) -> Score:
        """The score that it tells, outside of summaries."""
        rest, inside = cut_blocks(self.reply, "Summary")
        return score_in(lines_of(rest) if inside else self.lines, self.table, self.sport)

    @cached_property
    def facts(self) -> Sequence[Fact]:
        """Who scored how many points when."""
        return facts_in(self.lines, self.table, self.sport, self._only_period())

    @cached_property
    def faceoffs(self) -> Sequence[StatedFaceoff]:
        """Who won against whom when."""
        return faceoffs_in(self.lines, self.table, self.sport, self._only_period())

    @cached_property
    def changes(self) -> Sequence[StatedLeadChange]:
        """The changes of the lead that it lists."""
        return changes_in(self.lines, self.table, self.sport)

    @cached_property
    def count(self) -> float | None:
        """How many changes of the lead it says there were."""
        return count_in(self.lines, self.changes, self.sport)

    @cached_property
    def leads(self) -> Mapping[str, Lead]:
        """Who would lead in either case."""
        return leads_in(self.lines, self.table, self.sport)

    @cached_property
    def top_player(self) -> str | None:
        """Whom it names as the best."""
        return top_player_in(self.lines, self.table)

    @cached_property
    def letter(self) -> str | None:
        """Its answer to a problem."""
        return letter_of(self.reply)

    @cached_property
    def statistics(self) -> Sequence[StatisticsLine]:
        """Its lines of statistics."""
        return statistics_in(self.reply, self.table, self.sport)

    def percent(self, name: str) -> float | None:
        """The percentage points that it says are lost or gained."""
        return percent_in(self.lines, name, self.sport)

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

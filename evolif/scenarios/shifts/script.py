"""What is agreed in a dialogue with shifting topics: its tasks, and the acts of every turn, before any word."""

from __future__ import annotations

from dataclasses import dataclass, field

from evolif.scenarios.shifts.dialogue import Act, Value
from evolif.scenarios.shifts.outline import COUNTS, EDITION, MOST_ACTS, Beat, Counts, Outline, draw_outline
from evolif.scenarios.shifts.tasks import Hold, Slot, TaskType, beside, usable_task, usable_tasks
from evolif.util.rng import Stream

_MOST_ITEMS = 4
_MOST_REFINEMENTS = {1: 2, 2: 1}
"""Of one slot, by edition."""


@dataclass(slots=True)
class Script:
    """A dialogue before its words."""

    outline: Outline
    main: TaskType
    others: list[TaskType]
    fork: Slot
    versions: list[Value]
    """The values of the fork slot."""
    acts: list[list[Act]]
    """Of each turn; questions are added with the words."""


@dataclass(slots=True)
class _Values:
    """The values of one dialogue: they differ, and none contains another, however it is said."""

    stream: Stream
    used: list[str] = field(default_factory=list)

    def take(self, slot: Slot) -> Value | None:
        """A value that nothing else in the dialogue has; None if there is none."""
        if slot.type == "yes_no":
            return self.stream.below(2) == 1
        count = len(slot.values)
        start = self.stream.below(count)
        for at in range(start, start + count):
            value = slot.values[at % count]
            forms = {str(value).lower(), slot.say(value).lower()}
            if not any(form in other or other in form for form in forms for other in self.used):
                self.used += forms
                return value
        return None


def draw_script(stream: Stream, rounds: int, hold: Hold, edition: int = EDITION) -> Script | None:
    """Draw what happens in a dialogue of an edition.

    Returns:
        None if what was drawn does not fit; then draw once more.
    """
    outline = draw_outline(stream, rounds, edition)
    if outline is None:
        return None
    main = usable_task(stream.choice(usable_tasks(hold, edition)), hold, edition)
    count = max(topic or 0 for topic in outline.topics)
    others = _other_tasks(stream, main, count, hold, edition)
    if others is None:
        return None
    fork = stream.choice([slot for slot in main.slots if slot.fork])
    values = _Values(stream)
    versions = [values.take(fork) for _ in range(outline.versions)]
    room = sum(beat.room for beat in outline.beats)
    chains = _chains(stream, main, fork, values, COUNTS[rounds], room, _MOST_REFINEMENTS[edition])
    acts = None if chains is None else _place(stream, outline.beats, chains, evenly=edition > 1)
    if acts is None:
        return None
    wanted = [version for version in versions if version is not None]
    if len(wanted) < len(versions) or not _fork_acts(outline, fork, wanted, acts):
        return None
    for number, task in enumerate(others, 1):
        topic = outline.topics.index(number)
        own = [turn for turn, beat in enumerate(outline.beats) if beat.topic == topic]
        if not _other_acts(stream, task, own, values, acts):
            return None
    return Script(outline, main, others, fork, wanted, acts)


def _other_tasks(stream: Stream, main: TaskType, count: int, hold: Hold, edition: int) -> list[TaskType] | None:
    found: list[TaskType] = []
    ids = usable_tasks(hold, edition)
    for task in stream.sample(ids, min(len(ids), 4 * count + 4)):
        other = beside(main.id, task, hold, edition)
        if other is not None and len(found) < count:
            found.append(other)
    return found if len(found) == count else None


def _fork_acts(outline: Outline, fork: Slot, versions: list[Value], acts: list[list[Act]]) -> bool:
    for beat, own in zip(outline.beats, acts, strict=True):
        if beat.sets_fork:
            own.insert(0, Act("set", fork.key, versions[0]))
        elif beat.old is not None:
            own.insert(0, Act("set", fork.key, versions[beat.version], versions[beat.old]))
    return all(len(own) <= MOST_ACTS for own in acts)


def _chains(
    stream: Stream, main: TaskType, fork: Slot, values: _Values, counts: Counts, room: int, often: int
) -> list[list[Act]] | None:
    """The acts of the main topic but those of the fork slot: for each slot and item, in order.

    Args:
        stream: Chance.
        main: The task.
        fork: The slot whose alternatives are tried.
        values: Those that are taken.
        counts: What there is at least.
        room: How many acts fit.
        often: How often a slot may change.
    """
    scalars = stream.sample(
        [slot for slot in main.slots if slot.type != "item" and slot is not fork], len(main.slots) - 1 - _lists(main)
    )
    lists = stream.sample([slot for slot in main.slots if slot.type == "item"], _lists(main))
    spare = room - (counts.goals - 1 + counts.refinements + counts.dropped)
    goals = counts.goals + (spare > 1 and stream.below(2))
    cancelled = stream.between(0, counts.dropped) if any(slot.withdraw for slot in scalars) else counts.dropped
    if often == 1:  # what is given up did not change before, as far as there are slots enough
        cancelled = max(cancelled, counts.dropped + counts.refinements - len(scalars))
    withdrawn = counts.dropped - cancelled
    items = cancelled + stream.between(1, _MOST_ITEMS - 1) if cancelled else stream.below(_MOST_ITEMS)
    single = min(
        max(goals - 1 - items, withdrawn + (counts.refinements if often == 1 else (counts.refinements + 1) // often)),
        len(scalars),
    )
    items = max(items, goals - 1 - single)
    chains = _item_chains(stream, lists, items, cancelled, values)
    chains += _scalar_chains(stream, scalars, single, withdrawn, counts.refinements, values, often)
    acts = [act for chain in chains for act in chain]
    short = sum(act.name == "refine" for act in acts) < counts.refinements
    short |= sum(act.name in ("cancel", "withdraw") for act in acts) < counts.dropped
    return None if short or len(chains) + 1 < counts.goals or len(acts) > room else chains


def _lists(main: TaskType) -> int:
    return sum(slot.type == "item" for slot in main.slots)


def _item_chains(stream: Stream, lists: list[Slot], count: int, cancelled: int, values: _Values) -> list[list[Act]]:
    """Items that are added; the last ones of the first list are cancelled later, never all."""
    elsewhere = stream.below(count - cancelled) if count > cancelled + 1 and len(lists) > 1 else 0
    chains = []
    for at in range(count):
        slot = lists[1] if at < elsewhere else lists[0]
        value = values.take(slot)
        if value is not None:
            chains.append([Act("add", slot.key, value)])
            if at >= count - cancelled and len(chains) > 1:
                chains[-1].append(Act("cancel", slot.key, value))
    return chains


def _scalar_chains(
    stream: Stream, slots: list[Slot], count: int, withdrawn: int, refinements: int, values: _Values, often: int
) -> list[list[Act]]:
    chains = []
    ending = [slot for slot in slots if slot.withdraw and not slot.fork][:withdrawn]
    chosen = ending + [slot for slot in slots if slot not in ending][: count - len(ending)]
    for at, slot in enumerate(chosen):
        value = values.take(slot)
        if value is None:
            continue
        chain = [Act("set", slot.key, value)]
        left = len(chosen) - at - 1
        least = max(0, refinements - often * left)
        more = min(1 if slot.type == "yes_no" else often, refinements)
        for _ in range(stream.between(min(least, more), more)):
            new = not value if slot.type == "yes_no" else values.take(slot)
            if new is not None:
                chain.append(Act("refine", slot.key, new, value))
                value = new
                refinements -= 1
        if slot in ending:
            chain.append(Act("withdraw", slot.key, None, value))
        chains.append(chain)
    return chains


def _place(stream: Stream, beats: list[Beat], chains: list[list[Act]], *, evenly: bool) -> list[list[Act]] | None:
    """Spread acts over the turns of the chosen branch; two acts on the same thing never share a turn."""
    acts: list[list[Act]] = [[] for _ in beats]
    quotas = _quotas(stream, beats, sum(map(len, chains)), evenly=evenly)
    turns = [turn for turn, quota in enumerate(quotas) if quota]
    left = [list(reversed(chain)) for chain in chains]
    for place, turn in enumerate(turns):
        remaining = len(turns) - place
        waiting = [chain for chain in left if chain]
        # A chain that is as long as there are turns left cannot wait any more.
        chosen = [chain for chain in waiting if len(chain) >= remaining]
        others = [chain for chain in waiting if len(chain) < remaining]
        if len(chosen) > quotas[turn]:
            return None
        while others and len(chosen) < quotas[turn]:
            one = stream.weighted([(at, len(chain) ** 2) for at, chain in enumerate(others)])
            chosen.append(others.pop(one))
        acts[turn] = [chain.pop() for chain in chosen]
    return None if any(left) else acts


def _quotas(stream: Stream, beats: list[Beat], count: int, *, evenly: bool) -> list[int]:
    """How many acts each turn has; turns that have few get more, the opening at least one where it may.

    Evenly, a turn gets a second one only when all have one.
    """
    quotas = [0] * len(beats)
    open_turns = [turn for turn, beat in enumerate(beats) if beat.room]
    if not open_turns:
        return quotas
    for done in range(count):
        roomy = [turn for turn in open_turns if quotas[turn] < beats[turn].room]
        if not roomy:
            break
        if evenly and done:
            few = min(quotas[turn] for turn in roomy)
            quotas[stream.choice([turn for turn in roomy if quotas[turn] == few])] += 1
            continue
        first, second = (0, 0) if not done else (stream.below(len(roomy)), stream.below(len(roomy)))
        quotas[min(roomy[first], roomy[second], key=lambda turn: quotas[turn] + (beats[turn].move == "return"))] += 1
    return quotas


def _other_acts(stream: Stream, task: TaskType, turns: list[int], values: _Values, acts: list[list[Act]]) -> bool:
    """The goals of another topic, which nobody asks for in the end."""
    slots = stream.sample(task.slots, len(task.slots))
    stated: list[tuple[Slot, Value]] = []
    for place, turn in enumerate(turns):
        for _ in range(1 + (place == 0 and stream.below(4) == 0)):
            kind = "set" if place == 0 or not stated else stream.weighted((("set", 4), ("refine", 3), ("none", 3)))
            act = _other_act(stream, kind, slots, stated, values)
            if act is not None:
                acts[turn].append(act)
    return bool(acts[turns[0]])


def _other_act(
    stream: Stream, kind: str, slots: list[Slot], stated: list[tuple[Slot, Value]], values: _Values
) -> Act | None:
    if kind == "set" and slots:
        slot = slots.pop()
        value = values.take(slot)
        if value is None:
            return None
        if slot.type == "item":
            return Act("add", slot.key, value)
        stated.append((slot, value))
        return Act("set", slot.key, value)
    if kind == "refine" and stated:
        slot, old = stated.pop(stream.below(len(stated)))
        new = not old if slot.type == "yes_no" else values.take(slot)
        return None if new is None else Act("refine", slot.key, new, old)
    return None

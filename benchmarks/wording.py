"""Count what a program can count of the template's wording: `python benchmarks/wording.py [--seeds N] [--check]`.

Prints the rows of the table in docs/synthesis.md as Markdown, over sets of 60 dialogues of 12 turns of the profiles
`objective` and `extended`, drawn from seeds that no other script uses. Values (quoted words, numbers, marks, emoji),
the task and the topic's title are taken out of a query before its words are compared.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from time import perf_counter

from evolif.scenarios.instructions.queries import check_query
from evolif.scenarios.instructions.synthesis import TemplateSynthesizer, load_personas, persona_for
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.turns import ScriptTurn, Turn

DIALOGUES, TURNS = 60, 12
FIRST_SEED = 515_000
RUN, GRAM, BEGINNING = 6, 4, 5
SHARE = 0.01
"""A beginning is common if more than this share of its register's queries have it."""
_VALUES = re.compile(r"“[^”]*”|\"[^\"]*\"|‘[^’]{0,3}’|\d[\d.,%]*|[^\w\s'’.,;:!?()-]")
_WORDS = re.compile(r"\w+(?:['’-]\w+)*")


def worded(profile: str, seed: int, dialogues: int = DIALOGUES, turns: int = TURNS) -> list[list[Turn]]:
    """A set's dialogues, and nothing on disk."""
    spec = ScriptSpec(load_profile(profile), load_topics(), seed)
    personas, synthesizer = load_personas(), TemplateSynthesizer(seed)
    return [
        [with_words(turn, synthesizer, personas, seed) for turn in islice(script(spec, number), turns)]
        for number in range(1, dialogues + 1)
    ]


def with_words(turn: ScriptTurn, synthesizer: TemplateSynthesizer, personas: Sequence, seed: int) -> Turn:  # type: ignore[type-arg]
    """A scripted turn with the template's query."""
    persona = persona_for(tuple(personas), seed, turn.dialogue)
    query = synthesizer.say(turn, persona)
    return Turn(
        turn.dialogue, turn.turn, turn.topic, turn.move, turn.operations, turn.constraints, persona, query, "template"
    )


def segments(turn: Turn) -> list[list[str]]:
    """The wording of a query, in small letters and cut where the task, the title or a value stands."""
    text = turn.query.replace(turn.topic.prompt, "\0")
    if turn.topic.title:
        text = re.sub(re.escape(turn.topic.title), "\0", text, flags=re.IGNORECASE)
    return [_WORDS.findall(part.casefold()) for part in _VALUES.sub("\0", text).split("\0")]


def runs(parts: Iterable[Sequence[str]], length: int) -> Iterator[tuple[str, ...]]:
    """All runs of that many words."""
    for part in parts:
        yield from (tuple(part[at : at + length]) for at in range(len(part) - length + 1))


def repeats(dialogue: Sequence[Turn]) -> bool:
    """Whether two turns share a run of six words."""
    seen: set[tuple[str, ...]] = set()
    for turn in dialogue:
        own = set(runs(segments(turn), RUN))
        if own & seen:
            return True
        seen |= own
    return False


def distinct(dialogues: Iterable[Sequence[Turn]]) -> float:
    """Different runs of four words over all of them, in one set."""
    grams = [gram for dialogue in dialogues for turn in dialogue for gram in runs(segments(turn), GRAM)]
    return len(set(grams)) / len(grams)


def common_beginnings(queries: Sequence[str]) -> float:
    """The share of queries whose first five words more than a hundredth of them have."""
    beginnings = Counter(" ".join(_WORDS.findall(query.casefold())[:BEGINNING]) for query in queries)
    return sum(count for count in beginnings.values() if count > SHARE * len(queries)) / len(queries)


def speed(profile: str, seed: int) -> float:
    """Queries a second on one core, scripts apart."""
    spec = ScriptSpec(load_profile(profile), load_topics(), seed)
    scripts = [list(islice(script(spec, number), TURNS)) for number in range(1, DIALOGUES + 1)]
    personas = load_personas()
    for fresh in (True, False):  # the first time reads the data files
        synthesizer, begun = TemplateSynthesizer(seed), perf_counter()
        for turns in scripts:
            for turn in turns:
                synthesizer.say(turn, persona_for(personas, seed, turn.dialogue))
        if not fresh:
            break
    return DIALOGUES * TURNS / (perf_counter() - begun)


def rows(profile: str, seeds: Sequence[int], *, check: bool) -> Iterator[tuple[str, str]]:
    """The measures of a profile."""
    sets = [worded(profile, seed) for seed in seeds]
    dialogues = [dialogue for one in sets for dialogue in one]
    turns = [turn for dialogue in dialogues for turn in dialogue]
    own = [turn.query.replace(turn.topic.prompt, "") for turn in turns]
    yield "queries", str(len(turns))
    yield (
        "with a parenthesis",
        f"{sum('(' in text and not _shows(turn) for turn, text in zip(turns, own, strict=True)) / len(turns):.1%}",
    )
    yield "dialogues that repeat a run of six words over turns", f"{sum(map(repeats, dialogues)) / len(dialogues):.1%}"
    yield f"distinct {GRAM}-grams in a set", f"{sum(map(distinct, sets)) / len(sets):.2f}"
    lengths = sorted(len(_WORDS.findall(text)) for text in own)
    yield (
        "words beside the task: median, 5 % and 95 %",
        f"{lengths[len(lengths) // 2]}, {lengths[len(lengths) // 20]}, {lengths[-len(lengths) // 20]}",
    )
    if check:
        rejected = [turn for turn in turns if check_query(turn, turn.query)]
        yield "rejected by check_query", f"{len(rejected)} of {len(turns)}"


def _shows(turn: Turn) -> bool:
    """Whether the change itself is about parentheses."""
    operation = turn.operation
    return any(
        value in "()（）"
        for params in (operation.before, operation.after)
        if params
        for value in map(str, params.values())
    )


def beginnings(profile: str, seed: int, wanted: int = 2000) -> dict[str, float]:
    """Per register the share of queries with a common beginning, over so many queries of it, new topics apart."""
    by_register: dict[str, list[str]] = {}
    spec, personas, synthesizer = (
        ScriptSpec(load_profile(profile), load_topics(), seed),
        load_personas(),
        TemplateSynthesizer(seed),
    )
    dialogue = 0
    while len(by_register) < 5 or min(map(len, by_register.values())) < wanted:
        dialogue += 1
        persona = persona_for(personas, seed, dialogue)
        queries = by_register.setdefault(persona.register, [])
        if len(queries) < wanted:
            turns = islice(script(spec, dialogue), TURNS)
            said = [(turn.move, synthesizer.say(turn, persona)) for turn in turns]
            queries += [query for move, query in said if move != "new"]
    return {register: common_beginnings(queries[:wanted]) for register, queries in sorted(by_register.items())}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3, help="sets per profile (default: 3)")
    parser.add_argument("--check", action="store_true", help="also read every query with check_query, which is slow")
    options = parser.parse_args()
    for profile in ("objective", "extended"):
        print(f"### {profile}\n\n| measure | value |\n|---|---|")
        for name, value in rows(profile, range(FIRST_SEED, FIRST_SEED + options.seeds), check=options.check):
            print(f"| {name} | {value} |")
        for register, share in beginnings(profile, FIRST_SEED).items():
            print(f"| first five words shared by more than 1 %, of 2,000 {register} queries | {share:.1%} |")
        print(f"| queries a second on one core | {speed(profile, FIRST_SEED):,.0f} |\n")


if __name__ == "__main__":
    main()

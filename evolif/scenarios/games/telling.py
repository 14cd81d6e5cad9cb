"""What a scripted player says of an image, in plain English: things, rows, cells, counts, and answers to questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from evolif.scenarios.games.scenes import VALUES, Cell
from evolif.scenarios.games.speech import Speech
from evolif.scenarios.games.statements import Kind, Place, Remark, Statement, Things, is_of

GO_ON: Final = "Go on."
_NOT_YET, _OTHERWISE = "did not understand", "in other words"
_ASK_BACK: Final = (f"I {_NOT_YET} that. Could you say it {_OTHERWISE}?", f"Could you say that {_OTHERWISE}?")
ALL_TOLD: Final = "I have told you everything."
_WORDS: Final = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_GREEK: Final = {"five": "pentagon", "six": "hexagon", "seven": "heptagon"}


def thing_words(thing: Mapping[str, str]) -> str:
    """A thing in words, without an article: `large striped red star`, `small wide hexagon with a dent`."""
    if "form" not in thing and "outline" not in thing and "corners" not in thing:
        words = [thing[name] for name in VALUES if name in thing]
        return " ".join(words if "shape" in thing else [*words, "object"])
    words = [thing.get("size", ""), thing.get("form", ""), _GREEK.get(thing.get("corners", ""), "shape")]
    said = " ".join(word for word in words if word)
    if "outline" in thing:
        said += " with a dent" if thing["outline"] == "dented" else " without a dent"
    return said


def with_article(words: str) -> str:
    """Words with `a` or `an`."""
    return f"{'an' if words[:1] in tuple('aeiou') else 'a'} {words}"


def counted(kind: Kind, count: int) -> str:
    """So many things of a kind: `three red stars`, `only one object`."""
    words = thing_words(dict(kind))
    number = _WORDS[count] if count < len(_WORDS) else str(count)
    if count == 1:
        return f"only one {words}"
    head, space, tail = words.partition(" with")
    return f"{number} {head}{'es' if head.endswith('s') else 's'}{space}{tail}"


def cell_words(cell: Cell) -> str:
    """A cell: `row 3, column 2`."""
    return f"row {cell[0]}, column {cell[1]}"


def place_words(place: Place) -> str:
    """A place as one says it, with its preposition."""
    if len(place.cells) == 1:
        [cell] = place.cells
        return f"in {cell_words(cell)}"
    return f"in {place.name if place.name[-1:].isdigit() else f'the {place.name}'}"


def is_meta(text: str) -> bool:
    """Whether a turn is about the talk itself."""
    return any(phrase in text for phrase in (GO_ON, _NOT_YET, _OTHERWISE))


def is_lost(text: str, remarks: Sequence[Remark]) -> bool:
    """Whether nothing of a partner's turn was understood, though it says something about the game."""
    if is_meta(text):
        return False
    return bool(remarks) and all(remark.act == "unread" for remark in remarks)


def say_cell(things: Things, cell: Cell) -> Sequence[str]:
    """What lies in a cell, the fullest form first; the last does not say where."""
    if cell not in things:
        return (
            f"There is nothing in {cell_words(cell)}.",
            f"Row {cell[0]}, column {cell[1]}: nothing.",
            "Nothing there.",
        )
    words = with_article(thing_words(things[cell]))
    return (
        f"There is {words} in {cell_words(cell)}.",
        f"Row {cell[0]}, column {cell[1]}: {words}.",
        f"{words.capitalize()}.",
    )


def add_first(speech: Speech, forms: Iterable[str]) -> bool:
    """Say the first form that fits."""
    return any(speech.add(form) for form in forms)


def ask_back(speech: Speech, own: Iterable[str]) -> None:
    """Say that the partner was not understood, but only once in a dialogue."""
    if not any(_OTHERWISE in text for text in own):
        add_first(speech, _ASK_BACK)


def tell_row(speech: Speech, things: Things, row: int, cells: Sequence[Cell], known: frozenset[Cell]) -> bool:
    """Say what lies in a row, as much as fits and is not known; True if that is all of it.

    Args:
        speech: Of the turn.
        things: Of the image.
        row: Its number.
        cells: Its cells.
        known: Those of which the partner knows.
    """
    filled = [cell for cell in cells if cell in things and cell not in known]
    also = " also" if any(cell in things and cell in known for cell in cells) else ""
    if not filled:
        return speech.add(f"Row {row} has nothing else." if also else f"Row {row} is empty.")
    for count in range(len(filled), 0, -1):
        told = [f"{with_article(thing_words(things[cell]))} in column {cell[1]}" for cell in filled[:count]]
        end = "nothing else" if count == len(filled) else "more"
        if speech.add(f"Row {row}{also} has {', '.join(told)}, and {end}."):
            return count == len(filled)
    cell = filled[0]
    add_first(speech, say_cell(things, cell)[:2])
    return False


def tell_rest(speech: Speech, things: Things, side: int, known: frozenset[Cell]) -> None:
    """Go on with the first rows of which the partner does not know everything."""
    for row in range(1, side + 1):
        cells = [(row, column) for column in range(1, side + 1)]
        if not known.issuperset(cells) and not tell_row(speech, things, row, cells, known):
            break
    if not speech.text:
        lines = range(1, side + 1)
        speech.add(ALL_TOLD if known.issuperset((row, column) for row in lines for column in lines) else GO_ON)


def cells_told(remarks: Iterable[Remark]) -> frozenset[Cell]:
    """The cells of which remarks say what lies in them, or that nothing does."""
    statements = (one for remark in remarks if remark.act == "say" for one in remark.statements)
    return frozenset(
        cell
        for one in statements
        if one.place is not None and (len(one.place.cells) == 1 or (one.count == 0 and not one.kind))
        for cell in one.place.cells
    )


def replies(things: Things, questions: Sequence[Remark]) -> Iterator[Sequence[str]]:
    """What answers questions, each in several forms."""
    asked = [(question.asks, one) for question in questions for one in question.statements]
    for asks, one in asked:
        for forms in _reply(things, asks, one):
            yield forms[1:-1] if len(asked) > 1 and len(forms) > 2 else forms


def _reply(things: Things, asks: str, asked: Statement) -> Iterator[Sequence[str]]:
    cells = sorted(cell for cell in things if is_of(things[cell], asked.kind))
    if asked.place is not None:
        cells = [cell for cell in cells if cell in asked.place.cells]
    if asks == "what" and asked.place is not None:
        if len(asked.place.cells) == 1:
            yield say_cell(things, next(iter(asked.place.cells)))
            return
        yield (f"{_capital(place_words(asked.place))} I have {counted((), len(cells))}.",)
        yield from (say_cell(things, cell)[1:2] for cell in cells)
        return
    where = "" if asked.place is None else f" {place_words(asked.place)}"
    if asks == "count" or not cells:
        yield f"I have {counted(asked.kind, len(cells))}{where}.", _capital(f"{counted(asked.kind, len(cells))}.")
    elif asks == "where":
        yield (f"My {thing_words(dict(asked.kind))} is in {cell_words(cells[0])}.",) if len(cells) == 1 else ()
        if len(cells) > 1:
            listed = "; ".join(cell_words(cell) for cell in cells)
            yield (f"My {counted(asked.kind, 2)[4:]} are in {listed}.",)
    else:
        yield f"Yes, I have {counted(asked.kind, len(cells))}{where}.", "Yes."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""Lay out everyday texts: blocks of sentences with every literal, sign and keyword in place.

The blocks come from an `outline`. Literals are pieces like keywords: nothing replaces them. Later stages (`growth`) add
fillers only. `writing` turns the draft into text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evolif.scenarios.instructions.constraints.literals import whole_sentences
from evolif.scenarios.instructions.witness.demands import TextDemands
from evolif.scenarios.instructions.witness.layout import (
    Draft,
    DraftBlock,
    Piece,
    Sentence,
    begin_differently,
    embolden,
    free_fillers,
    items_of,
    keyword_piece,
    name_cells,
    place_edge,
    place_everywhere,
    place_position,
    spell,
)
from evolif.scenarios.instructions.witness.outline import AnswerOutline, outline, table_rows
from evolif.scenarios.instructions.witness.requirements import RefusedError
from evolif.scenarios.instructions.witness.vocabulary import Vocabulary
from evolif.text import count_words
from evolif.text.emoji import find_emoji

_EMOJI = ("🙂", "🎉", "🌟", "🔥", "🌈", "🍀", "🚀", "🎈")
_DATA = frozenset({"json", "csv", "xml"})
_CELLS = frozenset({"json", "csv"})
_TOLD = 26
"""So many words tell a language."""
_FIELD_WORDS = 14
"""The most words of an entry of a list in one line."""


def lay_out_everyday(demands: TextDemands, words: Vocabulary, *, tight: bool, start: int = 0) -> Draft:
    """A draft that lacks only its final size and case.

    Args:
        demands: What the text must satisfy.
        words: The fillers.
        tight: Make sentences as few and as short as possible.
        start: Which filler comes first.

    Raises:
        RefusedError: there is no room for everything that must have a place.
    """
    draft = Draft(fillers=start, longest=demands.sentence_cap)
    if demands.shape == "prose":
        _prose(draft, demands, words, outline(demands, tight=tight))
    else:
        _entries(draft, demands, words, tight=tight)
    for number, keyword in enumerate(demands.base.placements):
        _place(draft, keyword_piece(keyword), words, number)
    place_everywhere(draft, demands.base, words)
    _furnish(draft, demands, words)
    _open_units(draft, demands, words)
    _place_edges(draft, demands, words)
    _finish(draft, demands, words)
    return draft


def _prose(draft: Draft, demands: TextDemands, words: Vocabulary, plan: AnswerOutline) -> None:
    for count in plan.paragraphs:
        draft.blocks.append(DraftBlock(False, [_fillers(draft, words, plan.size) for _ in range(count)]))
    _label(draft, demands)
    if plan.items:
        at = 0 if demands.labels_only and demands.labels_in_items else min(1, len(draft.blocks))
        draft.blocks.insert(at, _list(draft, demands, words, plan))
    if demands.has_table:
        _add_table(draft, demands, words)
    if demands.base.keys:
        draft.blocks.insert(0, DraftBlock(False, name_cells(demands.base.keys), "keys"))
    if not draft.blocks:
        raise RefusedError("no-sentence", "length", kind="awkward")
    _add_headings(draft, demands, words, plan.size)
    if demands.base.fmt in _CELLS:
        for sentence in draft.sentences():
            sentence.stop = False


def _fillers(draft: Draft, words: Vocabulary, size: int, *, stop: bool = True) -> Sentence:
    return Sentence([draft.filler(words) for _ in range(max(1, size))], stop)


def _list(draft: Draft, demands: TextDemands, words: Vocabulary, plan: AnswerOutline) -> DraftBlock:
    size = max(1, plan.size - 1)
    part = demands.part
    if part and part.unit == "item" and part.measure == "words" and part.high:
        size = max(1, min(size, part.high // plan.items[0] - 1))
    sentences: list[Sentence] = []
    breaks = set()
    for number, count in enumerate(plan.items):
        breaks.add(len(sentences))
        sentences += [_fillers(draft, words, size) for _ in range(count)]
        if demands.labels_in_items and number < len(demands.labels):
            sentences[-count].pieces.insert(0, _label_piece(demands.labels[number]))
    return DraftBlock(True, sentences, breaks=frozenset(breaks))


def _label_piece(label: str) -> Piece:
    text = f"{label}:" if label[-1].isalnum() else label
    return Piece(text, "keyword", count_words(text), pinned=True)


def _label(draft: Draft, demands: TextDemands) -> None:
    """The labels, each at the start of a paragraph or, where these are few, of a line."""
    labels, blocks = demands.labels, draft.blocks
    if not labels or demands.labels_in_items:
        return
    lead = bool(demands.wrap[0])
    if len(labels) <= len(blocks) - lead:
        for block, label in zip(blocks[lead:], labels, strict=False):
            block.sentences[0].pieces.insert(0, _label_piece(label))
        return
    lines = [(block, number) for block in blocks for number in range(len(block.sentences))][lead:]
    if len(lines) < len(labels):
        raise RefusedError("too-few-lines", "labels", "length")
    lines.sort(key=lambda line: line[1])
    chosen = {(id(block), number) for block, number in lines[: len(labels)]}
    waiting = iter(labels)
    for block in blocks:
        breaks = [number for number in range(len(block.sentences)) if (id(block), number) in chosen]
        for number in breaks:
            block.sentences[number].pieces.insert(0, _label_piece(next(waiting)))
        block.breaks = frozenset(breaks)


def _add_table(draft: Draft, demands: TextDemands, words: Vocabulary) -> None:
    names = demands.base.columns
    columns = len(names) or demands.columns
    head = name_cells(names) if names else [_fillers(draft, words, 1, stop=False) for _ in range(columns)]
    cells = [_fillers(draft, words, 1, stop=False) for _ in range(table_rows(demands) * columns)]
    is_end_taken = bool(demands.closer or demands.base.end or demands.emoji_end or demands.wrap[1])
    at = min(1, max(0, len(draft.blocks) - is_end_taken))
    draft.blocks.insert(at, DraftBlock(False, [*head, *cells], "table", columns))


def _add_headings(draft: Draft, demands: TextDemands, words: Vocabulary, size: int) -> None:
    """A title before everything, labels as headings, the others before later blocks."""
    count, only_list = demands.headings, demands.list_only or demands.table_only
    needs_lead = only_list and bool(demands.opener or demands.base.start) and (demands.numbered or demands.table_only)
    if needs_lead and not count:
        if not demands.more_headings:
            raise RefusedError("no-heading", "headings", "start_with", "bullets", "format")
        count = 1
    levels = iter([*demands.levels, *[2] * count])
    if demands.labels and count and not demands.labels_in_items:
        count -= _lift_labels(draft, count, levels)
    elif count and (demands.title or needs_lead):
        draft.blocks.insert(0, _heading(draft, words, size, 1 if demands.title else next(levels)))
        count -= 1
    last = sum(block.kind != "heading" for block in draft.blocks) - 1
    for number in range(count):
        others = [i for i, block in enumerate(draft.blocks) if block.kind != "heading"]
        at = others[number % last + 1] if last else others[0]
        if demands.labels_only and at == 0:
            raise RefusedError("text-before-label", "headings", "labels")
        draft.blocks.insert(at, _heading(draft, words, size, next(levels)))


def _heading(draft: Draft, words: Vocabulary, size: int, level: int) -> DraftBlock:
    return DraftBlock(False, [_fillers(draft, words, min(3, size), stop=False)], "heading", level=level)


def _lift_labels(draft: Draft, count: int, levels: Iterator[int]) -> int:
    """Make headings of the first labels; returns how many."""
    lifted = 0
    for block in list(draft.blocks):
        if lifted == count or block.kind != "text" or block.is_list or not block.sentences[0].pieces[0].pinned:
            continue
        piece = block.sentences[0].pieces.pop(0)
        heading = Sentence([replace(piece, text=piece.text.removesuffix(":"))], stop=False)
        draft.blocks.insert(draft.blocks.index(block), DraftBlock(False, [heading], "heading", level=next(levels)))
        lifted += 1
    return lifted


def _entries(draft: Draft, demands: TextDemands, words: Vocabulary, *, tight: bool) -> None:
    """The entries of a list in one line, or lines of code."""
    base = demands.base
    count, size = demands.fields or 3, 2
    if base.unit == "words":
        count = demands.fields or max(2, min(count, (base.high or 99) // 2), -(-demands.aim // 10))
        size = max(1, min(size, ((base.high or 99) - len(base.placements)) // count))
    elif base.unit == "characters":
        count = demands.fields or max(2, min(count, (base.high or 999) // 20), -(-demands.aim // 70))
        size = 1 if tight or (base.high or 999) < 20 * count else 2
    elif base.unit == "lines" and demands.shape == "code":
        count = max(demands.aim, min(base.high or 3, 3))
    if base.language and base.unit not in ("words", "characters"):
        count = demands.fields or 8
        size = -(-_TOLD // count)
    if demands.shape == "code":
        size = 2 if tight else 3
    else:
        draft.longest = min(draft.longest or _FIELD_WORDS, _FIELD_WORDS)
    draft.blocks.append(DraftBlock(False, [_fillers(draft, words, size, stop=False) for _ in range(count)]))


def _place(draft: Draft, piece: Piece, words: Vocabulary, number: int) -> None:
    """Put a piece inside one of the sentences that have room, in turn; it touches no other keyword."""
    homes = [s for s in draft.roomy() if any(p.role == "filler" for p in s.pieces)] or draft.sentences()
    if draft.longest:
        homes = [s for s in homes if s.words() + piece.words <= draft.longest] or homes
    pieces = homes[number % len(homes)].pieces
    at = max(1, len(pieces) - 1) if pieces[-1].role == "filler" and len(pieces) > 1 else len(pieces) - 1
    is_beside = at > 0 and pieces[at - 1].role == "keyword" and piece.words > 0
    pieces[at:at] = [draft.filler(words), piece] if is_beside else [piece]


def _furnish(draft: Draft, demands: TextDemands, words: Vocabulary) -> None:
    """Hashtags, a pronoun and emoji."""
    for number in range(demands.hashtags):
        tag = Piece(f"#{draft.filler(words).text}", "keyword", 1)
        _place(draft, tag, words, number)
    if demands.pronoun:
        _place(draft, Piece(demands.pronoun, "filler", pinned=True), words, 0)
    given = sum(len(find_emoji(text)) for text in demands.literals())
    edges = (demands.base.start or {}, demands.base.end or {})
    given += sum(edge.get("mode") == "emoji" for edge in edges)
    for number in range(demands.emoji - given):
        _place(draft, Piece(_EMOJI[number % len(_EMOJI)], "sign", 0), words, number)
    if demands.emoji_each:
        for block in draft.blocks:
            for number in sorted(block.breaks) if block.is_list else ():
                pieces = block.sentences[number].pieces
                pieces.insert(max(1, len(pieces) - 1), Piece(_EMOJI[number % len(_EMOJI)], "sign", 0))


def lines_of(draft: Draft, demands: TextDemands) -> Iterator[list[Sentence]]:
    """The sentences line by line."""
    for block in draft.blocks:
        if block.kind == "table":
            rows = range(0, len(block.sentences), block.columns)
            yield from (block.sentences[at : at + block.columns] for at in rows)
            continue
        line: list[Sentence] = []
        for number, sentence in enumerate(block.sentences):
            if line and (demands.one_per_line or number in block.breaks):
                yield line
                line = []
            line.append(sentence)
        yield line


def units_of(draft: Draft, unit: str, demands: TextDemands) -> list[list[Sentence]]:
    """The sentences of each unit."""
    texts = [block for block in draft.blocks if block.kind == "text"]
    if unit == "sentence":
        return [[sentence] for block in texts for sentence in block.sentences]
    if unit == "paragraph":
        return [block.sentences for block in texts]
    if unit == "item":
        return [item for block in texts if block.is_list for item in items_of(block)]
    return list(lines_of(draft, demands))


def _open_units(draft: Draft, demands: TextDemands, words: Vocabulary) -> None:
    start = demands.unit_start
    if start is None:
        return
    units = units_of(draft, start.unit, demands)
    which = start.which
    first = draft.blocks[0]
    is_inside = first.kind == "text" and not (first.is_list and demands.one_per_line)
    if which and demands.opener and start.unit == "sentence" and is_inside:
        which -= whole_sentences(demands.opener)
    if which < 0 or len(units) < max(which, 1 if which else 2):
        raise RefusedError("too-few-units", "placement", "length", "bullets")
    for number, unit in enumerate(units if not which else units[which - 1 : which]):
        _begin(unit[0], start.literal, start.letter, number, words)


def _begin(sentence: Sentence, literal: str, letter: str, number: int, words: Vocabulary) -> None:
    if literal:
        counted = count_words(literal)
        sentence.pieces.insert(0, Piece(literal, "keyword" if counted else "sign", counted, pinned=True))
        return
    text = words.beginning(letter, number)
    if text is None:
        raise RefusedError("no-filler-with-letter", "placement", "lettering")
    first = sentence.pieces[0]
    if first.role == "filler" and not first.pinned:
        first.text, first.pinned = text, True
    else:
        sentence.pieces.insert(0, Piece(text, pinned=True))


def _place_edges(draft: Draft, demands: TextDemands, words: Vocabulary) -> None:
    base, first = demands.base, draft.blocks[0]
    if demands.opener and (first.kind == "heading" or first.is_list) and _opens_apart(demands):
        piece = Piece(demands.opener, "keyword", count_words(demands.opener), pinned=True)
        draft.blocks.insert(0, DraftBlock(False, [Sentence([piece], stop=False, frozen=True)]))
    elif demands.opener:
        _open(first, demands)
    place_edge(draft.sentences()[0], base.start, words, "start_with")
    place_position(draft, base, words)
    if demands.closer:
        _close(draft.blocks[-1], demands)
    place_edge(draft.sentences()[-1], base.end, words, "end_with")
    if demands.wrap[1] and demands.stop == "。":
        draft.sentences()[-1].stop = False  # the mark behind it would be another sentence
    if demands.emoji_end:
        draft.sentences()[-1].pieces.append(Piece(_EMOJI[0], "sign", 0))


def _open(block: DraftBlock, demands: TextDemands) -> None:
    """Begin with the phrase: it is a sentence of its own, part of the first one, or the first label."""
    phrase, sentences = demands.opener, block.sentences
    first = sentences[0].pieces
    piece = Piece(phrase, "keyword", count_words(phrase), pinned=True)
    if demands.labels and first[0].pinned and phrase.casefold().startswith(demands.labels[0].casefold()):
        first[0] = _label_piece(phrase)
    elif whole_sentences(phrase) and block.is_list and demands.one_per_line:
        signs = [p for p in first if p.role == "sign"]
        sentences[1].pieces[1:1] = [p for p in first if p.role == "keyword" or p.pinned]
        sentences[0].pieces, sentences[0].stop, sentences[0].frozen = [piece, *signs], False, True
    elif whole_sentences(phrase) and block.kind == "text" and _is_running(demands):
        _insert(block, 0, Sentence([piece], stop=False, frozen=True))
    else:
        first.insert(0, piece)


def _opens_apart(demands: TextDemands) -> bool:
    """Whether the phrase at the start may be a paragraph of its own."""
    is_free = demands.base.unit not in ("paragraphs", "lines") and not (demands.title or demands.list_only)
    return is_free and whole_sentences(demands.opener) > 0


def _is_running(demands: TextDemands) -> bool:
    """Whether a sentence may be added to a block, rather than an entry or a line."""
    return (
        demands.base.fmt not in _DATA
        and demands.shape == "prose"
        and (demands.base.unit != "lines" or demands.one_sentence_lines)
    )


def _insert(block: DraftBlock, at: int, sentence: Sentence) -> None:
    block.sentences.insert(at, sentence)
    breaks = {number + (number >= at) for number in block.breaks}
    block.breaks = frozenset(breaks | {0} if 0 in block.breaks and at == 0 else breaks) - (
        {1} if at == 0 and 0 in block.breaks else set()
    )


def _close(block: DraftBlock, demands: TextDemands) -> None:
    phrase, sentences = demands.closer, block.sentences
    piece = Piece(phrase, "keyword", count_words(phrase), pinned=True)
    if demands.closer_apart and block.kind == "text" and _is_running(demands):
        sentences.append(Sentence([piece], stop=False, frozen=True))
        return
    last = sentences[-1]
    last.pieces.append(piece)
    if not phrase[-1].isalnum():
        last.stop = False


def _finish(draft: Draft, demands: TextDemands, words: Vocabulary) -> None:
    """The mark to include, bold passages, questions and beginnings: none of them changes the number of words."""
    base = demands.base
    texts = [block for block in draft.blocks if block.kind == "text"]
    sentences = [sentence for block in texts for sentence in block.sentences]
    if base.acrostic:
        spell(texts, base.acrostic, words)
    if base.include:
        _marked(draft, sentences).after += base.include
    if base.bold:
        _embolden(draft, sentences, base.bold)
    has_list = any(block.is_list for block in draft.blocks)
    if base.fmt == "markdown" and not (has_list or demands.headings or demands.has_table or base.bold):
        piece = _marked(draft, sentences)
        piece.before = piece.after = "**" if base.bold is None else "*"
    _ask(sentences, demands)
    if base.distinct:
        begin_differently([s for s in sentences if not s.frozen], words)


def _embolden(draft: Draft, sentences: list[Sentence], count: int) -> None:
    if sum(len(free_fillers(sentence)) for sentence in sentences) >= count:
        embolden(sentences, count)
        return
    for _ in range(count):
        _marked(draft, sentences).bold = True


def _marked(draft: Draft, sentences: Sequence[Sentence]) -> Piece:
    """A filler that may get marks, preferably inside a sentence."""
    for sentence in [*sentences, *draft.sentences()]:
        for piece in free_fillers(sentence):
            if not piece.bold:
                return piece
    for sentence in [*sentences, *draft.sentences()]:
        for piece in sentence.pieces:
            if piece.role == "filler" and not (piece.before or piece.after or piece.bold):
                return piece
    raise RefusedError("no-place-for-mark", "punctuation", "format", "emphasis")


def _ask(sentences: Sequence[Sentence], demands: TextDemands) -> None:
    wanted = demands.base.questions
    stopped = [sentence for sentence in sentences if sentence.stop]
    if len(stopped) < wanted:
        raise RefusedError("too-few-sentences", "sentences", "length")
    for sentence in stopped[:wanted]:
        sentence.question = True

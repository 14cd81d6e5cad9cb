"""The worst answers: verdicts come, nothing raises. The slowest is printed (-s or -rP), not asserted.

An answer may have 64 KiB; those tests are slow. The others take the ends of each attack, 2 KiB of both.
"""

import time

import pytest

from evolif.scenarios.instructions.constraints import check
from evolif.text.answers import AT_ONCE, BARS

SIZE = 64 * 1024
END = 2 * 1024
WHOLE = pytest.param(True, id="64 KiB", marks=pytest.mark.slow)
ENDS = pytest.param(False, id="ends")
PARTS = 4
"""For several processes."""
CHECKS = [
    ("start_with", {"mode": "letter", "value": "k"}),
    ("start_with", {"mode": "emoji", "value": "😀"}),
    ("start_with", {"mode": "keyword", "value": "a"}),
    ("start_with", {"mode": "quotation", "left": "(", "right": ")"}),
    ("start_with", {"mode": "quotation", "left": "“", "right": "”"}),
    ("end_with", {"mode": "letter", "value": "k"}),
    ("end_with", {"mode": "keyword", "value": "a"}),
    ("end_with", {"mode": "quotation", "left": "'", "right": "'"}),
    ("bullets", {"count": 3}),
    ("length", {"unit": "words", "relation": "exactly", "count": 3}),
    ("length", {"unit": "sentences", "relation": "exactly", "count": 3}),
    ("length", {"unit": "paragraphs", "relation": "exactly", "count": 3}),
    ("length", {"unit": "characters", "relation": "exactly", "count": 3}),
    ("existence", {"counts": {"kyoto": 3, "a": 2}}),
    ("forbidden", {"keywords": ["kyoto", "b a"]}),
    ("case", {"mode": "all_upper"}),
    ("case", {"mode": "share", "percent": 10}),
    ("punctuation", {"mode": "include", "mark": ";"}),
    ("punctuation", {"mode": "exclude", "mark": "."}),
    ("punctuation", {"mode": "exclude", "mark": ":"}),
    ("bullets", {"count": 3, "kind": "numbered"}),
    ("language", {"code": "fr"}),
    ("placement", {"mode": "every_paragraph", "value": "a"}),
    ("placement", {"mode": "nth_word", "position": 20_000, "value": "a"}),
    ("placement", {"mode": "acrostic", "word": "stone"}),
    ("sentences", {"mode": "max_words", "count": 12}),
    ("sentences", {"mode": "distinct_starts"}),
    ("sentences", {"mode": "questions", "count": 3}),
    ("headings", {"count": 3}),
    ("emphasis", {"count": 3}),
    ("digits", {"mode": "none"}),
    ("bullets", {"kind": "either", "relation": "some", "only": True}),
    ("bullets", {"kind": "either", "relation": "none"}),
    ("labels", {"labels": ["a", "b"]}),
    ("labels", {"noun": "a", "count": 3}),
    ("headings", {"relation": "title"}),
    ("choice", {"mode": "options", "options": ["a", "b"]}),
    ("part_length", {"unit": "item", "measure": "sentences", "relation": "at_most", "count": 3}),
    ("part_length", {"unit": "line", "measure": "words", "relation": "at_most", "count": 3}),
    ("part_length", {"unit": "paragraph", "measure": "characters", "relation": "at_most", "count": 3}),
    ("emoji", {"relation": "at_most", "count": 3}),
    ("emoji", {"place": "each_item"}),
    ("hashtags", {"relation": "some"}),
    ("person", {"avoid": "first"}),
    ("manner", {"mode": "answer_only"}),
    ("manner", {"mode": "no_closing_question"}),
    ("manner", {"mode": "no_disclaimer"}),
    ("lettering", {"mode": "max_letters", "count": 8}),
    ("lettering", {"mode": "without", "letter": "a"}),
    ("lettering", {"mode": "no_repeat"}),
    ("language", {"code": "ja"}),
    ("language", {"not": "en"}),
]
CONSTRAINTS = [{"group": group, "params": params} for group, params in CHECKS]


def filled(piece: str) -> str:
    return piece * (SIZE // len(piece.encode()))


REPEATED = [
    *"[]{}<>-*_`'\"#|.!?&~=+\\()a0•…。漢，“\u0301\u200b\ufe0f\u2029\u1100😀🇩",
    *("> ", "- ", "* ", "1. ", "- a\n", "1. a\n", "• a\n", "•a\n", "> - ", "- > ", "---\n", "a: b\n"),
    *("*a ", "_a ", "a_", "**a", "~~a", "`a ", "\\`", "|a", "a\n", "a\n\n", "# a\n", "a\n---\n", "a\n=\n", "**a**\n"),
    *("[a](", "![", "[a](b)", "[a]: b\n", "[^a]", "<http://", "<a@b.c>", "&#", "&amp;", "```\n", "~~~a\n", "\r\n"),
    *(". a", "a.", ". ", "! ", '!"', "etc. ", "U.S. ", "A. ", "1. A ", "—a", "a–", "👨\u200d", "👍🏽", "<think>"),
    *("<div>", "<p>", "<b>", "<ul><li>", "<table><tr><td>", "<a href=", "<p a='", "<!--", "<![CDATA[", "<?"),
    *("<foo>", "</p>", "<script>", "<svg>", "a<br>", "<dl><dt>", "<h1>"),
    *("## 1. a\n", "**1. a**\n", "a 1: b\n", "**a** b\n", "[a] b\n", "• a\n\n---\n", "1️⃣ a\n", "A\u0301 1:\n"),
    *("#a", "I ", "I'", "F. I ", "“a” ", "'a", "if you ", "as an ", "a? ", "a-", "ß", "https://", "a@b."),
    *('{"a":', '["', '"\\', "a,b\n", 'a,"', "kyoto ", "kyoto_", "kyoto"),
]
BUILT = {
    "brackets": "[" * 32768 + "]" * 32768,
    "60,000 combining marks": "a" + "\u0301" * 30000,
    "growing backticks": "".join("`" * n + "a" for n in range(1, 355)),
    "growing lists": "".join(" " * n + "- a\n" for n in range(355)),
    "blank lines": "a" + ("\n" + " " * 300) * 210 + "b",
    "spaces": "a" + " " * 65000 + "b",
    "closing quotes": "." + '"' * 65000,
    "front matter": "---\n" + "a: b\n" * 13000,
    "open front matter": "---\n" + "---a\n" * 13000,
    "wide table": ("|".join("a" * 200) + "\n" + "|".join("-" * 200) + "\n" + "a\n" * 32000)[:SIZE],
    "reference uses": ("[a]: " + "x" * 1000 + "\n\n" + "[a]" * 25000)[:SIZE],
    "deep JSON": '{"a":' * 199 + '"' + "a " * 30000 + '"' + "}" * 199,
    "JSON numbers": "[" + "1," * 32000 + "1]",
    "deep XML": "<a>x" * 190 + "y" * 60000 + "</a>" * 190,
    "many attributes": "<a " + "".join(f'b{n}="c" ' for n in range(5000)) + "/>",
    "many values": "<r>" + "<a>b</a>" * 8000 + "</r>",
    "deep HTML": "<div>" * 190 + "x" * 60000 + "</div>" * 190,
    "formatting elements": "<b><i><u>" * 3000 + "x" + "<p>" * 9000,
    "open attribute": "<p " + "a" * 65000,
    "open tag": "<p" + " " * 65000,
    "CSV commas": "," * 32000 + "\n" + "," * 32000,
    "CSV quotes": 'a,"' + '""' * 32000 + '"\nb,c',
    "underscores round a word": "_" * 32000 + "kyoto" + "_" * 32000,
}
ATTACKS = {**{repr(piece): filled(piece) for piece in REPEATED}, **BUILT}


# What does not look like a format is read as without one, and judged once.
LOOKS = {
    "json": ("[", "{"),
    "xml": ("<",),
    "html": ("<",),
    "csv": ("a,", ",", '"', "a"),
    "markdown": ("```", "~~~", "#"),
}


def ends(text: str) -> str:
    return text if len(text) <= 2 * END else text[:END] + text[-END:]


def judge(fmt: str | None, names: list[str], whole: bool) -> None:
    asked = [*CONSTRAINTS, {"group": "format", "params": {"mode": fmt}}] if fmt else CONSTRAINTS
    times = []
    for name in names:
        text = ATTACKS[name] if whole else ends(ATTACKS[name])
        start = time.perf_counter()
        verdicts = check(asked, text)
        times.append((time.perf_counter() - start, name))
        assert [v.group for v in verdicts] == [c["group"] for c in asked], name
    for seconds, name in sorted(times, reverse=True)[:3]:
        print(f"{fmt or 'plain':10}{seconds:7.3f} s  {name}")


@pytest.mark.sampled
@pytest.mark.parametrize("whole", [WHOLE, ENDS])
@pytest.mark.parametrize("part", range(PARTS))
def test_every_attack_gets_its_verdicts(part, whole):
    judge(None, list(ATTACKS)[part::PARTS], whole)


@pytest.mark.sampled
@pytest.mark.parametrize("whole", [WHOLE, ENDS])
@pytest.mark.parametrize("fmt", LOOKS)
def test_every_attack_on_a_format_gets_its_verdicts(fmt, whole):
    names = [name for name, text in ATTACKS.items() if text.startswith(LOOKS[fmt])]
    assert len(names) > 3
    judge(fmt, names, whole)


def narrow_tables() -> dict[str, str]:
    """Tables as wide as an answer that is read at once may have them."""
    columns = range(2, BARS // 2 + 2)
    heads = {width: "|".join("a" * width) + "\n" + "|".join("-" * width) + "\n" for width in columns}
    return {f"{width} columns": head + "a\n" * AT_ONCE for width, head in heads.items()}


def in_force(asked: str | None) -> list[list[dict[str, object]]]:
    """All constraints in lists such as a turn may have: one of each group at most."""
    wanted = [*CONSTRAINTS, {"group": "format", "params": {"mode": asked}}] if asked else CONSTRAINTS
    turns: list[list[dict[str, object]]] = []
    for constraint in wanted:
        free = [turn for turn in turns if constraint["group"] not in {one["group"] for one in turn} and len(turn) < 12]
        if free:
            free[0].append(constraint)
        else:
            turns.append([constraint])
    return turns


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("asked", [None, *LOOKS])
def test_an_answer_that_is_read_at_once_takes_at_most_50_ms(asked: str | None) -> None:
    """Of the processor, for the constraints of a turn; the best of three, as others may have the machine."""
    turns = in_force(asked)
    for constraints in turns:
        check(constraints, "What is loaded once is loaded now.")
    for name, attack in {**ATTACKS, **narrow_tables()}.items():
        text = attack[:AT_ONCE]
        if text.count("|") > BARS or (asked and not text.startswith(LOOKS[asked])):
            continue
        for constraints in turns:
            times: list[float] = []
            while len(times) < 3 and min(times, default=1.0) > 0.05:
                begun = time.process_time()
                check(constraints, text)
                times.append(time.process_time() - begun)
            assert min(times) <= 0.05, name


def test_attacks_are_as_long_as_allowed():
    assert all(len(text.encode()) <= SIZE for text in ATTACKS.values())
    assert sum(len(text.encode()) > 60_000 for text in ATTACKS.values()) > 100

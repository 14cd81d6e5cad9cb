"""Rules 3 and 7 for Markdown and plain answers: blocks, paragraphs, what is content and what is not."""

import pytest

from evolif.text import Reading

CONTENT = [
    ("paragraphs", "One\n\nTwo", ["paragraph One", "paragraph Two"]),
    ("white lines part paragraphs", "One\n \t\nTwo", ["paragraph One", "paragraph Two"]),
    ("headings", "# One\n\nTwo\n===\n\n## Three ##", ["heading One", "heading Two", "heading Three"]),
    ("no space, no heading", "#tag", ["paragraph #tag"]),
    ("a setext heading of several lines is a paragraph", "One\nTwo\n---", ["paragraph One\nTwo"]),
    ("a wholly bold line is a heading", "**One**\n\n__Two__", ["heading One", "heading Two"]),
    ("bold and italic is bold", "***One***", ["heading One"]),
    ("bold by tags is bold", "<b>One</b>\n\n<strong>Two</strong>", ["heading One", "heading Two"]),
    ("a bold word in a line is none", "**One** two", ["paragraph One two"]),
    ("a bold line over text is a heading", "**One**\ntwo", ["heading One", "paragraph two"]),
    ("bold lines among themselves are none", "**One**\n**two**", ["paragraph One\ntwo"]),
    ("a bold item is an item", "- **One**", ["item One"]),
    ("items", "- One\n- Two", ["item One", "item Two"]),
    ("items of several paragraphs", "- One\n\n  Two", ["item One", "item Two"]),
    ("quotes", "> One\n>\n> Two", ["paragraph One", "paragraph Two"]),
    ("fenced code", "Text\n\n~~~py\nOne\n~~~", ["paragraph Text", "code One"]),
    ("indented code is a paragraph", "Text\n\n    One", ["paragraph Text", "paragraph One"]),
    ("tables by cell", "| a | b |\n|---|:-:|\n| c | |", ["cell a", "cell b", "cell c"]),
    ("a table without outer bars", "a | b\n--|--\nc | d", ["cell a", "cell b", "cell c", "cell d"]),
    ("rules are no content", "One\n\n***\n\nTwo", ["paragraph One", "paragraph Two"]),
    ("emphasis and code marks are not", "*One* `two` ~~three~~", ["paragraph One two three"]),
    ("link texts are, targets are not", "[One](http://x/y 'z')", ["paragraph One"]),
    ("reference definitions are not", "[One][a]\n\n[a]: http://x", ["paragraph One"]),
    ("alt texts are", "![One](x.png)", ["paragraph One"]),
    ("an address in brackets is", "<http://x.y>", ["paragraph http://x.y"]),
    ("task boxes are not", "- [ ] One\n- [x] Two", ["item One", "item Two"]),
    ("comments are not", "One <!-- x --> two\n\n<!-- y -->", ["paragraph One  two"]),
    ("inline tags are not", "a<b>b</b>c", ["paragraph abc"]),
    ("a line break tag is one", "One<br>two", ["paragraph One\ntwo"]),
    ("block tags part lines", "One<p>two</p>", ["paragraph One\ntwo"]),
    ("HTML blocks are read", "<div>One</div>\n\nTwo", ["paragraph One", "paragraph Two"]),
    ("unknown tags are text", "<Attention travellers>", ["paragraph <Attention travellers>"]),
    ("unknown closing tags too", "One </foo>", ["paragraph One </foo>"]),
    ("unknown tags in code keep their sign", "`<foo>`", ["paragraph <foo>"]),
    ("entities are decoded", "a &amp; b &copy;", ["paragraph a & b ©"]),
    ("escapes are", "\\*One\\*", ["paragraph *One*"]),
    ("front matter is no content", "---\ntitle: One\ntags:\n- x\n---\n\nTwo", ["paragraph Two"]),
    ("text between rules is", "---\n\nOne\n\n---", ["paragraph One"]),
    ("front matter without keys is none", "---\nOne two\n---\n\nThree", ["heading One two", "paragraph Three"]),
    ("front matter not at the start is none", "Hi\n\n---\ntitle: One\n---", ["paragraph Hi", "heading title: One"]),
    ("dots are list marks", "• One\n• Two", ["item One", "item Two"]),
    ("dots without a space too", "•One\n•Two", ["item One", "item Two"]),
    ("dots after a line of text begin a list", "Text:\n• One", ["paragraph Text:", "item One"]),
    ("a dot in a line is text", "One • two", ["paragraph One • two"]),
    ("a dot in code is text", "```py\n• One\n```\n\nTwo", ["code • One", "paragraph Two"]),
    ("hard breaks", "One  \ntwo\\\nthree", ["paragraph One\ntwo\nthree"]),
    ("no option beyond tables, boxes and strikethrough", "$x$ H~2~O a^b^", ["paragraph $x$ H~2~O a^b^"]),
    ("an unclosed emphasis is text", "**One", ["paragraph **One"]),
]


@pytest.mark.parametrize(("rule", "text", "blocks"), CONTENT, ids=[row[0] for row in CONTENT])
def test_content(rule, text, blocks):
    assert [f"{block.kind} {block.text}" for block in Reading(text).blocks] == blocks


PARAGRAPHS = [
    ("blocks between blank lines", "One\n\nTwo\nmore\n\nThree", 3),
    ("several blank lines are one gap", "One\n\n\n\nTwo", 2),
    ("salutation and sign-off count", "Dear Tom,\n\nHello.\n\nBest,\nAnna", 3),
    ("headings are none", "# One\n\nTwo", 1),
    ("bold lines are none", "**One**\n\nTwo", 1),
    ("rules are none", "One\n\n---\n\nTwo", 2),
    ("tables are none", "One\n\n| a | b |\n|---|---|\n| c | d |", 1),
    ("fenced code is none", "One\n\n```py\ntwo\n\nthree\n```", 1),
    ("indented code is one", "One\n\n    two", 2),
    ("a setext heading of several lines is one", "One\ntwo\n---", 1),
    ("a list is one", "- a\n- b\n\n- c", 1),
    ("whatever its depth", "- a\n  - b\n\n    text\n      1. c\n- d", 1),
    ("a numbered list is one", "1. a\n2. b", 1),
    ("a list right after a line is another", "Text:\n- a\n- b", 2),
    ("two lists are two", "- a\n\n1. b", 2),
    ("a quote's paragraphs count", "> One\n>\n> Two", 2),
    ("HTML paragraphs count", "<p>One</p>\n<p>Two</p>", 2),
    ("HTML in an item belongs to the list", "- a\n\n  <p>b</p>\n- c", 1),
    ("a comment is none", "One\n\n<!-- x -->\n\nTwo", 2),
    ("a paragraph separator parts", "One\u2029Two", 2),
]


@pytest.mark.parametrize(("rule", "text", "count"), PARAGRAPHS, ids=[row[0] for row in PARAGRAPHS])
def test_paragraphs(rule, text, count):
    assert Reading(text).paragraphs == count


BULLETS = [
    ("four marks", "- a\n\n* b\n\n+ c\n\n• d", 4),
    ("any depth", "- a\n  - b\n    - c", 3),
    ("inside a numbered item", "1. a\n   - b\n   - c", 2),
    ("numbered items are none", "1. a\n2) b", 0),
    ("numbered items inside are none", "- a\n  1. b", 1),
    ("quoted ones", "> - a\n> - b", 2),
    ("quoted dots", "> • a\n> • b", 2),
    ("empty items do not count", "- a\n-\n- b\n- ", 2),
    ("an item with only a comment is empty", "- <!-- x -->\n- a", 1),
    ("an item with only an item is empty", "- - a", 1),
    ("an item with code counts", "- ```\n  a\n  ```", 1),
    ("task items", "- [ ] a\n- [x] b", 2),
    ("rules are none", "---\n\n* * *\n\n- - -", 0),
    ("numbers, arrows and dashes are none", "-5 degrees\n-> there\n-- dash\n– en dash", 0),
    ("emphasis is none", "*a*\n\n**b**", 0),
    ("code is none", "```py\n- a\n- b\n```", 0),
    ("HTML lists in Markdown", "<ul><li>a</li><li>b</li></ul>", 2),
    ("HTML numbered lists are none", "<ol><li>a</li></ol>", 0),
]


@pytest.mark.parametrize(("rule", "text", "count"), BULLETS, ids=[row[0] for row in BULLETS])
def test_bullets(rule, text, count):
    assert len(Reading(text).content.bullets) == count


def test_bullets_know_their_places():
    body = "Intro\n\n- one\n- two\n\nEnd"
    reading = Reading(body)
    assert [body[a:b] for a, b in reading.content.bullets] == ["- one", "- two"]


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("```py\na\n```", True),
        ("```py\na", False),
        ("````\na\n```", False),
        ("~~~\na\n```", False),
        ("- ```\n  a\n  ```", True),
        ("> ```\n> a\n\nb", False),
        ("```\n```", True),
        ("a\n\n```", False),
    ],
)
def test_open_fences_are_found(text, closed):
    assert (Reading(text, "markdown").content.open_fence < 0) is closed

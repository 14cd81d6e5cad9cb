"""Rule 3 for JSON, XML, HTML and CSV: what parses, what is refused, what is content."""

import pytest

from evolif.text import Reading


def blocks(text, fmt):
    reading = Reading(text, fmt)
    found = [block.text.replace("\x1f", " | ") for block in reading.blocks]
    assert reading.fault is None
    return found


def fault(text, fmt):
    reading = Reading(text, fmt)
    assert reading.blocks is not None  # reading sets the fault
    return reading.fault.reason if reading.fault else ""


CONTENT = [
    ("keys, strings and numbers in order", '{"b": "x", "a": [1, -2.5e3]}', "json", ["b", "x", "a", "1", "-2.5e3"]),
    ("literals are no content", '{"a": [true, false, null]}', "json", ["a"]),
    ("escapes are decoded", '["a\\nb \\"c\\" \\u00e9"]', "json", ['a\nb "c" é']),
    ("decoded text is normalised", '["e\\u0301\\u200b"]', "json", ["é"]),
    ("a lone surrogate is replaced", '["\\ud800"]', "json", ["\ufffd"]),
    ("empty strings are no content", '{"": "", " ": "a"}', "json", ["a"]),
    ("a key used twice counts twice", '{"a": 1, "a": 2}', "json", ["a", "1", "a", "2"]),
    ("braces in strings are text", '["}{", "]["]', "json", ["}{", "]["]),
    ("text nodes", "<r><a>One</a><b>Two</b></r>", "xml", ["One", "Two"]),
    ("mixed content is one run", "<r>One <b>two</b> three</r>", "xml", ["One two three"]),
    ("a tag keeps words apart", "<r>1<b>Mix</b></r>", "xml", ["1 Mix"]),
    ("but leaves punctuation where it is", "<r><b>low</b>-budget, (<i>x</i>).</r>", "xml", ["low-budget, (x)."]),
    ("character data and entities", "<r><![CDATA[a < b]]> &amp; c</r>", "xml", ["a < b & c"]),
    ("comments and attributes are no content", '<r x="a"><!-- b -->c</r>', "xml", ["c"]),
    ("a declared encoding does not matter", '<?xml version="1.0" encoding="UTF-16"?><r>é</r>', "xml", ["é"]),
    ("cells by row", "a,b\n1,2", "csv", ["a | b", "1 | 2"]),
    ("quoted cells", 'a,"b, ""c"""\n"d\ne",f', "csv", ['a | b, "c"', "d\ne | f"]),
    ("a row of empty cells is no blank line", "a,b\n,", "csv", ["a | b"]),
    ("CRLF", "a,b\r\nc,d\r\n", "csv", ["a | b", "c | d"]),
    ("block elements", "<h1>One</h1><p>Two</p><div>Three</div>", "html", ["One", "Two", "Three"]),
    ("inline elements flow", "<p>H<sub>2</sub>O <em>is</em> wet</p>", "html", ["H2O is wet"]),
    ("white space collapses", "<p>a\n   b</p>", "html", ["a b"]),
    ("br is a line break", "<p>a<br>b</p>", "html", ["a\nb"]),
    ("entities are decoded", "<p>a &lt;b&gt; &amp; c</p>", "html", ["a <b> & c"]),
    ("head, script and style are no content", "<html><head><title>t</title></head><p>a</p></html>", "html", ["a"]),
    ("scripts are no content", "<script>var p = '<p>';</script><style>p{}</style><p>a</p>", "html", ["a"]),
    ("comments and attributes are no content in HTML", '<!-- x --><p title="y">a</p>', "html", ["a"]),
    ("optional end tags", "<ul><li>a<li>b</ul><p>c<p>d</p>", "html", ["a", "b", "c", "d"]),
    ("text around blocks", "<div>a <p>b</p> c</div>", "html", ["a", "b", "c"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "fmt", "expected"), CONTENT, ids=[row[0] for row in CONTENT])
def test_content(rule, text, fmt, expected):
    assert blocks(text, fmt) == expected


VALID = [
    ("json", "{}"),
    ("json", "[[], {}]"),
    ("json", '```json\n{"a": 1}\n```'),
    ("xml", "<a/>"),
    ("xml", '<?xml version="1.0"?>\n<!-- c --><a xmlns:b="u"><b:c d="e"/></a>\n<!-- end -->'),
    ("html", "<!DOCTYPE html>\n<html><body><p>a</body></html>"),
    ("html", "<p class=a data-x='b\"c' hidden>5 < 6 & 7</p>"),
    ("html", "<img src=a.png alt='b'>"),
    ("html", "<br/>"),
    ("html", "<p>a</p><!-- end -->"),
    ("html", '<svg viewBox="0 0 1 1"><circle r="1"/></svg>'),
    ("html", "<my-element>a</my-element>"),
    ("html", "<p>She said \"hi</p>"),
    ("csv", 'a,b\n1,"2"'),
    ("csv", "a,b,\nc,d,"),
]  # fmt: skip


@pytest.mark.parametrize(("fmt", "text"), VALID)
def test_accepted(fmt, text):
    assert fault(text, fmt) == ""


REFUSED = [
    ("a scalar is no object or array", '"a"', "json", "does not start with"),
    ("prose before", 'Here: {"a": 1}', "json", "does not start with"),
    ("prose after", '{"a": 1} there', "json", "Extra data"),
    ("two documents", "{}{}", "json", "Extra data"),
    ("a trailing comma", "[1,]", "json", "line 1"),
    ("NaN", "[NaN]", "json", "NaN is not JSON"),
    ("Infinity", "[-Infinity]", "json", "-Infinity is not JSON"),
    ("single quotes", "{'a': 1}", "json", "double quotes"),
    ("a comment", "[1 // one\n]", "json", "line 1"),
    ("a leading zero", "[01]", "json", "line 1"),
    ("a bare point", "[.5]", "json", "line 1"),
    ("a raw tab in a string", '["a\tb"]', "json", "control character"),
    ("unclosed", '{"a": [1', "json", "line 1"),
    ("too deep", "[" * 201 + "]" * 201, "json", "nested deeper than 200"),
    ("no root", "a", "xml", "does not start with <"),
    ("two roots", "<a/><b/>", "xml", "junk"),
    ("not closed", "<a><b></a>", "xml", "mismatched tag"),
    ("case matters", "<A></a>", "xml", "mismatched tag"),
    ("an unquoted attribute", "<a b=c/>", "xml", "not well-formed"),
    ("a bare ampersand", "<a>b & c</a>", "xml", "not well-formed"),
    ("an HTML entity", "<a>&nbsp;</a>", "xml", "undefined entity"),
    ("a document type", "<!DOCTYPE a><a/>", "xml", "document type declaration"),
    ("an entity bomb", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "xml", "document type declaration"),
    ("an outside entity", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "xml", "declaration"),
    ("XML too deep", "<a>" * 201 + "</a>" * 201, "xml", "nested deeper than 200"),
    ("text before", "Here <p>a</p>", "html", "does not start with"),
    ("text after", "<p>a</p> there", "html", "does not end with >"),
    ("an element left open", "<div><p>a</p>", "html", "<div> is never closed"),
    ("badly nested", "<b><i>a</b></i>", "html", "</b> closes no element"),
    ("nothing to close", "<p>a</p></div>", "html", "</div> closes no element"),
    ("a tag left open", "<p>a <b</p>", "html", "a tag is left open"),
    ("a quote left open", '<p class="a>b</p>', "html", "badly quoted"),
    ("a comment left open", "<p>a</p><!-- b >", "html", "a comment is never closed"),
    ("a script left open", "<script>a</p>", "html", "<script> is never closed"),
    ("an unknown element", "<recipe>a</recipe>", "html", "not an HTML element"),
    ("a processing instruction", "<p>a</p><?php b ?>", "html", "declaration"),
    ("a self-closed div is open", "<div/><p>a</p>", "html", "<div> is never closed"),
    ("HTML too deep", "<div>" * 201 + "</div>" * 201, "html", "nested deeper than 200"),
    ("one row", "a,b", "csv", "only one row"),
    ("one column", "a\nb", "csv", "only one column"),
    ("another mark", "a;b\nc;d", "csv", "only one column"),
    ("uneven rows", "a,b\nc", "csv", "row 2 has 1 column, the first row 2"),
    ("a blank line", "a,b\n\nc,d", "csv", "row 2 is blank"),
    ("a quote left open in CSV", 'a,"b\nc,d', "csv", "misplaced quotation mark in line 1"),
    ("text after a quote", 'a,b\nc,"d"e', "csv", "misplaced quotation mark in line 2"),
    ("a quote inside a plain cell", 'a,b\nc,d"e', "csv", "misplaced quotation mark in line 2"),
    ("prose after the rows", "a,b\nc,d\n\nThat is all.", "csv", "blank"),
]


@pytest.mark.parametrize(("rule", "text", "fmt", "reason"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(rule, text, fmt, reason):
    assert reason in fault(text, fmt)


@pytest.mark.parametrize("fmt", ["json", "xml", "html", "csv"])
def test_what_does_not_parse_is_read_as_markdown(fmt):
    reading = Reading("# One\n\n- two", fmt)
    assert [block.kind for block in reading.blocks] == ["heading", "item"]


PARAGRAPHS = [
    ("<p>a</p><p>b</p>", 2),
    ("<h1>a</h1><p>b</p>", 1),
    ("<p><b>a</b></p><p>b</p>", 1),
    ("<ul><li>a</li><li><p>b</p></li></ul>", 1),
    ("<ul><li>a</li></ul><ul><li>b</li></ul>", 2),
    ("<table><tr><td>a</td></tr></table><p>b</p>", 1),
    ("<pre>a</pre><p>b</p>", 1),
    ("<blockquote><p>a</p><p>b</p></blockquote>", 2),
]


@pytest.mark.parametrize(("text", "count"), PARAGRAPHS)
def test_html_paragraphs(text, count):
    assert Reading(text, "html").paragraphs == count


BULLETS = [
    ("<ul><li>a</li><li>b</li></ul>", 2),
    ("<ul><li>a<ul><li>b</li></ul></li></ul>", 2),
    ("<ol><li>a<ul><li>b</li></ul></li></ol>", 1),
    ("<ul><li></li><li>&nbsp;</li><li>a</li></ul>", 1),
    ("<ul><li><img src=a></li></ul>", 0),
    ("<p>- a</p>", 0),
    ("<menu><li>a</li></menu>", 0),
]


@pytest.mark.parametrize(("text", "count"), BULLETS)
def test_html_bullets(text, count):
    assert len(Reading(text, "html").content.bullets) == count


def test_xml_values_hold_sentences_and_json_values_do_not():
    assert len(Reading("<a><b>One. Two.</b></a>", "xml").sentence_spans) == 2
    assert len(Reading('["One. Two."]', "json").sentence_spans) == 0

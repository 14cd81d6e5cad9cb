"""HTML element names, as the HTML standard sorts them (obsolete ones included: browsers still know them)."""

from __future__ import annotations

VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
OPTIONAL_END = frozenset(
    "p li dt dd tr td th thead tbody tfoot caption colgroup option optgroup rb rt rtc rp html head body".split()
)
RAW_TEXT = frozenset("script style textarea title xmp iframe noembed noframes".split())
FOREIGN = frozenset({"svg", "math"})
HIDDEN = frozenset("head script style template noembed noframes iframe title".split())
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
BOLD = frozenset({"b", "strong"})
BLOCKS = HEADINGS | frozenset(
    """address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre search
    section select summary table tbody td textarea tfoot th thead tr ul xmp""".split()
)
_INLINE = frozenset(
    """a abbr acronym applet audio b bdi bdo big blink canvas cite code data datalist del dfn em font frameset i ins kbd
    label map mark marquee meter nobr noscript object output picture portal progress q rb rp rt rtc ruby s samp script
    slot small span strike strong style sub sup svg math template time title tt u var video colgroup isindex""".split()
)
KNOWN = VOID | OPTIONAL_END | RAW_TEXT | FOREIGN | HIDDEN | BLOCKS | _INLINE

"""Our own English abbreviation list for Punkt (lower case, without the last dot), and what follows from it."""

from __future__ import annotations

TITLES = frozenset(
    """dr mr mrs ms mx prof st sr jr rev fr hon gov gen col maj capt cpt lt sgt cpl cmdr adm sen rep pres supt det insp
    messrs mme mlle mgr msgr dipl ing ph.d d.phil""".split()
) - {"jr", "sr", "ph.d", "d.phil"}
"""A name follows these: they never end a sentence."""

ABBREVIATIONS = TITLES | frozenset(
    """jr sr ph.d d.phil m.d b.a m.a b.sc m.sc d.d.s r.n esq
    inc ltd co corp llc plc bros dept univ assn est gmbh
    vs etc e.g i.e eg ie cf al viz ca approx appt misc incl excl resp
    a.m p.m a.d b.c b.c.e c.e
    u.s u.k u.n e.u u.s.a d.c n.y l.a
    jan feb mar apr jun jul aug sep sept oct nov dec
    mon tue tues wed thu thur thurs fri sat sun
    no nos fig figs eq eqs sec secs ch chap vol vols ed eds pp pg par para app ref refs
    ave blvd rd hwy ste apt fl bldg mt ft
    min mins hr hrs wk wks mo mos yr yrs max avg temp qty tel ext
    oz lb lbs tsp tbsp pt qt gal in cm mm km kg mg ml mph kph sq
    a.k.a p.s p.o r.s.v.p n.b w.r.t""".split()
) - frozenset({"no", "in", "sat", "sun", "mar", "par", "app", "wed", "ref", "ed", "max", "temp", "fl"})
# Words that end sentences more often than they are cut short stay out: "The answer is no. He sat. We sat in the sun."

NUMBERED = frozenset({"no", "nos", "fig", "figs", "sec", "ch", "vol", "p", "pp", "art", "eq"})
"""Short forms when a number follows: "see fig. 3", "no. 7"."""

STARTERS = frozenset(
    """a after all also although an and another any as at because before both but by can despite did do does during each
    either even every few finally first for from he hence her here his how however i if in instead is it its just later
    many maybe meanwhile most my next no nobody nor not nothing now of on once one only or other our over perhaps
    please rather several she since so some soon still such that the their then there therefore these they this those
    though thus to today together tomorrow under unless until we what when where whether which while who why will with
    without yes yesterday yet you your""".split()
)
"""Common sentence starters: capitalised after an abbreviation they begin a sentence."""

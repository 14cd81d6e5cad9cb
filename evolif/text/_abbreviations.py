"""Our own English abbreviation list for Punkt (lower case, without the last dot), and what follows from it."""

from __future__ import annotations

TITLES = frozenset(
    """dr mr mrs ms mx prof rev fr hon gov gen col maj capt cpt lt sgt cpl cmdr adm sen rep pres supt det insp
    messrs mme mlle mgr msgr dipl ing""".split()
)
"""A name follows these: they never end a sentence."""

SHORT_TITLES = frozenset("dr mr mrs ms mx".split())
"""Titles however they are written; the others are plain words in lower case: “one more rep. Then rest”."""

ABBREVIATIONS = TITLES | frozenset(
    """st jr sr ph.d d.phil m.d b.a m.a b.sc m.sc d.d.s r.n esq
    inc ltd co corp llc plc bros dept univ assn est gmbh
    vs v etc e.g i.e eg ie cf al viz ca approx appt misc incl excl resp
    a.m p.m a.d b.c b.c.e c.e
    u.s u.k u.n e.u u.s.a d.c n.y l.a
    jan feb apr jun jul aug sep sept oct nov dec
    mon tue tues thu thur thurs fri
    nos figs eqs secs ch vol vols eds pp pg refs
    ave blvd rd hwy ste bldg mt ft
    min mins hr hrs wk wks mos yr yrs avg qty tel
    oz lb lbs tsp tbsp pt qt cal cm mm km kg mg ml mph kph sq
    a.k.a p.s p.o r.s.v.p n.b w.r.t""".split()
)
# Words that end sentences more often than they are cut short stay out: "The answer is no. He sat. I ate a fig."

UNITS = frozenset("in gal mo".split())
"""Abbreviations after a number only: “5 in. long”, but “come in. Sit down”."""

NUMBERED = frozenset("no nos fig figs sec ch chap para apt ext vol p pp art eq c b d".split())
"""Short forms when a number follows: "see fig. 3", "no. 7", "c. 1850"."""

STARTERS = frozenset(
    """a after all also although an and another any as at because before both but by can despite did do does during each
    either even every few finally first for from he hence her here his how however i if in instead is it its just later
    many maybe meanwhile most my next no nobody nor not nothing now of on once one only or other our over perhaps
    please rather several she since so some soon still such that the their then there therefore these they this those
    though thus to today together tomorrow under unless until we what when where whether which while who why will with
    without yes yesterday yet you your
    above according across add additionally again allow almost along already always among anyone anything apply are ask
    avoid bake be begin being below beside besides between beyond boil book bring build buy call check chop choose
    combine come compare consider continue cook cool could cover create cut decide discuss divide don't drain drink
    drive drop eat else encourage enjoy ensure especially everybody everyone everything examine except expect explain
    explore fill find focus fold follow fortunately four further get give go great had has have heat help him hold
    identify imagine include indeed initially involve it's i'll i'm i've join keep know lastly learn leave let let's
    lift like likewise line listen look maintain make measure meet melt mix more moreover move much must near neither
    never nevertheless none note notice nowadays occasionally often open order otherwise outside overall pack pay people
    place plan plant play pour practise practice prepare press provide pull push put raise read recently reduce
    refrigerate regardless relax remember remind remove repeat replace rest return review roast roll run save say seal
    season second see select send serve set share shop should show similarly simmer simply sit slice sometimes speak
    spend spread sprinkle stand start stay stir stop store stretch suddenly take talk taste tell test thank that's
    there's they're think third three through throughout toast top toss toward travel try turn two unfortunately upon us
    use usually visit wait wake walk warm was wash watch water we'll we're were whatever whenever wherever whoever whose
    wipe within wonderful work would wrap write you'll you're""".split()
)
"""Common sentence starters, none of them a name: capitalised after an abbreviation they begin a sentence."""

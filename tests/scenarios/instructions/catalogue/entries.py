"""Topics and personas that pass the lint."""

from __future__ import annotations

from typing import Any

BEES = {
    "title": "the queen that stopped laying",
    "prompt": "Our strongest hive has had no fresh brood for a fortnight, although the queen still walks about on the "
    "frame. What may be behind it, and what do we do before the lime trees blossom?",
    "keywords": "hive brood queen frame blossom colony swarm nectar pollen drone worker egg larva mite inspection "
    "requeening veil zinc honey|smoker".replace("|", " ").split(),
}
WAX = {
    "title": "the candles out of old wax",
    "prompt": "A chest full of dark comb is waiting in the shed. Teach me how to turn it into clean wax and then into "
    "candles that neither smoke nor tunnel.",
    "keywords": "comb wax candle shed wick filter mould flame kettle thermometer soot cloth residue pot yield jar "
    "heat impurity stirring vat".split(),
}
MOVE = {
    "title": "the transport over the mountain pass",
    "prompt": "Nine colonies have to travel across a steep pass by night and be on the heather before dawn. Work out "
    "the loading, the breaks and whatever could go wrong with the trailer.",
    "keywords": "colony pass heather trailer strap ventilation dawn route ramp lorry entrance foam vibration kerb "
    "quarantine overheating lantern driver mesh unloading".split(),
}
TALK = {
    "title": "the neighbour who fears stings",
    "prompt": "Since two hives moved in behind our fence, the man next door keeps his children indoors. Prepare me for "
    "a calm talk about stings, distance and flight paths over the garden gate.",
    "keywords": "sting fence gate distance hive allergy flight talk hedge water garden compromise insurance visitor "
    "venom jacket quarrel respect beekeeper law".split(),
}
TOPICS = (BEES, WAX, MOVE, TALK)
PERSONAS = (
    {
        "sentence": "A tram driver composes messages in the turning loop at the end of the line.",
        "phrases": ["stops when the bell rings", "jokes about signals and rain", "short bursts of good cheer",
                    "leaves endings to the reader"],
        "register": "casual",
    },
    {
        "sentence": "An archivist who restores flooded ledgers weighs whatever is put on paper.",
        "phrases": ["orders thoughts by date", "courteous without warmth", "careful with strong words",
                    "names what remains unknown"],
        "register": "formal",
    },
    {
        "sentence": "Between two night shifts, a baker types with flour on the screen.",
        "phrases": ["skips every greeting", "verbs ahead of all else", "counts in trays and hours",
                    "thanks with one word"],
        "register": "brisk",
    },
)  # fmt: skip


def topic(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A good topic as stored, with changes."""
    made: dict[str, Any] = {"id": f"T{number + 1:03d}", "domain": "beekeeping", **TOPICS[number], **changes}
    return {name: value for name, value in made.items() if value is not None}


def persona(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A good persona as stored, with changes."""
    made: dict[str, Any] = {"id": f"P{number + 1:03d}", **PERSONAS[number], **changes}
    return {name: value for name, value in made.items() if value is not None}


def swapped(number: int, *pairs: tuple[str, str]) -> list[str]:
    """The keywords of a good topic with some of them exchanged."""
    exchange = dict(pairs)
    keywords = TOPICS[number]["keywords"]
    assert set(exchange) <= set(keywords)
    return [exchange.get(keyword, keyword) for keyword in keywords]

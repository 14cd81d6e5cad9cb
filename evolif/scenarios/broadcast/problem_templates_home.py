"""Problems about house, garden and kitchen."""

from __future__ import annotations

from typing import Final

from evolif.scenarios.broadcast.problem_template import PEOPLE, Solution, Template, measured, money, plain, template

HOME: Final[list[Template]] = []
"""The templates of this module."""


@template(
    HOME,
    "{who} paints a wall of the {room}, {length} feet long and {height} feet high, with {coats} coats. A door of "
    "3 by 7 feet in it is left out. How large is the area to paint, all coats counted?",
    measured("square feet"),
    slip=10,
    length=range(10, 32),
    height=range(8, 13),
    coats=(2, 3),
    who=PEOPLE,
    room=("kitchen", "hall", "bedroom", "cellar", "garage", "study", "nursery", "stairwell"),
)
def painting(length: int, height: int, coats: int) -> Solution:
    wall, door = length * height, 3 * 7
    return Solution(
        coats * (wall - door),
        {
            "forgot the door": coats * wall,
            "left the door out of one coat": coats * wall - door,
            "counted one coat": wall - door,
            "added the door": coats * (wall + door),
        },
    )


@template(
    HOME,
    "A rectangular garden is {length} yards long and {width} yards wide. {who} wants a {thing} all around it, "
    "but for a gate of {gate} yards. How many yards is that?",
    measured("yards"),
    slip=2,
    length=range(18, 60),
    width=range(9, 18),
    gate=(2, 3, 4),
    who=PEOPLE,
    thing=("fence", "hedge", "low wall"),
)
def fence(length: int, width: int, gate: int) -> Solution:
    around = 2 * (length + width)
    return Solution(
        around - gate,
        {
            "forgot the gate": around,
            "counted two sides": length + width - gate,
            "added the gate": around + gate,
            "took the area": length * width - gate,
            "counted three sides": around - width - gate,
        },
    )


@template(
    HOME,
    "The floor of a {room} is {length} feet by {width} feet. {who} covers it with square tiles of {side} inches "
    "and buys {spare} more in case some break. How many tiles is that?",
    measured("tiles"),
    slip=12,
    length=range(5, 14),
    width=range(4, 10),
    side=(3, 4, 6),
    spare=range(8, 31),
    who=PEOPLE,
    room=("bathroom", "hall", "balcony", "pantry"),
)
def tiles(length: int, width: int, side: int, spare: int) -> Solution:
    along = 12 // side  # a foot has twelve inches
    floor = length * width * along**2
    return Solution(
        floor + spare,
        {
            "counted tiles along one side of a foot": length * width * along + spare,
            "forgot the spare ones": floor,
            "subtracted the spare ones": floor - spare,
            "took a tile for a square foot": length * width + spare,
            "left one row out": floor - length * along + spare,
        },
    )


@template(
    HOME,
    "A recipe for {few} people needs {grams} grams of {food}. How much does {who} need for {many} people?",
    measured("grams"),
    slip=25,
    few=(2, 3, 4, 6),
    each=range(35, 131, 5),
    many=(5, 7, 8, 9, 10, 11, 12, 14),
    who=PEOPLE,
    food=("flour", "rice", "lentils", "potatoes", "carrots"),
)
def recipe(few: int, each: int, many: int) -> Solution:
    grams = few * each
    return Solution(
        many * each,
        {
            "one person too few": (many - 1) * each,
            "doubled the recipe": 2 * grams,
            "took the recipe for one person": many * grams,
            "stopped at what has to be added": (many - few) * each,
            "one person too many": (many + 1) * each,
        },
        {"grams": grams},
    )


@template(
    HOME,
    "{who}'s car does {economy} miles to the gallon, and a gallon costs {price:money} at the moment. What does "
    "the fuel for {miles} miles cost?",
    money,
    slip=100,
    economy=range(24, 46),
    gallons=range(3, 15),
    price=range(289, 430, 5),
    who=PEOPLE,
)
def fuel(economy: int, gallons: int, price: int) -> Solution:
    return Solution(
        gallons * price,
        {
            "one gallon too many": (gallons + 1) * price,
            "one gallon too few": (gallons - 1) * price,
            "multiplied by the miles to the gallon": economy * price,
            "counted the way back as well": 2 * gallons * price,
            "moved the decimal point": gallons * price // 10,
        },
        {"miles": economy * gallons},
    )


@template(
    HOME,
    "{who} packs {things} into boxes that hold {each}. There are {total} of them. How many boxes are needed so "
    "that nothing is left over?",
    measured("boxes"),
    each=range(6, 25),
    full=range(5, 20),
    rest=range(1, 6),
    who=PEOPLE,
    things=("old books", "glass jars", "Christmas baubles", "seedlings"),
)
def boxes(each: int, full: int, rest: int) -> Solution:
    total = each * full + rest
    return Solution(
        full + 1,
        {
            "rounded down": full,
            "one box too many": full + 2,
            "named what is left over": rest,
            "subtracted instead of dividing": total - each,
            "added instead of dividing": total + each,
        },
        {"total": total},
    )


@template(
    HOME,
    "In three months {who} used {first}, {second} and {third} units of {supply}. How many units a month is that "
    "on average?",
    plain,
    slip=5,
    mean=range(80, 240, 2),
    below=range(6, 40, 2),
    above=range(7, 40, 2),
    who=PEOPLE,
    supply=("electricity", "gas", "water"),
)
def average(mean: int, below: int, above: int) -> Solution:
    first, second, third = mean - below, mean + above, mean + below - above
    return Solution(
        mean,
        {
            "took the one in the middle": sorted((first, second, third))[1],
            "forgot the last month": (first + second) // 2,
            "divided by two": (first + second + third) // 2,
            "forgot to divide": first + second + third,
            "took first and last": (first + third) // 2,
        },
        {"first": first, "second": second, "third": third},
    )


@template(
    HOME,
    "{who} mixes syrup and water {syrup} to {water} for {drink}. How much water is in {total} millilitres of it?",
    measured("millilitres"),
    slip=20,
    syrup=(1, 2, 3),
    water=(4, 5, 7, 8),
    each=range(20, 260, 5),
    who=PEOPLE,
    drink=("lemonade", "iced tea", "elderflower cordial", "ginger beer"),
)
def mixture(syrup: int, water: int, each: int) -> Solution:
    total = (syrup + water) * each
    return Solution(
        water * each,
        {
            "named the syrup": syrup * each,
            "divided by the parts of water": total // water,
            "took one part too many": (water + 1) * each,
            "named one part": each,
            "took one part too few": (water - 1) * each,
        },
        {"total": total},
    )


@template(
    HOME,
    "{who} fills a garden pond. {start} litres of water are in it already, {inflow} litres a minute run in, and "
    "{outflow} litres a minute leak out. How much is in it after {minutes} minutes?",
    measured("litres"),
    slip=10,
    start=range(40, 200, 5),
    inflow=range(8, 20),
    outflow=range(2, 7),
    minutes=range(6, 25),
    who=PEOPLE,
)
def pond(start: int, inflow: int, outflow: int, minutes: int) -> Solution:
    gain = (inflow - outflow) * minutes
    return Solution(
        start + gain,
        {
            "forgot the leak": start + inflow * minutes,
            "forgot what was there": gain,
            "added the leak": start + (inflow + outflow) * minutes,
            "subtracted the leak once": start + inflow * minutes - outflow,
            "one minute too few": start + gain - inflow + outflow,
        },
    )


@template(
    HOME,
    "{who} invites {n} people to a {party}. {percent} % of them cannot come, and {extra} of the others bring a "
    "friend. How many guests will there be?",
    measured("guests"),
    n=range(20, 140, 20),
    percent=(5, 10, 15, 20, 25, 30, 35, 40),
    extra=range(2, 9),
    who=PEOPLE,
    party=("wedding", "housewarming", "summer party", "farewell party", "birthday party", "christening"),
)
def guests(n: int, percent: int, extra: int) -> Solution:
    absent = n * percent // 100
    return Solution(
        n - absent + extra,
        {
            "forgot the friends": n - absent,
            "took the percentage for people": n - percent + extra,
            "subtracted the friends": n - absent - extra,
            "named those who cannot come": absent,
            "added those who cannot come": n + absent + extra,
        },
    )


@template(
    HOME,
    "{who} bakes {total} {things}, keeps {kept} and shares the rest equally among {children} children. How many "
    "does each child get?",
    plain,
    children=range(4, 11),
    each=range(3, 13),
    kept=range(3, 21),
    who=PEOPLE,
    things=("biscuits", "cookies", "small pancakes"),
)
def biscuits(children: int, each: int, kept: int) -> Solution:
    total = children * each + kept
    return Solution(
        each,
        {
            "forgot those that are kept": -(-total // children),
            "shared with one more": children * each // (children + 1),
            "added those that are kept": (total + kept) // children,
            "one too few": each - 1,
            "one too many": each + 1,
        },
        {"total": total},
    )


@template(
    HOME,
    "A concert hall has {rows} rows of {seats} seats. {who} has sold {sold} tickets so far. How many seats are "
    "still free?",
    measured("seats"),
    slip=10,
    rows=range(14, 40),
    seats=range(16, 36),
    sold=range(40, 200),
    who=PEOPLE,
)
def hall(rows: int, seats: int, sold: int) -> Solution:
    free = rows * seats - sold
    return Solution(
        free,
        {
            "left one row out": free - seats,
            "forgot the tickets": rows * seats,
            "carried ten wrong": free + 10,
            "added the tickets": rows * seats + sold,
            "one row too many": free + seats,
        },
    )


@template(
    HOME,
    "{start} people are on a bus. At the first stop {on} get on and {off} get off, at the second {second} get on "
    "and {last} get off. How many people are on the bus then?",
    measured("people"),
    start=range(24, 48),
    on=range(5, 13),
    off=range(3, 12),
    second=range(4, 12),
    last=range(3, 10),
)
def bus(start: int, on: int, off: int, second: int, last: int) -> Solution:
    there = start + on - off + second - last
    return Solution(
        there,
        {
            "forgot the second stop": start + on - off,
            "forgot those who get off first": there + off,
            "forgot those who get off last": there + last,
            "swapped on and off": start - on + off - second + last,
            "added those who get off": there + 2 * (off + last),
        },
    )


@template(
    HOME,
    "{who} has {shelves} shelves with {each} books each, gives {given} of them to the library and buys {bought} "
    "new ones. How many books are there now?",
    measured("books"),
    slip=5,
    shelves=range(4, 13),
    each=range(18, 45),
    given=range(11, 50),
    bought=range(3, 11),
    who=PEOPLE,
)
def shelves(shelves: int, each: int, given: int, bought: int) -> Solution:
    now = shelves * each - given + bought
    return Solution(
        now,
        {
            "forgot the new ones": now - bought,
            "subtracted the new ones": now - 2 * bought,
            "added those that were given away": now + 2 * given,
            "one shelf too few": now - each,
            "forgot those that were given away": now + given,
        },
    )


@template(
    HOME,
    "A bottle holds {total} millilitres of {thing}, of which {used} are used up. {who} takes {spoons} spoonfuls "
    "of {spoon} millilitres a day. For how many days does the rest last?",
    measured("days"),
    spoons=(2, 3),
    spoon=(5, 10),
    days=range(5, 15),
    used=range(10, 95, 5),
    who=PEOPLE,
    thing=("cough syrup", "vitamin juice", "herbal tonic"),
)
def syrup(spoons: int, spoon: int, days: int, used: int) -> Solution:
    daily = spoons * spoon
    total = daily * days + used
    return Solution(
        days,
        {
            "forgot what is used up": -(-total // daily),
            "took one spoonful a day": days * spoons,
            "added what is used up": -(-(total + used) // daily),
            "one day too few": days - 1,
            "one day too many": days + 1,
        },
        {"total": total},
    )

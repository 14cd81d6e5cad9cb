"""Problems about money: shopping, bills, wages, fares."""

from __future__ import annotations

from typing import Final

from evolif.scenarios.broadcast.problem_template import (
    PEOPLE,
    SHOPPING,
    Solution,
    Template,
    dollars,
    measured,
    money,
    template,
)

MONEY: Final[list[Template]] = []
"""The templates of this module."""


@template(
    MONEY,
    "{who} buys {n} {things} at {price:money} each and pays with a {note:dollars} bill. How much change is due?",
    money,
    slip=100,
    n=range(3, 10),
    price=range(115, 546, 10),
    note=(50, 100),
    who=PEOPLE,
    things=SHOPPING,
)
def change(n: int, price: int, note: int) -> Solution:
    cost, paid = n * price, 100 * note
    return Solution(
        paid - cost,
        {
            "stopped at the cost": cost,
            "counted one item too few": paid - cost + price,
            "carried a dollar wrong": paid - cost + 100,
            "paid for one item only": paid - price,
            "counted one item too many": paid - cost - price,
        },
    )


@template(
    MONEY,
    "{who} buys {a} {things} at {low:money} each and {b} {others} at {high:money} each. What is the total?",
    money,
    slip=100,
    a=range(2, 9),
    low=range(85, 286, 5),
    b=range(2, 7),
    high=range(310, 691, 10),
    who=PEOPLE,
    things=("apples", "bread rolls", "postcards", "pencils", "bananas", "stamps"),
    others=("salads", "magazines", "boxes of tea", "sandwiches", "jars of jam", "paperbacks"),
)
def basket(a: int, low: int, b: int, high: int) -> Solution:
    total = a * low + b * high
    return Solution(
        total,
        {
            "swapped the two prices": a * high + b * low if a != b else total,
            "counted one of each kind": low + high,
            "added prices and multiplied by all items": (a + b) * (low + high),
            "left one of the dear items out": total - high,
            "left one of the cheap items out": total - low,
            "forgot the first kind": b * high,
        },
    )


@template(
    MONEY,
    "{who} wants a {thing} that costs {price:dollars}. In the sale it is {percent} % off. What does it cost in "
    "the sale?",
    money,
    slip=500,
    price=range(38, 236, 2),
    percent=(5, 10, 15, 20, 25, 30, 35, 40, 45),
    who=PEOPLE,
    thing=("rucksack", "desk lamp", "winter coat", "bookcase", "coffee machine", "suitcase", "carpet", "rain jacket"),
)
def discount(price: int, percent: int) -> Solution:
    off = price * percent
    return Solution(
        100 * price - off,
        {
            "stopped at the discount": off,
            "added the discount": 100 * price + off,
            "took the percentage for dollars": 100 * (price - percent),
            "halved the discount": 100 * price - off // 2,
        },
    )


@template(
    MONEY,
    "The bill for lunch is {bill:money}. {who} adds a tip of {percent} %. How much does {who} pay in all?",
    money,
    slip=100,
    bill=range(1220, 9000, 20),
    percent=(5, 10, 15, 20, 25),
    who=PEOPLE,
)
def tip(bill: int, percent: int) -> Solution:
    extra = bill * percent // 100
    return Solution(
        bill + extra,
        {
            "stopped at the tip": extra,
            "took the percentage for dollars": bill + 100 * percent,
            "subtracted the tip": bill - extra,
            "counted the tip twice": bill + 2 * extra,
            "took the percentage for cents": bill + percent,
        },
    )


@template(
    MONEY,
    "{n} friends share the cost of a {thing} equally. It costs {total:money}, and a voucher takes "
    "{voucher:dollars} off. How much does each of them pay?",
    money,
    slip=100,
    n=(3, 4, 5, 6, 8),
    share=range(825, 3626, 5),
    voucher=(5, 10, 15, 20, 25, 30),
    thing=("boat trip", "guided tour", "family dinner", "cooking class", "rented van", "wedding present", "hotel room"),
)
def shared_bill(n: int, share: int, voucher: int) -> Solution:
    off = 100 * voucher
    total = n * share + off
    return Solution(
        share,
        {
            "forgot the voucher": total // n,
            "added the voucher": (total + off) // n,
            "shared among one fewer": n * share // (n - 1),
            "subtracted the voucher after sharing": total // n - off,
            "shared among one more": n * share // (n + 1),
        },
        {"total": total},
    )


@template(
    MONEY,
    "A {thing} is marked {price:dollars}. It is reduced by {percent} %, and then {who} hands in a coupon of "
    "{coupon:dollars}. What is left to pay?",
    money,
    slip=500,
    price=range(40, 400, 4),
    percent=(10, 15, 20, 25, 30),
    coupon=(3, 5, 8, 10, 12),
    who=PEOPLE,
    thing=("kettle", "blanket", "saucepan set", "printer", "armchair", "mirror", "raincoat", "radio"),
)
def coupon(price: int, percent: int, coupon: int) -> Solution:
    reduced = price * (100 - percent)
    return Solution(
        reduced - 100 * coupon,
        {
            "forgot the coupon": reduced,
            "took the coupon off first": (price - coupon) * (100 - percent),
            "forgot the reduction": 100 * (price - coupon),
            "added the coupon": reduced + 100 * coupon,
            "took the percentage for dollars": 100 * (price - percent - coupon),
        },
    )


@template(
    MONEY,
    "{who} has saved {start:dollars} and puts {weekly:dollars} aside every week. After how many weeks will there "
    "be {target:dollars}, enough for a {thing}?",
    measured("weeks"),
    start=range(20, 200, 5),
    weekly=range(18, 49),
    weeks=range(12, 31),
    who=PEOPLE,
    thing=("new phone", "used piano", "weekend in Rome", "tablet", "dishwasher", "mattress"),
)
def savings(start: int, weekly: int, weeks: int) -> Solution:
    target = start + weekly * weeks
    return Solution(
        weeks,
        {
            "forgot what was saved before": -(-target // weekly),
            "one week too few": weeks - 1,
            "added what was saved before": -(-(target + start) // weekly),
            "one week too many": weeks + 1,
        },
        {"target": target},
    )


@template(
    MONEY,
    "{who} works {hours} hours at {rate:money} an hour in a {place} and spends {fare:money} on the bus. How much "
    "is left?",
    money,
    slip=100,
    hours=range(4, 10),
    rate=range(1225, 2226, 25),
    fare=range(240, 681, 40),
    who=PEOPLE,
    place=("bakery", "library", "flower shop", "cafe", "warehouse", "bookshop", "call centre"),
)
def wages(hours: int, rate: int, fare: int) -> Solution:
    earned = hours * rate
    return Solution(
        earned - fare,
        {
            "forgot the fare": earned,
            "added the fare": earned + fare,
            "counted one hour too many": earned + rate - fare,
            "counted one hour too few": earned - rate - fare,
            "paid the fare every hour": hours * (rate - fare),
        },
    )


@template(
    MONEY,
    "A phone plan costs {fee:money} once to set up and {monthly:money} a month. {who} keeps it for {months} "
    "months. What does it cost altogether?",
    money,
    slip=1000,
    fee=range(995, 4996, 500),
    monthly=range(850, 3200, 50),
    months=range(5, 25),
    who=PEOPLE,
)
def phone_plan(fee: int, monthly: int, months: int) -> Solution:
    total = fee + monthly * months
    return Solution(
        total,
        {
            "forgot the fee": monthly * months,
            "left out one month": total - monthly,
            "counted one month too many": total + monthly,
            "paid the fee every month": (fee + monthly) * months,
            "subtracted the fee": monthly * months - fee,
        },
    )


@template(
    MONEY,
    "A pack of {pack} {things} costs {price:money}. At the same price for each, what would {wanted} of them cost?",
    money,
    slip=50,
    pack=(4, 5, 6, 8, 10, 12),
    single=range(35, 186),
    wanted=(3, 7, 9, 11, 13, 14, 15, 17, 18),
    things=("batteries", "eggs", "yoghurts", "bread rolls", "pens", "light bulbs", "sponges", "hooks"),
)
def unit_price(pack: int, single: int, wanted: int) -> Solution:
    price = pack * single
    return Solution(
        wanted * single,
        {
            "counted one too many": (wanted + 1) * single,
            "took the price of a pack for each": wanted * price,
            "counted one too few": (wanted - 1) * single,
            "took one off the pack before dividing": wanted * (price // (pack - 1)),
            "stopped at the price of one": single,
        },
        {"price": price},
    )


@template(
    MONEY,
    "{who} and a flatmate pay {total:dollars} rent a month together. {who} has the larger room and pays "
    "{extra:dollars} more than the flatmate. How much does {who} pay?",
    dollars,
    slip=10,
    smaller=range(380, 900, 5),
    extra=range(30, 200, 10),
    who=PEOPLE,
)
def rent(smaller: int, extra: int) -> Solution:
    total = 2 * smaller + extra
    return Solution(
        smaller + extra,
        {
            "named the flatmate's share": smaller,
            "added the whole difference to half": total // 2 + extra,
            "halved the rent": total // 2,
            "subtracted the whole difference from half": total // 2 - extra,
        },
        {"total": total},
    )


@template(
    MONEY,
    "A {thing} subscription costs {monthly:money} a month, or {yearly:money} for a whole year at once. How much "
    "does {who} save in a year by paying at once?",
    money,
    slip=100,
    monthly=range(590, 2600, 30),
    saved=range(640, 3000, 80),
    who=PEOPLE,
    thing=("music", "newspaper", "film", "language course", "recipe"),
)
def subscription(monthly: int, saved: int) -> Solution:
    yearly = 12 * monthly - saved
    return Solution(
        saved,
        {
            "counted ten months": 10 * monthly - yearly,
            "counted eleven months": 11 * monthly - yearly,
            "counted thirteen months": 13 * monthly - yearly,
            "compared with one month": yearly - monthly,
            "saving of two years": 2 * saved,
            "saving a month": saved // 12,
        },
        {"yearly": yearly},
    )


@template(
    MONEY,
    "{who} puts {amount:dollars} into a savings account at {rate} % simple interest a year. How much interest is "
    "there after {years} years?",
    dollars,
    slip=10,
    amount=range(500, 9600, 100),
    rate=(2, 3, 4, 5, 6),
    years=range(2, 9),
    who=PEOPLE,
)
def interest(amount: int, rate: int, years: int) -> Solution:
    yearly = amount * rate // 100
    return Solution(
        yearly * years,
        {
            "interest of one year": yearly,
            "one year too many": yearly * (years + 1),
            "added the deposit": amount + yearly * years,
            "one year too few": yearly * (years - 1),
            "moved the decimal point": yearly * years * 10,
        },
    )


@template(
    MONEY,
    "At the counter one euro costs {rate:money}, and there is a fee of {fee:money}. {who} wants {euros} euros "
    "for a trip to {place}. How much is that in dollars?",
    money,
    slip=200,
    rate=range(104, 128),
    fee=range(150, 601, 50),
    euros=range(40, 410, 10),
    who=PEOPLE,
    place=("Lisbon", "Vienna", "Athens"),
)
def exchange(rate: int, fee: int, euros: int) -> Solution:
    value = rate * euros
    return Solution(
        value + fee,
        {
            "forgot the fee": value,
            "subtracted the fee": value - fee,
            "divided by the rate": 10_000 * euros // rate + fee,
            "took a euro for a dollar": 100 * euros + fee,
        },
    )


@template(
    MONEY,
    "A car park takes {first:money} for the first hour and {further:money} for each further hour. {who} parks "
    "from {start:clock} to {end:clock} on a weekday. What does it cost?",
    money,
    slip=50,
    first=range(200, 501, 20),
    further=range(110, 191, 10),
    start=range(7 * 60, 13 * 60, 15),
    hours=range(3, 9),
    who=PEOPLE,
)
def parking(first: int, further: int, start: int, hours: int) -> Solution:
    cost = first + (hours - 1) * further
    return Solution(
        cost,
        {
            "paid the first hour twice": first + hours * further,
            "took the first price for all hours": hours * first,
            "forgot the first hour": (hours - 1) * further,
            "took the second price for all hours": hours * further,
            "one hour too few": cost - further,
        },
        {"end": start + 60 * hours},
    )


@template(
    MONEY,
    "A taxi costs {base:money} to get in and {mile:money} a mile. {who} pays {fare:money} for a ride to the "
    "{place}. How long was the ride?",
    measured("miles"),
    base=range(250, 551, 25),
    mile=range(160, 341, 10),
    miles=range(4, 26),
    who=PEOPLE,
    place=("airport", "station", "hospital", "harbour"),
)
def taxi(base: int, mile: int, miles: int) -> Solution:
    fare = base + mile * miles
    return Solution(
        miles,
        {
            "forgot the price to get in": -(-fare // mile),
            "one mile too few": miles - 1,
            "added both prices first": fare // (base + mile),
            "added the price to get in": -(-(fare + base) // mile),
            "one mile too many": miles + 1,
        },
        {"fare": fare},
    )


@template(
    MONEY,
    "Last year {who} paid {price:dollars} for a {thing}. Since then the price has gone up by {percent} %. What "
    "does it cost now?",
    money,
    slip=200,
    price=range(80, 480, 4),
    percent=(5, 8, 10, 12, 15, 20, 25),
    who=PEOPLE,
    thing=("train pass", "school trip", "set of tyres", "garden table", "flight to Madrid", "pair of glasses"),
)
def price_rise(price: int, percent: int) -> Solution:
    rise = price * percent
    return Solution(
        100 * price + rise,
        {
            "subtracted the rise": 100 * price - rise,
            "took the percentage for dollars": 100 * (price + percent),
            "stopped at the rise": rise,
            "counted the rise twice": 100 * price + 2 * rise,
        },
    )


@template(
    MONEY,
    "For the street party {who} sells {n} {things} at {price:money} each. The ingredients cost {cost:money}. How "
    "much is earned?",
    money,
    slip=100,
    n=range(24, 90, 2),
    price=range(125, 376, 25),
    cost=range(1150, 2651, 50),
    who=PEOPLE,
    things=("muffins", "waffles", "slices of cake", "pancakes", "bowls of soup", "glasses of lemonade"),
)
def bake_sale(n: int, price: int, cost: int) -> Solution:
    sales = n * price
    return Solution(
        sales - cost,
        {
            "forgot the ingredients": sales,
            "added the ingredients": sales + cost,
            "counted ten items too few": sales - 10 * price - cost,
            "counted one item too many": sales + price - cost,
            "carried ten dollars wrong": sales - cost + 1000,
        },
    )

"""Problems that are sums and nothing else."""

from __future__ import annotations

from typing import Final

from evolif.scenarios.broadcast.problem_template import Solution, Template, plain, template

SUMS: Final[list[Template]] = []
"""The templates of this module."""


@template(SUMS, "What is {a} + {b} × {c}?", plain, slip=10, a=range(12, 112), b=range(6, 36), c=range(6, 22))
def product_last(a: int, b: int, c: int) -> Solution:
    result = a + b * c
    return Solution(
        result,
        {
            "went from left to right": (a + b) * c,
            "multiplied the first two": a * b + c,
            "forgot the first number": b * c,
            "carried ten wrong": result + 10,
            "added all three": a + b + c,
        },
    )


@template(SUMS, "What is ({a} − {b}) × {c}?", plain, slip=10, b=range(13, 70), rest=range(7, 50), c=range(6, 25))
def bracket(b: int, rest: int, c: int) -> Solution:
    a = b + rest
    return Solution(
        rest * c,
        {
            "forgot to borrow": (rest + 10) * c,
            "ignored the second part of the bracket": a * c - b,
            "added in the bracket": (a + b) * c,
            "one time too few": rest * (c - 1),
            "carried ten wrong": rest * c + 10,
        },
        {"a": a},
    )


@template(
    SUMS,
    "What is {a} × {b} − {c} × {d}?",
    plain,
    slip=10,
    a=range(15, 60),
    b=range(12, 25),
    c=range(3, 12),
    d=range(4, 12),
)
def two_products(a: int, b: int, c: int, d: int) -> Solution:
    result = a * b - c * d
    return Solution(
        result,
        {
            "forgot the second product": a * b,
            "added the products": a * b + c * d,
            "went from left to right": (a * b - c) * d,
            "carried ten wrong": result + 10,
            "subtracted factors": a * b - c - d,
        },
    )


@template(
    SUMS,
    "What is {percent} % of {n}, plus {k}?",
    plain,
    slip=10,
    percent=range(5, 50, 5),
    n=range(60, 2000, 20),
    k=range(11, 60),
)
def percentage(percent: int, n: int, k: int) -> Solution:
    share = n * percent // 100
    return Solution(
        share + k,
        {
            "forgot the last number": share,
            "took what is left": n - share + k,
            "moved the decimal point": 10 * share + k,
            "took the percentage for the share": percent + k,
            "subtracted the last number": share - k,
        },
    )


@template(
    SUMS,
    "What is {part}/{parts} of {n}, minus {k}?",
    plain,
    slip=5,
    part=(2, 3, 4),
    parts=(5, 7),
    each=range(20, 240),
    k=range(6, 38),
)
def fraction(part: int, parts: int, each: int, k: int) -> Solution:
    n = parts * each
    return Solution(
        part * each - k,
        {
            "forgot the last number": part * each,
            "added the last number": part * each + k,
            "took what is left": (parts - part) * each - k,
            "took one part": each - k,
            "one part too many": (part + 1) * each - k,
        },
        {"n": n},
    )


@template(
    SUMS,
    "A list of numbers begins {a}, {second}, {third}, and goes on in equal steps. What is the {n:ordinal} number?",
    plain,
    slip=1,
    a=range(3, 110),
    step=range(4, 30),
    n=range(8, 25),
)
def equal_steps(a: int, step: int, n: int) -> Solution:
    result = a + (n - 1) * step
    return Solution(
        result,
        {
            "one step too many": result + step,
            "one step too few": result - step,
            "forgot where it begins": n * step,
            "added to the third number": result + 2 * step,
        },
        {"second": a + step, "third": a + 2 * step},
    )


@template(
    SUMS,
    "Think of a number: {a} times this number, plus {b}, is {c}. Which number is it?",
    plain,
    a=range(3, 13),
    x=range(6, 80),
    b=range(5, 80),
)
def unknown(a: int, x: int, b: int) -> Solution:
    c = a * x + b
    return Solution(
        x,
        {
            "forgot to subtract": -(-c // a),
            "added instead of subtracting": -(-(c + b) // a),
            "subtracted the factor": c - a - b,
            "one too many": x + 1,
            "one too few": x - 1,
        },
        {"c": c},
    )

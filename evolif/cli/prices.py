"""`evolif prices`: what models cost, where each price is from, and prices of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolif.cli.console import show, show_json
from evolif.cli.options import JsonFlag, Prices
from evolif.errors import UsageError
from evolif.text import plural

if TYPE_CHECKING:
    from evolif.budget.prices import Price

prices_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="List what models cost, with date and source; keep prices of your own.",
)

_PARTS = ("prompt", "completion", "cached", "reasoning", "image")


@prices_app.command("list")
def list_prices(prices: Prices = None, as_json: JsonFlag = False) -> None:
    """List all known prices in US dollars per million tokens, each with its date and where it is from.

    Prices of your own go over the packaged ones, and those of --prices over both. Prices older than a year are marked.
    """
    rows = list(_rows(prices))
    if as_json:
        show_json(rows)
        return
    width = max(len(row["model"]) for row in rows)
    show([f"{'US dollars per million tokens':{width}}  {'prompt':>8} {'answer':>8} {'cached':>8}  date"])
    show(_line(row, width) for row in rows)
    old = sum(row["old"] for row in rows)
    if old:
        again = "it" if old == 1 else "them"
        show([f"{plural(old, 'price is', 'prices are')} older than a year; look {again} up again."])


@prices_app.command("show")
def show_price(
    model: Annotated[str, typer.Argument(metavar="PROVIDER/NAME", help="The model.")],
    prices: Prices = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the price of a model, when and where it was read; if it has none, how to give it."""
    from evolif.budget.prices import how_to_price
    from evolif.util.suggestions import did_you_mean

    rows = {row["model"]: row for row in _rows(prices)}
    row = rows.get(model) or _free(model)
    if row is None:
        raise UsageError(f"no price of {model} is known{did_you_mean(model, rows)}; {how_to_price([model])}")
    if as_json:
        show_json(row)
    else:
        show(_told(row))


@prices_app.command()
def update(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Prices per million tokens (YAML or TOML).")],
) -> None:
    """Check a file of prices, and keep them as your own: all later commands use them, at every endpoint.

    They go over the packaged prices and over those you kept before, model by model. All or none are taken.
    """
    from evolif.budget.prices import read_prices, user_prices_path, write_prices

    given, path = read_prices(file), user_prices_path()
    before = read_prices(path) if path.is_file() else {}
    packaged = _packaged()
    show(_change(model, before.get(model) or packaged.get(model), price) for model, price in sorted(given.items()))
    write_prices(path, {**before, **given})
    show([f"{path} has {plural(len({**before, **given}), 'price')} now; remove a model from it to undo."])


def _packaged() -> Mapping[str, Price]:
    from evolif.budget import load_prices

    return load_prices().listed


def _rows(path: Path | None) -> Iterator[dict[str, Any]]:
    """All prices that hold at a provider's own endpoint, by model."""
    from datetime import UTC, datetime

    from evolif.budget import load_prices

    table, today = load_prices(path), datetime.now(tz=UTC).date()
    for model, price in sorted({**table.listed, **table.own}.items()):
        yield {
            "model": model,
            **{part: getattr(price, part) for part in _PARTS},
            "date": price.date.isoformat(),
            "source": price.source,
            "own": model in table.own,
            "old": price.is_old(today),
        }


def _free(model: str) -> dict[str, Any] | None:
    """The row of a model that runs on this machine; None for others."""
    from evolif.budget.prices import FREE

    if model.partition("/")[0] not in FREE:
        return None
    nothing = dict.fromkeys(_PARTS, 0.0)
    return {"model": model, **nothing, "date": "", "source": "runs on this machine", "own": False, "old": False}


def _line(row: Mapping[str, Any], width: int) -> str:
    amounts = " ".join(f"{_amount(row[part]):>8}" for part in _PARTS[:3])
    notes = ", ".join(["yours"] * row["own"] + ["older than a year"] * row["old"])
    return f"{row['model']:{width}}  {amounts}  {row['date']}{f' ({notes})' if notes else ''}"


def _amount(price: float | None) -> str:
    return "" if price is None else f"{price:.2f}" if round(price, 2) == price else f"{price:g}"


def _told(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"{row['model']}, US dollars per million tokens:"
    for part in _PARTS:
        if row[part] is not None:
            yield f"  {part}: {_amount(row[part])}"
    others = {"cached": "prompt", "image": "prompt", "reasoning": "completion"}
    same = [f"{part} as {of}" for part, of in others.items() if row[part] is None]
    if same:
        yield f"  {', '.join(same)}"
    if row["date"]:
        yield f"  as of {row['date']}{', older than a year: look it up again' * row['old']}"
    yield f"  from {row['source'] or 'a source that is not named'}{' (your own price)' * row['own']}"


def _change(model: str, before: Price | None, now: Price) -> str:
    """What an update changes for one model."""
    if before is None:
        return f"{model}: new, {_pair(now)}, as of {now.date}"
    if before == now:
        return f"{model}: unchanged"
    if all(getattr(before, part) == getattr(now, part) for part in _PARTS):
        return f"{model}: the same price, now as of {now.date}"
    return f"{model}: {_pair(before)} as of {before.date}, now {_pair(now)} as of {now.date}"


def _pair(price: Price) -> str:
    more = [f"{part} {_amount(value)}" for part in _PARTS[2:] if (value := getattr(price, part)) is not None]
    return f"${_amount(price.prompt)} / ${_amount(price.completion)}" + "".join(f", {one}" for one in more)

"""Random everyday instructions: compatible constraints, each as its group or the table beside this file draws it."""

from functools import cache
from pathlib import Path

import yaml

from evolif.errors import InputError, UsageError
from evolif.scenarios.instructions.constraints import DrawContext, find_conflict, get_group, parse_constraint
from evolif.scenarios.instructions.constraints.base import required_words
from evolif.scenarios.instructions.constraints.compatibility import is_closed
from evolif.util.rng import Stream

MOST = 7
_DRAWS = 8


@cache
def table():
    return yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


@cache
def _exists(name, code=""):
    try:
        get_group(name)
        for params, _ in table()[name] if name in ("language", "lettering", "person", "manner", "hashtags") else ():
            parse_constraint({"group": name, "params": params})
    except (InputError, UsageError):
        return False
    return True


def instruction(seed, topic, number=0):
    """The parameters by group; up to seven groups that the rules of compatibility allow together."""
    stream = Stream(seed, 32)
    active = {}
    weights = {name: weight for name, weight in table()["groups"].items() if _exists(name)}
    for _ in range(number or stream.between(1, MOST)):
        open_groups = [(name, w) for name, w in weights.items() if name not in active and not is_closed(name, active)]
        if not open_groups:
            break
        name = stream.weighted(open_groups)
        for _ in range(_DRAWS):
            params = _draw(name, stream, DrawContext(topic.keywords, _pool(name), active))
            if params is not None and find_conflict({**active, name: params}) is None:
                active[name] = params
                break
    return active


def _pool(name):
    data = get_group(name).data
    return data.get("everyday") or data["pool"]


def _draw(name, stream, context):
    rows = table().get(name)
    if rows is None:
        return get_group(name).draw(stream, context)
    if name == "length":
        return _length(stream, rows)
    params = stream.weighted([(params, weight) for params, weight in rows])
    return _existence(params, stream, context) if name == "existence" else dict(params)


def _length(stream, rows):
    unit = stream.weighted(list(rows["units"].items()))
    relation = stream.weighted(list(rows["relations"][unit].items()))
    value = stream.weighted([(value, weight) for value, weight in rows["values"][unit][relation]])
    params = {"unit": unit, "relation": relation}
    return params | ({"count": value} if isinstance(value, int) else {"count": value[0], "upper": value[1]})


def _existence(drawn, stream, context):
    free = [word for word in context.allowed_keywords if word not in required_words(context.active)]
    number = drawn.get("words") or drawn["any_of"]
    if len(free) < number:
        return None
    words = stream.sample(free, number)
    return {"any_of": words} if "any_of" in drawn else {"at_least": dict.fromkeys(words, drawn["times"])}
